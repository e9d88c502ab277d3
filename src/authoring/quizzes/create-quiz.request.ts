import { DIFFICULTIES, type Difficulty } from '../../catalog/vocabulary';
import { BooleanField, OneOfField, TextField } from '../../platform/http/request/text-fields';
import { TagsField } from './tag-fields';

/** CreateQuizRequest (specification, part 2). Lengths count code points after trimming. */
export class CreateQuizRequest {
  @TextField({ max: 200, description: 'Its title.', example: 'Rivers of Europe' })
  title!: string;

  @OneOfField(DIFFICULTIES, { description: 'How hard it is.', example: 'MEDIUM' })
  difficulty!: Difficulty;

  @TextField({
    max: 2000,
    optional: true,
    description: 'What it is about.',
    example: 'From source to sea.',
  })
  description?: string | null;

  @TextField({
    max: 100,
    optional: true,
    description:
      'The name of a category, or one of your own. A known name is linked to its category, in any case.',
    example: 'Rivers & Lakes',
  })
  category?: string | null;

  // Without an example, which would be the id of no category: the body that is shown is there to be sent.
  @TextField({
    optional: true,
    description: 'The id of a category, from the list of categories. Wins over `category`.',
  })
  categoryId?: string | null;

  @TagsField({
    description: 'Its tags. Each counts once, in any case.',
    example: ['rivers', 'europe'],
  })
  tags?: string[] | null;

  @BooleanField({
    optional: true,
    description: 'Publish the quiz. It becomes public once approved.',
    example: true,
  })
  published: boolean = false;

  @BooleanField({
    optional: true,
    description: 'Honoured for administrators only, ignored for others.',
  })
  featured: boolean = false;
}

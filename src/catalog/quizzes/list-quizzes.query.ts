import { fold } from '../../platform/text/text.rules';
import {
  ChoiceField,
  LimitField,
  NamesField,
  OffsetField,
  QueryText,
  TAGS,
  TAGS_MATCH,
} from '../query-fields';
import { QUIZ_ORDERS, type QuizOrder } from './quiz-list.queries';
import { DIFFICULTIES, type Difficulty } from '../vocabulary';

const folded = (text: string) => fold(text) || undefined;

/** Query of GET /quizzes (specification 4.3). Empty texts narrow nothing. */
export class ListQuizzesQuery {
  @QueryText({
    read: folded,
    description: 'The name of a category, in any case.',
    example: 'Rivers & Lakes',
  })
  category?: string;

  @ChoiceField(DIFFICULTIES, { description: 'One difficulty.', example: 'MEDIUM' })
  difficulty?: Difficulty;

  @NamesField(TAGS)
  tags: string[] = [];

  @ChoiceField(['any', 'all'], TAGS_MATCH)
  tags_match: 'any' | 'all' = 'any';

  @QueryText({
    max: 200,
    read: folded,
    description: 'Text that the title, the description or a tag contains, in any case.',
    example: 'river',
  })
  topic?: string;

  @ChoiceField(QUIZ_ORDERS, {
    description:
      '`popular`: most played first. `newest`: last created first. `title`: alphabetical.',
  })
  sort: QuizOrder = 'popular';

  @LimitField('How many results to send.')
  limit: number = 10;

  @OffsetField('How many results to skip. Past the end the page is empty.')
  offset: number = 0;
}

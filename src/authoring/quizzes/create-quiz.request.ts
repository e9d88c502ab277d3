import { IsBoolean, IsIn, IsOptional, ValidateIf } from 'class-validator';
import { DIFFICULTIES, type Difficulty } from '../../catalog/vocabulary';
import { MaxCodePoints, NotBlank, TextField } from '../../platform/http/request/text-fields';
import { TagsField } from './tag-fields';

/** CreateQuizRequest (specification, part 2). Lengths count code points after trimming. */
export class CreateQuizRequest {
  @TextField()
  @NotBlank()
  @MaxCodePoints(200)
  title!: string;

  @IsIn(DIFFICULTIES, { message: `$path must be one of: ${DIFFICULTIES.join(', ')}` })
  difficulty!: Difficulty;

  @IsOptional()
  @TextField()
  @MaxCodePoints(2000)
  description?: string | null;

  @IsOptional()
  @TextField()
  @MaxCodePoints(100)
  category?: string | null;

  @IsOptional()
  @TextField()
  categoryId?: string | null;

  @IsOptional()
  @TagsField()
  tags?: string[] | null;

  @ValidateIf((_, value) => value !== undefined)
  @IsBoolean({ message: '$path must be true or false' })
  published: boolean = false;

  /** Honoured for administrators only, ignored for others. */
  @ValidateIf((_, value) => value !== undefined)
  @IsBoolean({ message: '$path must be true or false' })
  featured: boolean = false;
}

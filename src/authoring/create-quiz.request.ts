import { IsArray, IsBoolean, IsIn, IsOptional, ArrayMaxSize, ValidateIf } from 'class-validator';
import { Transform } from 'class-transformer';
import { DIFFICULTIES, type Difficulty } from '../catalog/vocabulary';
import { MaxCodePoints, NotBlank, TextField } from '../platform/http/text-fields';
import { fold, tidy } from '../platform/text.rules';
import { EachTag } from './tag-fields';

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
  @Transform(({ value }) => tidyTags(value))
  @IsArray({ message: '$path must be an array of texts' })
  @ArrayMaxSize(20, { message: '$path must hold at most 20 tags' })
  @EachTag()
  tags?: string[] | null;

  @ValidateIf((_, value) => value !== undefined)
  @IsBoolean({ message: '$path must be true or false' })
  published: boolean = false;

  /** Honoured for administrators only, ignored for others. */
  @ValidateIf((_, value) => value !== undefined)
  @IsBoolean({ message: '$path must be true or false' })
  featured: boolean = false;
}

/** Trimmed and de-duplicated in any case, the first spelling kept; what is no text is left for the rules. */
function tidyTags(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const seen = new Set<string>();
  return value
    .map((tag: unknown) => (typeof tag === 'string' ? tidy(tag) : tag))
    .filter((tag) => {
      if (typeof tag !== 'string') return true;
      const key = fold(tag);
      return !seen.has(key) && seen.add(key);
    });
}

import { Transform } from 'class-transformer';
import { IsBoolean, IsString, ValidateIf } from 'class-validator';
import { MaxCodePoints, NotBlank } from '../platform/http/text-fields';

/** Body of POST /quizzes/{id}/attempts (docs/playing.md). */
export class StartAttemptRequest {
  /** An id of the caller's own making: trimmed, and otherwise given back as it came. */
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @IsString({ message: '$path must be text' })
  @NotBlank()
  @MaxCodePoints(100)
  player!: string;

  @ValidateIf((_, value) => value !== undefined)
  @IsBoolean({ message: '$path must be true or false' })
  shuffle: boolean = false;

  @ValidateIf((_, value) => value !== undefined)
  @IsBoolean({ message: '$path must be true or false' })
  reveal: boolean = false;
}

import { Transform } from 'class-transformer';
import { IsBoolean, IsString, ValidateBy, ValidateIf } from 'class-validator';
import { MaxCodePoints, NotBlank } from '../../platform/http/request/text-fields';
import { RESERVED } from '../visitors/visitor.rules';

/** Body of POST /quizzes/{id}/attempts (docs/playing.md). */
export class StartAttemptRequest {
  /** An id of the caller's own making: trimmed, and otherwise given back as it came. */
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @IsString({ message: '$path must be text' })
  @NotBlank()
  @MaxCodePoints(100)
  @ValidateBy({
    name: 'reserved',
    validator: {
      validate: (value: unknown) => typeof value !== 'string' || !value.startsWith(RESERVED),
      defaultMessage: () =>
        `$path must not begin with "${RESERVED}", which is reserved for visitors of the player's page`,
    },
  })
  player!: string;

  @ValidateIf((_, value) => value !== undefined)
  @IsBoolean({ message: '$path must be true or false' })
  shuffle: boolean = false;

  @ValidateIf((_, value) => value !== undefined)
  @IsBoolean({ message: '$path must be true or false' })
  reveal: boolean = false;
}

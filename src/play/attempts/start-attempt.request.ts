import { Transform } from 'class-transformer';
import { IsString, ValidateBy } from 'class-validator';
import { BooleanField, MaxCodePoints, NotBlank } from '../../platform/http/request/text-fields';
import { Field } from '../../platform/openapi/fields';
import { RESERVED } from '../visitors/visitor.rules';

/** Body of POST /quizzes/{id}/attempts (docs/playing.md). */
export class StartAttemptRequest {
  /** An id of the caller's own making: trimmed, and otherwise given back as it came. */
  @Field({
    type: 'string',
    description:
      'Your own ID for the player, not beginning with `web:`. The leaderboard shows it, so do not use an e-mail address.',
    maxLength: 100,
    minLength: 1,
    pattern: '\\S',
    example: 'user-17',
  })
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

  @BooleanField({
    optional: true,
    description: 'Whether to shuffle the questions too; answers always are.',
    example: true,
  })
  shuffle: boolean = false;

  @BooleanField({
    optional: true,
    description: 'Whether each answer is told at once to be right or wrong.',
    example: false,
  })
  reveal: boolean = false;
}

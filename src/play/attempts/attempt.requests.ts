import { Transform } from 'class-transformer';
import { ArrayMinSize, IsArray, IsOptional, IsString, ValidateBy } from 'class-validator';
import { EXAMPLE_ANSWERS, EXAMPLE_QUESTION } from '../../catalog/resources';
import {
  BooleanField,
  MaxCodePoints,
  NotBlank,
  TextField,
} from '../../platform/http/request/text-fields';
import { Field } from '../../platform/openapi/fields';
import { RESERVED } from '../visitors/visitor.rules';

/** Body of POST /quizzes/{id}/attempts (docs/playing.md). */
export class StartAttemptRequest {
  /** An id chosen by the caller: trimmed, and otherwise returned unchanged. */
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
    description: 'Whether each answer is graded immediately.',
    example: false,
  })
  reveal: boolean = false;
}

/** Body of POST /attempts/{id}/answers (docs/playing.md): one of `answerIds` and `text`. */
export class AnswerRequest {
  @TextField({ description: 'A question of this attempt.', example: EXAMPLE_QUESTION })
  questionId!: string;

  @Field({
    type: 'array',
    nullable: true,
    optional: true,
    description: 'What was chosen. TRUE_FALSE takes exactly one.',
    items: { type: 'string' },
    minItems: 1,
    example: [EXAMPLE_ANSWERS[0]],
  })
  @IsOptional()
  @IsArray({ message: '$path must be an array of answer ids' })
  @IsString({ each: true, message: '$path must be an array of answer ids' })
  @ArrayMinSize(1, { message: '$path must hold at least 1 answer id' })
  answerIds?: string[] | null;

  @TextField({
    max: 1000,
    optional: true,
    filled: true,
    description: 'The typed answer.',
    example: null,
  })
  text?: string | null;
}

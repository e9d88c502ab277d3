import { ArrayMinSize, IsArray, IsOptional, IsString } from 'class-validator';
import { EXAMPLE_ANSWERS, EXAMPLE_QUESTION } from '../../catalog/resources';
import { TextField } from '../../platform/http/request/text-fields';
import { Field } from '../../platform/openapi/fields';

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
    description: 'What was typed.',
    example: null,
  })
  text?: string | null;
}

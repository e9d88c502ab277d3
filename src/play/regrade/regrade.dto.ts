import { ArrayMaxSize, IsArray, IsOptional } from 'class-validator';
import { EXAMPLE_QUESTION } from '../../catalog/quizzes/quizzes.dto';
import { EachItem } from '../../platform/http/request/text-fields';
import { LIMITS } from '../../platform/limits/limits';
import { Example, Field, Whole } from '../../platform/openapi/fields';

const { questionsPerQuiz } = LIMITS.content;

/** Body of POST /quizzes/{id}/regrade (docs/playing.md#results). */
export class RegradeRequest {
  /** The questions whose answers are scored again; without it all of them. */
  @Example([EXAMPLE_QUESTION])
  @Field({
    type: 'array',
    optional: true,
    nullable: true,
    maxItems: questionsPerQuiz.value,
    items: { type: 'string' },
  })
  @IsOptional()
  @IsArray({ message: '$path must be an array of ids' })
  @ArrayMaxSize(questionsPerQuiz.value, {
    message: `$path must list at most ${questionsPerQuiz.value} ids`,
  })
  @EachItem('itemType', (id) => typeof id === 'string', 'must be a string')
  questionIds?: string[] | null;
}

/** What a regrade has done. */
export class Regraded {
  /** Submitted attempts that were scored by another key than the present one. @example 29 */
  @Whole() attempts!: number;
  /** How many of them have another score now; null while the worker does it. @example 23 */
  changed!: number | null;
}

import { Whole } from '../../platform/openapi/fields';
import { Result } from '../attempts/attempts.dto';

/** The response of a submission (docs/playing.md). */
export class Score {
  /** Number of correct answers. @example 1 */
  @Whole() score!: number;
  /** Number of questions. @example 1 */
  @Whole() total!: number;
  /** Seconds from the start to the submission. @example 73 */
  @Whole() timeSpent!: number;
  /** One for each question, in the order of the attempt. */
  results!: Result[];
}

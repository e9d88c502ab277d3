import { Whole } from '../../platform/openapi/fields';

export class LeaderboardEntry {
  /** From 1. @example 1 */
  @Whole() rank!: number;
  /** The player. @example user-17 */
  userId!: string;
  /** Number of correct answers. @example 12 */
  @Whole() score!: number;
  /** Seconds. @example 73 */
  @Whole() timeSpent!: number;
}

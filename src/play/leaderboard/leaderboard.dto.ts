import { Whole } from '../../platform/openapi/fields';

export class LeaderboardEntry {
  /** From 1. @example 1 */
  @Whole() rank!: number;
  /** The attempt's `player`, as it was sent or as the player’s page made it (`web:…`). @example user-17 */
  userId!: string;
  /** Number of correct answers. @example 12 */
  @Whole() score!: number;
  /** Whole seconds from the start to the submission. @example 73 */
  @Whole() timeSpent!: number;
}

/** Attempts whose key differs from the present one: play counts them, which this module does not know. */
export abstract class EarlierAttempts {
  /** How many submitted attempts a regrade of these questions would score again. @throws NotFound */
  abstract countEarlier(
    accountId: string,
    quizId: string,
    questionIds: readonly string[],
  ): Promise<number>;
}

/** Attempts whose key differs from the present one: play counts them, which this module does not know. */
export abstract class EarlierAttempts {
  /**
   * How many submitted attempts a regrade would score again after a change of these questions.
   * @param change the fields that were sent
   * @returns null if none of them decides which answers are correct
   * @throws NotFound
   */
  abstract countEarlier(
    accountId: string,
    quizId: string,
    change: { questions: readonly { id: string; type?: unknown; answers?: unknown }[] },
  ): Promise<number | null>;
}

/** How many quizzes accounts own: the catalog counts them, which this module does not know. */
export abstract class QuizCounts {
  /** An account that owns none is not in it. */
  abstract countByOwner(accountIds: string[]): Promise<Map<string, number>>;
}

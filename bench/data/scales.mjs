/** Quizzes by the name of the scale; each has ten questions. */
const SCALES = new Map([
  ['1k', 1_000],
  ['100k', 100_000],
  ['1m', 1_000_000],
]);

export const QUESTIONS_EACH = 10;

/** Tags to draw from, at every scale: the most used is on about a fifth of all quizzes, most are on few or none. */
export const TAGS = 5_000;

/** @throws when there is no such scale */
export function quizzesAt(scale) {
  const quizzes = SCALES.get(scale);
  if (!quizzes) throw new Error(`--scale must be one of: ${[...SCALES.keys()].join(', ')}.`);
  return quizzes;
}

/** Number of accounts: one per fifty quizzes, at least twenty. Quizzes per account follow Zipf's law. */
export const accountsAt = (scale) => Math.max(20, Math.round(quizzesAt(scale) / 50));

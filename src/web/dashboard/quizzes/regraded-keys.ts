import type { StoredQuestion } from '../../../catalog/quizzes/quizzes.dto';

/** Where the owner decides about earlier attempts. */
export const regradeHref = (quizId: string) => `/dashboard/quizzes/${quizId}/regrade`;

type Keyed = Pick<StoredQuestion, 'type' | 'answers'>;

/** The ids of questions that have another key than before. */
export function rekeyed(
  before: readonly (Keyed & { id: string })[],
  after: readonly (Keyed & { id: string })[],
): string[] {
  const keys = new Map(before.map((question) => [question.id, keyOf(question)]));
  return after
    .filter((question) => (keys.get(question.id) ?? keyOf(question)) !== keyOf(question))
    .map(({ id }) => id);
}

const keyOf = ({ type, answers }: Keyed) =>
  JSON.stringify([type, answers.map(({ text, isCorrect }) => [text, isCorrect])]);

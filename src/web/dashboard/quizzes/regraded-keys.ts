import type { StoredQuestion } from '../../../catalog/quizzes/quizzes.dto';

/** Where the owner decides about earlier attempts. */
export const regradeHref = (quizId: string) => `/dashboard/quizzes/${quizId}/regrade`;

type Keyed = Pick<StoredQuestion, 'type' | 'answers'>;

/** Questions of a quiz, and whether it accepts typing errors. */
interface Scored {
  questions: readonly (Keyed & { id: string })[];
  acceptTypos: boolean;
}

/** The ids of questions that have another key than before. */
export function questionsWithNewKey(before: Scored, after: Scored): string[] {
  const keys = new Map(before.questions.map((it) => [it.id, keyOf(it, before)]));
  return after.questions
    .filter((it) => (keys.get(it.id) ?? keyOf(it, after)) !== keyOf(it, after))
    .map(({ id }) => id);
}

const keyOf = ({ type, answers }: Keyed, { acceptTypos }: Scored) =>
  JSON.stringify([
    type,
    type === 'OPEN_ENDED' && acceptTypos,
    answers.map(({ text, isCorrect }) => [text, isCorrect]),
  ]);

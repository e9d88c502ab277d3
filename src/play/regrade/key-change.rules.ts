import type { QuestionType, StoredAnswer } from '../../catalog/vocabulary';

/** What a change of a quiz sets that decides which answers are correct. Absent: it stays as it is. */
export interface KeyChange {
  acceptTypos?: unknown;
  questions: readonly { id: string; type?: unknown; answers?: unknown }[];
}

/** The ids of the questions whose key a change may have replaced; null: any of the quiz. */
export function questionsRekeyedBy({ acceptTypos, questions }: KeyChange): string[] | null {
  if (acceptTypos !== undefined) return null;
  return questions
    .filter(({ type, answers }) => type !== undefined || answers !== undefined)
    .map(({ id }) => id.toLowerCase());
}

interface Scored {
  acceptTypos: boolean;
  questions: readonly { id: string; type: QuestionType; answers: readonly StoredAnswer[] }[];
}

/** The change between two versions of a quiz: forms send every field, and most of them as they were. */
export function keyChangeOf(before: Scored, after: Scored): KeyChange {
  const keys = new Map(before.questions.map((question) => [question.id, keyOf(question, before)]));
  return {
    questions: after.questions.filter((question) => {
      const key = keys.get(question.id);
      return key !== undefined && key !== keyOf(question, after);
    }),
  };
}

const keyOf = ({ type, answers }: Scored['questions'][number], { acceptTypos }: Scored): string =>
  JSON.stringify([
    type,
    type === 'OPEN_ENDED' && acceptTypos,
    answers.map(({ text, isCorrect }) => [text, isCorrect]),
  ]);

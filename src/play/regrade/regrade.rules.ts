import type { QuestionType, StoredAnswer } from '../../catalog/vocabulary';
import { isCorrectAnswer, isMultiple, type SnapshotAnswer } from '../attempts/attempt.rules';
import type { ScoredAnswer } from '../results/sums.rules';

/** A question as it was played. */
interface Played {
  id: string;
  type: QuestionType;
  text: string;
  answers: SnapshotAnswer[];
  acceptTypos?: boolean;
}

/** What decides which answers of a question are correct now. */
interface Present {
  type: QuestionType;
  answers: readonly StoredAnswer[];
  acceptTypos?: boolean;
}

/**
 * A question as it was played, with the present key. It is returned unchanged if its key is the present one, and if the
 * present key says nothing about what players saw: another type, a correct answer that was not among theirs, or several
 * correct answers where they could choose one.
 */
export function withPresentKey<Question extends Played>(
  played: Question,
  present: Present,
): Question {
  if (played.type !== present.type) return played;
  const keyed =
    played.type === 'OPEN_ENDED' ? textsOf(present) : withCorrectAnswers(played, present);
  return keyed === null || textsAndKey(keyed) === textsAndKey(played)
    ? played
    : { ...played, ...keyed };
}

const textsOf = ({ answers, acceptTypos = false }: Present) => ({
  answers: answers.map(({ id, text, isCorrect }) => ({ id, text, isCorrect })),
  acceptTypos,
});

/** Null if the present key says nothing about what players saw. */
function withCorrectAnswers(played: Played, present: Present) {
  const correct = present.answers.filter(({ isCorrect }) => isCorrect).map(({ id }) => id);
  const shown = new Set(played.answers.map(({ id }) => id));
  if (!correct.every((id) => shown.has(id))) return null;
  if (correct.length > 1 && !isMultiple(played)) return null;
  return {
    answers: played.answers.map((answer) => ({
      ...answer,
      isCorrect: correct.includes(answer.id),
    })),
  };
}

/** What players read, and which of it is correct. */
const textsAndKey = ({ answers, acceptTypos = false }: Omit<Present, 'type'>) =>
  JSON.stringify([acceptTypos, answers.map(({ text, isCorrect }) => [text, isCorrect])]);

/**
 * The questions of a snapshot with the present keys; null if that changes none of them.
 * @param present those to score again
 */
export function withPresentKeys<Question extends Played>(
  played: readonly Question[],
  present: ReadonlyMap<string, Present>,
): Question[] | null {
  const corrected = played.map((question) => {
    const now = present.get(question.id);
    return now ? withPresentKey(question, now) : question;
  });
  return corrected.every((question, index) => question === played[index]) ? null : corrected;
}

/** The answers of an attempt, scored by these questions. Those to questions that are not among them stay. */
export function scoredBy<Answered extends ScoredAnswer>(
  questions: ReadonlyMap<string, Played>,
  answers: readonly Answered[],
): Answered[] {
  return answers.map((answer) => {
    const question = questions.get(answer.questionId);
    const { answerIds, text } = answer;
    const given = answerIds ? { answerIds } : { text: text ?? '' };
    return question ? { ...answer, isCorrect: isCorrectAnswer(question, given) } : answer;
  });
}

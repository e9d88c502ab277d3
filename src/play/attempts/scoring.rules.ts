import type { Answer, QuestionType } from '../../catalog/vocabulary';
import { fold } from '../../platform/text/text.rules';
import { acceptedKey } from './answer-text.rules';

/** What a player has answered: choices by their ids, or a text to an OPEN_ENDED question. */
export type Given = { answerIds: readonly string[] } | { text: string };

/** An answer of a question that is played. */
export interface PlayedAnswer extends Answer {
  /** acceptedKey of an accepted text; absent in snapshots from before it was stored. */
  key?: string;
}

/** Whether an answer is right. What does not fit the question's type is wrong. */
export function isRight(
  question: { type: QuestionType; answers: readonly PlayedAnswer[] },
  given: Given,
): boolean {
  return question.type === 'OPEN_ENDED'
    ? 'text' in given && isAccepted(question.answers, given.text)
    : 'answerIds' in given && areAllAndOnly(question.answers, given.answerIds);
}

/** All of the right answers and no other, in any order. Of TRUE_FALSE there is one. */
function areAllAndOnly(answers: readonly Answer[], chosen: readonly string[]): boolean {
  const ids = new Set(chosen);
  return (
    answers.every((answer) => ids.has(answer.id) === answer.isCorrect) &&
    [...ids].every((id) => answers.some((answer) => answer.id === id))
  );
}

/**
 * A text that its author lists is as right as it is listed: with "resume" right and "résumé" wrong, an accent
 * counts. Any other is compared by answerKey with the accepted ones.
 */
function isAccepted(answers: readonly PlayedAnswer[], text: string): boolean {
  const folded = fold(text);
  const listed = answers.find((answer) => fold(answer.text) === folded);
  if (listed) return listed.isCorrect;
  const key = acceptedKey(text);
  return answers.some((answer) => answer.isCorrect && keyOf(answer) === key);
}

export const keyOf = ({ key, text }: Pick<PlayedAnswer, 'key' | 'text'>): string =>
  key ?? acceptedKey(text);

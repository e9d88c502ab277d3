import type { Answer } from '../catalog/vocabulary';
import { fold } from '../platform/text.rules';
import type { AnswerInput } from './question.rules';

/**
 * Edited answers with their ids: an answer whose text is the same keeps its id, wherever it stands now and
 * whether it is right or not; any other text is another answer and gets a new one, so that an id that somebody
 * has noted never comes to mean something else.
 */
export function keepAnswerIds(
  before: readonly Answer[],
  after: readonly AnswerInput[],
  newIds: readonly string[],
): Answer[] {
  const known = new Map(before.map(({ id, text }) => [fold(text), id]));
  return after.map(({ text, isCorrect }, index) => {
    const id = known.get(fold(text)) ?? newIds[index];
    if (id === undefined) throw new Error('There are fewer new ids than answers.');
    return { id, text, isCorrect };
  });
}

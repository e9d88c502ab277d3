import type { Answer } from '../../catalog/vocabulary';
import { fold } from '../../platform/text/text.rules';
import type { AnswerInput } from './question.rules';

/**
 * Edited answers with their ids: an answer whose text is the same keeps its id, wherever it stands now and whether it
 * is right or not, and so does one that has changed its case alone. Any other text is another answer and gets a new
 * id, so that an id that somebody has noted never comes to mean something else.
 */
export function keepAnswerIds(
  before: readonly Answer[],
  after: readonly AnswerInput[],
  newIds: readonly string[],
): Answer[] {
  const byText = new Map(before.map(({ id, text }) => [text, id]));
  const byFold = new Map(before.map(({ id, text }) => [fold(text), id]));
  // `CO` and `Co` may be two answers: one that is there as it was keeps its id before one that is similar.
  const taken = new Set(after.map(({ text }) => byText.get(text)));
  return after.map(({ text, isCorrect }, index) => {
    const similar = byFold.get(fold(text));
    const id = byText.get(text) ?? (taken.has(similar) ? undefined : similar) ?? newIds[index];
    if (id === undefined) throw new Error('There are fewer new ids than answers.');
    taken.add(id);
    return { id, text, isCorrect };
  });
}

import type { Answer, QuestionType } from '../../catalog/vocabulary';
import type { Issue } from '../../platform/errors/domain-errors';
import type { Given } from './scoring.rules';

/** Reads a body as an answer to this question, or says why it is none. */
export function readGiven(
  question: { type: QuestionType; answers: readonly Answer[] },
  body: { answerIds?: string[] | null; text?: string | null },
): { given: Given } | { error: Issue } {
  const ids = body.answerIds ?? undefined;
  const text = body.text ?? undefined;
  const wrong = (path: string, message: string, code: string) => ({
    error: { path, message: `${path} ${message}`, code },
  });
  if (question.type === 'OPEN_ENDED') {
    if (ids)
      return wrong('answerIds', 'cannot be given to an OPEN_ENDED question: send text', 'kind');
    if (text === undefined)
      return wrong('text', 'is required for an OPEN_ENDED question', 'required');
    return { given: { text } };
  }
  if (text !== undefined)
    return wrong('text', `cannot be given to a ${question.type} question: send answerIds`, 'kind');
  if (!ids) return wrong('answerIds', `is required for a ${question.type} question`, 'required');
  const answerIds = [...new Set(ids.map((id) => id.trim().toLowerCase()))];
  const unknown = answerIds.findIndex((id) => !question.answers.some((answer) => answer.id === id));
  if (unknown >= 0)
    return wrong('answerIds', 'holds an id that is no answer of this question', 'unknown');
  if (question.type === 'TRUE_FALSE' && answerIds.length > 1)
    return wrong(
      'answerIds',
      'must hold exactly 1 answer id for a TRUE_FALSE question',
      'too_many',
    );
  return { given: { answerIds } };
}

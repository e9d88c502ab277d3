import { QuestionInput } from '../../../authoring/questions/batch-import.request';
import type { OwnedQuestion } from '../../../catalog/quizzes/owned-quizzes.service';
import { Invalid } from '../../../platform/errors/domain-errors';
import { readBody } from '../../../platform/http/request/validation.pipe';
import { LIMITS } from '../../../platform/limits/limits';
import { Form } from '../../http/form';

/** Answers that the form has room for at first; more on demand. */
const ROWS = 4;
/** A post cannot make the page longer. */
export const MOST_ROWS = LIMITS.content.answersPerQuestion.value;

export const rowName = (row: number, field: 'text' | 'isCorrect') => `answers[${row}].${field}`;

/** How many rows of answers the form shows. */
export function rowsOf(form: Form): number {
  const rows = /^\d{1,3}$/.test(form.text('rows')) ? Number(form.text('rows')) : ROWS;
  return Math.min(Math.max(rows, 2), MOST_ROWS);
}

export const blankForm = () => new Form({ rows: String(ROWS) });

/** The form as it is before anything was typed. */
export function filledForm(question: OwnedQuestion): Form {
  const values: Record<string, string> = {
    version: question.version,
    rows: String(Math.max(ROWS, question.answers.length)),
    text: question.text,
    type: question.type,
    difficulty: question.difficulty,
    explanation: question.explanation ?? '',
  };
  question.answers.forEach(({ text, isCorrect }, row) => {
    values[rowName(row, 'text')] = text;
    if (isCorrect) values[rowName(row, 'isCorrect')] = 'yes';
  });
  return new Form(values);
}

/** What was typed, checked by the rules of the API; rows that were left empty are none. @throws Invalid */
export function readQuestion(form: Form): QuestionInput {
  const rows = Array.from({ length: rowsOf(form) }, (_, row) => ({
    row,
    text: form.text(rowName(row, 'text')),
    isCorrect: form.text(rowName(row, 'isCorrect')) === 'yes',
  })).filter(({ text, isCorrect }) => text.trim() !== '' || isCorrect);
  try {
    return readBody(QuestionInput, {
      text: form.text('text'),
      type: form.text('type'),
      difficulty: form.text('difficulty'),
      explanation: form.text('explanation'),
      answers: rows.map(({ text, isCorrect }) => ({ text, isCorrect })),
    });
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    const [first, ...rest] = (error.details ?? []).map((error) => ({
      ...error,
      path: error.path.replace(
        /^answers\[(\d+)\]/,
        (_, index) => `answers[${rows[Number(index)]?.row}]`,
      ),
      message: inWords(error.message),
    }));
    if (!first) throw error;
    throw new Invalid('The form', [first, ...rest]);
  }
}

/** The sentences of the rules speak of JSON; here are boxes to be ticked. */
const inWords = (message: string) =>
  message
    .replace(/^text /, 'the question ')
    .replace(/^answers\[\d+\]\.text must not be blank/, 'an answer that is ticked needs a text')
    .replace(/^answers\[\d+\]\.text/, 'the text')
    .replace(/^answers (needs|has)/, (_, verb: string) => `the question ${verb}`)
    .replace(
      'needs at least one answer with "isCorrect": true',
      'needs at least one right answer: tick it',
    )
    .replace('one correct answer for TRUE_FALSE', 'one right answer for true or false')
    .replace('for TRUE_FALSE', 'for true or false');

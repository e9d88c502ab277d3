import type { AnswerInput } from '../../authoring/questions/question.rules';
import { type QuizOfRow, quote } from './row';
import { formulasIn, htmlToText, looksLikeHtml } from './text/html-text';

/** What Moodle’s formats share. */

/** An answer as Moodle's formats mark it: `credit` in percent, from -100 to 100. */
export interface CreditedAnswer {
  text: string;
  credit: number;
}

/** A typed answer that is half correct is neither accepted nor listed as a wrong one: nobody chooses among them. */
const isPart = ({ credit }: Pick<CreditedAnswer, 'credit'>): boolean =>
  credit > 0 && credit < 99.99;
const PARTS_IGNORED =
  'Partial credit is not kept: only answers with 100 % are accepted, and partly correct ones are ignored.';

/**
 * Which answers are correct: those with full credit; if none has it and several may be chosen, those that add credit.
 * `note` describes what is lost.
 */
export function correctByCredit(
  given: readonly CreditedAnswer[],
  several: boolean,
  isTyped = false,
): { answers: AnswerInput[]; note?: string } {
  const answers = isTyped ? given.filter((answer) => !isPart(answer)) : given;
  if (answers.length < given.length)
    return {
      answers: answers.map(({ text, credit }) => ({ text, isCorrect: credit > 0 })),
      note: PARTS_IGNORED,
    };
  const full = answers.some(({ credit }) => credit >= 99.99);
  const isCorrect = ({ credit }: CreditedAnswer): boolean =>
    full || !several ? credit >= 99.99 : credit > 0;
  const correct = answers.filter(isCorrect);
  const share = 100 / correct.length;
  const plain = answers.every((answer) =>
    isCorrect(answer)
      ? full || Math.abs(answer.credit - share) < 0.01
      : answer.credit === 0 || (answer.credit < 0 && several),
  );
  return {
    answers: answers.map((answer) => ({ text: answer.text, isCorrect: isCorrect(answer) })),
    ...(!plain && { note: note(answers, isCorrect) }),
  };
}

function note(
  answers: readonly CreditedAnswer[],
  isCorrect: (answer: CreditedAnswer) => boolean,
): string {
  const percents = answers.map(
    (answer, i) =>
      `${i + 1}: ${answer.credit} % counts as ${isCorrect(answer) ? 'correct' : 'wrong'}`,
  );
  return `Partial credit is not kept: an answer is correct or wrong (${percents.slice(0, 6).join(', ')}).`;
}

/** The answer to a numerical question. */
export interface CorrectNumber {
  text: string;
  tolerance: number;
}

/**
 * A numerical question as an open one that accepts the number as written; `note` describes what is lost.
 * @param all the answers, also those without full credit
 */
export function openNumbers(
  numbers: readonly CorrectNumber[],
  all: readonly Pick<CreditedAnswer, 'credit'>[],
): { answers: AnswerInput[]; note?: string } {
  const tolerant = numbers.find(({ tolerance }) => tolerance !== 0);
  const texts = [...new Set(numbers.map(({ text }) => text))];
  const notes = all.some(isPart) ? [PARTS_IGNORED] : [];
  if (tolerant)
    notes.push(
      `Numbers are compared as text: ${tolerant.text} is accepted without its tolerance of ${tolerant.tolerance}.`,
    );
  return {
    answers: texts.map((text) => ({ text, isCorrect: true })),
    ...(notes.length > 0 && { note: notes.join(' ') }),
  };
}

/** In Moodle's short answers "*" matches anything, unless it is written "\*". */
export const shortAnswerPattern = (text: string): string => text.replaceAll('*', '\\*');

/** The text of such a pattern, and whether it had a star that matches anything. */
export function shortAnswerText(pattern: string): { text: string; isPattern: boolean } {
  return { text: pattern.replaceAll('\\*', '*'), isPattern: /(?<!\\)\*/.test(pattern) };
}

export const STAR_IS_TEXT = 'A "*" in an answer stands for itself here, not for any letters.';

/** Moodle's containers and its root, which are no categories. */
const CONTAINERS = /^\$(?:course|module|system|cat\d*|coursecat|category)\$$/i;

/**
 * The quiz of the questions below a category, which is the last step of its path: `$course$/top/Science/Physics` is
 * `Physics`; a slash within a name stands twice. A whole quiz has said its category before.
 */
export function quizOfCategory(
  path: string,
  before: QuizOfRow | undefined,
): { quiz?: QuizOfRow; note?: string } {
  if (before?.title && before.category) return { quiz: before };
  const steps = path
    .replaceAll('//', '\u0000')
    .split('/')
    .map((step) => step.replaceAll('\u0000', '/').trim())
    .filter((step) => step && !CONTAINERS.test(step) && step !== 'top');
  const category = steps.at(-1);
  if (!category) return {};
  const quiz = { key: `category:${path}`, category };
  if (steps.length === 1) return { quiz };
  const note = `Categories have no levels here: ${quote(steps.join(' / '))} becomes ${quote(category)}.`;
  return { quiz, note };
}

/** Whether a text is HTML, as its format says or as it looks. */
export const isHtml = (raw: string, format: string): boolean =>
  format === 'html' || (AUTO_FORMATS.includes(format) && looksLikeHtml(raw));

/** A text in its format, as the files name it; `notes` gets what is lost of it. */
export function readText(raw: string, format: string, notes: Set<string>): string {
  if (format === 'markdown')
    notes.add('Markdown is kept as it is written: it is shown with its signs.');
  if (!isHtml(raw, format)) return raw;
  const { text, notes: lost } = htmlToText(raw);
  for (const note of [...lost, ...formulasIn(text)]) notes.add(note);
  return text;
}

/** GIFT's and Moodle XML's names for "as it looks". */
const AUTO_FORMATS = ['moodle', 'moodle_auto_format'];

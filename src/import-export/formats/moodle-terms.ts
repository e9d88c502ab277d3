import {
  answerCountError,
  type AnswerInput,
  correctAnswersError,
} from '../../authoring/questions/question.rules';
import type { QuestionFormat, QuestionType } from '../../catalog/vocabulary';
import { LIMITS } from '../../platform/limits/limits';
import { canonicalLanguage } from '../../platform/text/language.rules';
import { difficultyOf, type ParsedQuestion, questionTypeOf } from './parsed-question';
import {
  type ExportedQuiz,
  type ImportedQuestion,
  onlyGiven,
  type QuizOfRow,
  quote,
  rulesIn,
} from './row';
import { htmlToText, looksLikeHtml } from './text/html-text';

/** What GIFT, Moodle XML and QTI share. */

/** An answer as Moodle's formats mark it: `credit` in percent, from -100 to 100. */
export interface CreditedAnswer {
  text: string;
  credit: number;
}

/**
 * Which answers are correct: those with full credit; if none has it and several may be chosen, those that add credit.
 * `note` describes what is lost.
 */
export function correctByCredit(
  given: readonly CreditedAnswer[],
  several: boolean,
  isTyped = false,
): { answers: AnswerInput[]; note?: string } {
  // A typed answer that is half correct must not be listed as a wrong one; nobody chooses among them.
  const isPart = ({ credit }: CreditedAnswer): boolean => credit > 0 && credit < 99.99;
  const answers = isTyped ? given.filter((answer) => !isPart(answer)) : given;
  if (answers.length < given.length)
    return {
      answers: answers.map(({ text, credit }) => ({ text, isCorrect: credit > 0 })),
      note: `Partial credit is not kept: only answers with 100 % are accepted, and partly correct ones are ignored.`,
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

/** A numerical question as an open one that accepts the number as written; `note` describes what is lost. */
export function openNumbers(numbers: readonly CorrectNumber[]): {
  answers: AnswerInput[];
  note?: string;
} {
  const tolerant = numbers.find(({ tolerance }) => tolerance !== 0);
  const texts = [...new Set(numbers.map(({ text }) => text))];
  return {
    answers: texts.map((text) => ({ text, isCorrect: true })),
    ...(tolerant && {
      note: `Numbers are compared as text: the tolerance of ${tolerant.tolerance} is not kept, only ${tolerant.text} is accepted.`,
    }),
  };
}

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
  for (const note of lost) notes.add(note);
  return text;
}

/** GIFT's and Moodle XML's names for "as it looks". */
const AUTO_FORMATS = ['moodle', 'moodle_auto_format'];

/**
 * What GIFT and Moodle XML cannot express about a question or a quiz is written as JSON where other programs see a
 * comment. Readers treat it as a hint: later edits of the visible part take precedence.
 */

/**
 * What a reader finds of a text in a format.
 * @param place 0 is the question, 1 its explanation, and then come the answers
 */
export type Visible = (text: string, place: number, format?: QuestionFormat) => string;

/** The hint beside a question. `natural`: the type that the format itself shows to a reader. */
export function questionMetadata(
  question: ImportedQuestion,
  natural: QuestionType | undefined,
  visible: Visible,
): string {
  const { type, difficulty, format, source, licence } = question;
  const texts = textsOf(question);
  return JSON.stringify({
    ...(type !== natural && { type }),
    difficulty,
    format,
    source,
    licence,
    ...(texts.some((text, place) => visible(text, place, format) !== text) && { exact: texts }),
  });
}

/** The hint at the top of a file. */
export function quizMetadata({
  title,
  description,
  category,
  difficulty,
  tags,
  language,
  ...quiz
}: ExportedQuiz): string {
  const texts = { title, description, category, difficulty, tags, language };
  return JSON.stringify({ quiz: { ...texts, ...rulesIn(quiz) } });
}

/** The question with its hint. A hint that does not fit (any more) is ignored. */
export function withMetadata(
  draft: ParsedQuestion,
  json: string,
  visible: Visible,
): ParsedQuestion {
  const hint = parse(json);
  if (!hint) return draft;
  const type = questionTypeOf(text(hint.type));
  const format = hint.format === 'markdown' ? hint.format : undefined;
  const fits =
    type && !answerCountError(type, draft.answers) && !correctAnswersError(type, draft.answers)
      ? type
      : undefined;
  const better: ParsedQuestion = {
    ...draft,
    type: fits ?? draft.type,
    difficulty: difficultyOf(text(hint.difficulty)),
    ...(format && { format }),
    source: text(hint.source),
    licence: text(hint.licence),
  };
  const { exact } = hint;
  const seen = textsOf(draft);
  if (!Array.isArray(exact) || exact.length !== seen.length) return better;
  if (!seen.every((each, i) => visible(text(exact[i]), i, format) === each)) return better;
  const [question, explanation, ...answers] = exact.map(text);
  return {
    ...better,
    text: question ?? '',
    explanation: explanation ?? '',
    answers: draft.answers.map(({ isCorrect }, i) => ({ text: answers[i] ?? '', isCorrect })),
  };
}

/** The quiz of a hint at the top of a file; undefined if the JSON is not one. */
export function quizOfMetadata(json: string, key: string): QuizOfRow | undefined {
  const quiz = parse(json)?.quiz;
  return typeof quiz === 'object' && quiz !== null && !Array.isArray(quiz)
    ? quizOf(quiz as Record<string, unknown>, key)
    : undefined;
}

/** The quiz that a JSON object describes. Members of the wrong type are ignored. */
export function quizOf(object: Record<string, unknown>, key: string): QuizOfRow {
  const tags = Array.isArray(object.tags) ? object.tags : [];
  return {
    key,
    ...onlyGiven({
      title: text(object.title),
      description: text(object.description),
      category: text(object.category),
      difficulty: difficultyOf(text(object.difficulty)),
      tags: tags.filter((tag) => typeof tag === 'string'),
      language: canonicalLanguage(text(object.language)) ?? undefined,
      timeLimit: wholeIn(object.timeLimit, 10, LIMITS.content.timeLimit.value),
      maxAttempts: wholeIn(object.maxAttempts, 1, LIMITS.content.attemptsPerPlayer.value),
      acceptTypos: typeof object.acceptTypos === 'boolean' ? object.acceptTypos : undefined,
      questionsPerAttempt: wholeIn(
        object.questionsPerAttempt,
        1,
        LIMITS.content.questionsPerQuiz.value,
      ),
    }),
  };
}

const textsOf = ({ text, explanation, answers }: ParsedQuestion): string[] => [
  text,
  explanation ?? '',
  ...answers.map((answer) => answer.text),
];

const wholeIn = (value: unknown, least: number, most: number) =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
    ? value
    : undefined;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function parse(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    // A comment of another program.
    return undefined;
  }
}

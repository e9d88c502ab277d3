import { joinAtCommas, splitAtCommas } from '../../../platform/text/text.rules';
import { questionMetadata, quizMetadata, visibleLines, withLineFeeds } from '../metadata';
import { typeOf } from '../parsed-question';
import { escapeMarkdown, escapeWords, withEmbedded } from '../pictures';
import type { ExportedQuiz, ImportedQuestion, QuizOfRow } from '../row';
import { inert } from '../text/inert-markdown';
import { letterOf } from '../text/letters';

/**
 * A quiz to read and to print: its title and what is known of it, the questions with lettered choices, and an answer key at the
 * end with the explanations. What Markdown cannot express is in comments, which other programs do not show.
 */
export function* writeMarkdown(quiz: ExportedQuiz): Generator<string> {
  yield `${hint(quizMetadata(quiz))}\n# ${inLine(quiz.title)}\n\n`;
  if (quiz.description) yield `${written(quiz.description)}\n\n`;
  for (const { label, of } of ABOUT) {
    const value = of(quiz);
    if (value) yield `- **${label}:** ${escapeMarkdown(value)}\n`;
  }
  yield `\n## ${QUESTIONS}\n\n`;
  for (const [at, question] of quiz.questions.entries())
    yield questionOf(at + 1, withEmbedded(question, quiz.pictures));
  yield `## ${ANSWER_KEY}\n\n`;
  for (const [at, question] of quiz.questions.entries())
    yield item(at + 1, keyOf(withEmbedded(question, quiz.pictures)));
}

export const QUESTIONS = 'Questions';
export const ANSWER_KEY = 'Answer key';
export const ACCEPTED = '**Accepted:**';
/** The first characters of a file. */
export const MARK = '<!-- {"quiz":';

/** One of the lines about a quiz: what is written for it, and what it says when it is read. */
interface AboutLine {
  field: keyof QuizOfRow & keyof ExportedQuiz;
  label: string;
  /** Without line breaks; '' for none. */
  of: (quiz: Partial<ExportedQuiz>) => string;
  read: (value: string) => unknown;
}

const oneLine = (text = ''): string => text.replace(/\s+/g, ' ').trim();
const asIs = (value: string): string => value;

export const ABOUT: readonly AboutLine[] = [
  { field: 'category', label: 'Category', of: ({ category }) => oneLine(category), read: asIs },
  {
    field: 'difficulty',
    label: 'Difficulty',
    read: asIs,
    of: ({ difficulty = '' }) => difficulty.charAt(0) + difficulty.slice(1).toLowerCase(),
  },
  {
    field: 'tags',
    label: 'Tags',
    read: splitAtCommas,
    of: ({ tags = [] }) => joinAtCommas(tags.map(oneLine)),
  },
  { field: 'language', label: 'Language', of: ({ language = '' }) => language, read: asIs },
  {
    field: 'timeLimit',
    label: 'Time limit in seconds',
    read: Number,
    of: ({ timeLimit = '' }) => String(timeLimit),
  },
  {
    field: 'maxAttempts',
    label: 'Attempts per player',
    read: Number,
    of: ({ maxAttempts = '' }) => String(maxAttempts),
  },
  {
    field: 'questionsPerAttempt',
    label: 'Questions per attempt',
    read: Number,
    of: ({ questionsPerAttempt = '' }) => String(questionsPerAttempt),
  },
  {
    field: 'acceptTypos',
    label: 'Typing errors are accepted',
    of: ({ acceptTypos }) => (acceptTypos ? 'yes' : ''),
    read: (value) => /^(?:yes|true)$/i.test(value),
  },
];

/** A title as it is read again. */
export const visibleTitle = oneLine;

const inLine = (text: string): string => escapeWords(oneLine(text));

/** JSON as a comment, which ">" could end. */
const hint = (json: string): string => `<!-- ${json.replaceAll('>', '\\u003e')} -->\n`;

/** Plain text in Markdown, with its line breaks; and as it was. */
const written = (text: string): string =>
  escapeWords(withLineFeeds(text)).replace(/(?<=[^\n])\n(?=[^\n])/g, '\\\n');
export const unwritten = (text: string): string => text.replace(/\\([!-/:-@[-`{-~\n])/g, '$1');

const indented = (text: string, width: number): string =>
  text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(width)}`);

function item(number: number, content: string): string {
  const mark = `${number}. `;
  return `${mark}${indented(content, mark.length)}\n\n`;
}

const textOf = (text: string, { format }: ImportedQuestion): string =>
  format === 'markdown' ? inert(withLineFeeds(text), format) : written(text);

/** Blocks of Markdown begin in a line of their own. */
function entry(mark: string, text: string, question: ImportedQuestion): string {
  const content = textOf(text, question);
  const isBlock = question.format === 'markdown' && content.includes('\n');
  return indented(`${mark}${isBlock ? '\n\n' : ' '}${content}`, 2);
}

function questionOf(number: number, question: ImportedQuestion): string {
  const { type, answers } = question;
  const isOpen = type === 'OPEN_ENDED';
  const natural = isOpen ? type : typeOf(answers.map(({ text }) => text));
  const choices = isOpen
    ? []
    : answers.map(({ text }, place) => entry(`- **${letterOf(place)}.**`, text, question));
  const text = textOf(question.text, question);
  return (
    hint(questionMetadata(question, natural, visibleLines)) +
    item(number, choices.length > 0 ? `${text}\n\n${choices.join('\n')}` : text)
  );
}

/** The correct choices, or what is accepted, and the explanation as a quotation. */
function keyOf(question: ImportedQuestion): string {
  const { type, answers, explanation } = question;
  const letters = answers.flatMap(({ isCorrect }, place) => (isCorrect ? [letterOf(place)] : []));
  const accepted = answers.map(({ text, isCorrect }) =>
    entry(isCorrect ? '- [x]' : '- [ ]', text, question),
  );
  const key =
    type === 'OPEN_ENDED' ? `${ACCEPTED}\n\n${accepted.join('\n')}` : `**${letters.join(', ')}**`;
  if (!explanation) return key;
  const lines = textOf(explanation, question).split('\n');
  return `${key}\n\n${lines.map((line) => (line ? `> ${line}` : '>')).join('\n')}`;
}

import {
  type GIFTQuestion,
  type MultipleChoice,
  type Numerical,
  parse,
  type ShortAnswer,
  SyntaxError,
  type TextChoice,
  type TextFormat,
  type TrueFalse,
} from 'gift-pegjs';
import type { AnswerInput } from '../../../authoring/questions/question.rules';
import { LIMITS } from '../../../platform/limits/limits';
import { quizOfMetadata, typeOfMetadata, visibleLines, withMetadata } from '../metadata';
import {
  correctByCredit,
  type CorrectNumber,
  type CreditedAnswer,
  openNumbers,
  quizOfCategory,
  readText,
  shortAnswerText,
  STAR_IS_TEXT,
} from '../moodle-terms';
import { type ParsedQuestion, rowOf } from '../parsed-question';
import {
  type Bytes,
  type ErrorRow,
  type FilePosition,
  type ImportRow,
  type ParsedRow,
  questionError,
  type QuizOfRow,
  readable,
  withoutStacks,
} from '../row';
import { withoutJoiners } from '../text/inert-markdown';
import { strayMark } from '../text/list-marks';
import { TextDecoding } from '../text/text-decoding';
import { LARGEST_ROW, type Line, textLines, tooLarge } from '../text/text-lines';
import { ProtectedText } from './gift.writer';

/** In characters: the parser takes quadratic time for some syntax errors. */
const LONGEST_QUESTION = LIMITS.imports.giftQuestion.value;
const CATEGORY = /^\s*\$CATEGORY:(.*)$/s;
const COMMENT = /^\s*\/\/\s?(.*)$/s;

/** The lines of one question, and the comments above or among them that are hints for readers. */
interface Block {
  lines: Line[];
  comments: string[];
  length: number;
  /** Braces that are opened and not closed: the answers have not ended. */
  unclosed: number;
}

const emptyBlock = (): Block => ({ lines: [], comments: [], length: 0, unclosed: 0 });

/** Reads GIFT question by question; they are separated by blank lines. @throws FileError */
export async function* readGift(bytes: Bytes): AsyncGenerator<ImportRow> {
  const decoding = new TextDecoding();
  const file = new GiftFile();
  for await (const lines of textLines(bytes, decoding))
    for (const line of lines) {
      file.take(line);
      if (file.rows.length > 0) yield* file.rows.splice(0);
    }
  file.end();
  yield* file.rows;
  yield* decoding.notes();
}

class GiftFile {
  /** Finished, and not returned yet. */
  readonly rows: ImportRow[] = [];
  private block = emptyBlock();
  private quiz: QuizOfRow | undefined;
  private number = 0;

  take(line: Line): void {
    const category = CATEGORY.exec(line.text)?.[1]?.trim();
    const comment = COMMENT.exec(line.text)?.[1];
    const { block } = this;
    // Within the answers it is kept as a line, so that the question has one error.
    if (category !== undefined && block.unclosed <= 0) {
      this.end();
      const { quiz, note } = quizOfCategory(category, this.quiz);
      if (note) this.rows.push({ line: line.line, note });
      this.quiz = quiz;
    } else if (comment !== undefined) {
      // Our metadata is JSON, and `[tag:…]` is reported as lost. Other comments are ignored.
      if (/^\{|\[tag:/.test(comment) && block.comments.length < 10) block.comments.push(comment);
    } else if (line.text.trim()) {
      block.lines.push(line);
      block.unclosed += unclosed(line.text);
      if ((block.length += line.text.length + 1) > LARGEST_ROW)
        throw tooLarge(block.lines[0]?.line ?? line.line);
    } else this.end();
  }

  /** Emits the current question, if any. */
  end(): void {
    const { lines, comments, length } = this.block;
    if (lines.length + comments.length === 0) return;
    this.block = emptyBlock();
    // Several exports may be joined in one file: each is a quiz of its own.
    const key = `quiz ${this.number}`;
    for (const comment of comments) this.quiz = quizOfMetadata(comment, key) ?? this.quiz;
    const [first] = lines;
    if (!first) return;
    this.number += 1;
    const place: FilePosition = { line: first.line, path: `question ${this.number}` };
    this.rows.push(
      length > LONGEST_QUESTION
        ? {
            ...place,
            error: `The question is longer than ${LONGEST_QUESTION / 1024} KiB: put a blank line after each question.`,
          }
        : giftRow(place, lines, comments, this.quiz),
    );
  }
}

/** The row of one GIFT question, with the comments beside it. */
function giftRow(
  place: FilePosition,
  lines: readonly Line[],
  comments: readonly string[],
  quiz: QuizOfRow | undefined,
): ParsedRow | ErrorRow {
  if (lines.some(({ text }) => CATEGORY.test(text))) return { ...place, error: UNFIT.Category };
  const block = lines.map(({ text }) => text).join('\n');
  const isOpenEnded = comments.some((comment) => typeOfMetadata(comment) === 'OPEN_ENDED');
  // Only a question whose answers all begin with "=" can be a matching question (as in Moodle).
  const mayMatch = !isOpenEnded && !/(?<!\\)(?:\\\\)*~/.test(block);
  const protectedText = new ProtectedText(block, mayMatch);
  let parsed: GIFTQuestion[];
  try {
    parsed = withoutStacks(() => parse(protectedText.text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { line, offset } = error.location.start;
    const at = lines[line - 1]?.line ?? place.line;
    return { ...place, error: unreadable(block, at, isNumeric(protectedText.text, offset)) };
  }
  const [question] = parsed;
  if (!question || parsed.length > 1 || hasTwoQuestions(block))
    return {
      ...place,
      error:
        'Separate questions with a blank line, and put the answers of each in { }, after "=" or "~".',
    };
  return readable(place, () => convert(place, question, protectedText, comments, quiz));
}

/** GIFT reads text behind the answers, and lines before them, as one question with a gap. */
function hasTwoQuestions(block: string): boolean {
  const [stem = ''] = block.split(/(?<!\\)\{/, 1);
  const after = block.split(/(?<!\\)\}/).at(-1) ?? '';
  const asks = stem.split('\n').filter((line) => line.trimEnd().endsWith('?'));
  const lines = block.split('\n');
  const isListed =
    lines.length > 1 &&
    lines.some((line, place) => {
      const mark = strayMark(line.trim());
      if (mark) return mark.kind !== 'number' || place > 0;
      // Within the answers a line that asks something belongs to none of them.
      return (
        place > 0 && line.trimEnd().endsWith('?') && !/^\s*[=~#%]/.test(line) && !line.includes('{')
      );
    });
  return isListed || asks.length > 1 || (stem !== block && /^[^\S\n]*\n\s*\S/.test(after));
}

/** Whether the parser stopped within the answers {#…}. */
const isNumeric = (text: string, offset: number): boolean =>
  /^\{\s*#/.test(text.slice(text.lastIndexOf('{', offset)));

function unreadable(block: string, line: number, hasNumbers: boolean): string {
  const guess =
    unclosed(block) > 0
      ? 'the answers do not end: close them with "}"'
      : hasNumbers
        ? 'write each number in digits with a decimal point and no unit, such as 1000, 0.5 or -2.25'
        : 'put the answers in { }, each after "=" or "~", and a backslash before any of ~ = # { } : that is text';
  return `GIFT cannot be read here (line ${line}): ${guess}.`;
}

/** How many braces are opened and not closed. */
const unclosed = (text: string): number =>
  (text.match(/(?<!\\)\{/g)?.length ?? 0) - (text.match(/(?<!\\)\}/g)?.length ?? 0);

const UNFIT: Record<'Matching' | 'Essay' | 'Description' | 'Category', string> = {
  Matching: 'Matching questions are not supported yet: write one question for each pair.',
  Essay: 'An essay has no answers to compare with: give it accepted answers, {=one =another}.',
  Description: 'A text without answers is not a question: add them in { }, or remove it.',
  Category: 'A $CATEGORY line is inside a question: put a blank line before it.',
};

/** @throws QuestionError */
function convert(
  place: FilePosition,
  question: GIFTQuestion,
  protectedText: ProtectedText,
  comments: readonly string[],
  quiz: QuizOfRow | undefined,
): ParsedRow | ErrorRow {
  if (isUnfit(question)) throw questionError(UNFIT[question.type]);

  const notes = new Set<string>();
  const plain = (text: string) => protectedText.restore(text).trim();
  const isMarkdown = question.stem.format === 'markdown';
  const read = ({ text, format }: TextFormat) =>
    isMarkdown ? withoutJoiners(plain(text), 'markdown') : readText(plain(text), format, notes);
  const text = read(question.stem);
  const explanation = question.globalFeedback ? read(question.globalFeedback) : '';
  const { note, ...judged } = answersOf(question, protectedText, read, notes);
  let draft: ParsedQuestion = { text, explanation, ...judged };
  if (note) notes.add(note);
  if (hasFeedback(question))
    notes.add('Feedback on single answers is not kept; general feedback (####) is.');
  if (question.title && !text.startsWith(plain(question.title))) notes.add('Titles are not kept.');
  if (isMarkdown) draft.format = 'markdown';
  for (const comment of comments) draft = withMetadata(draft, comment, visibleLines);
  // Comments do not reach the parser, which would look for tags in them. Our metadata may have a text that looks like one.
  if (comments.some((each) => !each.startsWith('{') && /\[tag:[^[\]]+\]/.test(each)))
    notes.add('Tags are not kept.');
  return rowOf(place, draft, { quiz, notes: [...notes] });
}

type Answered = TrueFalse | Numerical | MultipleChoice | ShortAnswer;

const isUnfit = (question: GIFTQuestion): question is Exclude<GIFTQuestion, Answered> =>
  question.type in UNFIT;

/** `note` describes what is lost. */
type Answers = Pick<ParsedQuestion, 'type' | 'answers'> & { note?: string };

function answersOf(
  question: Answered,
  { text }: ProtectedText,
  read: (text: TextFormat) => string,
  notes: Set<string>,
): Answers {
  switch (question.type) {
    case 'TF':
      return { type: 'TRUE_FALSE', answers: trueAndFalse(question) };
    case 'Numerical':
      return { type: 'OPEN_ENDED', ...openNumbers(numbersOf(question, text), creditsOf(question)) };
    case 'Short': {
      const typed = credited(question, read).map((answer) => ({
        ...answer,
        ...shortAnswerText(answer.text),
      }));
      if (typed.some(({ isPattern }) => isPattern)) notes.add(STAR_IS_TEXT);
      return { type: 'OPEN_ENDED', ...correctByCredit(typed, false, true) };
    }
    case 'MC': {
      const areSeveral = !question.choices.some(({ isCorrect }) => isCorrect);
      return correctByCredit(credited(question, read), areSeveral);
    }
  }
}

const trueAndFalse = ({ isTrue }: TrueFalse): AnswerInput[] => [
  { text: 'True', isCorrect: isTrue },
  { text: 'False', isCorrect: !isTrue },
];

const credited = (
  { choices }: MultipleChoice | ShortAnswer,
  read: (text: TextFormat) => string,
): CreditedAnswer[] =>
  choices.map((choice) => ({ text: read(choice.text), credit: credit(choice) }));

/** A number after the start of the answers, or after a sign and perhaps a weight. */
const WRITTEN_NUMBER = /(?:\{\s*#|[=~])\s*(?:%[^%]*%)?\+?(-?\d+(?:\.\d+)?)/g;

/** The numbers with full credit, as they are written: the parser turns 2.50 into 2.5. @throws QuestionError for a range */
function numbersOf({ choices }: Numerical, text: string): CorrectNumber[] {
  const written = new Map<number, Set<string>>();
  for (const [, number = ''] of text.matchAll(WRITTEN_NUMBER)) {
    const texts = written.get(Number(number)) ?? new Set<string>();
    written.set(Number(number), texts.add(number));
  }
  const full = Array.isArray(choices)
    ? choices.filter((choice) => credit(choice) === 100).map((choice) => choice.text)
    : [choices];
  const tolerances = new Map<number, number>();
  for (const { number, range } of full) {
    if (number === undefined)
      throw questionError('A range of numbers is not an answer: write the number, {#3.14}.');
    if (!tolerances.get(number)) tolerances.set(number, range ?? 0);
  }
  return [...tolerances].flatMap(([number, tolerance]) =>
    [...(written.get(number) ?? [])].map((text) => ({ text, tolerance })),
  );
}

const creditsOf = ({ choices }: Numerical): { credit: number }[] =>
  Array.isArray(choices) ? choices.map((choice) => ({ credit: credit(choice) })) : [];

function hasFeedback(question: Answered): boolean {
  if (question.type === 'TF') return Boolean(question.trueFeedback ?? question.falseFeedback);
  return Array.isArray(question.choices) && question.choices.some(({ feedback }) => feedback);
}

const credit = ({ weight, isCorrect }: Pick<TextChoice, 'weight' | 'isCorrect'>): number =>
  weight ?? (isCorrect ? 100 : 0);

import {
  type GIFTQuestion,
  type Numerical,
  parse,
  SyntaxError,
  type TextChoice,
  type TextFormat,
} from 'gift-pegjs';
import { quizOfMetadata, withMetadata } from '../metadata';
import {
  correctByCredit,
  type CorrectNumber,
  openNumbers,
  quizOfCategory,
  readText,
} from '../moodle-terms';
import { type ParsedQuestion, rowOf } from '../parsed-question';
import {
  type Bytes,
  type ErrorRow,
  type FilePosition,
  type ImportRow,
  type ParsedRow,
  type QuizOfRow,
  readable,
} from '../row';
import { listMark } from '../text/list-marks';
import { TextDecoding } from '../text/text-decoding';
import { LARGEST_ROW, type Line, textLines, tooLarge } from '../text/text-lines';
import { ProtectedText, visibleInGift } from './gift.writer';

/** The parser's time grows with the square of a question's length in some errors; a chapter is not a question. */
const LONGEST_QUESTION = 64 * 1024;
const CATEGORY = /^\s*\$CATEGORY:(.*)$/s;
const COMMENT = /^\s*\/\/\s?(.*)$/s;

/** The lines of one question, and the comments above or among them that are hints for readers. */
interface Block {
  lines: Line[];
  comments: string[];
  length: number;
}

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
  private block: Block = { lines: [], comments: [], length: 0 };
  private quiz: QuizOfRow | undefined;
  private number = 0;

  take(line: Line): void {
    const category = CATEGORY.exec(line.text)?.[1]?.trim();
    const comment = COMMENT.exec(line.text)?.[1];
    const { block } = this;
    if (category !== undefined) {
      this.end();
      const { quiz, note } = quizOfCategory(category, this.quiz);
      if (note) this.rows.push({ line: line.line, note });
      this.quiz = quiz;
    } else if (comment !== undefined) {
      // Ours are JSON; other comments are for people.
      if (/^\{|\[tag:/.test(comment) && block.comments.length < 10) block.comments.push(comment);
    } else if (line.text.trim()) {
      block.lines.push(line);
      if ((block.length += line.text.length + 1) > LARGEST_ROW)
        throw tooLarge(block.lines[0]?.line ?? line.line);
    } else this.end();
  }

  /** The question is complete. */
  end(): void {
    const { lines, comments, length } = this.block;
    if (lines.length + comments.length === 0) return;
    this.block = { lines: [], comments: [], length: 0 };
    for (const comment of comments) this.quiz = quizOfMetadata(comment, 'quiz') ?? this.quiz;
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
  const block = lines.map(({ text }) => text).join('\n');
  const isOpenEnded = comments.some((comment) => comment.includes('"type":"OPEN_ENDED"'));
  // Only a question whose answers all begin with "=" can be a matching question (as in Moodle).
  const mayMatch = !isOpenEnded && !/(?<!\\)(?:\\\\)*~/.test(block);
  const protectedText = new ProtectedText(block, mayMatch);
  let parsed: GIFTQuestion[];
  try {
    parsed = parse(protectedText.text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const line = lines[error.location.start.line - 1]?.line ?? place.line;
    return { ...place, error: unreadable(block, line) };
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
  const after = block.slice(block.lastIndexOf('}') + 1);
  const asks = stem.split('\n').filter((line) => line.trimEnd().endsWith('?'));
  const lines = block.split('\n');
  const isListed =
    lines.length > 1 &&
    lines.some((line, place) => {
      const mark = listMark(line.trim());
      if (mark) return mark.kind !== 'number' || place > 0;
      // Within the answers a line that asks something belongs to none of them.
      return (
        place > 0 && line.trimEnd().endsWith('?') && !/^\s*[=~#%]/.test(line) && !line.includes('{')
      );
    });
  return isListed || asks.length > 1 || (stem !== block && /^[^\S\n]*\n\s*\S/.test(after));
}

function unreadable(block: string, line: number): string {
  const opens = block.match(/(?<!\\)\{/g)?.length ?? 0;
  const closes = block.match(/(?<!\\)\}/g)?.length ?? 0;
  const guess =
    opens > closes
      ? 'the answers do not end: close them with "}"'
      : 'put the answers in { }, each after "=" or "~", and a backslash before any of ~ = # { } : that is text';
  return `GIFT cannot be read here (line ${line}): ${guess}.`;
}

const UNFIT: Record<'Matching' | 'Essay' | 'Description', string> = {
  Matching: 'Matching questions are not supported yet: write one question for each pair.',
  Essay: 'An essay has no answers to compare with: give it accepted answers, {=one =another}.',
  Description: 'A text without answers is not a question: add them in { }, or remove it.',
};

function convert(
  place: FilePosition,
  question: GIFTQuestion,
  protectedText: ProtectedText,
  comments: readonly string[],
  quiz: QuizOfRow | undefined,
): ParsedRow | ErrorRow {
  if (question.type === 'Category')
    return {
      ...place,
      error: 'A $CATEGORY line is inside a question: put a blank line before it.',
    };
  if (question.type === 'Matching' || question.type === 'Essay' || question.type === 'Description')
    return { ...place, error: UNFIT[question.type] };

  const notes = new Set<string>();
  const plain = (text: string) => protectedText.restore(text).trim();
  const isMarkdown = question.stem.format === 'markdown';
  const read = ({ text, format }: TextFormat) =>
    isMarkdown ? plain(text) : readText(plain(text), format, notes);
  const text = read(question.stem);
  const explanation = question.globalFeedback ? read(question.globalFeedback) : '';
  let draft: ParsedQuestion;
  if (question.type === 'TF') {
    const answers = ['True', 'False'].map((name) => ({
      text: name,
      isCorrect: (name === 'True') === question.isTrue,
    }));
    draft = { text, explanation, type: 'TRUE_FALSE', answers };
    if (question.trueFeedback ?? question.falseFeedback) notes.add(FEEDBACK);
  } else if (question.type === 'Numerical') {
    const numbers = numbersOf(question);
    if (numbers === null)
      return { ...place, error: 'A range of numbers is not an answer: write the number, {#3.14}.' };
    const { answers, note } = openNumbers(numbers);
    draft = { text, explanation, type: 'OPEN_ENDED', answers };
    if (note) notes.add(note);
  } else {
    const isShort = question.type === 'Short';
    const judged = correctByCredit(
      question.choices.map((choice) => ({ text: read(choice.text), credit: credit(choice) })),
      !isShort && !question.choices.some(({ isCorrect }) => isCorrect),
      isShort,
    );
    const type = isShort ? { type: 'OPEN_ENDED' as const } : {};
    draft = { text, explanation, ...type, answers: judged.answers };
    if (judged.note) notes.add(judged.note);
    if (question.choices.some(({ feedback }) => feedback)) notes.add(FEEDBACK);
  }
  if (question.title && !text.startsWith(plain(question.title))) notes.add('Titles are not kept.');
  if (isMarkdown) draft.format = 'markdown';
  for (const comment of comments) draft = withMetadata(draft, comment, visibleInGift);
  // Comments do not reach the parser, which would look for tags in them.
  if (comments.some((each) => /\[tag:[^[\]]+\]/.test(each))) notes.add('Tags are not kept.');
  return rowOf(place, draft, { quiz, notes: [...notes] });
}

/** The numbers with full credit; null if one is a range. */
function numbersOf({ choices }: Numerical): CorrectNumber[] | null {
  const full = Array.isArray(choices)
    ? choices.filter((choice) => credit(choice) === 100).map((choice) => choice.text)
    : [choices];
  const numbers = full.flatMap(({ number, range }) =>
    number === undefined ? [] : [{ text: String(number), tolerance: range ?? 0 }],
  );
  return numbers.length < full.length ? null : numbers;
}

const FEEDBACK = 'Feedback on single answers is not kept; general feedback (####) is.';

const credit = ({ weight, isCorrect }: Pick<TextChoice, 'weight' | 'isCorrect'>): number =>
  weight ?? (isCorrect ? 100 : 0);

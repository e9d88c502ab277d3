import { LIMITS } from '../../../platform/limits/limits';
import { MEBIBYTE } from '../../../platform/sizes';
import {
  formatOfMetadata,
  quizOf,
  quizOfMetadata,
  visibleLines,
  withLineFeeds,
  withMetadata,
} from '../metadata';
import { type ParsedQuestion, rowOf } from '../parsed-question';
import { type Bytes, FileError, type ImportRow, list, type QuizOfRow, quote } from '../row';
import { withoutJoiners } from '../text/inert-markdown';
import { letterOf, placeOf } from '../text/letters';
import { TextDecoding } from '../text/text-decoding';
import { textLines } from '../text/text-lines';
import {
  ABOUT,
  ACCEPTED,
  ANSWER_KEY,
  MARK,
  QUESTIONS,
  unwritten,
  visibleTitle,
} from './markdown.writer';

const LARGEST = LIMITS.imports.jsonFile.value;
const MOST_LINES = LIMITS.imports.markdownLines.value;

/** What begins in the first column is the structure of a file: texts are indented, or have these signs escaped. */
const HINT = /^<!-- (\{.*\}) -->\s*$/s;
const HEADING = /^#{1,2} (.*)$/s;
const ABOUT_LINE = /^- \*\*([^*]{1,40}):\*\* (.*)$/s;
const ITEM = /^(\d{1,6}[.)] )(.*)$/s;
/** Within the lines of a question or of its key. */
const CHOICE = /^[-*+] (?:\*\*([A-Z]{1,2})\.\*\*|([A-Z]{1,2})[.)])(?: (.*))?$/s;
const ACCEPTED_ANSWER = /^[-*+] \[([ xX])\](?: (.*))?$/s;

/** A numbered item, with the lines of it without their indentation. */
interface Item {
  line: number;
  number: number;
  hint: string;
  lines: string[];
  indent: number;
}

/** A quiz of the file. */
interface Part {
  line: number;
  hint: string;
  title: string;
  description: string[];
  about: Map<string, string>;
  questions: Item[];
  keys: Item[];
  /** What belongs to nothing. */
  stray: { line: number; text: string }[];
}

/** What the answer key says of a question. */
interface Key {
  letters: string[];
  /** Of an open question. */
  accepted: { isCorrect: boolean; lines: string[] }[] | undefined;
  explanation: string[];
  stray: string | undefined;
}

/**
 * Reads what `writeMarkdown` wrote, also after people have edited it: what they see takes precedence over the comments. The
 * whole file is read first, because the answers are at its end.
 * @throws FileError
 */
export async function* readExportedMarkdown(bytes: Bytes): AsyncGenerator<ImportRow> {
  const decoding = new TextDecoding();
  const parts: Part[] = [];
  let size = 0;
  let take: ReturnType<typeof partReader> | undefined;
  for await (const lines of textLines(bytes, decoding, LARGEST))
    for (const { line, text } of lines) {
      if ((size += text.length + 1) > LARGEST || line > MOST_LINES)
        throw new FileError(
          line,
          `The file is larger than ${LARGEST / MEBIBYTE} MiB or has more than ${MOST_LINES.toLocaleString('en')} lines: split it, or choose another format.`,
        );
      if (text.startsWith(MARK) || !take) {
        const part = newPart(line);
        parts.push(part);
        take = partReader(part);
      }
      take(line, text);
    }
  for (const part of parts) yield* rowsOf(part);
  yield* decoding.notes();
}

const newPart = (line: number): Part => ({
  line,
  hint: '',
  title: '',
  description: [],
  about: new Map<string, string>(),
  questions: [],
  keys: [],
  stray: [],
});

/** Takes a part line by line. */
function partReader(part: Part): (line: number, text: string) => void {
  let section: 'about' | 'questions' | 'keys' = 'about';
  let hint = '';
  let item: Item | undefined;
  return (line, text) => {
    const comment = HINT.exec(text)?.[1];
    const heading = HEADING.exec(text)?.[1];
    const [, mark, rest = ''] = ITEM.exec(text) ?? [];
    if (comment !== undefined) {
      if (text.startsWith(MARK)) part.hint = comment;
      else hint = comment;
      item = undefined;
    } else if (heading !== undefined) {
      item = undefined;
      if (heading.trim() === QUESTIONS) section = 'questions';
      else if (heading.trim() === ANSWER_KEY) section = 'keys';
      else if (section === 'about') part.title = unwritten(heading);
      else part.stray.push({ line, text });
    } else if (section === 'about') {
      const [, label, value = ''] = ABOUT_LINE.exec(text) ?? [];
      if (label !== undefined) part.about.set(label, unwritten(value));
      else part.description.push(text);
    } else if (mark !== undefined) {
      item = { line, number: parseInt(mark, 10), hint, lines: [rest], indent: mark.length };
      hint = '';
      part[section].push(item);
    } else if (item) item.lines.push(withoutIndent(text, item.indent));
    else if (text.trim()) part.stray.push({ line, text });
  };
}

const withoutIndent = (text: string, width: number): string => {
  const [indent = ''] = /^ */.exec(text) ?? [];
  return text.slice(Math.min(indent.length, width));
};

function* rowsOf(part: Part): Generator<ImportRow> {
  for (const { line, text } of part.stray)
    yield { line, note: `The text ${quote(text)} belongs to no question and is ignored.` };
  const quiz = quizOfPart(part);
  const keys = new Map(part.keys.map((key) => [key.number, key]));
  const seen = new Set<number>();
  for (const question of part.questions) {
    yield rowOfQuestion(question, keys.get(question.number), quiz, seen.has(question.number));
    seen.add(question.number);
  }
  for (const { line, number } of part.keys)
    if (!seen.has(number))
      yield {
        line,
        error: `The answer key names question ${number}, which the file does not have: remove the line, or write the question.`,
      };
}

/** What people see, where it is not what the comment says. */
function quizOfPart({ line, hint, title, description, about }: Part): QuizOfRow {
  const key = `quiz ${line}`;
  const known: Partial<QuizOfRow> = quizOfMetadata(hint, key) ?? {};
  const text = unwritten(trimmedLines(description).join('\n'));
  const isSame = text === withLineFeeds(known.description ?? '');
  const seen: Record<string, unknown> = {
    title: title === visibleTitle(known.title) ? known.title : title,
    description: isSame ? known.description : text,
  };
  for (const { field, label, of, read } of ABOUT) {
    const value = about.get(label) ?? '';
    if (value === of(known)) seen[field] = known[field];
    else if (value) seen[field] = read(value.trim());
  }
  return quizOf(seen, key);
}

/** Without the blank ones before and after. */
function trimmedLines(lines: readonly string[]): string[] {
  const isBlank = (line: string) => line === '';
  const first = lines.findIndex((line) => !isBlank(line));
  const last = lines.findLastIndex((line) => !isBlank(line));
  return first < 0 ? [] : lines.slice(first, last + 1);
}

function rowOfQuestion(
  { line, number, hint, lines }: Item,
  keyItem: Item | undefined,
  quiz: QuizOfRow,
  isRepeated: boolean,
): ImportRow {
  const example = `"${number}. **A**"`;
  const unmarked = `no answer is marked as correct: write its letter into the answer key, as ${example}`;
  const errors: string[] = [];
  if (isRepeated)
    errors.push(`two questions have the number ${number}: number them and the answer key in order`);
  if (!keyItem)
    errors.push(`the answer key has nothing for question ${number}: add a line such as ${example}`);
  const key = keyOf(keyItem?.lines ?? []);
  if (key.stray !== undefined)
    errors.push(
      `the line ${quote(key.stray)} of the answer key is no answer: begin an explanation with ">"`,
    );
  const read =
    formatOfMetadata(hint) === 'markdown'
      ? (text: string) => withoutJoiners(text, 'markdown')
      : unwritten;
  const textOf = (all: readonly string[]) => read(trimmedLines(all).join('\n'));
  const draft: ParsedQuestion = { text: '', explanation: textOf(key.explanation), answers: [] };
  if (key.accepted) {
    draft.type = 'OPEN_ENDED';
    draft.text = textOf(lines);
    draft.answers = key.accepted.map((answer) => ({
      text: textOf(answer.lines),
      isCorrect: answer.isCorrect,
    }));
  } else {
    const { text, choices } = choicesIn(lines);
    draft.text = textOf(text);
    const places = new Set(key.letters.map(placeOf));
    draft.answers = choices.map((choice, at) => ({
      text: textOf(choice.lines),
      isCorrect: places.has(at),
    }));
    if (choices.some(({ letter }, at) => letter !== letterOf(at)))
      errors.push('the choices are not lettered A, B, C and so on: letter them in order');
    const unknown = key.letters.filter((letter) => placeOf(letter) >= choices.length);
    if (unknown.length > 0)
      errors.push(`the answer key names ${list(unknown)}, which the question does not have`);
  }
  const place = { line, path: `question ${number}` };
  return rowOf(place, withMetadata(draft, hint, visibleLines), { quiz, errors, unmarked });
}

/** The last list whose first letter is A; a text of Markdown may have others. */
function choicesIn(lines: readonly string[]): {
  text: readonly string[];
  choices: { letter: string; lines: string[] }[];
} {
  const first = lines.findLastIndex((line) => letterIn(CHOICE.exec(line)) === 'A');
  if (first < 0) return { text: lines, choices: [] };
  const choices: { letter: string; lines: string[] }[] = [];
  for (const line of lines.slice(first)) {
    const found = CHOICE.exec(line);
    if (found) choices.push({ letter: letterIn(found) ?? '', lines: [found[3] ?? ''] });
    else choices.at(-1)?.lines.push(withoutIndent(line, 2));
  }
  return { text: lines.slice(0, first), choices };
}

const letterIn = (found: RegExpExecArray | null): string | undefined => found?.[1] ?? found?.[2];

function keyOf([first = '', ...rest]: readonly string[]): Key {
  const isOpen = first.trim() === ACCEPTED;
  const letters = isOpen ? [] : (first.toUpperCase().match(/[A-Z]+/g) ?? []);
  const key: Key = { letters, accepted: undefined, explanation: [], stray: undefined };
  if (isOpen) key.accepted = [];
  for (const line of rest) {
    const [, box, text = ''] = ACCEPTED_ANSWER.exec(line) ?? [];
    if (line.startsWith('>')) key.explanation.push(line.replace(/^> ?/, ''));
    else if (key.accepted && box !== undefined && key.explanation.length === 0)
      key.accepted.push({ isCorrect: box !== ' ', lines: [text] });
    else if (key.accepted?.length && key.explanation.length === 0)
      key.accepted.at(-1)?.lines.push(withoutIndent(line, 2));
    else if (line.trim()) key.stray ??= line;
  }
  return key;
}

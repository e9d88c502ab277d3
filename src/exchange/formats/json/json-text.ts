import { isUtf8 } from 'node:buffer';
import { Breath } from '../breath';
import { FileFault } from '../file-fault';
import type { Bytes } from '../row';
import { TextDecoding } from '../text-decoding';
import { asUtf8, decodeLines, MEBIBYTE, textOf } from '../text-lines';

/** JSON says what a quiz is called after its questions if it likes, so it is read as a whole, up to this. */
export const LARGEST_JSON = 64 * MEBIBYTE;
/** A question is at most six levels down; without an end, brackets alone would take gigabytes. */
const DEEPEST = 32;
/** Numbers, texts, lists and objects: about 250,000 questions. `{},{},{}` would take gigabytes, too. */
const MOST_VALUES = 5_000_000;

export interface JsonFile {
  value: unknown;
  lines: JsonLines;
}

/** The lines in which the elements of arrays begin. */
export class JsonLines {
  private readonly arrays = new Map<string, number[]>();

  /** @returns the lines of an array's elements, to be filled */
  ofArray(path: string): number[] {
    const lines: number[] = [];
    this.arrays.set(path, lines);
    return lines;
  }

  /** @param path as in `quizzes[0].questions[3]`; other paths are in line 1 */
  of(path: string): number {
    const [, array = '', index] = /^(.*)\[(\d+)\]$/s.exec(path) ?? [];
    return this.arrays.get(array)?.[Number(index)] ?? 1;
  }
}

/** @throws FileFault where it is no JSON, cut off, or too large */
export async function readJsonFile(bytes: Bytes, decoding: TextDecoding): Promise<JsonFile> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of asUtf8(bytes)) {
    length += chunk.length;
    if (length > LARGEST_JSON)
      throw new FileFault(
        1,
        `The file is larger than ${LARGEST_JSON / MEBIBYTE} MiB, the most that is read of JSON: split it, or use CSV, which has no such limit.`,
      );
    chunks.push(chunk);
  }
  const text = decodeText(Buffer.concat(chunks), decoding);
  const lines = await scan(text, false);
  try {
    return { value: JSON.parse(text), lines };
  } catch {
    await scan(text, true);
    throw new FileFault(1, 'The file is not JSON.');
  }
}

function decodeText(all: Buffer, decoding: TextDecoding): string {
  if (isUtf8(all)) return all.toString('utf8');
  return textOf(decodeLines(all, decoding, LARGEST_JSON));
}

interface Level {
  path: string;
  /** The number of the element, in an array. */
  index: number;
  /** The name of the member, in an object. */
  key: string;
  isArray: boolean;
  /** Of an array whose elements may be questions or quizzes. */
  lines: number[] | undefined;
}

const OTHER_ARRAYS = new Set(['answers', 'incorrect_answers', 'tags']);

/**
 * One pass over the text before it is parsed: finds the lines of the objects, and stops what would take
 * too much memory or is cut off. JSON.parse itself says no place. `strict` also looks into each text and
 * number, for where the fault is that JSON.parse has found.
 */
async function scan(text: string, strict: boolean): Promise<JsonLines> {
  const breath = new Breath();
  let tokens = 0;
  const lines = new JsonLines();
  const levels: Level[] = [];
  let line = 1;
  let values = 0;
  let complete = false;
  // What the grammar allows next.
  let due: 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or end' = 'value';

  const wrong = (what: string): FileFault =>
    new FileFault(
      line,
      `Line ${line} is not JSON: ${what}. Mend it there, or export the file anew.`,
    );
  const expected = (found: string): FileFault =>
    complete
      ? wrong(`${JSON.stringify(found)} stands after the end`)
      : wrong(`${JSON.stringify(found)} stands where ${DUE[due]} is due`);

  for (let at = 0; at < text.length;) {
    const char = text.charAt(at);
    const level = levels.at(-1);
    if (++tokens % 10_000 === 0) await breath.take();
    if (char === '\n') line += 1;
    if (char === ' ' || char === '\n' || char === '\r' || char === '\t') {
      at += 1;
    } else if (char === '{' || char === '[') {
      if (!due.startsWith('value') || complete) throw expected(char);
      if (++values > MOST_VALUES) throw wrong('it holds too many values to be questions');
      if (levels.length === DEEPEST) throw wrong(`it is nested more than ${DEEPEST} deep`);
      const path = pathIn(level);
      const isArray = char === '[';
      if (level?.lines) level.lines[level.index] = line;
      const isOther = !isArray || OTHER_ARRAYS.has(level?.key ?? '');
      levels.push({
        path,
        index: 0,
        key: '',
        isArray,
        lines: isOther ? undefined : lines.ofArray(path),
      });
      due = char === '[' ? 'value or ]' : 'name or }';
      at += 1;
    } else if (char === '}' || char === ']') {
      const empty = char === ']' ? 'value or ]' : 'name or }';
      if (!level || level.isArray !== (char === ']') || (due !== ', or end' && due !== empty))
        throw expected(char);
      levels.pop();
      complete = levels.length === 0;
      due = ', or end';
      at += 1;
    } else if (char === ',') {
      if (!level || due !== ', or end') throw expected(char);
      level.index += 1;
      due = level.isArray ? 'value' : 'name';
      at += 1;
    } else if (char === ':') {
      if (due !== ':') throw expected(char);
      due = 'value';
      at += 1;
    } else {
      const end = char === '"' ? endOfString(text, at) : endOfWord(text, at);
      if (end < 0) throw cutOff(line);
      const token = text.slice(at, end);
      const isName = char === '"' && due.startsWith('name');
      if (!isName && (!due.startsWith('value') || complete)) throw expected(token.slice(0, 30));
      if (strict && !isScalar(token))
        throw wrong(`${JSON.stringify(token.slice(0, 60))} is no value`);
      if (++values > MOST_VALUES) throw wrong('it holds too many values to be questions');
      if (isName && level) {
        level.key = token.slice(1, -1);
        due = ':';
      } else {
        if (level?.lines) level.lines[level.index] = line;
        complete = levels.length === 0;
        due = ', or end';
      }
      at = end;
    }
  }
  if (!complete) throw cutOff(line);
  return lines;
}

const DUE = {
  value: 'a value',
  'value or ]': 'a value or "]"',
  name: 'a name in quotes',
  'name or }': 'a name in quotes or "}"',
  ':': '":"',
  ', or end': '"," or the end of a list',
};

function pathIn(level: Level | undefined): string {
  if (!level) return '';
  if (level.isArray) return `${level.path}[${level.index}]`;
  return level.path ? `${level.path}.${level.key}` : level.key;
}

/** The place after the closing quote; -1 when there is none. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at += 1;
    else if (code === 0x22) return at + 1;
  }
  return -1;
}

function endOfWord(text: string, start: number): number {
  const word = /[^\s{}[\],:"]*/y;
  word.lastIndex = start;
  return start + Math.max(1, word.exec(text)?.[0].length ?? 1);
}

function isScalar(token: string): boolean {
  try {
    JSON.parse(token);
    return true;
  } catch {
    return false;
  }
}

const cutOff = (line: number): FileFault =>
  new FileFault(
    line,
    `The file ends in the middle, in line ${line}: it was cut off. Fetch it again.`,
  );

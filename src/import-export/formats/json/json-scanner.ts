import type { Bytes } from '../row';
import { MEBIBYTE, textPieces, type Decoding } from '../text/text-lines';
import { cutOff, errorIn, notJson, parsed, tooLarge, type Part } from './json-errors';

/** A list whose elements are questions or quizzes; they are returned one by one and not kept. */
export interface JsonList {
  /** As in `data.quizzes`; empty if the file itself is the list. */
  path: string;
  /** Where it begins. */
  line: number;
  count: number;
}

/** A question, or a whole quiz among others. */
export interface JsonElement {
  /** The number of its list. */
  list: number;
  path: string;
  line: number;
  value: unknown;
  /** Where each of its `questions` begins. */
  lines: number[];
}

/** In characters: of an element, and of everything outside of lists. */
const LARGEST = 8 * MEBIBYTE;
/** Of the same. Numbers, texts, lists, objects: `{},{},{}` would take forty times its size in memory. */
const MOST_VALUES = 250_000;
/** A question is at most six levels down. */
const DEEPEST = 32;

const LISTS_OF_DATA = new Set(['questions', 'quizzes', 'results']);

interface Level {
  opener: '{' | '[';
  /** The name of the current member, in an object. */
  key: string;
  /** Whether what follows is an element of a quiz's questions. */
  awaitsQuestion?: boolean;
}

/**
 * Splits JSON into the elements of its lists, from pieces of any size: it only looks at brackets, texts and commas.
 * `JSON.parse` reads the elements, and `jsonc-parser` locates errors in them.
 */
export class JsonScanner {
  /** Complete, and not returned yet. */
  readonly found: JsonElement[] = [];
  /** In their order, also lists that no reader needs. */
  readonly lists: JsonList[] = [];
  /** The start of what is incomplete, at `line`. */
  private text = '';
  private at = 0;
  private line = 1;
  private readonly levels: Level[] = [];
  /** The last text in quotes: the name of a member if a colon follows. */
  private name = '';
  /** The current list, and how many levels are open between its elements. */
  private list: JsonList | undefined;
  private depth = 0;
  /** The start of the current element, and of its questions. */
  private element: { from: number; line: number; lines: number[] } | undefined;
  /** Everything outside of lists, as far as it is complete, and where the rest of it begins. */
  private readonly outside: Part[] = [];
  private rest = { from: 0, line: 1 };
  /** Of the element in a list, and outside of lists. */
  private readonly values = { inside: 0, outside: 0 };

  /** @param only the numbers of the lists whose elements are needed; without it, all are read */
  constructor(private readonly only?: ReadonlySet<number>) {}

  /** @throws FileError */
  take(piece: string): void {
    const from = this.element?.from ?? (this.list ? this.at : this.rest.from);
    this.text = this.text.slice(from) + piece;
    this.at -= from;
    this.rest.from -= from;
    if (this.element) this.element.from = 0;
    while (this.at < this.text.length && this.step());
    const size = this.pending().reduce((sum, { text }) => sum + text.length, 0);
    if (size > LARGEST) throw tooLarge(this.element?.line ?? this.line, LARGEST, !this.list);
  }

  /** @throws FileError if it was cut off */
  end(): void {
    if (this.levels.length > 0 || this.at < this.text.length)
      throw errorIn(this.pending(), true) ?? cutOff(this.line);
    this.setAside(this.at);
  }

  /** The value of the file, with a list's number instead of its elements: `{"title": "T", "questions": [0]}`. */
  value(): unknown {
    return parsed(this.outside);
  }

  /** @returns false if the next piece is needed to see where a text ends */
  private step(): boolean {
    const char = this.text.charAt(this.at);
    if (char === '\n') this.line += 1;
    if (char === '\n' || char === ' ' || char === '\r' || char === '\t') {
      this.at += 1;
      return true;
    }
    const level = this.levels.at(-1);
    if (this.list && this.levels.length === this.depth) {
      if (char === ',' || char === ']') this.endElement(char);
      else this.element ??= { from: this.at, line: this.line, lines: [] };
    }
    if (level?.awaitsQuestion && char !== ']') {
      this.element?.lines.push(this.line);
      level.awaitsQuestion = false;
    }
    if (char === '"') return this.passText(level);
    if (char === '{' || char === '[') this.open(char);
    else if (char === '}' || char === ']') this.close(char);
    else if (char === ',') this.count();
    else if (char === ':' && level) level.key = this.name;
    if (char === ',' && level?.awaitsQuestion !== undefined) level.awaitsQuestion = true;
    this.at += 1;
    return true;
  }

  private passText(level: Level | undefined): boolean {
    const end = endOfText(this.text, this.at);
    if (end < 0) return false;
    if (level?.opener === '{') this.name = this.text.slice(this.at, end);
    this.at = end;
    return true;
  }

  private open(opener: '{' | '['): void {
    this.count();
    if (this.levels.length === DEEPEST)
      throw notJson(this.line, `it is nested more than ${DEEPEST} levels deep`);
    const level: Level = { opener, key: '' };
    const isMember = this.element && this.levels.length === this.depth + 1;
    if (opener === '[' && !this.list) this.enterList();
    else if (opener === '[' && isMember && nameOf(this.levels.at(-1)) === 'questions') {
      level.awaitsQuestion = true;
      if (this.element) this.element.lines = [];
    }
    this.levels.push(level);
  }

  private close(char: string): void {
    const level = this.levels.pop();
    if (level?.opener !== (char === ']' ? '[' : '{'))
      throw (
        errorIn(this.pending(1), false) ?? notJson(this.line, `"${char}" has no opening bracket`)
      );
    if (!this.list || this.levels.length !== this.depth - 1) return;
    this.list = undefined;
    this.rest = { from: this.at, line: this.line };
  }

  private count(): void {
    const where = this.list ? 'inside' : 'outside';
    if (++this.values[where] > MOST_VALUES)
      throw notJson(this.line, 'it holds too many values to be questions');
  }

  private enterList(): void {
    const path = this.pathOfList();
    if (path === undefined) return;
    this.setAside(this.at + 1, String(this.lists.length));
    this.list = { path, line: this.line, count: 0 };
    this.lists.push(this.list);
    this.depth = this.levels.length + 1;
  }

  /** Where questions or quizzes are expected; undefined anywhere else. */
  private pathOfList(): string | undefined {
    const [root, data, ...deeper] = this.levels;
    if (!root) return '';
    if (root.opener === '[' || deeper.length > 0) return undefined;
    const name = nameOf(root);
    if (!data) return name === 'tags' ? undefined : name;
    const isList = name === 'data' && data.opener === '{' && LISTS_OF_DATA.has(nameOf(data));
    return isList ? `data.${nameOf(data)}` : undefined;
  }

  /** @param char the character after it */
  private endElement(char: string): void {
    const { element, list, text, at, line } = this;
    if (!list) return;
    if (!element) {
      if (char === ',' || list.count > 0)
        throw notJson(line, `"${char}" found where a value is expected`);
      return;
    }
    const index = list.count++;
    const number = this.lists.length - 1;
    this.element = undefined;
    this.values.inside = 0;
    if (this.only?.has(number) === false) return;
    const part = { text: `[${text.slice(element.from, at)}]`, line: element.line };
    const [value] = parsed([part]) as unknown[];
    const path = `${list.path}[${index}]`;
    this.found.push({ list: number, path, line: element.line, value, lines: element.lines });
  }

  private setAside(end: number, more = ''): void {
    const { from, line } = this.rest;
    this.outside.push({ text: this.text.slice(from, end) + more, line });
    this.rest = { from: end, line: this.line };
  }

  /** What is incomplete. @param more characters of what follows */
  private pending(more?: number): Part[] {
    const { element, text, at } = this;
    const end = more && at + more;
    if (element) return [{ text: `[${text.slice(element.from, end)}`, line: element.line }];
    const { from, line } = this.rest;
    return this.list ? [] : [...this.outside, { text: text.slice(from, end), line }];
  }
}

/** The index after the closing quote; -1 if there is none (yet). */
function endOfText(text: string, start: number): number {
  for (let at = start; ;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return -1;
    let before = at;
    while (text.charCodeAt(before - 1) === 0x5c) before -= 1;
    if ((at - before) % 2 === 0) return at + 1;
  }
}

/** The name of the current member; an invalid one is reported when everything is parsed. */
function nameOf(level: Level | undefined): string {
  try {
    return JSON.parse(level?.key ?? '') as string;
  } catch {
    return '';
  }
}

/** The elements that a scanner finds in a file. Many at a time: an asynchronous step for each would cost more. */
export async function* scanned(
  scanner: JsonScanner,
  bytes: Bytes,
  decoding: Decoding,
): AsyncGenerator<JsonElement[]> {
  for await (const piece of textPieces(bytes, decoding)) {
    scanner.take(piece);
    yield scanner.found.splice(0);
  }
  scanner.end();
  yield scanner.found.splice(0);
}

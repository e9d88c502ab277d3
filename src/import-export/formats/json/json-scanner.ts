import { FileError } from '../file-error';
import { MEBIBYTE } from '../text/text-lines';
import { cutOff, notJson, tooLarge, tooMuch } from './json-errors';
import { endOfString, endOfWord, nameOf, parseJson, type Part } from './json-token';

/** A list whose elements are questions or quizzes; they are handed over one by one and not kept. */
export interface JsonList {
  /** As in `data.quizzes`; empty where the file itself is the list. */
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

/** What the grammar allows next. */
const DUE = {
  value: 'a value',
  'value or ]': 'a value or "]"',
  name: 'a name in quotes',
  'name or }': 'a name in quotes or "}"',
  ':': '":"',
  ', or end': '"," or the end of a list',
};

/** In characters: of an element, and of all that stands outside of lists. */
const LARGEST = 8 * MEBIBYTE;
/** Of the same. Numbers, texts, lists, objects: `{},{},{}` would take forty times its size. */
const MOST_VALUES = 250_000;
/** A question is at most six levels down. */
const DEEPEST = 32;

interface Level {
  isArray: boolean;
  /** The number of the element, in an array. */
  index: number;
  /** The name of the member with its quotes, in an object. */
  key: string;
  lines: number[] | undefined;
}

/** What is gathered: an element, or all that stands outside of lists. */
interface Gathered {
  line: number;
  /** Where what is not yet in `parts` begins in the text. */
  from: number;
  parts: Part[];
  values: number;
  lines: number[];
}

const gathered = (line: number, from: number): Gathered => ({
  line,
  from,
  parts: [],
  values: 0,
  lines: [],
});

/**
 * Cuts JSON into the elements of its lists, whatever the pieces are that it comes in. `JSON.parse` reads the
 * elements; what it cannot say is where an error is, and that something has no end. No library says both.
 */
export class JsonScanner {
  /** Complete, and not yet handed over. */
  readonly found: JsonElement[] = [];
  /** In their order, also lists that no reader wants. */
  readonly lists: JsonList[] = [];
  /** From the beginning of what is not complete. */
  private text = '';
  private at = 0;
  private line = 1;
  private readonly levels: Level[] = [];
  private due: keyof typeof DUE = 'value';
  private complete = false;
  /** The list that we are in, and how many levels are open between its elements. */
  private list: { list: JsonList; depth: number } | undefined;
  private element: Gathered | undefined;
  private readonly outside = gathered(1, 0);

  /** @param only the numbers of the lists whose elements are wanted; without it, all are read */
  constructor(private readonly only?: ReadonlySet<number>) {}

  /** @throws FileError */
  take(piece: string): void {
    const from = this.unfinished();
    this.text = this.text.slice(from) + piece;
    this.at -= from;
    (this.element ?? this.outside).from -= from;
    while (this.at < this.text.length && this.token(false));
    const { parts } = this.element ?? this.outside;
    const size = parts.reduce((sum, { text }) => sum + text.length, 0);
    if (this.text.length - this.unfinished() + size <= LARGEST) return;
    throw this.list
      ? tooLarge(this.element?.line ?? this.line, LARGEST)
      : tooMuch(this.line, LARGEST);
  }

  /** @throws FileError where it was cut off */
  end(): void {
    while (this.at < this.text.length) this.token(true);
    if (!this.complete) throw cutOff(this.line);
  }

  /** The value of the file, with a list's number in place of its elements: `{"title": "T", "questions": [0]}`. */
  value(): unknown {
    return parseJson(this.outside.parts);
  }

  /** Where what must be kept of the text begins. */
  private unfinished(): number {
    if (this.element) return this.element.from;
    return this.list || this.complete ? this.at : this.outside.from;
  }

  /** @returns false when it takes the next piece to tell where the token ends */
  private token(isLast: boolean): boolean {
    const char = this.text.charAt(this.at);
    if (char === ' ' || char === '\n' || char === '\r' || char === '\t') {
      if (char === '\n') this.line += 1;
      this.at += 1;
    } else if (char === '{' || char === '[') this.open(char);
    else if (char === '}' || char === ']') this.close(char);
    else if (char === ',') this.comma();
    else if (char === ':') {
      if (this.due !== ':') throw this.expected(char);
      this.due = 'value';
      this.at += 1;
    } else return this.scalar(char, isLast);
    return true;
  }

  private open(char: string): void {
    this.begin(char);
    if (this.levels.length === DEEPEST)
      throw notJson(this.line, `it is nested more than ${DEEPEST} deep`);
    const isArray = char === '[';
    const level: Level = { isArray, index: 0, key: '', lines: undefined };
    if (isArray && !this.element) this.enterList();
    else if (isArray && this.element && this.isQuestionsOfElement())
      level.lines = this.element.lines = [];
    this.levels.push(level);
    this.due = isArray ? 'value or ]' : 'name or }';
    this.at += 1;
  }

  private close(char: string): void {
    const level = this.levels.at(-1);
    const empty = char === ']' ? 'value or ]' : 'name or }';
    const isDue = this.due === ', or end' || this.due === empty;
    if (!level || level.isArray !== (char === ']') || !isDue) throw this.expected(char);
    this.levels.pop();
    if (this.list && !this.element) {
      this.list = undefined;
      this.outside.from = this.at;
      this.outside.line = this.line;
    }
    this.at += 1;
    this.ended();
  }

  private comma(): void {
    const level = this.levels.at(-1);
    if (!level || this.due !== ', or end') throw this.expected(',');
    level.index += 1;
    this.due = level.isArray ? 'value' : 'name';
    this.at += 1;
  }

  private scalar(char: string, isLast: boolean): boolean {
    const { text, at, due } = this;
    const end = char === '"' ? endOfString(text, at) : endOfWord(text, at);
    if (!isLast && (end < 0 || (end === text.length && char !== '"'))) return false;
    const level = this.levels.at(-1);
    // Also in the middle of a word.
    if (end < 0 || (isLast && level && end === text.length)) throw cutOff(this.line);
    if (char === '"' && level && (due === 'name' || due === 'name or }')) {
      this.count();
      level.key = text.slice(at, end);
      this.due = ':';
      this.at = end;
    } else {
      this.begin(text.slice(at, Math.min(end, at + 30)));
      this.at = end;
      this.ended();
    }
    return true;
  }

  /** A value begins: an element, if it stands in a list. */
  private begin(token: string): void {
    if (this.complete || (this.due !== 'value' && this.due !== 'value or ]'))
      throw this.expected(token);
    if (this.list) this.element ??= gathered(this.line, this.at);
    this.count();
    const level = this.levels.at(-1);
    if (level?.lines) level.lines[level.index] = this.line;
  }

  private count(): void {
    if (++(this.element ?? this.outside).values > MOST_VALUES)
      throw notJson(this.line, 'it holds too many values to be questions');
  }

  /** A value has ended. */
  private ended(): void {
    const { element, list, text, at, line } = this;
    this.due = ', or end';
    if (element && list && this.levels.length === list.depth) {
      const number = this.lists.length - 1;
      const index = list.list.count++;
      this.element = undefined;
      if (this.only?.has(number) === false) return;
      const value = parseJson([{ text: text.slice(element.from, at), line: element.line }]);
      const path = `${list.list.path}[${index}]`;
      this.found.push({ list: number, path, line: element.line, value, lines: element.lines });
    } else if (this.levels.length === 0) {
      this.outside.parts.push({
        text: text.slice(this.outside.from, at),
        line: this.outside.line,
      });
      this.outside.line = line;
      this.complete = true;
    }
  }

  private enterList(): void {
    const path = this.pathOfList();
    if (path === undefined) return;
    const { outside } = this;
    const text = `${this.text.slice(outside.from, this.at + 1)}${this.lists.length}`;
    outside.parts.push({ text, line: outside.line });
    const list = { path, line: this.line, count: 0 };
    this.lists.push(list);
    this.list = { list, depth: this.levels.length + 1 };
  }

  /** Where questions or quizzes are looked for; undefined anywhere else. */
  private pathOfList(): string | undefined {
    const [root, data, ...deeper] = this.levels;
    if (!root) return '';
    if (root.isArray || deeper.length > 0) return undefined;
    const name = nameOf(root.key);
    if (!data) return name === 'tags' ? undefined : name;
    const inner = nameOf(data.key);
    const isList = name === 'data' && LISTS_OF_DATA.has(inner);
    return isList && !data.isArray ? `data.${inner}` : undefined;
  }

  private isQuestionsOfElement(): boolean {
    const level = this.levels.at(-1);
    const isMember = level && !level.isArray && this.levels.length === (this.list?.depth ?? 0) + 1;
    return isMember === true && nameOf(level?.key ?? '') === 'questions';
  }

  private expected(found: string): FileError {
    const what = `${JSON.stringify(found)} stands`;
    return notJson(
      this.line,
      this.complete ? `${what} after the end` : `${what} where ${DUE[this.due]} is due`,
    );
  }
}

const LISTS_OF_DATA = new Set(['questions', 'quizzes', 'results']);

import { LIMITS } from '../../platform/limits/limits';
import { fold, tidy } from '../../platform/text/text.rules';
import { FileError, type NoteRow, quote } from './row';
import { letterOf, placeOf as placeOfLetters } from './text/letters';
import { words } from './words';

const MOST = LIMITS.content.answersPerQuestion.value;

/** Whether the numbers of a file's correct answers count from 0 or from 1. */
export type FirstNumber = 0 | 1;

/** The indexes of the answers that `key` names, or what is wrong with it. Numbers and letters only. */
export function byNumber(
  key: string,
  texts: readonly string[],
  first: FirstNumber,
): Set<number> | string {
  const chosen = new Set<number>();
  const names = numbersIn(key);
  if (names.some((name) => /\d/.test(name)) && names.some((name) => /^\(?[a-z]/i.test(name)))
    return `${quote(key)} has numbers and letters of answers: write either numbers or letters`;
  for (const name of names) {
    const place = placeOf(name, first);
    if (place === undefined || !texts[place])
      return `${quote(name)} does not number an answer: write the numbers of the correct ones, such as ${first + 1} or ${first} ${first + 2}${first === 0 ? ' (this file counts from 0)' : ''}`;
    chosen.add(place);
  }
  return chosen;
}

/** The same for a text, number or letter, if it can mean only one answer. */
export function byAnything(
  key: string,
  texts: readonly string[],
  first: FirstNumber,
): Set<number> | string {
  const byText = placeOfText(key, texts) ?? placeOfTruth(key, texts);
  const numbers = byNumber(key, texts, first);
  // What cannot be a text as well: numbers where the key has letters, letters where it has numbers.
  const sure = (places: Iterable<number>): string =>
    [...places].map((it) => (/[a-z]/i.test(key) ? it + first : letterOf(it))).join(', ');
  if (byText === undefined) {
    const named = byMarkAndText(key, texts, first);
    if (named) return named;
    const listed = byTexts(key, texts);
    if (typeof numbers === 'string')
      return (
        listed ??
        `the correct answer ${quote(key)} is not one of the answers: make it equal to one, or write its number or letter`
      );
    return listed && [...listed].some((place) => !numbers.has(place))
      ? `the correct answers ${quote(key)} may be the texts of answers or their numbers or letters: write ${sure(listed)} for these texts, or ${sure(numbers)} for these places`
      : numbers;
  }
  // Two letters are rather a text, such as the symbol of an element, than the 28th answer or a later one.
  const isText = typeof numbers === 'string' || /^[a-z]{2}$/i.test(key);
  const other = isText ? undefined : [...numbers].find((n) => n !== byText);
  return other === undefined
    ? new Set([byText])
    : `the correct answer ${quote(key)} may mean the answer with this text or answer ${other + 1} (${quote(texts[other] ?? '')}): write ${sure([byText])} for this text, or ${sure([other])} for the other answer`;
}

/** `B) Rome`, `2. Rome`: both have to name the same answer. */
function byMarkAndText(
  key: string,
  texts: readonly string[],
  first: FirstNumber,
): Set<number> | undefined {
  const [, mark = '', text = ''] = /^([a-z]{1,2}|\d{1,2})[.):] *(\S.*)$/i.exec(key) ?? [];
  const place = placeOf(mark, first);
  return place !== undefined && placeOfText(text, texts) === place ? new Set([place]) : undefined;
}

/** Several texts in one cell. */
function byTexts(key: string, texts: readonly string[]): Set<number> | undefined {
  for (const parts of [listIn(key), ...['|', ';', ','].map((mark) => key.split(mark))]) {
    // With more parts than answers the key is no list, and would be slow to compare.
    if (!parts || parts.length > Math.min(texts.length, MOST)) continue;
    const places = parts.map((part) => placeOfText(part, texts));
    if (places.every((place) => place !== undefined)) return new Set(places);
  }
  return undefined;
}

/** The same text, or else the only one that differs only in case. */
function placeOfText(text: string, texts: readonly string[]): number | undefined {
  const same = texts.indexOf(tidy(text));
  if (same >= 0) return same;
  const wanted = fold(text);
  const alike = texts.flatMap((each, place) => (each && fold(each) === wanted ? [place] : []));
  return alike.length === 1 ? alike[0] : undefined;
}

/** `true`, `WAHR` and `V` if True and False are among the answers, in any of these languages. */
function placeOfTruth(key: string, texts: readonly string[]): number | undefined {
  const truth = truthOf(key);
  const isNamed = (text: string) =>
    key.length === 1 ? fold(text).startsWith(fold(key)) : truthOf(text) === truth;
  if (truth === undefined && key.length !== 1) return undefined;
  const places = texts.flatMap((text, place) => (truthOf(text) && isNamed(text) ? [place] : []));
  return places.length === 1 ? places[0] : undefined;
}

const TRUTHS = new RegExp(`^(?:(${words('true')})|(${words('false')}))$`, 'iu');

export function truthOf(key: string): 'True' | 'False' | undefined {
  const [, yes, no] = TRUTHS.exec(key) ?? [];
  return yes ? 'True' : no ? 'False' : undefined;
}

/**
 * Whether a key means True or False where nothing says so: `true`, and `WAHR` in capitals as spreadsheets write it. A
 * flash card may have `falsch` as the translation of a word.
 */
export const isTruthWord = (key: string): boolean =>
  /^(?:true|false)$/i.test(key) ||
  (key.length > 1 && key === key.toUpperCase() && truthOf(key) !== undefined);

/** `1 3`, `A,C`, `(b)`, `Option B`, `answer_a` */
const numbersIn = (key: string): string[] =>
  key
    .replace(/\b(?:option|answer|choice)[ _]?(?=(?:[a-z]{1,2}|\d)\b)/gi, '')
    .match(/[^\s,;|+&]+/g) ?? [];

function placeOf(name: string, first: FirstNumber): number | undefined {
  const number = /^\(?(\d{1,9})[.)]?$/.exec(name)?.[1];
  if (number) return Number(number) - first;
  const letters = /^\(?([a-z]{1,2})[.)]?$/i.exec(name)?.[1];
  return letters === undefined ? undefined : placeOfLetters(letters.toUpperCase());
}

/** Collects the keys of all questions of a file, to find out whether their numbers count from 0 or 1. */
export class KeySurvey {
  /** The first line with a number, with a 0, and with as many as there are answers. */
  private number: number | undefined;
  private zero: number | undefined;
  private last: number | undefined;

  /** @param usual if the file does not show it */
  constructor(private readonly usual: FirstNumber) {}

  add(line: number, key: string, texts: readonly string[]): void {
    // A key that is an answer's text, or that names an answer which is not there ("0,5" of three), tells nothing of numbers.
    const numbers = numbersIn(key).filter((name) => /^\d{1,9}$/.test(name));
    if (texts.includes(key) || numbers.some((name) => Number(name) > texts.length)) return;
    for (const name of numbers) {
      this.number ??= line;
      if (name === '0') this.zero ??= line;
      if (Number(name) === texts.length) this.last ??= line;
    }
  }

  /** @throws FileError */
  first(): FirstNumber {
    const { zero, last } = this;
    if (zero !== undefined && last !== undefined)
      throw new FileError(
        zero,
        `The numbers of the correct answers count from 0 in line ${zero} and from 1 in line ${last}: count from 1 everywhere, or write the texts of the answers.`,
      );
    return zero !== undefined ? 0 : last !== undefined ? 1 : this.usual;
  }

  *notes(): Generator<NoteRow> {
    const line = this.zero ?? this.number;
    if (line !== undefined && this.first() === 0)
      yield {
        line,
        note: `The numbers of the correct answers count from 0 here (${this.zero === undefined ? 'as programs do' : 'there is a 0 in this line'}): 0 is the first answer.`,
      };
  }
}

/** The elements of a list in JSON or Python syntax; undefined if the text is neither. */
function listIn(text: string): string[] | undefined {
  if (!text.startsWith('[') || !text.endsWith(']')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value.map(String);
  } catch {
    // Perhaps Python.
  }
  const inner = text.slice(1, -1);
  const items: string[] = [];
  for (let at = 0; at < inner.length;) {
    ITEM.lastIndex = at;
    const [whole, single, double, bare] = ITEM.exec(inner) ?? [];
    if (!whole) return undefined;
    const quoted = single ?? double;
    const item = quoted?.replace(/\\(.)/gs, (_, char: string) => ESCAPES[char] ?? char) ?? bare;
    // An element may have several unquoted words.
    if (bare && !/^(?:[-+]?[\d.]+|True|False)$/.test(bare)) return undefined;
    if (item !== undefined) items.push(item);
    at += whole.length;
  }
  return items;
}

/** What separates the elements (in NumPy only white space), or an element. */
const ITEM = /[\s,]+|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([-+.\w]+)(?=[\s,]|$)/sy;
const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r' };

/** In order of precedence: a comma is part of many texts. */
const MARKS = ['|', '\n', ';', ','] as const;

/** Collects all cells of a list column, to find out what separates the answers. */
export class ListSurvey {
  private readonly rows = new Map<string, number>();
  /** How many answers a split at commas gives for each row that is not True or False. */
  private readonly byComma = new Set<number>();

  add(cell: string): void {
    if (!cell || listIn(cell)) return;
    for (const mark of MARKS)
      if (cell.includes(mark)) this.rows.set(mark, (this.rows.get(mark) ?? 0) + 1);
    if (!/^(?:true|false)$/i.test(cell)) this.byComma.add(cell.split(',').length);
  }

  /** The answers of a cell; undefined if they cannot be separated with certainty. */
  split(cell: string): string[] | undefined {
    if (!cell) return [];
    const list = listIn(cell);
    if (list) return list.map((item) => item.trim());
    if (/^[[{]/.test(cell)) return undefined;
    const most = Math.max(0, ...this.rows.values());
    const mark = MARKS.find((each) => this.rows.get(each) === most && most > 0);
    if (!mark || !MARKS.some((each) => cell.includes(each))) return [cell];
    if (!cell.includes(mark) || (mark === ',' && this.byComma.size > 1)) return undefined;
    return cell.split(mark).map((item) => item.trim());
  }
}

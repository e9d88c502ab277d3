import { hash } from 'node:crypto';
import { fold } from '../../platform/text/text.rules';

/** A fixed-length hash of `answerKey`. Snapshots store it with each accepted answer. */
export const acceptedKey = (text: string): string =>
  hash('sha256', answerKey(text), 'base64').slice(0, 22);

/**
 * What a typed answer is compared by: case, accents, spaces and punctuation are ignored, except where they make a
 * different answer. "J. K. Rowling" is "jk rowling", "AC/DC" is "acdc" and "São Paulo" is "sao paulo"; "3.14" is not
 * "314", "3/4" not "34", "-5" not "5", "10²" not "102", and "C", "C++" and "C#" are three answers.
 *
 * Snapshots store a hash of the result: if you change it for any text, rename `SnapshotAnswer.key3` to `key4`.
 */
export function answerKey(text: string): string {
  // Some characters expand to 18 (U+FDFA): a text made of them is compared unchanged, since nobody types it
  // otherwise.
  if (text.normalize('NFKD').length > 4 * text.length + 100) return fold(text);
  const key = fold(numbersOf(lettersOf(text)))
    // Between words all of these are ignored ("ice cream", "ice-cream"), but 10-30 is not 1030.
    .replace(MARKS_BETWEEN_DIGITS, (marks) =>
      /^(?:\.|\s*[:/]\s*)$/.test(marks) ? marks.trim() : ' ',
    )
    .replace(MARKS, (mark, at: number, whole: string) =>
      carriesMeaning(mark, at, whole) ? mark : '',
    );
  // An answer may consist of punctuation ("What ends a question?" "?").
  return key === '' ? fold(text) : key;
}

/** Letters without accents and in their ordinary forms; fractions and powers are written out. */
function lettersOf(text: string): string {
  return (
    text
      // A sign without digits is not a power: Na⁺ is "na+".
      .replace(/[⁺⁻]?[⁰¹²³⁴-⁹][⁺⁻⁰¹²³⁴-⁹]*/g, (power) => `^${power}`)
      .replace(/(\d)\s*(?=[¼-¾⅐-⅞])/g, '$1 ')
      .normalize('NFKD')
      .replace(IGNORED, '')
      .replace(/[ßæœøłđıðþ⁄٫٬٪]/giu, (letter) => SPELLED_OUT[letter.toLowerCase()] ?? letter)
      .replace(/(?![0-9])\p{Nd}/gu, (digit) => String(valueOf(digit)))
      .normalize('NFC')
  );
}

/**
 * Accents (but not the stroke that makes ≠ of =), the vowel points of Hebrew and Arabic and characters that only
 * stretch a word, letters that are apostrophes (Hawaiʻi), an emoji's variation selectors, and invisible characters.
 */
const IGNORED =
  /(?<!\p{Sm})[\u0300-\u036f]|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]|[\u0640\u064b-\u0652\u0670]|[\u02b9-\u02bf]|[\ufe00-\ufe0f]|\p{Cf}/gu;

/** Digits of any script: each script has its ten in a row, beginning with zero. */
function valueOf(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return value;
}

/** Letters that Unicode does not decompose, as people write them without special keys. */
const SPELLED_OUT: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  ð: 'd',
  þ: 'th',
  '⁄': '/',
  '٫': '.',
  '٬': ',',
  '٪': '%',
};

/** One spelling of numbers: 1,000 and 1 000 are 1000, 3,14 is 3.14, .5 is 0.5, and a minus is a hyphen. */
function numbersOf(text: string): string {
  return (
    text
      .replace(/(?<![\d.,])\d{1,3}(?:([ ,'’])\d{3})(?:\1\d{3})*(?!,?\d)/g, (number) =>
        number.replace(/[ ,'’]/g, ''),
      )
      .replace(/(?<=\d),(?=\d)/g, '.')
      .replace(/(?<![\p{L}\p{N}.])\.(?=\d)/gu, '0.')
      // Also the hyphens and dashes that phones and editors write for it, and the space that may follow it.
      .replace(/[\u2010-\u2013−]/g, '-')
      .replace(SPACE_AFTER_MINUS, '')
  );
}

/**
 * What a minus stands before: a number, an amount, a root, infinity or pi. Before other letters it may be a hyphen: "-s" is
 * the plural ending "s".
 */
const NEGATED = String.raw`[\d\p{Sc}√∞π]`;
const SPACE_AFTER_MINUS = new RegExp(String.raw`(?<=(?:^|[\p{Sm}^])\s*-)\s+(?=${NEGATED})`, 'gu');
const IS_NEGATED = new RegExp(NEGATED, 'u');

/** Punctuation without meaning, accents that stand alone, and spaces. */
const MARK = String.raw`(?:(?![#%‰&@*^])[\p{P}\p{Sk}\s])`;
const MARKS_BETWEEN_DIGITS = new RegExp(String.raw`(?<=\d)${MARK}+(?=\d)`, 'gu');
const MARKS = new RegExp(MARK, 'gu');

function carriesMeaning(mark: string, at: number, whole: string): boolean {
  const before = whole[at - 1] ?? '';
  const after = whole[at + 1] ?? '';
  if (/\d/.test(before)) return /\d/.test(after);
  // A minus, unlike the hyphen of "covid-19".
  return mark === '-' && !/[\p{L}\p{N}]/u.test(before) && IS_NEGATED.test(after);
}

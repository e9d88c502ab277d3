/**
 * PostgreSQL cannot store NUL, and an unpaired surrogate is not valid Unicode: both are refused in every
 * input, before anything else reads it.
 */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** The text as PostgreSQL can store it, for messages that quote what a client sent. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Length as people and PostgreSQL count it: Unicode code points, not UTF-16 units. */
export function codePoints(text: string): number {
  return [...text].length;
}

/** The first code points of a text, of which each is one or two UTF-16 units. */
export function firstCodePoints(text: string, most: number): string {
  return [...text.slice(0, 2 * most)].slice(0, most).join('');
}

/** Controls, zero-width and format characters, variation selectors, fillers and the blank braille pattern. */
const INVISIBLE =
  /^[\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb\u{1d159}]*$/u;

/**
 * Trimmed and in Unicode's composed form, so that titles and tags that look equal are equal. A text without a
 * visible character is blank and becomes ''.
 */
export function tidy(text: string): string {
  if (INVISIBLE.test(text)) return '';
  const trimmed = text.trim();
  return ENDLESS_MARKS.test(trimmed) ? trimmed : trimmed.normalize('NFC');
}

/**
 * More marks on one letter than Unicode's stream-safe texts have. `normalize` sorts them in quadratic time: 400,000 took
 * 41 s before the text was refused as too long, and 1 MB of letters with 4,000 each 1.3 s.
 */
const ENDLESS_MARKS = /(?<!\p{M})\p{M}{31}/u;

/** Splits at commas and trims the items. `\,` is a comma within an item, `\\` a backslash. */
export function splitAtCommas(text: string): string[] {
  // A comma is part of an item if the number of backslashes before it is odd.
  return text
    .split(/,(?<=(?<!\\)(?:\\\\)*,)/)
    .map((item) => item.trim().replace(/\\([\\,])/g, '$1'));
}

/** Items as `splitAtCommas` reads them. */
export const joinAtCommas = (items: readonly string[]): string =>
  items.map((item) => item.replace(/[\\,]/g, '\\$&')).join(', ');

/**
 * The one rule for ignoring case. Computed here and stored beside the text (`category_key`, `tag_keys`), so that it
 * does not depend on the database's locale. All sigmas are one letter: JavaScript would change the one at the end of
 * a word.
 *
 * Capitals without a composed form, whose small letters have one, do not equal these: H̱, J̌, T̈, W̊, Y̊ and some Greek
 * vowels. The result would have to be composed again, and then all stored keys computed again.
 */
export function fold(text: string): string {
  return tidy(text).toLowerCase().replaceAll('ς', 'σ');
}

/** A LIKE pattern for "contains", in which `%`, `_` and `\` of the text are ordinary characters. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/** A text as part of a regular expression that finds it as it is. */
export const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

import { fold } from './text/text.rules';

/** In ASCII letters. The tables (4 MB) are loaded for the first text that has others. */
export function transliterate(text: string): string {
  if (!/[^\p{ASCII}]/u.test(text)) return text;
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const library = require('transliteration') as typeof import('transliteration');
  return library.transliterate(text);
}

/**
 * Sort key of a title: alphabetical, case-insensitive, with É beside E, Ł beside L, Æ as AE and ß as SS. Letters of
 * other scripts stay as they are. Compared with COLLATE "C", so that every PostgreSQL sorts the same way.
 */
export function sortKey(text: string): string {
  const letters = text.normalize('NFKD').replace(/\p{M}/gu, '');
  return fold(letters.replace(/[^\P{Script=Latin}A-Za-z]/gu, (letter) => transliterate(letter)));
}

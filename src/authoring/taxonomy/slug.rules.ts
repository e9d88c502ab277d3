import { LIMITS } from '../../platform/limits/limits';
import { fold } from '../../platform/text/text.rules';

const { slug: longest } = LIMITS.content;

/** Kebab case of a title in ASCII letters and digits; '' if it has none. */
export function slugOf(title: string): string {
  const words = transliterate(title)
    .toLowerCase()
    .replace(/['’`]/g, '')
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  let slug = '';
  for (const word of words) {
    if (slug && slug.length + 1 + word.length > longest.value) break;
    slug += (slug && '-') + word.slice(0, longest.value);
  }
  return slug;
}

/**
 * The slugs to try for a quiz, best first: the title's, then the title's with the end of the id, which few quizzes
 * share, then with the whole id, which no other quiz has.
 */
export function slugCandidates(title: string, id: string): string[] {
  const slug = slugOf(title);
  const tail = id.replaceAll('-', '').slice(-8);
  const withId = [tail, id].map((end) => `${slug || 'quiz'}-${end}`);
  return slug ? [slug, ...withId] : withId;
}

/** In ASCII letters. The tables (4 MB) are loaded for the first text that has others. */
function transliterate(text: string): string {
  if (!/[^\p{ASCII}]/u.test(text)) return text;
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const library = require('transliteration') as typeof import('transliteration');
  return library.transliterate(text);
}

/** Scripts in which dictionaries ignore marks: in others, such as Devanagari and Thai, a mark is a vowel (कि, กี). */
const MARKED = ['Latin', 'Greek', 'Cyrillic', 'Arabic', 'Hebrew', 'Hiragana', 'Katakana'];
/** Their letters with marks, but for Й, which Unicode too has behind И; and the marks that make a sign an emoji. */
const MARKED_LETTERS = new RegExp(
  `([Ии]\\u0306|[${MARKED.map((script) => `\\p{Script=${script}}`).join('')}])\\p{M}*|[\ufe0e\ufe0f\u20e3]`,
  'gu',
);

/**
 * Sort key of a title: alphabetical, case-insensitive, with É beside E, Ł beside L, Æ as AE and ß as SS. Other
 * signs stay as they are. Compared with COLLATE "C", so that every PostgreSQL sorts the same way.
 */
export function sortKey(text: string): string {
  const letters = text.normalize('NFKD').replace(MARKED_LETTERS, '$1');
  return fold(letters.replace(/[^\P{Script=Latin}A-Za-z]/gu, (letter) => transliterate(letter)));
}

import { transliterate } from '../../platform/sort-key.rules';

const LONGEST = 80;

/** Kebab case of a title in ASCII letters and digits; '' if it has none. */
export function slugOf(title: string): string {
  const words = transliterate(title)
    .toLowerCase()
    .replace(/['’`]/g, '')
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  let slug = '';
  for (const word of words) {
    if (slug && slug.length + 1 + word.length > LONGEST) break;
    slug += (slug && '-') + word.slice(0, LONGEST);
  }
  return slug;
}

/**
 * The slugs to try for a quiz, best first: the title's, then the title's with the end of the id, which no other quiz
 * has.
 */
export function slugCandidates(title: string, id: string): [string, string] {
  const slug = slugOf(title);
  const tail = id.replaceAll('-', '').slice(-8);
  return slug ? [slug, `${slug}-${tail}`] : [`quiz-${tail}`, `quiz-${id}`];
}

/** Languages of texts, as BCP 47 tags: language, script, region and variants, such as `de`, `sr-Latn` or `pt-BR`. */

/** RFC 5646, 4.4.1: what a tag without extensions needs. */
export const LONGEST_LANGUAGE = 35;

/** What is said about a tag that cannot be read. */
export const LANGUAGE_FORM = 'a language tag (BCP 47), such as de or pt-BR';

/**
 * The canonical form of a tag: `de-at` is `de-AT`, `iw` is `he`. Null: it is no tag, has extensions, or is an English
 * name ("german"), which the grammar would allow.
 */
export function canonicalLanguage(tag: string): string | null {
  if (!/^[a-z]{2,3}(?:-|$)/i.test(tag) || tag.length > LONGEST_LANGUAGE) return null;
  try {
    const [canonical = ''] = Intl.getCanonicalLocales(tag);
    // `sh-…` becomes `sr-Latn-…`, which is longer.
    if (canonical.length > LONGEST_LANGUAGE) return null;
    return new Intl.Locale(canonical).baseName === canonical ? canonical : null;
  } catch {
    return null;
  }
}

/** ISO 15924. ICU knows the direction of languages, but not of all in these scripts (Dhivehi, Kurdish in Arabic script). */
const RIGHT_TO_LEFT = new Set(
  (
    'Adlm Arab Aran Armi Avst Chrs Cprt Elym Hatr Hebr Hung Khar Lydi Mand Mani Mend Merc Mero Narb Nbat Nkoo Orkh Ougr ' +
    'Palm Phli Phlp Phnx Prti Rohg Samr Sarb Sogd Sogo Syrc Thaa Yezi'
  ).split(' '),
);

/** The text direction of a language; 'auto' if the language is not known (null). */
export function directionOf(language: string | null): 'ltr' | 'rtl' | 'auto' {
  if (language === null) return 'auto';
  const { script } = new Intl.Locale(language).maximize();
  return script !== undefined && RIGHT_TO_LEFT.has(script) ? 'rtl' : 'ltr';
}

let twoLetters: readonly string[] | undefined;

/** The languages of ISO 639-1 that have a name, as tags. */
export function commonLanguages(): readonly string[] {
  return (twoLetters ??= namedTags());
}

function namedTags(): string[] {
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((tag) => canonicalLanguage(tag) === tag && names.of(tag) !== undefined);
}

/** By the language of the names: making one takes longer than naming a hundred languages. */
const namesIn = new Map<string, Intl.DisplayNames>();

/** The name of a language in another one; the tag itself if it has none. */
export function languageName(language: string, inLanguage: string): string {
  let names = namesIn.get(inLanguage);
  if (!names) {
    names = new Intl.DisplayNames([inLanguage], { type: 'language' });
    namesIn.set(inLanguage, names);
  }
  return names.of(language) ?? language;
}

/**
 * PostgreSQL cannot store NUL, and an unpaired surrogate is no Unicode text: both are refused in every
 * input, before anything else looks at it.
 */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** The same text as PostgreSQL can keep it, for sentences that quote what somebody has sent. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Length as people and PostgreSQL count it: Unicode code points, not UTF-16 units. */
export function codePoints(text: string): number {
  return [...text].length;
}

/** Trimmed and in Unicode's composed form, so that equal looking titles and tags are equal. */
export function tidy(text: string): string {
  return text.trim().normalize('NFC');
}

/**
 * The one rule of "case does not matter". Computed here and stored beside the text (`category_key`,
 * `tag_keys`), so that it does not depend on the database's locale. A sigma is one letter wherever it
 * stands: JavaScript would make the last of a word another one.
 */
export function fold(text: string): string {
  return tidy(text).toLowerCase().replaceAll('ς', 'σ');
}

/** Sort key of a title: alphabetical, case-insensitive, É beside E. Compared with COLLATE "C". */
export function sortKey(text: string): string {
  return fold(text.normalize('NFKD').replace(/\p{M}/gu, ''));
}

const FORM = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/**
 * The instant that a text in ISO 8601 names: a day, which begins at midnight UTC, or a time with its offset from UTC.
 * Null if there is none: JavaScript reads 31 February as 3 March. 24:00 is the end of its day, as in ISO 8601.
 */
export function instantOf(text: string): Date | null {
  const day = FORM.exec(text)?.[1];
  const instant = new Date(text);
  if (day === undefined || Number.isNaN(instant.getTime())) return null;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) ? instant : null;
}

/** Like `instantOf`, but null for a day without a time. */
export const timeOf = (text: string): Date | null => (text.includes('T') ? instantOf(text) : null);

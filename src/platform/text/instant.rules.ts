const FORM = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/**
 * The instant that a text in ISO 8601 names: a day, which begins at midnight UTC, or a time with its offset from UTC.
 * Null if there is none: JavaScript reads 31 February as 3 March.
 */
export function instantOf(text: string): Date | null {
  const day = FORM.exec(text)?.[1];
  const instant = new Date(text);
  if (day === undefined || Number.isNaN(instant.getTime())) return null;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) ? instant : null;
}

/** The same for a time only: a day is none. */
export const timeOf = (text: string): Date | null => (text.includes('T') ? instantOf(text) : null);

/** A time as a form's field has it, `2026-03-01T12:30`, taken as UTC; null for anything else. */
export function momentOf(typed: string): Date | null {
  const text = typed.trim().replace(' ', 'T');
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z?$/.test(text)) return null;
  const time = new Date(text.endsWith('Z') ? text : `${text}Z`);
  return Number.isNaN(time.getTime()) ? null : time;
}

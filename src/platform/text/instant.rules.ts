/** The instant that a text in ISO 8601 names; null if there is none: JavaScript reads 31 February as 3 March. */
export function instantOf(text: string): Date | null {
  const instant = new Date(text);
  if (Number.isNaN(instant.getTime())) return null;
  const [day = ''] = text.split('T');
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) ? instant : null;
}

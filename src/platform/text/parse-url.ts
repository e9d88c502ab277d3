/**
 * An absolute URL, or null for a text that is none.
 *
 * Not `URL.canParse`: once Node 20 has optimised a function that calls it (20.20.2: after some ten thousand calls), it
 * refuses every URL with a letter such as ü.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

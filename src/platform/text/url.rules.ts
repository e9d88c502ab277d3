import { unescape } from 'node:querystring';

/**
 * An absolute URL, or null for any other text.
 * Not `URL.canParse`: once Node 20 has optimised a function that calls it (20.20.2: after some ten thousand calls),
 * it refuses every URL with a letter such as ü.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/**
 * A name or a value of a query string. A `%` that encodes nothing stands for itself. Bytes that are not UTF-8 become
 * an unpaired surrogate, which validation refuses; Node would replace them with U+FFFD.
 */
export function decodeQueryText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return unescape(text).replaceAll('\uFFFD', '\uD800');
  }
}

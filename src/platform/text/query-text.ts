import { unescape } from 'node:querystring';

/**
 * A name or a value of a query string. A `%` that encodes nothing stands for itself. Bytes that are not UTF-8
 * become half a surrogate pair, which is no text: validation refuses it, where Node would put U+FFFD in its place.
 */
export function decodeQueryText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return unescape(text).replaceAll('\uFFFD', '\uD800');
  }
}

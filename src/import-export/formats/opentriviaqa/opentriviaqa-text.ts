import { isUtf8 } from 'node:buffer';
import { windows1252 } from '../text/text-decoding';

/** A UTF-8 sequence of two to four bytes, the bytes shown as Latin-1 characters. */
const SEQUENCE = /[\xC2-\xDF][\x80-\xBF]|[\xE0-\xEF][\x80-\xBF]{2}|[\xF0-\xF4][\x80-\xBF]{3}/;
const SEQUENCE_HALF_OR_BYTE = new RegExp(
  `(${SEQUENCE.source})|([\\xC2-\\xDF]\\?)|[\\x80-\\xFF]`,
  'g',
);

/**
 * Five bytes are undefined in Windows-1252 (81 8D 8F 90 9D), so UTF-8 text that once passed through it has a `?` in
 * their place. If one lost character is far likelier than the others it is restored: ” (12 of the 14 such places in
 * OpenTriviaQA) and the Cyrillic А.
 */
const LOST: [RegExp, string][] = [
  [/\xE2\x80\?/g, '\xE2\x80\x9D'],
  [/\xD0\?/g, '\xD0\x90'],
];

/** Control characters do not belong in a text, nor do characters that change its direction or show nothing. */
const INVISIBLE = /(?![\r\n])[\p{Cc}\u200B\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu;

/**
 * Bytes to readable text: UTF-8 if they are valid UTF-8, otherwise sequence by sequence, with the rest as
 * Windows-1252. An unknown character becomes U+FFFD. Tabs become spaces; a byte order mark, NUL and all other control
 * characters except CR and LF are removed. Never throws. Call it for one line at a time: then an invalid byte affects
 * only its own line.
 */
export function decodeText(bytes: Buffer): string {
  const text = isUtf8(bytes) ? bytes.toString('utf8') : decodeMixed(bytes.toString('latin1'));
  return text
    .replace(/[\x80-\x9F]/g, windows1252)
    .replace(/[\t\v\f]/g, ' ')
    .replace(INVISIBLE, '');
}

function decodeMixed(latin1: string): string {
  const repaired = LOST.reduce((text, [cut, whole]) => text.replace(cut, whole), latin1);
  // "Ï?" beside other UTF-8 is half a character; in a line without any it is a plain "Ï?".
  const hasUtf8 = SEQUENCE.test(repaired);
  return repaired.replace(SEQUENCE_HALF_OR_BYTE, (found: string, whole?: string, half?: string) => {
    if (whole) return Buffer.from(whole, 'latin1').toString('utf8');
    return half && hasUtf8 ? '\uFFFD' : windows1252(found);
  });
}

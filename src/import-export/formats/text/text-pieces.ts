import { FileError } from '../file-error';
import type { Bytes } from '../row';
import type { TextDecoding } from './text-decoding';
import { asUtf8, MEBIBYTE } from './text-lines';

/** Bytes that are decoded, and looked at, at a stretch. */
const PIECE = MEBIBYTE / 16;
/** Bytes without a single one of ASCII: neither a bracket nor a space. */
const LONGEST_LETTERS = 8 * MEBIBYTE;

/**
 * The text of a file whose lines may be as long as they like, in pieces that end behind a character of ASCII:
 * no letter of several bytes is cut in two. @throws FileError
 */
export async function* textPieces(bytes: Bytes, decoding: TextDecoding): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let length = 0;
  let line = 1;
  const decode = (piece: Buffer): string => {
    const text = decoding.decodeLines(piece, line);
    for (let at = piece.indexOf(0x0a); at >= 0; at = piece.indexOf(0x0a, at + 1)) line += 1;
    return text;
  };
  for await (const chunk of asUtf8(bytes))
    for (let start = 0; start < chunk.length; start += PIECE) {
      const part = chunk.subarray(start, start + PIECE);
      let end = part.length;
      while (end > 0 && (part[end - 1] ?? 0) > 0x7f) end -= 1;
      if (end > 0) {
        yield decode(
          rest.length > 0 ? Buffer.concat([...rest, part.subarray(0, end)]) : part.subarray(0, end),
        );
        [rest, length] = [[], 0];
      }
      if (end < part.length) rest.push(part.subarray(end));
      if ((length += part.length - end) > LONGEST_LETTERS)
        throw new FileError(
          line,
          `Line ${line} has a text larger than ${LONGEST_LETTERS / MEBIBYTE} MiB, without a space or a quotation mark in it: save the file again as UTF-8.`,
        );
    }
  if (length > 0) yield decode(Buffer.concat(rest));
}

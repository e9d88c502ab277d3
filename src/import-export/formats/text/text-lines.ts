import { LIMITS } from '../../../platform/limits/limits';
import { MEBIBYTE } from '../../../platform/sizes';
import { type Bytes, FileError } from '../row';

/** `text` is without its line end; `end` is "\n", "\r\n", "\r", or "" at the end of the file. */
export interface Line {
  line: number;
  text: string;
  end: string;
}

/** Bytes of a line; characters of a question, a cell or an element. */
export const LARGEST_ROW = LIMITS.imports.row.value;

/** The lines as they were in the file. */
export const textOf = (lines: readonly Line[]): string =>
  lines.map(({ text, end }) => text + end).join('');

/** How bytes become text. */
export interface Decoding {
  /** @param line in which they begin @throws FileError */
  decode(bytes: Buffer, line: number): string;
}

/** Bytes that are decoded and searched at once. */
const PIECE = MEBIBYTE / 16;
const LINE = /([^\r\n]*)(\r\n|\r|\n|$)/g;
const [FEED, RETURN] = [0x0a, 0x0d];

/**
 * The lines of a file, many at a time: one asynchronous step for each line would cost more than reading it. The byte
 * order mark is removed.
 * @param longest of a line, in characters; a line is also refused if it is longer by more than a piece in bytes
 * @throws FileError
 */
export async function* textLines(
  bytes: Bytes,
  decoding: Decoding,
  longest = LARGEST_ROW,
): AsyncGenerator<Line[]> {
  let number = 1;
  const tooLong = () =>
    new FileError(
      number,
      `Line ${number} is longer than ${longest / MEBIBYTE} MiB, so this is not a file of questions, or its line breaks were lost: save it again as text.`,
    );
  for await (const piece of cut(bytes, longest, tooLong)) {
    const lines: Line[] = [];
    for (const [whole, text = '', end = ''] of decoding.decode(piece, number).matchAll(LINE)) {
      if (!whole) break;
      if (text.length > longest) throw tooLong();
      lines.push({ line: number++, text, end });
    }
    yield lines;
  }
}

/** Pieces that end at the end of a line, or of the file. */
async function* cut(
  bytes: Bytes,
  longest: number,
  tooLong: () => FileError,
): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let length = 0;
  for await (const chunk of asUtf8(bytes))
    for (let start = 0; start < chunk.length; start += PIECE) {
      const part = chunk.subarray(start, start + PIECE);
      const end = endOfLines(part);
      if (end > 0) {
        yield Buffer.concat([...rest, part.subarray(0, end)]);
        [rest, length] = [[], 0];
      }
      if (end < part.length) rest.push(part.subarray(end));
      if ((length += part.length - end) > longest) throw tooLong();
    }
  if (length > 0) yield Buffer.concat(rest);
}

/** 0 without one. A "\r" at the end may be half of a "\r\n". */
const endOfLines = (part: Buffer): number =>
  part.lastIndexOf(FEED) + 1 || part.subarray(0, -1).lastIndexOf(RETURN) + 1;

/** UTF-16, which has a byte order mark, as UTF-8; anything else unchanged. Without the mark. @throws FileError */
export async function* asUtf8(bytes: Bytes): AsyncGenerator<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  let utf16: TextDecoder | null | undefined;
  for await (const chunk of bytes) {
    let buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (utf16 === undefined) {
      buffer = head = head.length > 0 ? Buffer.concat([head, buffer]) : buffer;
      if (head.length < 3) continue;
      utf16 = utf16Decoder(head);
      if (head.subarray(0, 3).equals(UTF8_MARK)) buffer = head.subarray(3);
    }
    yield utf16 ? toUtf8(utf16, buffer) : buffer;
  }
  if (utf16 === undefined) yield head;
  else if (utf16) yield toUtf8(utf16);
}

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

function utf16Decoder(head: Buffer): TextDecoder | null {
  const mark = head.readUInt16BE(0);
  if (mark === 0xfffe) return new TextDecoder('utf-16le', { fatal: true });
  return mark === 0xfeff ? new TextDecoder('utf-16be', { fatal: true }) : null;
}

function toUtf8(decoder: TextDecoder, bytes?: Buffer): Buffer {
  try {
    return Buffer.from(decoder.decode(bytes, { stream: bytes !== undefined }));
  } catch {
    throw new FileError(
      1,
      'The file begins as UTF-16 but is damaged or cut off: save it again as UTF-8.',
    );
  }
}

export function tooLarge(line: number): FileError {
  return new FileError(
    line,
    `The question that begins in line ${line} is larger than ${LARGEST_ROW / MEBIBYTE} MiB: mark where the next one begins, or choose another format.`,
  );
}

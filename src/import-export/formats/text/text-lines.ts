import { FileError } from '../file-error';
import type { Bytes } from '../row';

/** `text` is without its line end; `end` is "\n", "\r\n", "\r", or "" where the file ends. */
export interface Line {
  line: number;
  text: string;
  end: string;
}

/** The lines as they stood in the file. */
export const textOf = (lines: readonly Line[]): string =>
  lines.map(({ text, end }) => text + end).join('');

/** How a line's bytes become text. */
export interface Decoding {
  /** @throws FileError */
  decode(bytes: Buffer, line: number): string;
}

interface RawLine {
  line: number;
  bytes: Buffer;
  end: string;
}

export const MEBIBYTE = 1024 * 1024;
const NOTHING = Buffer.alloc(0);
const [FEED, RETURN] = [0x0a, 0x0d];

/**
 * The lines of a file, many at a time: one asynchronous step for each line would cost more than reading it.
 * The byte order mark is left out.
 * @param longest in bytes; a longer line is no line of such a file
 * @throws FileError
 */
export async function* textLines(
  bytes: Bytes,
  decoding: Decoding,
  longest = MEBIBYTE,
): AsyncGenerator<Line[]> {
  const splitter = new LineSplitter(longest);
  const decode = ({ line, bytes, end }: RawLine): Line => ({
    line,
    text: decoding.decode(bytes, line),
    end,
  });
  for await (const chunk of asUtf8(bytes)) yield splitter.take(chunk).map(decode);
  yield splitter.end().map(decode);
}

/** Cuts bytes into lines, whatever the pieces are that they come in; looks at each byte once. */
class LineSplitter {
  /** The beginning of the next line, in pieces. */
  private rest: Buffer[] = [];
  private length = 0;
  /** A "\r" ended the last piece: alone, or as half of a "\r\n". */
  private returned = false;
  private line = 0;

  constructor(private readonly longest: number) {}

  take(chunk: Buffer): RawLine[] {
    const lines: RawLine[] = [];
    if (chunk.length === 0) return lines;
    let start = 0;
    if (this.returned) {
      const end = chunk[0] === FEED ? '\r\n' : '\r';
      lines.push(this.cut(NOTHING, end));
      start = end.length - 1;
    }
    this.returned = false;
    let feed = chunk.indexOf(FEED, start);
    let back = chunk.indexOf(RETURN, start);
    while (feed >= 0 || back >= 0) {
      const stop = feed < 0 || (back >= 0 && back < feed) ? back : feed;
      if (stop === back && stop === chunk.length - 1) {
        this.returned = true;
        this.keep(chunk.subarray(start, stop));
        return lines;
      }
      const end = stop === feed ? '\n' : feed === back + 1 ? '\r\n' : '\r';
      lines.push(this.cut(chunk.subarray(start, stop), end));
      start = stop + end.length;
      // Looked for again only when it was passed.
      if (feed >= 0 && feed < start) feed = chunk.indexOf(FEED, start);
      if (back >= 0 && back < start) back = chunk.indexOf(RETURN, start);
    }
    this.keep(chunk.subarray(start));
    return lines;
  }

  end(): RawLine[] {
    return this.length > 0 || this.returned ? [this.cut(NOTHING, this.returned ? '\r' : '')] : [];
  }

  private keep(piece: Buffer): void {
    if (piece.length > 0) this.rest.push(piece);
    this.length += piece.length;
    this.measure(this.length, this.line + 1);
  }

  private cut(piece: Buffer, end: string): RawLine {
    this.line += 1;
    const bytes = this.rest.length > 0 ? Buffer.concat([...this.rest, piece]) : piece;
    this.measure(bytes.length, this.line);
    this.rest = [];
    this.length = 0;
    return { line: this.line, bytes, end };
  }

  private measure(length: number, line: number): void {
    if (length <= this.longest) return;
    throw new FileError(
      line,
      `Line ${line} is longer than ${this.longest / MEBIBYTE} MiB, so this is no file of questions or its line breaks are lost: save it again as text.`,
    );
  }
}

/** UTF-16, which has a mark of its own, as UTF-8; anything else as it is. Without the mark. @throws FileError */
export async function* asUtf8(bytes: Bytes): AsyncGenerator<Buffer> {
  let head: Buffer = NOTHING;
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

/** In characters. A body of the API is at most as large. */
export const LARGEST_ROW = MEBIBYTE;

export function tooLarge(line: number): FileError {
  return new FileError(
    line,
    `The question that begins in line ${line} is larger than 1 MiB: mark where the next one begins, or choose the right format.`,
  );
}

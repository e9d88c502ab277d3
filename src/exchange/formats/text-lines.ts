import { FileFault } from './file-fault';
import type { Bytes } from './row';
import { TextDecoding } from './text-decoding';

/** `text` is without its line end; `end` is "\n", "\r\n", "\r", or "" where the file ends. */
export interface Line {
  line: number;
  text: string;
  end: string;
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
 * @throws FileFault
 */
export async function* textLines(
  bytes: Bytes,
  decoding: { decode(bytes: Buffer, line: number): string } = new TextDecoding(),
  longest = MEBIBYTE,
): AsyncGenerator<Line[]> {
  const splitter = new LineSplitter(longest);
  const decode = (raw: RawLine): Line => ({
    line: raw.line,
    text: decoding.decode(raw.bytes, raw.line),
    end: raw.end,
  });
  for await (const chunk of asUtf8(bytes)) yield splitter.take(chunk).map(decode);
  yield splitter.end().map(decode);
}

/** Cuts bytes into lines, whatever the pieces are that they come in. */
class LineSplitter {
  private rest: Buffer = NOTHING;
  private line = 0;

  constructor(private readonly longest: number) {}

  take(chunk: Buffer): RawLine[] {
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    const lines: RawLine[] = [];
    let start = 0;
    // Each is looked for again only when it was passed, so that no byte is looked at twice.
    let feed = bytes.indexOf(FEED);
    let back = bytes.indexOf(RETURN);
    for (;;) {
      if (feed >= 0 && feed < start) feed = bytes.indexOf(FEED, start);
      if (back >= 0 && back < start) back = bytes.indexOf(RETURN, start);
      const stop = feed < 0 ? back : back < 0 ? feed : Math.min(feed, back);
      // A "\r" at the very end may be half of a "\r\n".
      if (stop < 0 || (stop === back && stop === bytes.length - 1)) break;
      const end = stop === feed ? '\n' : feed === back + 1 ? '\r\n' : '\r';
      lines.push(this.cut(bytes.subarray(start, stop), end));
      start = stop + end.length;
    }
    this.rest = bytes.subarray(start);
    this.measure(this.rest, this.line + 1);
    return lines;
  }

  end(): RawLine[] {
    if (this.rest.length === 0) return [];
    const returned = this.rest.at(-1) === RETURN;
    return [this.cut(returned ? this.rest.subarray(0, -1) : this.rest, returned ? '\r' : '')];
  }

  private cut(bytes: Buffer, end: string): RawLine {
    this.line += 1;
    this.measure(bytes, this.line);
    return { line: this.line, bytes, end };
  }

  private measure(bytes: Buffer, line: number): void {
    if (bytes.length <= this.longest) return;
    throw new FileFault(
      line,
      `Line ${line} is longer than ${this.longest / MEBIBYTE} MiB, so this is no file of questions or its line breaks are lost: save it anew as text.`,
    );
  }
}

/** UTF-16, which has a mark of its own, as UTF-8; anything else as it is. */
async function* asUtf8(bytes: Bytes): AsyncGenerator<Buffer> {
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
    throw new FileFault(
      1,
      'The file begins as UTF-16 but is damaged or cut off: save it anew as UTF-8.',
    );
  }
}

import { isUtf8 } from 'node:buffer';
import { decodeWindows1252 } from '../opentriviaqa/decode-text';
import { FileError } from '../file-error';
import type { NoteRow } from '../row';

const NOT_ASCII = /[^\0-\x7f]/;

/**
 * Decodes a file line by line: all of it UTF-8, or none of it, and then it is Windows-1252, which spreadsheets
 * on Windows still save by default. A mixture cannot be told from a damaged file, so it is refused.
 * (OpenTriviaQA's files are such a mixture: its reader uses `decodeText`.)
 */
export class TextDecoding {
  private utf8: number | undefined;
  private other: number | undefined;

  /** The same of several lines, or parts of them. @param line the first @throws FileError */
  decodeLines(bytes: Buffer, line: number): string {
    if (this.other === undefined && isUtf8(bytes)) {
      const text = bytes.toString('utf8');
      if (this.utf8 === undefined && text.length !== bytes.length)
        this.utf8 = line + (text.slice(0, text.search(NOT_ASCII)).match(/\n/g)?.length ?? 0);
      return text;
    }
    // Which line it is matters.
    let text = '';
    for (let start = 0, end: number; start < bytes.length; start = end, line += 1) {
      const feed = bytes.indexOf(0x0a, start);
      end = feed < 0 ? bytes.length : feed + 1;
      text += this.decode(bytes.subarray(start, end), line);
    }
    return text;
  }

  /** @throws FileError */
  decode(bytes: Buffer, line: number): string {
    const utf8 = bytes.toString('utf8');
    if (utf8.includes('\0'))
      throw new FileError(line, `Line ${line} contains a NUL byte, so this is not a text file.`);
    const valid = !utf8.includes('\uFFFD') || isUtf8(bytes);
    const text = valid ? utf8 : decodeWindows1252(bytes);
    if (!valid) this.other ??= line;
    else if (text.length !== bytes.length) this.utf8 ??= line;
    if (this.utf8 !== undefined && this.other !== undefined) {
      const [no, yes] = [this.other, this.utf8];
      throw new FileError(
        line,
        no === yes
          ? `The file mixes encodings: line ${no} is UTF-8 only in part. Save it again as UTF-8.`
          : `The file mixes encodings: line ${no} is not UTF-8, though line ${yes} is. Save it again as UTF-8.`,
      );
    }
    if (!valid && text.includes('\uFFFD'))
      throw new FileError(
        line,
        `Line ${line} is neither UTF-8 nor Windows-1252: save the file again as UTF-8.`,
      );
    return text;
  }

  /** What the reader of the report should know when the file was read. */
  *notes(): Generator<NoteRow> {
    if (this.other === undefined) return;
    yield {
      line: this.other,
      note: 'The file is not UTF-8 and was read as Windows-1252: look whether letters with accents are right.',
    };
  }
}

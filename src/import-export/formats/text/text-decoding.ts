import { isUtf8 } from 'node:buffer';
import { FileError, type NoteRow } from '../row';

const NOT_ASCII = /[^\0-\x7f]/;
const LINE_END = /\r\n|\r|\n/g;
/** Lines with their ends. */
const LINES = /[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g;

/** What often follows a letter in Windows-1252: quotation marks, dashes, a no-break space ("Spaß“", "café »"). */
const MARK = String.raw`[\x82\x84\x85\x8B\x91-\x97\x99\x9B\xA0\xAB\xAD\xAE\xB4\xB7\xBB]`;
/** A UTF-8 sequence of two to four bytes, shown as Latin-1 characters, that is not a letter of Windows-1252 and marks. */
const SURELY_UTF8 = new RegExp(
  String.raw`[\xC2-\xDF](?!${MARK})[\x80-\xBF]|[\xE0-\xEF](?!${MARK}{2})[\x80-\xBF]{2}|[\xF0-\xF4](?!${MARK}{3})[\x80-\xBF]{3}`,
);

/**
 * Decodes a file piece by piece: either all of it is UTF-8, or it is Windows-1252, which spreadsheets on Windows
 * still save by default. A mixture cannot be distinguished from a damaged file, so it is refused. (OpenTriviaQA's
 * files are such a mixture: its reader uses `decodeText`.)
 */
export class TextDecoding {
  private firstUtf8Line: number | undefined;
  private firstOtherLine: number | undefined;

  /** @param line in which the bytes begin @throws FileError */
  decode(bytes: Buffer, line: number): string {
    if (this.firstOtherLine === undefined && isUtf8(bytes) && !bytes.includes(0)) {
      const text = bytes.toString('utf8');
      if (this.firstUtf8Line === undefined && text.length !== bytes.length)
        this.firstUtf8Line =
          line + (text.slice(0, text.search(NOT_ASCII)).match(LINE_END)?.length ?? 0);
      return text;
    }
    // An error names its line, so decode line by line.
    const lines = bytes.toString('latin1').match(LINES) ?? [];
    return lines.map((each, i) => this.decodeLine(Buffer.from(each, 'latin1'), line + i)).join('');
  }

  private decodeLine(bytes: Buffer, line: number): string {
    const utf8 = bytes.toString('utf8');
    if (utf8.includes('\0'))
      throw new FileError(line, `Line ${line} contains a NUL byte, so this is not a text file.`);
    const valid = !utf8.includes('\uFFFD') || isUtf8(bytes);
    if (!valid && SURELY_UTF8.test(bytes.toString('latin1')))
      throw new FileError(
        line,
        `The file mixes encodings: line ${line} is UTF-8 only in part. Save it again as UTF-8.`,
      );
    const text = valid ? utf8 : decodeWindows1252(bytes);
    if (!valid) this.firstOtherLine ??= line;
    else if (text.length !== bytes.length) this.firstUtf8Line ??= line;
    if (this.firstUtf8Line !== undefined && this.firstOtherLine !== undefined)
      throw new FileError(
        line,
        `The file mixes encodings: line ${this.firstOtherLine} is not UTF-8, though line ${this.firstUtf8Line} is. Save it again as UTF-8.`,
      );
    if (!valid && text.includes('\uFFFD'))
      throw new FileError(
        line,
        `Line ${line} is neither UTF-8 nor Windows-1252: save the file again as UTF-8.`,
      );
    return text;
  }

  /** The notes of a file's report about its encoding. */
  *notes(): Generator<NoteRow> {
    if (this.firstOtherLine === undefined) return;
    yield {
      line: this.firstOtherLine,
      note: 'The file is not UTF-8 and was read as Windows-1252: check that accented letters look right.',
    };
  }
}

/**
 * Windows-1252 for the bytes 0x80 to 0x9F; above them it equals Latin-1. Our own table, because
 * TextDecoder('windows-1252') gives control characters for these bytes on Node 20.18.3 and later,
 * 22.13 and later (nodejs/node#56542).
 */
const WINDOWS_1252 = '€\uFFFD‚ƒ„…†‡ˆ‰Š‹Œ\uFFFDŽ\uFFFD\uFFFD‘’“”•–—˜™š›œ\uFFFDžŸ';

/** Every byte as a character of Windows-1252, the five undefined ones as U+FFFD. */
function decodeWindows1252(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[\x80-\x9F]/g, windows1252);
}

/** @param char U+0080 to U+009F; other characters are returned unchanged */
export function windows1252(char: string): string {
  return WINDOWS_1252[char.charCodeAt(0) - 0x80] ?? char;
}

import { isUtf8 } from 'node:buffer';
import { FileError, type NoteRow } from '../row';

const NOT_ASCII = /[^\0-\x7f]/;
const LINE_END = /\r\n|\r|\n/g;
/** Lines with their ends. */
const LINES = /[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g;

/**
 * Decodes a file piece by piece: either all of it is UTF-8, or it is Windows-1252, which spreadsheets on Windows
 * still save by default. A mixture cannot be distinguished from a damaged file, so it is refused. (OpenTriviaQA's
 * files are such a mixture: its reader uses `decodeText`.)
 */
export class TextDecoding {
  /** The first lines that are UTF-8, and that are not. */
  private utf8: number | undefined;
  private other: number | undefined;

  /** @param line in which the bytes begin @throws FileError */
  decode(bytes: Buffer, line: number): string {
    if (this.other === undefined && isUtf8(bytes) && !bytes.includes(0)) {
      const text = bytes.toString('utf8');
      if (this.utf8 === undefined && text.length !== bytes.length)
        this.utf8 = line + (text.slice(0, text.search(NOT_ASCII)).match(LINE_END)?.length ?? 0);
      return text;
    }
    // Which line it is matters.
    const lines = bytes.toString('latin1').match(LINES) ?? [];
    return lines.map((each, i) => this.decodeLine(Buffer.from(each, 'latin1'), line + i)).join('');
  }

  private decodeLine(bytes: Buffer, line: number): string {
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

  /** The notes of a file's report about its encoding. */
  *notes(): Generator<NoteRow> {
    if (this.other === undefined) return;
    yield {
      line: this.other,
      note: 'The file is not UTF-8 and was read as Windows-1252: check that accented letters look right.',
    };
  }
}

/**
 * Windows-1252 for the bytes 0x80 to 0x9F; above them it equals Latin-1. Our own table, because
 * TextDecoder('windows-1252') gives control characters for these bytes on Node 20.18.3 and later,
 * 22.13 and later (nodejs/node#56542).
 */
const WINDOWS_1252 = '€�‚ƒ„…†‡ˆ‰Š‹Œ�Ž��‘’“”•–—˜™š›œ�žŸ';

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

/** Every byte as a character of Windows-1252, the five undefined ones as U+FFFD. */
function decodeWindows1252(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[\x80-\x9F]/g, windows1252);
}

function decodeMixed(latin1: string): string {
  const repaired = LOST.reduce((text, [cut, whole]) => text.replace(cut, whole), latin1);
  // "Ï?" beside other UTF-8 is half a character; in a line without any it is a plain "Ï?".
  const hasUtf8 = SEQUENCE.test(repaired);
  return repaired.replace(SEQUENCE_HALF_OR_BYTE, (found: string, whole?: string, half?: string) => {
    if (whole) return Buffer.from(whole, 'latin1').toString('utf8');
    return half && hasUtf8 ? '�' : windows1252(found);
  });
}

function windows1252(char: string): string {
  return WINDOWS_1252[char.charCodeAt(0) - 0x80] ?? char;
}

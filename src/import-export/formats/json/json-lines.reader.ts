import { asUtf8, MEBIBYTE, textLines } from '../text/text-lines';
import { readJson } from './json.reader';
import type { Reader } from '../row';

/** An element may be as long as in JSON. */
const LONGEST_LINE = 8 * MEBIBYTE;

/** Reads JSON Lines: a question in each line. @throws FileError */
export const readJsonLines: Reader = (bytes) =>
  readJson({
    // The same bytes as one list, each in its line.
    async *[Symbol.asyncIterator]() {
      let before = '[';
      const latin1 = { decode: (line: Buffer): string => line.toString('latin1') };
      for await (const lines of textLines(asUtf8(bytes), latin1, LONGEST_LINE)) {
        let text = '';
        for (const line of lines) {
          text += line.text.trim() ? before + line.text + line.end : line.end;
          if (line.text.trim()) before = ',';
        }
        yield Buffer.from(text, 'latin1');
      }
      yield Buffer.from(before === '[' ? '[]' : ']');
    },
  });

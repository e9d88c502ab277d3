import { type Bytes, FileError, type Reader } from '../row';
import type { TextDecoding } from '../text/text-decoding';
import { type Line, textLines } from '../text/text-lines';
import { cardColumns } from './column-contents';
import { readTable } from './csv.reader';
import { type CsvHead, HEAD_LENGTH } from './csv-head';
import type { CsvFile, CsvRecord } from './csv-records';

/** What separates a question from its answer, in order of precedence. */
const SEPARATORS = ['\t', ' - ', ' – ', ' — ', ' = ', ';', ','] as const;
/** The share of lines that must have the separator: one line without it is an error of its row. */
const SHARE = 0.6;
const NUMBER = /^\(?\d{1,4}[.)]\s+/;
const [FEWEST, MOST] = [2, 1_000];

/** The separator of most lines, each of which has it once; undefined if there is none. */
export function cardSeparator(
  lines: readonly string[],
  separators: readonly string[] = SEPARATORS,
): string | undefined {
  const said = lines.filter((line) => line.trim()).slice(0, MOST);
  if (said.length === 0) return undefined;
  const shares = separators.map((separator) => {
    const fitting = said.filter((line) => line.split(separator, 3).length === 2).length;
    const isEnough = separator === '\t' || fitting >= FEWEST;
    return { separator, share: isEnough ? fitting / said.length : 0 };
  });
  return shares.find(({ share }) => share >= SHARE)?.separator;
}

/** Reads flash cards, one in each line: a question, a tab (or a dash) and its answer. @throws FileError */
export const readCards: Reader = (bytes, options) =>
  readTable((decoding) => openCards(bytes, decoding), options);

async function openCards(bytes: Bytes, decoding: TextDecoding): Promise<CsvFile | null> {
  const batches = textLines(bytes, decoding);
  const head: Line[] = [];
  let length = 0;
  for (;;) {
    const next = await batches.next();
    if (next.done) break;
    for (const line of next.value) {
      if (!line.text.trim()) continue;
      head.push(line);
      length += line.text.length + 1;
    }
    if (length > HEAD_LENGTH) break;
  }
  const [first] = head;
  if (!first) return null;
  const texts = head.map(({ text }) => text);
  const separator = cardSeparator(texts);
  if (separator === undefined) {
    await batches.return(undefined);
    throw new FileError(
      first.line,
      'The lines are no flash cards: put a tab between the question and its answer in each, or choose another format.',
    );
  }
  const isNumbered =
    texts.filter((text) => NUMBER.test(text.trimStart())).length >= SHARE * texts.length;
  const split = ({ line, text }: Line): CsvRecord => {
    const said = isNumbered ? text.trim().replace(NUMBER, '') : text;
    return { line, cells: said.trim().split(separator) };
  };
  async function* records(): AsyncGenerator<CsvRecord[]> {
    try {
      yield head.map(split);
      for await (const lines of batches) yield lines.filter(({ text }) => text.trim()).map(split);
    } finally {
      // Whoever reads the cards may stop at those of the head.
      await batches.return(undefined);
    }
  }
  const csvHead: CsvHead = {
    separator,
    skipped: 0,
    rows: head.slice(0, 10).map((line) => split(line).cells),
    found: { columns: cardColumns(), rows: 0, areCards: true },
  };
  return { head: csvHead, records: records() };
}

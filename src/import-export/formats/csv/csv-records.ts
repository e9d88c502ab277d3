import { parse } from 'csv-parse';
import { LARGEST_ROW, type Line, textOf } from '../text/text-lines';
import { CSV_OPTIONS, type CsvHead, csvHead, HEAD_LENGTH } from './csv-head';
import { type AnkiLines, ankiRow } from './program-lines';

/** A row of cells and the line in which it begins. */
export interface CsvRecord {
  cells: string[];
  line: number;
  /** Why it cannot be read; where a quotation mark is missing, the row is only the line that it begins in. */
  error?: string;
  /** What its texts lose. */
  notes?: string[];
}

export interface CsvFile {
  head: CsvHead;
  /** The rows that are not blank, many at a time. */
  records: AsyncGenerator<CsvRecord[]>;
}

/** A CSV file of these lines; null for an empty one. */
export async function openCsv(batches: AsyncGenerator<Line[]>): Promise<CsvFile | null> {
  const lines: Line[] = [];
  let length = 0;
  for (;;) {
    const next = await batches.next();
    if (next.done) break;
    for (const line of next.value) {
      if (lines.length === 0 && !line.text.trim()) continue;
      lines.push(line);
      length += line.text.length + 1;
    }
    if (length > HEAD_LENGTH) break;
  }
  const head = csvHead(textOf(lines));
  const rows = lines.slice(head.skipped);
  if (rows.length === 0) return null;
  const last = lines[head.skipped - 1];
  if (last && head.header !== undefined) rows.unshift({ ...last, text: head.header });
  const all = records(rows, batches, head.separator);
  return { head, records: head.anki ? recordsOfAnki(all, head.anki) : all };
}

async function* recordsOfAnki(
  batches: AsyncGenerator<CsvRecord[]>,
  anki: AnkiLines,
): AsyncGenerator<CsvRecord[]> {
  for await (const records of batches)
    yield records.map((record) => ({ ...record, ...ankiRow(record.cells, record.line, anki) }));
}

async function* records(
  head: Line[],
  rest: AsyncGenerator<Line[]>,
  separator: string,
): AsyncGenerator<CsvRecord[]> {
  const rows = new RowLines(separator);
  const parsed: string[][] = [];
  const parser = parse({
    ...CSV_OPTIONS,
    delimiter: separator,
    // Collected here and not read from the stream, which would lose the rows before an error.
    on_record: (cells: string[]) => {
      parsed.push(cells);
      // csv-parse compares a row's length with that of row 0 and makes an error of every difference, wanted or not:
      // 0.08 ms each, 5 s for 256 KiB of short rows. So each row is made row 0.
      (parser.info as { records: number }).records = 0;
      return null;
    },
  });
  const problem = new Promise<Error | undefined>((resolve) => {
    parser.on('error', resolve).on('end', () => resolve(undefined));
  });
  parser.resume();

  const waiting: RowStart[] = [];
  // The parser may keep a row until it has the text that follows.
  const placed = (): CsvRecord[] => {
    const records: CsvRecord[] = [];
    let [at, taken] = [0, 0];
    for (; at < waiting.length; at += 1) {
      const { line, unclosed } = waiting[at]!;
      if (unclosed !== undefined) {
        records.push({ cells: [unclosed], line, error: MISSING_QUOTE });
        continue;
      }
      const cells = parsed[taken];
      if (!cells) break;
      taken += 1;
      if (cells.some((cell) => cell.trim())) records.push({ cells, line });
    }
    waiting.splice(0, at);
    parsed.splice(0, taken);
    return records;
  };
  const steps = inSteps(head, rest);
  try {
    for (let step = await steps.next(); !step.done && !parser.errored;) {
      const next = await steps.next();
      const { starts, text } = rows.take(step.value, next.done === true);
      for (const start of starts) waiting.push(start);
      parser.write(text);
      yield placed();
      step = next;
    }
  } finally {
    // Whoever reads the rows may stop before the end of the file, also while the steps are those of the head.
    await steps.return();
    await rest.return(undefined);
  }
  if (!parser.errored) parser.end();
  const error = await problem;
  yield placed();
  if (error) throw error;
  if (waiting.length > 0)
    throw new Error('The rows of a CSV file differ from those of its parser.');
}

/** Lines that are parsed at once: a file of bad rows is given up after some thousands of them. */
const LINES_AT_ONCE = 1_000;

async function* inSteps(head: Line[], rest: AsyncGenerator<Line[]>): AsyncGenerator<Line[], void> {
  yield* stepsOf(head);
  for await (const lines of rest) yield* stepsOf(lines);
}

function* stepsOf(lines: Line[]): Generator<Line[], void> {
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE)
    yield lines.slice(at, at + LINES_AT_ONCE);
}

/** Where a row begins. */
interface RowStart {
  line: number;
  /** The text of the line if a quotation mark is missing there. */
  unclosed?: string;
}

/**
 * Finds where each row begins. Where a quotation mark is missing, a row would run into the next: it ends with its first
 * line, and the lines below it are read as rows of their own. Each line is looked at a few times, however many such
 * rows there are.
 */
class RowLines {
  private readonly lines: Line[] = [];
  /** The lines looked at of a row that does not end in those above, and their length. */
  private open = { count: 1, length: 0 };
  /** Up to this line no text in quotes ends properly, so a row that opens one there is unclosed. */
  private brokenTo = 0;

  constructor(private readonly separator: string) {}

  /**
   * @param isLast no further lines follow
   * @returns the rows that end in these lines, and the text of those that can be parsed
   */
  take(more: Line[], isLast: boolean): { starts: RowStart[]; text: string } {
    const { lines } = this;
    for (const line of more) lines.push(line);
    const starts: RowStart[] = [];
    let text = '';
    let at = 0;
    while (at < lines.length) {
      const first = lines[at]!;
      const count = first.text.trim() ? this.countLines(lines, at, isLast) : 0;
      if (count === undefined) break;
      if (count === UNCLOSED) starts.push({ line: first.line, unclosed: first.text });
      else if (count > 0) {
        starts.push({ line: first.line });
        for (let n = at; n < at + count; n += 1) text += lines[n]!.text + lines[n]!.end;
      }
      at += Math.max(count, 1);
    }
    lines.splice(0, at);
    return { starts, text };
  }

  /** How many lines the row has that begins there; undefined if it does not end in these. */
  private countLines(lines: Line[], at: number, isLast: boolean): number | undefined {
    const { line, text } = lines[at]!;
    if (!text.includes('"')) return 1;
    const first = quotesIn(text, this.separator, false);
    if (!first.isOpen) {
      const isRest = line <= this.brokenTo && (first.isMalformed || first.isOdd);
      return isRest ? UNCLOSED : 1;
    }
    if (first.isMalformed || line < this.brokenTo) return UNCLOSED;
    let { count, length } = this.open;
    this.open = { count: 1, length: 0 };
    for (; at + count < lines.length; count += 1) {
      const next = lines[at + count]!;
      const { isOpen, isMalformed } = quotesIn(next.text, this.separator, true);
      length += next.text.length + 1;
      if (isMalformed || length > LARGEST_ROW) {
        this.brokenTo = next.line;
        return UNCLOSED;
      }
      if (!isOpen) return count + 1;
    }
    if (!isLast) {
      this.open = { count, length };
      return undefined;
    }
    this.brokenTo = Infinity;
    return UNCLOSED;
  }
}

const UNCLOSED = -1;
const MISSING_QUOTE =
  'A quotation mark is missing here, so that it is not clear where the row ends: close the text with ", and write a quotation mark within it twice.';

interface Quotes {
  /** A text in quotes goes on in the next line. */
  isOpen: boolean;
  /** A quotation mark within quotes is neither doubled nor the end of a cell. */
  isMalformed: boolean;
  isOdd: boolean;
}

/** The quotation marks of a line, as csv-parse reads them. @param isOpen the line begins within quotes */
function quotesIn(text: string, separator: string, isOpen: boolean): Quotes {
  const quotes: Quotes = { isOpen, isMalformed: false, isOdd: false };
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) {
    const next = text[at + 1];
    quotes.isOdd = !quotes.isOdd;
    if (!quotes.isOpen) quotes.isOpen = at === 0 || text[at - 1] === separator;
    else if (next === '"') {
      quotes.isOdd = !quotes.isOdd;
      at += 1;
    } else {
      quotes.isOpen = false;
      quotes.isMalformed ||= next !== undefined && next !== separator;
    }
  }
  return quotes;
}

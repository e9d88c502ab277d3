import { CsvError, parse } from 'csv-parse';
import { FileError } from '../row';
import { type Line, MEBIBYTE, textOf } from '../text/text-lines';
import { CSV_OPTIONS, type CsvHead, csvHead, HEAD_LENGTH } from './csv-head';

/** A row of cells and the line in which it begins. */
export interface CsvRecord {
  cells: string[];
  line: number;
  /** A quotation mark is missing, so that the row may have swallowed others. */
  isUnclosed?: boolean;
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
  return rows.length > 0 ? { head, records: records(rows, batches, head.separator) } : null;
}

async function* records(
  head: Line[],
  rest: AsyncGenerator<Line[]>,
  separator: string,
): AsyncGenerator<CsvRecord[]> {
  const found: { cells: string[]; blank: number; isUnclosed: boolean }[] = [];
  const parser = parse({
    ...CSV_OPTIONS,
    delimiter: separator,
    max_record_size: MEBIBYTE,
    raw: true,
    // Collected here and not read from the stream, which would lose the rows before an error.
    on_record: (row: string[], { empty_lines: blank }) => {
      // What `raw` makes of it, which its types do not say.
      const { record, raw } = row as unknown as { record: string[]; raw: string };
      const isUnclosed = record.some(hasBreak) && isMalformed(raw, separator);
      found.push({ cells: record, blank, isUnclosed });
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

  // csv-parse counts a line break within quotes twice (7.0.3), so the lines are counted here.
  let line = head[0]?.line ?? 1;
  let blanks = 0;
  const placed = (): CsvRecord[] => {
    const records: CsvRecord[] = [];
    for (const { cells, blank, isUnclosed } of found.splice(0)) {
      line += blank - blanks;
      blanks = blank;
      if (cells.some((cell) => cell.trim()))
        records.push({ cells, line, ...(isUnclosed && { isUnclosed }) });
      line += 1 + cells.reduce((sum, cell) => sum + lineBreaks(cell), 0);
    }
    return records;
  };
  for (let lines: Line[] | undefined = head; lines && !parser.errored;) {
    parser.write(textOf(lines));
    yield placed();
    const next = await rest.next();
    lines = next.done ? undefined : next.value;
  }
  if (!parser.errored) parser.end();
  const error = await problem;
  yield placed();
  if (error) throw error instanceof CsvError ? (fileError(error, line) ?? error) : error;
}

const hasBreak = (cell: string): boolean => /[\r\n]/.test(cell);

/** Whether a quotation mark within quotes is neither doubled nor the end of a cell. */
function isMalformed(raw: string, separator: string): boolean {
  for (let at = raw.indexOf('"'), isOpen = false; at >= 0; at = raw.indexOf('"', at + 1)) {
    const next = raw[at + 1];
    if (!isOpen) {
      const before = raw[at - 1];
      isOpen = before === undefined || before === separator || /\s/.test(before);
    } else if (next === '"') at += 1;
    else if (next === undefined || next === separator || /[\r\n]/.test(next)) isOpen = false;
    else return true;
  }
  return false;
}

const lineBreaks = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0;

function fileError({ code }: CsvError, line: number): FileError | null {
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return new FileError(
      line,
      `A text in quotes begins in line ${line} and does not end, or the file was cut off: close it with ", and write a quote within it twice.`,
    );
  return code === 'CSV_MAX_RECORD_SIZE'
    ? new FileError(
        line,
        `The row that begins in line ${line} is larger than 1 MiB, probably because a closing quotation mark is missing.`,
      )
    : null;
}

import { CsvError, parse } from 'csv-parse';
import { unguardCell } from './csv-cells';
import { columnsOf, defaultColumns, MOST_COLUMNS, type Columns } from './csv-columns';
import { csvRow } from './csv-row';
import { separatorOf } from './csv-separator';
import { FileFault } from '../file-fault';
import type { Bytes, ImportRow, NoteRow } from '../row';
import { TextDecoding } from '../text-decoding';
import { MEBIBYTE, textLines, textOf, type Line } from '../text-lines';
import { list, quote } from '../words';

/**
 * Reads CSV with the columns of docs/import-export.md, in any order, with any separator; texts with line
 * breaks stand in quotes. `line` is where a row begins. @throws FileFault
 */
export async function* readCsv(bytes: Bytes): AsyncGenerator<ImportRow> {
  const decoding = new TextDecoding();
  let columns: Columns | undefined;
  for await (const { cells, line } of records(textLines(bytes, decoding))) {
    if (cells.every((cell) => !cell.trim())) continue;
    if (!columns) {
      // Spreadsheets may save all the columns that they have, and those without a name do no harm.
      const count = cells.findLastIndex((cell) => cell.trim()) + 1;
      if (count > MOST_COLUMNS) throw tooManyColumns(line, count);
      const header = columnsOf(cells);
      columns = header ?? defaultColumns(cells) ?? undefined;
      if (!columns) throw noHeader(line, cells);
      if (columns.unknown.length > 0) yield unknownColumns(line, columns.unknown);
      if (header) continue;
    }
    yield csvRow({ line }, columns, cells.map(unguardCell));
  }
  yield* decoding.notes();
}

/** The rows of cells, each with the line it begins in. */
async function* records(
  batches: AsyncGenerator<Line[]>,
): AsyncGenerator<{ cells: string[]; line: number }> {
  const head = await headOf(batches);
  if (!head) return;
  const found: { cells: string[]; blank: number }[] = [];
  const parser = parse({
    delimiter: head.separator,
    record_delimiter: ['\r\n', '\n', '\r'],
    // What is wrong with the number of cells is said in our words, and a quote within a text is one.
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MEBIBYTE,
    // Taken here and not from the stream, which would lose the rows before a fault.
    on_record: (cells: string[], { empty_lines: blank }) => {
      found.push({ cells, blank });
      return null;
    },
  });
  const fault = new Promise<Error | undefined>((resolve) => {
    parser.on('error', resolve).on('end', () => resolve(undefined));
  });
  parser.resume();

  // csv-parse counts a line break within quotes twice (7.0.3), so the lines are counted here.
  let line = head.lines[0]?.line ?? 1;
  let blanks = 0;
  function* placed(): Generator<{ cells: string[]; line: number }> {
    for (const { cells, blank } of found.splice(0)) {
      line += blank - blanks;
      blanks = blank;
      yield { cells, line };
      line += 1 + cells.reduce((sum, cell) => sum + lineBreaks(cell), 0);
    }
  }
  for await (const text of textFrom(head.lines, batches)) {
    parser.write(text);
    yield* placed();
    if (parser.errored) break;
  }
  if (!parser.errored) parser.end();
  const error = await fault;
  yield* placed();
  if (error) throw error instanceof CsvError ? (fileFault(error, line) ?? error) : error;
}

/** The separator, and the lines read so far that rows stand in; null for an empty file. */
async function headOf(
  batches: AsyncGenerator<Line[]>,
): Promise<{ separator: string; lines: Line[] } | null> {
  for (;;) {
    const next = await batches.next();
    if (next.done) return null;
    const value = next.value;
    const first = value.findIndex(({ text }) => text.trim());
    const line = value[first];
    if (!line) continue;
    // Excel's own first line for those who open the file with other settings.
    const told = /^sep=(.)$/i.exec(line.text)?.[1];
    return told
      ? { separator: told, lines: value.slice(first + 1) }
      : { separator: separatorOf(line.text), lines: value.slice(first) };
  }
}

async function* textFrom(head: Line[], rest: AsyncGenerator<Line[]>): AsyncGenerator<string> {
  yield textOf(head);
  for await (const lines of rest) if (lines.length > 0) yield textOf(lines);
}

const lineBreaks = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0;

function fileFault({ code }: CsvError, line: number): FileFault | null {
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return new FileFault(
      line,
      `A text in quotes begins in line ${line} and does not end, or the file was cut off: close it with ", and write a quote within it twice.`,
    );
  return code === 'CSV_MAX_RECORD_SIZE'
    ? new FileFault(
        line,
        `The row that begins in line ${line} is larger than 1 MiB, probably for a text in quotes that does not end: close it with ".`,
      )
    : null;
}

function unknownColumns(line: number, names: readonly string[]): NoteRow {
  const shown = list(names.slice(0, 10).map(quote));
  const rest = names.length > 10 ? ` (and ${names.length - 10} more)` : '';
  return {
    line,
    note: `The column${names.length > 1 ? 's' : ''} ${shown}${rest} cannot be kept and ${names.length > 1 ? 'are' : 'is'} left out.`,
  };
}

function tooManyColumns(line: number, count: number): FileFault {
  return new FileFault(
    line,
    `Line ${line} has ${count} columns, and a file of questions has at most ${MOST_COLUMNS}: remove those that are not needed, or look whether the separator is right.`,
  );
}

function noHeader(line: number, cells: readonly string[]): FileFault {
  return new FileFault(
    line,
    `Line ${line} (${quote(cells.join(' '))}) does not name the columns: begin the file with a line such as question,correct_answer,wrong_answer_1,wrong_answer_2 or question,answer_1,answer_2,correct_numbers.`,
  );
}

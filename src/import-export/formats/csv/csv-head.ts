import { parse } from 'csv-parse/sync';
import { cardColumns, columnsOf, defaultColumns, HEADER_LINES, type Columns } from './csv-columns';

/** How much of a file is looked at for its header, in characters. */
export const HEAD_LENGTH = 64 * 1024;

/** The settings with which all of a file is read, too. */
export const CSV_OPTIONS = {
  record_delimiter: ['\r\n', '\n', '\r'],
  // What is wrong with the number of cells is said in our words, and a quote within a text is one.
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
};

export interface CsvHead {
  separator: string;
  /** How many lines above the rows are for programs. */
  skipped: number;
  /** The rows that the file begins with. */
  rows: string[][];
  /** Undefined where nothing says what the columns are. */
  found?: {
    columns: Columns;
    /** How many rows the columns' names and what stands above them take; 0 where there is no header. */
    rows: number;
    /** Flash cards without a header. */
    areCards?: true;
  };
}

/** Excel's own first line for those who open the file with other settings, and Anki's. */
const FOR_PROGRAMS =
  /^(?:sep=.[\r\n]+|(?:#(?:separator|html|tags|columns|notetype|deck|guid)[a-z ]*:.*(?:\r\n|\r|\n))+)/i;

/**
 * How a CSV file begins. The separator is whichever makes the most known columns of one of the first lines, of
 * all the marks in the first of them.
 */
export function csvHead(text: string): CsvHead {
  const above = FOR_PROGRAMS.exec(text)?.[0] ?? '';
  const skipped = above.match(/\r\n|\r|\n/g)?.length ?? 0;
  const told = /^(?:sep=|#separator:)(tab|.)/i.exec(above)?.[1]?.replace(/^tab$/i, '\t');
  const head = text.slice(above.length, HEAD_LENGTH);
  const line = /^\s*([^\r\n]{0,10000})/.exec(head)?.[1] ?? '';
  const marks = new Set(line.match(/[^\p{L}\p{N}\p{M} "'_().\-\r\n]/gu));
  const heads = [
    ...new Set([...(told ? [told] : [',', ';', '\t', '|']), ...[...marks].slice(0, 8)]),
  ]
    .slice(0, told ? 1 : 12)
    .map((separator) => withColumns(separator, rowsOf(head, separator)));
  const best = heads.reduce((best, each) => (score(each) > score(best) ? each : best));
  if (best.found) return { ...best, skipped };
  const cards = heads.find(({ rows, separator }) => cardColumns(rows, separator));
  const columns = cards && cardColumns(cards.rows, cards.separator);
  const found = columns && { columns, rows: 0, areCards: true as const };
  return { ...(cards ?? best), skipped, ...(found && { found }) };
}

function rowsOf(head: string, separator: string): string[][] {
  const rows: string[][] = [];
  try {
    parse(head, {
      ...CSV_OPTIONS,
      delimiter: separator,
      to: 2 * HEADER_LINES,
      on_record: (cells: string[]) => {
        if (rows.length < HEADER_LINES && cells.some((cell) => cell.trim())) rows.push(cells);
        return null;
      },
    });
  } catch {
    // The head may end within quotes; the rows before that are whole.
  }
  return rows;
}

/** What the first rows tell of the columns. */
export function withColumns(separator: string, rows: string[][]): CsvHead {
  for (const [place, cells] of rows.entries()) {
    const below = rows[place + 1];
    const columns = columnsOf(cells);
    const both = below && columnsOf(joined(cells, below));
    // Socrative names the answers in a line of their own.
    const isDouble = both && columnsOf(below) === null && known(both) > known(columns) + 1;
    if (both && isDouble && !below[both.at.get('text')?.[0] ?? 0]?.trim())
      return { separator, skipped: 0, rows, found: { columns: both, rows: place + 2 } };
    if (columns) return { separator, skipped: 0, rows, found: { columns, rows: place + 1 } };
  }
  const columns = defaultColumns(rows[0] ?? []);
  return { separator, skipped: 0, rows, ...(columns && { found: { columns, rows: 0 } }) };
}

const joined = (upper: readonly string[], lower: readonly string[]): string[] =>
  Array.from({ length: Math.max(upper.length, lower.length) }, (_, place) =>
    lower[place]?.trim() ? lower[place] : (upper[place] ?? ''),
  );

const known = (columns: Columns | null): number =>
  [...(columns?.at.values() ?? [])].reduce((sum, places) => sum + places.length, 0);

/** The earlier a header, the better. */
function score({ found }: CsvHead): number {
  if (!found) return 0;
  return 1_000 + known(found.columns) - found.columns.unknown.length - 10 * found.rows;
}

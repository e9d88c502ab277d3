import { parse } from 'csv-parse/sync';
import { columnsByContent, columnsOfCards, isAsked } from './column-contents';
import { type Columns, columnsOf, defaultColumns, isComplete } from './column-names';
import { type AnkiLines, ankiRow, programLines } from './program-lines';

/** A header is in one of the first lines: templates begin with a title. */
const HEADER_LINES = 10;

/** How many characters of a file are searched for its header. */
export const HEAD_LENGTH = 64 * 1024;

/** The settings for reading the whole file as well. */
export const CSV_OPTIONS = {
  record_delimiter: ['\r\n', '\n', '\r'],
  // Our own messages report a wrong number of cells, and a quote within a text is allowed.
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
};

export interface CsvHead {
  separator: string;
  /** How many lines above the rows are for programs. */
  skipped: number;
  anki?: AnkiLines;
  /** The last of these lines is read as this header. */
  header?: string | undefined;
  /** The rows that the file begins with. */
  rows: string[][];
  /** Undefined if nothing shows what the columns are. */
  found?: {
    columns: Columns;
    /** How many rows the header and the lines above it take; 0 without a header. */
    rows: number;
    /** Flash cards without a header. */
    areCards?: true;
    /** Known by what is in the columns, and not by their names. */
    isGuess?: true;
  };
}

/** The beginning of a CSV file. */
export function csvHead(text: string): CsvHead {
  const { above, separator, anki } = programLines(text);
  const skipped = above.match(/\r\n|\r|\n/g)?.length ?? 0;
  const rest = text.slice(above.length, HEAD_LENGTH);
  if (!anki) return { ...headOf(rest, separator), skipped };
  const named = anki.names ? headOf(`${anki.names}\n${rest}`, separator, anki) : undefined;
  if (named?.found?.rows === 1 && !named.found.isGuess)
    return { ...named, skipped, anki, header: anki.names };
  return { ...headOf(rest, separator, anki), skipped, anki };
}

/**
 * The separator is the one that gives the most known columns in one of the first lines, of all the punctuation in the
 * first of them.
 */
function headOf(head: string, named: string | undefined, anki?: AnkiLines): CsvHead {
  const line = /^\s*([^\r\n]{0,10000})/.exec(head)?.[1] ?? '';
  const marks = new Set(line.match(/[^\p{L}\p{N}\p{M} "'_().\-\r\n]/gu));
  const separators = named ? [named] : new Set([',', ';', '\t', '|', ...[...marks].slice(0, 8)]);
  const heads = [...separators].map((separator) => {
    const rows = rowsOf(head, separator);
    return withColumns(separator, anki ? rows.map((row) => ankiRow(row, 1, anki).cells) : rows);
  });
  const best = heads.reduce((best, each) => (score(each) > score(best) ? each : best));
  if (best.found) return best;
  const isAnki = anki !== undefined && named !== undefined;
  const columnsIn = ({ rows, separator }: CsvHead) =>
    isAnki || '\t,;'.includes(separator) ? columnsOfCards(rows, separator, isAnki) : null;
  const cards = heads.find(columnsIn);
  const columns = cards && columnsIn(cards);
  const found = columns && { columns, rows: 0, areCards: true as const };
  const guessed = cards ? undefined : heads.map(withGuess).find((each) => each.found);
  if (guessed) return guessed;
  const widest = heads.reduce((one, other) => (width(other) > width(one) ? other : one));
  return { ...(cards ?? widest), ...(found && { found }) };
}

const width = ({ rows }: CsvHead): number => rows[0]?.length ?? 0;

/** The same for the first rows of a sheet. */
export function tableHead(rows: string[][]): CsvHead {
  const head = withColumns('\t', rows);
  const columns = head.found ? null : columnsOfCards(rows, '\t', false);
  return columns
    ? { ...head, found: { columns, rows: 0, areCards: true } }
    : head.found
      ? head
      : withGuess(head);
}

/** The cells of the first rows that are not blank. */
export function rowsOf(head: string, separator: string): string[][] {
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
    // The head may end within quotes; the rows before that are complete.
  }
  return rows;
}

/** What the first rows show about the columns. */
export function withColumns(separator: string, rows: string[][]): CsvHead {
  for (const [place, cells] of rows.entries()) {
    const below = rows[place + 1];
    const columns = columnsOf(cells);
    const both = below && columnsOf(joined(cells, below));
    // A template may continue its header in the line below: Socrative names the answers there.
    const isDouble = both && columnsOf(below) === null && known(both) > known(columns) + 1;
    if (both && isDouble && !below[both.at.get('text')?.[0] ?? 0]?.trim())
      return { separator, skipped: 0, rows, found: { columns: both, rows: place + 2 } };
    if (columns) return { separator, skipped: 0, rows, found: { columns, rows: place + 1 } };
  }
  const columns = defaultColumns(rows[0] ?? []);
  return { separator, skipped: 0, rows, ...(columns && { found: { columns, rows: 0 } }) };
}

/** The head with its columns by their content; unchanged if they show nothing. */
function withGuess(head: CsvHead): CsvHead {
  const columns = columnsByContent(head.rows);
  if (!columns || !isComplete(columns)) return head;
  const [first = []] = head.rows;
  const place = columns.at.get('text')?.[0] ?? 0;
  const hasHeader = !isAsked(first[place]) && head.rows.length > 1;
  return { ...head, found: { columns, rows: hasHeader ? 1 : 0, isGuess: true } };
}

const joined = (upper: readonly string[], lower: readonly string[]): string[] =>
  Array.from({ length: Math.max(upper.length, lower.length) }, (_, place) =>
    lower[place]?.trim() ? lower[place] : (upper[place] ?? ''),
  );

const known = (columns: Columns | null): number =>
  [...(columns?.at.values() ?? [])].reduce((sum, places) => sum + places.length, 0);

/** Prefers the earliest header. */
function score({ found }: CsvHead): number {
  if (!found) return 0;
  return 1_000 + known(found.columns) - found.columns.unknown.length - 10 * found.rows;
}

import { csvRow } from '../../../platform/text/csv.rules';
import { readTable } from '../csv/csv';
import { MOST_COLUMNS, tableHead } from '../csv/csv-head';
import type { CsvFile, CsvRecord } from '../csv/csv-records';
import { type Bytes, FileError, type ImportRow, list, quote, type Reader } from '../row';
import { placeOf } from '../text/letters';
import { Workbook } from './workbook';
import { unescapeCell } from './xlsx.writer';

/** Rows that are searched for a header, and rows given at once. */
const [HEAD, BATCH] = [10, 200];

/** How numbers are shown: as a date, or in percent. */
type NumberStyle = 'date' | 'percent' | undefined;

interface Sheet {
  name: string;
  part: string;
}

interface Book {
  workbook: Workbook;
  /** Those that are visible, each with a part of its own. */
  sheets: Sheet[];
  texts: string[];
  styles: NumberStyle[];
  /** The number of 1970-01-01 among the workbook's days, which count from 1900 or 1904. */
  epoch: number;
}

/**
 * Reads a sheet of an Excel workbook like CSV: the first visible one whose columns are recognised, which a cover may precede,
 * else the first with rows. `line` is the row of the sheet. @throws FileError
 */
export const readXlsx: Reader = async function* (bytes, options): AsyncGenerator<ImportRow> {
  const book = await openBook(await Workbook.open(bytes));
  const sheet = await questionSheet(book);
  if (!sheet)
    throw new FileError(
      1,
      'The workbook has no visible sheet with rows: write the questions into its first sheet.',
    );
  const others = book.sheets.filter((other) => other !== sheet).map(({ name }) => quote(name));
  if (others.length > 0)
    yield {
      line: 1,
      note: `Only the sheet ${quote(sheet.name)} is read; ignored: ${list(others.slice(0, 5))}.`,
    };
  const { pictures } = book.workbook;
  if (pictures > 0)
    yield {
      line: 1,
      note: `The workbook has ${pictures === 1 ? 'a picture' : `${pictures} pictures`} beside its cells, and only texts are read: upload pictures in the editor, or import them in a folder with quizctl.`,
    };
  yield* readTable(() => openSheet(book, sheet.part), options);
};

async function questionSheet(book: Book): Promise<Sheet | undefined> {
  let first: Sheet | undefined;
  for (const sheet of book.sheets) {
    const rows = await headOf(book, sheet.part);
    if (rows.length === 0) continue;
    const { found } = tableHead(rows.map(({ cells }) => cells));
    // Two columns without names may be anything, and so may guessed ones.
    if (found && !found.areCards && !found.isGuess) return sheet;
    first ??= sheet;
  }
  return first;
}

/**
 * The sheet that is read, as CSV with the same row numbers. A small workbook can name one long text many times.
 * @param most characters
 * @throws FileError if it is longer, or far longer when it is unpacked
 */
export async function sheetText(bytes: Bytes, most: number): Promise<string> {
  const book = await openBook(await Workbook.open(bytes, MOST_UNPACKED * most));
  const sheet = await questionSheet(book);
  if (!sheet) return '';
  const lines: string[] = [];
  let left = most;
  for await (const rows of rowsOf(book, sheet.part))
    for (const { line, cells } of rows) {
      left -= cells.reduce((sum, cell) => sum + cell.length + 1, 0);
      if (left < 0) throw new FileError(line, 'The sheet is too long to be corrected here.');
      while (lines.length < Math.min(line - 1, MOST_GAPS)) lines.push('');
      lines.push(csvRow(cells.map((cell) => cell.replace(/[\r\n]+/g, ' '))).trimEnd());
    }
  return lines.join('\n');
}

/** Lines of a sheet that is corrected in the page. Its unpacked workbook may be so many times longer than its text. */
const [MOST_GAPS, MOST_UNPACKED] = [20_000, 32];

async function openSheet(book: Book, part: string): Promise<CsvFile> {
  const head = tableHead((await headOf(book, part)).map(({ cells }) => cells));
  return { head, records: rowsOf(book, part) };
}

async function headOf(book: Book, part: string): Promise<CsvRecord[]> {
  for await (const rows of rowsOf(book, part, HEAD)) return rows.slice(0, HEAD);
  return [];
}

async function openBook(workbook: Workbook): Promise<Book> {
  const book: Book = { workbook, sheets: [], texts: [], styles: [], epoch: 25_569 };
  const named: { name: string; id: string }[] = [];
  await workbook.readAll('xl/workbook.xml', {
    open(tag, at) {
      if (tag === 'workbookPr' && /^(?:1|true)$/.test(at.date1904 ?? '')) book.epoch = 24_107;
      if (tag === 'sheet' && (at.state ?? 'visible') === 'visible')
        named.push({ name: at.name ?? '', id: at['r:id'] ?? '' });
    },
  });
  const targets = new Map<string, string>();
  await workbook.readAll('xl/_rels/workbook.xml.rels', {
    open(tag, at) {
      if (tag === 'Relationship') targets.set(at.Id ?? '', at.Target ?? '');
    },
  });
  // Each part once: a workbook of a few bytes may name a long one 100,000 times.
  const parts = new Set<string>();
  for (const { name, id } of named) {
    const target = targets.get(id);
    if (!target) continue;
    const part = target.startsWith('/') ? target.slice(1) : `xl/${target}`;
    if (!parts.has(part)) book.sheets.push({ name, part });
    parts.add(part);
  }
  let text = '';
  let isReading = false;
  await workbook.readAll('xl/sharedStrings.xml', {
    open(tag) {
      if (tag === 'si') text = '';
      if (tag === 'rPh') isReading = true;
    },
    close(tag, said) {
      if (tag === 't' && !isReading) text += unescapeCell(said);
      if (tag === 'rPh') isReading = false;
      if (tag === 'si') book.texts.push(text);
    },
  });
  const codes = new Map<number, NumberStyle>();
  let isCells = false;
  await workbook.readAll('xl/styles.xml', {
    open(tag, at) {
      if (tag === 'numFmt') codes.set(Number(at.numFmtId), styleOf(at.formatCode ?? ''));
      if (tag === 'cellXfs') isCells = true;
      if (tag === 'xf' && isCells)
        book.styles.push(builtIn(Number(at.numFmtId)) ?? codes.get(Number(at.numFmtId)));
    },
    close(tag) {
      if (tag === 'cellXfs') isCells = false;
    },
  });
  return book;
}

function builtIn(id: number): NumberStyle {
  if (id === 9 || id === 10) return 'percent';
  return (id >= 14 && id <= 22) || (id >= 45 && id <= 47) ? 'date' : undefined;
}

function styleOf(code: string): NumberStyle {
  // Without texts in quotes and colours in brackets.
  const outside = code.split('"').filter((_, place) => place % 2 === 0);
  const marks = outside
    .join('')
    .split('[')
    .map((part) => part.slice(part.indexOf(']') + 1))
    .join('');
  if (marks.includes('%')) return 'percent';
  return /[ymdhs]/i.test(marks) && !/general/i.test(marks) ? 'date' : undefined;
}

/** The rows of a sheet that are not blank, many at a time. */
async function* rowsOf(book: Book, part: string, batch = BATCH): AsyncGenerator<CsvRecord[]> {
  let rows: CsvRecord[] = [];
  let row: CsvRecord = { line: 0, cells: [] };
  let cell = { place: -1, type: '', style: 0, text: '' };
  const pieces = book.workbook.read(part, {
    open(tag, at) {
      // A sheet has at most 1,048,576 rows; what else a file says is no number of one.
      if (tag === 'row')
        row = { line: /^\d{1,7}$/.test(at.r ?? '') ? Number(at.r) : row.line + 1, cells: [] };
      if (tag === 'c')
        cell = {
          place: columnOf(at.r) ?? cell.place + 1,
          type: at.t ?? 'n',
          style: Number(at.s) || 0,
          text: '',
        };
    },
    close(tag, said) {
      if (tag === 'v') cell.text += said;
      if (tag === 't') cell.text += unescapeCell(said);
      if (tag === 'c' && cell.text) put(row, cell.place, shown(book, cell));
      if (tag === 'row') {
        cell.place = -1;
        if (row.cells.some((it) => it.trim())) rows.push(row);
      }
    },
  });
  try {
    while (!(await pieces.next()).done)
      if (rows.length >= batch) {
        yield rows;
        rows = [];
      }
  } finally {
    await pieces.return(undefined);
  }
  if (rows.length > 0) yield rows;
}

/** A cell's address must not make a row of a million cells. */
function put(row: CsvRecord, place: number, text: string): void {
  if (place >= MOST_COLUMNS)
    throw new FileError(
      row.line,
      `Row ${row.line} has more than ${MOST_COLUMNS} columns: keep those of the questions.`,
    );
  while (row.cells.length < place) row.cells.push('');
  row.cells[place] = text;
}

/** The index of a cell's column: `B7` is 1. */
function columnOf(address: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(address ?? '')?.[0];
  return letters === undefined ? undefined : placeOf(letters);
}

/** A cell's text: dates in one form, and numbers without the decimals and signs that a format adds, except percent. */
function shown(
  book: Book,
  { type, style, text }: { type: string; style: number; text: string },
): string {
  if (type === 's') return book.texts[Number(text)] ?? '';
  if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE';
  const number = Number(text);
  if (type !== 'n' || !Number.isFinite(number)) return text;
  const kind = book.styles[style];
  if (kind === 'percent') return `${rounded(number * 100)}%`;
  return kind === 'date' ? dateOf(number, book.epoch) : rounded(number);
}

/** As Excel shows it: 0.1 + 0.2 is 0.3. */
const rounded = (number: number): string => String(Number(number.toPrecision(15)));

function dateOf(days: number, epoch: number): string {
  const date = new Date(Math.round((days - epoch) * 1_440) * 60_000);
  if (Number.isNaN(date.getTime())) return String(days);
  const [day = '', time = ''] = date.toISOString().slice(0, 16).split('T');
  if (days < 1) return time;
  return time === '00:00' ? day : `${day} ${time}`;
}

import { csvRow } from '../../../platform/text/csv.rules';
import { MOST_COLUMNS } from '../csv/column-names';
import { readTable } from '../csv/csv.reader';
import { tableHead } from '../csv/csv-head';
import type { CsvFile, CsvRecord } from '../csv/csv-records';
import { type Bytes, FileError, type ImportRow, list, quote, type Reader } from '../row';
import { letterOf, placeOf } from '../text/letters';
import { type Book, openBook, type Sheet } from './book';
import { shownNumber } from './number-styles';
import { FLATTENED, RichText } from './rich-text';
import { Workbook } from './workbook';

/** Rows that are searched for a header, and rows given at once. */
const [HEAD, BATCH] = [10, 200];

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
  const merged = await MergedCells.of(book, sheet.part);
  yield* readTable(() => openSheet(book, sheet.part, merged), options);
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
  const merged = await MergedCells.of(book, sheet.part);
  for await (const rows of rowsOf(book, sheet.part, { merged }))
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

async function openSheet(book: Book, part: string, merged: MergedCells): Promise<CsvFile> {
  const head = tableHead((await headOf(book, part)).map(({ cells }) => cells));
  return { head, records: rowsOf(book, part, { merged }) };
}

async function headOf(book: Book, part: string): Promise<CsvRecord[]> {
  for await (const rows of rowsOf(book, part, { batch: HEAD })) return rows.slice(0, HEAD);
  return [];
}

/**
 * Cells that are merged downwards: only the first of them has the value, and all of their rows show it. Only what several
 * questions have in common is meant so; a question above several rows has its answers in these.
 */
class MergedCells {
  /** The last ones above, of each column. */
  private readonly above = new Map<number, { text: string; top: number; bottom: number }>();

  /** @param bottoms the last row of the cells that begin in a row of a column: `B7` */
  private constructor(
    private readonly columns: readonly number[],
    private readonly bottoms: ReadonlyMap<string, number>,
  ) {}

  static async of(book: Book, part: string): Promise<MergedCells> {
    const rows = await headOf(book, part);
    const { found } = tableHead(rows.map(({ cells }) => cells));
    const columns = [...(found?.columns.at ?? [])].flatMap(([field, places]) =>
      COMMON.test(field) ? places : [],
    );
    const bottoms = new Map<string, number>();
    const header = rows[(found?.rows ?? 0) - 1]?.line ?? 0;
    const parts = book.workbook.read(part, {
      open(tag, { ref = '' }) {
        const [, column = '', top, bottom] = tag === 'mergeCell' ? (MERGED.exec(ref) ?? []) : [];
        if (Number(top) > header && Number(bottom) > Number(top))
          bottoms.set(column + top, Number(bottom));
      },
    });
    // They stand behind all rows of the sheet.
    if (columns.length > 0) while (!(await parts.next()).done);
    return new MergedCells(columns, bottoms);
  }

  fill(row: CsvRecord): void {
    for (const column of this.columns) {
      const text = row.cells[column] ?? '';
      const bottom = this.bottoms.get(letterOf(column) + row.line);
      if (bottom) this.above.set(column, { text, top: row.line, bottom });
      const above = this.above.get(column);
      // The sheet is read several times.
      if (above && !text && row.line > above.top && row.line <= above.bottom)
        put(row, column, above.text);
    }
  }
}

const COMMON = /^(?:quiz\w+|difficulty|source|licence)$/;
const MERGED = /^([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})$/;

/** The rows of a sheet that are not blank, many at a time. */
async function* rowsOf(
  book: Book,
  part: string,
  { batch = BATCH, merged }: { batch?: number; merged?: MergedCells },
): AsyncGenerator<CsvRecord[]> {
  let rows: CsvRecord[] = [];
  let row: CsvRecord = { line: 0, cells: [] };
  let cell = { place: -1, type: '', style: 0, text: '' };
  let text = new RichText();
  let hasFormula = false;
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
      if (tag === 'c') {
        text = new RichText();
        hasFormula = false;
      }
      if (tag === 'f') hasFormula = true;
      text.open(tag, at);
    },
    close(tag, said) {
      if (tag === 'v') cell.text += said;
      text.close(tag, said);
      if (tag === 'c') cell.text += text.text;
      if (tag === 'c' && cell.text) {
        put(row, cell.place, shown(book, cell));
        const isFlattened =
          cell.type === 's' ? book.flattened.has(Number(cell.text)) : text.isFlattened;
        if (isFlattened) note(row, FLATTENED);
        if (cell.type === 'e') note(row, WITH_ERROR);
      } else if (tag === 'c' && hasFormula && cell.type !== 'str') note(row, NO_VALUE);
      if (tag === 'row') {
        cell.place = -1;
        if (!row.cells.some((it) => it.trim())) return;
        merged?.fill(row);
        rows.push(row);
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

function note(row: CsvRecord, said: string): void {
  if (!row.notes?.includes(said)) row.notes = [...(row.notes ?? []), said];
}

/** Excel and LibreOffice store what formulas give; programs that write workbooks may leave it out. */
const NO_VALUE =
  'A formula has no value in the file and is read as empty: open the workbook in Excel or LibreOffice, save it, and import it again.';
const WITH_ERROR =
  'A formula shows an error, such as #N/A, which is read as text: correct it in the workbook.';

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

function shown(
  book: Book,
  { type, style, text }: { type: string; style: number; text: string },
): string {
  if (type === 's') return book.texts[Number(text)] ?? '';
  if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE';
  return type === 'n' ? shownNumber(text, book.styles[style], book.epoch) : text;
}

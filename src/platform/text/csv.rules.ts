/** UTF-8's byte order mark: without it Excel reads a UTF-8 file as Windows-1252. */
export const CSV_MARK = '\uFEFF';

/** One line of RFC 4180: commas, CR LF, and quotation marks where a cell needs them. A number is no formula. */
export const csvRow = (cells: readonly (string | number)[]): string =>
  `${cells.map(cell).join(',')}\r\n`;

function cell(content: string | number): string {
  if (typeof content === 'number') return String(content);
  const safe = guardCell(content);
  return /[",;\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * A spreadsheet executes a cell that begins with one of these as a formula, whoever wrote it. An apostrophe before it makes it
 * text, and the reader removes it. Where apostrophes precede such a character, there is one more, so every text is read back
 * unchanged. Format characters, such as a zero-width space, are invisible, and a spreadsheet may drop them.
 *
 * Cells begin within a text, too: Excel splits at ";" where a comma separates decimals, and regards quotation marks only at the
 * beginning of a cell.
 */
const SIGN = '=+\\-@＝＋－＠';
const BLANK = "\\p{Cf}\\p{Zs}\\v\\f'";
const placesOf = (mark: string, within = mark): RegExp =>
  new RegExp(
    `^${mark}(?=[${BLANK}]*[${SIGN}\\t\\r\\n])|(?<=[;\\t\\r\\n])${within}(?=["${BLANK}]*[${SIGN}])`,
    'gu',
  );
const UNGUARDED = placesOf('');
const GUARDED = placesOf("'");
/** Within a text only before an apostrophe, which the reader would remove. */
const UNGUARDED_WHOLE = placesOf('', "(?=')");

const guardCell = (text: string): string => text.replace(UNGUARDED, "'");

/** For a cell that is never split, such as one of a workbook. */
export const guardWholeCell = (text: string): string => text.replace(UNGUARDED_WHOLE, "'");

export const unguardCell = (cell: string): string => cell.replace(GUARDED, '');

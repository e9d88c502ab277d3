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
 * A spreadsheet executes a cell that begins with one of these as a formula, whoever wrote it. Such a cell gets an
 * apostrophe, which makes it text, and the reader removes it. A text that begins with apostrophes and then such a
 * character gets one more, so every text is read back unchanged. Format characters before it, such as a zero-width space, are invisible, and a spreadsheet may drop them.
 */
const FORMULA = /^[\p{Cf}']*[=+\-@\t\r\n＝＋－＠]/u;
const GUARDED = /^'[\p{Cf}']*[=+\-@\t\r\n＝＋－＠]/u;

export function guardCell(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

export function unguardCell(cell: string): string {
  return GUARDED.test(cell) ? cell.slice(1) : cell;
}

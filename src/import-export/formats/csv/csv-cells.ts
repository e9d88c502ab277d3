import { splitAtCommas } from '../../../platform/text/text.rules';

/**
 * A spreadsheet runs a cell that begins with one of these as a formula, whoever wrote it. Such a cell is
 * written with an apostrophe before it, which spreadsheets take for "this is text", and reading takes one
 * away again. A text that begins with apostrophes and then such a character gets one more, so every text
 * comes back as it was.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
const GUARDED = /^'+[=+\-@\t\r\n＝＋－＠]/;

export function guardCell(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

export function unguardCell(cell: string): string {
  return GUARDED.test(cell) ? cell.slice(1) : cell;
}

/** Tags in one cell: `sun, moon`; a comma or backslash within a tag has a backslash before it. */
export function joinTags(tags: readonly string[]): string {
  return tags.map((tag) => tag.replace(/[\\,]/g, '\\$&')).join(', ');
}

export const splitTags = (cell: string): string[] => splitAtCommas(cell).filter(Boolean);

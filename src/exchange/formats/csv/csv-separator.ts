import { columnsOf, defaultColumns } from './csv-columns';

/** Different marks that are tried, in the order in which they stand. A row of names holds a few. */
const MOST_MARKS = 20;

/**
 * The separator of a CSV file, by its first line: whichever makes the most known columns of it, of all the
 * marks in it.
 */
export function separatorOf(line: string): string {
  const head = line.slice(0, 10_000);
  const marks = head.match(/[^\p{L}\p{N}\p{M} "'_().\-\r\n]/gu) ?? [];
  let best = ',';
  let most = 0;
  for (const mark of new Set([',', ';', '\t', '|', ...[...new Set(marks)].slice(0, MOST_MARKS)])) {
    const cells = head.split(mark).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
    const known = columnsOf(cells) ?? defaultColumns(cells);
    const score = known ? 1_000 + cells.length - 2 * known.unknown.length : 0;
    if (score > most) [best, most] = [mark, score];
  }
  return best;
}

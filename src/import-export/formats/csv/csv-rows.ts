import { MOST_COLUMNS } from './column-names';
import { csvHead, rowsOf } from './csv-head';

/** Reads and writes single rows as those of a file are written. Its head is parsed once, for all of them. */
export class CsvRows {
  private readonly separator: string;
  private readonly width: number;

  constructor(file: string) {
    const { separator, rows } = csvHead(file);
    this.separator = separator;
    this.width = rows[0]?.length ?? 0;
  }

  /** The cells of a row, empty ones too where it has fewer than the header; null if a quotation mark is missing. */
  cellsOf(row: string): string[] | null {
    const [cells] = rowsOf(row, this.separator);
    if (!cells) return null;
    const length = Math.min(Math.max(this.width, cells.length), MOST_COLUMNS);
    return Array.from({ length }, (_, place) => cells[place] ?? '');
  }

  rowOf(cells: readonly string[]): string {
    const needsQuotes = (cell: string) => cell.includes(this.separator) || /["\r\n]/.test(cell);
    return cells
      .map((cell) => (needsQuotes(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
      .join(this.separator);
  }
}

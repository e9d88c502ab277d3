import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Conflict, Malformed } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { storable } from '../../platform/text/text.rules';
import { CsvRows } from '../formats/csv/csv-rows';
import { formatOf } from '../formats/formats';
import { collected, FileError } from '../formats/row';
import { TextDecoding } from '../formats/text/text-decoding';
import { asUtf8 } from '../formats/text/text-lines';
import { sheetText } from '../formats/xlsx/xlsx.reader';
import { storedFile } from './import-file';
import {
  ImportPreviewsService,
  optionsOfPreview,
  previewGone,
  type PreviewOptions,
} from './import-previews.service';
import { findRowLines } from './import-report.queries';
import type { ImportView } from './imports.dto';

const { editable, editableRow } = LIMITS.imports;

/** A row of a file as it is written. */
export interface WrittenRow {
  /** Its first line and the line below its last one. */
  line: number;
  end: number;
  text: string;
  /** Of a table. */
  cells: string[] | null;
  /** Of the text: a row that has changed meanwhile is not replaced. */
  hash: string;
}

/** What a row becomes: other cells, or another text. */
export type RowEdit = Pick<WrittenRow, 'line' | 'end' | 'hash'> & {
  text?: string;
  cells?: string[];
};

/** What a person corrects in a preview: single rows, or the text of the whole file. */
export interface Corrections {
  rows: RowEdit[];
  /** null: it was not sent. `hash` is that of the text that was changed. */
  whole: { text: string; hash: string } | null;
}

export const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 16);

/** The text of a preview's file, to correct it where its mistakes are shown. A sheet is corrected as CSV. */
@Injectable()
export class ImportTextService {
  constructor(
    private readonly database: DataSource,
    private readonly previews: ImportPreviewsService,
  ) {}

  /** The whole text; null if it is too large, is not text, or has expired. */
  async textOf(view: ImportView): Promise<string | null> {
    if (!view.changeable || view.size > editable.value) return null;
    const file = storedFile(this.database.manager, view.id);
    try {
      if (view.format === 'xlsx')
        return fitting(storable(await sheetText(file, editable.value))) || null;
      const bytes = Buffer.concat(await collected(asUtf8(file)));
      if (bytes.includes(0)) return null;
      return fitting(new TextDecoding().decode(bytes, 1));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      // Not text at all, or in several encodings: the report says so.
      return null;
    }
  }

  /** The rows that begin in these lines, as they are written. */
  async rowsOf(view: ImportView, text: string, lines: readonly number[]): Promise<WrittenRow[]> {
    const starts = await findRowLines(this.database.manager, view.id);
    const all = linesOf(text);
    const table = view.columns === null ? null : new CsvRows(text);
    const { beside } = view.format ? formatOf(view.format) : {};
    const isBetween = (line = '') => !line.trim() || (beside?.test(line) ?? false);
    return [...new Set(lines)].flatMap((line) => {
      const place = starts.findIndex((start) => start.line === line);
      // Rows in one line cannot be told apart.
      if (place < 0 || starts[place]!.rows > 1) return [];
      let end = starts[place + 1]?.line ?? all.length + 1;
      while (end > line + 1 && isBetween(all[end - 2])) end -= 1;
      const row = all.slice(line - 1, end - 1).join('\n');
      if (!row.trim() || row.length > editableRow.value) return [];
      const cells = table?.cellsOf(row) ?? null;
      return [{ line, end, text: row, cells, hash: hashOf(row) }];
    });
  }

  /**
   * The text with its corrections; null if these change nothing.
   * @throws Conflict if it has changed or expired meanwhile, or if both its rows and the whole text were corrected
   */
  async corrected(view: ImportView, { rows, whole }: Corrections): Promise<string | null> {
    if (rows.length === 0 && whole === null) return null;
    const text = await this.requireText(view);
    if (whole && whole.hash !== hashOf(text)) throw new Conflict(CHANGED);
    const withRows = correctedRows(text, rows);
    if (whole === null || asTyped(whole.text) === asTyped(text)) return withRows;
    if (withRows !== null) throw new Conflict(BOTH_CHANGED);
    return whole.text;
  }

  /** Reads another text in place of the file. @param settings null: those of the preview */
  async replace(
    accountId: string,
    view: ImportView,
    text: string,
    settings: PreviewOptions | null = null,
  ): Promise<ImportView> {
    if (!text.trim()) throw new Malformed('The text is empty. Write your questions.');
    if (Buffer.byteLength(text) > editable.value)
      throw new Malformed(
        `The text is longer than ${editable.value / 1_024} KiB. Save it as a file.`,
      );
    await this.requireText(view);
    // A sheet is corrected as CSV. What could not be read may be in another format now.
    const known = view.format === 'xlsx' ? 'csv' : (view.format ?? undefined);
    const format = view.state === 'failed' && view.columns === null ? undefined : known;
    const isFormatChosen = settings !== null && settings.format !== (view.format ?? undefined);
    const options = settings ?? optionsOfPreview(view);
    return this.previews.change(
      accountId,
      view.id,
      isFormatChosen ? options : { ...options, format },
      { text: Buffer.from(text) },
    );
  }

  private async requireText(view: ImportView): Promise<string> {
    if (!view.changeable) throw previewGone(view);
    const text = await this.textOf(view);
    if (text === null) throw new Conflict('This file cannot be corrected here. Choose it again.');
    return text;
  }
}

const CHANGED = 'The file has changed meanwhile. Look at the preview again.';
const BOTH_CHANGED =
  'You have changed single rows and also the whole text. Undo one of the two changes.';

/** The text with other rows; null if these change nothing. @throws Conflict if it has changed meanwhile */
function correctedRows(text: string, edits: readonly RowEdit[]): string | null {
  const lines = linesOf(text);
  const table = new CsvRows(text);
  let below = lines.length + 1;
  let isChanged = false;
  // From the end: the lines above keep their numbers.
  for (const edit of [...edits].sort((one, other) => other.line - one.line)) {
    // Edits of the same lines could insert one text thousands of times.
    if (edit.end <= edit.line || edit.end > below) throw new Conflict(CHANGED);
    below = edit.line;
    const before = lines.slice(edit.line - 1, edit.end - 1).join('\n');
    if (hashOf(before) !== edit.hash) throw new Conflict(CHANGED);
    const after = edit.cells ? table.rowOf(edit.cells) : (edit.text ?? before);
    const cells = edit.cells ? table.cellsOf(before) : null;
    if (after === before || (cells && table.rowOf(cells) === after)) continue;
    isChanged = true;
    // A text of several lines takes the place of one: nothing is looked up in the lines below.
    lines.splice(edit.line - 1, edit.end - edit.line);
    if (after.trim()) lines.splice(edit.line - 1, 0, after);
  }
  return isChanged ? lines.join('\n') : null;
}

const fitting = (text: string): string | null =>
  Buffer.byteLength(text) > editable.value ? null : text;
const linesOf = (text: string): string[] => text.split(/\r\n|\r|\n/);
/** As a form sends it: a `<textarea>` has its own line ends. */
export const asTyped = (text: string): string => linesOf(text).join('\n');

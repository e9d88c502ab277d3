import { unguardCell } from './csv-cells';
import { cardColumns, columnsNamed, MOST_COLUMNS, type Columns } from './csv-columns';
import { withColumns } from './csv-head';
import { openCsv, type CsvRecord } from './csv-records';
import { csvRow, keysOf, listPlaces } from './csv-row';
import { KeySurvey } from '../fields/answer-key';
import { ListSurvey } from '../fields/list-text';
import { FileFault } from '../file-fault';
import type { Bytes, ImportRow } from '../row';
import { TextDecoding } from '../text-decoding';
import { textLines } from '../text-lines';
import { list, quote } from '../words';

/**
 * Reads CSV with the columns of docs/import-export.md, in any order, with any separator; texts with line
 * breaks stand in quotes. `line` is where a row begins. The file is read twice: what separates the answers in
 * one cell, and whether numbers count from 0, only all rows together tell. @throws FileFault
 */
export async function* readCsv(bytes: Bytes): AsyncGenerator<ImportRow> {
  const keys = new KeySurvey(1);
  const lists = new Map<number, ListSurvey>();
  for await (const { columns, line, cells } of rowsOf(bytes, new TextDecoding())) {
    if (!columns) continue;
    for (const place of listPlaces(columns)) {
      const survey = lists.get(place) ?? new ListSurvey();
      lists.set(place, survey);
      survey.look((cells[place] ?? '').trim());
    }
    const { given, texts } = keysOf(columns, cells);
    for (const key of given) keys.look(line, key, texts);
  }
  const decoding = new TextDecoding();
  yield* keys.notes();
  for await (const { columns, note, line, cells } of rowsOf(bytes, decoding)) {
    if (note) yield { line, note };
    else if (columns) yield csvRow({ line }, columns, cells, { first: keys.first(), lists });
  }
  yield* decoding.notes();
}

/** The rows below the header with their columns, and notes about the header. */
async function* rowsOf(
  bytes: Bytes,
  decoding: TextDecoding,
): AsyncGenerator<CsvRecord & { columns?: Columns; note?: string }> {
  const file = await openCsv(textLines(bytes, decoding));
  if (!file) return;
  const { found, separator } = file.head;
  const above: CsvRecord[] = [];
  let columns: Columns | undefined;
  for await (const record of file.records) {
    const { line, cells } = record;
    if (!columns) {
      // Spreadsheets may save all the columns that they have, and those without a name do no harm.
      const count = cells.findLastIndex((cell) => cell.trim()) + 1;
      if (count > MOST_COLUMNS) throw tooManyColumns(line, count);
      if (!found) throw noHeader(line, file.head.rows);
      above.push(record);
      if (above.length < found.rows) continue;
      const rows = above.map((record) => record.cells);
      columns = found.areCards
        ? (cardColumns(rows, separator) ?? found.columns)
        : (withColumns(separator, rows).found?.columns ?? found.columns);
      for (const note of notesOn(columns, found.rows, found.areCards))
        yield { line, cells: [], note };
      if (found.rows > 0) continue;
    }
    yield { line, columns, cells: cells.map(unguardCell) };
  }
}

function* notesOn(columns: Columns, rows: number, areCards?: true): Generator<string> {
  const { unknown } = columns;
  if (areCards)
    yield 'The file has no header: what stands before the tab is read as the question, what follows it as the accepted answer. For the other way round put a line "answer", tab, "question" first.';
  if (rows > 1)
    yield 'This line is read as the names of the columns; what stands above it is left out.';
  if (unknown.length === 0) return;
  const shown = list(unknown.slice(0, 10).map(quote));
  const rest = unknown.length > 10 ? ` (and ${unknown.length - 10} more)` : '';
  yield `The column${unknown.length > 1 ? 's' : ''} ${shown}${rest} cannot be kept and ${unknown.length > 1 ? 'are' : 'is'} left out.`;
}

function tooManyColumns(line: number, count: number): FileFault {
  return new FileFault(
    line,
    `Line ${line} has ${count} columns, and a file of questions has at most ${MOST_COLUMNS}: remove those that are not needed, or look whether the separator is right.`,
  );
}

function noHeader(line: number, rows: readonly (readonly string[])[]): FileFault {
  const named = rows.map(columnsNamed);
  const withText = named.find(({ at }) => at.has('text'));
  const withAnswers = named.find(({ at }) => at.has('option') || at.has('wrong'));
  const [first = []] = rows;
  const problem = withText
    ? 'The file has a column for the question and none for its answers: name the others'
    : withAnswers
      ? 'The file has columns for answers and none for the question: name that one "question", as'
      : `Line ${line} (${quote(first.join(' '))}) does not name the columns: begin the file with a line`;
  return new FileFault(
    line,
    `${problem} such as question,answer or question,correct_answer,wrong_answer_1,wrong_answer_2 or question,answer_1,answer_2,correct_numbers.`,
  );
}

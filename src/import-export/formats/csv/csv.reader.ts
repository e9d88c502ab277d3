import {
  list,
  quote,
  FileError,
  type Bytes,
  type ErrorRow,
  type ImportRow,
  type NoteRow,
  type Place,
  type QuestionRow,
  type QuizOfRow,
} from '../row';
import { KeySurvey, ListSurvey, type FirstNumber } from '../answer-key';
import { quizOf } from '../moodle-terms';
import { rowOfFields, type Field, type GivenFields } from '../question-fields';
import { TextDecoding } from '../text/text-decoding';
import { textLines } from '../text/text-lines';
import { columnsNamed, MOST_COLUMNS, withColumns, type Columns, type CsvHead } from './csv-head';
import { openCsv, type CsvRecord } from './csv-records';
import { splitTags, unguardCell } from './csv.writer';

/**
 * Reads CSV with the columns of docs/import-export.md, in any order, with any separator; texts with line breaks are
 * quoted. `line` is where a row begins. The file is read twice, because only all rows together show what separates
 * the answers in one cell, and whether numbers count from 0.
 * @throws FileError
 */
export async function* readCsv(bytes: Bytes): AsyncGenerator<ImportRow> {
  const keys = new KeySurvey(1);
  const lists = new Map<number, ListSurvey>();
  for await (const { columns, records } of rowsOf(bytes, new TextDecoding())) {
    for (const place of listPlaces(columns)) {
      const survey = lists.get(place) ?? new ListSurvey();
      lists.set(place, survey);
      for (const { cells } of records) survey.look((cells[place] ?? '').trim());
    }
    if (lists.size === 0 && !mayCount(columns)) break;
    for (const { cells, line } of records) {
      const { given, texts } = keysOf(columns, cells);
      for (const key of given) keys.look(line, key, texts);
    }
  }
  const decoding = new TextDecoding();
  yield* keys.notes();
  const known = { first: keys.first(), lists };
  for await (const { columns, records, notes } of rowsOf(bytes, decoding)) {
    yield* notes;
    for (const { line, cells } of records) yield csvRow({ line }, columns, cells, known);
  }
  yield* decoding.notes();
}

interface Rows {
  columns: Columns;
  records: CsvRecord[];
  /** About the header. */
  notes: NoteRow[];
}

/** The rows below the header, many at a time. */
async function* rowsOf(bytes: Bytes, decoding: TextDecoding): AsyncGenerator<Rows> {
  const file = await openCsv(textLines(bytes, decoding));
  if (!file) return;
  const { head } = file;
  const above: CsvRecord[] = [];
  let columns: Columns | undefined;
  for await (const records of file.records) {
    let notes: NoteRow[] = [];
    if (!columns) {
      above.push(...records.splice(0, Math.max(head.found?.rows ?? 0, 1) - above.length));
      if (above.length === 0 || above.length < (head.found?.rows ?? 0)) continue;
      columns = columnsBelow(head, above);
      const line = above.at(-1)?.line ?? 1;
      notes = [...notesOn(columns, head)].map((note) => ({ line, note }));
      if (head.found?.rows === 0) records.unshift(...above);
    }
    for (const record of records) record.cells = record.cells.map(unguardCell);
    yield { columns, records, notes };
  }
}

/** By complete first rows: the head may end in the middle of a row. @throws FileError */
function columnsBelow({ found, separator, rows }: CsvHead, above: readonly CsvRecord[]): Columns {
  for (const { cells, line } of above) {
    // Spreadsheets may save every possible column, and columns without a name are harmless.
    const count = cells.findLastIndex((cell) => cell.trim()) + 1;
    if (count > MOST_COLUMNS) throw tooManyColumns(line, count);
  }
  if (!found) throw noHeader(above[0]?.line ?? 1, rows);
  if (found.areCards) return found.columns;
  const whole = withColumns(
    separator,
    above.map(({ cells }) => cells),
  );
  return whole.found?.columns ?? found.columns;
}

function* notesOn({ unknown }: Columns, { found }: CsvHead): Generator<string> {
  if (found?.areCards)
    yield 'The file has no header: what stands before the tab is read as the question, what follows it as the accepted answer. For the opposite order, put a line "answer", tab, "question" first.';
  if (found && found.rows > 1)
    yield 'This line is read as the names of the columns; the lines above it are left out.';
  if (unknown.length === 0) return;
  const shown = list(unknown.slice(0, 10).map(quote));
  const rest = unknown.length > 10 ? ` (and ${unknown.length - 10} more)` : '';
  yield `The column${unknown.length > 1 ? 's' : ''} ${shown}${rest} cannot be kept and ${unknown.length > 1 ? 'are' : 'is'} left out.`;
}

function tooManyColumns(line: number, count: number): FileError {
  return new FileError(
    line,
    `Line ${line} has ${count} columns, and a file of questions has at most ${MOST_COLUMNS}: remove those that are not needed, or look whether the separator is right.`,
  );
}

function noHeader(line: number, rows: readonly (readonly string[])[]): FileError {
  const named = rows.map(columnsNamed);
  const withText = named.find(({ at }) => at.has('text'));
  const withAnswers = named.find(({ at }) => at.has('option') || at.has('wrong'));
  const [first = []] = rows;
  const problem = withText
    ? 'The file has a column for the question and none for its answers: name the others'
    : withAnswers
      ? 'The file has columns for answers and none for the question: name that one "question", as'
      : `Line ${line} (${quote(first.join(' '))}) does not name the columns: begin the file with a line`;
  return new FileError(
    line,
    `${problem} such as question,answer or question,correct_answer,wrong_answer_1,wrong_answer_2 or question,answer_1,answer_2,correct_numbers.`,
  );
}

/** What all rows of the file together show: where numbers start, and how each list is separated. */
interface Known {
  first: FirstNumber;
  lists: ReadonlyMap<number, ListSurvey>;
}

/** The row for a CSV file's cells. */
function csvRow(
  place: Place,
  columns: Columns,
  cells: readonly string[],
  { first, lists }: Known,
): QuestionRow | ErrorRow {
  const errors: string[] = [];
  const listOf = (at: number): string[] => {
    const cell = (cells[at] ?? '').trim();
    const answers = lists.get(at)?.split(cell);
    if (!answers)
      errors.push(
        `the answers in ${quote(cell)} cannot be told apart: separate them with "|" in every row, or give each a column`,
      );
    return answers ?? [];
  };
  if (cells.slice(columns.count).some((extra) => extra.trim()))
    errors.push(
      `the row has ${cells.length} cells, but there are ${columns.count} columns: put texts that contain the separator in quotes`,
    );
  const given = new Map<Field, string[]>();
  for (const [field, places] of columns.at) {
    const isList = field === 'options' || field === 'wrongs';
    given.set(field, isList ? places.flatMap(listOf) : cellsOf(columns, cells, field));
  }
  return rowOfFields(place, given, first, { quiz: quizOfCells(given), errors });
}

/** By the cells of the row: a header may name many columns that the row does not have. */
const cellsOf = ({ at }: Columns, cells: readonly string[], field: Field): string[] =>
  (at.get(field) ?? []).flatMap((place) =>
    place < cells.length ? [(cells[place] ?? '').trim()] : [],
  );

/** The columns that contain lists. */
const listPlaces = ({ at }: Columns): number[] =>
  (['options', 'wrongs'] as const).flatMap((field) => at.get(field) ?? []);

/** Whether the correct answers may be numbers. */
const mayCount = ({ at }: Columns): boolean =>
  (at.has('option') || at.has('options')) && (at.has('correct') || at.has('numbers'));

/** The keys of a row, and the answers they name as far as one row shows. */
function keysOf(columns: Columns, cells: readonly string[]): { given: string[]; texts: string[] } {
  const all = (field: Field) => cellsOf(columns, cells, field).filter(Boolean);
  const texts = [...all('option'), ...all('options').flatMap((cell) => cell.split(/[|;,\n]/))];
  return { given: texts.length > 0 ? [...all('correct'), ...all('numbers')] : [], texts };
}

function quizOfCells(given: GivenFields): QuizOfRow | undefined {
  const cell = (field: Field): string => given.get(field)?.[0] ?? '';
  const [title, category] = [cell('quizTitle'), cell('quizCategory')];
  if (!title && !category) return undefined;
  const description = cell('quizDescription');
  const difficulty = cell('quizDifficulty');
  const tags = splitTags(cell('quizTags'));
  const about = { title, description, category, difficulty, tags };
  return quizOf(about, title ? `quiz:${title}` : `category:${category}`);
}

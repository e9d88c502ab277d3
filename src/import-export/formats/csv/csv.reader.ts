import { unguardCell } from '../../../platform/text/csv.rules';
import { type FirstNumber, KeySurvey, ListSurvey } from '../answer-key';
import { type QuestionField, rowOfFields } from '../question-fields';
import {
  type ErrorRow,
  type ImportRow,
  type NoteRow,
  type ParsedRow,
  quote,
  type Reader,
  type ReadOptions,
} from '../row';
import { clozeOf, hasGap } from '../text/cloze';
import { TextDecoding } from '../text/text-decoding';
import { textLines } from '../text/text-lines';
import { type Card, CardSurvey } from './cards';
import { areCards, type Columns } from './column-names';
import { columnsBelow, notesOn, pictureIn } from './csv-columns';
import { type CsvFile, type CsvRecord, openCsv } from './csv-records';
import { quizOfCells } from './quiz-columns';

/**
 * Reads CSV with the columns of docs/import-export.md, in any order, with any separator; texts with line breaks are
 * quoted. `line` is where a row begins. The file is read twice, because only all rows together show what separates
 * the answers in one cell, whether numbers count from 0, and whether the answers of flash cards are typed.
 * @throws FileError
 */
export const readCsv: Reader = (bytes, options) =>
  readTable((decoding) => openCsv(textLines(bytes, decoding)), options);

/** A table, opened as often as it is read. @throws FileError */
export type OpenTable = (decoding: TextDecoding) => Promise<CsvFile | null>;

/** The questions of a table. @throws FileError */
export async function* readTable(
  open: OpenTable,
  options: ReadOptions = {},
): AsyncGenerator<ImportRow> {
  const keys = new KeySurvey(1);
  const lists = new Map<number, ListSurvey>();
  let cards: CardSurvey | undefined;
  for await (const { columns, records: all } of rowsOf(open, new TextDecoding(), options)) {
    const records = all.filter(({ error }) => error === undefined);
    if (areCards(columns)) {
      cards ??= new CardSurvey(options.cards, columns.isHeadless);
      for (const { cells } of records) cards.add(cardOf(columns, cells));
      continue;
    }
    for (const place of listPlaces(columns)) {
      const survey = lists.get(place) ?? new ListSurvey();
      lists.set(place, survey);
      for (const { cells } of records) survey.add((cells[place] ?? '').trim());
    }
    if (lists.size === 0 && !mayCount(columns)) break;
    for (const { cells, line } of records) {
      const { given, texts } = keysOf(columns, cells);
      for (const key of given) keys.add(line, key, texts);
    }
  }
  const decoding = new TextDecoding();
  yield* keys.notes();
  const choice = cards?.isChoice ? cards : undefined;
  const known = { first: keys.first(), lists, choice };
  for await (const { columns, records, notes, separator } of rowsOf(open, decoding, options)) {
    const about = { ...known, separator };
    yield* notes;
    const [first] = notes;
    if (first && columns.isHeadless && cards) yield { ...first, note: cards.note };
    for (const record of records) {
      const { line, error } = record;
      yield error === undefined ? rowOfRecord(columns, record, about) : { line, error };
    }
  }
  yield* decoding.notes();
}

interface Rows {
  columns: Columns;
  records: CsvRecord[];
  /** About the header. */
  notes: NoteRow[];
  separator: string;
}

/** The rows below the header, many at a time. */
async function* rowsOf(
  open: OpenTable,
  decoding: TextDecoding,
  options: ReadOptions,
): AsyncGenerator<Rows> {
  const file = await open(decoding);
  if (!file) return;
  const { head } = file;
  const above: CsvRecord[] = [];
  let columns: Columns | undefined;
  for await (const records of file.records) {
    let notes: NoteRow[] = [];
    if (!columns) {
      above.push(...records.splice(0, Math.max(head.found?.rows ?? 0, 1) - above.length));
      if (above.length === 0 || above.length < (head.found?.rows ?? 0)) continue;
      columns = columnsBelow(head, above, records, options);
      const line = above.at(-1)?.line ?? 1;
      notes = [...notesOn(columns, head)].map((note) => ({ line, note }));
      const isData = head.found ? head.found.rows === 0 : isQuestion(columns, above);
      if (isData) records.unshift(...above);
    }
    for (const record of records) record.cells = record.cells.map(unguardCell);
    yield { columns, records, notes, separator: head.separator };
  }
}

/** Whether the first row of a file whose header nobody knows is a question itself. */
function isQuestion(columns: Columns, [first]: readonly CsvRecord[]): boolean {
  if (!first || !columns.at.has('option')) return false;
  return 'question' in rowOfRecord(columns, first, { first: 1, lists: new Map() });
}

/** What all rows of the file together show: where numbers start, and how each list is separated. */
interface Known {
  first: FirstNumber;
  lists: ReadonlyMap<number, ListSurvey>;
  /** Of flash cards that become multiple choice. */
  choice?: CardSurvey | undefined;
  /** Between the question and the answer of flash cards. */
  separator?: string;
}

/** What is wrong with a line of flash cards that is not a question and its answer; null if it is. */
function cardError(columns: Columns, cells: readonly string[], separator: string): string | null {
  const mark = separator === '\t' ? 'tab' : quote(separator);
  if (cells.length === 1)
    return `The line has no ${mark}: put one between the question and its answer.`;
  const used = [...columns.at.values()].flat();
  const isExtra = (cell: string, place: number) => cell.trim() !== '' && !used.includes(place);
  if (columns.isChosen || !cells.some(isExtra)) return null;
  return columns.count > 2
    ? 'The row has more than a question and its answer: choose what each column is.'
    : `The line has more than one ${mark}: keep only the one between the question and its answer.`;
}

const NO_WRONG_ANSWER =
  'No answer of another card is known to be wrong for this one, so its answer is typed.';

const NO_CLOZE =
  'The note has several gaps, or one that is not plain text: write a question with its answer for each gap.';

const EXTRA_KEPT = 'What stands beside the sentence with the gap is kept as the explanation.';

/** The row for a CSV file's cells. */
function rowOfRecord(
  columns: Columns,
  { line, cells, notes = [] }: CsvRecord,
  { first, lists, choice, separator = '\t' }: Known,
): ParsedRow | ErrorRow {
  const errors: string[] = [];
  const isCloze = areCards(columns) && hasGap(cellsOf(columns, cells, 'text')[0] ?? '');
  const isWhole = isCloze && cells.length === 1;
  const noCard = columns.isHeadless && !isWhole ? cardError(columns, cells, separator) : null;
  if (noCard !== null) return { line, error: noCard };
  const listOf = (at: number): string[] => {
    const cell = (cells[at] ?? '').trim();
    const answers = lists.get(at)?.split(cell);
    if (!answers)
      errors.push(
        `the answers in ${quote(cell)} cannot be told apart: separate them with "|" in every row, or give each a column`,
      );
    return answers ?? [];
  };
  if (cells.length > columns.count && cells.slice(columns.count).some((extra) => extra.trim()))
    errors.push(
      `the row has ${cells.length} cells, but there are ${columns.count} columns: put texts that contain the separator in quotes`,
    );
  const given = new Map<QuestionField, string[]>();
  for (const [field, places] of columns.at) {
    const isList = field === 'options' || field === 'wrongs';
    given.set(field, isList ? places.flatMap(listOf) : cellsOf(columns, cells, field));
  }
  const { markdown, note } = pictureIn(columns, cells);
  if (markdown) given.set('text', [`${given.get('text')?.[0] ?? ''}\n\n${markdown}`]);
  const { keyName } = columns;
  const quiz = quizOfCells(given, errors);
  const all = note ? [...notes, note] : [...notes];
  const card = cardOf(columns, cells);
  if (isCloze) {
    if (!card.answer) return { line, error: NO_CLOZE };
    const extra = given.get('correct')?.filter((it) => it && it !== card.answer) ?? [];
    if (extra.length > 0) all.push(EXTRA_KEPT);
    given.set('explanation', [...(given.get('explanation') ?? []), ...extra].filter(Boolean));
    given.set('text', [card.term]).set('correct', [card.answer]);
    if (!choice) given.set('type', ['OPEN_ENDED']);
  }
  const wrong = choice?.wrongFor(card);
  if (wrong?.length) given.set('wrong', wrong);
  else if (wrong) all.push(NO_WRONG_ANSWER);
  return rowOfFields({ line }, given, first, { quiz, errors, keyName, notes: all });
}

/** Without an answer for a sentence whose gaps cannot be asked for. */
function cardOf(columns: Columns, cells: readonly string[]): Card {
  const term = cellsOf(columns, cells, 'text')[0] ?? '';
  if (!hasGap(term))
    return { term, answer: cellsOf(columns, cells, 'correct').find(Boolean) ?? '' };
  const cloze = clozeOf(term);
  return { term: cloze?.text ?? term, answer: cloze?.answer ?? '' };
}

/** By the cells of the row: a header may name many columns that the row does not have. */
function cellsOf({ at }: Columns, cells: readonly string[], field: QuestionField): string[] {
  const found: string[] = [];
  for (const place of at.get(field) ?? [])
    if (place < cells.length) found.push((cells[place] ?? '').trim());
  return found;
}

/** The columns that contain lists. */
const listPlaces = ({ at }: Columns): number[] =>
  (['options', 'wrongs'] as const).flatMap((field) => at.get(field) ?? []);

/** Whether the correct answers may be numbers. */
const mayCount = ({ at }: Columns): boolean =>
  (at.has('option') || at.has('options')) && (at.has('correct') || at.has('numbers'));

/** The keys of a row, and the answers they name as far as one row shows. */
function keysOf(columns: Columns, cells: readonly string[]): { given: string[]; texts: string[] } {
  const all = (field: QuestionField) => cellsOf(columns, cells, field).filter(Boolean);
  const texts = [...all('option'), ...all('options').flatMap((cell) => cell.split(/[|;,\n]/))];
  return { given: texts.length > 0 ? [...all('correct'), ...all('numbers')] : [], texts };
}

import { parse } from 'csv-parse/sync';
import { LIMITS } from '../../../platform/limits/limits';
import { fieldOf, plainName, type QuestionField } from '../question-fields';
import { hasGap } from '../text/cloze';
import { plainWords } from '../words';
import { type AnkiLines, ankiRow, programLines } from './program-lines';

/** The columns of a CSV file. */
export interface Columns {
  /** The indexes of each field's columns, from 0. */
  at: Map<QuestionField, number[]>;
  /** The names of columns that cannot be kept. */
  unknown: string[];
  count: number;
  /** Flash cards without a header: nothing says how they are meant. */
  isHeadless?: boolean;
  /** The user says what they are. */
  isChosen?: boolean;
  /** What the file calls the column of the correct answers. */
  keyName?: string;
  /** The index of the column with names of pictures, and of the one that says what they show. */
  picture?: { file: number; alt: number };
}

/** More columns than people or our own export need: it is another separator or another kind of file. */
export const MOST_COLUMNS = LIMITS.imports.columns.value;

/** A header is in one of the first lines: templates begin with a title. */
const HEADER_LINES = 10;

const SEVERAL = new Set<QuestionField>(['option', 'wrong', 'correct', 'numbers']);

/** "Answer", which may be what a player answered. */
const PLAYERS = new RegExp(`^${plainWords('answer')}$`);

const shown = (cell = ''): string => cell.replace(/\s+/g, ' ').trim();

/**
 * The columns that the cells of a header name, and the names that are not known. One named column too many is found, and
 * those behind it are not looked at: with another separator a line of text has thousands.
 */
export function columnsNamed(cells: readonly string[]): Columns {
  const columns: Columns = { at: new Map(), unknown: [], count: cells.length };
  const possible = cells.slice(0, MOST_COLUMNS + 1);
  const names = possible.map(plainName);
  for (const [place, cell] of possible.entries()) {
    const field = fieldOf(cell);
    const places = field && columns.at.get(field);
    if (field && !places) columns.at.set(field, [place]);
    else if (field && places && SEVERAL.has(field)) places.push(place);
    else if (names[place]) columns.unknown.push(shown(cell));
  }
  const { at } = columns;
  const named = at.get('correct') ?? [];
  const answers = named.filter((place) => PLAYERS.test(names[place] ?? ''));
  const keys = named.filter((place) => !answers.includes(place));
  const hasOptions = at.has('option') || at.has('options');
  if (answers.length > 1 && !hasOptions && (keys.length > 0 || at.has('numbers'))) {
    // Beside a key, several columns "Answer" are what to choose from.
    at.set('option', answers);
    if (keys.length > 0) at.set('correct', keys);
    else at.delete('correct');
  } else if (keys.length > 0) {
    // Beside "Correct answer", a column "Answer" has what a player answered: reports of Kahoot have both.
    at.set('correct', keys);
    for (const place of answers) columns.unknown.push(shown(cells[place]));
  }
  const [text, correct] = [at.get('text'), at.get('correct')];
  // The archive of Jeopardy calls the clue "answer".
  if (text && correct && names.includes('cluevalue')) at.set('text', correct).set('correct', text);
  // Moodle's CSV: the options are A, B, C, D, and "Answer 1" and so on contain letters.
  const options = at.get('option') ?? [];
  const [letters, numbers] = [/^[a-j]$/, /^answer\d$/].map((name) =>
    options.filter((place) => name.test(names[place] ?? '')),
  );
  if (letters && numbers && letters.length > 1 && numbers.length > 0 && !correct)
    at.set('option', letters).set('numbers', numbers);
  return columns;
}

/** The columns of a header; null if the cells are not one: no question, or no answers. */
function columnsOf(cells: readonly string[]): Columns | null {
  const columns = columnsNamed(cells);
  return isComplete(columns) ? columns : null;
}

/** A question needs one of these. */
const ANSWERS = ['option', 'options', 'wrong', 'wrongs', 'correct'] as const;

/** The columns of a file without a header: those of our own export, in its order. */
function defaultColumns(cells: readonly string[]): Columns | null {
  const looksLikeOurs = /^(?:MULTIPLE_CHOICE|TRUE_FALSE|OPEN_ENDED)$/i.test(cells[1]?.trim() ?? '');
  if (!looksLikeOurs) return null;
  const names = ['text', 'type', 'difficulty', 'explanation', 'numbers'] as const;
  const places = Array.from({ length: MOST_COLUMNS }, (_, place) => place);
  const at = new Map<QuestionField, number[]>(names.map((name, place) => [name, [place]]));
  return { at: at.set('option', places.slice(names.length)), unknown: [], count: MOST_COLUMNS };
}

/**
 * Flash cards without a header: a question, a tab or comma and its answer in every line, as exported by Quizlet; or the
 * two columns with texts of an export of Anki, where a card may have only a picture, and a cloze note no more than a
 * sentence with a gap.
 */
function columnsOfCards(rows: Rows, separator: string, isAnki: boolean): Columns | null {
  const count = Math.max(0, ...rows.map((cells) => cells.length));
  const places = placesBesides([], count).filter((place) => rows.some((row) => row[place]?.trim()));
  const cloze = places.find((place) => rows.some((row) => hasGap(row[place] ?? '')));
  const areNotes = isAnki || (separator === '\t' && rows.every((row) => row.some(hasGap)));
  if (cloze !== undefined && areNotes && places.length <= 2) {
    const extra = places.find((place) => place !== cloze) ?? cloze + 1;
    return cardColumns(cloze, extra, Math.max(count, extra + 1));
  }
  const [text, correct, ...others] = places;
  if (text === undefined || correct === undefined || others.length > 0) return null;
  // Anki before 2.1.54 ends a line with a tab and no tags.
  const isCard = (cells: readonly string[]) =>
    cells[text]?.trim() && cells[correct]?.trim() && (cells.length === 2 || separator === '\t');
  // Two lines with a comma may be any text.
  const isEnough = rows.length >= (separator === '\t' ? 1 : 3);
  if (!isAnki && !(isEnough && rows.every(isCard))) return null;
  return cardColumns(text, correct, count);
}

/** @param text the index of the questions @param correct that of their answers */
export const cardColumns = (text = 0, correct = 1, count = 2): Columns => ({
  at: new Map<QuestionField, number[]>([
    ['text', [text]],
    ['correct', [correct]],
  ]),
  unknown: [],
  count,
});

/** How many characters of a file are searched for its header. */
export const HEAD_LENGTH = 64 * 1024;

/** The settings for reading the whole file as well. */
export const CSV_OPTIONS = {
  record_delimiter: ['\r\n', '\n', '\r'],
  // Our own messages report a wrong number of cells, and a quote within a text is allowed.
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
};

export interface CsvHead {
  separator: string;
  /** How many lines above the rows are for programs. */
  skipped: number;
  anki?: AnkiLines;
  /** The last of these lines is read as this header. */
  header?: string | undefined;
  /** The rows that the file begins with. */
  rows: string[][];
  /** Undefined if nothing shows what the columns are. */
  found?: {
    columns: Columns;
    /** How many rows the header and the lines above it take; 0 without a header. */
    rows: number;
    /** Flash cards without a header. */
    areCards?: true;
    /** Known by what is in the columns, and not by their names. */
    isGuess?: true;
  };
}

/** The beginning of a CSV file. */
export function csvHead(text: string): CsvHead {
  const { above, separator, anki } = programLines(text);
  const skipped = above.match(/\r\n|\r|\n/g)?.length ?? 0;
  const rest = text.slice(above.length, HEAD_LENGTH);
  if (!anki) return { ...headOf(rest, separator), skipped };
  const named = anki.names ? headOf(`${anki.names}\n${rest}`, separator, anki) : undefined;
  if (named?.found?.rows === 1 && !named.found.isGuess)
    return { ...named, skipped, anki, header: anki.names };
  return { ...headOf(rest, separator, anki), skipped, anki };
}

/**
 * The separator is the one that gives the most known columns in one of the first lines, of all the punctuation in the
 * first of them.
 */
function headOf(head: string, named: string | undefined, anki?: AnkiLines): CsvHead {
  const line = /^\s*([^\r\n]{0,10000})/.exec(head)?.[1] ?? '';
  const marks = new Set(line.match(/[^\p{L}\p{N}\p{M} "'_().\-\r\n]/gu));
  const separators = named ? [named] : new Set([',', ';', '\t', '|', ...[...marks].slice(0, 8)]);
  const heads = [...separators].map((separator) => {
    const rows = rowsOf(head, separator);
    return withColumns(separator, anki ? rows.map((row) => ankiRow(row, 1, anki).cells) : rows);
  });
  const best = heads.reduce((best, each) => (score(each) > score(best) ? each : best));
  if (best.found) return best;
  const isAnki = anki !== undefined && named !== undefined;
  const columnsIn = ({ rows, separator }: CsvHead) =>
    isAnki || '\t,;'.includes(separator) ? columnsOfCards(rows, separator, isAnki) : null;
  const cards = heads.find(columnsIn);
  const columns = cards && columnsIn(cards);
  const found = columns && { columns, rows: 0, areCards: true as const };
  const guessed = cards ? undefined : heads.map(withGuess).find((each) => each.found);
  if (guessed) return guessed;
  const widest = heads.reduce((one, other) => (width(other) > width(one) ? other : one));
  return { ...(cards ?? widest), ...(found && { found }) };
}

const width = ({ rows }: CsvHead): number => rows[0]?.length ?? 0;

/** The same for the first rows of a sheet. */
export function tableHead(rows: string[][]): CsvHead {
  const head = withColumns('\t', rows);
  const columns = head.found ? null : columnsOfCards(rows, '\t', false);
  return columns
    ? { ...head, found: { columns, rows: 0, areCards: true } }
    : head.found
      ? head
      : withGuess(head);
}

function rowsOf(head: string, separator: string): string[][] {
  const rows: string[][] = [];
  try {
    parse(head, {
      ...CSV_OPTIONS,
      delimiter: separator,
      to: 2 * HEADER_LINES,
      on_record: (cells: string[]) => {
        if (rows.length < HEADER_LINES && cells.some((cell) => cell.trim())) rows.push(cells);
        return null;
      },
    });
  } catch {
    // The head may end within quotes; the rows before that are complete.
  }
  return rows;
}

/** What the first rows show about the columns. */
export function withColumns(separator: string, rows: string[][]): CsvHead {
  for (const [place, cells] of rows.entries()) {
    const below = rows[place + 1];
    const columns = columnsOf(cells);
    const both = below && columnsOf(joined(cells, below));
    // A template may continue its header in the line below: Socrative names the answers there.
    const isDouble = both && columnsOf(below) === null && known(both) > known(columns) + 1;
    if (both && isDouble && !below[both.at.get('text')?.[0] ?? 0]?.trim())
      return { separator, skipped: 0, rows, found: { columns: both, rows: place + 2 } };
    if (columns) return { separator, skipped: 0, rows, found: { columns, rows: place + 1 } };
  }
  const columns = defaultColumns(rows[0] ?? []);
  return { separator, skipped: 0, rows, ...(columns && { found: { columns, rows: 0 } }) };
}

/** The head with its columns by their content; unchanged if they show nothing. */
function withGuess(head: CsvHead): CsvHead {
  const columns = columnsByContent(head.rows);
  if (!columns || !isComplete(columns)) return head;
  const [first = []] = head.rows;
  const place = columns.at.get('text')?.[0] ?? 0;
  const hasHeader = !asks(first[place]) && head.rows.length > 1;
  return { ...head, found: { columns, rows: hasHeader ? 1 : 0, isGuess: true } };
}

export const isComplete = ({ at }: Columns): boolean =>
  at.has('text') && ANSWERS.some((field) => at.has(field));

const asks = (cell = ''): boolean => /[?？؟]\s*$/.test(cell);

type Rows = readonly (readonly string[])[];

/**
 * The columns by what is in them, beside those with known names: the first with questions; one whose values are letters,
 * numbers or texts of answers; and the answers between. Null if no column holds questions.
 */
export function columnsByContent(rows: Rows): Columns | null {
  const [first = []] = rows;
  const named = columnsNamed(first).at;
  // A single "I" is no list of answers A to J.
  if (named.get('option')?.length === 1) named.delete('option');
  // The first row may be a header.
  const values = rows.length > 1 ? rows.slice(1) : rows;
  const count = Math.max(0, ...rows.map((cells) => cells.length));
  const free = placesBesides([...named.values()].flat(), count);
  const text = named.get('text')?.[0] ?? free.find((place) => mostFit(values, place, asks));
  if (text === undefined) return null;
  const others = free.filter((place) => place !== text);
  const hasKey = named.has('correct') || named.has('numbers');
  const key = hasKey ? undefined : keyAmong(others, text, values);
  const at = new Map(named).set('text', [text]);
  if (key !== undefined) at.set('correct', [key]);
  const answers = others.filter((place) => place !== key && mostFit(values, place, isShort));
  const areNamed = ANSWERS.some((field) => field !== 'correct' && named.has(field));
  if (!areNamed && (hasKey || key !== undefined) && answers.length > 1) at.set('option', answers);
  const used = new Set([...at.values()].flat());
  const unknown = first.filter((cell, place) => !used.has(place) && plainName(cell) && !asks(cell));
  return { at, unknown, count };
}

function placesBesides(taken: readonly number[], count: number): number[] {
  const places = Array.from({ length: Math.min(count, MOST_COLUMNS) }, (_, place) => place);
  return places.filter((place) => !taken.includes(place));
}

/** The last column of letters, of numbers, or of texts that are in another column, too. */
function keyAmong(places: readonly number[], text: number, rows: Rows): number | undefined {
  // A question with two more columns has no answers to choose from.
  if (places.length <= 2) return undefined;
  return places.findLast(
    (place) => mostFit(rows, place, isKey) || mostEqualAnother(rows, place, text),
  );
}

/** Whether at least half of the rows have a cell in the column, and most of these cells fit. */
function mostFit(rows: Rows, place: number, fits: (cell: string) => boolean): boolean {
  const given = rows.map((cells) => cells[place] ?? '').filter((cell) => cell.trim() !== '');
  return (
    given.length > 0 &&
    given.length * 2 >= rows.length &&
    given.filter(fits).length >= 0.7 * given.length
  );
}

/** Whether most cells of the column are the text of another one, as a correct answer is that of an option. */
function mostEqualAnother(rows: Rows, place: number, text: number): boolean {
  const equal = rows.filter((cells) => {
    const cell = cells[place]?.trim();
    return cell && cells.some((it, at) => at !== place && at !== text && it.trim() === cell);
  });
  return equal.length >= 0.7 * rows.length;
}

/** Longer texts are explanations. */
const isShort = (cell: string): boolean => cell.length < 300;

/** "B", "b)", "2" and "1, 3". */
const isKey = (cell: string): boolean =>
  cell
    .trim()
    .slice(0, 40)
    .split(/[,;/ ]+/)
    .every((name) => /^(?:[a-h]|[1-8])[.)]?$/i.test(name));

const joined = (upper: readonly string[], lower: readonly string[]): string[] =>
  Array.from({ length: Math.max(upper.length, lower.length) }, (_, place) =>
    lower[place]?.trim() ? lower[place] : (upper[place] ?? ''),
  );

const known = (columns: Columns | null): number =>
  [...(columns?.at.values() ?? [])].reduce((sum, places) => sum + places.length, 0);

/** Prefers the earliest header. */
function score({ found }: CsvHead): number {
  if (!found) return 0;
  return 1_000 + known(found.columns) - found.columns.unknown.length - 10 * found.rows;
}

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

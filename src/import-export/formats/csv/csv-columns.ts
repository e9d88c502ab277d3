import { firstCodePoints, storable } from '../../../platform/text/text.rules';
import { escapeMarkdown } from '../pictures';
import { isField, plainName, type QuestionField } from '../question-fields';
import { FileError, list, quote, type ReadOptions } from '../row';
import { columnsByContent } from './column-contents';
import { areCards, type Columns, columnsNamed, isComplete, MOST_COLUMNS } from './column-names';
import { type CsvHead, withColumns } from './csv-head';
import type { CsvRecord } from './csv-records';

/**
 * The columns by complete first rows (the head may end in the middle of a row), and as the user changes them.
 * @param above the rows up to the header, or the first one without a header
 * @param below the rows after them
 * @throws FileError if nothing shows what they are
 */
export function columnsBelow(
  head: CsvHead,
  above: readonly CsvRecord[],
  below: readonly CsvRecord[],
  { columns: given, inFolder = false, onColumns }: ReadOptions,
): Columns {
  for (const { cells, line } of above) {
    // Spreadsheets may save every possible column, and columns without a name are harmless.
    const count = cells.findLastIndex((cell) => cell.trim()) + 1;
    if (count > MOST_COLUMNS) throw tooManyColumns(line, count);
  }
  const names = head.found?.rows === 0 ? [] : (above.at(-1)?.cells ?? []);
  const first = (head.found?.rows === 0 ? above : below)[0]?.cells ?? [];
  const found = foundIn(head, above);
  const columns = given ? asGiven(found, given, names) : found;
  const fieldAt = new Map(
    [...columns.at].flatMap(([field, places]) => places.map((place) => [place, field] as const)),
  );
  const count = Math.min(Math.max(names.length, first.length), MOST_SHOWN);
  onColumns?.(
    Array.from({ length: count }, (_, place) => ({
      name: shown(names[place]) || `Column ${place + 1}`,
      sample: shown(first[place]),
      field: fieldAt.get(place) ?? null,
    })),
  );
  const key = columns.at.get('correct')?.[0] ?? columns.at.get('numbers')?.[0];
  const keyName = key === undefined ? '' : shown(names[key]) || `Column ${key + 1}`;
  if (!isComplete(columns)) throw noHeader(above[0]?.line ?? 1, head.rows);
  return { ...(inFolder ? withPicture(columns, head) : columns), keyName };
}

/** Columns that people see and can change. */
const MOST_SHOWN = 60;

const shown = (cell = ''): string =>
  storable(firstCodePoints(cell.replace(/\s+/g, ' ').trim(), 120));

function foundIn({ found, separator, rows }: CsvHead, above: readonly CsvRecord[]): Columns {
  if (!found) {
    // What is known is chosen beforehand where people name the columns.
    const known = columnsByContent(rows) ?? columnsNamed(above[0]?.cells ?? []);
    return { ...known, unknown: [], count: Math.max(known.count, above[0]?.cells.length ?? 0) };
  }
  if (found.isGuess) return found.columns;
  if (found.areCards) return { ...found.columns, isHeadless: true };
  const whole = withColumns(
    separator,
    above.map(({ cells }) => cells),
  );
  return whole.found?.columns ?? found.columns;
}

/** The columns as the user names them; those beyond the list stay as they were found. */
function asGiven(found: Columns, given: readonly string[], names: readonly string[]): Columns {
  const at = new Map<QuestionField, number[]>();
  const add = (field: QuestionField, place: number) =>
    at.set(field, [...(at.get(field) ?? []), place]);
  for (const [place, field] of given.entries()) if (isField(field)) add(field, place);
  for (const [field, places] of found.at)
    for (const place of places) if (place >= given.length) add(field, place);
  return { ...found, isChosen: true, at, unknown: [], count: Math.max(found.count, names.length) };
}

/** A name for pictures in the languages of the columns, and a URL of one. */
const PICTURE_NAME = /image|picture|photo|bild|imagen|imagem/i;
const ALT_NAME =
  /^(?:image|picture|photo|bild)?(?:alt|alt(?:ernative?)?text|description|beschreibung)$/;
const [URL_CELL, PICTURE_URL] = [/^https?:\/\//i, /\.(?:png|jpe?g|webp|gif|avif|svg)(?:[?#]|$)/i];
const isPictureFile = (cell: string) => PICTURE_URL.test(cell) && !URL_CELL.test(cell);

const placeOf = (name: string, { found, rows }: CsvHead): number =>
  (rows[(found?.rows ?? 0) - 1] ?? []).findIndex(
    (cell) => cell.replace(/\s+/g, ' ').trim() === name,
  );

/** What the first rows have in a column. */
const cellsBelow = (name: string, head: CsvHead): string[] =>
  head.rows.slice(head.found?.rows ?? 0).map((row) => row[placeOf(name, head)]?.trim() ?? '');

/** The ignored columns that have URLs of pictures, as far as the first rows show. */
const picturesAmong = ({ unknown }: Columns, head: CsvHead): string[] =>
  unknown.filter((name) => {
    const urls = cellsBelow(name, head).filter((cell) => URL_CELL.test(cell));
    return urls.length > 0 && (PICTURE_NAME.test(name) || urls.every((it) => PICTURE_URL.test(it)));
  });

/** The ignored columns that name files of pictures. */
const filesAmong = ({ unknown }: Columns, head: CsvHead): string[] =>
  unknown.filter((name) => PICTURE_NAME.test(name) && cellsBelow(name, head).some(isPictureFile));

/** The first column that names pictures is used, and one that says what they show. */
function withPicture(columns: Columns, head: CsvHead): Columns {
  const [file] = filesAmong(columns, head);
  if (file === undefined) return columns;
  const alt = columns.unknown.find((name) => ALT_NAME.test(plainName(name)));
  return {
    ...columns,
    unknown: columns.unknown.filter((name) => name !== file && name !== alt),
    picture: { file: placeOf(file, head), alt: alt === undefined ? -1 : placeOf(alt, head) },
  };
}

/** The picture that a row names, in Markdown for the end of its question, or a note about what names no file. */
export function pictureIn(
  columns: Columns,
  cells: readonly string[],
): { markdown?: string; note?: string } {
  const { picture } = columns;
  const path = picture && cells[picture.file]?.trim();
  if (!path) return {};
  const alt = cells[picture.alt]?.trim() ?? '';
  if (!isPictureFile(path))
    return {
      note: `The picture ${quote(path)} is left out: name a file in the folder, such as maps/danube.png.`,
    };
  const url = path.replaceAll('\\', '/').replace(/[%<>\s]/g, encodeURIComponent);
  return { markdown: `![${escapeMarkdown(alt.replace(/\s+/g, ' '))}](<${url}>)` };
}

/** What is said about a header. */
export function* notesOn(columns: Columns, head: CsvHead): Generator<string> {
  const { found } = head;
  if (found?.areCards)
    yield 'The file has no header: the first text of a line is read as the question, the second as its answer. For the opposite order, change the columns, or name them in a first line: answer, question.';
  if (found?.isGuess)
    yield 'The columns were recognised by what is in them: check that each is used as it should be.';
  if (found && found.rows > 1)
    yield 'This line is read as the names of the columns; the lines above it are ignored.';
  if (areCards(columns) && !columns.isChosen && (columns.at.get('correct')?.length ?? 0) > 1)
    yield 'Several columns have the answer to a question, and each of them is accepted: for multiple choice, add a column that names the correct answer.';
  const pictures = picturesAmong(columns, head);
  const files = filesAmong(columns, head).filter((name) => !pictures.includes(name));
  const unknown = columns.unknown.filter((name) => ![...pictures, ...files].includes(name));
  if (pictures.length > 0)
    yield `The column${form(pictures, '', 's')} ${named(pictures)} ${form(pictures, 'has', 'have')} addresses of pictures, and nothing is fetched from elsewhere: upload the pictures in the editor, or import them in a folder with quizctl.`;
  if (files.length > 0)
    yield columns.picture
      ? `The column${form(files, '', 's')} ${named(files)} ${form(files, 'names', 'name')} files of pictures, and only the first such column is read: write the others into the texts, as ![what it shows](map.png).`
      : `The column${form(files, '', 's')} ${named(files)} ${form(files, 'names', 'name')} files of pictures, and they are not in this file: upload the pictures in the editor, or import them in a folder with quizctl.`;
  if (unknown.length > 0)
    yield `The column${form(unknown, '', 's')} ${named(unknown)} cannot be kept and ${form(unknown, 'is', 'are')} ignored.`;
  const left = [...(head.anki?.left.values() ?? [])];
  if (left.includes('tags'))
    yield `Tags belong to a quiz, not to a question, and these columns of Anki are left out: ${left.join(', ')}.`;
  else if (left.length > 0) yield `These columns of Anki are left out: ${left.join(', ')}.`;
}

const form = ({ length }: readonly string[], one: string, several: string): string =>
  length > 1 ? several : one;

/** Columns that a note names. */
const MOST_NAMED = 10;

function named(names: readonly string[]): string {
  const rest = names.length > MOST_NAMED ? ` (and ${names.length - MOST_NAMED} more)` : '';
  return list(names.slice(0, MOST_NAMED).map(quote)) + rest;
}

function tooManyColumns(line: number, count: number): FileError {
  return new FileError(
    line,
    `Line ${line} has ${count} columns, and a file of questions has at most ${MOST_COLUMNS}: remove those that are not needed, or choose another separator.`,
  );
}

function noHeader(line: number, rows: readonly (readonly string[])[]): FileError {
  const named = rows.map(columnsNamed);
  const withText = named.find(({ at }) => at.has('text'));
  const withAnswers = named.find(({ at }) => at.has('option') || at.has('wrong'));
  const [first = []] = rows;
  const problem = withText
    ? 'No column holds the answers: choose which ones do, or name them in the first line'
    : withAnswers
      ? 'No column holds the questions: choose which one does, or name it "question" in the first line'
      : `Line ${line} (${quote(first.join(' '))}) does not name the columns: begin the file with a line that does`;
  return new FileError(
    line,
    `${problem}. For example: Question, Answer or Question, Answer 1, Answer 2, Correct.`,
  );
}

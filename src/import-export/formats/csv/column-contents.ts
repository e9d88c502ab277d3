import { plainName, type QuestionField } from '../question-fields';
import { hasGap } from '../text/cloze';
import { ANSWERS, type Columns, columnsNamed, MOST_COLUMNS } from './column-names';

type Rows = readonly (readonly string[])[];

/**
 * Flash cards without a header: a question, a tab or comma and its answer in every line, as exported by Quizlet; or the
 * two columns with texts of an export of Anki, where a card may have only a picture, and a cloze note no more than a
 * sentence with a gap.
 */
export function columnsOfCards(rows: Rows, separator: string, isAnki: boolean): Columns | null {
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

/** Whether a cell is a question. */
export const isAsked = (cell = ''): boolean => /[?？؟]\s*$/.test(cell);

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
  const text = named.get('text')?.[0] ?? free.find((place) => mostFit(values, place, isAsked));
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
  const unknown = first.filter(
    (cell, place) => !used.has(place) && plainName(cell) && !isAsked(cell),
  );
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

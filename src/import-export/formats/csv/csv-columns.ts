import { fieldOf, plainName, type Field } from '../fields/field-names';

/** Where the columns of a CSV file are. */
export interface Columns {
  /** The places of each field's columns, from 0. */
  at: Map<Field, number[]>;
  /** The names of columns that cannot be kept. */
  unknown: string[];
  count: number;
}

/** More columns than people or our own export need: the separator is another one, or it is no such file. */
export const MOST_COLUMNS = 500;

/** A header stands in one of the first lines: templates begin with a title. */
export const HEADER_LINES = 10;

const SEVERAL = new Set<Field>(['option', 'wrong', 'correct', 'numbers']);

/** The columns that these cells name; `next` is the line below, where a template may go on with its header. */
export function columnsNamed(cells: readonly string[]): Columns {
  const columns: Columns = { at: new Map(), unknown: [], count: cells.length };
  for (const [place, cell] of cells.entries()) {
    const field = fieldOf(cell);
    const places = field && columns.at.get(field);
    if (field && !places) columns.at.set(field, [place]);
    else if (field && places && SEVERAL.has(field)) places.push(place);
    else if (plainName(cell)) columns.unknown.push(cell.replace(/\s+/g, ' ').trim());
  }
  const names = cells.map(plainName);
  const { at } = columns;
  const [text, correct] = [at.get('text'), at.get('correct')];
  // The archive of Jeopardy calls the clue "answer".
  if (text && correct && names.includes('cluevalue')) at.set('text', correct).set('correct', text);
  // Moodle's CSV: the options are A, B, C, D, and "Answer 1" and so on hold letters.
  const options = at.get('option') ?? [];
  const [letters, keys] = [/^[a-j]$/, /^answer\d$/].map((name) =>
    options.filter((place) => name.test(names[place] ?? '')),
  );
  if (letters && keys && letters.length > 1 && keys.length > 0 && !correct)
    at.set('option', letters).set('numbers', keys);
  return columns;
}

/** The columns of a header; null when the cells are none: no question, or no answers. */
export function columnsOf(cells: readonly string[]): Columns | null {
  const columns = columnsNamed(cells);
  const hasAnswers = ANSWERS.some((field) => columns.at.has(field));
  return columns.at.has('text') && hasAnswers ? columns : null;
}

const ANSWERS = ['option', 'options', 'wrong', 'wrongs', 'correct'] as const;

/** The columns of a file without a header: those of our own export, in its order. */
export function defaultColumns(cells: readonly string[]): Columns | null {
  const looksLikeOurs = /^(?:MULTIPLE_CHOICE|TRUE_FALSE|OPEN_ENDED)$/i.test(cells[1]?.trim() ?? '');
  if (!looksLikeOurs) return null;
  const names = ['text', 'type', 'difficulty', 'explanation', 'numbers'] as const;
  const places = Array.from({ length: MOST_COLUMNS }, (_, place) => place);
  const at = new Map<Field, number[]>(names.map((name, place) => [name, [place]]));
  return { at: at.set('option', places.slice(names.length)), unknown: [], count: MOST_COLUMNS };
}

/** Flash cards without a header, as Quizlet exports them: a question, a tab and its answer in every line. */
export function cardColumns(
  rows: readonly (readonly string[])[],
  separator: string,
): Columns | null {
  const areCards = rows.every((cells) => cells.length === 2 && cells.every((cell) => cell.trim()));
  if (separator !== '\t' || rows.length === 0 || !areCards) return null;
  return {
    at: new Map<Field, number[]>([
      ['text', [0]],
      ['correct', [1]],
    ]),
    unknown: [],
    count: 2,
  };
}

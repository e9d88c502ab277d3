import { LIMITS } from '../../../platform/limits/limits';
import { fieldOf, plainName, type QuestionField } from '../question-fields';
import { plainWords } from '../words';

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
export function columnsOf(cells: readonly string[]): Columns | null {
  const columns = columnsNamed(cells);
  return isComplete(columns) ? columns : null;
}

/** A question needs one of these. */
export const ANSWERS = ['option', 'options', 'wrong', 'wrongs', 'correct'] as const;

/** The columns of a file without a header: those of our own export, in its order. */
export function defaultColumns(cells: readonly string[]): Columns | null {
  const looksLikeOurs = /^(?:MULTIPLE_CHOICE|TRUE_FALSE|OPEN_ENDED)$/i.test(cells[1]?.trim() ?? '');
  if (!looksLikeOurs) return null;
  const names = ['text', 'type', 'difficulty', 'explanation', 'numbers'] as const;
  const places = Array.from({ length: MOST_COLUMNS }, (_, place) => place);
  const at = new Map<QuestionField, number[]>(names.map((name, place) => [name, [place]]));
  return { at: at.set('option', places.slice(names.length)), unknown: [], count: MOST_COLUMNS };
}

/** A question and something that may answer it. */
export const isComplete = ({ at }: Columns): boolean =>
  at.has('text') && ANSWERS.some((field) => at.has(field));

/** Whether rows have a question and its answer, and nothing to choose from. */
export const areCards = ({ at }: Columns): boolean =>
  at.has('text') && at.has('correct') && !CHOICES.some((field) => at.has(field));
const CHOICES = ['option', 'options', 'wrong', 'wrongs', 'numbers', 'type'] as const;

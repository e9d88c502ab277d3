import { splitTags } from './csv-cells';
import type { Columns } from './csv-columns';
import type { FirstNumber } from '../fields/answer-key';
import type { Field } from '../fields/field-names';
import type { ListSurvey } from '../fields/list-text';
import { rowOfFields } from '../fields/question-fields';
import { difficultyOf } from '../parsed-question';
import type { ErrorRow, Place, QuestionRow, QuizOfRow } from '../row';
import { quote } from '../text/messages';

/** What all rows of the file together tell: what numbers count from, and how each list is separated. */
interface Known {
  first: FirstNumber;
  lists: ReadonlyMap<number, ListSurvey>;
}

/** The row that a CSV file's cells make. */
export function csvRow(
  place: Place,
  columns: Columns,
  cells: readonly string[],
  { first, lists }: Known,
): QuestionRow | ErrorRow {
  const errors: string[] = [];
  const all = (field: Field): string[] => cellsOf(columns, cells, field);
  const one = (field: Field): string => all(field)[0] ?? '';
  const given = (field: Field): string[] => all(field).filter(Boolean);
  const listOf = (field: 'options' | 'wrongs'): string[] =>
    (columns.at.get(field) ?? []).flatMap((at) => {
      const cell = (cells[at] ?? '').trim();
      const answers = lists.get(at)?.split(cell);
      if (!answers)
        errors.push(
          `the answers in ${quote(cell)} cannot be told apart: separate them with "|" in every row, or give each a column`,
        );
      return answers ?? [];
    });
  if (cells.slice(columns.count).some((extra) => extra.trim()))
    errors.push(
      `the row has ${cells.length} cells, but there are ${columns.count} columns: put texts that contain the separator in quotes`,
    );
  const { at } = columns;
  const fields = {
    text: one('text'),
    type: one('type'),
    difficulty: one('difficulty'),
    explanation: one('explanation'),
    source: one('source'),
    licence: one('licence'),
    options:
      at.has('option') || at.has('options') ? [...all('option'), ...listOf('options')] : null,
    wrong: at.has('wrong') || at.has('wrongs') ? [...all('wrong'), ...listOf('wrongs')] : null,
    correct: given('correct'),
    numbers: given('numbers'),
  };
  return rowOfFields(place, fields, first, { quiz: quizOf(one), errors });
}

/** By the cells of the row: a header may name many columns that it has not. */
const cellsOf = ({ at }: Columns, cells: readonly string[], field: Field): string[] =>
  (at.get(field) ?? []).flatMap((place) =>
    place < cells.length ? [(cells[place] ?? '').trim()] : [],
  );

/** The columns that hold lists. */
export const listPlaces = ({ at }: Columns): number[] =>
  (['options', 'wrongs'] as const).flatMap((field) => at.get(field) ?? []);

/** Whether the correct answers may be numbers. */
export const mayCount = ({ at }: Columns): boolean =>
  (at.has('option') || at.has('options')) && (at.has('correct') || at.has('numbers'));

/** The keys of a row, and the answers that they name as far as one row tells. */
export function keysOf(
  columns: Columns,
  cells: readonly string[],
): { given: string[]; texts: string[] } {
  const all = (field: Field) => cellsOf(columns, cells, field).filter(Boolean);
  const texts = [...all('option'), ...all('options').flatMap((cell) => cell.split(/[|;,\n]/))];
  return { given: texts.length > 0 ? [...all('correct'), ...all('numbers')] : [], texts };
}

function quizOf(cell: (field: Field) => string): QuizOfRow | undefined {
  const [title, description, category] = [
    cell('quizTitle'),
    cell('quizDescription'),
    cell('quizCategory'),
  ];
  const difficulty = difficultyOf(cell('quizDifficulty'));
  const tags = splitTags(cell('quizTags'));
  if (!title && !category) return undefined;
  return {
    key: title ? `quiz:${title}` : `category:${category}`,
    ...(title && { title }),
    ...(description && { description }),
    ...(category && { category }),
    ...(difficulty && { difficulty }),
    ...(tags.length > 0 && { tags }),
  };
}

/** What a column of a CSV file means. `answer` and `wrong` are several columns. */
export type ColumnName =
  | 'text'
  | 'type'
  | 'difficulty'
  | 'explanation'
  | 'numbers'
  | 'correct'
  | 'source'
  | 'licence'
  | 'quizTitle'
  | 'quizDescription'
  | 'quizCategory'
  | 'quizDifficulty'
  | 'quizTags';

export interface Columns {
  /** The place of each single column, from 0. */
  at: Map<ColumnName, number>;
  answers: Set<number>;
  wrong: Set<number>;
  unknown: string[];
  count: number;
}

/** More columns than people or our own export need: the separator is another one, or it is no such file. */
export const MOST_COLUMNS = 500;

const NAMES = new Map<string, ColumnName>(
  (
    [
      ['text', ['question', 'text', 'questiontext', 'prompt', 'q']],
      ['type', ['type', 'questiontype', 'kind']],
      ['difficulty', ['difficulty', 'level', 'questiondifficulty']],
      ['explanation', ['explanation', 'feedback', 'comment', 'rationale']],
      ['numbers', ['correctnumbers', 'correctnumber', 'correctletters', 'correctletter']],
      ['correct', ['correct', 'correctanswer', 'correctanswers', 'rightanswer', 'answer', 'key']],
      ['source', ['source']],
      ['licence', ['licence', 'license']],
      ['quizTitle', ['quiztitle', 'quiz', 'title']],
      ['quizDescription', ['quizdescription', 'description']],
      ['quizCategory', ['quizcategory', 'category', 'topic']],
      ['quizDifficulty', ['quizdifficulty']],
      ['quizTags', ['quiztags', 'tags']],
    ] as const
  ).flatMap(([column, names]) => names.map((name) => [name, column] as const)),
);

const ANSWER = /^(?:answer|option|choice)(?:\d{1,3}|[a-z])$|^[a-j]$/;
const WRONG = /^(?:wrong|incorrect|distractor)(?:answer|option|choice)?s?(?:\d{1,3}|[a-z])?$/;

/** The columns that a header names; null when the cells are no header. Case, blanks and marks do not matter. */
export function columnsOf(cells: readonly string[]): Columns | null {
  const columns: Columns = {
    at: new Map(),
    answers: new Set(),
    wrong: new Set(),
    unknown: [],
    count: cells.length,
  };
  for (const [place, cell] of cells.entries()) {
    const name = cell.toLowerCase().replace(/[\s_\-./:()#]+/g, '');
    const column = NAMES.get(name);
    if (column && !columns.at.has(column)) columns.at.set(column, place);
    else if (ANSWER.test(name)) columns.answers.add(place);
    else if (WRONG.test(name)) columns.wrong.add(place);
    else if (name) columns.unknown.push(cell.trim());
  }
  const hasAnswers = columns.answers.size + columns.wrong.size > 0;
  return columns.at.has('text') && hasAnswers ? columns : null;
}

/** The columns of a file without a header: those of our own export, in its order. */
export function defaultColumns(cells: readonly string[]): Columns | null {
  const looksLikeOurs = /^(?:MULTIPLE_CHOICE|TRUE_FALSE|OPEN_ENDED)$/i.test(cells[1]?.trim() ?? '');
  if (!looksLikeOurs) return null;
  const names = ['text', 'type', 'difficulty', 'explanation', 'numbers'] as const;
  return {
    at: new Map(names.map((name, place) => [name, place])),
    answers: new Set(Array.from({ length: MOST_COLUMNS }, (_, place) => place).slice(names.length)),
    wrong: new Set(),
    unknown: [],
    count: MOST_COLUMNS,
  };
}

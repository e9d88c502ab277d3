import type { AnswerInput } from '../../../authoring/question.rules';
import { fold } from '../../../platform/text.rules';
import { splitTags } from './csv-cells';
import type { ColumnName, Columns } from './csv-columns';
import { difficultyOf, questionTypeOf, rowOf } from '../draft';
import type { FaultRow, Place, QuestionRow, QuizOfRow } from '../row';
import { quote } from '../words';

/** The row that a CSV file's cells make. */
export function csvRow(
  place: Place,
  columns: Columns,
  cells: readonly string[],
): QuestionRow | FaultRow {
  const cell = (name: ColumnName): string => {
    const at = columns.at.get(name);
    return at === undefined ? '' : (cells[at] ?? '').trim();
  };
  const faults: string[] = [];
  if (cells.slice(columns.count).some((extra) => extra.trim()))
    faults.push(
      `the row has ${cells.length} cells, but there are ${columns.count} columns: put texts that contain the separator in quotes`,
    );
  const type = questionTypeOf(cell('type'));
  if (cell('type') && !type)
    faults.push(
      `the type ${quote(cell('type'))} is unknown: write MULTIPLE_CHOICE, TRUE_FALSE or OPEN_ENDED`,
    );
  const difficulty = difficultyOf(cell('difficulty'));
  if (cell('difficulty') && !difficulty)
    faults.push(
      `the difficulty ${quote(cell('difficulty'))} is unknown: write EASY, MEDIUM, HARD or EXPERT`,
    );
  // Cells that do not fit would only be followed by faults that they lead to.
  const answers = faults.length === 0 ? answersOf(columns, cells, cell) : [];
  if (typeof answers === 'string') faults.push(answers);
  if (faults.length > 0)
    return {
      ...place,
      fault: `${faults.join('; ')}.`.replace(/^./, (first) => first.toUpperCase()),
    };
  return rowOf(
    place,
    {
      text: cell('text'),
      type,
      difficulty,
      explanation: cell('explanation'),
      answers: answers as AnswerInput[],
      source: cell('source'),
      licence: cell('licence'),
    },
    { quiz: quizOf(cell) },
  );
}

/** The answers with their marks, or what is wrong. */
function answersOf(
  columns: Columns,
  cells: readonly string[],
  cell: (name: ColumnName) => string,
): AnswerInput[] | string {
  // By the cells of the row: a header may name many columns that it has not.
  const textsIn = (columns: ReadonlySet<number>) =>
    cells.filter((_, at) => columns.has(at)).map((text) => text.trim());
  const texts = textsIn(columns.answers);
  const unmarked = textsIn(columns.wrong)
    .filter(Boolean)
    .map((text) => ({ text, isCorrect: false }));
  if (columns.answers.size === 0) {
    const correct = cell('correct');
    return correct
      ? sorted([{ text: correct, isCorrect: true }, ...unmarked])
      : 'no correct answer is given: write it in the column of correct answers';
  }
  const chosen = cell('numbers')
    ? byNumber(cell('numbers'), texts)
    : byAnything(cell('correct'), texts);
  if (typeof chosen === 'string') return chosen;
  const marked = texts.map((text, i) => ({ text, isCorrect: chosen.has(i) }));
  return [...marked.filter(({ text }) => text), ...unmarked];
}

/** `2`, `B`, `1 3`, `A,C`: the columns of the right answers. */
function byNumber(cell: string, texts: readonly string[]): Set<number> | string {
  const chosen = new Set<number>();
  for (const name of cell.split(/[\s,;|+&]+/).filter(Boolean)) {
    const place = placeOf(name);
    if (place === undefined || !texts[place])
      return `${quote(name)} is the number of no answer: write the numbers of the right ones, such as 2 or 1 3`;
    chosen.add(place);
  }
  return chosen;
}

/** The text of the right answer, or its number or letter, as long as that can only mean one of them. */
function byAnything(cell: string, texts: readonly string[]): Set<number> | string {
  if (!cell) return 'no correct answer is given: write its text or number in the column "correct"';
  const wanted = fold(cell);
  const byText = texts.findIndex((text) => text !== '' && fold(text) === wanted);
  const numbers = byNumber(cell, texts);
  if (byText < 0)
    return typeof numbers === 'string'
      ? `the correct answer ${quote(cell)} is none of the answers: make it equal to one, or write its number`
      : numbers;
  const other = typeof numbers === 'string' ? undefined : [...numbers].find((n) => n !== byText);
  return other === undefined
    ? new Set([byText])
    : `the correct answer ${quote(cell)} may mean the answer with this text or answer ${other + 1} (${quote(texts[other] ?? '')}): call the column "correct_numbers" and write numbers`;
}

function placeOf(name: string): number | undefined {
  if (/^\d{1,9}$/.test(name)) return Number(name) - 1;
  return /^[a-z]$/i.test(name) ? name.toUpperCase().charCodeAt(0) - 65 : undefined;
}

/** The right answer stood apart from the others: sorted, its place tells nothing. True before False. */
function sorted(answers: AnswerInput[]): AnswerInput[] {
  const order = new Intl.Collator('en', { numeric: true });
  const isTrueFalse = answers.every(({ text }) => /^(?:true|false)$/i.test(text));
  return answers.sort((a, b) => order.compare(a.text, b.text) * (isTrueFalse ? -1 : 1));
}

function quizOf(cell: (name: ColumnName) => string): QuizOfRow | undefined {
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

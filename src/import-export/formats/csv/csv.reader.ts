import { SHORTEST_TIME_LIMIT } from '../../../catalog/vocabulary';
import { LIMITS } from '../../../platform/limits/limits';
import { CSV_MARK, csvRow, unguardCell } from '../../../platform/text/csv.rules';
import { LANGUAGE_FORM } from '../../../platform/text/language.rules';
import { joinAtCommas, splitAtCommas } from '../../../platform/text/text.rules';
import { type FirstNumber, KeySurvey, ListSurvey } from '../answer-key';
import { quizOf } from '../metadata';
import { withEmbedded } from '../pictures';
import {
  COLUMN_NAMES,
  type GivenFields,
  type QuestionField,
  rowOfFields,
} from '../question-fields';
import {
  type ErrorRow,
  type ExportedQuiz,
  type ImportRow,
  type NoteRow,
  type ParsedRow,
  type QuizOfRow,
  quote,
  type Reader,
  type ReadOptions,
  type RulesInFile,
} from '../row';
import { clozeOf, hasGap } from '../text/cloze';
import { TextDecoding } from '../text/text-decoding';
import { textLines } from '../text/text-lines';
import { type Card, CardSurvey } from './cards';
import { columnsBelow, notesOn, pictureIn } from './csv-columns';
import type { Columns } from './csv-head';
import { type CsvFile, type CsvRecord, openCsv } from './csv-records';

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

/** Whether rows have a question and its answer, and nothing to choose from. */
const areCards = ({ at }: Columns): boolean =>
  at.has('text') && at.has('correct') && !CHOICES.some((field) => at.has(field));
const CHOICES = ['option', 'options', 'wrong', 'wrongs', 'numbers', 'type'] as const;

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

/** The columns that exports have where they are set, the rules of play and the language, and what their cells may have. */
const OPTIONAL = {
  language: ['quizLanguage', LANGUAGE_FORM],
  timeLimit: [
    'quizTimeLimit',
    `seconds, ${SHORTEST_TIME_LIMIT} to ${LIMITS.content.timeLimit.value}`,
  ],
  maxAttempts: ['quizMaxAttempts', `1 to ${LIMITS.content.attemptsPerPlayer.value}`],
  questionsPerAttempt: ['quizQuestionsPerAttempt', `1 to ${LIMITS.content.questionsPerQuiz.value}`],
  acceptTypos: ['quizAcceptTypos', 'true or false'],
} as const satisfies Record<'language' | keyof RulesInFile, [QuestionField, string]>;
const OPTIONAL_NAMES = Object.keys(OPTIONAL) as (keyof typeof OPTIONAL)[];

/** What a cell of these has: a number, true or false, or a text. */
function valueOf(cell: string): unknown {
  if (/^\d+$/.test(cell)) return Number(cell);
  return /^(?:true|false)$/i.test(cell) ? cell.toLowerCase() === 'true' : cell;
}

/** `errors` gets what is wrong in a cell. */
function quizOfCells(given: GivenFields, errors: string[]): QuizOfRow | undefined {
  const cell = (field: QuestionField): string => given.get(field)?.[0] ?? '';
  const [title, category] = [cell('quizTitle'), cell('quizCategory')];
  if (!title && !category) return undefined;
  const description = cell('quizDescription');
  const difficulty = cell('quizDifficulty');
  const tags = splitAtCommas(cell('quizTags')).filter(Boolean);
  const optional = OPTIONAL_NAMES.map((name) => [name, valueOf(cell(OPTIONAL[name][0]))]);
  const about = {
    title,
    description,
    category,
    difficulty,
    tags,
    ...(Object.fromEntries(optional) as Record<string, unknown>),
  };
  const quiz = quizOf(about, title ? `quiz:${title}` : `category:${category}`);
  for (const name of OPTIONAL_NAMES) {
    const [field, allowed] = OPTIONAL[name];
    if (cell(field) && quiz[name] === undefined)
      errors.push(`${COLUMN_NAMES[field]} cannot be ${quote(cell(field))}: write ${allowed}`);
  }
  return quiz;
}

/** RFC 4180, with commas and CR LF. */
export function writeCsv(quiz: ExportedQuiz): Generator<string> {
  return linesOf(tableOf(quiz, (question) => withEmbedded(question, quiz.pictures)));
}

function* linesOf(rows: Iterable<readonly string[]>): Generator<string> {
  let mark = CSV_MARK;
  for (const row of rows) {
    yield mark + csvRow(row);
    mark = '';
  }
}

type TableQuestion = ExportedQuiz['questions'][number];

/** A quiz as a table; its columns are those of docs/import-export.md. */
export function* tableOf(
  quiz: ExportedQuiz,
  prepared: (question: TableQuestion) => TableQuestion = (question) => question,
): Generator<string[]> {
  const { questions } = quiz;
  const most = questions.reduce((most, { answers }) => Math.max(most, answers.length), 2);
  const hasAttribution = questions.some(({ source, licence }) => source ?? licence);
  const hasFormat = questions.some(({ format }) => format);
  const optional = OPTIONAL_NAMES.filter((name) => quiz[name] !== undefined);
  const about = [
    quiz.title,
    quiz.description ?? '',
    quiz.category ?? '',
    quiz.difficulty,
    joinAtCommas(quiz.tags),
    ...optional.map((name) => String(quiz[name])),
  ];
  yield [
    ...['question', 'type', 'difficulty', 'explanation', 'correct_numbers'],
    ...Array.from({ length: most }, (_, i) => `answer_${i + 1}`),
    ...(hasFormat ? ['format'] : []),
    ...(hasAttribution ? ['source', 'licence'] : []),
    ...['quiz_title', 'quiz_description', 'quiz_category', 'quiz_difficulty', 'quiz_tags'],
    ...optional.map((name) => COLUMN_NAMES[OPTIONAL[name][0]]),
  ];
  for (const each of questions) {
    const question = prepared(each);
    const { text, type, difficulty, format, explanation, answers, source, licence } = question;
    const correct = answers.flatMap(({ isCorrect }, i) => (isCorrect ? [i + 1] : []));
    yield [
      ...[text, type, difficulty, explanation ?? '', correct.join(' ')],
      ...Array.from({ length: most }, (_, i) => answers[i]?.text ?? ''),
      ...(hasFormat ? [format ?? 'plain'] : []),
      ...(hasAttribution ? [source ?? '', licence ?? ''] : []),
      ...about,
    ];
  }
}

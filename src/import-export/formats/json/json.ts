import { RULE_COLUMNS, rulesOf } from '../../../catalog/vocabulary';
import { LIMITS } from '../../../platform/limits/limits';
import { MEBIBYTE } from '../../../platform/sizes';
import { type FirstNumber, KeySurvey } from '../answer-key';
import { quizOf } from '../metadata';
import { withEmbedded } from '../pictures';
import { fieldOf } from '../question-fields';
import {
  type Bytes,
  type ExportedQuiz,
  FileError,
  type FilePosition,
  type ImportRow,
  isGiven,
  list,
  type QuizOfRow,
  quote,
  type Reader,
} from '../row';
import { TextDecoding } from '../text/text-decoding';
import { asUtf8, textLines } from '../text/text-lines';
import {
  FORM,
  isObject,
  isOpenTriviaDb,
  type JsonObject,
  jsonRow,
  OpenTriviaDbText,
  surveyKeys,
} from './json-question';
import { type JsonList, type JsonOutline, parseJson } from './json-text';

/** A list of questions or quizzes. `quiz`: the quiz that its questions belong to. */
interface Source {
  path: string;
  items: unknown[];
  quiz?: QuizOfRow | undefined;
}

/** A question, or a quiz among others. */
interface Element extends Required<FilePosition> {
  value: unknown;
  /** The line of each of its `questions`. */
  lines: readonly number[];
}

const LARGEST = LIMITS.imports.jsonFile.value;

/**
 * Reads JSON: the shapes of the API (the body of a batch import, whole quizzes, responses), responses of Open Trivia
 * DB, and lists of questions with common field names.
 * @throws FileError
 */
export async function* readJson(bytes: Bytes): AsyncGenerator<ImportRow> {
  const decoding = new TextDecoding();
  const { value, outline } = parseJson(decoding.decode(await whole(bytes), 1), 1, true);
  const { sources, quiz } = sourcesIn(value, '') ?? { sources: byCategory(value) };
  if (sources.length === 0) throw noQuestions();
  const elements = sources.map((source) => elementsOf(source, outline));
  const isOurs = isObject(value) && value.success === true;
  const survey = new JsonSurvey(isOurs);
  for (const element of elements.flat()) survey.add(element);
  const isRead = (it: JsonList) =>
    sources.some(({ path }) => path === it.path && outline.byPath.get(path) === it);
  // A list of texts or numbers is a field of the quiz.
  const unread = outline.lists.filter((it) => it.hasObjects && !isRead(it));
  for (const { line, path, lines } of unread)
    yield {
      line,
      note: `The list ${quote(path)} (${lines.length}) is not read, as the questions are taken from another: give it a file of its own.`,
    };
  yield* survey.keys.notes();
  yield* nothingFrom(value, sources);
  let named: QuizOfRow | undefined;
  if (quiz) {
    const reported = new Set(unread.map(({ path }) => path));
    const place = { line: 1, path: quiz.path };
    const head = quizHead(quiz.object, place, elements.flat().length, isOurs, reported);
    yield* head.rows;
    named = head.named;
  }
  for (const [i, source] of sources.entries())
    for (const element of elements[i] ?? [])
      yield* survey.rows(element, source.quiz ?? named, quiz !== undefined);
  yield* decoding.notes();
}

/** @throws FileError if it is larger than JSON may be */
async function whole(bytes: Bytes): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of asUtf8(bytes)) {
    if ((size += chunk.length) > LARGEST)
      throw new FileError(
        1,
        `The JSON is larger than ${LARGEST / MEBIBYTE} MiB: save it as JSON Lines (.jsonl), with one question in each line, or split it. If it is an export with many pictures, export each quiz as QTI or the whole account as an archive instead.`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Of a line in JSON Lines: a question or a quiz; in an archive, a version of a question, or an attempt at 1,000 of them. */
export const LONGEST_JSON_LINE = LIMITS.imports.jsonLine.value;

/**
 * Reads JSON Lines: a question, or a quiz, in each line. The file is read twice, because its encodings and the first
 * number of answers only show in all of it. @throws FileError
 */
export const readJsonLines: Reader = async function* (bytes) {
  const decoding = new TextDecoding();
  const survey = new JsonSurvey(false);
  for await (const elements of linesOf(bytes, decoding))
    for (const element of elements) survey.add(element);
  yield* survey.keys.notes();
  for await (const elements of linesOf(bytes, new TextDecoding()))
    for (const element of elements) yield* survey.rows(element, undefined, false);
  yield* decoding.notes();
};

async function* linesOf(bytes: Bytes, decoding: TextDecoding): AsyncGenerator<Element[]> {
  let count = 0;
  for await (const lines of textLines(bytes, decoding, LONGEST_JSON_LINE))
    yield lines
      .filter(({ text }) => text.trim())
      .map(({ text, line, end }) => {
        const { value } = parseJson(text, line, end === '');
        return { value, line, lines: [], path: `[${count++}]` };
      });
}

const elementsOf = ({ path, items }: Source, { byPath }: JsonOutline): Element[] => {
  const lines = byPath.get(path)?.lines ?? [];
  return items.map((value, i) => ({
    value,
    path: `${path}[${i}]`,
    line: lines[i] ?? 1,
    lines: byPath.get(`${path}[${i}].questions`)?.lines ?? [],
  }));
};

/** Names for a list of questions that has no category. */
const NO_CATEGORIES = new Set(['data', 'entries', 'items', 'list', 'quiz', 'trivia']);

/** What all elements together show: how texts are encoded, and where numbers of answers start. */
class JsonSurvey {
  readonly keys = new KeySurvey(0);
  private readonly texts = new OpenTriviaDbText();

  /** @param isOurs whether the file is a response of this service */
  constructor(private readonly isOurs: boolean) {}

  add({ value, line }: Element): void {
    for (const item of itemsOf(value)) {
      if (!isObject(item)) continue;
      if (isOpenTriviaDb(item)) this.texts.add(item);
      surveyKeys(item, line, this.keys);
    }
  }

  *rows(
    { value, path, line, lines }: Element,
    quiz: QuizOfRow | undefined,
    areQuestions: boolean,
  ): Generator<ImportRow> {
    const first = this.keys.first();
    const place = { line, path };
    if (areQuestions || !isObject(value) || !Array.isArray(value.questions)) {
      yield this.row(value, place, first, quiz);
      return;
    }
    const isOurs = this.isOurs || value.success === true;
    const { rows, named } = quizHead(value, place, value.questions.length, isOurs);
    yield* rows;
    for (const [i, item] of value.questions.entries())
      yield this.row(
        item,
        { line: lines[i] ?? line, path: `${path}.questions[${i}]` },
        first,
        named,
      );
  }

  private row(item: unknown, place: FilePosition, first: FirstNumber, quiz?: QuizOfRow): ImportRow {
    const isEncoded = isObject(item) && isOpenTriviaDb(item);
    return jsonRow(isEncoded ? this.texts.decoded(item) : item, place, first, quiz);
  }
}

const itemsOf = (value: unknown): unknown[] =>
  isObject(value) && Array.isArray(value.questions) ? value.questions : [value];

/** The list that contains the questions; `quiz`: the object that they are the `questions` of. */
function sourcesIn(
  value: unknown,
  path: string,
): { sources: Source[]; quiz?: { object: JsonObject; path: string } } | undefined {
  if (Array.isArray(value)) return { sources: [{ path, items: value }] };
  if (!isObject(value)) return undefined;
  const at = (name: string) => (path ? `${path}.${name}` : name);
  const { quizzes, questions, results, data } = value;
  if (Array.isArray(quizzes)) return sourcesIn(quizzes, at('quizzes'));
  if (Array.isArray(questions))
    return {
      sources: [{ path: at('questions'), items: questions }],
      quiz: { object: value, path },
    };
  if (Array.isArray(results)) return sourcesIn(results, at('results'));
  return !path && data !== undefined ? sourcesIn(data, 'data') : undefined;
}

/** The lists of an object with one for each category. */
function byCategory(value: unknown): Source[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([path, items]) => {
    if (!Array.isArray(items) || !items.some(hasText)) return [];
    const isCategory = !NO_CATEGORIES.has(path.toLowerCase());
    const quiz = isCategory ? { key: `category:${path}`, category: path } : undefined;
    return [{ path, items, quiz }];
  });
}

const hasText = (value: unknown): boolean =>
  itemsOf(value).some(
    (item) => isObject(item) && Object.keys(item).some((name) => fieldOf(name) === 'text'),
  );

/** Open Trivia DB's response when it has no questions. */
function* nothingFrom(value: unknown, sources: readonly Source[]): Generator<ImportRow> {
  const code = isObject(value) && Array.isArray(value.results) ? value.response_code : undefined;
  if (typeof code === 'number' && sources.every(({ items }) => items.length === 0))
    yield {
      line: 1,
      error: `Open Trivia DB gave no questions (response code ${code}): ask it again, for fewer or with a new token.`,
    };
}

const noQuestions = (): FileError =>
  new FileError(
    1,
    `The file is JSON but holds no questions: give it the form {"questions": […]}, each ${FORM}.`,
  );

/**
 * A quiz's own fields, as its rows name them, and notes about them.
 * @param isOurs whether it is of this service: in other tools a time limit may be of each question, or in minutes
 * @param reported paths of lists that other notes name
 */
function quizHead(
  object: JsonObject,
  { line, path }: Required<FilePosition>,
  count: number,
  isOurs: boolean,
  reported?: ReadonlySet<string>,
): { named?: QuizOfRow; rows: ImportRow[] } {
  const fields = isOurs ? [...TEXT_FIELDS, ...RULES] : TEXT_FIELDS;
  const about = quizOf(isOurs ? object : { ...object, ...NO_RULES }, `quiz:${path}`);
  const place = { line, ...(path && { path }) };
  const rows: ImportRow[] = [];
  const unread = fields.filter(
    (name) => isGiven(object[name]) && about[name as keyof QuizOfRow] === undefined,
  );
  if (unread.length > 0)
    rows.push({
      ...place,
      note: `The content of ${list(unread)} cannot be read and is ignored.`,
    });
  const unknown = Object.keys(object).filter(
    (name) =>
      isGiven(object[name]) &&
      !fields.includes(name) &&
      !PASSED_OVER_OF_QUIZ.has(name) &&
      !reported?.has(path ? `${path}.${name}` : name),
  );
  if (unknown.length > 0)
    rows.push({
      ...place,
      note: `Unsupported fields of the quiz are ignored: ${list(unknown.slice(0, 10).map(quote))}.`,
    });
  if (count === 0 && about.title)
    rows.push({
      ...place,
      error: `The quiz ${quote(about.title)} has no questions: add one to import it.`,
    });
  return { rows, ...(Object.keys(about).length > 1 && { named: about }) };
}

const TEXT_FIELDS = ['title', 'description', 'category', 'difficulty', 'tags', 'language'];
const RULES = Object.keys(RULE_COLUMNS);
const NO_RULES = Object.fromEntries(RULES.map((name) => [name, null]));
/** Known fields of the envelope and of quizzes, which are ignored without a note. */
const PASSED_OVER_OF_QUIZ = new Set([
  ...['success', 'meta', 'data', 'quizzes', 'questions', 'results'],
  ...['id', 'slug', 'plays', 'questionCount', 'categoryId', 'published', 'featured'],
  ...['quizId', 'questionsCreated', 'createdAt', 'writtenBy'],
]);

/**
 * A whole quiz. Its `questions` have the form of a batch import, so the file is also a valid request body for the API
 * (specification 4.7; unknown fields are ignored). `success` as in every JSON response (part 1).
 */
export function* writeJson({ questions, ...quiz }: ExportedQuiz): Generator<string> {
  const { title, description, category, difficulty, tags, language, kept } = quiz;
  const rules = rulesOf(quiz);
  const head = JSON.stringify(
    { success: true, title, description, category, difficulty, tags, language, ...rules, ...kept },
    null,
    2,
  );
  yield `${head.slice(0, -2)},\n  "questions": [`;
  for (const [i, question] of questions.entries()) {
    const { text, type, difficulty, format, explanation, answers, source, licence } = withEmbedded(
      question,
      quiz.pictures,
    );
    const item = { text, type, difficulty, format, explanation, answers, source, licence };
    yield `${i > 0 ? ',' : ''}\n    ${JSON.stringify(item, null, 2).replaceAll('\n', '\n    ')}`;
  }
  yield `${questions.length > 0 ? '\n  ' : ''}]\n}\n`;
}

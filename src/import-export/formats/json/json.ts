import { quizOf } from '../moodle-terms';
import { KeySurvey, type FirstNumber } from '../answer-key';
import { fieldOf } from '../question-fields';
import {
  FORM,
  isObject,
  isOpenTriviaDb,
  jsonRow,
  OpenTriviaDbText,
  surveyKeys,
  type JsonObject,
} from './json-question';
import { JsonScanner, scanned, type JsonElement } from './json-scanner';
import {
  isGiven,
  list,
  quote,
  FileError,
  type ExportedQuiz,
  type Bytes,
  type ImportRow,
  type Place,
  type QuizOfRow,
  type Reader,
} from '../row';
import { asUtf8, MEBIBYTE, textLines } from '../text/text-lines';
import { TextDecoding } from '../text/text-decoding';

/**
 * Reads JSON: the shapes of the API (the body of a batch import, whole quizzes, responses), responses of Open Trivia
 * DB, and lists of questions with common field names. In JSON a quiz's title may follow its questions, so a file is
 * read twice and only one element is kept at a time: first for everything around its lists, and for errors anywhere
 * in it; then for the questions.
 * @throws FileError
 */
export async function* readJson(bytes: Bytes): AsyncGenerator<ImportRow> {
  const decoding = new TextDecoding();
  const survey = new JsonSurvey();
  const outline = new JsonScanner();
  for await (const elements of scanned(outline, bytes, decoding))
    for (const element of elements) survey.look(element);
  const value = outline.value();
  const { lists, quiz } = listsIn(value, '') ?? { lists: survey.byCategory(outline.lists) };
  if (lists.size === 0) throw noQuestions();
  for (const [number, { path, line, count }] of outline.lists.entries())
    if (count > 0 && !lists.has(number))
      yield {
        line,
        note: `The list ${quote(path)} (${count}) is not read, as the questions are taken from another: give it a file of its own.`,
      };
  yield* survey.keys.notes();
  yield* nothingFrom(value, outline.lists);
  let named: QuizOfRow | undefined;
  if (quiz) {
    const count = [...lists.keys()].reduce((sum, at) => sum + (outline.lists[at]?.count ?? 0), 0);
    const head = quizHead(quiz.object, { line: 1, path: quiz.path }, count);
    yield* head.rows;
    named = head.named;
  }
  const questions = new JsonScanner(new Set(lists.keys()));
  for await (const elements of scanned(questions, bytes, new TextDecoding()))
    for (const element of elements)
      yield* survey.rows(element, lists.get(element.list) ?? named, quiz !== undefined);
  yield* decoding.notes();
}

/** An element may be as long as in JSON. */
const LONGEST_LINE = 8 * MEBIBYTE;

/** Reads JSON Lines: a question in each line. @throws FileError */
export const readJsonLines: Reader = (bytes) =>
  readJson({
    // The same bytes as one list, each element on its line.
    async *[Symbol.asyncIterator]() {
      let before = '[';
      const latin1 = { decode: (line: Buffer): string => line.toString('latin1') };
      for await (const lines of textLines(asUtf8(bytes), latin1, LONGEST_LINE)) {
        let text = '';
        for (const line of lines) {
          text += line.text.trim() ? before + line.text + line.end : line.end;
          if (line.text.trim()) before = ',';
        }
        yield Buffer.from(text, 'latin1');
      }
      yield Buffer.from(before === '[' ? '[]' : ']');
    },
  });

/** Names for a list of questions that has no category. */
const NO_CATEGORIES = new Set(['data', 'entries', 'items', 'list', 'quiz', 'trivia']);

/** What all elements together show: how texts are encoded, and where numbers of answers start. */
class JsonSurvey {
  readonly keys = new KeySurvey(0);
  private readonly texts = new OpenTriviaDbText();
  /** Those with an element that has a question's text. */
  private readonly lists = new Set<number>();

  look({ value, list, line }: JsonElement): void {
    const items = isObject(value) && Array.isArray(value.questions) ? value.questions : [value];
    for (const item of items as unknown[]) {
      if (!isObject(item)) continue;
      if (isOpenTriviaDb(item)) this.texts.look(item);
      surveyKeys(item, line, this.keys);
      if (Object.keys(item).some((name) => fieldOf(name) === 'text')) this.lists.add(list);
    }
  }

  /** The lists of an object with one for each category. */
  byCategory(lists: readonly { path: string }[]): Map<number, QuizOfRow | undefined> {
    const found = [...lists.entries()].filter(([number]) => this.lists.has(number));
    return new Map(
      found.map(([number, { path }]) => [
        number,
        NO_CATEGORIES.has(path.toLowerCase())
          ? undefined
          : { key: `category:${path}`, category: path },
      ]),
    );
  }

  *rows(
    { value, path, line, lines }: JsonElement,
    quiz: QuizOfRow | undefined,
    areQuestions: boolean,
  ): Generator<ImportRow> {
    const first = this.keys.first();
    const place = { line, path };
    if (areQuestions || !isObject(value) || !Array.isArray(value.questions)) {
      yield this.row(value, place, first, quiz);
      return;
    }
    const { rows, named } = quizHead(value, place, value.questions.length);
    yield* rows;
    for (const [i, item] of value.questions.entries())
      yield this.row(
        item,
        { line: lines[i] ?? line, path: `${path}.questions[${i}]` },
        first,
        named,
      );
  }

  private row(item: unknown, place: Place, first: FirstNumber, quiz?: QuizOfRow): ImportRow {
    const isEncoded = isObject(item) && isOpenTriviaDb(item);
    return jsonRow(isEncoded ? this.texts.decoded(item) : item, place, first, quiz);
  }
}

/** The lists that contain the questions; `quiz`: the object that they are the `questions` of. */
function listsIn(
  value: unknown,
  path: string,
): { lists: Map<number, undefined>; quiz?: { object: JsonObject; path: string } } | undefined {
  // In the outline a list is replaced by its number.
  if (Array.isArray(value)) return { lists: new Map([[Number(value[0]), undefined]]) };
  if (!isObject(value)) return undefined;
  const { quizzes, questions, results, data } = value;
  if (Array.isArray(quizzes)) return listsIn(quizzes, path);
  if (Array.isArray(questions))
    return { lists: new Map(), ...listsIn(questions, path), quiz: { object: value, path } };
  if (Array.isArray(results)) return listsIn(results, path);
  return !path && data !== undefined ? listsIn(data, 'data') : undefined;
}

/** Open Trivia DB's response when it has no questions. */
function* nothingFrom(value: unknown, lists: readonly { count: number }[]): Generator<ImportRow> {
  const code = isObject(value) && Array.isArray(value.results) ? value.response_code : undefined;
  if (typeof code === 'number' && lists.every(({ count }) => count === 0))
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

/** A quiz's own fields, as its rows name them, and notes about them. */
function quizHead(
  object: JsonObject,
  { line, path }: Required<Place>,
  count: number,
): { named?: QuizOfRow; rows: ImportRow[] } {
  // Rules of play of our own exports only: in other tools a time limit may be of each question, or in minutes.
  const isOurs = object.success === true;
  const fields = isOurs ? [...TEXT_FIELDS, ...RULES] : TEXT_FIELDS;
  const about = quizOf(
    isOurs ? object : { ...object, timeLimit: null, maxAttempts: null },
    `quiz:${path}`,
  );
  const place = { line, ...(path && { path }) };
  const rows: ImportRow[] = [];
  const unread = fields.filter(
    (name) => isGiven(object[name]) && about[name as keyof QuizOfRow] === undefined,
  );
  if (unread.length > 0)
    rows.push({
      ...place,
      note: `The content of ${list(unread)} cannot be read and is left out.`,
    });
  const unknown = Object.keys(object).filter(
    (name) => isGiven(object[name]) && !fields.includes(name) && !PASSED_OVER_OF_QUIZ.has(name),
  );
  if (unknown.length > 0)
    rows.push({
      ...place,
      note: `Unsupported fields of the quiz are left out: ${list(unknown.slice(0, 10).map(quote))}.`,
    });
  if (count === 0 && about.title)
    rows.push({
      ...place,
      error: `The quiz ${quote(about.title)} has no questions: add one to import it.`,
    });
  return { rows, ...(Object.keys(about).length > 1 && { named: about }) };
}

const TEXT_FIELDS = ['title', 'description', 'category', 'difficulty', 'tags'];
const RULES = ['timeLimit', 'maxAttempts'];
/** Known envelope and quiz fields; ignored without a note. Lists are reported elsewhere. */
const PASSED_OVER_OF_QUIZ = new Set([
  ...['success', 'meta', 'data', 'quizzes', 'questions', 'results'],
  ...['id', 'slug', 'plays', 'questionCount', 'categoryId', 'published', 'featured'],
  ...['quizId', 'questionsCreated'],
]);

/**
 * A whole quiz. Its `questions` have the form of a batch import, so the file is also a valid request body for the API
 * (specification 4.7; unknown fields are ignored). `success` as in every JSON response (part 1).
 */
export function* writeJson({ questions, ...quiz }: ExportedQuiz): Generator<string> {
  const { title, description, category, difficulty, tags, timeLimit, maxAttempts } = quiz;
  const rules = { timeLimit, maxAttempts };
  const head = JSON.stringify(
    { success: true, title, description, category, difficulty, tags, ...rules },
    null,
    2,
  );
  yield `${head.slice(0, -2)},\n  "questions": [`;
  for (const [i, question] of questions.entries()) {
    const { text, type, difficulty, explanation, answers, source, licence } = question;
    const item = { text, type, difficulty, explanation, answers, source, licence };
    yield `${i > 0 ? ',' : ''}\n    ${JSON.stringify(item, null, 2).replaceAll('\n', '\n    ')}`;
  }
  yield `${questions.length > 0 ? '\n  ' : ''}]\n}\n`;
}

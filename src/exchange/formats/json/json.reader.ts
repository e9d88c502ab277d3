import { difficultyOf, questionTypeOf, rowOf, type Draft } from '../draft';
import { quizOf } from '../extras';
import { FileFault } from '../file-fault';
import { elementsOf, readOutline } from './json-file';
import type { Bytes, ImportRow, Place, QuizOfRow } from '../row';
import { TextDecoding } from '../text-decoding';
import { list, quote } from '../words';

type JsonObject = Record<string, unknown>;

/**
 * Reads JSON in the shapes that the API speaks: the body of a batch import (`{"questions": […]}`), whole
 * quizzes (one, an array, or `{"quizzes": […]}`), answers of the API (`{"success": true, "data": …}`), and an
 * array of questions. @throws FileFault
 */
export async function* readJson(bytes: Bytes): AsyncGenerator<ImportRow> {
  const decoding = new TextDecoding();
  const outline = await readOutline(bytes, decoding);
  const { list, quiz } = listIn(outline.value, '');
  const passedOver = outline.lists.filter(({ count }, number) => count > 0 && number !== list);
  for (const { path, line, count } of passedOver)
    yield {
      line,
      note: `The list ${quote(path)} (${count}) is not read, as the questions are taken from another: give it a file of its own.`,
    };
  let named: QuizOfRow | undefined;
  if (quiz) {
    const head = quizHead(
      quiz.object,
      { line: 1, path: quiz.path },
      outline.lists[list]?.count ?? 0,
    );
    yield* head.rows;
    named = head.named;
  }
  for await (const { value, path, line, lines } of elementsOf(bytes, new TextDecoding(), list))
    if (quiz) yield questionRow(value, { line, path }, named);
    else yield* element(value, { line, path }, lines);
  yield* decoding.notes();
}

/** The list that holds the questions; `quiz`: the object that they are the `questions` of. @throws FileFault */
function listIn(
  value: unknown,
  path: string,
): { list: number; quiz?: { object: JsonObject; path: string } } {
  // In the outline a list holds its number.
  if (Array.isArray(value)) return { list: Number(value[0]) };
  if (isObject(value)) {
    if (Array.isArray(value.quizzes)) return listIn(value.quizzes, path);
    if (Array.isArray(value.questions))
      return { list: Number(value.questions[0]), quiz: { object: value, path } };
    if (!path && value.data !== undefined) return listIn(value.data, 'data');
  }
  throw new FileFault(
    1,
    'The file is JSON but holds no questions: give it the form {"questions": [{"text": …, "type": …, "difficulty": …, "answers": [{"text": …, "isCorrect": …}]}]}.',
  );
}

function* element(
  value: unknown,
  place: Required<Place>,
  lines: readonly number[],
): Generator<ImportRow> {
  if (!isObject(value) || !Array.isArray(value.questions)) {
    yield questionRow(value, place);
    return;
  }
  const { rows, named } = quizHead(value, place, value.questions.length);
  yield* rows;
  for (const [i, item] of value.questions.entries()) {
    const path = `${place.path}.questions[${i}]`;
    yield questionRow(item, { line: lines[i] ?? place.line, path }, named);
  }
}

/** What a quiz says of itself, as its rows name it, and rows about what it says. */
function quizHead(
  object: JsonObject,
  { line, path }: Required<Place>,
  count: number,
): { named?: QuizOfRow; rows: ImportRow[] } {
  const about = quizOf(object, `quiz:${path}`);
  const place = { line, ...(path && { path }) };
  const rows: ImportRow[] = [];
  const unread = [...QUIZ_FIELDS].filter(
    (name) => isGiven(object[name]) && about[name as keyof QuizOfRow] === undefined,
  );
  if (unread.length > 0)
    rows.push({
      ...place,
      note: `What the quiz gives as ${list(unread)} cannot be read and is left out.`,
    });
  const unknown = Object.keys(object).filter(
    (name) => isGiven(object[name]) && !QUIZ_FIELDS.has(name) && !PASSED_OVER_OF_QUIZ.has(name),
  );
  if (unknown.length > 0)
    rows.push({
      ...place,
      note: `What the quiz has in ${list(unknown.slice(0, 10).map(quote))} is not kept: quizzes have nothing like it here.`,
    });
  if (count === 0 && about.title)
    rows.push({
      ...place,
      fault: `The quiz ${quote(about.title)} has no questions: add one to import it.`,
    });
  return { rows, ...(Object.keys(about).length > 1 && { named: about }) };
}

const QUIZ_FIELDS = new Set(['title', 'description', 'category', 'difficulty', 'tags']);
/** What the API says around questions, and a quiz's own that is given anew. Of lists another sentence tells. */
const PASSED_OVER_OF_QUIZ = new Set([
  ...['success', 'meta', 'data', 'quizzes', 'questions', 'results'],
  ...['id', 'slug', 'plays', 'questionCount', 'categoryId', 'published', 'featured'],
  ...['quizId', 'questionsCreated'],
]);
/** Ours, but given anew to what is imported, or read with the quiz. */
const PASSED_OVER = new Set(['id', 'order', 'quizId', 'quizTitle', 'category', 'tags']);
const READ = new Set([
  'text',
  'type',
  'difficulty',
  'explanation',
  'answers',
  'source',
  'licence',
  'license',
]);

function questionRow(item: unknown, place: Place, quiz?: QuizOfRow): ImportRow {
  if (!isObject(item))
    return { ...place, fault: `A question must be an object, {"text": …}: write it as one.` };
  const faults: string[] = [];
  const text = (name: string): string => {
    const value = item[name];
    if (isGiven(value) && typeof value !== 'string') faults.push(`"${name}" must be text`);
    return typeof value === 'string' ? value : '';
  };
  const oneOf = <T>(name: string, read: (text: string) => T | undefined, names: string) => {
    const given = text(name);
    const value = read(given);
    if (given && value === undefined)
      faults.push(`"${name}" must be ${names}, not ${quote(given)}`);
    return value;
  };
  const draft: Draft = {
    text: text('text'),
    type: oneOf('type', questionTypeOf, 'MULTIPLE_CHOICE, TRUE_FALSE or OPEN_ENDED'),
    difficulty: oneOf('difficulty', difficultyOf, 'EASY, MEDIUM, HARD or EXPERT'),
    explanation: text('explanation'),
    source: text('source'),
    licence: text('licence') || text('license'),
    answers: [],
  };
  const unknown = new Set(
    Object.keys(item).filter((name) => !READ.has(name) && !PASSED_OVER.has(name)),
  );
  if (Array.isArray(item.answers)) {
    for (const [i, answer] of item.answers.entries()) {
      const { text, isCorrect } = isObject(answer) ? answer : {};
      if (typeof text !== 'string' || typeof isCorrect !== 'boolean')
        faults.push(`answers[${i}] must have the form {"text": "…", "isCorrect": true}`);
      else draft.answers.push({ text, isCorrect });
      for (const name of Object.keys(isObject(answer) ? answer : {}))
        if (!['id', 'text', 'isCorrect'].includes(name)) unknown.add(`answers[].${name}`);
    }
  } else faults.push('"answers" must be a list of answers');
  const names = list([...unknown].slice(0, 10).map(quote));
  // What could not be read needs no second sentence about what it leads to.
  if (faults.length > 0) return { ...place, fault: `${faults.slice(0, 3).join('; ')}.` };
  return rowOf(place, draft, {
    quiz: quiz ?? ownQuiz(item),
    notes: names
      ? [`What stands in ${names} is not kept: questions have nothing like it here.`]
      : [],
  });
}

/** An element of GET /api/v1/questions names its quiz. */
function ownQuiz(item: JsonObject): QuizOfRow | undefined {
  const { quizId, quizTitle, category, tags } = item;
  if (typeof quizId === 'string' && typeof quizTitle === 'string')
    return quizOf({ title: quizTitle, category, tags }, `quiz:${quizId}`);
  return typeof category === 'string' && category.trim()
    ? { key: `category:${category.trim()}`, category: category.trim() }
    : undefined;
}

const isGiven = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  !(Array.isArray(value) && value.length === 0);

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

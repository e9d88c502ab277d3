import { decodeHTMLStrict } from 'entities';
import type { AnswerInput } from '../../../authoring/questions/question.rules';
import { LIMITS } from '../../../platform/limits/limits';
import type { FirstNumber, KeySurvey } from '../answer-key';
import { quizOf } from '../metadata';
import { questionTypeOf } from '../parsed-question';
import { fieldOf, plainName, type QuestionField, rowOfFields } from '../question-fields';
import {
  type FilePosition,
  type ImportRow,
  isGiven,
  list,
  type QuizOfRow,
  quote,
  sentence,
} from '../row';
import { letterOf } from '../text/letters';

/** The first keys of a question show where numbers start. */
const MOST = LIMITS.content.answersPerQuestion.value;

export type JsonObject = Record<string, unknown>;

export const FORM =
  '{"text": "…", "answers": [{"text": "…", "isCorrect": true}, …]}, {"question": "…", "correct_answer": "…", "incorrect_answers": ["…"]} or {"question": "…", "options": ["…"], "answer": "…"}';

/** Fields of the API's questions that an import assigns itself, or reads with the quiz. */
const PASSED_OVER = new Set(['id', 'order', 'quizid', 'multiplecorrectanswers']);

/** The row of an object. `first`: whether the numbers of correct answers count from 0 or 1. */
export function jsonRow(
  item: unknown,
  place: FilePosition,
  first: FirstNumber,
  quiz?: QuizOfRow,
): ImportRow {
  if (!isObject(item))
    return { ...place, error: `A question must be an object: write it as ${FORM}.` };
  const { given, marked, errors, unknown } = new Members(item);
  const has = (...fields: QuestionField[]): boolean => fields.some((field) => given.has(field));
  const isOpen = questionTypeOf(given.get('type')?.[0] ?? '') === 'OPEN_ENDED';
  const hasKey = marked ?? (has('correct', 'numbers') || (isOpen && has('option', 'options')));
  if (errors.length === 0 && !hasKey)
    errors.push(`the correct answer is missing: give the question the form ${FORM}`);
  if (errors.length > 0) return { ...place, error: sentence(errors) };
  const left = list([...unknown].slice(0, 10).map(quote));
  return rowOfFields(place, given, first, {
    quiz: quiz ?? ownQuiz(item, given.get('quizCategory')?.[0] ?? ''),
    ...(marked && { answers: marked }),
    ...(left && {
      notes: [`Unsupported fields of the question are ignored: ${left}.`],
    }),
  });
}

/** Passes the part that names an object's correct answers to the survey. */
export function surveyKeys(item: JsonObject, line: number, keys: KeySurvey): void {
  const { given } = new Members(item);
  const texts = (['option', 'options'] as const).flatMap((each) => given.get(each) ?? []);
  if (texts.length === 0) return;
  for (const field of ['correct', 'numbers'] as const)
    for (const key of given.get(field)?.slice(0, MOST) ?? []) keys.add(line, key, texts);
}

/** The members of an object by our names for them. */
class Members {
  readonly given = new Map<QuestionField, string[]>();
  /** For answers that say themselves whether they are correct. */
  marked: AnswerInput[] | undefined;
  readonly errors: string[] = [];
  readonly unknown = new Set<string>();

  constructor(item: JsonObject) {
    for (const [name, value] of Object.entries(item)) {
      const field = fieldOf(name);
      const isList = field === 'options' || field === 'wrongs';
      if (PASSED_OVER.has(plainName(name)) || value === null || !(isList || isGiven(value)))
        continue;
      if (!field || field === 'quizDescription' || field === 'quizDifficulty') {
        this.unknown.add(name);
        continue;
      }
      // Tags are read with the quiz; a list of categories is not one.
      if (field.startsWith('quiz') && typeof value !== 'string') continue;
      const texts = isList ? this.list(field, name, value) : this.texts(field, name, value);
      const all = this.given.get(field);
      // An object may have thousands of members for one field.
      if (all) for (const text of texts) all.push(text);
      else this.given.set(field, texts);
    }
  }

  private texts(field: QuestionField, name: string, value: unknown): string[] {
    // {"answer_a_correct": "true", "answer_b_correct": "false"}
    if (field === 'correct' && isObject(value) && !('text' in value))
      return Object.keys(value).flatMap((key, at) => (isTrue(value[key]) ? [letterOf(at)] : []));
    const isAnswer = ['correct', 'numbers', 'option', 'wrong'].includes(field);
    const values = Array.isArray(value) && isAnswer ? (value as unknown[]) : [value];
    // The Trivia API, version 2: {"question": {"text": "…"}}
    const inner = values.map((each) => (isObject(each) ? each.text : each));
    const texts = inner.map((each) =>
      isAnswer || typeof each === 'string' ? textOf(each) : undefined,
    );
    if (texts.includes(undefined)) this.errors.push(`"${name}" must be a string`);
    return texts.filter((text) => text !== undefined);
  }

  /** A list of texts, or of objects with a text and perhaps a mark. */
  private list(field: QuestionField, name: string, value: unknown): string[] {
    const values: unknown = isObject(value) ? Object.values(value) : value;
    if (!Array.isArray(values)) {
      this.errors.push(
        `"${name}" must be a list of answers, [{"text": "…", "isCorrect": true}, …]`,
      );
      return [];
    }
    const texts: string[] = [];
    const marks: boolean[] = [];
    for (const [i, value] of (values as unknown[]).entries()) {
      const members = isObject(value)
        ? new Map(Object.entries(value).map(([key, each]) => [plainName(key), each]))
        : new Map<string, unknown>([['text', value ?? '']]);
      const text = textOf(
        ANSWER_TEXT.map((key) => members.get(key)).find(isGiven) ?? members.get('text'),
      );
      const mark = ANSWER_MARK.map((key) => members.get(key)).find((each) => each !== undefined);
      if (text === undefined || (mark !== undefined && typeof mark !== 'boolean'))
        this.errors.push(`${name}[${i}] must have the form {"text": "…", "isCorrect": true}`);
      texts.push(text ?? '');
      if (typeof mark === 'boolean') marks.push(mark);
      for (const key of isObject(value) ? Object.keys(value) : [])
        if (!ANSWER_MEMBERS.has(plainName(key))) this.unknown.add(`${name}[].${key}`);
    }
    if (marks.length > 0 && marks.length < values.length)
      this.errors.push(
        `every one of "${name}" must have the form {"text": "…", "isCorrect": true}`,
      );
    else if (marks.length > 0 && field === 'options')
      this.marked = texts.map((text, i) => ({ text, isCorrect: marks[i] === true }));
    return texts;
  }
}

const ANSWER_TEXT = ['text', 'answer', 'option', 'value', 'label'];
const ANSWER_MARK = ['iscorrect', 'correct', 'isright'];
const ANSWER_MEMBERS = new Set([...ANSWER_TEXT, ...ANSWER_MARK, 'id']);

const isTrue = (value: unknown): boolean => value === true || value === 'true';

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'number' ? String(value) : undefined;
}

/** An element of GET /api/v1/questions names its quiz. */
function ownQuiz({ quizId, quizTitle, tags }: JsonObject, category: string): QuizOfRow | undefined {
  if (typeof quizId === 'string' && typeof quizTitle === 'string')
    return quizOf({ title: quizTitle, category, tags }, `quiz:${quizId}`);
  const name = category.trim();
  return name ? { key: `category:${name}`, category: name } : undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A question of Open Trivia DB, by the names of its members. */
export const isOpenTriviaDb = (item: JsonObject): boolean =>
  'correct_answer' in item && 'incorrect_answers' in item;

/**
 * How the texts of Open Trivia DB are encoded: HTML entities, unless every `type` is one of its two words in Base64,
 * or texts are percent-encoded.
 */
export class OpenTriviaDbText {
  private isBase64 = true;
  private isPercent = true;
  private hasBlanks = false;

  add({ type, question }: JsonObject): void {
    this.isBase64 &&= type === 'bXVsdGlwbGU=' || type === 'Ym9vbGVhbg==';
    const text = typeof question === 'string' ? question : '';
    this.isPercent &&= /^(?:[\w.~!*'()+-]|%[\da-f]{2})+$/i.test(text);
    // A plus alone may be a sum.
    this.hasBlanks ||= text.includes('%20') || (text.includes('+') && text.includes('%'));
  }

  /** The question with its texts decoded. */
  decoded(item: JsonObject): JsonObject {
    const decode = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(decode);
      return typeof value === 'string' ? this.decode(value) : value;
    };
    return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, decode(value)]));
  }

  private decode(text: string): string {
    if (this.isBase64) return Buffer.from(text, 'base64').toString('utf8');
    if (!this.isPercent || !this.hasBlanks) return decodeHTMLStrict(text);
    try {
      // `urlLegacy` writes blanks as pluses, which are encoded otherwise.
      return decodeURIComponent(text.replaceAll('+', ' '));
    } catch {
      return text;
    }
  }
}

import type { Request } from 'express';
import type { Difficulty, QuestionType } from '../vocabulary';
import { htmlEntities } from './html-entities';

/** OpenTDB's response codes. */
export const CODE = {
  success: 0,
  noResults: 1,
  invalidParameter: 2,
  tokenNotFound: 3,
  tokenEmpty: 4,
  rateLimit: 5,
} as const;

/** OpenTDB's category for everything that is in no category of ours. */
export const GENERAL_KNOWLEDGE = { id: 9, name: 'General Knowledge' } as const;

/** At most this many questions per request: OpenTDB gives as many to those who ask for more. */
const MOST_QUESTIONS = 50;

export type OpenTdbDifficulty = 'easy' | 'medium' | 'hard';
export type OpenTdbType = 'multiple' | 'boolean';
export type Encoding = 'html' | 'urlLegacy' | 'url3986' | 'base64';

/** What a request of api.php asks for. */
export interface QuestionsRequest {
  amount: number;
  /** The number of a category. */
  category?: number;
  difficulty?: OpenTdbDifficulty;
  type?: OpenTdbType;
  encode: Encoding;
  token?: string;
}

/** OpenTDB has no expert questions: they are hard ones. */
export const DIFFICULTIES_OF = {
  easy: ['EASY'],
  medium: ['MEDIUM'],
  hard: ['HARD', 'EXPERT'],
} as const satisfies Record<OpenTdbDifficulty, readonly Difficulty[]>;

export const TYPE_OF = {
  multiple: 'MULTIPLE_CHOICE',
  boolean: 'TRUE_FALSE',
} as const satisfies Record<OpenTdbType, QuestionType>;

export const openTdbDifficulty = (difficulty: Difficulty): OpenTdbDifficulty =>
  difficulty === 'EXPERT' ? 'hard' : (difficulty.toLowerCase() as OpenTdbDifficulty);

/** The last value of a parameter, as PHP reads it; undefined if it is missing or empty. */
export function parameter(query: Request['query'], name: string): string | undefined {
  const value = query[name];
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === 'string' && last !== '' ? last : undefined;
}

/** The number of the category that the request names; null if it is not a number. 0 is any category. */
export function categoryNumber(query: Request['query']): number | undefined | null {
  const text = parameter(query, 'category');
  if (text === undefined) return undefined;
  return /^\d{1,9}$/.test(text) ? Number(text) || undefined : null;
}

/** Null if a parameter is invalid: code 2. */
export function questionsRequest(query: Request['query']): QuestionsRequest | null {
  const [amount, difficulty, type, encode, token] = (
    ['amount', 'difficulty', 'type', 'encode', 'token'] as const
  ).map((name) => parameter(query, name));
  const category = categoryNumber(query);
  const isValid =
    /^0*[1-9]\d{0,8}$/.test(amount ?? '') &&
    category !== null &&
    (difficulty === undefined || Object.hasOwn(DIFFICULTIES_OF, difficulty)) &&
    (type === undefined || Object.hasOwn(TYPE_OF, type)) &&
    (encode === undefined || Object.hasOwn(ENCODE, encode));
  if (!isValid) return null;
  return {
    amount: Math.min(Number(amount), MOST_QUESTIONS),
    category,
    difficulty: difficulty as OpenTdbDifficulty | undefined,
    type: type as OpenTdbType | undefined,
    encode: (encode ?? 'html') as Encoding,
    token,
  };
}

/** As PHP's `rawurlencode`: everything but letters, digits and `-_.~`. */
const rawUrlEncode = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** How each encoding writes a string. */
const ENCODE: Record<Encoding, (text: string) => string> = {
  html: htmlEntities,
  // PHP's `urlencode`.
  urlLegacy: (text) => rawUrlEncode(text).replaceAll('%20', '+').replaceAll('~', '%7E'),
  url3986: rawUrlEncode,
  base64: (text) => Buffer.from(text).toString('base64'),
};

/** A question of OpenTDB, not encoded. */
export interface OpenTdbQuestion {
  type: OpenTdbType;
  difficulty: OpenTdbDifficulty;
  category: string;
  question: string;
  correct_answer: string;
  incorrect_answers: string[];
}

/** A question in an encoding, which applies to every string of it. */
export function encoded(question: OpenTdbQuestion, encoding: Encoding): Record<string, unknown> {
  const encode = ENCODE[encoding];
  return {
    type: encode(question.type),
    difficulty: encode(question.difficulty),
    category: encode(question.category),
    question: encode(question.question),
    correct_answer: encode(question.correct_answer),
    incorrect_answers: question.incorrect_answers.map(encode),
  };
}

/** A question of ours that has exactly one correct answer. */
export interface ServedQuestion {
  text: string;
  type: QuestionType;
  difficulty: Difficulty;
  answers: { text: string; isCorrect: boolean }[];
}

export function openTdbQuestion(question: ServedQuestion, category: string): OpenTdbQuestion {
  const isBoolean = question.type === 'TRUE_FALSE';
  // Clients compare with `True` and `False`.
  const textOf = ({ text }: { text: string }) =>
    isBoolean && /^(true|false)$/i.test(text)
      ? `${text.charAt(0).toUpperCase()}${text.slice(1).toLowerCase()}`
      : text;
  const correct = question.answers.find(({ isCorrect }) => isCorrect);
  return {
    type: isBoolean ? 'boolean' : 'multiple',
    difficulty: openTdbDifficulty(question.difficulty),
    category,
    question: question.text,
    correct_answer: correct ? textOf(correct) : '',
    incorrect_answers: question.answers.filter(({ isCorrect }) => !isCorrect).map(textOf),
  };
}

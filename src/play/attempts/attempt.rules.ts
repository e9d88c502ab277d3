import { hash } from 'node:crypto';
import type { QuestionType, StoredAnswer } from '../../catalog/vocabulary';
import { DAY, SECOND } from '../../platform/durations';
import { DomainError, Invalid } from '../../platform/errors/domain-errors';
import type { ErrorCode } from '../../platform/errors/error-codes';
import { LIMITS } from '../../platform/limits/limits';
import { MEBIBYTE } from '../../platform/sizes';
import { fold } from '../../platform/text/text.rules';
import { acceptedKey } from './answer-text.rules';
import { isMisspelling } from './typing-errors.rules';

/** The input is valid in itself, but the quiz or the attempt does not accept it (422). */
export class NotPlayable extends DomainError {
  constructor({ name, error }: { name: ErrorCode; error: string }) {
    super('invalid', name, error);
  }
}

export const tooManyVersions = (most: number) => {
  const limit =
    most % GIBIBYTE === 0 ? `${most / GIBIBYTE} GiB` : `${Math.floor(most / MEBIBYTE)} MiB`;
  return {
    name: 'too-many-versions' as const,
    error: `This quiz was changed, and the stored versions of its owner’s quizzes have reached their limit of ${limit}, so no attempt can start or be scored again. Versions are deleted when their attempts are: try again later.`,
  };
};

const GIBIBYTE = 1_024 * MEBIBYTE;

/** How long an attempt can be answered and submitted. */
export const ATTEMPT_LASTS = DAY;

/** An attempt with a time limit can be submitted as long as it is stored. */
export function isExpired(attempt: Timed, now: Date): boolean {
  return !attempt.endsAt && now.getTime() - attempt.startedAt.getTime() >= ATTEMPT_LASTS;
}

interface Timed {
  startedAt: Date;
  endsAt: Date | null;
}

/** How long after the end of the time an answer is still taken: it was given in time and took a moment to arrive. */
export const GRACE = 10 * SECOND;

/** Whether the time limit of an attempt has passed: it takes no more answers, and its submission scores the others. */
export function isOver({ endsAt }: Pick<Timed, 'endsAt'>, now: Date): boolean {
  return endsAt !== null && now.getTime() > endsAt.getTime() + GRACE;
}

/** Whole seconds that an attempt took: at most its time limit, since later answers do not count. */
export const timeSpentOf = ({ startedAt, endsAt }: Timed, now: Date): number =>
  secondsBetween(startedAt, endsAt && endsAt < now ? endsAt : now);

/** How many times the time limit of a quiz somebody may be given. */
export const TIME_FACTOR = { minimum: 1, maximum: 4 };

/** The time limit of somebody who has it several times, in whole seconds: at most a day, which attempts last. */
export const timeWith = (timeLimit: number, timeFactor: number): number =>
  Math.min(Math.round(timeLimit * timeFactor), ATTEMPT_LASTS / SECOND);

/** When the time limit is over; null: there is none. @param timeLimit in seconds */
export const endOf = (
  startedAt: Date,
  timeLimit: number | null,
  timeFactor: number,
): Date | null =>
  timeLimit === null
    ? null
    : new Date(startedAt.getTime() + timeWith(timeLimit, timeFactor) * SECOND);

/** The best of a player's submitted attempts. */
export interface Best {
  score: number;
  total: number;
}

export const noTriesLeft = (most: number, best: Best | null): string =>
  `No attempts are left: the author of this quiz allows ${most} for each player.${
    best ? ` The best result is ${best.score} of ${best.total}.` : ''
  }`;

/** Whole seconds since then; never negative, though two servers' clocks may differ a little. */
export function secondsBetween(start: Date, end: Date): number {
  return Math.max(0, Math.floor((end.getTime() - start.getTime()) / 1_000));
}

/**
 * The items in an order that is fixed for this id, of an attempt or of a worksheet's version. It depends on ids only, so
 * it reveals nothing about the order in which an author has listed them.
 */
export function shuffledFor<T extends { id: string }>(id: string, items: readonly T[]): T[] {
  return items
    .map((item) => ({
      item,
      key: hash('sha256', id + item.id),
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ item }) => item);
}

/**
 * The answers of a question that a player chooses from; none for OPEN_ENDED. "True" comes before "False" in every
 * question: any other order would confuse people.
 * @param id of the attempt, or of the worksheet: the order is the same whenever it is asked for, and another one for others
 */
export function choicesOf(
  id: string,
  type: QuestionType,
  answers: readonly StoredAnswer[],
): StoredAnswer[] {
  if (type === 'OPEN_ENDED') return [];
  // Descending: "True" sorts after "False".
  if (type === 'TRUE_FALSE') return [...answers].sort((a, b) => (a.text < b.text ? 1 : -1));
  return shuffledFor(id, answers);
}

/**
 * The questions that an attempt draws, in the author's order: each with the same chance. Like the order of a shuffled
 * attempt, the draw depends on ids only, so it is the same whenever it is asked for.
 * @param questionsPerAttempt null: all of them, and so if there are fewer
 */
export function drawnFor<T extends { id: string }>(
  { id, questionsPerAttempt }: { id: string; questionsPerAttempt: number | null },
  questions: readonly T[],
): readonly T[] {
  if (questionsPerAttempt === null || questionsPerAttempt >= questions.length) return questions;
  const drawn = new Set(shuffledFor(id, questions).slice(0, questionsPerAttempt));
  return questions.filter((question) => drawn.has(question));
}

/** A player's answer: choices by their ids, or a text for an OPEN_ENDED question. */
export type SubmittedAnswer = { answerIds: readonly string[] } | { text: string };

/** An answer of a question that is played. */
export interface SnapshotAnswer extends StoredAnswer {
  /**
   * acceptedKey of an accepted text. The number in the name is the version of `answerKey`: older snapshots have `key` or
   * `key2`, which are not read, since they might differ from the key of the typed answer; their keys are computed from the text.
   */
  key3?: string;
}

/** What decides whether an answer to a question is correct. */
interface Scored {
  type: QuestionType;
  answers: readonly SnapshotAnswer[];
  /** Whether a typed answer may have a typing error: absent or true, since snapshots are known by a hash. */
  acceptTypos?: boolean;
}

/** Whether several answers have to be chosen: check boxes instead of radio buttons. */
export const isMultiple = (question: { type: QuestionType; answers: readonly StoredAnswer[] }) =>
  question.type === 'MULTIPLE_CHOICE' &&
  question.answers.filter((answer) => answer.isCorrect).length > 1;

/** The bytes with which a typed answer counts towards the limit of its attempt. */
export const bytesOfLong = (text: string | null): number => {
  const bytes = text === null ? 0 : Buffer.byteLength(text);
  return bytes > LIMITS.content.shortAnswer.value ? bytes : 0;
};

/** The code of the error that an answer and the other long ones of its attempt are too large together. */
export const LONG_ANSWERS = 'long_answers';

/** @param others of the same attempt @throws Invalid for a long answer that has no room beside the others */
export function requireRoomFor(
  answer: { text: string | null },
  others: readonly { text: string | null }[],
): void {
  const { longAnswers, shortAnswer } = LIMITS.content;
  const most = longAnswers.value;
  const all = others.reduce((sum, { text }) => sum + bytesOfLong(text), bytesOfLong(answer.text));
  if (all > most)
    throw invalidAnswer(
      'text',
      `must have at most ${shortAnswer.value} bytes now: the longer answers of an attempt may have ${most.toLocaleString('en')} bytes together`,
      LONG_ANSWERS,
    );
}

/** Parses a body as an answer to this question. @throws Invalid */
export function parseAnswer(
  question: { type: QuestionType; answers: readonly StoredAnswer[] },
  body: { answerIds?: string[] | null; text?: string | null },
): SubmittedAnswer {
  const ids = body.answerIds ?? undefined;
  const text = body.text ?? undefined;
  const { type } = question;
  if (type === 'OPEN_ENDED') {
    if (ids)
      throw invalidAnswer('answerIds', `cannot be given to an ${type} question: send text`, 'kind');
    if (text === undefined)
      throw invalidAnswer('text', `is required for an ${type} question`, 'required');
    return { text };
  }
  if (text !== undefined)
    throw invalidAnswer('text', `cannot be given to a ${type} question: send answerIds`, 'kind');
  if (!ids) throw invalidAnswer('answerIds', `is required for a ${type} question`, 'required');
  const answerIds = [...new Set(ids.map((id) => id.trim().toLowerCase()))];
  if (answerIds.some((id) => !question.answers.some((answer) => answer.id === id)))
    throw invalidAnswer(
      'answerIds',
      'contains an id that is not an answer of this question',
      'unknown',
    );
  if (type === 'TRUE_FALSE' && answerIds.length > 1)
    throw invalidAnswer(
      'answerIds',
      `must hold exactly 1 answer id for a ${type} question`,
      'too_many',
    );
  return { answerIds };
}

export const invalidAnswer = (path: string, message: string, code: string) =>
  new Invalid('The answer', [{ path, message: `${path} ${message}`, code }]);

/** Whether an answer is correct. An answer that does not fit the question's type is wrong. */
export function isCorrectAnswer(question: Scored, given: SubmittedAnswer): boolean {
  if (question.type !== 'OPEN_ENDED')
    return 'answerIds' in given && areAllAndOnly(question.answers, given.answerIds);
  if (!('text' in given)) return false;
  return isAccepted(question.answers, given.text) || spellingOf(question, given.text) !== null;
}

/** All of the correct answers and no other, in any order. TRUE_FALSE has one. */
function areAllAndOnly(answers: readonly StoredAnswer[], chosen: readonly string[]): boolean {
  const ids = new Set(chosen);
  return (
    answers.every((answer) => ids.has(answer.id) === answer.isCorrect) &&
    [...ids].every((id) => answers.some((answer) => answer.id === id))
  );
}

/**
 * A text that the author lists counts as listed: with "resume" correct and "résumé" wrong, the accent matters. Any
 * other text is compared with the accepted ones by answerKey.
 */
function isAccepted(answers: readonly SnapshotAnswer[], text: string): boolean {
  const folded = fold(text);
  const listed = answers.find((answer) => fold(answer.text) === folded);
  if (listed) return listed.isCorrect;
  const key = acceptedKey(text);
  return answers.some((answer) => answer.isCorrect && keyOf(answer) === key);
}

/**
 * The accepted text that a typed one is meant to be, if the quiz accepts typing errors; null for an accepted text, and
 * for a wrong one.
 */
export function spellingOf({ type, answers, acceptTypos }: Scored, text: string): string | null {
  if (type !== 'OPEN_ENDED' || !acceptTypos || isAccepted(answers, text)) return null;
  const key = acceptedKey(text);
  // What the author lists as wrong is not a typing error, in whatever case or with whatever spaces.
  if (answers.some((answer) => !answer.isCorrect && acceptedKey(answer.text) === key)) return null;
  const meant = answers.find((answer) => answer.isCorrect && isMisspelling(text, answer.text));
  return meant?.text ?? null;
}

export const keyOf = ({ key3, text }: Pick<SnapshotAnswer, 'key3' | 'text'>): string =>
  key3 ?? acceptedKey(text);

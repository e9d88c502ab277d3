import { hash } from 'node:crypto';
import type { QuestionType, StoredAnswer } from '../../catalog/vocabulary';
import { LimitExceeded } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { MEBIBYTE } from '../../platform/sizes';
import { fold, tidy } from '../../platform/text/text.rules';

/** The rules for a question's answers (specification 2 and 8, contract "Correct answers in a batch"). */

export interface AnswerInput {
  text: string;
  isCorrect: boolean;
}

/**
 * The error in the number of answers; null if there is none.
 * @param fewest accepted answers that an OPEN_ENDED question needs: 1, or 2 in a batch (specification 8)
 */
export function answerCountError(
  type: QuestionType,
  answers: readonly unknown[],
  fewest: 1 | 2 = 1,
): string | null {
  if (type === 'TRUE_FALSE' && answers.length !== 2)
    return `needs exactly 2 answers for TRUE_FALSE, and has ${answers.length}`;
  const most = LIMITS.content.answersPerQuestion.value;
  if (answers.length > most) return `may hold at most ${most} answers, and has ${answers.length}`;
  const needed = type === 'OPEN_ENDED' ? fewest : 2;
  return answers.length < needed
    ? `needs at least ${needed} answer${needed > 1 ? 's' : ''}, and has ${answers.length}`
    : null;
}

/** The error in which answers are marked correct; null if there is none. */
export function correctAnswersError(
  type: QuestionType,
  answers: readonly AnswerInput[],
): string | null {
  const correct = answers.filter((answer) => answer.isCorrect).length;
  if (type === 'TRUE_FALSE' && correct !== 1)
    return `needs exactly one correct answer for TRUE_FALSE, and has ${correct}`;
  return correct === 0 ? 'needs at least one answer with "isCorrect": true' : null;
}

/**
 * What a question counts towards the bytes of its quiz and account: its texts in UTF-8, and roughly what is stored
 * and sent beside them. `question_bytes` in the database computes the same.
 */
export function questionBytes(question: {
  text: string;
  explanation?: string | null;
  answers: readonly { text: string }[];
}): number {
  const texts = [
    question.text,
    question.explanation ?? '',
    ...question.answers.map((it) => it.text),
  ];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return bytes + 200 + 100 * question.answers.length;
}

/** The first text that two answers share, trimmed; null if all differ, even if only in case (`CO`, `Co`). */
export function repeatedAnswer(answers: readonly AnswerInput[]): string | null {
  const seen = new Set<string>();
  for (const { text } of answers) {
    const key = tidy(text);
    if (seen.has(key)) return text;
    seen.add(key);
  }
  return null;
}

/**
 * Equal for the same question with the same answers, whatever their order, case and spacing. 128 bits in the form of
 * a UUID, the smallest type that PostgreSQL can index them in.
 */
export function fingerprint(question: {
  text: string;
  type: string;
  answers: AnswerInput[];
}): string {
  const normal = (text: string) => fold(text).replace(/\s+/g, ' ');
  const answers = question.answers.map(
    ({ text, isCorrect }) => `${isCorrect ? '+' : '-'}${normal(text)}`,
  );
  const whole = JSON.stringify([normal(question.text), question.type, answers.sort()]);
  return hash('sha256', whole, 'hex').slice(0, 32);
}

/**
 * Edited answers with the ids they had: an answer with the same text keeps its id, wherever it is now and whether or
 * not it is correct, and so does one that changed only in case. Any other text is another answer and has the new id of
 * `after`, so that a stored id never changes its meaning.
 */
export function keepAnswerIds(
  before: readonly StoredAnswer[],
  after: readonly StoredAnswer[],
): StoredAnswer[] {
  const byText = new Map(before.map(({ id, text }) => [text, id]));
  const byFold = new Map(before.map(({ id, text }) => [fold(text), id]));
  // `CO` and `Co` may be two answers: an unchanged answer keeps its id before a similar one.
  const taken = new Set(after.map(({ text }) => byText.get(text)));
  return after.map((answer) => {
    const similar = byFold.get(fold(answer.text));
    const id = byText.get(answer.text) ?? (taken.has(similar) ? undefined : similar) ?? answer.id;
    taken.add(id);
    return { ...answer, id };
  });
}

/** Whether `order` contains each of `ids` once, and nothing else. */
export function isPermutation(order: readonly string[], ids: readonly string[]): boolean {
  const wanted = new Set(order);
  return (
    order.length === ids.length && wanted.size === ids.length && ids.every((id) => wanted.has(id))
  );
}

/** The order after `id` has swapped positions with its neighbour; the same order at the end. */
export function movedBy(
  order: readonly string[],
  id: string,
  by: 'up' | 'down' | number,
): string[] {
  const moved = [...order];
  const from = moved.indexOf(id);
  if (typeof by === 'number') {
    moved.splice(Math.min(by, moved.length - 1), 0, ...moved.splice(from, from < 0 ? 0 : 1));
    return moved;
  }
  const to = from + (by === 'up' ? -1 : 1);
  const neighbour = moved[to];
  if (from < 0 || neighbour === undefined) return moved;
  moved[from] = neighbour;
  moved[to] = id;
  return moved;
}

/** @throws LimitExceeded when the quiz cannot take so much more */
export function requireRoomFor(
  quiz: { questionCount: number; contentBytes: number },
  more: { questions: number; bytes: number },
): void {
  const limits = LIMITS.content;
  if (more.questions > 0 && quiz.questionCount + more.questions > limits.questionsPerQuiz.value)
    throw new LimitExceeded(
      `A quiz holds at most ${limits.questionsPerQuiz.value.toLocaleString('en')} questions, and this one has ${quiz.questionCount.toLocaleString('en')}. Put the rest into another quiz.`,
    );
  if (more.bytes > 0 && quiz.contentBytes + more.bytes > limits.quizBytes.value)
    throw new LimitExceeded(
      `A quiz holds at most ${limits.quizBytes.value / MEBIBYTE} MiB of questions, and this would exceed that limit. Shorten the texts, or put the rest into another quiz.`,
    );
}

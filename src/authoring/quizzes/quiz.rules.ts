import { Invalid } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { firstCodePoints, fold } from '../../platform/text/text.rules';

const COPY = ' (copy)';

/** `Rivers (copy)`, in as many characters as a title may have. */
export function titleOfCopy(title: string): string {
  const room = LIMITS.content.quizTitle.value - COPY.length;
  return firstCodePoints(title, room).trimEnd() + COPY;
}

/**
 * Programs may set it before they add the questions, and a quiz that has lost some keeps it.
 * @param before as it is stored; null: not set
 * @throws Invalid if the quiz has questions, but fewer than an attempt would draw
 */
export function requireEnoughToDraw(
  questionsPerAttempt: number | null | undefined,
  questionCount: number,
  before: number | null = null,
): void {
  if (!questionsPerAttempt || questionsPerAttempt === before) return;
  if (questionCount === 0 || questionsPerAttempt <= questionCount) return;
  const path = 'questionsPerAttempt';
  const has = questionCount === 1 ? '1 question' : `${questionCount} questions`;
  const message = `${path} can be at most ${questionCount}: the quiz has ${has}`;
  throw new Invalid('The quiz', [{ path, message, code: 'range' }]);
}

/**
 * For people who publish. Programs may publish first and add the questions then (specification 4.4).
 * @throws Invalid
 */
export function requirePlayable(questionCount: number): void {
  if (questionCount > 0) return;
  const message =
    'This quiz has no questions yet, so nobody could play it. Add one, then publish it';
  throw new Invalid('The quiz', [{ path: '', message, code: 'empty' }]);
}

/** Each tag once, ignoring case; the first spelling is kept. */
export function distinctTags(tags: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const tag of tags) if (!byKey.has(fold(tag))) byKey.set(fold(tag), tag);
  return [...byKey.values()];
}

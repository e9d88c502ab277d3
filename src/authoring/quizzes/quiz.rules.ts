import { Invalid } from '../../platform/errors/domain-errors';
import { fold } from '../../platform/text/text.rules';

const LONGEST_TITLE = 200;
const COPY = ' (copy)';

/** `Rivers (copy)`, in as many characters as a title may have. */
export function titleOfCopy(title: string): string {
  const room = LONGEST_TITLE - COPY.length;
  return [...title].slice(0, room).join('').trimEnd() + COPY;
}

/** The rules of play that a request sets; one that it leaves out stays. */
export const rulesOf = ({
  timeLimit,
  maxAttempts,
  acceptTypos,
}: {
  timeLimit?: number | null;
  maxAttempts?: number | null;
  acceptTypos?: boolean;
}) => ({
  ...(timeLimit !== undefined && { timeLimit }),
  ...(maxAttempts !== undefined && { maxAttempts }),
  ...(acceptTypos !== undefined && { acceptTypos }),
});

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

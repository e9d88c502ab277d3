import { createHash } from 'node:crypto';

/** How long an attempt can be answered and submitted. */
export const ATTEMPT_LASTS = 24 * 3_600_000;

export function isExpired(startedAt: Date, now: Date): boolean {
  return now.getTime() - startedAt.getTime() >= ATTEMPT_LASTS;
}

/** Whole seconds that have passed; never negative, though two servers' clocks may differ a little. */
export function secondsBetween(start: Date, end: Date): number {
  return Math.max(0, Math.floor((end.getTime() - start.getTime()) / 1_000));
}

/**
 * The items in an order that is the attempt's own and always the same. It follows from ids alone, and so
 * says nothing of the order in which an author has listed them.
 */
export function shuffledFor<T extends { id: string }>(attemptId: string, items: readonly T[]): T[] {
  return items
    .map((item) => ({
      item,
      key: createHash('sha256')
        .update(attemptId + item.id)
        .digest('hex'),
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ item }) => item);
}

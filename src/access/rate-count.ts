import type { ThrottlerStorage } from '@nestjs/throttler';

/** Where a client stands in its window, as @nestjs/throttler asks for it: times are whole seconds. */
export type RateCount = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** @param left milliseconds until the window ends */
export function rateCount(hits: number, left: number, limit: number): RateCount {
  const seconds = Math.max(1, Math.ceil(left / 1_000));
  const isBlocked = hits > limit;
  return {
    totalHits: hits,
    timeToExpire: seconds,
    isBlocked,
    timeToBlockExpire: isBlocked ? seconds : 0,
  };
}

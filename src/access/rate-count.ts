/** Where a client stands in its window. */
export interface RateCount {
  hits: number;
  /** Whole seconds until the window ends, at least 1. */
  resetsIn: number;
}

/** Counts requests by client, in fixed windows. */
export interface RateCounter {
  /** Counts one more. @param ttl length of a window in milliseconds, the same for every call */
  increment(key: string, ttl: number): Promise<RateCount>;
}

/** @param left milliseconds until the window ends */
export function rateCount(hits: number, left: number): RateCount {
  return { hits, resetsIn: Math.max(1, Math.ceil(left / 1_000)) };
}

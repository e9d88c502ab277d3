import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock';

/** The length of the window: the limit holds for every minute, whenever it begins. */
export const MINUTE = 60_000;

/** Requests within the same second share an entry, so a window has at most 61 entries whatever the limit. */
const SECOND = 1_000;

/**
 * The counted requests of one client, oldest first: the time of the last request in a second, then how many there
 * were, and so on. A flat list, because there may be one for each of 200,000 addresses.
 */
export type RateWindow = number[];

/** The result for one request; the shape of ThrottlerStorageRecord. */
export interface RateCount {
  /** Counted requests, this one included unless it is refused. */
  totalHits: number;
  isBlocked: boolean;
  /** Seconds until the oldest of them no longer counts, or a blocked client may retry: 1 to 60. */
  timeToExpire: number;
  timeToBlockExpire: number;
}

/**
 * Counts a request in its client's window. A refused one is not counted, so that it delays nothing.
 * @param limit requests in any minute
 * @param burst requests within a second of the clock
 */
export function countRequest(
  window: RateWindow,
  now: number,
  limit: number,
  burst = Infinity,
): RateCount {
  while (window.length > 0 && at(window, 0) + MINUTE <= now) window.splice(0, 2);
  let hits = 0;
  for (let index = 1; index < window.length; index += 2) hits += at(window, index);
  const last = window.length - 2;
  const isSameSecond = last >= 0 && second(at(window, last)) === second(now);
  if (hits < limit && isSameSecond && at(window, last + 1) >= burst)
    return rateCount(hits, true, SECOND);
  const isBlocked = hits >= limit;
  if (!isBlocked) {
    hits++;
    if (isSameSecond) {
      window[last] = now;
      window[last + 1] = at(window, last + 1) + 1;
    } else window.push(now, 1);
  }
  return rateCount(hits, isBlocked, at(window, 0) + MINUTE - now);
}

/** @param left milliseconds until the oldest request no longer counts */
export function rateCount(totalHits: number, isBlocked: boolean, left: number): RateCount {
  const seconds = Math.min(60, Math.max(1, Math.ceil(left / 1_000)));
  return { totalHits, isBlocked, timeToExpire: seconds, timeToBlockExpire: seconds };
}

const at = (window: RateWindow, index: number) => window[index] as number;
const second = (time: number) => Math.floor(time / SECOND);

/** Two generations of this many windows are kept at most. */
const WINDOWS = 100_000;

/**
 * Counts requests in sliding windows in this process's memory: one map entry per client and no timers. Windows are
 * forgotten a generation at a time, not by a sweep: each request moves its window to the current generation, so a
 * window that is two generations old has ended. A client that rotates through addresses fills generations sooner, so
 * memory is bounded; the clients seen longest ago then start with an empty window, which is all that such an attacker
 * gains or does to others. It takes more than 100,000 addresses a minute.
 */
@Injectable()
export class MemoryRateCounter {
  private current = new Map<string, RateWindow>();
  private previous = new Map<string, RateWindow>();
  private currentEnds = 0;
  protected readonly windows: number = WINDOWS;

  constructor(private readonly clock: Clock) {}

  /** How many windows are in memory. */
  get size(): number {
    return this.current.size + this.previous.size;
  }

  /** @param burst requests within a second */
  count(client: string, limit: number, burst?: number): RateCount {
    const now = this.clock.now().getTime();
    if (now >= this.currentEnds) this.turn(now);
    let window = this.current.get(client);
    if (!window) {
      // No empty list: V8 would give it room for 17 numbers with the first, which is 27 MB for 200,000 addresses.
      window = this.previous.get(client) ?? [now, 0];
      this.previous.delete(client);
      if (this.current.size >= this.windows) this.turn(now);
      this.current.set(client, window);
    }
    return countRequest(window, now, limit, burst);
  }

  private turn(now: number): void {
    this.previous = this.current;
    this.current = new Map();
    this.currentEnds = now + MINUTE;
  }
}

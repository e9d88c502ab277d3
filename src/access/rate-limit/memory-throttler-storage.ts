import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { Clock } from '../../platform/clock';
import { MINUTE } from '../../platform/durations';

/** Requests within the same sixtieth of a window share an entry, so it has at most 61 entries whatever the limit. */
export const ENTRIES = 60;

/**
 * The counted requests of one client, oldest first: the time of the last request of an entry, then how many there
 * were, and so on. A flat list, because there may be one for each of 200,000 addresses.
 */
export type RateWindow = number[];

/** What @nestjs/throttler expects of a storage (its `ThrottlerStorageRecord`, which it does not export). */
export type RateCount = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * Counts a request in its client's window. A refused one is not counted, so that it delays nothing.
 * @param limit requests in any `ttl` milliseconds
 */
export function countRequest(
  window: RateWindow,
  now: number,
  limit: number,
  ttl: number,
): RateCount {
  while (window.length > 0 && at(window, 0) + ttl <= now) window.splice(0, 2);
  let hits = 0;
  for (let index = 1; index < window.length; index += 2) hits += at(window, index);
  const isBlocked = hits >= limit;
  if (!isBlocked) {
    hits++;
    const last = window.length - 2;
    const entry = (time: number) => Math.floor((time * ENTRIES) / ttl);
    if (last >= 0 && entry(at(window, last)) === entry(now)) {
      window[last] = now;
      window[last + 1] = at(window, last + 1) + 1;
    } else window.push(now, 1);
  }
  return rateCount(hits, isBlocked, at(window, 0) + ttl - now, ttl);
}

/** @param left milliseconds until the oldest request no longer counts */
export function rateCount(
  totalHits: number,
  isBlocked: boolean,
  left: number,
  ttl: number,
): RateCount {
  // A clock that was set back would have clients wait for longer than a window.
  const seconds = Math.max(1, Math.ceil(Math.min(left, ttl) / 1_000));
  return { totalHits, isBlocked, timeToExpire: seconds, timeToBlockExpire: seconds };
}

const at = (window: RateWindow, index: number) => window[index] as number;

/** Two generations of this many windows are kept at most. */
const WINDOWS = 100_000;

/**
 * Counts requests in rolling windows in this process's memory: one map entry per client and no timers. The library's
 * `blockDuration` has no effect: a refused client waits until its window has room. Windows are
 * forgotten a generation at a time, not by a sweep: each request moves its window to the current generation, so a
 * window that is two generations old has ended. A client that rotates through addresses fills generations sooner, so
 * memory is bounded; the clients seen longest ago then start with an empty window, which is all that such an attacker
 * gains or does to others. It takes more than 100,000 addresses a minute.
 */
@Injectable()
export class MemoryThrottlerStorage implements ThrottlerStorage {
  private current = new Map<string, RateWindow>();
  private previous = new Map<string, RateWindow>();
  private currentEnds = 0;
  protected readonly windows: number = WINDOWS;

  constructor(private readonly clock: Clock) {}

  /** How many windows are in memory. */
  get size(): number {
    return this.current.size + this.previous.size;
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- others count elsewhere
  async increment(key: string, ttl: number, limit: number): Promise<RateCount> {
    const now = this.clock.now().getTime();
    if (now >= this.currentEnds) this.turn(now);
    let window = this.current.get(key);
    if (!window) {
      // No empty list: V8 would give it room for 17 numbers with the first, which is 27 MB for 200,000 addresses.
      window = this.previous.get(key) ?? [now, 0];
      this.previous.delete(key);
      if (this.current.size >= this.windows) this.turn(now);
      this.current.set(key, window);
    }
    return countRequest(window, now, limit, ttl);
  }

  private turn(now: number): void {
    this.previous = this.current;
    this.current = new Map();
    this.currentEnds = now + MINUTE;
  }
}

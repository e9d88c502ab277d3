import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock';
import { countRequest, MINUTE, type RateCount, type RateWindow } from './rate-window.rules';

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

import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { Clock } from '../platform/clock';

type Count = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Above this many windows the finished ones are swept out: about 100 bytes each. */
const SWEEP_ABOVE = 100_000;

/**
 * Counts requests in fixed windows, in this process's memory. One map entry a client and no timers:
 * the library's own store keeps a timer for every single request.
 */
@Injectable()
export class MemoryRateCounter implements ThrottlerStorage {
  private readonly windows = new Map<string, { hits: number; ends: number }>();
  private sweepAt = SWEEP_ABOVE;

  constructor(private readonly clock: Clock) {}

  /** @param ttl length of a window in milliseconds; times in the result are whole seconds */
  increment(key: string, ttl: number, limit: number): Promise<Count> {
    const now = this.clock.now().getTime();
    let window = this.windows.get(key);
    if (!window || window.ends <= now) {
      this.sweep(now);
      this.windows.set(key, (window = { hits: 0, ends: now + ttl }));
    }
    window.hits++;
    const seconds = Math.max(1, Math.ceil((window.ends - now) / 1_000));
    const isBlocked = window.hits > limit;
    return Promise.resolve({
      totalHits: window.hits,
      timeToExpire: seconds,
      isBlocked,
      timeToBlockExpire: isBlocked ? seconds : 0,
    });
  }

  private sweep(now: number): void {
    if (this.windows.size < this.sweepAt) return;
    for (const [key, window] of this.windows) if (window.ends <= now) this.windows.delete(key);
    // What is left is alive: wait until as much has come again before the next look.
    this.sweepAt = Math.max(SWEEP_ABOVE, this.windows.size * 2);
  }
}

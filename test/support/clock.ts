import { Clock } from '../../src/platform/clock';

/** The time as a test sets it. Between two `advance`s it goes on, unless it is stopped. */
export class TestClock extends Clock {
  private ahead = 0;
  private stoppedAt?: number;
  private static readonly pauses = new Set<{
    clock: TestClock;
    delay: number;
    until: number;
    end: () => void;
  }>();

  override now(): Date {
    return new Date((this.stoppedAt ?? Date.now()) + this.ahead);
  }

  override after(delay: number, callback: () => void): () => void {
    const end = () => {
      cancel();
      callback();
    };
    const pause = { clock: this, delay, until: this.now().getTime() + delay, end };
    const cancelTimer = super.after(delay, end);
    const cancel = () => {
      cancelTimer();
      TestClock.pauses.delete(pause);
    };
    TestClock.pauses.add(pause);
    return cancel;
  }

  /**
   * Stops `now()`: only `advance` moves it, however slow the machine. Callbacks of `after()` still run on real time as
   * well.
   */
  stop(): void {
    this.stoppedAt = Date.now();
  }

  /** Lets so many milliseconds pass: what was to happen within them happens now. */
  advance(by: number): void {
    this.ahead += by;
    const now = this.now().getTime();
    for (const { clock, until, end } of [...TestClock.pauses])
      if (clock === this && until <= now) end();
  }

  /** Workers that pause for a second or less look for work now, and no time passes. */
  static endPauses(): void {
    for (const { delay, end } of [...TestClock.pauses]) if (delay <= 1_000) end();
  }

  /** For NestFactory's `instrument`: replaces the application's clock from the first moment. */
  get instrument() {
    return {
      instanceDecorator: (instance: unknown) => {
        if (instance instanceof Clock) {
          instance.now = () => this.now();
          instance.after = (delay, callback) => this.after(delay, callback);
        }
        return instance;
      },
    };
  }
}

/**
 * Waits until `probe` no longer throws. Meanwhile the workers of this process look for work without pauses.
 * @param every milliseconds between the first two probes. Further ones come more rarely, down to ten a second: besides the
 *   probe itself, each has the workers query the database.
 */
export async function eventually<T>(
  probe: () => T | Promise<T>,
  within = 8_000,
  every = 25,
): Promise<T> {
  const deadline = Date.now() + within;
  const longest = Math.max(every, 100);
  for (let pause = every; ; pause = Math.min(1.2 * pause, longest)) {
    TestClock.endPauses();
    try {
      return await probe();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

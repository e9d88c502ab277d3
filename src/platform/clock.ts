import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { query, sql } from './database/sql';
import { StartupError } from './errors/domain-errors';
import type { Logger } from './observability/logger';

/** The time. Tests replace it instead of sleeping. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }

  /** Calls back after this many milliseconds, unless the returned function is called first. */
  after(delay: number, callback: () => void): () => void {
    const timer = setTimeout(callback, delay);
    return () => clearTimeout(timer);
  }

  /** False while the clocks of this machine and of the database differ too much to delete anything by age. */
  get trusted(): boolean {
    return true;
  }

  /**
   * Rows older than this time have exceeded `age`, in milliseconds, and may be deleted. While the clock is not
   * trusted, no row is: a clock that was a month ahead once deleted a month of deliveries.
   */
  cutoff(age: number): Date {
    return new Date(this.trusted ? this.now().getTime() - age : 0);
  }
}

/** Milliseconds. Beyond it a process does not start, and nothing is deleted by age. NTP keeps machines within 50. */
export const SKEW_LIMIT = 5_000;
const MEASURE_EVERY = 30_000;

/**
 * The database's time, which all processes share: retries, expiry and retention compare times of several
 * machines. It is read once, advanced by the monotonic clock, so that changes of this machine's clock have no effect,
 * and measured again every 30 seconds.
 */
export class DatabaseClock extends Clock implements OnModuleDestroy {
  /** Database time minus `performance.now()`, in milliseconds. */
  private origin = Date.now() - performance.now();
  /** How far this machine's clock is ahead of the database's, in milliseconds. */
  skew = 0;
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly database: DataSource,
    private readonly logger: Logger,
  ) {
    super();
  }

  /** @throws StartupError when the two clocks are more than five seconds apart */
  static async start(database: DataSource, logger: Logger): Promise<DatabaseClock> {
    const clock = new DatabaseClock(database, logger);
    await clock.measure();
    if (!clock.trusted)
      throw new StartupError(
        `${clock.difference()} Synchronise both with a time server (NTP), then start again.`,
      );
    clock.timer = setInterval(() => void clock.watch(), MEASURE_EVERY).unref();
    return clock;
  }

  override now(): Date {
    return new Date(this.origin + performance.now());
  }

  override get trusted(): boolean {
    return Math.abs(this.skew) <= SKEW_LIMIT;
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async watch(): Promise<void> {
    const before = this.trusted;
    // An unreachable database is reported elsewhere; the time continues from the last measurement.
    await this.measure().catch(() => undefined);
    if (before && !this.trusted)
      this.logger.error(
        `${this.difference()} Nothing is deleted by age until they agree. Synchronise both with a time server (NTP).`,
      );
    if (!before && this.trusted) this.logger.info('the clocks agree again');
  }

  private async measure(): Promise<void> {
    ({ origin: this.origin, skew: this.skew } = await measureClock(this.database));
  }

  private difference(): string {
    const seconds = Math.round(Math.abs(this.skew) / 1_000).toLocaleString('en');
    return `This machine's clock is ${seconds} seconds ${this.skew > 0 ? 'ahead of' : 'behind'} the database's.`;
  }
}

/**
 * The database's time as `origin + performance.now()`, and how far this machine's clock is ahead of it, in milliseconds.
 * Takes the fastest of three round trips: its midpoint is closest to the moment at which the database read its clock.
 */
export async function measureClock(
  database: DataSource,
): Promise<{ origin: number; skew: number }> {
  let best = { roundTrip: Infinity, origin: 0 };
  for (let round = 0; round < 3; round++) {
    const sent = performance.now();
    const [row] = await query<{ ms: number }[]>(
      database,
      sql`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms`,
    );
    const roundTrip = performance.now() - sent;
    const origin = (row?.ms ?? NaN) - sent - roundTrip / 2;
    if (roundTrip < best.roundTrip) best = { roundTrip, origin };
  }
  return { origin: best.origin, skew: Date.now() - performance.now() - best.origin };
}

import type { Clock } from './clock';
import { MINUTE } from './durations';
import type { Logger } from './observability/logger';

/** Milliseconds. Every statement has a deadline, but a task may have many. */
const ABANDON_AFTER = MINUTE;

/**
 * A task that is repeated until it is stopped, one run at a time. It may fail. A run that takes longer than a minute
 * is abandoned and started again, unless it is `patient`.
 */
export class Loop {
  private cancelNext: (() => void) | undefined;
  private current: Promise<void> = Promise.resolve();
  private stopped = false;
  private wakes = 0;
  private readonly state: StateLog;

  /**
   * @param name the subject of a log line: `the relay`
   * @param every milliseconds from the end of a run to the next start
   * @param task returns true if more is waiting: it then runs again at once
   */
  constructor(
    logger: Logger,
    private readonly clock: Clock,
    name: string,
    private readonly every: number,
    private readonly task: () => Promise<boolean | void>,
    private readonly patient = false,
  ) {
    this.state = new StateLog(logger, name);
  }

  start(): void {
    this.current = this.run();
  }

  /** Resolves when no run is in progress. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancelNext?.();
    await this.current;
  }

  /** There is something to do: it runs now, or once more after the current run. */
  wake(): void {
    this.wakes++;
    if (!this.cancelNext) return;
    this.cancelNext();
    this.start();
  }

  private async run(): Promise<void> {
    this.cancelNext = undefined;
    try {
      for (let more = true; more && !this.stopped;) {
        const { wakes } = this;
        more = (await this.once()) === true || this.wakes > wakes;
      }
      this.state.works();
    } catch (error) {
      this.state.failed(error);
    }
    if (!this.stopped) this.cancelNext = this.clock.after(this.every, () => this.start());
  }

  private once(): Promise<boolean | void> {
    return this.patient ? this.task() : within(ABANDON_AFTER, this.task());
  }
}

/** Logs once that something fails and once that it works again, however often it is tried in between. */
export class StateLog {
  private failing = false;

  constructor(
    private readonly logger: Logger,
    private readonly subject: string,
  ) {}

  get good(): boolean {
    return !this.failing;
  }

  failed(error: unknown): void {
    if (this.failing) return;
    this.failing = true;
    this.logger.error({ err: error }, `${this.subject} fails; the worker keeps trying`);
  }

  works(): void {
    if (!this.failing) return;
    this.failing = false;
    this.logger.info(`${this.subject} works again`);
  }
}

/**
 * The result of the work, unless it takes longer: then it is abandoned. It continues, and its result is ignored.
 * @throws Error if it takes longer than this many milliseconds
 */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const expire = () => reject(new Error(`no response within ${milliseconds} ms`));
    // If this process itself was blocked, the response may wait unread in the socket: read it first.
    timer = setTimeout(() => setImmediate(expire), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A short transaction each. */
const BATCH = 1_000;

/**
 * Deletes some rows after the other, until nothing is left. Processes that run at the same time take different rows,
 * because the statements skip locked ones. @returns how many were deleted
 */
export async function inBatches(deleteSome: (limit: number) => Promise<number>): Promise<number> {
  let deleted = 0;
  for (let count = BATCH; count === BATCH; deleted += count) count = await deleteSome(BATCH);
  return deleted;
}

import type { Clock } from './clock';
import { MINUTE } from './durations';
import type { Logger } from './observability/logger';
import { StateLog } from './state-log';
import { within } from './within';

/** Milliseconds. Every statement has a deadline, but a task may have many. */
const ABANDON_AFTER = MINUTE;

/**
 * A task that is repeated until it is stopped. It may fail. One run at a time, except that a run of more than a minute
 * is no longer waited for: it continues beside the next one, which the task must tolerate.
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
  ) {
    this.state = new StateLog(logger, name);
  }

  start(): void {
    this.current = this.run();
  }

  /** Resolves when the current run has ended, or after a minute. A run that was abandoned may still continue. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancelNext?.();
    this.cancelNext = undefined;
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
        more = (await within(ABANDON_AFTER, this.task())) === true || this.wakes > wakes;
        this.state.works();
      }
    } catch (error) {
      this.state.failed(error);
    }
    if (!this.stopped) this.cancelNext = this.clock.after(this.every, () => this.start());
  }
}

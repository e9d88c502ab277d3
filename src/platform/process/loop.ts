import type { Clock } from '../clock';
import { StateLog } from './state-log';
import type { Logger } from '../observability/logger';
import { within } from './within';

/** Milliseconds. Every statement has a deadline, but a task may have many. */
const ABANDON_AFTER = 60_000;

/**
 * A task that is done again and again until it is stopped, one at a time. It may fail. One that takes longer than
 * a minute is abandoned and begun again, unless it is `patient`.
 */
export class Loop {
  private cancelNext: (() => void) | undefined;
  private current: Promise<void> = Promise.resolve();
  private stopped = false;
  private readonly state: StateLog;

  /**
   * @param name as a subject of a sentence: `the relay`
   * @param every milliseconds from an end to the next start
   * @param task true when more is waiting: it is then done again at once
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

  /** Resolves when the task is no longer under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancelNext?.();
    await this.current;
  }

  private async run(): Promise<void> {
    try {
      while (!this.stopped && (await this.once()) === true);
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

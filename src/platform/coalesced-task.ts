/** A task that could not be completed is tried again after this many milliseconds. */
const RETRY_AFTER_MS = 500;

/**
 * A task that does everything that is due when it runs: concurrent callers share one run, which begins after their calls.
 */
export class CoalescedTask {
  private last: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  /** @param task never fails. @returns whether something is left, for a later run */
  constructor(private readonly task: () => Promise<boolean>) {}

  /** Resolves after a run that began after the call. Never fails. */
  run(): Promise<void> {
    this.next ??= this.last = this.last.then(() => {
      this.next = undefined;
      return this.runOnce();
    });
    return this.next;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.last;
  }

  private async runOnce(): Promise<void> {
    const isLeft = await this.task();
    if (!isLeft || this.timer || this.closed) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.run();
    }, RETRY_AFTER_MS).unref();
  }
}

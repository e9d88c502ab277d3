import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work at a stretch: the process has webhooks to deliver and queries to answer meanwhile. */
const STRETCH = 20;

/** Lets everybody else have a turn, now and then. */
export class Breath {
  private since = performance.now();

  async take(): Promise<void> {
    if (performance.now() - this.since < STRETCH) return;
    await setImmediate();
    this.since = performance.now();
  }
}

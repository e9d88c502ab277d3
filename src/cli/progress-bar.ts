import { SingleBar } from 'cli-progress';
import type { Output } from './output';

/** A bar on a terminal; silence elsewhere. */
export class ProgressBar {
  private bar: SingleBar | undefined;

  constructor(private readonly output: Output) {}

  /** @param part of the whole, from 0 to 1 */
  show(part: number, what: string): void {
    if (this.output.json || !process.stderr.isTTY) return;
    if (!this.bar) {
      this.bar = new SingleBar({
        format: '{bar} {percentage}% | {what}',
        stream: process.stderr,
        barCompleteChar: '█',
        barIncompleteChar: '░',
        hideCursor: true,
        clearOnComplete: true,
      });
      this.bar.start(1_000, 0, { what });
    }
    this.bar.update(Math.min(1_000, Math.round(part * 1_000)), { what });
  }

  stop(): void {
    this.bar?.stop();
  }
}

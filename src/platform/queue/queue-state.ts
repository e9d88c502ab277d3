import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '../observability/logger';

/** While the queue is away, a part that has failed fails again within this many milliseconds. */
const RETRIES_WITHIN = 10_000;

/** What one component knows of the queue. */
export interface QueuePart {
  good: boolean;
  failed(error: unknown): void;
  works(): void;
}

/** Logs once per process that its queue is away, and once that it is back: many connections notice it. */
@Injectable()
export class QueueState {
  /** Parts that failed, and when they last did, in ms since the epoch. */
  private readonly failing = new Map<QueuePart, number>();

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /** One component that reports its own queue health. */
  part(): QueuePart {
    const part: QueuePart = {
      good: true,
      failed: (error) => {
        part.good = false;
        this.failed(part, error);
      },
      works: () => {
        part.good = true;
        this.works(part);
      },
    };
    return part;
  }

  private failed(part: QueuePart, error: unknown): void {
    if (this.failing.size === 0) {
      const { message, code } = error as { message?: string; code?: string };
      this.logger.warn(
        `the queue does not respond (${message || code || String(error)}): webhooks and imports wait, nothing is lost`,
      );
    }
    if (!this.failing.has(part)) this.logger.debug({ err: error }, 'the queue does not respond');
    this.failing.set(part, Date.now());
  }

  private works(part: QueuePart): void {
    if (this.failing.size === 0) return;
    this.failing.delete(part);
    // A part that has nothing to do does not notice that its failure is over.
    for (const [other, at] of this.failing)
      if (Date.now() - at > RETRIES_WITHIN) this.failing.delete(other);
    if (this.failing.size === 0) this.logger.info('the queue responds again');
  }
}

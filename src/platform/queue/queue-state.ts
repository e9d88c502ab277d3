import { Inject, Injectable } from '@nestjs/common';
import { ErrorCode } from 'bullmq';
import { LOGGER, type Logger } from '../observability/logger';

/** While the queue is away, a part that has failed fails again within this many milliseconds. */
const RETRIES_WITHIN = 10_000;

/**
 * Whether it is an error about one job: the job has ended meanwhile, or another worker has taken it over. The queue
 * has responded. BullMQ's `isNotConnectionError` does not tell: it knows a refused and a closed connection only.
 */
function isOfJob(error: unknown): boolean {
  const { message, code } = error as { message?: string; code?: unknown };
  return (typeof code === 'number' && code in ErrorCode) || !!message?.startsWith(LOCK_LOST);
}

const LOCK_LOST = 'could not renew lock';

/** What one component knows of the queue. */
export interface QueuePart {
  good: boolean;
  /** Errors about single jobs are ignored. */
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
        if (isOfJob(error)) return;
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

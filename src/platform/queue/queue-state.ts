import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { ErrorCode, type Queue } from 'bullmq';
import { LOGGER, type Logger } from '../observability/logger';
import { within } from '../within';

/**
 * While the queue is away, a part that has failed fails again within this many milliseconds: more than the ten seconds
 * between two registrations of the scheduled tasks.
 */
const RETRIES_WITHIN = 15_000;

/** How many milliseconds a process that stops waits for the queue's response. */
const ASKED_FOR = 1_000;

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
export class QueueState implements BeforeApplicationShutdown {
  /** Parts that failed, and when they last did, in ms since the epoch. */
  private readonly failing = new Map<QueuePart, number>();
  private readonly queues: Queue[] = [];
  private away?: Promise<boolean>;

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /**
   * One component that reports its own queue health.
   * @param queues those that it adds jobs to. BullMQ writes errors of their connections to the console if nothing listens
   */
  part(...queues: Queue[]): QueuePart {
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
    for (const queue of queues) queue.on('error', (error) => part.failed(error));
    this.queues.push(...queues);
    return part;
  }

  /**
   * For a process that stops: an orderly close of a worker or a queue never ends while the queue is unreachable. The parts do
   * not know: one that has failed may have had nothing to do since the queue is back, and of a Redis that has fallen silent
   * they learn only when their connections time out. So the queue is asked, once for all parts.
   */
  isAway(): Promise<boolean> {
    return (this.away ??= this.ask());
  }

  private async ask(): Promise<boolean> {
    const [queue] = this.queues;
    if (!queue) return false;
    return within(ASKED_FOR, queue.getWaitingCount()).then(
      () => false,
      () => true,
    );
  }

  /** @nestjs/bullmq closes the queues later, but in order: commands that wait for the connection would keep it waiting. */
  async beforeApplicationShutdown(): Promise<void> {
    if (!(await this.isAway())) return;
    await Promise.allSettled(this.queues.map(({ backend }) => backend.close(true)));
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

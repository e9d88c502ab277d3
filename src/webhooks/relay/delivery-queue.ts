import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import type { JobsOptions, Queue } from 'bullmq';
import { Config } from '../../platform/config/config';
import type { HealthCheck, HealthResult } from '../../platform/health/readiness.service';
import { LIMITS } from '../../platform/limits/limits';
import { JOB_OPTIONS } from '../../platform/queue/job-options';
import { DELIVERIES } from '../../platform/queue/queue-names';
import { type QueuePart, QueueState } from '../../platform/queue/queue-state';
import { within } from '../../platform/within';

/** The endpoint of a delivery, its account, and whether it may go before others. */
export interface Receiver {
  endpointId: string;
  accountId: string;
  /** Somebody waits for the attempt: a test event or a manual retry. */
  isUrgent: boolean;
}

/** Ids, and whether somebody waits for it: the processor reads everything else from the delivery's row. */
export interface DeliveryJob extends Receiver {
  deliveryId: string;
}

/** A delivery that needs a job. */
export interface QueuedDelivery extends Omit<Receiver, 'isUrgent'> {
  id: string;
  /** The delivery's id; a manual retry has a job of its own. */
  jobId: string;
  isManual: boolean;
  isTest: boolean;
  /** Automatic attempts made so far. */
  automaticAttempts: number;
  /** Null: due at once. */
  nextAttemptAt: Date | null;
  /** Deliveries of the account that are due already. */
  waiting: number;
  /** Its endpoint fails. */
  isFailing: boolean;
}

/** A delivery that needs a job, without its place among those of its account. */
export type UnplacedDelivery = Omit<QueuedDelivery, 'waiting'>;

/** Beyond it the deliveries of an account keep their order of arrival. */
const MAX_BACKLOG = 1_000_000;
/** BullMQ's priorities go up to 2^21, and lower ones run first: retries come after every first attempt. */
const RETRY_PRIORITY = 1_048_576;
/**
 * Retries beyond it run in the order in which they are due: the jobs of an endpoint that hangs return within a minute,
 * and thousands with a lower priority would never let one with a higher priority run.
 */
const MAX_RETRY_BACKLOG = 1_000;

/**
 * Start-time fair queueing: a delivery stands behind as many others as its account already has waiting. So the
 * flood of one account stands behind the single event of any other.
 */
const priorityOf = (waiting: number, isRetry: boolean): number =>
  isRetry ? RETRY_PRIORITY + Math.min(waiting, MAX_RETRY_BACKLOG) : Math.min(waiting, MAX_BACKLOG);

/** The priority of a job once an attempt has failed: it keeps its place among those of its account. */
export const retryPriorityOf = (priority: number): number =>
  priority < RETRY_PRIORITY ? priorityOf(priority, true) : priority;

/** The producers' side of the queue. An unreachable queue loses nothing: the reconciler adds the jobs again. */
@Injectable()
export class DeliveryQueue implements HealthCheck {
  readonly name = 'queue';
  private readonly state: QueuePart;
  private isAsking = false;

  constructor(
    @InjectQueue(DELIVERIES) readonly queue: Queue<DeliveryJob>,
    private readonly config: Config,
    queueState: QueueState,
  ) {
    this.state = queueState.part(queue);
  }

  get responds(): boolean {
    return this.state.good;
  }

  /** A restart would not help: the worker continues by itself when the queue is back. */
  checkHealth(): HealthResult {
    return this.responds ? { state: 'up' } : AWAY;
  }

  /** Asks the queue again once it has failed: without events no job is added. One question at a time; never throws. */
  async check(): Promise<void> {
    if (this.responds || this.isAsking) return;
    this.isAsking = true;
    await this.ask(() => this.queue.getWaitingCount());
    this.isAsking = false;
  }

  /**
   * Adds a job for each delivery; one that exists already stays as it is. Never throws.
   * @returns false when the queue does not respond: some jobs, or all, may be missing
   */
  async add(deliveries: readonly QueuedDelivery[], now: Date): Promise<boolean> {
    if (deliveries.length === 0) return true;
    const jobs = deliveries.map((it) => this.jobOf(it, now));
    const added = await this.ask(() =>
      jobs.length > FEW
        ? this.queue.addBulk(jobs)
        : Promise.all(jobs.map(({ name, data, opts }) => this.queue.add(name, data, opts))),
    );
    return added !== undefined;
  }

  /** A delayed job runs now. One that has begun already, or is gone, stays as it is. */
  async promote(jobId: string): Promise<void> {
    await this.ask(async () => {
      const job = await this.queue.getJob(jobId);
      await job?.promote().catch(() => undefined);
    });
  }

  /** @returns undefined when the queue does not respond in time */
  async ask<T>(command: () => Promise<T>): Promise<T | undefined> {
    try {
      // A disconnected client keeps commands until it reconnects: do not wait for that.
      const response = await within(RESPONDS_WITHIN, command());
      this.state.works();
      return response;
    } catch (error) {
      this.state.failed(error);
      return undefined;
    }
  }

  private jobOf(delivery: QueuedDelivery, now: Date) {
    const { id, jobId, isManual, endpointId, accountId, automaticAttempts, nextAttemptAt } =
      delivery;
    const isRequested = isManual || delivery.isTest;
    const isRetry = !isRequested && (delivery.isFailing || automaticAttempts > 0);
    const attempts = 1 + this.config.webhooks.retryDelays.length - automaticAttempts;
    const opts: JobsOptions = {
      ...JOB_OPTIONS,
      jobId,
      attempts: isManual ? 1 : Math.max(1, attempts),
      backoff: { type: 'webhook' },
      delay: isManual ? 0 : Math.max(0, (nextAttemptAt?.getTime() ?? 0) - now.getTime()),
      priority: priorityOf(delivery.waiting, isRetry),
      stackTraceLimit: 0,
    };
    // A person makes a few at a time; nobody waits for each of a bulk retry.
    const isUrgent = isRequested && delivery.waiting < LIMITS.webhooks.urgentAttempts.value;
    return { name: 'deliver', data: { deliveryId: id, endpointId, accountId, isUrgent }, opts };
  }
}

/** Milliseconds. */
const RESPONDS_WITHIN = 5_000;

/** BullMQ's bulk insert creates temporary tables in PostgreSQL, which takes as long as this many single ones. */
const FEW = 8;

const AWAY: HealthResult = {
  state: 'down',
  effect: 'degraded',
  note: 'The queue does not respond: deliveries wait for it.',
};

/**
 * Deliveries with the number of those of their account that wait before them, from which their priority follows.
 * @param waiting how many wait already, by account: each delivery is added to it, so that the next call goes on
 */
export function withBacklog(
  deliveries: UnplacedDelivery[],
  waiting = new Map<string, number>(),
): QueuedDelivery[] {
  return deliveries.map((delivery) => {
    const before = waiting.get(delivery.accountId) ?? 0;
    waiting.set(delivery.accountId, before + 1);
    return { ...delivery, waiting: before };
  });
}

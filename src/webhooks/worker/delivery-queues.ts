import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bullmq';
import type { Finding, HealthCheck } from '../../platform/health/readiness.service';
import { QueueState, type QueuePart } from '../../platform/queue/queue-connection';
import { within } from '../../platform/process/loop';

/** First attempts to endpoints that respond in time. */
export const FIRST_ATTEMPTS = 'first-attempts';
/** First attempts to endpoints that recently took long to respond, although they succeed. */
export const SLOW_ENDPOINTS = 'slow-endpoints';
/** Retries, and everything for failing endpoints: they never delay the others. */
export const RETRIES = 'retries';

export const DELIVERY_QUEUES = [FIRST_ATTEMPTS, SLOW_ENDPOINTS, RETRIES] as const;
export type DeliveryQueue = (typeof DELIVERY_QUEUES)[number];

/** A job is only a wake-up: the delivery's row says what to do. */
export interface DeliveryJob {
  deliveryId: string;
}

/** A delivery that has just got a slot. */
export interface ReadyDelivery {
  id: string;
  endpointId: string;
  /** Attempts made so far. */
  attempts: number;
  queue: DeliveryQueue;
  /** How often its job was lost since it got the slot. */
  requeued: number;
}

/** The producers' side of the queues. An unreachable queue loses nothing: the sweep adds the jobs again. */
@Injectable()
export class DeliveryQueues implements HealthCheck {
  readonly name = 'queue';
  private readonly state: QueuePart;
  private readonly queues: Record<DeliveryQueue, Queue<DeliveryJob>>;

  constructor(
    @InjectQueue(FIRST_ATTEMPTS) first: Queue<DeliveryJob>,
    @InjectQueue(SLOW_ENDPOINTS) slow: Queue<DeliveryJob>,
    @InjectQueue(RETRIES) retries: Queue<DeliveryJob>,
    queue: QueueState,
  ) {
    this.state = queue.part();
    this.queues = { [FIRST_ATTEMPTS]: first, [SLOW_ENDPOINTS]: slow, [RETRIES]: retries };
    // Without a listener BullMQ writes connection errors to the console.
    for (const it of [first, slow, retries]) it.on('error', (error) => this.state.failed(error));
  }

  get responds(): boolean {
    return this.state.good;
  }

  /** A restart would not help: the worker continues by itself when the queue is back. */
  look(): Finding {
    return this.responds ? { state: 'up' } : AWAY;
  }

  /** Asks the queue again once it has failed: while the relay starts all first attempts itself, no job is added. */
  async check(): Promise<void> {
    if (this.responds) return;
    try {
      await within(ADD_WITHIN, this.queues[FIRST_ATTEMPTS].getWaitingCount());
      this.state.works();
    } catch (error) {
      this.state.failed(error);
    }
  }

  /** Adds a job for each delivery. Never throws. */
  async add(ready: readonly ReadyDelivery[]): Promise<void> {
    await Promise.all(
      DELIVERY_QUEUES.map((name) => {
        return this.addTo(
          name,
          ready.filter(({ queue }) => queue === name),
        );
      }),
    );
  }

  private async addTo(name: DeliveryQueue, ready: ReadyDelivery[]): Promise<void> {
    if (ready.length === 0) return;
    const queue = this.queues[name];
    const jobs = ready.map(({ id, attempts, requeued }) => ({
      name: 'deliver',
      data: { deliveryId: id },
      opts: {
        // A new id every time it is added: the queue may know a job with the old one that no worker will get. The row
        // decides whether there is anything to do.
        jobId: `${id}-${attempts + 1}-${requeued}`,
        removeOnComplete: true,
        removeOnFail: true,
      },
    }));
    try {
      // A disconnected client keeps commands until it reconnects: do not wait for that.
      await within(
        ADD_WITHIN,
        jobs.length > FEW
          ? queue.addBulk(jobs)
          : Promise.all(jobs.map(({ name, data, opts }) => queue.add(name, data, opts))),
      );
      this.state.works();
    } catch (error) {
      this.state.failed(error);
    }
  }
}

const ADD_WITHIN = 5_000;

/** BullMQ's bulk insert creates temporary tables in PostgreSQL, which takes as long as this many single ones. */
const FEW = 8;

const AWAY: Finding = {
  state: 'down',
  effect: 'degraded',
  note: 'The queue does not respond: deliveries wait for it.',
};

import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { QueueState, type QueuePart } from '../../platform/queue/queue-state';
import { within } from '../../platform/within';

/** First attempts to endpoints that answer. */
export const FIRST_LANE = 'webhooks-first';
/** Retries, and everything for endpoints that are failing: they never stand in the way of the others. */
export const SLOW_LANE = 'webhooks-slow';

/** A job is a wake-up and no more: the delivery's row knows what is to be done. */
export interface DeliveryJob {
  deliveryId: string;
}

/** A delivery that has just got a slot. */
export interface Released {
  id: string;
  endpointId: string;
  /** Attempts made so far. */
  attempts: number;
  slow: boolean;
  /** How often its job was lost since it got the slot. */
  requeued: number;
}

/** The producers' side of the queue. A queue that is away loses nothing: the sweep asks again. */
@Injectable()
export class Lanes {
  private readonly state: QueuePart;

  constructor(
    @InjectQueue(FIRST_LANE) private readonly first: Queue<DeliveryJob>,
    @InjectQueue(SLOW_LANE) private readonly slow: Queue<DeliveryJob>,
    queue: QueueState,
  ) {
    this.state = queue.part();
    // Without a listener BullMQ writes connection errors to the console.
    for (const lane of [first, slow]) lane.on('error', (error) => this.state.failed(error));
  }

  get answers(): boolean {
    return this.state.good;
  }

  /** Adds a job for each delivery. Never throws. */
  async add(released: readonly Released[]): Promise<void> {
    await Promise.all([
      this.addTo(
        this.first,
        released.filter(({ slow }) => !slow),
      ),
      this.addTo(
        this.slow,
        released.filter(({ slow }) => slow),
      ),
    ]);
  }

  private async addTo(queue: Queue<DeliveryJob>, released: Released[]): Promise<void> {
    if (released.length === 0) return;
    const jobs = released.map(({ id, attempts, requeued }) => ({
      name: 'deliver',
      data: { deliveryId: id },
      opts: {
        // A new id for each time that it is added: the queue may know a job of the old one that no worker will
        // get. Whether there is anything to do is decided by the row.
        jobId: `${id}-${attempts + 1}-${requeued}`,
        removeOnComplete: true,
        removeOnFail: true,
      },
    }));
    try {
      // A client whose server is away keeps commands until it is back: do not wait for that.
      await within(ADD_WITHIN, queue.addBulk(jobs));
      this.state.works();
    } catch (error) {
      this.state.failed(error);
    }
  }
}

const ADD_WITHIN = 5_000;

import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import type { Job, WorkerOptions } from 'bullmq';
import { QueueState, type QueuePart } from '../../platform/queue/queue-state';
import { Attempts } from '../sending/attempts';
import { FIRST_ATTEMPTS, RETRIES, SLOW_ENDPOINTS, type DeliveryJob } from './delivery-queues';
import { CONCURRENCY } from '../sending/sending-limits';

const OPTIONS = {
  // A stalled job is one of a worker that died: no reason to fail it, and the delivery counts for itself.
  maxStalledCount: 1_000_000,
  // A worker renews its jobs' locks in half of this, however long they take. What a killed one had taken and
  // not leased yet goes on within 20 s; a job that is taken from a living one finds nothing to do.
  lockDuration: 10_000,
  stalledInterval: 5_000,
  // After a restart of the database or of Redis; BullMQ's own is 15 s.
  runRetryDelay: 1_000,
} satisfies Partial<WorkerOptions>;

/** The consumers' side of a queue. A job that finds its delivery done, or in other hands, ends at once. */
@Injectable()
abstract class DeliveryProcessor extends WorkerHost {
  private readonly state: QueuePart;

  constructor(
    private readonly attempts: Attempts,
    queue: QueueState,
  ) {
    super();
    this.state = queue.part();
  }

  process(job: Job<DeliveryJob>): Promise<void> {
    this.state.works();
    return this.attempts.make(job.data.deliveryId);
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.state.failed(error);
  }
}

@Processor(FIRST_ATTEMPTS, { ...OPTIONS, concurrency: CONCURRENCY[FIRST_ATTEMPTS] })
export class FirstAttemptsProcessor extends DeliveryProcessor {}

@Processor(SLOW_ENDPOINTS, { ...OPTIONS, concurrency: CONCURRENCY[SLOW_ENDPOINTS] })
export class SlowEndpointsProcessor extends DeliveryProcessor {}

@Processor(RETRIES, { ...OPTIONS, concurrency: CONCURRENCY[RETRIES] })
export class RetriesProcessor extends DeliveryProcessor {}

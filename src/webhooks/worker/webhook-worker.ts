import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { Job, WorkerOptions } from 'bullmq';
import { setTimeout as sleep } from 'node:timers/promises';
import { Clock } from '../../platform/clock';
import { LOGGER, type Logger } from '../../platform/observability/logger';
import { DeliverySender } from '../sending/sender';
import { Attempts } from '../sending/attempts';
import { Heartbeat, Progress, type Task } from './liveness';
import {
  DeliveryQueues,
  FIRST_ATTEMPTS,
  RETRIES,
  SLOW_ENDPOINTS,
  type DeliveryJob,
} from './delivery-queues';
import { BEAT_EVERY, CONCURRENCY, POLL_EVERY, STOP_WAITS } from '../sending/sending-limits';
import { QueueState, type QueuePart } from '../../platform/queue/queue-connection';
import { Loop } from '../../platform/process/loop';
import { EventNotifications, Relay } from './relay';
import { Retention } from './retention';
import { Sweep } from './sweep';

const OPTIONS = {
  // A stalled job is one of a dead worker: no reason to fail it; the delivery has its own count.
  maxStalledCount: 1_000_000,
  // A worker renews its jobs' locks in half of this time, however long they take. What a killed worker had taken but
  // not leased continues within 20 s; a job that is taken from a living worker finds nothing to do.
  lockDuration: 10_000,
  stalledInterval: 5_000,
  // After a restart of the database or of Redis; BullMQ's own is 15 s.
  runRetryDelay: 1_000,
} satisfies Partial<WorkerOptions>;

/** The consumers' side of a queue. A job that finds its delivery done, or leased by another worker, ends at once. */
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

/** Starts and stops the worker's background loops. */
@Injectable()
export class WebhookWorker
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  private readonly loops: Loop[];
  /** Until the last attempt has ended. */
  private readonly beats: Loop;

  constructor(
    relay: Relay,
    sweep: Sweep,
    retention: Retention,
    progress: Progress,
    private readonly notifications: EventNotifications,
    private readonly heartbeat: Heartbeat,
    private readonly first: FirstAttemptsProcessor,
    private readonly slow: SlowEndpointsProcessor,
    private readonly retries: RetriesProcessor,
    private readonly attempts: Attempts,
    private readonly sender: DeliverySender,
    private readonly queues: DeliveryQueues,
    clock: Clock,
    @Inject(LOGGER) logger: Logger,
  ) {
    const watched = (task: Task, work: () => Promise<boolean>) => async () => {
      const more = await work();
      progress.completed(task);
      return more;
    };
    const loop = (name: string, every: number, task: () => Promise<boolean | void>) =>
      new Loop(logger, clock, name, every, task);
    const relaying = loop(
      'the relay',
      POLL_EVERY,
      watched('relay', () => relay.relay()),
    );
    const sweeping = loop(
      'the sweep',
      BEAT_EVERY,
      watched('sweep', () => sweep.sweep()),
    );
    this.loops = [
      relaying,
      sweeping,
      loop('the listening for events', BEAT_EVERY, () =>
        notifications.check((what) => (what === 'due' ? sweeping : relaying).wake()),
      ),
      loop('the check of a queue that has failed', BEAT_EVERY, () => queues.check()),
      loop('the release of waiting deliveries', 5_000, () => sweep.releaseForgotten()),
      loop('the pruning', 60_000, () => retention.prune()),
    ];
    this.beats = loop('the heartbeat', BEAT_EVERY, () => heartbeat.beat());
  }

  onApplicationBootstrap(): void {
    for (const loop of [this.beats, ...this.loops]) loop.start();
  }

  /** Nothing new begins. */
  async onModuleDestroy(): Promise<void> {
    this.attempts.finishUp();
    await Promise.all(this.loops.map((loop) => loop.stop()));
    await this.notifications.close();
  }

  /**
   * Attempts in progress end, and their outcomes are recorded. One that takes too long is aborted, recorded as
   * interrupted, and due again at once for another worker.
   */
  async beforeApplicationShutdown(): Promise<void> {
    const { queues, attempts, sender } = this;
    const workers = [this.first.worker, this.slow.worker, this.retries.worker];
    // `close()` hangs while the queue is unreachable: wait for the attempts only, then force it.
    const away = !queues.responds;
    const closed = Promise.all([
      attempts.ended(),
      ...(away ? [] : workers.map((it) => it.close())),
    ]);
    await Promise.race([closed, sleep(STOP_WAITS, undefined, { ref: false })]);
    attempts.stop();
    await sender.close();
    await closed;
    if (away) await Promise.all(workers.map((worker) => worker.close(true)));
    await this.beats.stop();
    // A row that stays is deleted within the hour.
    await this.heartbeat.end().catch(() => undefined);
  }
}

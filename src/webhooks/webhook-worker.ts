import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../platform/clock';
import { Listener } from '../platform/database/listener';
import { Loop } from '../platform/loop';
import { LOGGER, type Logger } from '../platform/observability/logger';
import { EVENTS_CHANNEL } from './endpoints/endpoint.queries';
import { DeliveryQueue } from './relay/delivery-queue';
import { Heartbeat, Progress } from './relay/liveness';
import { RelayService } from './relay/relay.service';
import { DeliveriesProcessor } from './sending/deliveries.processor';
import { DeliveryAttemptsService } from './sending/delivery-attempts.service';
import { DeliverySender } from './sending/delivery-sender';
import { STOP_WAITS } from './sending/sending-limits';

/** The interval of the worker's heartbeat. */
const BEAT_EVERY = 1_000;

/** How often the relay looks for events although no notification has woken it. */
const POLL_EVERY = 2_000;

/** Runs the relay, and stops the worker in order. Everything else that repeats is a scheduled task. */
@Injectable()
export class WebhookWorker
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  private readonly loops: Loop[];
  private readonly listener: Listener;
  /** Until the last attempt has ended. */
  private readonly beats: Loop;

  constructor(
    relay: RelayService,
    progress: Progress,
    private readonly heartbeat: Heartbeat,
    private readonly processor: DeliveriesProcessor,
    private readonly attempts: DeliveryAttemptsService,
    private readonly sender: DeliverySender,
    queue: DeliveryQueue,
    database: DataSource,
    clock: Clock,
    @Inject(LOGGER) logger: Logger,
  ) {
    const loop = (name: string, every: number, task: () => Promise<boolean | void>) =>
      new Loop(logger, clock, name, every, task);
    const relaying = loop('the relay', POLL_EVERY, async () => {
      const more = await relay.relay();
      progress.completed('relay');
      return more;
    });
    const requests = loop('the relay of requests', POLL_EVERY, () => relay.relayRequests());
    this.loops = [relaying, requests];
    this.listener = new Listener(database, logger, EVENTS_CHANNEL, (payload) => {
      if (payload !== 'due') relaying.wake();
      if (payload !== '') requests.wake();
    });
    this.beats = loop('the heartbeat', BEAT_EVERY, async () => {
      // Not awaited: the heartbeat and a stop must not wait for a queue that is away.
      void queue.check();
      await heartbeat.beat();
    });
  }

  onApplicationBootstrap(): void {
    for (const loop of [this.beats, ...this.loops]) loop.start();
    this.listener.start();
  }

  /** Nothing new begins; a run that its loop has abandoned may still continue. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
    await this.listener.stop();
  }

  /**
   * Attempts in progress end, and their outcomes are recorded. One that takes too long is aborted, recorded as
   * interrupted, and due again at once for another worker.
   */
  async beforeApplicationShutdown(): Promise<void> {
    const ended = this.processor.end();
    await Promise.race([ended, sleep(STOP_WAITS, undefined, { ref: false })]);
    this.attempts.stop();
    await this.sender.close();
    await ended;
    await this.beats.stop();
    // A row that stays is deleted after an hour.
    await this.heartbeat.end().catch(() => undefined);
  }
}

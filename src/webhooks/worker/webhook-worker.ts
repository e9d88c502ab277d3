import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Clock } from '../../platform/clock';
import { LOGGER, type Logger } from '../../platform/observability/logger';
import { DeliverySender } from '../sending/sender';
import { Attempts } from '../sending/attempts';
import { Heartbeat } from './heartbeat';
import { DeliveryQueues } from './delivery-queues';
import { BEAT_EVERY, POLL_EVERY, STOP_WAITS } from '../sending/sending-limits';
import { Loop } from '../../platform/process/loop';
import { FirstAttemptsProcessor, RetriesProcessor, SlowEndpointsProcessor } from './processors';
import { Progress } from './progress';
import { Relay } from './relay';
import { Retention } from './retention';
import { Sweep } from './sweep';

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
    this.loops = [
      new Loop(logger, clock, 'the relay', POLL_EVERY, async () => {
        const more = await relay.relay();
        progress.completed('relay');
        return more;
      }),
      new Loop(logger, clock, 'the sweep', POLL_EVERY, async () => {
        const more = await sweep.sweep();
        progress.completed('sweep');
        return more;
      }),
      new Loop(logger, clock, 'the release of waiting deliveries', 5_000, () =>
        sweep.releaseForgotten(),
      ),
      new Loop(logger, clock, 'the pruning', 60_000, () => retention.prune()),
    ];
    this.beats = new Loop(logger, clock, 'the heartbeat', BEAT_EVERY, () => heartbeat.beat());
  }

  onApplicationBootstrap(): void {
    for (const loop of [this.beats, ...this.loops]) loop.start();
  }

  /** Nothing new begins. */
  async onModuleDestroy(): Promise<void> {
    this.attempts.finishUp();
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  /**
   * Attempts under way end, and their outcomes are written. One that takes too long is broken off, recorded
   * as interrupted, and due again at once for another worker.
   */
  async beforeApplicationShutdown(): Promise<void> {
    const { queues, attempts, sender } = this;
    const workers = [this.first.worker, this.slow.worker, this.retries.worker];
    // `close()` hangs while the queue is unreachable: wait for the attempts only, then force it.
    const away = !queues.answers;
    const closed = away ? attempts.ended() : Promise.all(workers.map((worker) => worker.close()));
    await Promise.race([closed, sleep(STOP_WAITS, undefined, { ref: false })]);
    attempts.stop();
    await sender.close();
    await closed;
    if (away) await Promise.all(workers.map((worker) => worker.close(true)));
    await this.beats.stop();
    // A row that stays is forgotten within the hour.
    await this.heartbeat.end().catch(() => undefined);
  }
}

import { InjectQueue, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { Job, Queue, WorkerOptions } from 'bullmq';
import { LOGGER, type Logger } from '../../platform/logger';
import { Loop } from '../../platform/loop';
import { QueueState, type QueuePart } from '../../platform/queue/queue-state';
import { ImportRunnerService } from '../imports/import-runner.service';
import { ImportSweep } from './import-sweep';

export const IMPORTS = 'imports';

/** A job is a wake-up and no more: the import's row knows what is to be done. */
export interface ImportJob {
  importId: string;
}

const OPTIONS = {
  // One large file lets a small one pass.
  concurrency: 2,
  // As for deliveries: a job of a worker that died goes on, however often that happens.
  maxStalledCount: 1_000_000,
  lockDuration: 15_000,
  stalledInterval: 5_000,
  runRetryDelay: 1_000,
} satisfies Partial<WorkerOptions>;

@Processor(IMPORTS, OPTIONS)
export class ImportProcessor extends WorkerHost {
  private readonly state: QueuePart;

  constructor(
    private readonly runner: ImportRunnerService,
    @Inject(LOGGER) private readonly logger: Logger,
    queue: QueueState,
  ) {
    super();
    this.state = queue.part();
  }

  async process(job: Job<ImportJob>): Promise<void> {
    this.state.works();
    try {
      await this.runner.run(job.data.importId);
    } catch (error) {
      // A database that is away: the sweep asks again when the lease has run out.
      this.logger.error({ err: error, importId: job.data.importId }, 'an import was interrupted');
    }
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.state.failed(error);
  }
}

/** The producer's side. Needs nothing that is slow to come, so that its listener is there before the first failure. */
@Injectable()
export class ImportQueue {
  readonly state: QueuePart;

  constructor(
    @InjectQueue(IMPORTS) readonly queue: Queue<ImportJob>,
    state: QueueState,
  ) {
    this.state = state.part();
    // Without a listener BullMQ writes connection errors to the console.
    queue.on('error', (error) => this.state.failed(error));
  }
}

/** Starts and stops what wakes imports. */
@Injectable()
export class ImportWorker
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  private readonly loops: Loop[];

  constructor(
    sweep: ImportSweep,
    private readonly runner: ImportRunnerService,
    private readonly processor: ImportProcessor,
    private readonly queue: ImportQueue,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.loops = [
      new Loop(logger, 'the sweep of imports', 1_000, async () => {
        for (const id of await sweep.findDue()) {
          const options = { jobId: id, removeOnComplete: true, removeOnFail: true };
          // A client whose server is away keeps commands until it is back: do not wait for that.
          queue.queue.add('import', { importId: id }, options).then(
            () => queue.state.works(),
            (error: unknown) => queue.state.failed(error),
          );
        }
      }),
      new Loop(logger, 'the pruning of imports', 60_000, () => sweep.prune()),
    ];
  }

  onApplicationBootstrap(): void {
    for (const loop of this.loops) loop.start();
  }

  /** Nothing new begins, and what is under way is left to another worker after its chunk. */
  async onModuleDestroy(): Promise<void> {
    this.runner.stop();
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  async beforeApplicationShutdown(): Promise<void> {
    // A queue that is away takes no leave.
    if (!this.queue.state.good) await this.processor.worker.close(true);
  }
}

import { extname, join } from 'node:path';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { type Job, type Queue, Worker } from 'bullmq';
import { DataSource } from 'typeorm';
import { environment } from '../../../platform/config/config';
import { LIMITS } from '../../../platform/limits/limits';
import { LOGGER, type Logger } from '../../../platform/observability/logger';
import { Metrics } from '../../../platform/observability/metrics';
import { WORKER_OPTIONS } from '../../../platform/queue/job-options';
import { QueueState } from '../../../platform/queue/queue-state';
import { MEBIBYTE } from '../../../platform/sizes';
import { within } from '../../../platform/within';
import { ImportFailuresService } from './import-failures.service';
import { type ImportJob, ImportQueues } from './import-queues.service';

/** Tests run the sources, which BullMQ cannot load. */
const PROCESSOR =
  extname(__filename) === '.ts'
    ? join(process.cwd(), 'test/support/import-processor.cjs')
    : join(__dirname, 'import.processor.js');

/** @param databaseUrl may be of an embedded PostgreSQL, which this process has found or started */
const forkOptions = (databaseUrl: string) => ({
  // A terminal's Ctrl-C reaches the worker only, which stops its imports in order.
  detached: true,
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'] as ['ignore', 'inherit', 'inherit', 'ipc'],
  env: { ...environment(), DATABASE_URL: databaseUrl },
  execArgv: [
    ...process.execArgv.filter((it) => !it.startsWith('--inspect')),
    `--max-old-space-size=${LIMITS.imports.processMemory.value / MEBIBYTE}`,
  ],
});

const { atATime } = LIMITS.imports;
/** Milliseconds for the chunk that an import is writing when the worker stops. Attempts at deliveries end meanwhile. */
const STOP_WITHIN = 10_000;

/**
 * The BullMQ workers of the two queues, with sandboxed processors: each import that runs has a process, which is
 * started on demand and is killed without harm.
 */
@Injectable()
export class ImportWorkers
  implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  private workers: Worker<ImportJob>[] = [];
  private stopping = false;
  private stopped: Promise<unknown> = Promise.resolve();
  private readonly deaths: ReturnType<Metrics['counter']>;

  constructor(
    private readonly database: DataSource,
    private readonly failures: ImportFailuresService,
    private readonly queues: ImportQueues,
    private readonly queueState: QueueState,
    metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.deaths = metrics.counter(
      'quiz_import_process_deaths_total',
      'How often the process of an import has died since the worker started',
      [],
    );
  }

  onApplicationBootstrap(): void {
    this.workers = [
      this.start(this.queues.imports, atATime.value - 1),
      // One place is kept for small files, so that large ones never take all of them.
      this.start(this.queues.small, 1),
    ];
  }

  /** Imports that run are left to another worker after their chunk. */
  onModuleDestroy(): void {
    this.stopping = true;
    for (const worker of this.workers) worker.cancelAllJobs('the worker stops');
    this.stopped = within(STOP_WITHIN, this.closeWorkers()).catch(() =>
      this.logger.warn('an import did not stop in time'),
    );
  }

  /** Only here: Nest stops one module after the other, and a process that stops has 25 s (process.ts). */
  async onApplicationShutdown(): Promise<void> {
    await this.stopped;
  }

  private async closeWorkers(): Promise<void> {
    const isForced = await this.queueState.isAway();
    await Promise.all(this.workers.map((worker) => worker.close(isForced)));
  }

  private start({ name, opts }: Queue<ImportJob>, concurrency: number): Worker<ImportJob> {
    const worker = new Worker<ImportJob>(name, PROCESSOR, {
      ...WORKER_OPTIONS,
      connection: opts.connection,
      prefix: opts.prefix ?? 'bull',
      concurrency,
      workerForkOptions: forkOptions((this.database.options as { url: string }).url),
    });
    worker.on('error', (error) => this.queues.state.failed(error));
    worker.on('active', () => this.queues.state.works());
    worker.on('failed', (job, error) => void this.failed(job, error));
    return worker;
  }

  /** A process that died could not say so itself; all other failures are noted by it. */
  private async failed(job: Job<ImportJob> | undefined, { message }: Error): Promise<void> {
    const [, signal] = DEATH.exec(message) ?? [];
    if (!job || this.stopping || signal === undefined) return;
    const importId = job.data.importId;
    this.deaths.inc();
    this.logger.error({ importId, signal }, 'the process of an import died');
    try {
      await this.failures.note(importId, { signal });
    } catch (error) {
      this.logger.error({ err: error, importId }, 'the death of a process could not be noted');
    }
  }
}

/** BullMQ's message. A process that was idle for long enough exits with code 0. */
const DEATH = /^Unexpected exit code: (?!0 )\S+ signal: (\S+)/;

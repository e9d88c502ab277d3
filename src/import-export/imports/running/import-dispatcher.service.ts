import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../../platform/clock';
import { Listener } from '../../../platform/database/listener';
import { LIMITS } from '../../../platform/limits/limits';
import { LOGGER, type Logger } from '../../../platform/observability/logger';
import { JOB_OPTIONS } from '../../../platform/queue/job-options';
import { Scheduled } from '../../../platform/queue/scheduled';
import { IMPORTS_CHANNEL, takeDueImports } from '../import.queries';
import { ImportQueues } from './import-queues.service';

const BATCH = 100;

/**
 * Gives imports to BullMQ: at once when an upload was stored, and again when the queue has lost them. Accounts take
 * turns by the priority of the jobs: the more imports an account has under way, the lower it is.
 */
@Injectable()
export class ImportDispatcher implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly listener: Listener;

  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly queues: ImportQueues,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.listener = new Listener(
      database,
      logger,
      { about: 'imports', name: IMPORTS_CHANNEL },
      () => void this.wake(),
    );
  }

  onApplicationBootstrap(): void {
    this.listener.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.listener.stop();
  }

  /** Also without a notification: one may be missed, or the queue emptied. @returns whether more may be due */
  @Scheduled({ name: 'the queueing of imports', every: 5_000 })
  async queueDue(): Promise<boolean> {
    const now = this.clock.now();
    const due = await takeDueImports(this.database, now, BATCH);
    const { imports, small, state } = this.queues;
    for (const queue of [imports, small]) {
      const jobs = due
        .filter(({ size }) => size <= LIMITS.imports.smallFile.value === (queue === small))
        .map(({ id, dryRun, place }) => ({
          name: 'import',
          data: { importId: id },
          // A preview that becomes an import is another job.
          opts: { ...JOB, jobId: dryRun ? `${id}-preview` : id, priority: place },
        }));
      if (jobs.length === 0) continue;
      await queue.addBulk(jobs);
      state.works();
    }
    return due.length === BATCH;
  }

  private async wake(): Promise<void> {
    try {
      while (await this.queueDue());
    } catch (error) {
      this.queues.state.failed(error);
    }
  }
}

const JOB = {
  ...JOB_OPTIONS,
  // How often an import may fail is in its row (import-failures.service.ts). After that the job ends.
  attempts: 10,
  backoff: { type: 'fixed', delay: 1_000 },
};

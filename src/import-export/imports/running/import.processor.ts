import '../../../platform/process/small-heap';
import 'reflect-metadata';
import { writeFile } from 'node:fs/promises';
import { DelayedError, type SandboxedJob, WaitingError } from 'bullmq';
import { configFromEnvironment } from '../../../platform/config/config';
import { createLogger, logOutput } from '../../../platform/observability/logger';
import { PlatformModule } from '../../../platform/platform.module';
import { endStart } from '../../../platform/process/small-heap';
import { startContext } from '../../../platform/process/start-context';
import { ImportExportModule } from '../../import-export.module';
import type { ImportJob } from './import-queues.service';
import { ImportRunnerService } from './import-runner.service';

/**
 * The sandboxed processor: BullMQ starts a process of its own for each import that runs, so that neither time nor
 * memory of a hostile file is the worker's. Between imports the process waits for another one for a while.
 */
export default async function runImport(
  job: SandboxedJob<ImportJob>,
  token?: string,
  signal?: AbortSignal,
): Promise<void> {
  clearTimeout(idle);
  try {
    const runner = await (started ??= start());
    const outcome = await runner.runJob(job.data.importId, signal);
    if (outcome === 'busy') {
      await job.moveToDelayed(Date.now() + BUSY_PAUSE, token);
      throw new DelayedError();
    }
    if (outcome === 'interrupted') {
      await job.moveToWait(token);
      throw new WaitingError();
    }
  } catch (error) {
    if (error instanceof DelayedError || error instanceof WaitingError) throw error;
    // The error was logged: the text of a file must not reach the queue.
    throw new Error('interrupted');
  } finally {
    idle = setTimeout(() => process.exit(), IDLE);
  }
}

/** Milliseconds. */
const [IDLE, BUSY_PAUSE] = [20_000, 1_000];

let idle: NodeJS.Timeout | undefined;
let started: Promise<ImportRunnerService> | undefined;

async function start(): Promise<ImportRunnerService> {
  const config = configFromEnvironment();
  const logger = createLogger(config.logLevel, logOutput(), 'imports');
  try {
    const { context } = await startContext(config, logger, (parts) => ({
      module: class ImportModule {},
      imports: [PlatformModule.register(parts), ImportExportModule],
    }));
    endStart();
    return context.get(ImportRunnerService, { strict: false });
  } catch (error) {
    started = undefined;
    logger.error({ err: error }, 'the process of an import could not start');
    throw error;
  }
}

// When memory runs out, Linux kills this process first. Other systems have no such file.
void writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined);
// The worker has ended, by kill -9 too.
process.on('disconnect', () => process.exit());

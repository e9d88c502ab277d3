import { getQueueToken } from '@nestjs/bullmq';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { WorkerModule } from '../../src/app/worker.module';
import { ImportQueues } from '../../src/import-export/imports/running/import-queues.service';
import { Config } from '../../src/platform/config/config';
import { createLogger, NestLogger } from '../../src/platform/observability/logger';
import { migrateQueue } from '../../src/platform/queue/migrate-queue';
import { DELIVERIES } from '../../src/platform/queue/queue-names';
import type { Service } from './service';
import { followClock } from './worker';

/** A worker with its imports, in this process, on the database, the settings and the clock of a service. */
export async function startWorkerBeside(service: Service): Promise<INestApplicationContext> {
  await migrateQueue(service.databaseUrl);
  const logger = createLogger('warn', { write: (line) => void service.log.push(line) });
  const worker = await NestFactory.createApplicationContext(
    {
      module: class WorkerBeside {},
      imports: [
        WorkerModule.register({
          config: service.app.get(Config),
          logger,
          databaseUrl: service.databaseUrl,
        }),
      ],
    },
    {
      logger: new NestLogger(logger),
      abortOnError: false,
      instrument: service.clock.instrument,
    },
  );
  const following = followClock(
    service.clock,
    worker.get(getQueueToken(DELIVERIES), { strict: false }),
  );
  const close = worker.close.bind(worker);
  worker.close = async () => {
    await following.stop();
    await close();
  };
  return worker;
}

/**
 * The worker takes no import from now on: it would start a process for it, which takes seconds of CPU time. For tests that
 * run an import themselves (`ImportRunnerService.run`), or let it wait.
 * @returns ends the pause
 */
export async function pauseImports(worker: INestApplicationContext): Promise<() => Promise<void>> {
  const { imports, small } = worker.get(ImportQueues, { strict: false });
  await Promise.all([imports.pause(), small.pause()]);
  return async () => {
    await Promise.all([imports.resume(), small.resume()]);
  };
}

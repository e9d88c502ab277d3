import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Config } from '../platform/config/config';
import { openDatabase } from '../platform/database/open-database';
import { migrateQueue } from '../platform/database/queue-schema';
import { NestLogger, type Logger } from '../platform/observability/logger';
import type { RunningProcess } from '../platform/process/process';
import {
  sealedSecretsFault,
  SealedSecretsService,
} from '../webhooks/endpoints/sealed-secrets.service';
import { WorkerModule } from './worker.module';

/** Opens the database, then begins to deliver. Redis may be away: the worker begins without it. */
export async function startWorker(config: Config, logger: Logger): Promise<RunningProcess> {
  const database = await openDatabase(config, {
    onRetry: (reason) => logger.warn(`waiting for the database: ${reason}`),
  });
  let worker: INestApplicationContext | undefined;
  const stop = async () => {
    await worker?.close();
    await database.close();
  };
  try {
    if (!config.redisUrl) await migrateQueue(database.url);
    worker = await NestFactory.createApplicationContext(
      WorkerModule.register({ config, logger, databaseUrl: database.url }),
      { logger: new NestLogger(logger), abortOnError: false },
    );
  } catch (error) {
    await stop();
    throw error;
  }
  // A wrong key stops only what it cannot sign: the worker goes on, and says it now, not at the first delivery.
  const fault = sealedSecretsFault(
    await worker.get(SealedSecretsService, { strict: false }).look(),
  );
  if (fault) logger.error(fault);
  const queue = config.redisUrl ? 'Redis' : 'PostgreSQL';
  logger.info({ database: database.kind }, `the webhook worker delivers, its queue is in ${queue}`);
  return { stop };
}

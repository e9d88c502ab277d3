import type { Config } from '../platform/config/config';
import type { Logger } from '../platform/observability/logger';
import type { RunningProcess } from '../platform/process/process';
import { startContext } from '../platform/process/start-context';
import { migrateQueue } from '../platform/queue/migrate-queue';
import {
  sealedSecretsError,
  SealedSecretsService,
} from '../webhooks/endpoints/endpoint-secrets.service';
import { WorkerModule } from './worker.module';

/** Starts the worker, also when Redis does not respond. */
export async function startWorker(config: Config, logger: Logger): Promise<RunningProcess> {
  const { context, database } = await startContext(config, logger, async (parts) => {
    if (!config.redisUrl) await migrateQueue(parts.databaseUrl);
    return WorkerModule.register(parts);
  });
  // An invalid key affects only the secrets it cannot decrypt: log it now, not at the first delivery.
  const error = sealedSecretsError(
    await context.get(SealedSecretsService, { strict: false }).look(),
  );
  if (error) logger.error(error);
  const queue = config.redisUrl ? 'Redis' : 'PostgreSQL';
  logger.info({ database: database.kind }, `the webhook worker delivers, its queue is in ${queue}`);
  return {
    stop: async () => {
      await context.close();
      await database.close();
    },
  };
}

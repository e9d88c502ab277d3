import type { INestApplicationContext } from '@nestjs/common';
import type { Config } from '../platform/config/config';
import { encryptionKeysOf } from '../platform/encryption-key';
import type { Logger } from '../platform/observability/logger';
import type { PlatformParts } from '../platform/platform.module';
import { stopAfterFailure } from '../platform/process/failed-start';
import type { RunningProcess } from '../platform/process/process';
import { startContext } from '../platform/process/start-context';
import { migrateQueue } from '../platform/queue/migrate-queue';
import {
  sealedSecretsError,
  SealedSecretsService,
} from '../webhooks/endpoints/sealed-secrets.service';
import { WorkerModule } from './worker.module';

/** Starts the worker, also when Redis does not respond. */
export async function startWorker(
  config: Config,
  logger: Logger,
  signal: AbortSignal,
): Promise<RunningProcess> {
  // Checked before anything is opened, as the API does.
  encryptionKeysOf(config);
  const register = async (parts: PlatformParts) => {
    if (!config.redisUrl) await migrateQueue(parts.databaseUrl);
    return WorkerModule.register(parts);
  };
  const { context, database, stop } = await startContext(config, logger, register, {
    share: true,
    signal,
  });
  try {
    await reportUnreadableSecrets(context, logger);
  } catch (error) {
    await stopAfterFailure(stop, logger);
    throw error;
  }
  const queue = config.redisUrl ? 'Redis' : 'PostgreSQL';
  logger.info({ database: database.kind }, `the worker runs, its queue is in ${queue}`);
  return { stop };
}

/** An invalid key affects only the secrets that it cannot decrypt: logged now, not at the first delivery. */
async function reportUnreadableSecrets(
  context: INestApplicationContext,
  logger: Logger,
): Promise<void> {
  const secrets = await context.get(SealedSecretsService, { strict: false }).check();
  const error = sealedSecretsError(secrets);
  if (error) logger.error(error);
}

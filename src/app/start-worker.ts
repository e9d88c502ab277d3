import { Module, type DynamicModule } from '@nestjs/common';
import { NoticeMailService } from '../access/notices/notices.service';
import { ImportProcess } from './import-process';
import { startContext } from '../platform/process/start-context';
import type { Config } from '../platform/config/config';
import { migrateQueue, queueConnection } from '../platform/queue/queue-connection';
import type { Logger } from '../platform/observability/logger';
import type { RunningProcess } from '../platform/process/process';
import {
  sealedSecretsError,
  SealedSecretsService,
} from '../webhooks/endpoints/endpoint-secrets.service';
import { DatabaseCheck } from '../platform/health/readiness.service';
import { monitoring } from '../platform/observability/monitor-server';
import { PlatformModule, type PlatformParts } from '../platform/platform.module';
import { Progress } from '../webhooks/worker/liveness';
import { DeliveryQueues } from '../webhooks/worker/delivery-queues';
import { WebhooksWorkerModule } from '../webhooks/worker/webhooks-worker.module';

/**
 * The worker: the application without its API, so that neither slows the other down. Imports have a process of their
 * own.
 */
@Module({})
export class WorkerModule {
  static register(parts: PlatformParts): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        PlatformModule.register(parts),
        queueConnection(parts.config, parts.databaseUrl),
        WebhooksWorkerModule,
      ],
      providers: [
        DatabaseCheck,
        ImportProcess,
        NoticeMailService,
        ...monitoring(DatabaseCheck, DeliveryQueues, Progress, ImportProcess),
      ],
    };
  }
}

/** Starts the webhook worker, then its import process. The worker starts even when Redis does not respond. */
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
  const imports = context.get(ImportProcess, { strict: false });
  imports.start();
  return {
    // The import process uses the database, which may be an embedded one.
    stop: async () => {
      await Promise.all([imports.stop(), context.close()]);
      await database.close();
    },
  };
}

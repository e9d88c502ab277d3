import { Module, type DynamicModule } from '@nestjs/common';
import { NoticeMailService } from '../access/notices/notices.service';
import { AccessModule } from '../access/access.module';
import { ImportHealth } from '../import-export/imports/running/import-health';
import { ImportsWorkerModule } from '../import-export/imports/running/imports-worker.module';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module';
import { PlayModule } from '../play/play.module';
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
import { Progress } from '../webhooks/relay/liveness';
import { DeliveryQueue } from '../webhooks/relay/delivery-queue';
import { WebhooksWorkerModule } from '../webhooks/webhooks-worker.module';
import { ScheduledTasksModule } from '../platform/queue/scheduled-tasks';

/** The worker: the application without its API, so that neither slows the other down. Each import has a process of its own. */
@Module({})
export class WorkerModule {
  static register(parts: PlatformParts): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        PlatformModule.register(parts),
        queueConnection(parts.config, parts.databaseUrl),
        ScheduledTasksModule,
        WebhooksWorkerModule,
        ImportsWorkerModule,
        // For their scheduled tasks.
        AccessModule,
        IdempotencyModule,
        PlayModule,
      ],
      providers: [
        DatabaseCheck,
        NoticeMailService,
        ...monitoring(DatabaseCheck, DeliveryQueue, Progress, ImportHealth),
      ],
    };
  }
}

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

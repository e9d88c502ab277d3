import { Module, type DynamicModule } from '@nestjs/common';
import { ImportsWorkerModule } from '../import-export/worker/imports-worker.module';
import type { Config } from '../platform/config/config';
import type { Logger } from '../platform/observability/logger';
import { PlatformModule } from '../platform/platform.module';
import { queueConnection } from '../platform/queue/queue-connection';
import { WebhooksWorkerModule } from '../webhooks/worker/webhooks-worker.module';
import { WorkerHealthModule } from './worker-health.module';

/** The worker's process, for webhooks and imports: the application without its API, so that neither can slow the other. */
@Module({})
export class WorkerModule {
  static register(parts: { config: Config; logger: Logger; databaseUrl: string }): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        PlatformModule.register(parts),
        queueConnection(parts.config, parts.databaseUrl),
        WebhooksWorkerModule,
        ImportsWorkerModule,
        WorkerHealthModule,
      ],
    };
  }
}

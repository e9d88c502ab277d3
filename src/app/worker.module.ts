import { Module, type DynamicModule } from '@nestjs/common';
import type { Parts } from './start-context';
import { PlatformModule } from '../platform/platform.module';
import { queueConnection } from '../platform/queue/queue-connection';
import { WebhooksWorkerModule } from '../webhooks/worker/webhooks-worker.module';
import { WorkerHealthModule } from './worker-health.module';

/** The worker: the application without its API, so that neither can slow the other. Imports have a process of their own. */
@Module({})
export class WorkerModule {
  static register(parts: Parts): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        PlatformModule.register(parts),
        queueConnection(parts.config, parts.databaseUrl),
        WebhooksWorkerModule,
        WorkerHealthModule,
      ],
    };
  }
}

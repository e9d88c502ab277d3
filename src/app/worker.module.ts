import { Module, type DynamicModule } from '@nestjs/common';
import { NoticeMailService } from '../access/notices/notices.service';
import { DatabaseCheck } from '../platform/health/readiness.service';
import { monitoring } from '../platform/observability/monitor-server';
import { PlatformModule, type PlatformParts } from '../platform/platform.module';
import { queueConnection } from '../platform/queue/queue-connection';
import { Progress } from '../webhooks/worker/liveness';
import { DeliveryQueues } from '../webhooks/worker/delivery-queues';
import { WebhooksWorkerModule } from '../webhooks/worker/webhooks-worker.module';
import { ImportProcess } from './import-process';

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

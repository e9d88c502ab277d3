import { type DynamicModule, Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { AuthoringModule } from '../authoring/authoring.module';
import { ImportHealth } from '../import-export/imports/running/import-health.service';
import { ImportsWorkerModule } from '../import-export/imports/running/imports-worker.module';
import { DatabaseCheck } from '../platform/health/database.check';
import { monitoring } from '../platform/health/monitor-server';
import { IdempotencyModule } from '../platform/idempotency/idempotency.module';
import { PlatformModule, type PlatformParts } from '../platform/platform.module';
import { QueueModule } from '../platform/queue/queue.module';
import { ScheduledTasksModule } from '../platform/queue/scheduled-tasks.module';
import { PlayModule } from '../play/play.module';
import { DeliveryQueue } from '../webhooks/relay/delivery-queue';
import { Progress } from '../webhooks/relay/liveness';
import { WebhooksWorkerModule } from '../webhooks/webhooks-worker.module';
import { AccountDeletionModule } from './account-deletion.module';

/** The worker: the application without its API, so that neither slows the other down. Each import has a process of its own. */
@Module({})
export class WorkerModule {
  static register(parts: PlatformParts): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        PlatformModule.register(parts),
        QueueModule.register(parts.config, parts.databaseUrl),
        ScheduledTasksModule,
        WebhooksWorkerModule,
        ImportsWorkerModule,
        AccountDeletionModule,
        // For their scheduled tasks.
        AccessModule,
        AuthoringModule,
        IdempotencyModule,
        PlayModule,
      ],
      providers: [
        DatabaseCheck,
        ...monitoring(DatabaseCheck, DeliveryQueue, Progress, ImportHealth),
      ],
    };
  }
}

import { Module } from '@nestjs/common';
import { ImportProcess } from './import-process';
import { DatabaseCheck } from '../platform/health/database.check';
import {
  HEALTH_CHECKS,
  type HealthCheck,
  ReadinessService,
} from '../platform/health/readiness.service';
import { MonitorServer } from '../platform/observability/monitor-server';
import { Progress } from '../webhooks/worker/progress';
import { DeliveryQueues } from '../webhooks/worker/delivery-queues';
import { WebhooksWorkerModule } from '../webhooks/worker/webhooks-worker.module';

/** In the order of the response's fields. */
const CHECKS = [DatabaseCheck, DeliveryQueues, Progress, ImportProcess];

/** What the worker answers on METRICS_PORT. At the root, since it looks into several modules. */
@Module({
  imports: [WebhooksWorkerModule],
  providers: [
    MonitorServer,
    ReadinessService,
    DatabaseCheck,
    ImportProcess,
    {
      provide: HEALTH_CHECKS,
      inject: CHECKS,
      useFactory: (...checks: HealthCheck[]) => checks,
    },
  ],
})
export class WorkerHealthModule {}

import { Module } from '@nestjs/common';
import { RateLimitModule } from '../access/access.module';
import { RedisCheck } from '../access/rate-limit/redis-rate-counter';
import { DatabaseCheck } from '../platform/health/database.check';
import {
  HEALTH_CHECKS,
  type HealthCheck,
  ReadinessService,
} from '../platform/health/readiness.service';
import { HealthController } from '../platform/health/health.controller';
import { MonitorServer } from '../platform/observability/monitor-server';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { WorkersService } from '../webhooks/deliveries/workers.service';

/** In the order of the response's fields. */
const CHECKS = [DatabaseCheck, RedisCheck, WorkersService];

/** What `/health/ready` looks at. At the root, since it looks into several modules. */
@Module({
  imports: [RateLimitModule, WebhooksModule],
  controllers: [HealthController],
  providers: [
    MonitorServer,
    ReadinessService,
    DatabaseCheck,
    {
      provide: HEALTH_CHECKS,
      inject: CHECKS,
      useFactory: (...checks: HealthCheck[]) => checks,
    },
  ],
})
export class HealthModule {}

import { Module } from '@nestjs/common';
import { RateLimitModule } from '../access/rate-limit/rate-limit.module';
import { RedisCheck } from '../access/rate-limit/redis.check';
import { DatabaseCheck } from '../platform/health/database.check';
import { HealthController } from '../platform/health/health.controller';
import { monitoring } from '../platform/health/monitor-server';
import { WorkersService } from '../webhooks/deliveries/workers.service';
import { WebhooksModule } from '../webhooks/webhooks.module';

/** The checks of `/health/ready`. They are listed here because they belong to several modules. */
@Module({
  imports: [RateLimitModule, WebhooksModule],
  controllers: [HealthController],
  providers: [DatabaseCheck, ...monitoring(DatabaseCheck, RedisCheck, WorkersService)],
})
export class HealthModule {}

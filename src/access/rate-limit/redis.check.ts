import { Injectable } from '@nestjs/common';
import { InjectThrottlerStorage, type ThrottlerStorage } from '@nestjs/throttler';
import type { HealthCheck, HealthResult } from '../../platform/health/readiness.service';
import { RedisThrottlerStorage } from './redis-throttler-storage';

/** Whether all processes count requests together. The API also serves requests without Redis. */
@Injectable()
export class RedisCheck implements HealthCheck {
  readonly name = 'redis';

  constructor(@InjectThrottlerStorage() private readonly storage: ThrottlerStorage) {}

  checkHealth(): HealthResult {
    if (!(this.storage instanceof RedisThrottlerStorage)) return { state: 'unused' };
    if (this.storage.responds) return { state: 'up' };
    return {
      state: 'down',
      effect: 'degraded',
      note: 'Redis does not respond: each process counts requests for itself.',
    };
  }
}

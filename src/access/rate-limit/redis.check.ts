import { Inject, Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Finding, HealthCheck } from '../../platform/health/health-check';
import { RATE_COUNTER } from './rate-limit.guard';
import { RedisRateCounter } from './redis-rate-counter';

/** Whether the rate counters are shared. Without Redis the API serves all the same. */
@Injectable()
export class RedisCheck implements HealthCheck {
  readonly name = 'redis';

  constructor(@Inject(RATE_COUNTER) private readonly counter: ThrottlerStorage) {}

  look(): Finding {
    if (!(this.counter instanceof RedisRateCounter)) return { state: 'unused' };
    return this.counter.answers ? { state: 'up' } : AWAY;
  }
}

const AWAY: Finding = {
  state: 'down',
  effect: 'degraded',
  note: 'Redis does not answer: each process counts requests for itself.',
};

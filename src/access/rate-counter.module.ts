import { Module } from '@nestjs/common';
import { Config } from '../platform/config/config';
import { LOGGER, type Logger } from '../platform/logger';
import { MemoryRateCounter } from './memory-rate-counter';
import type { RateCounter } from './rate-count';
import { RedisRateCounter } from './redis-rate-counter';

/** Injection token of what counts requests: in Redis where REDIS_URL is set, else in memory. */
export const RATE_COUNTER = Symbol('RATE_COUNTER');

/** A module of its own, since the check of Redis needs it too. */
@Module({
  providers: [
    MemoryRateCounter,
    {
      provide: RATE_COUNTER,
      inject: [Config, MemoryRateCounter, LOGGER],
      useFactory: ({ redisUrl }: Config, memory: MemoryRateCounter, logger: Logger): RateCounter =>
        redisUrl ? new RedisRateCounter(redisUrl, memory, logger) : memory,
    },
  ],
  exports: [RATE_COUNTER],
})
export class RateCounterModule {}

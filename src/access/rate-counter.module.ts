import { Module } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { Config } from '../platform/config/config';
import { LOGGER, type Logger } from '../platform/logger';
import { redisPlace } from '../platform/redis';
import { MemoryRateCounter } from './memory-rate-counter';
import { RedisRateCounter } from './redis-rate-counter';

export type RateCounter = ThrottlerStorage;

/** Injection token of what counts requests: in Redis where REDIS_URL is set, else in memory. */
export const RATE_COUNTER = Symbol('RATE_COUNTER');

/** A module of its own because ThrottlerModule imports it. */
@Module({
  providers: [
    MemoryRateCounter,
    {
      provide: RATE_COUNTER,
      inject: [Config, MemoryRateCounter, LOGGER],
      useFactory: (config: Config, memory: MemoryRateCounter, logger: Logger): RateCounter => {
        const place = redisPlace(config);
        return place ? new RedisRateCounter(place, memory, logger) : memory;
      },
    },
  ],
  exports: [RATE_COUNTER],
})
export class RateCounterModule {}

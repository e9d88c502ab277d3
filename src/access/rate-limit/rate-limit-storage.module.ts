import { Module } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { redisPlace } from '../../platform/database/redis';
import { LOGGER, type Logger } from '../../platform/observability/logger';
import { KeyRatesService } from './key-rates.service';
import { MemoryThrottlerStorage } from './memory-throttler-storage';
import { RedisThrottlerStorage } from './redis-throttler-storage';

/** The library appends any other name than this one to the names of the headers. */
export const API = 'default';

/** The ThrottlerStorage that the configuration asks for. The library's own token cannot be injected into its options. */
export const RATE_LIMIT_STORAGE = Symbol('rate-limit-storage');

/**
 * Where requests are counted: in Redis with REDIS_URL, else in memory. The options of the throttler inject it, so it is
 * a module of its own.
 */
@Module({
  providers: [
    KeyRatesService,
    MemoryThrottlerStorage,
    {
      provide: RATE_LIMIT_STORAGE,
      inject: [Config, MemoryThrottlerStorage, LOGGER],
      useFactory: (config: Config, memory: MemoryThrottlerStorage, logger: Logger) => {
        const place = redisPlace(config);
        return place ? new RedisThrottlerStorage(place, memory, logger, API).connect() : memory;
      },
    },
  ],
  exports: [KeyRatesService, MemoryThrottlerStorage, RATE_LIMIT_STORAGE],
})
export class RateLimitStorageModule {}

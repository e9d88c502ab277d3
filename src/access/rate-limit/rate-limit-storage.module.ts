import { Module } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { redisPlace } from '../../platform/database/redis';
import { LOGGER, type Logger } from '../../platform/observability/logger';
import { MemoryThrottlerStorage } from './memory-throttler-storage';
import { RedisThrottlerStorage } from './redis-throttler-storage';

/** The library appends any other name than this one to the names of the headers. */
export const API = 'default';

/** Where requests are counted. The options of the throttler inject it, so it is a module of its own. */
@Module({
  providers: [
    MemoryThrottlerStorage,
    {
      // Null without REDIS_URL: requests are counted in memory.
      provide: RedisThrottlerStorage,
      inject: [Config, MemoryThrottlerStorage, LOGGER],
      useFactory: (config: Config, memory: MemoryThrottlerStorage, logger: Logger) => {
        const place = redisPlace(config);
        return place && new RedisThrottlerStorage(place, memory, logger, API).connect();
      },
    },
  ],
  exports: [MemoryThrottlerStorage, RedisThrottlerStorage],
})
export class RateLimitStorageModule {}

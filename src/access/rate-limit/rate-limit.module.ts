import { Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { ThrottlerModule, type ThrottlerOptions } from '@nestjs/throttler';
import type { Request } from 'express';
import { Config } from '../../platform/config/config';
import { LoadGuard } from '../../platform/hardening/load';
import { Refusals } from '../../platform/hardening/refusals';
import { TurnsInterceptor } from '../../platform/hardening/turns.interceptor';
import { LIMITS } from '../../platform/limits/limits';
import { isApi } from '../../platform/text/text.rules';
import { MemoryThrottlerStorage, MINUTE } from './memory-throttler-storage';
import { pageThrottlers, trackerOf } from './page-budgets';
import { PagesMiddleware, RateLimitGuard } from './rate-limit.guard';
import { API, RateLimitStorageModule } from './rate-limit-storage.module';
import { RedisCheck, RedisThrottlerStorage } from './redis-throttler-storage';
import { SearchLimitService } from './search-limit.service';

/** Specification, part 8: requests below /api/v1. Pages and files have limits of their own, which no header names. */
const throttlers = ({ rateLimitPerMinute: limit }: Config): ThrottlerOptions[] => [
  {
    name: API,
    limit,
    ttl: MINUTE,
    skipIf: (context) => !isApi(context.switchToHttp().getRequest<Request>().path),
  },
  ...pageThrottlers(
    limit * LIMITS.requests.pagesPerMinute.value,
    (context) => context.getClass() === PagesMiddleware,
  ),
];

/** The limits by client address. Only modules of the API import it. */
@Module({
  imports: [
    RateLimitStorageModule,
    ThrottlerModule.forRootAsync({
      imports: [RateLimitStorageModule],
      inject: [Config, RedisThrottlerStorage, MemoryThrottlerStorage],
      useFactory: (
        config: Config,
        redis: RedisThrottlerStorage | null,
        memory: MemoryThrottlerStorage,
      ) => ({
        throttlers: throttlers(config),
        storage: redis ?? memory,
        getTracker: (request) => trackerOf(request as Request),
        // Not by route, as in the library: all routes share a limit.
        generateKey: (_, address, name) => (name === API ? address : `${name} ${address}`),
      }),
    }),
  ],
  providers: [
    Refusals,
    SearchLimitService,
    RedisCheck,
    PagesMiddleware,
    RateLimitGuard,
    { provide: APP_GUARD, useExisting: RateLimitGuard },
    // After it: these refusals are counted.
    { provide: APP_GUARD, useClass: LoadGuard },
    { provide: APP_INTERCEPTOR, useClass: TurnsInterceptor },
  ],
  exports: [PagesMiddleware, RedisCheck, SearchLimitService],
})
export class RateLimitModule {}

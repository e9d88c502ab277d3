import { type ExecutionContext, Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { ThrottlerModule, type ThrottlerOptions } from '@nestjs/throttler';
import type { Request } from 'express';
import { Config } from '../../platform/config/config';
import { LoadGuard } from '../../platform/hardening/load';
import { Refusals } from '../../platform/hardening/refusals';
import { TurnsInterceptor } from '../../platform/hardening/turns.interceptor';
import { addressKey } from '../../platform/http/server/access-log';
import { LIMITS } from '../../platform/limits/limits';
import { isApi } from '../../platform/text/text.rules';
import { MemoryThrottlerStorage, MINUTE } from './memory-throttler-storage';
import { PagesMiddleware, RateLimitGuard } from './rate-limit.guard';
import { API, RateLimitStorageModule } from './rate-limit-storage.module';
import { RedisCheck, RedisThrottlerStorage } from './redis-throttler-storage';
import { SearchLimitService } from './search-limit.service';

/** Specification, part 8: requests below /api/v1. Pages and files have limits of their own, which no header names. */
function throttlers({ rateLimitPerMinute: limit }: Config): ThrottlerOptions[] {
  const { pagesPerMinute, pagesPerSecond } = LIMITS.requests;
  const pages = limit * pagesPerMinute.value;
  const isPage = (context: ExecutionContext) => context.getClass() === PagesMiddleware;
  const ofPages = { skipIf: (context: ExecutionContext) => !isPage(context), setHeaders: false };
  return [
    {
      name: API,
      limit,
      ttl: MINUTE,
      skipIf: (context) => !isApi(context.switchToHttp().getRequest<Request>().path),
    },
    { name: 'pages', limit: pages, ttl: MINUTE, ...ofPages },
    // Grows with the limit that an operator sets.
    {
      name: 'pages at once',
      limit: Math.max(pagesPerSecond.value, pages / 9),
      ttl: 1_000,
      ...ofPages,
    },
  ];
}

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
        getTracker: ({ ip }) => addressKey(ip as string | undefined),
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

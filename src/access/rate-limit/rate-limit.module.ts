import { Module } from '@nestjs/common';
import { ThrottlerModule, type ThrottlerOptions, type ThrottlerStorage } from '@nestjs/throttler';
import type { Request } from 'express';
import { Config } from '../../platform/config/config';
import { MINUTE } from '../../platform/durations';
import { Bursts } from '../../platform/hardening/bursts';
import { isApi } from '../../platform/http/path.rules';
import { LIMITS } from '../../platform/limits/limits';
import { KeyRatesService } from './key-rates.service';
import { pageThrottlers, trackerOf } from './page-limits';
import { PagesMiddleware } from './pages.middleware';
import { RateLimitGuard } from './rate-limit.guard';
import { API, RATE_LIMIT_STORAGE, RateLimitStorageModule } from './rate-limit-storage.module';
import { RedisCheck } from './redis.check';
import { SearchLimitService } from './search-limit.service';

/**
 * Specification, part 8: requests to the API and its extensions, by address unless their key has a rate of its own. Pages
 * and files have limits of their own, which no header names.
 */
const throttlers = (
  { rateLimitPerMinute: limit }: Config,
  rates: KeyRatesService,
): ThrottlerOptions[] => [
  {
    name: API,
    limit: (context) => rates.of(context.switchToHttp().getRequest<Request>())?.perMinute ?? limit,
    ttl: MINUTE,
    getTracker: (request) => {
      const rate = rates.of(request as Request);
      return rate ? `key ${rate.keyId}` : trackerOf(request as Request);
    },
    skipIf: (context) => !isApi(context.switchToHttp().getRequest<Request>().path),
  },
  ...pageThrottlers(
    limit * LIMITS.requests.pagesPerMinute.value,
    (context) => context.getClass() === PagesMiddleware,
  ),
];

/** The limits by client address. Only modules of the API process import it. */
@Module({
  imports: [
    RateLimitStorageModule,
    ThrottlerModule.forRootAsync({
      imports: [RateLimitStorageModule],
      inject: [Config, RATE_LIMIT_STORAGE, KeyRatesService],
      useFactory: (config: Config, storage: ThrottlerStorage, rates: KeyRatesService) => ({
        throttlers: throttlers(config, rates),
        storage,
        getTracker: (request) => trackerOf(request as Request),
        // The library's key contains the route; here all routes share one limit.
        generateKey: (_, tracker, name) => (name === API ? tracker : `${name} ${tracker}`),
      }),
    }),
  ],
  providers: [Bursts, SearchLimitService, RedisCheck, PagesMiddleware, RateLimitGuard],
  exports: [Bursts, PagesMiddleware, RateLimitGuard, RedisCheck, SearchLimitService],
})
export class RateLimitModule {}

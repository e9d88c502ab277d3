import { Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { getOptionsToken, getStorageToken, type ThrottlerStorage } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventsModule } from '../events/events.module';
import { Config } from '../platform/config/config';
import { LOGGER, type Logger } from '../platform/observability/logger';
import { redisPlace } from '../platform/queue/redis';
import { AccountAdministrationService } from './accounts/account-administration.service';
import { Account } from './accounts/account.entity';
import { AccountsService } from './accounts/accounts.service';
import { AuditLog, AuditRetention } from './accounts/audit-log';
import { NoticesListener } from './notices/notices.listener';
import { NoticesService } from './notices/notices.service';
import { PasswordLinksService } from './accounts/password-links.service';
import { RegistrationService } from './accounts/registration.service';
import { ApiKeyCache } from './api-keys/api-key-cache';
import { ApiKey } from './api-keys/api-key.entity';
import { ApiKeysService } from './api-keys/api-keys.service';
import { MemoryRateCounter, MINUTE } from './rate-limit/memory-rate-counter';
import {
  PageBudgetService,
  RateLimitGuard,
  Refusals,
  TurnsInterceptor,
} from './rate-limit/rate-limit.guard';
import { RedisCheck, RedisRateCounter } from './rate-limit/redis-rate-counter';
import { AttemptLimits } from './sessions/attempt-limits';
import { SignInsService } from './sessions/sign-ins.service';
import { PasswordsService } from './sessions/passwords.service';
import { SessionsService } from './sessions/sessions.service';

const SERVICES = [
  AccountsService,
  AccountAdministrationService,
  ApiKeysService,
  PasswordsService,
  PasswordLinksService,
  RegistrationService,
  SessionsService,
  SignInsService,
  AttemptLimits,
  AuditLog,
  NoticesService,
];

/** Authentication, permissions and rate limits. */
@Module({
  imports: [TypeOrmModule.forFeature([Account, ApiKey]), EventsModule],
  providers: [...SERVICES, NoticesListener, AuditRetention, ApiKeyCache],
  exports: SERVICES,
})
export class AccessModule {}

/** The limits by client address. Only modules of the API import it. */
@Module({
  providers: [
    MemoryRateCounter,
    Refusals,
    {
      // Null without REDIS_URL: requests are counted in memory.
      provide: RedisRateCounter,
      inject: [Config, MemoryRateCounter, LOGGER],
      useFactory: (config: Config, memory: MemoryRateCounter, logger: Logger) => {
        const place = redisPlace(config);
        return place && new RedisRateCounter(place, memory, logger);
      },
    },
    {
      provide: getOptionsToken(),
      inject: [Config],
      useFactory: ({ rateLimitPerMinute: limit }: Config) => [{ limit, ttl: MINUTE }],
    },
    {
      provide: getStorageToken(),
      inject: [RedisRateCounter, MemoryRateCounter],
      useFactory: (
        redis: RedisRateCounter | null,
        memory: MemoryRateCounter,
      ): ThrottlerStorage => ({
        increment: async (client, _ttl, limit) => (redis ?? memory).count(client, limit),
      }),
    },
    PageBudgetService,
    RedisCheck,
    RateLimitGuard,
    { provide: APP_GUARD, useExisting: RateLimitGuard },
    { provide: APP_INTERCEPTOR, useClass: TurnsInterceptor },
  ],
  exports: [PageBudgetService, RateLimitGuard, RedisCheck],
})
export class RateLimitModule {}

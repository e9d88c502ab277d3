import { Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { ThrottlerModule, type ThrottlerStorage } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../platform/config/config';
import { LOGGER, type Logger } from '../platform/observability/logger';
import { redisPlace } from '../platform/queue/redis';
import { AccountAdministrationService } from './accounts/account-administration.service';
import { AccountChangesService } from './accounts/account-changes.service';
import { Account } from './accounts/account.entity';
import { AccountsService } from './accounts/accounts.service';
import { ApiKey } from './api-keys/api-key.entity';
import { ApiKeysService } from './api-keys/api-keys.service';
import { AttemptLimits } from './sessions/attempt-limits';
import { AuditLog } from './accounts/audit-log';
import { AuditRetention } from './accounts/audit-retention';
import { ApiKeyCache } from './api-keys/api-key-cache';
import { KnownDevicesService } from './sessions/known-devices.service';
import { MemoryRateCounter } from './rate-limit/memory-rate-counter';
import { OwnKeysService } from './api-keys/own-keys.service';
import { PasswordsService } from './sessions/passwords.service';
import { PageBudgetService, RATE_COUNTER, RateLimitGuard } from './rate-limit/rate-limit.guard';
import { MINUTE } from './rate-limit/rate-window.rules';
import { RedisRateCounter } from './rate-limit/redis-rate-counter';
import { RedisCheck } from './rate-limit/redis.check';
import { TurnsInterceptor } from './rate-limit/turns.interceptor';
import { RegistrationService } from './accounts/registration.service';
import { SessionsService } from './sessions/sessions.service';
import { SetUpService } from './accounts/set-up.service';
import { SignInsService } from './sessions/sign-ins.service';

const SERVICES = [
  AccountsService,
  AccountAdministrationService,
  AccountChangesService,
  ApiKeysService,
  OwnKeysService,
  PasswordsService,
  RegistrationService,
  SessionsService,
  SignInsService,
  KnownDevicesService,
  SetUpService,
  AttemptLimits,
  AuditLog,
];

/** Who may do what, and how often. */
@Module({
  imports: [TypeOrmModule.forFeature([Account, ApiKey])],
  providers: [...SERVICES, AuditRetention, ApiKeyCache],
  exports: SERVICES,
})
export class AccessModule {}

/** Counts requests: in Redis where REDIS_URL is set, else in memory. A module of its own, since ThrottlerModule imports it. */
@Module({
  providers: [
    MemoryRateCounter,
    {
      provide: RATE_COUNTER,
      inject: [Config, MemoryRateCounter, LOGGER],
      useFactory: (config: Config, memory: MemoryRateCounter, logger: Logger): ThrottlerStorage => {
        const place = redisPlace(config);
        return place ? new RedisRateCounter(place, memory, logger) : memory;
      },
    },
  ],
  exports: [MemoryRateCounter, RATE_COUNTER],
})
class RateCounterModule {}

/** The limits by client address. Imported by root modules of the API only. */
@Module({
  imports: [
    RateCounterModule,
    ThrottlerModule.forRootAsync({
      imports: [RateCounterModule],
      inject: [Config, RATE_COUNTER],
      useFactory: (config: Config, storage: ThrottlerStorage) => ({
        throttlers: [{ limit: config.rateLimitPerMinute, ttl: MINUTE }],
        storage,
      }),
    }),
  ],
  providers: [
    PageBudgetService,
    RedisCheck,
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_INTERCEPTOR, useClass: TurnsInterceptor },
  ],
  exports: [PageBudgetService, RedisCheck, RateCounterModule],
})
export class RateLimitModule {}

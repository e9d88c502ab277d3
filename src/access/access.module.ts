import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ThrottlerModule, type ThrottlerStorage } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../platform/config/config';
import { LOGGER, type Logger } from '../platform/logger';
import { redisPlace } from '../platform/redis';
import { AccountAdministrationService } from './account-administration.service';
import { AccountChangesService } from './account-changes.service';
import { Account } from './account.entity';
import { AccountsService } from './accounts.service';
import { ApiKey } from './api-key.entity';
import { ApiKeysService } from './api-keys.service';
import { AttemptLimits } from './attempt-limits';
import { AuditLog } from './audit-log';
import { AuditRetention } from './audit-retention';
import { KnownCallers } from './known-callers';
import { KnownDevicesService } from './known-devices.service';
import { MemoryRateCounter } from './memory-rate-counter';
import { OwnKeysService } from './own-keys.service';
import { PasswordsService } from './passwords.service';
import { PageBudgetService, RATE_COUNTER, RateLimitGuard } from './rate-limit.guard';
import { MINUTE } from './rate-window.rules';
import { RedisRateCounter } from './redis-rate-counter';
import { RedisCheck } from './redis.check';
import { RegistrationService } from './registration.service';
import { SessionsService } from './sessions.service';
import { SetUpService } from './set-up.service';
import { SignInsService } from './sign-ins.service';

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
  providers: [...SERVICES, AuditRetention, KnownCallers],
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
  providers: [PageBudgetService, RedisCheck, { provide: APP_GUARD, useClass: RateLimitGuard }],
  exports: [PageBudgetService, RedisCheck, RateCounterModule],
})
export class RateLimitModule {}

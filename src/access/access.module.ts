import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../platform/config/config';
import { AccountAdministrationService } from './account-administration.service';
import { AccountChangesService } from './account-changes.service';
import { Account } from './account.entity';
import { AccountsService } from './accounts.service';
import { ApiKey } from './api-key.entity';
import { ApiKeysService } from './api-keys.service';
import { AttemptLimits } from './attempt-limits';
import { AuditLog } from './audit-log';
import { KnownCallers } from './known-callers';
import { OwnKeysService } from './own-keys.service';
import { PasswordsService } from './passwords.service';
import { RATE_COUNTER, RateCounterModule, type RateCounter } from './rate-counter.module';
import { RateLimitGuard } from './rate-limit.guard';
import { RedisCheck } from './redis.check';
import { RegistrationService } from './registration.service';
import { SessionsService } from './sessions.service';
import { SetUpService } from './set-up.service';

const SERVICES = [
  AccountsService,
  AccountAdministrationService,
  AccountChangesService,
  ApiKeysService,
  OwnKeysService,
  PasswordsService,
  RegistrationService,
  SessionsService,
  SetUpService,
  AttemptLimits,
  AuditLog,
];

/** Who may do what, and how often. */
@Module({
  imports: [TypeOrmModule.forFeature([Account, ApiKey])],
  providers: [...SERVICES, KnownCallers],
  exports: SERVICES,
})
export class AccessModule {}

/** The rate limit before every other check of the API. Imported by the API's root module only. */
@Module({
  imports: [
    RateCounterModule,
    ThrottlerModule.forRootAsync({
      imports: [RateCounterModule],
      inject: [Config, RATE_COUNTER],
      useFactory: (config: Config, storage: RateCounter) => ({
        throttlers: [{ limit: config.rateLimitPerMinute, ttl: 60_000 }],
        storage,
      }),
    }),
  ],
  providers: [{ provide: APP_GUARD, useClass: RateLimitGuard }, RedisCheck],
  exports: [RedisCheck],
})
export class RateLimitModule {}

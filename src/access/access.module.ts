import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ThrottlerModule, ThrottlerStorage } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../platform/config/config';
import { AccountAdministrationService } from './account-administration.service';
import { Account } from './account.entity';
import { AccountsService } from './accounts.service';
import { ApiKey } from './api-key.entity';
import { ApiKeysService } from './api-keys.service';
import { AttemptLimits } from './attempt-limits';
import { AuditLog } from './audit-log';
import { MemoryRateCounter } from './memory-rate-counter';
import { OwnKeysService } from './own-keys.service';
import { PasswordsService } from './passwords.service';
import { RateLimitGuard } from './rate-limit.guard';
import { RegistrationService } from './registration.service';
import { SessionsService } from './sessions.service';
import { SetUpService } from './set-up.service';

const SERVICES = [
  AccountsService,
  AccountAdministrationService,
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
  providers: SERVICES,
  exports: SERVICES,
})
export class AccessModule {}

/** The counter, in a module of its own because ThrottlerModule imports it. */
@Module({ providers: [MemoryRateCounter], exports: [MemoryRateCounter] })
class RateCounterModule {}

/** The rate limit before every other check of the API. Imported by the API's root module only. */
@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      imports: [RateCounterModule],
      inject: [Config, MemoryRateCounter],
      useFactory: (config: Config, storage: ThrottlerStorage) => ({
        throttlers: [{ limit: config.rateLimitPerMinute, ttl: 60_000 }],
        storage,
      }),
    }),
  ],
  providers: [{ provide: APP_GUARD, useClass: RateLimitGuard }],
})
export class RateLimitModule {}

import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ThrottlerModule, ThrottlerStorage } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../platform/config/config';
import { Account } from './account.entity';
import { AccountsService } from './accounts.service';
import { ApiKey } from './api-key.entity';
import { ApiKeysService } from './api-keys.service';
import { MemoryRateCounter } from './memory-rate-counter';
import { RateLimitGuard } from './rate-limit.guard';

/** Who may do what, and how often. */
@Module({
  imports: [TypeOrmModule.forFeature([Account, ApiKey])],
  providers: [AccountsService, ApiKeysService],
  exports: [AccountsService, ApiKeysService],
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

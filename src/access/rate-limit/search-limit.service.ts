import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { MINUTE } from '../../platform/durations';
import { RateLimited } from '../../platform/errors/domain-errors';
import { Refusals } from '../../platform/hardening/refusals';
import { addressKey } from '../../platform/http/server/client-address';
import { LIMITS } from '../../platform/limits/limits';
import { MemoryThrottlerStorage } from './memory-throttler-storage';

/** The limit on pages that search all quizzes, or show the middle of a long list: only their handler knows them. */
@Injectable()
export class SearchLimitService {
  private readonly limit: number;

  constructor(
    { rateLimitPerMinute }: Config,
    private readonly storage: MemoryThrottlerStorage,
    private readonly refusals: Refusals,
  ) {
    this.limit = rateLimitPerMinute * LIMITS.requests.searchesPerMinute.value;
  }

  /** @throws RateLimited */
  async take(address: string): Promise<void> {
    const key = `searches ${addressKey(address)}`;
    const { isBlocked, timeToBlockExpire } = await this.storage.increment(key, MINUTE, this.limit);
    if (!isBlocked) return;
    this.refusals.count('searches');
    throw new RateLimited(timeToBlockExpire);
  }
}

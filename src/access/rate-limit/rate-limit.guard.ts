import { setTimeout as sleep } from 'node:timers/promises';
import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { RateLimited } from '../../platform/errors/domain-errors';
import { Bursts } from '../../platform/hardening/bursts';
import { Refusals } from '../../platform/hardening/refusals';
import { isApi } from '../../platform/http/path.rules';
import { LIMITS } from '../../platform/limits/limits';
import { MemoryThrottlerStorage } from './memory-throttler-storage';

/** Refuses the requests of a client address beyond the limits of rate-limit.module.ts. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  protected override headerPrefix = 'RateLimit';
  @Inject() private readonly memory!: MemoryThrottlerStorage;
  @Inject() private readonly refusals!: Refusals;
  @Inject() private readonly bursts!: Bursts;

  /** @throws RateLimited */
  protected override async throwThrottlingException(
    context: ExecutionContext,
    { key, limit, ttl, timeToBlockExpire }: ThrottlerLimitDetail,
  ): Promise<never> {
    const [request, response] = context.getArgs<[Request, Response]>();
    const isPage = !isApi(request.path);
    this.refusals.count(isPage ? 'pages' : 'rate-limit');
    if (!isPage) {
      // The library sets these of accepted requests only.
      response.setHeader('RateLimit-Limit', limit);
      response.setHeader('RateLimit-Remaining', 0);
      response.setHeader('RateLimit-Reset', timeToBlockExpire);
    }
    // A client that ignores its refusals sends again at once: each of its connections is held for a moment, and only a few
    // go on in a turn of the event loop, so that refusing a flood delays nobody else.
    const isInsistent =
      isPage || (await this.memory.increment(`refused ${key}`, ttl, limit)).isBlocked;
    if (isInsistent) {
      await sleep(LIMITS.requests.refusedAfter.value);
      await this.bursts.turnOf(request, response);
    }
    throw new RateLimited(timeToBlockExpire);
  }
}

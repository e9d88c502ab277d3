import { setTimeout as sleep } from 'node:timers/promises';
import { type ExecutionContext, Inject, Injectable, type NestMiddleware } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import type { NextFunction, Request, Response } from 'express';
import { RateLimited } from '../../platform/errors/domain-errors';
import { Refusals } from '../../platform/hardening/refusals';
import { LIMITS } from '../../platform/limits/limits';
import { isApi, isHealth } from '../../platform/text/text.rules';
import { MemoryThrottlerStorage } from './memory-throttler-storage';

/** Refuses the requests of a client address beyond the limits of rate-limit.module.ts. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  protected override headerPrefix = 'RateLimit';
  @Inject() private readonly memory!: MemoryThrottlerStorage;
  @Inject() private readonly refusals!: Refusals;

  /** @throws RateLimited */
  protected override async throwThrottlingException(
    context: ExecutionContext,
    { key, limit, ttl, timeToBlockExpire }: ThrottlerLimitDetail,
  ): Promise<never> {
    const isPage = context.getClass() === PagesMiddleware;
    this.refusals.count(isPage ? 'pages' : 'rate-limit');
    if (!isPage) {
      // The library sets these of accepted requests only.
      const response = context.switchToHttp().getResponse<Response>();
      response.setHeader('RateLimit-Limit', limit);
      response.setHeader('RateLimit-Remaining', 0);
      response.setHeader('RateLimit-Reset', timeToBlockExpire);
    }
    const isInsistent =
      isPage || (await this.memory.increment(`refused ${key}`, ttl, limit)).isBlocked;
    if (isInsistent) await sleep(LIMITS.requests.refusedAfter.value);
    throw new RateLimited(timeToBlockExpire);
  }
}

/**
 * Lets the guard count what is outside /api/v1. A middleware, because files and unknown URLs reach no guard, and a
 * refused request must not cost the look-up of its session or the reading of its form.
 */
@Injectable()
export class PagesMiddleware implements NestMiddleware {
  constructor(private readonly guard: RateLimitGuard) {}

  use(request: Request, response: Response, next: NextFunction): void {
    if (isHealth(request.path) || isApi(request.path)) return next();
    const context = new ExecutionContextHost(
      [request, response, next],
      PagesMiddleware,
      PagesMiddleware,
    );
    this.guard.canActivate(context).then(() => next(), next);
  }
}

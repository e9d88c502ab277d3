import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ExecutionContext,
  Inject,
  Injectable,
  type NestMiddleware,
  type OnModuleInit,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
// Nest makes the context of a guard for routes only and exports no class for it; here a middleware calls the guard.
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import type { NextFunction, Request, Response } from 'express';
import { MINUTE } from '../../platform/durations';
import { RateLimited } from '../../platform/errors/domain-errors';
import { Bursts } from '../../platform/hardening/bursts';
import { Refusals } from '../../platform/hardening/refusals';
import { isApi, isHealth } from '../../platform/http/path.rules';
import { addressKey } from '../../platform/http/server/client-address.rules';
import { LIMITS } from '../../platform/limits/limits';
import { AttemptLookup } from './attempt-lookup';
import { MemoryThrottlerStorage } from './memory-throttler-storage';
import { attemptIn } from './page-limits';

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
    const isPage = context.getClass() === PagesMiddleware;
    const [request, response] = context.getArgs<[Request, Response]>();
    this.refusals.count(isPage ? 'pages' : 'rate-limit');
    if (!isPage) {
      // The library sets these of accepted requests only.
      response.setHeader('RateLimit-Limit', limit);
      response.setHeader('RateLimit-Remaining', 0);
      response.setHeader('RateLimit-Reset', timeToBlockExpire);
    }
    const isInsistent =
      isPage || (await this.memory.increment(`refused ${key}`, ttl, limit)).isBlocked;
    if (isInsistent) {
      await sleep(LIMITS.requests.refusedAfter.value);
      await this.bursts.turnOf(request, response);
    }
    throw new RateLimited(timeToBlockExpire);
  }
}

/**
 * Lets the guard count what is outside /api/v1. A middleware, because files and unknown URLs reach no guard, and a
 * refused request must not cost the look-up of its session or the reading of its form.
 */
@Injectable()
export class PagesMiddleware implements NestMiddleware, OnModuleInit {
  private attempts!: AttemptLookup;

  constructor(
    private readonly guard: RateLimitGuard,
    private readonly memory: MemoryThrottlerStorage,
    private readonly modules: ModuleRef,
  ) {}

  onModuleInit(): void {
    // The module of attempts provides it, which this one must not import.
    this.attempts = this.modules.get(AttemptLookup, { strict: false });
  }

  use(request: Request, response: Response, next: NextFunction): void {
    if (isHealth(request.path) || isApi(request.path)) return next();
    this.count(request, response, next).then(() => next(), next);
  }

  /** @throws RateLimited */
  private async count(request: Request, response: Response, next: NextFunction): Promise<void> {
    const attemptId = attemptIn(request.path);
    if (attemptId && (await this.exists(attemptId, request))) request.attemptId = attemptId;
    const context = new ExecutionContextHost(
      [request, response, next],
      PagesMiddleware,
      PagesMiddleware,
    );
    await this.guard.canActivate(context);
  }

  /** A client that makes up attempts is counted by its address, and after some has none of them looked up. */
  private async exists(attemptId: string, { ip }: Request): Promise<boolean> {
    if (this.attempts.isInMemory(attemptId)) return true;
    const key = `attempt look-ups ${addressKey(ip)}`;
    const { isBlocked } = await this.memory.increment(
      key,
      MINUTE,
      LIMITS.requests.attemptLookUps.value,
    );
    // Without the database the request fails later, with the error for that.
    return !isBlocked && this.attempts.exists(attemptId).catch(() => false);
  }
}

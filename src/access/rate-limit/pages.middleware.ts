import { Injectable, type NestMiddleware, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
// Nest makes the context of a guard for routes only and exports no class for it; here a middleware calls the guard.
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import type { NextFunction, Request, Response } from 'express';
import { MINUTE } from '../../platform/durations';
import { isApi, isHealth } from '../../platform/http/path.rules';
import { addressKey } from '../../platform/http/server/client-address';
import { LIMITS } from '../../platform/limits/limits';
import { AttemptLookup } from './attempt-lookup';
import { MemoryThrottlerStorage } from './memory-throttler-storage';
import { attemptIn } from './page-limits';
import { RateLimitGuard } from './rate-limit.guard';

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

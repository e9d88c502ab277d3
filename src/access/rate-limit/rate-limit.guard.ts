import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { ThrottlerGuard } from '@nestjs/throttler';
import type { NextFunction, Request, Response } from 'express';
import { setTimeout as sleep } from 'node:timers/promises';
import { Config } from '../../platform/config/config';
import { RateLimited } from '../../platform/errors/domain-errors';
import { addressKey } from '../../platform/http/request/client-address.rules';
import { isApi, isHealth } from '../../platform/text/places.rules';
import { LIMITS } from '../../platform/limits/limits';
import { MemoryRateCounter } from './memory-rate-counter';
import { MINUTE } from './rate-window.rules';

/** Injection token of the ThrottlerStorage that counts requests. */
export const RATE_COUNTER = Symbol('RATE_COUNTER');

const { refusedAfter } = LIMITS.requests;

/** Specification, part 8: the requests that a client address has in any minute, over all of /api/v1 together. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  private limit = 0;
  @Inject() private readonly refusals!: MemoryRateCounter;

  override async onModuleInit(): Promise<void> {
    await super.onModuleInit();
    this.limit = this.throttlers[0]?.limit as number;
  }

  /**
   * Replaces the inherited method, which reads six settings of each route at each request: a twentieth of all that
   * Node did for a quiz. Here every route of the API has the one limit.
   */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (!isApi(request.path)) return true;
    const { limit, storageService } = this;
    const client = addressKey(request.ip);
    const count = await storageService.increment(client, MINUTE, limit, MINUTE, 'default');
    const response = http.getResponse<Response>();
    response.setHeader('RateLimit-Limit', limit);
    response.setHeader('RateLimit-Remaining', Math.max(0, limit - count.totalHits));
    response.setHeader('RateLimit-Reset', count.timeToExpire);
    if (!count.isBlocked) return true;
    if (this.refusals.count(`refused ${client}`, limit).isBlocked) await sleep(refusedAfter.value);
    throw new RateLimited(count.timeToBlockExpire);
  }
}

/** The budget of a client address for everything outside /api/v1: a middleware, so that it also covers files. */
@Injectable()
export class PageBudgetService {
  private readonly limit: number;
  private readonly burst: number;

  constructor(
    { rateLimitPerMinute }: Config,
    private readonly counter: MemoryRateCounter,
  ) {
    this.limit = rateLimitPerMinute * LIMITS.requests.pagesPerMinute.value;
    // Grows with the limit of an operator who expects more.
    this.burst = Math.max(LIMITS.requests.pagesPerSecond.value, this.limit / 9);
  }

  check(request: Request, _response: Response, next: NextFunction): void {
    if (isHealth(request.path) || isApi(request.path)) return next();
    const client = `pages ${addressKey(request.ip)}`;
    const { isBlocked, timeToBlockExpire } = this.counter.count(client, this.limit, this.burst);
    if (!isBlocked) return next();
    setTimeout(() => next(new RateLimited(timeToBlockExpire)), refusedAfter.value);
  }
}

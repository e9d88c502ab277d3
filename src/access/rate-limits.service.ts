import { Inject, Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Config } from '../platform/config/config';
import { RateLimited } from '../platform/domain-errors';
import { addressKey } from '../platform/http/client-address.rules';
import { isApi, isHealth } from '../platform/http/places.rules';
import { LIMITS } from '../platform/limits';
import type { RateCounter } from './memory-rate-counter';

/** Injection token of what counts requests: in Redis where REDIS_URL is set, else in memory. */
export const RATE_COUNTER = Symbol('RATE_COUNTER');

/**
 * Requests that a client address has in any minute: one budget over all of /api/v1 (specification, part 8), and
 * one over everything else. A middleware, so that it also stands before pages, files and unknown addresses.
 */
@Injectable()
export class RateLimitsService {
  private readonly api: number;
  private readonly pages: number;

  constructor(
    { rateLimitPerMinute }: Config,
    @Inject(RATE_COUNTER) private readonly counter: RateCounter,
  ) {
    this.api = rateLimitPerMinute;
    this.pages = rateLimitPerMinute * LIMITS.requests.pagesPerMinute.value;
  }

  async check(request: Request, response: Response, next: NextFunction): Promise<void> {
    if (isHealth(request.path)) return next();
    const client = addressKey(request.ip);
    if (!isApi(request.path)) {
      const { isRefused, seconds } = await this.counter.count(`pages ${client}`, this.pages);
      return next(isRefused ? new RateLimited(seconds) : undefined);
    }
    const { hits, isRefused, seconds } = await this.counter.count(client, this.api);
    response.setHeader('RateLimit-Limit', this.api);
    response.setHeader('RateLimit-Remaining', Math.max(0, this.api - hits));
    response.setHeader('RateLimit-Reset', seconds);
    next(isRefused ? new RateLimited(seconds) : undefined);
  }
}

import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { Config } from '../platform/config/config';
import { RateLimited } from '../platform/domain-errors';
import { isNotCounted } from '../platform/http/not-counted';
import { addressKey } from './client-address.rules';
import type { RateCounter } from './rate-count';
import { RATE_COUNTER } from './rate-counter.module';

const MINUTE = 60_000;

/**
 * Specification, part 8: requests a minute for each client address, over all of /api/v1 together.
 *
 * A guard of our own: that of @nestjs/throttler asks for six settings of each route at each request, which
 * was a twentieth of all that Node did for a quiz.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly limit: number;

  constructor(
    config: Config,
    @Inject(RATE_COUNTER) private readonly counter: RateCounter,
    private readonly reflector: Reflector,
  ) {
    this.limit = config.rateLimitPerMinute;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (isNotCounted(this.reflector, context.getClass())) return true;
    const { limit } = this;
    const http = context.switchToHttp();
    const response = http.getResponse<Response>();
    const key = addressKey(http.getRequest<Request>().ip);
    const count = await this.counter.increment(key, MINUTE);
    response.setHeader('RateLimit-Limit', limit);
    response.setHeader('RateLimit-Remaining', Math.max(0, limit - count.hits));
    response.setHeader('RateLimit-Reset', count.resetsIn);
    if (count.hits <= limit) return true;
    response.setHeader('Retry-After', count.resetsIn);
    throw new RateLimited();
  }
}

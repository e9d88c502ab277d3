import { Injectable, type ExecutionContext } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { RateLimited } from '../platform/domain-errors';
import { addressKey } from './client-address.rules';

/** Specification, part 8: requests a minute for each client address, over all of /api/v1 together. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  protected override getTracker(request: Request): Promise<string> {
    return Promise.resolve(addressKey(request.ip));
  }

  protected override generateKey(_: ExecutionContext, tracker: string): string {
    return tracker;
  }

  protected override async handleRequest({
    context,
    limit,
    ttl,
    blockDuration,
    throttler,
  }: ThrottlerRequest): Promise<boolean> {
    const { req, res } = this.getRequestResponse(context) as { req: Request; res: Response };
    const key = this.generateKey(context, await this.getTracker(req));
    const count = await this.storageService.increment(
      key,
      ttl,
      limit,
      blockDuration,
      throttler.name ?? 'default',
    );
    res.setHeader('RateLimit-Limit', limit);
    res.setHeader('RateLimit-Remaining', Math.max(0, limit - count.totalHits));
    res.setHeader('RateLimit-Reset', count.timeToExpire);
    if (!count.isBlocked) return true;
    res.setHeader('Retry-After', count.timeToBlockExpire);
    throw new RateLimited();
  }
}

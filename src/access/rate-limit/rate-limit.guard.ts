import {
  Inject,
  Injectable,
  SetMetadata,
  type ExecutionContext,
  type CallHandler,
  type NestInterceptor,
} from '@nestjs/common';
import { ThrottlerGuard } from '@nestjs/throttler';
import type { NextFunction, Request, Response } from 'express';
import { setTimeout as sleep } from 'node:timers/promises';
import { finalize, type Observable } from 'rxjs';
import type { Counter } from 'prom-client';
import { Config } from '../../platform/config/config';
import { RateLimited, TooManyWaiting } from '../../platform/errors/domain-errors';
import { addressKey } from '../../platform/http/server/access-log';
import { LIMITS } from '../../platform/limits/limits';
import { Metrics } from '../../platform/observability/metrics';
import type { DocumentOptions } from '../../platform/openapi/complete';
import { header, wholeNumber } from '../../platform/openapi/fields';
import { isApi, isHealth } from '../../platform/text/text.rules';
import { MemoryRateCounter, MINUTE } from './memory-rate-counter';
import { onUpload } from '../../platform/http/request/json-body.interceptor';
import { isForPages } from '../api-keys/scope.rules';

const { refusedAfter } = LIMITS.requests;

/** Counts what is refused with 429, by its cause: one status has several. */
@Injectable()
export class Refusals {
  private readonly refused: Counter<'cause'>;

  constructor(metrics: Metrics) {
    this.refused = metrics.counter(
      'quiz_http_refused_total',
      'Requests refused with 429, by cause: the rate limit, the budgets of pages and of searches, too many waiting requests',
      ['cause'],
    );
    for (const cause of CAUSES) this.refused.inc({ cause }, 0);
  }

  count(cause: (typeof CAUSES)[number]): void {
    this.refused.inc({ cause });
  }
}

const CAUSES = ['rate-limit', 'pages', 'searches', 'waiting'] as const;

/** Specification, part 8: the limit on requests of a client address in any minute, over all of /api/v1. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  @Inject() private readonly config!: Config;
  @Inject() private readonly memory!: MemoryRateCounter;
  @Inject() private readonly refusals!: Refusals;

  /**
   * Replaces the inherited method, which reads six settings of each route on each request: a twentieth of Node's time
   * for a quiz. All routes of the API have the same limit.
   */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (isApi(request.path)) await this.countRequest(request, http.getResponse<Response>());
    return true;
  }

  /** @throws RateLimited */
  async countRequest(request: Request, response: Response): Promise<void> {
    const limit = this.config.rateLimitPerMinute;
    const client = addressKey(request.ip);
    const count = await this.storageService.increment(client, MINUTE, limit, MINUTE, 'default');
    response.setHeader('RateLimit-Limit', limit);
    response.setHeader('RateLimit-Remaining', Math.max(0, limit - count.totalHits));
    response.setHeader('RateLimit-Reset', count.timeToExpire);
    if (!count.isBlocked) {
      if (request.refusal) throw request.refusal;
      return;
    }
    this.refusals.count('rate-limit');
    if (this.memory.count(`refused ${client}`, limit).isBlocked) await sleep(refusedAfter.value);
    throw new RateLimited(count.timeToBlockExpire);
  }
}

/** The budget of a client address for everything outside /api/v1: a middleware, so that it also covers files. */
@Injectable()
export class PageBudgetService {
  private readonly limit: number;
  private readonly burst: number;
  private readonly searches: number;

  constructor(
    { rateLimitPerMinute }: Config,
    private readonly counter: MemoryRateCounter,
    private readonly refusals: Refusals,
  ) {
    this.searches = rateLimitPerMinute * LIMITS.requests.searchesPerMinute.value;
    this.limit = rateLimitPerMinute * LIMITS.requests.pagesPerMinute.value;
    // Grows with the limit that an operator sets.
    this.burst = Math.max(LIMITS.requests.pagesPerSecond.value, this.limit / 9);
  }

  check(request: Request, _response: Response, next: NextFunction): void {
    if (isHealth(request.path) || isApi(request.path)) return next();
    const client = `pages ${addressKey(request.ip)}`;
    const { isBlocked, timeToBlockExpire } = this.counter.count(client, this.limit, this.burst);
    if (!isBlocked) return next();
    this.refusals.count('pages');
    setTimeout(() => next(new RateLimited(timeToBlockExpire)), refusedAfter.value);
  }

  /** Before a page searches all quizzes, or shows the middle of a long list. @throws RateLimited */
  takeSearch(address: string): void {
    const client = `searches ${addressKey(address)}`;
    const { isBlocked, timeToBlockExpire } = this.counter.count(client, this.searches);
    if (!isBlocked) return;
    this.refusals.count('searches');
    throw new RateLimited(timeToBlockExpire);
  }
}

/** What the document says about the rate limit (specification, part 8). */
export const RATE_LIMITED: DocumentOptions['everywhere'] = {
  headers: {
    'RateLimit-Limit': header(
      'Requests that your address may make in any minute.',
      wholeNumber(60),
    ),
    'RateLimit-Remaining': header('How many of them are left.', wholeNumber(57)),
    'RateLimit-Reset': header(
      'Seconds until the oldest request that counts is a minute old, and may be made again.',
      wholeNumber(42),
    ),
  },
  failures: [
    {
      status: 429,
      name: 'rate-limit-exceeded',
      title: 'Too many requests in a minute',
      error: 'Rate limit exceeded. Please try again later.',
      fix: 'Wait for the number of seconds in `Retry-After`, then continue. Every response carries `RateLimit-Remaining`, so that you can slow down before. Failed requests count too; all your processes behind one address share the limit.',
      headers: {
        'Retry-After': header(
          'Whole seconds to wait, 1 to 60.',
          wholeNumber(17, { minimum: 1, maximum: 60 }),
        ),
      },
    },
    {
      status: 429,
      name: 'too-many-waiting-requests',
      title: 'Too many requests of the account are waiting',
      error: new TooManyWaiting().message,
      fix: `The service processes a few requests of an account at a time, and up to ${LIMITS.requests.waiting.value} wait for their turn, or ${LIMITS.requests.waitingPlays.value} that play quizzes. Send fewer requests at once; nothing was done for this one.`,
    },
  ],
};

/** The requests of one client. */
interface Turns {
  underWay: number;
  /** How many may be in progress. */
  allowed: number;
  waiting: Set<() => void>;
}

const AT_A_TIME = LIMITS.requests.underWay.value;
const MOST_WAITING = LIMITS.requests.waiting.value;
const MOST_PLAYING = LIMITS.requests.waitingPlays.value;
const OF_PLAYERS = 'of-players';

/** Requests of players: a platform sends those of a whole class with one key, and they are short. */
export const OfPlayers = () => SetMetadata(OF_PLAYERS, true);
const SLOW = LIMITS.requests.slow.value;

/**
 * Runs a few requests of a client at a time; further ones wait for their turn, so that one client leaves database
 * connections and computing time for others. After a slow request it runs one at a time: four readers of the largest
 * quiz made everybody else wait for half a second. The client is the account of the key, at any address, or the
 * address if there is no key, or one that anyone may have from a web page.
 */
@Injectable()
export class TurnsInterceptor implements NestInterceptor {
  private readonly clients = new Map<string, Turns>();

  constructor(private readonly refusals: Refusals) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    if (isHealth(request.path)) return next.handle();
    const { caller } = request;
    const client = caller && !isForPages(caller) ? caller.accountId : addressKey(request.ip);
    const isOfPlayers = Reflect.hasMetadata(OF_PLAYERS, context.getHandler());
    const mostWaiting = isOfPlayers ? MOST_PLAYING : MOST_WAITING;
    await this.enter(client, mostWaiting, context.switchToHttp().getResponse<Response>());
    const began = performance.now();
    let isUnderWay = true;
    const leave = () => {
      if (isUnderWay) this.leave(client, performance.now() - began > SLOW ? 1 : AT_A_TIME);
      isUnderWay = false;
    };
    // An upload takes as long as its client likes; uploads have limits of their own.
    onUpload(request, leave);
    return next.handle().pipe(finalize(leave));
  }

  /** @throws TooManyWaiting */
  private async enter(client: string, mostWaiting: number, response: Response): Promise<void> {
    const turns = this.clients.get(client) ?? {
      underWay: 0,
      allowed: AT_A_TIME,
      waiting: new Set(),
    };
    this.clients.set(client, turns);
    if (turns.underWay < turns.allowed) {
      turns.underWay++;
      return;
    }
    if (turns.waiting.size >= mostWaiting) {
      this.refusals.count('waiting');
      throw new TooManyWaiting();
    }
    await new Promise<void>((resolve, reject) => {
      turns.waiting.add(resolve);
      response.once('close', () => {
        if (turns.waiting.delete(resolve)) reject(new TooManyWaiting());
      });
    });
  }

  private leave(client: string, allowed: number): void {
    const turns = this.clients.get(client);
    if (!turns) return;
    turns.underWay--;
    turns.allowed = allowed;
    for (const next of turns.waiting) {
      if (turns.underWay >= allowed) break;
      turns.waiting.delete(next);
      turns.underWay++;
      next();
    }
    if (turns.underWay === 0) this.clients.delete(client);
  }
}

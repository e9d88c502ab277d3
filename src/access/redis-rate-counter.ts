import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Redis, RedisOptions, Result } from 'ioredis';
import type { Logger } from '../platform/logger';
import { impatientRedis } from '../platform/redis';
import { rateCount, type RateCount } from './rate-count';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    countHit(key: string, ttl: number): Result<[hits: number, left: number], Context>;
  }
}

/** Counts and reads in one round trip. A key that has lost its end gets one again. */
const COUNT_HIT = `
local hits = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return {hits, left}`;

const PREFIX = 'quiz:rate:';
/**
 * Milliseconds that a request may wait for Redis. It answers in 0.02 when all is well; 100 were exceeded now
 * and then on a machine with five times more to do than processors.
 */
const ANSWERS_WITHIN = 250;
const PROBE_EVERY = 1_000;
/** The first requests shall be counted with everybody's; a Redis that is away must not keep the API back. */
const START_WAITS = 1_500;

/**
 * Counts requests in fixed windows that all API processes share. A Redis that is away, slow or failing costs
 * the requests under way {@link ANSWERS_WITHIN}; from then on requests are counted in memory and do not ask
 * Redis at all, until a probe beside them has found it well.
 */
export class RedisRateCounter implements ThrottlerStorage, OnModuleInit, OnApplicationShutdown {
  private readonly redis: Redis;
  private readonly timer: NodeJS.Timeout;
  private state: 'unknown' | 'answers' | 'fails' | 'closed' = 'unknown';
  private begun?: Promise<void>;
  private probing?: Promise<void>;

  constructor(
    place: RedisOptions,
    private readonly memory: ThrottlerStorage,
    private readonly logger: Logger,
  ) {
    this.redis = impatientRedis(place, 'quiz-rate-limit');
    this.redis.defineCommand('countHit', { numberOfKeys: 1, lua: COUNT_HIT });
    this.redis.on('error', (error) => this.failed(error));
    this.redis.on('close', () => this.failed(new Error('the connection was closed')));
    this.redis.on('ready', () => void this.probe());
    this.timer = setInterval(() => void this.probe(), PROBE_EVERY).unref();
  }

  get answers(): boolean {
    return this.state === 'answers';
  }

  /** Nest asks twice, since two modules provide this one counter. */
  onModuleInit(): Promise<void> {
    return (this.begun ??= this.begin());
  }

  private async begin(): Promise<void> {
    try {
      await within(START_WAITS, this.redis.connect());
      await this.probe();
    } catch (error) {
      this.failed(error);
    }
  }

  /** After the last request has been answered. */
  onApplicationShutdown(): void {
    this.state = 'closed';
    clearInterval(this.timer);
    this.redis.disconnect();
  }

  /** @param ttl length of a window in milliseconds */
  async increment(
    key: string,
    ttl: number,
    limit: number,
    blockDuration: number,
    throttlerName: string,
  ): Promise<RateCount> {
    // Counted here in any case, so that a Redis that goes away gives nobody a new allowance.
    const inMemory = this.memory.increment(key, ttl, limit, blockDuration, throttlerName);
    if (!this.answers) return inMemory;
    try {
      const [hits, left] = await within(ANSWERS_WITHIN, this.redis.countHit(PREFIX + key, ttl));
      return rateCount(hits, left, limit);
    } catch (error) {
      this.failed(error);
      return inMemory;
    }
  }

  /** Asks for what requests ask for: a Redis that is full, or a replica, would answer a mere PING. */
  private probe(): Promise<void> {
    if (this.answers || this.redis.status !== 'ready') return Promise.resolve();
    this.probing ??= within(ANSWERS_WITHIN, this.redis.countHit(`${PREFIX}probe`, PROBE_EVERY))
      .then(
        () => this.succeeded(),
        (error: unknown) => this.failed(error),
      )
      .finally(() => (this.probing = undefined));
    return this.probing;
  }

  private succeeded(): void {
    if (this.state === 'fails')
      this.logger.info('Redis answers again: all processes count requests together');
    if (this.state !== 'closed') this.state = 'answers';
  }

  private failed(error: unknown): void {
    if (this.state === 'fails' || this.state === 'closed') return;
    this.state = 'fails';
    const { message, code } = error as NodeJS.ErrnoException;
    this.logger.warn(
      `Redis does not answer (${message || code}): requests are counted in memory, by each process for itself`,
    );
  }
}

/** @throws Error after so many milliseconds; what the promise comes to later is nobody's business */
function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`no answer within ${milliseconds} ms`));
    // Where this process itself was held up, the answer may lie unread in the socket: read it first.
    const timer = setTimeout(() => setImmediate(late), milliseconds);
    void promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

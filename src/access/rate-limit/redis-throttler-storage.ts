import type { OnApplicationShutdown } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Redis, RedisOptions, Result } from 'ioredis';
import { impatientRedis } from '../../platform/database/redis';
import { MINUTE } from '../../platform/durations';
import type { Logger } from '../../platform/observability/logger';
import { within } from '../../platform/within';
import {
  ENTRIES,
  type MemoryThrottlerStorage,
  type RateCount,
  rateCount,
} from './memory-throttler-storage';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    countRequest(
      key: string,
      limit: number,
      ttl: number,
    ): Result<[hits: number, isRefused: 0 | 1, left: number], Context>;
  }
}

/**
 * `countRequest` of memory-throttler-storage.ts, in one round trip, by the clock that all processes share. A window of one
 * request is stored as its time alone: most addresses of a flood come once, and Redis keeps a number in less memory.
 */
const COUNT_REQUEST = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local stored = redis.call('GET', KEYS[1])
local window, hits = {}, 0
local limit, ttl = tonumber(ARGV[1]), tonumber(ARGV[2])
local before = stored and cjson.decode(stored) or {}
if type(before) == 'number' then before = {before, 1} end
for index = 1, #before, 2 do
  if before[index] + ttl > now then
    table.insert(window, before[index])
    table.insert(window, before[index + 1])
    hits = hits + before[index + 1]
  end
end
local refused = hits >= limit and 1 or 0
if refused == 0 then
  hits = hits + 1
  local last = #window - 1
  if last > 0 and math.floor(window[last] * ${ENTRIES} / ttl) == math.floor(now * ${ENTRIES} / ttl) then
    window[last] = now
    window[last + 1] = window[last + 1] + 1
  else
    table.insert(window, now)
    table.insert(window, 1)
  end
  local isFirst = hits == 1
  redis.call('SET', KEYS[1], isFirst and now or cjson.encode(window), 'PX', ttl)
end
return {hits, refused, window[1] + ttl - now}`;

const PREFIX = 'quiz:window:';
/**
 * Milliseconds that a request may wait for Redis. It usually responds in 0.02; 100 were sometimes exceeded on a
 * machine with a load of five times its processors.
 */
const RESPONDS_WITHIN = 250;
const PROBE_EVERY = 1_000;
/** The first requests should be counted in Redis; an unreachable Redis must not delay the start of the API. */
const START_WAITS = 1_500;

/**
 * Counts requests in rolling windows that all API processes share. A Redis that is unreachable, slow or failing
 * delays the requests in progress by {@link RESPONDS_WITHIN}; from then on requests are counted in memory
 * and do not use Redis until a probe finds that it works again.
 */
export class RedisThrottlerStorage implements ThrottlerStorage, OnApplicationShutdown {
  private readonly redis: Redis;
  private readonly timer: NodeJS.Timeout;
  private state: 'unknown' | 'responds' | 'fails' | 'closed' = 'unknown';
  private probing?: Promise<void>;

  constructor(
    place: RedisOptions,
    private readonly memory: MemoryThrottlerStorage,
    private readonly logger: Logger,
    /** The throttler that all processes count together; the others are counted by each for itself. */
    private readonly shared: string,
  ) {
    this.redis = impatientRedis(place, 'quiz-rate-limit');
    this.redis.defineCommand('countRequest', { numberOfKeys: 1, lua: COUNT_REQUEST });
    this.redis.on('error', (error) => this.failed(error));
    this.redis.on('close', () => this.failed(new Error('the connection was closed')));
    this.redis.on('ready', () => void this.probe());
    this.timer = setInterval(() => void this.probe(), PROBE_EVERY).unref();
  }

  get responds(): boolean {
    return this.state === 'responds';
  }

  /** Not a hook of Nest, which would call it twice: the library provides the storage under a name of its own, too. */
  async connect(): Promise<this> {
    try {
      await within(START_WAITS, this.redis.connect());
      await this.probe();
    } catch (error) {
      this.failed(error);
    }
    return this;
  }

  /** After the last response. */
  onApplicationShutdown(): void {
    this.state = 'closed';
    clearInterval(this.timer);
    this.redis.disconnect();
  }

  async increment(
    key: string,
    ttl: number,
    limit: number,
    _blockDuration: number,
    throttler: string,
  ): Promise<RateCount> {
    // Always counted here as well, so that nobody gets a new allowance when Redis fails.
    const inMemory = await this.memory.increment(key, ttl, limit);
    if (throttler !== this.shared || !this.responds) return inMemory;
    try {
      const asked = this.redis.countRequest(PREFIX + key, limit, ttl);
      const [hits, isBlocked, left] = await within(RESPONDS_WITHIN, asked);
      return rateCount(hits, isBlocked === 1, left, ttl);
    } catch (error) {
      this.failed(error);
      return inMemory;
    }
  }

  /** Runs the command that requests need: a full Redis, or a replica, would respond to a mere PING. */
  private probe(): Promise<void> {
    if (this.responds || this.redis.status !== 'ready') return Promise.resolve();
    this.probing ??= within(
      RESPONDS_WITHIN,
      this.redis.countRequest(`${PREFIX}probe`, 1_000, MINUTE),
    )
      .then(
        () => this.succeeded(),
        (error: unknown) => this.failed(error),
      )
      .finally(() => (this.probing = undefined));
    return this.probing;
  }

  private succeeded(): void {
    if (this.state === 'fails')
      this.logger.info('Redis responds again: all processes count requests together');
    if (this.state !== 'closed') this.state = 'responds';
  }

  private failed(error: unknown): void {
    if (this.state === 'fails' || this.state === 'closed') return;
    this.state = 'fails';
    const { message, code } = error as NodeJS.ErrnoException;
    this.logger.warn(
      `Redis does not respond (${message || code}): each process counts requests in its own memory`,
    );
  }
}

import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { Config } from '../config/config';
import { LOGGER, type Logger } from '../observability/logger';
import { impatientRedis, redisPlace } from './redis';

/**
 * Milliseconds after the start of a write for which its account reads from the primary: the longest statement
 * (`SESSION`), the largest allowed lag of a replica (`MAX_LAG`), the interval between checks, and a margin.
 */
const FRESH_FOR = 30_000;

const PREFIX = 'quiz:wrote:';

/** Whether a request may change something. */
export const isWrite = (method: string): boolean => method !== 'GET' && method !== 'HEAD';

/**
 * Records who has just written, for read-your-writes. Kept in Redis, where every API process sees it: it decides who
 * reads from the primary, and who gets no cached responses.
 */
@Injectable()
export class ReadYourWrites implements OnModuleInit, OnApplicationShutdown {
  private readonly redis: Redis | null;
  private ended = false;

  constructor(
    private readonly config: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    const place = redisPlace(config);
    this.redis = place && impatientRedis(place, 'quiz-recent-writes');
    this.redis?.on('error', (error) => logger.debug({ err: error }, 'recent writes: no Redis'));
  }

  async onModuleInit(): Promise<void> {
    if (this.config.databaseReplicaUrls.length > 0) await this.connect();
  }

  /** Called by the API. It keeps trying by itself; meanwhile reads go to the primary, and responses are not cached. */
  async connect(): Promise<void> {
    await this.redis?.connect().catch(() => undefined);
  }

  /** After the last response. */
  onApplicationShutdown(): void {
    this.ended = true;
    this.redis?.disconnect();
  }

  /** Called before a write, so that no later read misses it. */
  async note(accountId: string): Promise<void> {
    if (!this.redis || this.ended) return;
    // Without Redis no process can check it, so all of them read from the primary.
    await this.redis.set(PREFIX + accountId, '', 'PX', FRESH_FOR).catch(() => undefined);
  }

  /** Whether another process may have made a change of the account's that this one does not know of yet. */
  mayBeMissing(accountId: string): Promise<boolean> {
    return this.redis ? this.has(accountId) : NEVER;
  }

  /** Also true if it cannot be determined. */
  async has(accountId: string): Promise<boolean> {
    if (!this.redis) return true;
    return this.redis.exists(PREFIX + accountId).then(
      (count) => count > 0,
      () => true,
    );
  }
}

const NEVER = Promise.resolve(false);

import { Redis, type RedisOptions } from 'ioredis';

/** What matters of a Redis that keeps a queue. */
export interface RedisFacts {
  version: string;
  /** `noeviction`, or what it throws away when it is full. */
  evictionPolicy: string;
  /** It writes every change to disk. */
  appendOnly: boolean;
  /** Milliseconds of one answer. */
  latency: number;
}

/** @throws Error when it does not answer within two seconds */
export async function redisFacts(place: RedisOptions): Promise<RedisFacts> {
  const redis = new Redis({
    ...place,
    lazyConnect: true,
    connectTimeout: 2_000,
    commandTimeout: 2_000,
    retryStrategy: () => null,
    sentinelRetryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  let reason: Error | undefined;
  redis.on('error', (error: Error) => (reason = error));
  try {
    await redis.connect();
    const begun = performance.now();
    await redis.ping();
    const latency = Math.round((performance.now() - begun) * 10) / 10;
    const info = await redis.info();
    const field = (name: string) => new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim() ?? '';
    return {
      version: field('redis_version'),
      evictionPolicy: field('maxmemory_policy'),
      appendOnly: field('aof_enabled') === '1',
      latency,
    };
  } catch (error) {
    // "Connection is closed" says less than why it was.
    throw reason ?? error;
  } finally {
    redis.disconnect();
  }
}

import { Redis, type RedisOptions } from 'ioredis';
import type { Config } from '../config/config';
import { within } from '../within';

/**
 * Where Redis is: the address in REDIS_URL or, with REDIS_SENTINELS, the server that the Sentinels name as the
 * primary of the group that REDIS_URL's host names. Null without REDIS_URL.
 */
export function redisPlace({ redisUrl, redisSentinels }: Config): RedisOptions | null {
  if (!redisUrl) return null;
  const { protocol, hostname, port, username, password, pathname } = new URL(redisUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  return {
    ...(redisSentinels
      ? {
          sentinels: redisSentinels,
          name: host,
          sentinelRetryStrategy: soon,
          // Without it ioredis waits forever for a Sentinel that accepts connections and says nothing.
          sentinelCommandTimeout: 1_000,
        }
      : { host, port: Number(port || 6379) }),
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    db: Number(pathname.slice(1) || 0),
    // With Sentinels, ioredis ignores `tls` alone and sends the password in clear text.
    ...(protocol === 'rediss:' && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
    // After a failover the old address may be a replica.
    reconnectOnError: (error) => error.message.includes('READONLY'),
  };
}

const soon = (times: number) => Math.min(100 * times, 1_000);

/** Creates every client of Redis. */
export function createRedis(options: RedisOptions): Redis {
  const redis = new Redis(options);
  // ioredis 5.11 keeps the timer of a closed socket, which then destroys the next socket.
  const timed = redis as unknown as { socketTimeoutTimer: NodeJS.Timeout | undefined };
  redis.on('close', () => {
    clearTimeout(timed.socketTimeoutTimer);
    timed.socketTimeoutTimer = undefined;
  });
  return redis;
}

/**
 * A connection to Redis for commands within a request: a command that cannot be sent now fails at once and is never
 * queued. The caller connects it, and listens to `error`.
 * @param name what Redis lists the connection as
 */
export function impatientRedis(place: RedisOptions, name: string): Redis {
  return createRedis({
    ...place,
    lazyConnect: true,
    connectionName: name,
    connectTimeout: 1_000,
    // A connection that receives nothing is closed, with the commands that wait on it.
    socketTimeout: 1_000,
    disconnectTimeout: 200,
    retryStrategy: soon,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  });
}

/** Milliseconds in which the doctor gets its facts, even if two Sentinels are silent. */
const FACTS_WITHIN = 4_000;

/**
 * What matters of a Redis that stores a queue; `evictionPolicy` other than `noeviction` deletes entries when it is full.
 * @throws Error if it does not respond within {@link FACTS_WITHIN}
 */
export async function redisFacts(place: RedisOptions) {
  const redis = createRedis({
    ...place,
    lazyConnect: true,
    disconnectTimeout: 200,
    retryStrategy: () => null,
    sentinelRetryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  let reason: Error | undefined;
  redis.on('error', (error: Error) => (reason = error));
  try {
    return await within(FACTS_WITHIN, readFacts(redis));
  } catch (error) {
    // "Connection is closed" says less than why it was closed.
    throw reason ?? error;
  } finally {
    redis.disconnect();
  }
}

async function readFacts(redis: Redis) {
  await redis.connect();
  const begun = performance.now();
  await redis.ping();
  const latency = Math.round((performance.now() - begun) * 10) / 10;
  const info = await redis.info();
  const field = (name: string) => new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim() ?? '';
  return {
    version: field('redis_version'),
    /** Whether the database exists that the URL names: ioredis would use another one, with no more than an event. */
    hasDatabase: await hasDatabase(redis),
    evictionPolicy: field('maxmemory_policy'),
    appendOnly: field('aof_enabled') === '1',
    /** Bytes. */
    usedMemory: Number(field('used_memory')),
    /** Bytes; 0 without a limit. */
    maxMemory: Number(field('maxmemory')),
    /** Milliseconds of one response. */
    latency,
  };
}

async function hasDatabase(redis: Redis): Promise<boolean> {
  try {
    await redis.select(redis.options.db ?? 0);
    return true;
  } catch (error) {
    return !(error as Error).message.includes('DB index is out of range');
  }
}

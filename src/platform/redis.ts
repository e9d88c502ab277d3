import { Redis } from 'ioredis';

/**
 * A connection to Redis for questions that are asked within a request: what cannot be asked now fails at once,
 * and is never kept for later. The caller connects it, and listens to `error`.
 *
 * @param name what Redis lists the connection as
 */
export function impatientRedis(url: string, name: string): Redis {
  return new Redis(url, {
    lazyConnect: true,
    connectionName: name,
    connectTimeout: 1_000,
    // A connection over which nothing comes back is given up, with the commands that wait on it.
    socketTimeout: 1_000,
    disconnectTimeout: 200,
    retryStrategy: (times) => Math.min(100 * times, 1_000),
    // After a failover the old address may be a replica.
    reconnectOnError: (error) => error.message.includes('READONLY'),
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  });
}

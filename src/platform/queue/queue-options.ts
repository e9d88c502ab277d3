import {
  type ConnectionOptions,
  createIORedisClient,
  createPostgresBackend,
  createRedisBackend,
  Queue,
  type QueueOptions,
  RedisConnection,
  setDefaultBackendFactory,
} from 'bullmq';
import type { RedisOptions } from 'ioredis';
import { Pool } from 'pg';
import type { Config } from '../config/config';
import { DeadlineClient, SESSION } from '../database/deadline-client';
import { createRedis, impatientRedis, redisPlace } from '../database/redis';

/** The options of every queue and processor of the process. From now on BullMQ uses the backend that the settings name. */
export function queueOptions(config: Config, databaseUrl: string): QueueOptions {
  // Both are for the whole process: @nestjs/bullmq creates queues and workers from options alone, which have neither.
  RedisConnection.clientFactory = (options: RedisOptions) =>
    createIORedisClient(createRedis(options));
  setDefaultBackendFactory(config.redisUrl ? undefined : createPostgresBackend);
  const place = redisPlace(config);
  return { prefix: 'quiz', connection: place ? redis(place) : postgres(databaseUrl) };
}

function redis(place: RedisOptions): ConnectionOptions {
  return {
    ...place,
    connectTimeout: 5_000,
    keepAlive: 5_000,
    // A connection that receives nothing is replaced. BullMQ waits for a job for at most 10 s at a time.
    socketTimeout: 13_000,
    // Redis may be away for long: keep trying, and reconnect soon after it is back.
    retryStrategy: (times: number) => Math.min(100 * times, 2_000),
  };
}

function postgres(url: string): ConnectionOptions {
  return {
    connectionString: url,
    application_name: 'quiz-queue',
    // Each queue and each processor has a pool of its own, eight of them in a worker (docs/scaling.md).
    max: 3,
    connectionTimeoutMillis: 5_000,
    statement_timeout: SESSION.statement_timeout,
    // Jobs are wake-ups: those that a crash of PostgreSQL loses are added again.
    options: '-c synchronous_commit=off',
    Client: DeadlineClient,
  };
}

/** Queues that a process only looks at, for somebody who waits for a page. */
interface QueueReader {
  open(this: void, name: string): Queue;
  /** To be called when the queues are closed. */
  end(this: void): Promise<unknown>;
}

/** One connection for all of them, and no command that waits for it. */
export function queueReader(config: Config, databaseUrl: string): QueueReader {
  const place = redisPlace(config);
  const options = { prefix: 'quiz', skipMetasUpdate: true };
  if (place) {
    const client = impatientRedis(place, READER);
    client.on('error', () => undefined);
    return {
      open: (name) => new Queue(name, { ...options, connection: client }, createRedisBackend),
      end: () => Promise.resolve(client.disconnect()),
    };
  }
  const pool = new Pool({
    ...(postgres(databaseUrl) as object),
    max: 1,
    application_name: READER,
    options: '-c search_path=bullmq',
  });
  // Without a listener a restart of the database would end the process.
  pool.on('error', () => undefined);
  return {
    open: (name) =>
      new Queue(name, { ...options, connection: pool }, createPostgresBackend) as unknown as Queue,
    end: () => pool.end(),
  };
}

const READER = 'quiz-queue-board';

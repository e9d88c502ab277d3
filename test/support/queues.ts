import { withRedis } from './redis-server';

/**
 * Runs a suite with the queue in PostgreSQL and again with it in Redis. Without redis-server and TEST_REDIS_URL (a
 * Redis that may be emptied) that half is reported as skipped.
 * @param database the number of the Redis database: each test file has its own, since files run at once
 */
export function onBothQueues(database: number, suite: (env: Record<string, string>) => void): void {
  describe('queue in PostgreSQL', () => suite({}));
  const server = process.env.TEST_REDIS_URL;
  const title = 'queue in Redis';
  if (!server) {
    describe.skip(`${title} (install redis-server to run it)`, () => suite({}));
    return;
  }
  const url = new URL(server);
  url.pathname = `/${database}`;
  describe(title, () => {
    beforeAll(() => withRedis(url.href, (redis) => redis.flushdb()));
    suite({ REDIS_URL: url.href });
  });
}

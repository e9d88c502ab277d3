import { ThrottlerStorage } from '@nestjs/throttler';
import { freePort } from '#embedded-postgres';
import { API } from '../../src/access/rate-limit/rate-limit-storage.module';
import { eventually } from '../support/clock';
import { readiness } from '../support/readiness';
import { RedisServer, withRedis } from '../support/redis-server';
import { type Service, startService } from '../support/service';

/** The rate limit with REDIS_URL: shared between API processes, and never in the way of a request. */

const KEY = 'quiz:window:127.0.0.1';
const AWAY = 'Redis does not respond';
const BACK = 'Redis responds again';

let server: RedisServer | undefined;
let url = process.env.TEST_REDIS_URL ?? '';
const services: Service[] = [];

const start = async (env: Record<string, string> = {}) => {
  const service = await startService({ REDIS_URL: url, RATE_LIMIT_PER_MINUTE: '1000', ...env });
  services.push(service);
  return service;
};

/** A counted request: what is left of the allowance, or the status where it is refused. */
const request = async (service: Service) => {
  const response = await service.get('/metadata');
  return response.status === 200
    ? Number(response.headers['ratelimit-remaining'])
    : response.status;
};
const said = ({ log }: Service, words: string) => log.filter((line) => line.includes(words)).length;
const redisOf = async (service: Service) => (await readiness(service)).body.data?.redis;
const upAgain = (service: Service) =>
  eventually(async () => expect(await redisOf(service)).toBe('up'));

beforeAll(async () => {
  if (!RedisServer.installed) return;
  server = await RedisServer.start();
  url = server.url;
});
afterAll(() => server?.kill());
afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
});

const withAny = RedisServer.installed || url ? describe : describe.skip;
withAny('rate limit shared through Redis (needs redis-server or TEST_REDIS_URL)', () => {
  beforeEach(() => withRedis(url, (redis) => redis.del(KEY)));

  it('API processes on one Redis count an address together', async () => {
    const [one, other] = [
      await start({ RATE_LIMIT_PER_MINUTE: '4' }),
      await start({ RATE_LIMIT_PER_MINUTE: '4' }),
    ];
    expect(await request(one)).toBe(3);
    expect(await request(other)).toBe(2);
    expect(await request(one)).toBe(1);
    expect(await request(other)).toBe(0);
    expect(await request(one)).toBe(429);
    const refused = await other.get('/metadata');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect((await readiness(one)).body.data).toMatchObject({ status: 'ready', redis: 'up' });
  });

  it('concurrent requests to two processes are all counted in Redis', async () => {
    const rounds: number[][] = [];
    const both = [await start(), await start()];
    const away = () => both.reduce((sum, service) => sum + said(service, AWAY), 0);
    // On a machine that is so busy that Redis is not heard within 250 ms, requests are rightly counted apart:
    // only a round in which it was heard throughout says something. One must be.
    await eventually(async () => {
      for (const service of both) await upAgain(service);
      await withRedis(url, (redis) => redis.del(KEY));
      const before = away();
      const left = await Promise.all(
        Array.from({ length: 60 }, (_, index) => request(both[index % 2] as Service)),
      );
      if (away() > before) throw new Error('Redis was not heard in time, in every round');
      rounds.push(left.sort((a, b) => b - a));
    }, 20_000);
    expect(rounds).toEqual([Array.from({ length: 60 }, (_, index) => 999 - index)]);
  });

  it('Redis counts a request for a minute, so no 60 seconds exceed the limit', async () => {
    const service = await start({ RATE_LIMIT_PER_MINUTE: '60' });
    await withRedis(url, async (redis) => {
      const now = Number((await redis.time())[0]) * 1_000;
      // 20 have just ended, 30 end in ten seconds, and nine were just now.
      const window = [now - 61_000, 20, now - 50_000, 30, now - 1_500, 9];
      await redis.set(KEY, JSON.stringify(window));
      expect(await request(service)).toBe(20);
      for (let left = 19; left >= 0; left--) expect(await request(service)).toBe(left);
      const refused = await service.get('/metadata').expect(429);
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(10);
      expect(await redis.pttl(KEY)).toBeGreaterThan(50_000);
      await redis.set(KEY, JSON.stringify([now - 61_000, 30, now - 1_500, 9]));
      expect(await request(service)).toBe(50);
    });
  });

  it('Redis counts a request for as long as the throttler that counts it says', async () => {
    const storage = (await start()).app.get<ThrottlerStorage>(ThrottlerStorage, { strict: false });
    const count = () => storage.increment('five seconds', 5_000, 2, 0, API);
    const hits = [await count(), await count(), await count()];
    expect(hits.map(({ totalHits, isBlocked }) => [totalHits, isBlocked])).toEqual([
      [1, false],
      [2, false],
      [2, true],
    ]);
    for (const { timeToExpire } of hits) expect(timeToExpire).toBeLessThanOrEqual(5);
    const left = await withRedis(url, (redis) => redis.pttl('quiz:window:five seconds'));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(5_000);
  });

  it('an API process closes its Redis connection when it stops', async () => {
    const connections = () =>
      withRedis(url, async (redis) => {
        const list = String(await redis.client('LIST'));
        return list.split('\n').filter((line) => line.includes('name=quiz-rate-limit')).length;
      });
    const before = await connections();
    await start();
    expect(await connections()).toBe(before + 1);
    await services.pop()?.close();
    await eventually(async () => expect(await connections()).toBe(before));
  });
});

const withOwn = RedisServer.installed ? describe : describe.skip;
withOwn('rate limit while Redis fails (needs redis-server)', () => {
  const redis = () => server as RedisServer;
  // Empty, and running however the test before has ended.
  beforeEach(async () => {
    await redis().kill();
    await redis().start();
  });

  it('after Redis is killed each process continues from its count, and Redis is used again when it returns', async () => {
    const [one, other] = [await start(), await start()];
    expect(await request(one)).toBe(999);
    expect(await request(one)).toBe(998);

    await redis().kill();
    for (let count = 3; count <= 40; count++) expect(await request(one)).toBe(1_000 - count);
    expect(await request(other)).toBe(999);
    expect(await readiness(one)).toMatchObject({
      status: 200,
      body: {
        success: true,
        data: {
          status: 'degraded',
          redis: 'down',
          notes: expect.arrayContaining([
            'Redis does not respond: each process counts requests for itself.',
          ]),
        },
      },
    });

    await redis().start();
    await upAgain(one);
    await upAgain(other);
    const left = await request(one);
    expect(await request(other)).toBe(left - 1);
    expect(await request(one)).toBe(left - 2);
    for (const service of [one, other])
      expect([said(service, AWAY), said(service, BACK)]).toEqual([1, 1]);
  });

  it('an address over the limit is still refused after Redis is killed', async () => {
    const service = await start({ RATE_LIMIT_PER_MINUTE: '2' });
    expect([await request(service), await request(service)]).toEqual([1, 0]);
    await redis().kill();
    expect(await request(service)).toBe(429);
  });

  it('a Redis that hangs delays the requests of one moment only', async () => {
    const service = await start();
    await request(service);
    redis().holdUp();
    try {
      const begun = performance.now();
      const atOnce = await Promise.all(Array.from({ length: 10 }, () => request(service)));
      expect(atOnce.sort((a, b) => b - a)).toEqual(atOnce.map((_, index) => 998 - index));
      expect(performance.now() - begun).toBeLessThan(2_000);

      // One after another: each would wait 250 ms if it asked.
      const then = performance.now();
      for (let count = 0; count < 30; count++) await request(service);
      expect(performance.now() - then).toBeLessThan(5_000);
      expect([said(service, AWAY), said(service, BACK)]).toEqual([1, 0]);
    } finally {
      redis().goOn();
    }
    await upAgain(service);
    expect(said(service, BACK)).toBe(1);
  });

  it('a Redis that cannot write is not used and logged once', async () => {
    const service = await start();
    const refusals = () =>
      withRedis(url, async (client) =>
        Number(/errorstat_OOM:count=(\d+)/.exec(await client.info('errorstats'))?.[1] ?? 0),
      );
    await withRedis(url, (client) => client.config('SET', 'maxmemory', '1'));
    expect([await request(service), await request(service)]).toEqual([999, 998]);
    await eventually(async () => expect(await refusals()).toBeGreaterThanOrEqual(3));
    expect([said(service, AWAY), said(service, BACK)]).toEqual([1, 0]);
    await withRedis(url, (client) => client.config('SET', 'maxmemory', '0'));
    await upAgain(service);
  });

  it('a Redis that is unreachable at the start does not prevent it, and is used once it is reachable', async () => {
    await redis().kill();
    const service = await start();
    expect([await request(service), await request(service)]).toEqual([999, 998]);
    expect([said(service, AWAY), await redisOf(service)]).toEqual([1, 'down']);
    await redis().start();
    await upAgain(service);
    expect(await request(service)).toBe(999);
    expect([said(service, AWAY), said(service, BACK)]).toEqual([1, 1]);
  });
});

test('an API with an unreachable REDIS_URL starts, counts requests and stops', async () => {
  const service = await start({
    REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
    RATE_LIMIT_PER_MINUTE: '1',
  });
  expect([await request(service), await request(service)]).toEqual([0, 429]);
  expect((await readiness(service)).body.data).toMatchObject({ status: 'degraded', redis: 'down' });
  expect(said(service, AWAY)).toBe(1);
  await services.pop()?.close();
  expect(said(service, AWAY)).toBe(1);
});

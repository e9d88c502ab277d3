// What counting a request for the rate limit costs, by itself: in memory and in Redis, under one hot address and
// under addresses that never come again.
import { Redis } from 'ioredis';
import { MemoryThrottlerStorage } from '../dist/access/rate-limit/memory-throttler-storage.js';
import { RedisThrottlerStorage } from '../dist/access/rate-limit/redis-throttler-storage.js';
import { cost, HOT_ADDRESS, never } from './limits/counting.mjs';
import { Child } from './support/child.mjs';
import { startRedis } from './support/redis.mjs';
import { median } from './support/statistics.mjs';

export const about = 'the rate limit: CPU for each request and memory for a million addresses';

const HOT = 'one hot address';
const MANY = 'a million addresses in a minute';
export const rows = {
  R1: { what: 'counting in memory', against: HOT, target: { atMost: 1, unit: 'µs' } },
  R2: { what: 'counting in memory', against: MANY, target: { atMost: 10, unit: 'µs' } },
  R3: { what: 'RSS for counting in memory', against: MANY, target: { atMost: 150, unit: 'MiB' } },
  R4: { what: 'counting in Redis, both sides', against: HOT, target: { atMost: 60, unit: 'µs' } },
  R5: { what: 'counting in Redis, both sides', against: MANY, target: { atMost: 60, unit: 'µs' } },
  R6: { what: 'memory of Redis', against: MANY, target: { atMost: 150, unit: 'MiB' } },
};

export const options = {
  rounds: { default: 5, about: 'rounds' },
  addresses: { default: 1_000_000, about: 'different addresses' },
};

const WINDOW_MS = 60_000;

export async function run({ rounds, addresses }, defer) {
  const clock = { now: () => new Date() };
  const redis = await startRedis(defer);
  const place = redis && { host: '127.0.0.1', port: Number(new URL(redis.url).port) };
  const failures = [];
  const logger = { info: () => undefined, warn: (message) => failures.push(message) };
  const shared =
    place && new RedisThrottlerStorage(place, new MemoryThrottlerStorage(clock), logger, 'default');
  await shared?.connect();
  defer(() => shared?.onApplicationShutdown());
  // In its own process, so that memory left by other benches is not counted.
  const { child: memory } = await Child.start('limits/memory.mjs');
  defer(() => memory.stop());

  const hot = { memory: [], redis: [] };
  // Round 0 is to warm up.
  for (let round = 0; round <= rounds; round++) {
    const inMemory = await memory.ask({ count: 500_000, hot: true });
    const inRedis = shared ? await cost(shared, 20_000, () => HOT_ADDRESS, redis.pid) : NaN;
    if (round === 0) continue;
    hot.memory.push(inMemory.cpu);
    hot.redis.push(inRedis);
  }
  const many = await memory.ask({ count: addresses });
  const used = await usedBy(redis);
  const begun = performance.now();
  const manyInRedis = shared ? await cost(shared, addresses, never, redis.pid) : NaN;
  const took = performance.now() - begun;
  const usedInRedis = (await usedBy(redis)) - used;
  // It counts in memory while Redis does not respond.
  if (shared && (failures.length > 0 || !shared.responds))
    throw new Error(`Redis did not count every request: ${failures.join('; ')}`);

  const missing = 'redis-server is not installed';
  // Redis has forgotten the first windows by then.
  const tooSlow = `not measured: counting took ${Math.round(took / 1_000)} s, longer than a window`;
  const measured = {
    R1: median(hot.memory),
    R2: many.cpu,
    R3: many.grown,
    R4: shared ? median(hot.redis) : missing,
    R5: shared ? manyInRedis : missing,
    R6: !shared ? missing : took > WINDOW_MS ? tooSlow : usedInRedis,
  };
  return {
    title: 'The rate limit',
    notes: [
      `Limits: ${addresses.toLocaleString('en')} different addresses within one window. CPU in µs a request, of Node and of Redis; in memory at most 200,000 windows are kept, in Redis each for a minute.`,
    ],
    tables: [],
    data: { hot, measured },
    measured,
  };
}

/** Memory of Redis in MiB. */
async function usedBy(redis) {
  if (!redis) return NaN;
  const client = new Redis(redis.url);
  const info = await client.info('memory').finally(() => client.disconnect());
  const [, bytes] = /used_memory:(\d+)/.exec(info);
  return Number(bytes) / 2 ** 20;
}

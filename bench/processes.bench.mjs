// Two API processes and two workers beside one another, against one of each: on one PostgreSQL and one Redis.
import { setTimeout as sleep } from 'node:timers/promises';
import { verifySignature } from '../dist/webhooks/deliveries/signature.js';
import { Pool } from 'undici';
import { Child } from './support/child.mjs';
import { startPostgres } from './support/postgres.mjs';
import { startRedis } from './support/redis.mjs';
import { median } from './support/statistics.mjs';
import { Deployment } from './processes/deployment.mjs';

export const about =
  'one API and one worker against two of each: limits shared, nothing sent twice';

export const options = {
  quizzes: { default: 1000, about: 'quizzes that are created in a round' },
  reads: { default: 5000, about: 'lists that are read in a round' },
  rounds: { default: 3, about: 'rounds; the deployments take turns in each' },
};

const LIMIT = 60;
const IN_FLIGHT = 32;
/** Milliseconds for the deliveries of a round. */
const PATIENCE = 120_000;

export async function run({ quizzes, reads, rounds }, defer) {
  const { child: receiver, first: receiverUrl } = await Child.start('webhooks/receiver.mjs');
  defer(() => receiver.stop());
  const postgres = await startPostgres(defer);
  const redis = await startRedis(defer);
  if (!redis) throw new Error('redis-server is needed: it is what the processes share.');

  const results = [];
  for (const count of [1, 2]) {
    const deployment = await Deployment.start({ count, postgres, redis, receiverUrl, defer });
    results.push({ count, deployment, writes: [], reads: [] });
  }
  for (let round = 0; round <= rounds; round++) {
    for (const result of results) {
      const wrote = await measure(result.deployment, quizzes, (pool, turn) =>
        post(pool, result.deployment.key, `Quiz ${round}.${turn}`),
      );
      await everythingArrived(receiver, result.deployment, quizzes);
      const read = await measure(result.deployment, reads, (pool) =>
        get(pool, '/api/v1/quizzes?limit=20', result.deployment.key, 200),
      );
      console.error(
        `round ${round}, ${result.count} of each: ${wrote} writes, ${read} reads a second`,
      );
      // Round 0 is for compilers and caches to warm up.
      if (round > 0) {
        result.writes.push(wrote);
        result.reads.push(read);
      }
    }
  }
  const shared = await sharedLimit({ postgres, redis, receiverUrl, defer });
  return {
    title: 'More than one process',
    tables: [
      {
        columns: ['', 'quizzes created a second', 'lists read a second'],
        rows: results.map((it) => [
          `${it.count} API, ${it.count} worker${it.count > 1 ? 's' : ''}`,
          `${median(it.writes)}`,
          `${median(it.reads)}`,
        ]),
      },
    ],
    notes: [
      `Requests go to the API processes in turn, ${IN_FLIGHT} at a time. Client, receiver, PostgreSQL and Redis share the machine with them.`,
      'In every round each quiz.created arrived exactly once, with a good signature.',
      `With RATE_LIMIT_PER_MINUTE=${LIMIT}, ${shared.sent} requests sent in turn to two processes within one window: ${shared.passed} answered, ${shared.refused} refused with 429.`,
    ],
    data: {
      results: results.map(({ count, writes, reads: r }) => ({ count, writes, reads: r })),
      shared,
    },
  };
}

/** @returns requests a second */
async function measure({ urls }, count, request) {
  const pools = urls.map((url) => new Pool(url, { connections: IN_FLIGHT, pipelining: 1 }));
  const begun = performance.now();
  let next = 0;
  const requestInTurn = async () => {
    while (next < count) {
      const turn = next++;
      await request(pools[turn % pools.length], turn);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, requestInTurn));
  const took = performance.now() - begun;
  await Promise.all(pools.map((pool) => pool.close()));
  return Math.round((count * 1_000) / took);
}

async function get(pool, path, key, expected) {
  const { statusCode, body } = await pool.request({
    path,
    method: 'GET',
    headers: { 'X-Api-Key': key },
  });
  await body.dump();
  if (expected && statusCode !== expected) throw new Error(`GET ${path} answered ${statusCode}.`);
  return statusCode;
}

async function post(pool, key, title) {
  const { statusCode, body } = await pool.request({
    path: '/api/v1/quizzes',
    method: 'POST',
    headers: { 'X-Api-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ title, difficulty: 'EASY' }),
  });
  const text = await body.text();
  if (statusCode !== 201) throw new Error(`POST answered ${statusCode}: ${text}`);
}

/** The receiver keeps what came; each event must have come once. */
async function everythingArrived(receiver, { secret, path }, count) {
  const until = Date.now() + PATIENCE;
  for (;;) {
    const arrivals = (await receiver.ask('hand over')).filter((it) => it.path === path);
    if (arrivals.length >= count || Date.now() > until) {
      await sleep(1_000);
      const all = (await receiver.ask('hand over')).filter((it) => it.path === path);
      const ids = new Set(all.map(({ id }) => id));
      const good = all.every((it) => verifySignature(it.body, it.signature, secret));
      if (ids.size !== count || all.length !== count || !good)
        throw new Error(
          `${count} events: ${all.length} arrived, ${ids.size} different ones, signatures ${good}`,
        );
      return receiver.ask({ expect: Infinity });
    }
    await sleep(200);
  }
}

/** Requests to two processes in turn, all within one window of the limit. */
async function sharedLimit(parts) {
  const deployment = await Deployment.start({ ...parts, count: 2, limit: LIMIT });
  const pools = deployment.urls.map((url) => new Pool(url));
  // The limit is that of any minute, and these requests take a second.
  const statuses = [];
  for (let turn = 0; turn < 3 * LIMIT; turn++)
    statuses.push(await get(pools[turn % 2], '/api/v1/metadata', deployment.key));
  await Promise.all(pools.map((pool) => pool.close()));
  const passed = statuses.filter((status) => status === 200).length;
  if (passed !== LIMIT) throw new Error(`${passed} requests passed a limit of ${LIMIT}`);
  return {
    sent: statuses.length,
    passed,
    refused: statuses.filter((status) => status === 429).length,
  };
}

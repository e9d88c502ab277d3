import type { INestApplicationContext } from '@nestjs/common';
import type { QueryRunner } from 'typeorm';
import { LIMITS } from '../../src/platform/limits/limits';
import { ScheduledTasks } from '../../src/platform/queue/scheduled-tasks.processor';
import { DeliveriesProcessor } from '../../src/webhooks/sending/deliveries.processor';
import { eventually } from '../support/clock';
import { makeQuiz } from '../support/content';
import { FreezingProxy } from '../support/freezing-proxy';
import { keepOpen } from '../support/locks';
import { RedisServer } from '../support/redis-server';
import { questionBody } from '../support/samples';
import { type Service, startService } from '../support/service';
import { startWorkerBeside } from '../support/worker-beside';

/** The order in which a worker stops. */

let service: Service;
/** What a failed test leaves would disturb the next one. */
const held = new Set<QueryRunner>();
const running = new Set<INestApplicationContext>();
beforeAll(async () => {
  service = await startService({ MODERATION: 'auto' });
}, 60_000);
afterEach(async () => {
  for (const blocker of held) await release(blocker);
  for (const worker of running) await stop(worker);
});
afterAll(() => service.close());

async function startWorker(): Promise<INestApplicationContext> {
  const worker = await startWorkerBeside(service);
  running.add(worker);
  return worker;
}

function stop(worker: INestApplicationContext): Promise<void> {
  running.delete(worker);
  return worker.close();
}

/** Nothing can be written to the table until what this returns is released. */
async function block(table: string): Promise<QueryRunner> {
  const blocker = service.database.createQueryRunner();
  held.add(blocker);
  await blocker.startTransaction();
  await keepOpen(blocker);
  await blocker.query(`LOCK TABLE ${table} IN SHARE MODE`);
  return blocker;
}

async function release(blocker: QueryRunner): Promise<void> {
  held.delete(blocker);
  await blocker.rollbackTransaction();
  await blocker.release();
}

/** @param statement a pattern of LIKE: other tasks of the worker may wait for the same table */
const isBlocked = (statement: string) =>
  eventually(async () => {
    const [waiting] = await service.database.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
      [statement],
    );
    expect(waiting.count).toBe(1);
  }, 20_000);

test('a worker that stops begins no attempt while it waits for an import', async () => {
  const worker = await startWorker();
  const account = await service.account('pro');
  const blocker = await block('questions');
  const file = 'question,correct_answer,wrong_answer_1\nIs it so?,yes,no\n';
  const { body } = await account
    .post('/imports')
    .set('Content-Type', 'text/csv')
    .send(file)
    .expect(202);
  await isBlocked('%INSERT INTO questions%');

  const deliveries = worker.get(DeliveriesProcessor, { strict: false }).worker;
  let isStopped = false;
  const stopped = stop(worker).then(() => (isStopped = true));
  await eventually(() => expect(deliveries.closing).toBeDefined(), 3_000);
  expect(isStopped).toBe(false);

  await release(blocker);
  await stopped;
  const { id } = (body as { data: { id: string } }).data;
  const [it] = await service.database.query<{ state: string }[]>(
    'SELECT state FROM imports WHERE id = $1',
    [id],
  );
  expect(['running', 'completed']).toContain(it?.state);
}, 60_000);

test('a task under way ends with its events before the worker stops', async () => {
  const worker = await startWorker();
  const owner = await service.account('pro');
  const answers = (correct: number) =>
    ['Canberra', 'Sydney'].map((text, at) => ({ text, isCorrect: at === correct }));
  const quiz = await makeQuiz(owner, {}, [questionBody({ answers: answers(1) })]);
  const [question] = quiz.questions;
  const attempt = await owner.post(`/quizzes/${quiz.id}/attempts`, { player: 'Ada' }).expect(201);
  await owner.post(`/attempts/${attempt.body.data.id}/submit`).expect(200);
  await owner.patch(`/questions/${question?.id}`, { answers: answers(0) }).expect(200);
  const { regradedAttempts } = LIMITS.requests;
  const before = regradedAttempts.value;
  regradedAttempts.value = 0;
  const blocker = await block('quiz_attempts');
  try {
    await owner.post(`/quizzes/${quiz.id}/regrade`, {}).expect(202);
  } finally {
    regradedAttempts.value = before;
  }
  await isBlocked('UPDATE quiz_attempts%');

  const tasks = worker.get(ScheduledTasks, { strict: false }).worker;
  const stopped = stop(worker);
  await eventually(() => expect(tasks.closing).toBeDefined(), 10_000);
  await release(blocker);
  await stopped;
  const events = await service.database.query<object[]>(
    `SELECT id FROM outbox_events WHERE name = 'quiz.regraded' AND account_id = $1`,
    [owner.accountId],
  );
  expect(events).toHaveLength(1);
  const notices = await service.database.query<object[]>(
    `SELECT id FROM notices WHERE account_id = $1 AND title LIKE 'The attempts at %'`,
    [owner.accountId],
  );
  expect(notices).toHaveLength(1);
}, 60_000);

(RedisServer.installed ? test : test.skip)(
  'a worker stops although Redis is away',
  async () => {
    const redis = await RedisServer.start();
    const other = await startService({ REDIS_URL: redis.url });
    const onRedis = await startWorkerBeside(other);
    const { worker: deliveries } = onRedis.get(DeliveriesProcessor, { strict: false });
    await deliveries.waitUntilReady();
    await redis.kill();
    await eventually(
      () => expect(other.log.join('')).toContain('the queue does not respond'),
      5_000,
    );
    await expect(onRedis.close()).resolves.toBeUndefined();
    await other.close();
  },
  60_000,
);

(RedisServer.installed ? describe : describe.skip)('a Redis that is silent', () => {
  /** Its connections stay open, and those that come are accepted: only no response comes. */
  let redis: RedisServer;
  let proxy: FreezingProxy;
  let other: Service;
  beforeEach(async () => {
    redis = await RedisServer.start();
    proxy = await FreezingProxy.start(redis.url);
    other = await startService({ REDIS_URL: proxy.url });
  }, 60_000);
  afterEach(async () => {
    await proxy.close();
    await other.close();
    await redis.kill();
  });

  /** Docker and Kubernetes kill what has not ended after 10 and 30 seconds. */
  const stopsWithin = async (worker: INestApplicationContext) => {
    const begun = performance.now();
    await worker.close();
    expect(performance.now() - begun).toBeLessThan(10_000);
  };

  test('a worker stops within ten seconds if its Redis has just fallen silent', async () => {
    const worker = await startWorkerBeside(other);
    await worker.get(DeliveriesProcessor, { strict: false }).worker.waitUntilReady();
    proxy.ignoreNew();
    expect(proxy.freeze()).toBeGreaterThan(0);
    await stopsWithin(worker);
  }, 60_000);

  test('a worker stops within ten seconds if its Redis has never responded', async () => {
    proxy.ignoreNew();
    const worker = await startWorkerBeside(other);
    await stopsWithin(worker);
  }, 60_000);
});

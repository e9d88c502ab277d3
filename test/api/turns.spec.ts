import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { MonitorServer } from '../../src/platform/health/monitor-server';
import { LIMITS } from '../../src/platform/limits/limits';
import { newId } from '../../src/platform/text/ids';
import { makeQuiz } from '../support/content';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { eventually } from '../support/worker';

/** Requests of one client wait for their turn, while others are served. */

let service: Service;
let greedy: TestAccount;
let other: TestAccount;
let locker: Client;

beforeAll(async () => {
  // Behind a proxy: an address may have more connections than the 256 of a client.
  service = await startService({ TRUST_PROXY: '1', METRICS_PORT: '0' });
  [greedy, other] = [await service.account('pro'), await service.account('free')];
  locker = new Client({ connectionString: service.databaseUrl });
  await locker.connect();
});
afterAll(async () => {
  await locker.end();
  await service.close();
});

/** Every read of a quiz hangs from now on. */
const lock = () => locker.query('BEGIN; LOCK TABLE quizzes');
let reads = 0;
/** A URL that was not read before: its response is not in memory. */
const unread = () => `/quizzes?tags=tag-${reads++}`;
const read = () => greedy.get(unread()).then(({ status }) => status);
const blocked = async (count: number) =>
  eventually(async () => {
    const { rows } = await locker.query(
      `SELECT FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    expect(rows).toHaveLength(count);
  });

test('a client whose requests hang leaves connections to the database for others', async () => {
  await lock();
  const hanging = Promise.all(Array.from({ length: 30 }, read));
  await blocked(LIMITS.requests.underWay.value);
  // Its key and its endpoints are looked up.
  await other.get('/webhooks').expect(200);
  await locker.query('COMMIT');
  expect(new Set(await hanging)).toEqual(new Set([200]));
});

test("requests with a play key wait in turn by client address and leave the account's turns to its other keys", async () => {
  const pages = await service.keyOf(greedy, { scopes: ['play'] });
  await lock();
  const hanging = Promise.all(
    Array.from({ length: 30 }, () => pages.get(unread()).then(({ status }) => status)),
  );
  await blocked(LIMITS.requests.underWay.value);
  await greedy.get('/webhooks').expect(200);
  await locker.query('COMMIT');
  expect(new Set(await hanging)).toEqual(new Set([200]));
});

test('after a slow request the service works on one request of the client at a time', async () => {
  await lock();
  const hanging = Promise.all(Array.from({ length: 30 }, read));
  await blocked(LIMITS.requests.underWay.value);
  // The next lock is granted after the reads that wait for the first one; those that follow wait for it.
  const second = new Client({ connectionString: service.databaseUrl });
  await second.connect();
  const locked = second.query('BEGIN; LOCK TABLE quizzes');
  await blocked(LIMITS.requests.underWay.value + 1);
  await locker.query(`SELECT pg_sleep(${(2 * LIMITS.requests.slow.value) / 1000})`);
  await locker.query('COMMIT');
  await locked;
  await blocked(1);
  await service.get('/metadata').expect(200);
  await blocked(1);
  await second.query('COMMIT');
  await second.end();
  expect(new Set(await hanging)).toEqual(new Set([200]));
});

test('beyond 200 requests that wait for their turn further ones are refused', async () => {
  await lock();
  const { underWay, waiting } = LIMITS.requests;
  const most = underWay.value + waiting.value;
  const refused: string[] = [];
  const hanging: Promise<unknown>[] = [];
  const send = async () => {
    const { status, headers, body } = await greedy.get(unread());
    if (status !== 200)
      refused.push(`${status} ${headers['retry-after']} ${headers['x-error-code']} ${body.error}`);
  };
  while (hanging.length < most) {
    hanging.push(...Array.from({ length: most / 6 }, send));
    // Not all at once: an event loop that is late refuses for its own reason.
    await service.get('/metadata').expect(200);
  }
  await blocked(underWay.value);
  expect(refused).toEqual([]);
  await send();
  expect(refused).toEqual([
    '429 1 too-many-waiting-requests Too many requests of this account or address are waiting for their turn. Send fewer at a time, and repeat this one after the number of seconds in Retry-After.',
  ]);
  const { port } = service.app.get(MonitorServer, { strict: false });
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(metrics).toMatch(/^quiz_http_refused_total\{cause="waiting"\} 1$/m);
  expect(metrics).toMatch(/^quiz_http_refused_total\{cause="rate-limit"\} 0$/m);
  await locker.query('COMMIT');
  await Promise.all(hanging);
  expect(refused).toHaveLength(1);
});

test('requests of players wait where others are refused, up to their own limit', async () => {
  await locker.query('BEGIN; LOCK TABLE quizzes, quiz_attempts');
  const { underWay, waiting, waitingPlays } = LIMITS.requests;
  const played = () => greedy.get(`/attempts/${newId()}`).then(({ status }) => status);
  const hanging: Promise<number>[] = [];
  const fill = async (most: number) => {
    while (hanging.length < most) {
      hanging.push(...Array.from({ length: Math.min(40, most - hanging.length) }, played));
      await service.get('/metadata').expect(200);
    }
  };
  await fill(underWay.value + waiting.value);
  await blocked(underWay.value);
  expect(await read()).toBe(429);
  await fill(underWay.value + waitingPlays.value);
  await blocked(underWay.value);
  expect(await played()).toBe(429);
  await locker.query('COMMIT');
  expect(new Set(await Promise.all(hanging))).toEqual(new Set([404]));
}, 60_000);

describe('players', () => {
  const { slow, slowPlays, underWay, underWayShared } = LIMITS.requests;

  /** Starts 30 attempts at the quiz while none can be stored. @returns how many are under way after a slow one */
  async function startsAfterSlowOne(quizId: string): Promise<number> {
    const counts = () =>
      locker.query(
        `SELECT FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
    await locker.query('BEGIN; LOCK TABLE quiz_attempts');
    const start = (n: number) =>
      greedy
        .post(`/quizzes/${quizId}/attempts`, { player: `player-${n}` })
        .then(({ status }) => status);
    const hanging = Promise.all(Array.from({ length: 30 }, (_, n) => start(n)));
    await blocked(underWay.value);
    const second = new Client({ connectionString: service.databaseUrl });
    await second.connect();
    const locked = second.query('BEGIN; LOCK TABLE quiz_attempts');
    await blocked(underWay.value + 1);
    await locker.query(`SELECT pg_sleep(${(2 * slow.value) / 1000})`);
    await locker.query('COMMIT');
    await locked;
    await eventually(async () => expect((await counts()).rows.length).toBeGreaterThan(0));
    await sleep(500);
    const { rows } = await counts();
    await second.query('COMMIT');
    await second.end();
    expect(new Set(await hanging)).toEqual(new Set([201]));
    return rows.length;
  }

  const large = (n: number) => ({
    ...{ text: `${n}: ${'long '.repeat(180)}`, type: 'MULTIPLE_CHOICE', difficulty: 'EASY' },
    answers: [true, false].map((isCorrect) => ({
      text: `${n} ${isCorrect} ${'x'.repeat(400)}`,
      isCorrect,
    })),
  });

  test('a slow start of a small quiz leaves the class its turns, and one of a large quiz does not', async () => {
    const small = await makeQuiz(greedy, { title: 'Small' }, questionBodies(3));
    expect(await startsAfterSlowOne(small.id)).toBe(underWay.value);
    const questions = Array.from({ length: 100 }, (_, n) => large(n));
    const quiz = await makeQuiz(greedy, { title: 'Large' }, questions.slice(0, 50));
    await greedy
      .post(`/quizzes/${quiz.id}/questions/batch`, { questions: questions.slice(50) })
      .expect(201);
    const started = await greedy.post(`/quizzes/${quiz.id}/attempts`, { player: 'first' });
    expect(started.text.length).toBeGreaterThan(slowPlays.value);
    expect(await startsAfterSlowOne(quiz.id)).toBe(1);
  }, 60_000);

  test('answers have turns of their own', async () => {
    const quiz = await makeQuiz(greedy, { title: 'Answered' }, questionBodies(1));
    const { body } = await greedy.post(`/quizzes/${quiz.id}/attempts`, { player: 'a' }).expect(201);
    const [question] = quiz.questions;
    const answer = () =>
      greedy
        .post(`/attempts/${body.data.id}/answers`, {
          questionId: question?.id,
          answerIds: [question?.answers[0]?.id],
        })
        .then(({ status }) => status);
    await lock();
    const hanging = Promise.all(Array.from({ length: 30 }, read));
    await blocked(underWay.value);
    const answered = await Promise.all(Array.from({ length: underWayShared.value * 2 }, answer));
    expect(new Set(answered)).toEqual(new Set([200]));
    await locker.query('COMMIT');
    await hanging;
  });

  test('submissions begin with few turns, and have twice as many after each that is quick', async () => {
    const attempts = async (count: number) => {
      const ids: string[] = [];
      // Those at one quiz would share a transaction.
      for (let n = 0; n < count; n++) {
        const { id } = await makeQuiz(greedy, { title: `Submitted ${n}` }, questionBodies(1));
        const { body } = await greedy.post(`/quizzes/${id}/attempts`, { player: 'a' }).expect(201);
        ids.push(body.data.id);
      }
      return ids;
    };
    const submit = (id?: string) =>
      greedy.post(`/attempts/${id}/submit`).then(({ status }) => status);
    const waiting = (count: number) =>
      eventually(async () => {
        // Within a transaction PostgreSQL goes on listing the sessions that there were at first.
        await locker.query('SELECT pg_stat_clear_snapshot()');
        const { rows } = await locker.query(
          `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
        );
        expect(rows).toHaveLength(count);
      });
    /** Submits attempts that hang, of which the first begins before some quick ones: so many are then under way. */
    const underWayAfter = async (quick: string[], hanging: string[], expected: number) => {
      await locker.query('BEGIN');
      await locker.query('SELECT FROM quiz_attempts WHERE NOT id = ANY ($1) FOR UPDATE', [quick]);
      const [first, ...others] = hanging;
      const held = [submit(first)];
      await waiting(1);
      for (const id of quick) expect(await submit(id)).toBe(200);
      held.push(...others.map(submit));
      await waiting(expected);
      await sleep(200);
      await waiting(expected);
      await locker.query('COMMIT');
      expect(new Set(await Promise.all(held))).toEqual(new Set([200]));
    };
    await underWayAfter([], await attempts(6), underWay.value);
    await underWayAfter(await attempts(1), await attempts(10), 2 * underWay.value);
    // A process has fewer connections to the database than the limit: the growth ends at a lower one.
    const most = underWayShared.value;
    expect(most).toBe(32);
    try {
      underWayShared.value = 6;
      await underWayAfter(await attempts(2), await attempts(8), 6);
    } finally {
      underWayShared.value = most;
    }
  }, 60_000);
});

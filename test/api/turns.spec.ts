import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { LIMITS } from '../../src/platform/limits/limits';
import { Metrics } from '../../src/platform/observability/metrics';
import { newId } from '../../src/platform/text/ids';
import { eventually } from '../support/clock';
import { makeQuiz } from '../support/content';
import { questionBodies, questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** Requests of one client wait for their turn, while others are served. */

let service: Service;
let greedy: TestAccount;
let other: TestAccount;
let locker: Client;
let nextLocker: Client;

beforeAll(async () => {
  // Behind a proxy: an address may have more connections than the 256 of a client.
  service = await startService({ TRUST_PROXY: '1' });
  [greedy, other] = [await service.account('pro'), await service.account('free')];
  const { databaseUrl: connectionString } = service;
  [locker, nextLocker] = [new Client({ connectionString }), new Client({ connectionString })];
  for (const client of [locker, nextLocker]) await client.connect();
});
// A failed test must not hold up the next one.
afterEach(() => Promise.all([locker, nextLocker].map((client) => client.query('ROLLBACK'))));
afterAll(async () => {
  for (const client of [locker, nextLocker]) await client.end();
  await service.close();
});

/** Every read of a quiz hangs from now on. */
const lock = () => locker.query('BEGIN; LOCK TABLE quizzes');
let reads = 0;
/** A URL that was not read before: its response is not in memory. */
const unread = () => `/quizzes?tags=tag-${reads++}`;
const read = () => greedy.get(unread()).then(({ status }) => status);
/** Until so many transactions wait for a lock. Not by the service's own connections: the requests may have all of them. */
const blocked = (count: number) =>
  eventually(async () => {
    // Within a transaction PostgreSQL goes on listing the sessions that there were at first.
    await locker.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await locker.query(
      `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    );
    expect(rows).toHaveLength(count);
  });

/**
 * Lets the requests that wait for the lock end, slowly: those that follow wait for the next lock.
 * @returns releases that one
 */
async function endSlowly(table: string) {
  const { underWay, slow } = LIMITS.requests;
  await blocked(underWay.value);
  // PostgreSQL grants it after the locks of those requests.
  const granted = nextLocker.query(`BEGIN; LOCK TABLE ${table}`);
  await blocked(underWay.value + 1);
  await locker.query(`SELECT pg_sleep(${(2 * slow.value) / 1000})`);
  await locker.query('COMMIT');
  await granted;
  return () => nextLocker.query('COMMIT');
}

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
  let isServed = false;
  const sameAddress = service.get('/metadata').then(() => (isServed = true));
  await service.get('/metadata').set('X-Forwarded-For', '203.0.113.1').expect(200);
  await greedy.get('/webhooks').expect(200);
  expect(isServed).toBe(false);
  await locker.query('COMMIT');
  expect(new Set(await hanging)).toEqual(new Set([200]));
  await sameAddress;
});

test('after a slow request the service works on one request of the client at a time', async () => {
  await lock();
  const hanging = Promise.all(Array.from({ length: 30 }, read));
  const release = await endSlowly('quizzes');
  await blocked(1);
  await service.get('/metadata').expect(200);
  await blocked(1);
  await release();
  expect(new Set(await hanging)).toEqual(new Set([200]));
});

test('beyond 200 requests that wait for their turn further ones are refused', async () => {
  await lock();
  const { underWay, waiting } = LIMITS.requests;
  const most = underWay.value + waiting.value;
  const refused: string[] = [];
  const hanging: Promise<unknown>[] = [];
  const counted = async (cause: string) => {
    const { registry } = service.app.get(Metrics);
    const metric = await registry.getSingleMetricAsString('quiz_http_refused_total');
    return Number(new RegExp(`cause="${cause}"\\} (\\d+)$`, 'm').exec(metric)![1]);
  };
  const before = await counted('waiting');
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
  expect(await counted('waiting')).toBe(before + 1);
  expect(await counted('rate-limit')).toBe(0);
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
  const { slowPlays, underWay, underWayShared } = LIMITS.requests;

  /** Starts 30 attempts at the quiz while none can be stored: so many are under way after a slow one. */
  async function underWayAfterSlowOne(quizId: string, expected: number): Promise<void> {
    await locker.query('BEGIN; LOCK TABLE quiz_attempts');
    const start = (n: number) =>
      greedy
        .post(`/quizzes/${quizId}/attempts`, { player: `player-${n}` })
        .then(({ status }) => status);
    const hanging = Promise.all(Array.from({ length: 30 }, (_, n) => start(n)));
    const release = await endSlowly('quiz_attempts');
    await blocked(expected);
    await sleep(500);
    await blocked(expected);
    await release();
    expect(new Set(await hanging)).toEqual(new Set([201]));
  }

  const large = (n: number) =>
    questionBody({
      text: `${n}: ${'long '.repeat(180)}`,
      answers: [true, false].map((isCorrect) => ({
        text: `${n} ${isCorrect} ${'x'.repeat(400)}`,
        isCorrect,
      })),
    });

  test('a slow start of a small quiz leaves the class its turns, and one of a large quiz does not', async () => {
    const small = await makeQuiz(greedy, { title: 'Small' }, questionBodies(3));
    await underWayAfterSlowOne(small.id, underWay.value);
    const questions = Array.from({ length: 100 }, (_, n) => large(n));
    const quiz = await makeQuiz(greedy, { title: 'Large' }, questions);
    const started = await greedy.post(`/quizzes/${quiz.id}/attempts`, { player: 'first' });
    expect(started.text.length).toBeGreaterThan(slowPlays.value);
    await underWayAfterSlowOne(quiz.id, 1);
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
    /** Submits attempts that hang, of which the first begins before some quick ones: so many are then under way. */
    const underWayAfter = async (quick: string[], hanging: string[], expected: number) => {
      await locker.query('BEGIN');
      await locker.query('SELECT FROM quiz_attempts WHERE NOT id = ANY ($1) FOR UPDATE', [quick]);
      const [first, ...others] = hanging;
      const held = [submit(first)];
      await blocked(1);
      for (const id of quick) expect(await submit(id)).toBe(200);
      held.push(...others.map(submit));
      await blocked(expected);
      await sleep(200);
      await blocked(expected);
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

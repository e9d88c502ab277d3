import { Client } from 'pg';
import { MonitorServer } from '../../src/platform/health/monitor-server';
import { LIMITS } from '../../src/platform/limits/limits';
import { newId } from '../../src/platform/text/ids';
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

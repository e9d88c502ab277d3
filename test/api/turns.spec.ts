import { Client } from 'pg';
import { LIMITS } from '../../src/platform/limits/limits';
import { startService, type TestAccount, type Service } from '../support/service';
import { eventually } from '../support/worker';

/** Requests of one client wait for their turn, while others are served. */

let service: Service;
let greedy: TestAccount;
let other: TestAccount;
let locker: Client;

beforeAll(async () => {
  service = await startService();
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
    const { status, headers } = await greedy.get(unread());
    if (status !== 200) refused.push(`${status} ${headers['retry-after']}`);
  };
  while (hanging.length < most) {
    hanging.push(...Array.from({ length: most / 6 }, send));
    // Not all at once: an event loop that is late refuses for its own reason.
    await service.get('/metadata').expect(200);
  }
  await blocked(underWay.value);
  expect(refused).toEqual([]);
  await send();
  expect(refused).toEqual(['429 1']);
  await locker.query('COMMIT');
  await Promise.all(hanging);
  expect(refused).toHaveLength(1);
});

import { Client } from 'pg';
import { eventually } from '../support/clock';
import { cloneDatabase, urlOf } from '../support/database';
import { FreezingProxy } from '../support/freezing-proxy';
import { readiness } from '../support/readiness';
import { quizBody } from '../support/samples';
import { type Service, startService } from '../support/service';

/** `/health/ready`: what it looks at, and that it always answers. */

const NO_WORKER =
  'No worker has given a sign of life for 15 seconds: events and imports wait for one.';

let service: Service;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.close());

/** Outside the service's own connections, which a test may take from it. */
async function aside<T>(database: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
const said = (words: string) => service.log.filter((line) => line.includes(words)).length;

test('a serving process is ready, reporting Redis as unused and the worker as absent', async () => {
  const { status, body } = await readiness(service);
  expect(status).toBe(200);
  expect(body).toEqual({
    success: true,
    data: {
      status: 'ready',
      database: 'up',
      redis: 'unused',
      worker: 'down',
      notes: [NO_WORKER],
    },
  });
});

test('readiness reports the webhook worker by its heartbeat, and does not depend on it', async () => {
  const beat = (queueAnswers: boolean, worker = 1) =>
    service.database.query(
      `INSERT INTO webhook_workers (id, host, pid, queue, queue_answers, started_at, seen_at)
       VALUES ($3, 'host', 1, 'redis', $1, $2, $2)
       ON CONFLICT (id) DO UPDATE SET queue_answers = $1`,
      [queueAnswers, service.clock.now(), `01900000-0000-7000-8000-00000000000${worker}`],
    );
  await beat(true);
  expect((await readiness(service)).body.data).toMatchObject({ worker: 'up', notes: [] });
  await beat(false);
  expect((await readiness(service)).body.data).toMatchObject({
    status: 'ready',
    worker: 'stuck',
    notes: ['The queue of the workers does not respond: events and imports wait for it.'],
  });
  await beat(true, 2);
  expect((await readiness(service)).body.data).toMatchObject({
    status: 'ready',
    worker: 'up',
    notes: [
      'The queue does not respond to 1 of 2 workers (quizctl doctor names their hosts): some events are sent up to a minute late.',
    ],
  });
  await service.database.query(
    `UPDATE webhook_workers SET seen_at = now() - interval '16 seconds'`,
  );
  const { status, body } = await readiness(service);
  expect([status, body.data?.worker, body.data?.notes]).toEqual([200, 'down', [NO_WORKER]]);
});

test('a silent database connection fails one readiness check, and the next has a new connection', async () => {
  const database = await cloneDatabase();
  const proxy = await FreezingProxy.start(database.url);
  const silent = await startService({}, { ...database, url: proxy.url });
  try {
    expect((await readiness(silent)).status).toBe(200);
    proxy.freeze();
    expect((await readiness(silent)).status).toBe(503);
    expect((await readiness(silent)).status).toBe(200);
  } finally {
    // First: PostgreSQL waits a minute for the password of a connection that froze as it began, and lets nobody drop or
    // create a database meanwhile.
    await proxy.close();
    await silent.close();
  }
});

test('a database that refuses connections gets 503, logged once, until it returns', async () => {
  const server = urlOf(service.databaseUrl, 'postgres');
  const name = new URL(service.databaseUrl).pathname.slice(1);
  const allow = (allowed: boolean) =>
    aside(server, (client) =>
      client.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS ${allowed}`),
    );
  await allow(false);
  await aside(server, (client) =>
    client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`, [
      name,
    ]),
  );
  for (let count = 0; count < 3; count++)
    expect(await readiness(service)).toMatchObject({
      status: 503,
      body: { success: false, error: 'The database does not respond.' },
    });
  expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
  expect([said('not ready:'), said('ready again')]).toEqual([1, 0]);
  await allow(true);
  expect((await readiness(service)).status).toBe(200);
  expect([said('not ready:'), said('ready again')]).toEqual([1, 1]);
});

test('a database that hangs gets 503 after two seconds, without using up connections', async () => {
  await aside(service.databaseUrl, async (client) => {
    await client.query('BEGIN; LOCK TABLE schema_migrations IN ACCESS EXCLUSIVE MODE');
    const probes = await Promise.all(Array.from({ length: 30 }, () => readiness(service)));
    // The lock is held until all have answered: none waits for the statement, which has no limit.
    for (const { status } of probes) expect(status).toBe(503);
    // Those that came later have shared the first one's check.
    expect(Math.max(...probes.map(({ took }) => took))).toBeGreaterThan(1_990);
    await service.get('/metadata').expect(200);
    await client.query('ROLLBACK');
  });
  expect((await readiness(service)).status).toBe(200);
});

test('checks of a database that hangs leave at most two connections of a kind waiting', async () => {
  const waiting = (by: string) =>
    service.database.query<object[]>(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name = $1`,
      [by],
    );
  await aside(service.databaseUrl, async (client) => {
    await client.query(
      'BEGIN; LOCK TABLE schema_migrations, webhook_workers IN ACCESS EXCLUSIVE MODE',
    );
    for (let count = 0; count < 4; count++) {
      expect((await readiness(service)).status).toBe(503);
      for (const by of ['quiz-reserved', 'quiz-service'])
        expect((await waiting(by)).length).toBeLessThanOrEqual(2);
    }
    expect((await waiting('quiz-service')).length).toBeGreaterThan(0);
    await client.query('ROLLBACK');
  });
  await eventually(async () => expect((await readiness(service)).status).toBe(200));
}, 30_000);

test('a read-only database is degraded with the reason: reads are served, writes get 503', async () => {
  const account = await service.account();
  const name = new URL(service.databaseUrl).pathname.slice(1);
  await aside(urlOf(service.databaseUrl, 'postgres'), async (client) => {
    await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`,
      [name],
    );
  });
  await eventually(async () => {
    const { status, body } = await readiness(service);
    expect([status, body.data]).toMatchObject([
      200,
      {
        status: 'degraded',
        database: 'read-only',
        notes: expect.arrayContaining([
          'The database refuses writes: reads are served, everything else gets 503.',
        ]),
      },
    ]);
  });
  await account.get('/quizzes').expect(200);
  const { headers } = await account.post('/quizzes', quizBody()).expect(503);
  expect(headers['retry-after']).toBe('5');
});

test('a schema older than the service gets 503 with the reason', async () => {
  const [last] = await service.database
    .query<{ name: string }[]>(
      `DELETE FROM schema_migrations WHERE run_at = (SELECT max(run_at) FROM schema_migrations) RETURNING name`,
    )
    .then(([rows]) => rows as unknown as { name: string }[]);
  expect(await readiness(service)).toMatchObject({
    status: 503,
    body: {
      success: false,
      error: 'The schema of the database is older than this version: start the service again.',
    },
  });
  await service.database.query(`INSERT INTO schema_migrations (name) VALUES ($1)`, [last?.name]);
  expect((await readiness(service)).status).toBe(200);
  await service.database.query(`ALTER TABLE schema_migrations RENAME TO elsewhere`);
  expect((await readiness(service)).status).toBe(503);
});

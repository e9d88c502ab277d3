import { Client } from 'pg';
import request from 'supertest';
import { eventually } from '../support/clock';
import { type Service, startService } from '../support/service';

let service: Service;
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_MINUTE: '3' });
});
afterAll(() => service.close());

const get = (path: string) => request(service.url).get(path);

it('/health/live and /health/ready return 200 when all is well', async () => {
  const live = await get('/health/live').expect(200);
  expect(live.body).toEqual({ success: true, data: { status: 'live' } });
  const ready = await get('/health/ready').expect(200);
  expect(ready.body).toMatchObject({ success: true, data: { status: 'ready', database: 'up' } });
});

it('health checks need no key and do not count against the rate limit', async () => {
  for (let count = 0; count < 5; count++) {
    const { headers } = await get('/health/live').expect(200);
    expect(Object.keys(headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
    await get('/health/ready').expect(200);
  }
  for (let count = 0; count < 3; count++) await service.get('/metadata').expect(200);
  await service.get('/metadata').expect(429);
  await get('/health/live').expect(200);
});

it('without its database a process is live and not ready, and becomes ready again by itself', async () => {
  const database = new URL(service.databaseUrl).pathname.slice(1);
  const client = new Client({ connectionString: process.env.TEST_SERVER_URL });
  await client.connect();
  try {
    await client.query(`ALTER DATABASE "${database}" ALLOW_CONNECTIONS false`);
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1',
      [database],
    );
    const ready = await get('/health/ready').expect(503);
    expect(ready.body).toEqual({ success: false, error: 'The database does not respond.' });
    await get('/health/live').expect(200);
  } finally {
    await client.query(`ALTER DATABASE "${database}" ALLOW_CONNECTIONS true`);
    await client.end();
  }
  await get('/health/ready').expect(200);
});

it('a process stays ready while a locked table holds every connection of the pool', async () => {
  const client = new Client({ connectionString: service.databaseUrl });
  await client.connect();
  await client.query('BEGIN; LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
  const stuck = Promise.all(
    Array.from({ length: 10 }, () => service.database.query('SELECT count(*) FROM api_keys')),
  );
  try {
    await eventually(async () => {
      const { rows } = await client.query(
        `SELECT count(*)::int AS waiting FROM pg_locks
         WHERE relation = 'api_keys'::regclass AND NOT granted`,
      );
      expect(rows).toEqual([{ waiting: 10 }]);
    });
    await get('/health/ready').expect(200);
    await get('/health/live').expect(200);
  } finally {
    await client.query('ROLLBACK');
    await client.end();
    await stuck;
  }
  await get('/health/ready').expect(200);
});

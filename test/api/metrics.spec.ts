import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { MonitorServer } from '../../src/platform/health/monitor-server';
import { LIMITS } from '../../src/platform/limits/limits';
import { migrateQueue } from '../../src/platform/queue/migrate-queue';
import { eventually } from '../support/clock';
import { startReceiver } from '../support/receiver';
import { quizBody } from '../support/samples';
import { type Service, startService } from '../support/service';
import { createFixture, type WebhookFixture } from '../support/worker';

/** The monitoring port of the API and of the worker. */

const METRICS_TOKEN = 'a-token-for-prometheus';
let service: Service;
let fixture: WebhookFixture;

beforeAll(async () => {
  service = await startService({ METRICS_PORT: '0', METRICS_TOKEN });
  fixture = await createFixture({ METRICS_PORT: '0' });
}, 60_000);
afterAll(async () => {
  await fixture.close();
  await service.close();
});

const port = (from: { get: Service['app']['get'] }) =>
  from.get(MonitorServer, { strict: false }).port;

async function metrics(from: { get: Service['app']['get'] }, token?: string) {
  const response = await fetch(`http://127.0.0.1:${port(from)}/metrics`, {
    headers: token ? { Authorization: `Bearer ${token}` } : {},
  });
  return { status: response.status, text: await response.text() };
}

/** An event whose first delivery fails: it is scheduled again. */
async function failDelivery(): Promise<void> {
  const account = await fixture.account();
  const { id } = await fixture.endpoint(account, 'http://127.0.0.1:9/closed');
  await fixture.emit(account);
  await eventually(async () => expect((await fixture.logOf(id))[0]?.attemptLog).toHaveLength(1));
}

it('metrics need their token and are not served on the port of the API', async () => {
  expect((await metrics(service.app)).status).toBe(401);
  expect((await metrics(service.app, 'another-token-than-this')).status).toBe(401);
  expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
});

it('metrics listen on 127.0.0.1 unless METRICS_PORT has another address', async () => {
  const live = (from: Service['app']) => fetch(`http://127.0.0.2:${port(from)}/health/live`);
  await expect(live(service.app)).rejects.toThrow();
  const open = await startService({ METRICS_PORT: '0.0.0.0:0' });
  expect((await live(open.app)).status).toBe(200);
  await open.close();
});

it('metrics give the size of every table, and the rows that PostgreSQL estimates without reading them', async () => {
  const sized = await startService({ METRICS_PORT: '0' });
  // Of the queue, when Redis is not set.
  await migrateQueue(sized.databaseUrl);
  const tables = await sized.database.query<{ name: string }[]>(
    `SELECT CASE schemaname WHEN 'public' THEN tablename ELSE schemaname || '.' || tablename END AS name
     FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  expect(tables).toContainEqual({ name: 'bullmq.job' });
  expect(tables.length).toBeGreaterThan(30);
  await sized.database.query(`UPDATE pg_class SET reltuples = 1234 WHERE relname = 'questions'`);
  // On a busy machine the database does not respond within the second of a scrape.
  const text = await eventually(async () => {
    const { text } = await metrics(sized.app);
    expect(text).toMatch(/^quiz_table_rows\{table="questions"\} 1234$/m);
    return text;
  });
  await sized.close();
  for (const { name } of tables) {
    expect(text).toMatch(new RegExp(`^quiz_table_bytes\\{table="${name}"\\} [1-9]\\d+$`, 'm'));
    expect(text).toMatch(new RegExp(`^quiz_table_rows\\{table="${name}"\\} \\d+$`, 'm'));
  }
});

it('metrics count requests by route, never by path', async () => {
  const account = await service.account();
  const { body } = await account.post('/quizzes', quizBody()).expect(201);
  await account.get(`/quizzes/${body.data.id}`).expect(200);
  await service.get('/no-such-thing').expect(404);
  const page = await (await fetch(service.url)).text();
  const asset = /\/dashboard\/assets\/[^"]+/.exec(page)?.[0] ?? '';
  expect((await fetch(service.url + asset)).status).toBe(200);
  const { text } = await metrics(service.app, METRICS_TOKEN);
  expect(text).toMatch(
    /^quiz_http_requests_total\{method="POST",route="[^"]*\/quizzes",status="201"\} 1$/m,
  );
  expect(text).toMatch(
    /^quiz_http_requests_total\{method="GET",route="[^"]*\/quizzes\/:id",status="200"\} 1$/m,
  );
  expect(text).toMatch(/route="unmatched",status="404"\} \d+$/m);
  expect(text).toMatch(/route="\/dashboard\/assets\/:file",status="200"\} 1$/m);
  expect(text).toMatch(/^quiz_http_request_duration_seconds_count\{[^}]*:id"\} 1$/m);
  expect(text).not.toContain(body.data.id);
  expect(text).not.toContain('no-such-thing');
});

it('metrics count the requests that were refused after too many attempts', async () => {
  const account = await service.account('pro');
  const { body } = await account
    .post('/webhooks', { url: 'http://127.0.0.1:9/closed', events: ['quiz.created'] })
    .expect(201);
  const sendTest = () => account.post(`/webhooks/${body.data.id}/test`);
  for (let sent = 0; sent < LIMITS.actions.testByEndpoint.value; sent++)
    await sendTest().expect(202);
  expect((await metrics(service.app, METRICS_TOKEN)).text).toMatch(
    /^quiz_http_refused_total\{cause="attempts"\} 0$/m,
  );
  await sendTest().expect(429);
  expect((await metrics(service.app, METRICS_TOKEN)).text).toMatch(
    /^quiz_http_refused_total\{cause="attempts"\} 1$/m,
  );
});

it('without a worker, metrics show the age of the oldest waiting event and no delivering worker', async () => {
  const lonely = await startService({ METRICS_PORT: '0' });
  await (await lonely.account()).post('/quizzes', quizBody()).expect(201);
  lonely.clock.advance(60_000);
  const { text } = await metrics(lonely.app);
  await lonely.close();
  expect(text).toMatch(/^quiz_webhook_waiting\{state="unrelayed"\} 1$/m);
  const [, age = ''] = /^quiz_webhook_oldest_unrelayed_seconds ([\d.]+)$/m.exec(text) ?? [];
  expect(Number(age)).toBeGreaterThan(59);
  expect(text).toMatch(/^quiz_webhook_oldest_undelivered_seconds\{endpoint="healthy"\} 0$/m);
  expect(text).toMatch(/^quiz_webhook_workers\{state="delivering"\} 0$/m);
  expect(text).toMatch(/^quiz_database_connections\{state="idle"\} \d+$/m);
  expect(text).toMatch(/^quiz_database_read_only 0$/m);
});

it("a delivery to an endpoint that fails counts as the receiver's delay, and a running worker as delivering", async () => {
  await failDelivery();
  fixture.clock.advance(10_000);
  const { text } = await metrics(fixture);
  expect(text).toMatch(
    /^quiz_webhook_oldest_undelivered_seconds\{endpoint="failing"\} 1\d(\.\d+)?$/m,
  );
  expect(text).toMatch(/^quiz_webhook_oldest_undelivered_seconds\{endpoint="healthy"\} 0$/m);
  expect(text).toMatch(/^quiz_webhook_workers\{state="delivering"\} 1$/m);
});

it("a backlog of a slow but successful endpoint counts as the receiver's delay", async () => {
  const slow = await startService({ METRICS_PORT: '0' });
  const account = await slow.account();
  const endpoint = { url: 'https://example.com/slow', events: ['quiz.created'] };
  const { id } = (await account.post('/webhooks', endpoint).expect(201)).body.data;
  await slow.database.query(
    `UPDATE webhook_endpoints SET slow_until = now() + interval '5 minutes' WHERE id = $1`,
    [id],
  );
  await account.post('/quizzes', quizBody()).expect(201);
  // As a worker's relay does.
  await slow.database.query(
    `INSERT INTO webhook_deliveries (id, event_id, endpoint_id, event, status, next_attempt_at, created_at)
     SELECT gen_random_uuid(), id, $1, 'quiz.created', 'pending', created_at, created_at FROM outbox_events LIMIT 1`,
    [id],
  );
  slow.clock.advance(300_000);
  const { text } = await metrics(slow.app);
  await slow.close();
  const age = (kind: string) =>
    Number(new RegExp(`undelivered_seconds\\{endpoint="${kind}"\\} (\\S+)`).exec(text)?.[1]);
  expect(age('slow')).toBeGreaterThan(299);
  expect([age('healthy'), age('failing')]).toEqual([0, 0]);
});

it('deliveries count as stuck only at an endpoint to which nothing is being sent', async () => {
  const backlog = await startService({ METRICS_PORT: '0' });
  const account = await backlog.account();
  const endpoint = { url: 'https://example.com/busy', events: ['quiz.created'] };
  const { id } = (await account.post('/webhooks', endpoint).expect(201)).body.data;
  for (let quiz = 0; quiz < 3; quiz++) await account.post('/quizzes', quizBody()).expect(201);
  await backlog.database.query(
    `INSERT INTO webhook_deliveries (id, event_id, endpoint_id, event, status, next_attempt_at, created_at)
     SELECT gen_random_uuid(), id, $1, 'quiz.created', 'pending', now() - interval '20 minutes', now() - interval '20 minutes'
     FROM outbox_events`,
    [id],
  );
  const attemptSince = (age: string) =>
    backlog.database.query(
      `UPDATE webhook_deliveries SET attempts = 1, attempt_job = id::text, attempt_started_at = now() - $1::interval
       WHERE id = (SELECT min(id::text)::uuid FROM webhook_deliveries)`,
      [age],
    );
  // A gauge that takes longer than a second to read is missing from a response.
  const stuck = async () =>
    Number(/^quiz_webhook_stuck_deliveries (\d+)$/m.exec((await metrics(backlog.app)).text)?.[1]);
  await eventually(async () => expect(await stuck()).toBe(3));
  await attemptSince('2 seconds');
  await eventually(async () => expect(await stuck()).toBe(0));
  await attemptSince('10 minutes');
  await eventually(async () => expect(await stuck()).toBe(2));
  await backlog.close();
});

it('gauges that need a database which does not respond are left out after a second', async () => {
  const pool = (service.database.driver as unknown as { master: Pool }).master;
  const held = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  const begun = performance.now();
  try {
    const { status, text } = await metrics(service.app, METRICS_TOKEN);
    expect(status).toBe(200);
    // They wait for a second, all at once: one after another they would take several.
    expect(performance.now() - begun).toBeLessThan(3_000);
    expect(text).not.toMatch(/^quiz_webhook_waiting/m);
    expect(text).toMatch(/^quiz_http_requests_total/m);
  } finally {
    for (const client of held) client.release();
  }
});

it('the worker reports the time from an event to the response that acknowledged it', async () => {
  const receiver = await startReceiver();
  let respond = () => {};
  receiver.answers('/', { delay: new Promise<void>((resolve) => (respond = resolve)) });
  const account = await fixture.account();
  const { id } = await fixture.endpoint(account, receiver.url('/'));
  await fixture.emit(account);
  await eventually(() => expect(receiver.at('/')).toHaveLength(1));
  fixture.clock.advance(20_000);
  respond();
  await eventually(async () =>
    expect(await fixture.logOf(id)).toMatchObject([{ status: 'delivered' }]),
  );
  const text = await eventually(async () => {
    const { text } = await metrics(fixture);
    expect(text).toMatch(/^quiz_webhook_delivery_seconds_count\{attempt="first"\} 1$/m);
    return text;
  });
  expect(text).toMatch(/^quiz_webhook_delivery_seconds_sum\{attempt="first"\} 2\d(\.\d+)?$/m);
  await receiver.close();
});

it('the worker reports its attempts, its queue and its health', async () => {
  const values = async () => {
    const { text } = await metrics(fixture);
    return ['attempts_total{outcome="retried"}', 'waiting{state="scheduled"}'].map((name) =>
      Number(text.split(`\nquiz_webhook_${name} `)[1]?.split('\n')[0] ?? 0),
    );
  };
  const [retried = 0, scheduled = 0] = await values();
  await failDelivery();
  expect(await values()).toEqual([retried + 1, scheduled + 1]);
  const { text } = await metrics(fixture);
  expect(text).toMatch(/^quiz_imports\{state="stalled"\} 0$/m);
  expect(text).toMatch(/^quiz_import_process_deaths_total 0$/m);
  const ready = await fetch(`http://127.0.0.1:${port(fixture)}/health/ready`);
  expect([ready.status, await ready.json()]).toEqual([
    200,
    {
      success: true,
      data: {
        status: 'ready',
        database: 'up',
        queue: 'up',
        progress: 'up',
        imports: 'up',
        notes: [],
      },
    },
  ]);
});

it('every metric used by the dashboard and the alerts is exported', async () => {
  const exported = (await metrics(service.app, METRICS_TOKEN)).text + (await metrics(fixture)).text;
  for (const file of ['grafana-dashboard.json', 'alerts.yml']) {
    const text = readFileSync(join(__dirname, '../../ops', file), 'utf8');
    const names = text.match(/\b(quiz_\w+|nodejs_\w+|process_\w+)\b/g) ?? [];
    expect(names.length).toBeGreaterThan(4);
    // A gauge whose process has reported nothing yet has a type and no value; a histogram has several series.
    for (const name of names) {
      const histogram = name.replace(/_(bucket|sum|count)$/, '');
      expect(exported).toMatch(
        new RegExp(`^(${name}[{ ]|# TYPE (${name} |${histogram} histogram$))`, 'm'),
      );
    }
  }
});

const promtool = spawnSync('promtool', ['--version']).status === 0;
(promtool ? it : it.skip)(
  'the alert rules stay silent in normal operation and fire in each failure of ops/alerts.test.yml',
  () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'alerts.test.yml'], {
      cwd: join(__dirname, '../../ops'),
      encoding: 'utf8',
    });
    expect(`${stdout}${stderr}`).toContain('SUCCESS');
    expect(status).toBe(0);
  },
);

import { getQueueToken } from '@nestjs/bullmq';
import type { INestApplicationContext } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { Client } from 'pg';
import request from 'supertest';
import { AuditRetention } from '../../src/access/audit/audit-retention.service';
import { SessionsService } from '../../src/access/sessions/sessions.service';
import * as queueNames from '../../src/platform/queue/queue-names';
import { eventually } from '../support/clock';
import { signIn, type Window } from '../support/dashboard';
import { cloneDatabase } from '../support/database';
import { onBothQueues } from '../support/queues';
import { RedisServer } from '../support/redis-server';
import { type Service, startService, type TestAccount } from '../support/service';
import { startWorkerBeside } from '../support/worker-beside';

const { DELIVERIES, SCHEDULED_TASKS } = queueNames;

/** Bull Board below /dashboard/admin/queues. */

const AT = '/dashboard/admin/queues';
const HOUR = 3_600_000;

onBothQueues(6, (env) => {
  let service: Service;
  let worker: INestApplicationContext;
  let queue: Queue;
  let account: TestAccount;
  let administrator: Window;
  let member: Window;
  beforeAll(async () => {
    service = await startService(env);
    worker = await startWorkerBeside(service);
    queue = worker.get<Queue>(getQueueToken(DELIVERIES), { strict: false });
    account = await service.account('pro', { isAdmin: true });
    administrator = await signIn(service, account);
    member = await signIn(service, await service.account('pro'));
    const data = { deliveryId: 'd', endpointId: 'e', accountId: 'a' };
    await queue.add('deliver', data, { jobId: 'job-1', delay: HOUR });
  });
  afterAll(async () => {
    await worker.close();
    await service.close();
  });

  const PATHS = ['', '/', '/queue/webhook-deliveries', '/api/queues', '/api/redis/stats'];

  it('administrators see the board, for others it does not exist, and whoever is signed out signs in', async () => {
    for (const path of PATHS) {
      const { status } = await administrator.open(`/admin/queues${path}`);
      expect([path, status]).toEqual([path, 200]);
      expect([path, (await member.open(`/admin/queues${path}`)).status]).toEqual([path, 404]);
      const page = await request(service.url)
        .get(AT + path)
        .set('Accept', 'text/html');
      expect([path, page.status, page.headers.location]).toEqual([
        path,
        303,
        expect.stringMatching(/^\/dashboard\/sign-in\?next=/),
      ]);
      const json = await request(service.url)
        .get(AT + path)
        .set('Accept', 'application/json');
      expect([path, json.status]).toEqual([path, 401]);
    }
    const { text } = await administrator.open('/admin/queues/static/js/none.js').expect(404);
    expect(text).toContain('Page not found');
  });

  it('the board lists every queue with its jobs, and none can be changed', async () => {
    const { body } = await administrator
      .open('/admin/queues/api/queues?activeQueue=webhook-deliveries&status=delayed&page=1')
      .expect(200);
    const queues = body.queues as {
      name: string;
      readOnlyMode: boolean;
      counts: object;
      jobs: object[];
    }[];
    expect(queues.map(({ name }) => name).sort()).toEqual(Object.values(queueNames).sort());
    expect(queues.every(({ readOnlyMode }) => readOnlyMode)).toBe(true);
    expect(queues[0]?.counts).toMatchObject({ delayed: 1, failed: 0 });
    expect(queues[0]?.jobs).toMatchObject([{ id: 'job-1', data: { deliveryId: 'd' } }]);
    const schedulers = await administrator.open('/admin/queues/api/job-schedulers').expect(200);
    expect(JSON.stringify(schedulers.body)).toContain('retention of deliveries');
  });

  it('the board shows why a scheduled task has failed', async () => {
    const name = 'retention of the audit log';
    const tasks = worker.get<Queue>(getQueueToken(SCHEDULED_TASKS), { strict: false });
    const prune = jest
      .spyOn(worker.get(AuditRetention, { strict: false }), 'prune')
      .mockRejectedValue(new Error('The disk is full.'));
    try {
      const [scheduler] = (await tasks.getJobSchedulers()).filter((it) => it.key === name);
      await (await tasks.getJob(`repeat:${name}:${scheduler?.next}`))?.promote();
      await eventually(async () => {
        const { body } = await administrator
          .open('/admin/queues/api/queues?activeQueue=scheduled-tasks&status=failed&page=1')
          .expect(200);
        const { jobs } = (body.queues as { name: string; jobs: object[] }[]).find(
          (it) => it.name === 'scheduled-tasks',
        )!;
        expect(jobs).toMatchObject([{ name, failedReason: 'The disk is full.' }]);
      });
    } finally {
      prune.mockRestore();
    }
  });

  it('every change is refused, for administrators too', async () => {
    const changes = [
      ['put', '/api/queues/pause'],
      ['put', '/api/queues/webhook-deliveries/pause'],
      ['put', '/api/queues/webhook-deliveries/promote'],
      ['put', '/api/queues/webhook-deliveries/empty'],
      ['put', '/api/queues/webhook-deliveries/obliterate'],
      ['put', '/api/queues/webhook-deliveries/clean/delayed'],
      ['put', '/api/queues/webhook-deliveries/job-1/clean'],
      ['put', '/api/queues/webhook-deliveries/job-1/promote'],
      ['patch', '/api/queues/webhook-deliveries/job-1/update-data'],
      ['post', '/api/queues/webhook-deliveries/add'],
      ['post', ''],
      ['delete', '/api/queues/webhook-deliveries'],
    ] as const;
    const token = await service.app
      .get(SessionsService)
      .start(account.accountId, { userAgent: 'Firefox/130 Linux', address: '127.0.0.1' });
    for (const [method, path] of changes) {
      const ask = () =>
        request(service.url)
          [method](AT + path)
          .set('Cookie', `quiz_session=${token}`);
      expect([method, path, (await ask()).status]).toEqual([method, path, 403]);
      const { status } = await ask().set('Sec-Fetch-Site', 'same-origin');
      expect([method, path, status]).toEqual([method, path, 405]);
    }
    expect(await queue.isPaused()).toBe(false);
    expect(await queue.getJobState('job-1')).toBe('delayed');
  });

  it('the entry page has no inline script or style, nothing of other sites, and a Content-Security-Policy of its own', async () => {
    const { text, headers } = await administrator.open('/admin/queues').expect(200);
    expect(headers['content-security-policy']).toBe(
      "default-src 'self'; style-src 'self' 'sha256-r2N1TB/gHbBtBZFKg7ejmq1acVSREzucTAEw6ga4hoU='; img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['x-powered-by']).toBeUndefined();
    expect(text).toContain(`<base href="${AT}/"`);
    expect(text).not.toMatch(/<style| style=|https?:\/\//);
    const scripts = [...text.matchAll(/<script([^>]*)>([^<]*)/g)];
    expect(scripts.length).toBeGreaterThan(1);
    for (const [, attributes = '', content] of scripts)
      if (!attributes.includes('application/json')) {
        expect(content).toBe('');
        const [, src = ''] = /src="([^"]+)"/.exec(attributes) ?? [];
        const file = await administrator.open(`/admin/queues/${src}`).expect(200);
        expect(file.headers['cache-control']).toBe('private, max-age=31536000, immutable');
        expect(file.headers['content-security-policy']).toContain("base-uri 'none'");
      }
  });

  it('a page that follows the board in the same process is one of ours again', async () => {
    await administrator.open('/admin/queues/no/such/page').expect(404);
    const { text, headers } = await administrator.open('').expect(200);
    expect(text).toContain('href="/dashboard/admin/queues"');
    expect(headers['content-security-policy']).toContain("base-uri 'none'");
    expect((await member.open('')).text).not.toContain('/dashboard/admin/queues');
  });
});

it('the queue in PostgreSQL is connected by the first visit, and disconnected with the service', async () => {
  const database = await cloneDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  // Dropping the database would end the connections as well.
  const service = await startService({}, { ...database, drop: () => Promise.resolve() });
  const worker = await startWorkerBeside(service);
  const administrator = await signIn(service, await service.account('pro', { isAdmin: true }));
  const connections = async () => {
    const { rows } = await client.query(
      `SELECT FROM pg_stat_activity WHERE application_name = 'quiz-queue-board' AND datname = current_database()`,
    );
    return rows.length;
  };
  await administrator.open('/admin/accounts').expect(200);
  expect(await connections()).toBe(0);
  await administrator.open('/admin/queues').expect(200);
  expect(await connections()).toBe(1);
  await worker.close();
  await service.close();
  await eventually(async () => expect(await connections()).toBe(0));
  await client.end();
  await database.drop();
});

it('without queues in PostgreSQL the page says that a worker creates them, and shows them once it has', async () => {
  const service = await startService();
  const administrator = await signIn(service, await service.account('pro', { isAdmin: true }));
  const { text } = await administrator.open('/admin/queues').expect(503);
  expect(text).toContain('There are no queues yet. Start a worker, which creates them');
  const worker = await startWorkerBeside(service);
  await administrator.open('/admin/queues').expect(200);
  await worker.close();
  await service.close();
});

(RedisServer.installed ? it : it.skip)(
  'while Redis is away the page says so, and the API does not notice',
  async () => {
    const server = await RedisServer.start();
    const service = await startService({ REDIS_URL: server.url });
    const owner = await service.account('pro', { isAdmin: true });
    const administrator = await signIn(service, owner);
    await administrator.open('/admin/queues').expect(200);
    await server.kill();
    const begun = Date.now();
    for (const path of ['', '/api/queues']) {
      const { text } = await administrator.open(`/admin/queues${path}`).expect(503);
      expect(text).toContain('The queue does not respond.');
    }
    expect(Date.now() - begun).toBeLessThan(6_000);
    const asked = Date.now();
    await owner.get('/quizzes').expect(200);
    expect(Date.now() - asked).toBeLessThan(1_500);
    await server.start();
    await administrator.open('/admin/queues').expect(200);
    await service.close();
    await server.kill();
  },
);

import { StatementTimeout } from '../../src/platform/errors/domain-errors';
import { Metrics } from '../../src/platform/observability/metrics';
import { DeliveriesService } from '../../src/webhooks/deliveries/deliveries.service';
import { eventually } from '../support/clock';
import { keepOpen, waitForLocks } from '../support/locks';
import { type Receiver, startReceiver } from '../support/receiver';
import { startService } from '../support/service';
import { createFixture, type WebhookFixture } from '../support/worker';

const MINUTE = 60_000;

let fixture: WebhookFixture;
let receiver: Receiver;
let account: string;
let paths = 0;
let path: string;
let endpoint: string;

beforeAll(async () => {
  receiver = await startReceiver();
  fixture = await createFixture({ WEBHOOK_RETRY_DELAYS: '1m,10m' });
});
afterAll(async () => {
  await fixture.close();
  await receiver.close();
});
beforeEach(async () => {
  account = await fixture.account();
  path = `/${++paths}`;
  ({ id: endpoint } = await fixture.endpoint(account, receiver.url(path)));
});

const afterAttempts = (attempts: number) =>
  eventually(async () => {
    const [delivery] = await fixture.logOf(endpoint);
    expect(delivery?.attemptLog).toHaveLength(attempts);
    expect(delivery?.underWay).toBe(false);
    return delivery!;
  });

const retry = (id: string) => fixture.deliveries.retry({ accountId: account }, id);

async function failedDelivery() {
  receiver.answers(path, { status: 500 });
  await fixture.emit(account);
  await afterAttempts(1);
  fixture.clock.advance(2 * MINUTE);
  await afterAttempts(2);
  fixture.clock.advance(12 * MINUTE);
  return afterAttempts(3);
}

it('a manual retry delivers a failed delivery', async () => {
  const failed = await failedDelivery();
  expect(failed.status).toBe('failed');
  receiver.answers(path, {});
  expect(await retry(failed.id)).toMatchObject({ status: 'failed', underWay: true });
  const delivery = await afterAttempts(4);
  expect(delivery.status).toBe('delivered');
  expect(delivery.attemptLog[3]).toMatchObject({ kind: 'manual', status: 204 });
  expect(new Set(receiver.at(path).map(({ body }) => body)).size).toBe(1);
});

it('a manual retry that fails leaves a failed delivery failed, without automatic retries', async () => {
  const failed = await failedDelivery();
  await retry(failed.id);
  expect(await afterAttempts(4)).toMatchObject({ status: 'failed', nextAttemptAt: null });
});

it('two concurrent manual retries make one attempt', async () => {
  const failed = await failedDelivery();
  receiver.answers(path, { delay: 600 });
  await Promise.all([retry(failed.id), retry(failed.id)]);
  await eventually(() => expect(receiver.open.get(path)).toBe(1));
  // And clicked again while it is being sent.
  await retry(failed.id);
  await afterAttempts(4);
  await fixture.runJobs();
  expect(receiver.at(path)).toHaveLength(4);
});

it.each([
  ['begins and ends', false],
  ['ends', true],
])(
  'a manual retry has no effect if an attempt %s while the request waits: the event is not sent again',
  async (_, isUnderWay) => {
    const failed = await failedDelivery();
    const begin = (database: { query(sql: string, values: unknown[]): Promise<unknown> }) =>
      database.query(
        `UPDATE webhook_deliveries SET attempts = attempts + 1, attempt_job = 'other', attempt_started_at = $2 WHERE id = $1`,
        [failed.id, fixture.clock.now()],
      );
    if (isUnderWay) await begin(fixture.database);
    const { waiting } = await fixture.database.transaction(async (tx) => {
      await keepOpen(tx);
      await tx.query('SELECT FROM webhook_endpoints WHERE id = $1 FOR UPDATE', [endpoint]);
      const waiting = retry(failed.id);
      await waitForLocks(fixture.database, 1);
      if (!isUnderWay) await begin(tx);
      await tx.query(
        `UPDATE webhook_deliveries SET status = 'delivered', attempt_job = NULL, attempt_started_at = NULL WHERE id = $1`,
        [failed.id],
      );
      return { waiting };
    });
    expect(await waiting).toMatchObject({ status: 'delivered', underWay: false });
    await fixture.runJobs();
    expect(receiver.at(path)).toHaveLength(3);
  },
);

it('a successful manual retry cancels the automatic one', async () => {
  receiver.answers(path, { status: 500 }, {});
  await fixture.emit(account);
  const { id } = await afterAttempts(1);
  await retry(id);
  expect(await afterAttempts(2)).toMatchObject({ status: 'delivered', nextAttemptAt: null });
  fixture.clock.advance(30 * MINUTE);
  await fixture.runJobs();
  expect(receiver.at(path)).toHaveLength(2);
});

it('a failing manual retry uses up no automatic one and restarts its delay', async () => {
  receiver.answers(path, { status: 500 });
  await fixture.emit(account);
  const { id } = await afterAttempts(1);
  fixture.clock.advance(50_000);
  await retry(id);
  const { status, nextAttemptAt, attemptLog } = await afterAttempts(2);
  expect(status).toBe('pending');
  expect(nextAttemptAt!.getTime() - attemptLog[1]!.startedAt.getTime()).toBeGreaterThanOrEqual(
    MINUTE,
  );
  for (const attempts of [3, 4]) {
    fixture.clock.advance(12 * MINUTE);
    await afterAttempts(attempts);
  }
  const delivery = await afterAttempts(4);
  expect(delivery.status).toBe('failed');
  expect(delivery.attemptLog.map(({ kind }) => kind)).toEqual([
    'automatic',
    'manual',
    'automatic',
    'automatic',
  ]);
});

it('a manual retry has no effect while the delivery waits for its first attempt', async () => {
  await fixture.queue.pause();
  await fixture.emit(account);
  const { id } = await afterAttempts(0);
  await retry(id);
  await fixture.queue.resume();
  const { attemptLog } = await afterAttempts(1);
  expect(attemptLog).toMatchObject([{ kind: 'automatic', status: 204 }]);
  await fixture.runJobs();
  expect(receiver.at(path)).toHaveLength(1);
});

it('a delivered event can be sent again and stays delivered when that fails', async () => {
  receiver.answers(path, {}, { status: 500 });
  await fixture.emit(account);
  const { id } = await afterAttempts(1);
  await retry(id);
  expect(await afterAttempts(2)).toMatchObject({ status: 'delivered', nextAttemptAt: null });
});

it('a manual retry that fails is counted as failed, although its delivery stays delivered', async () => {
  const counted = async () => {
    const { registry } = fixture.get(Metrics, { strict: false });
    const text = await registry.getSingleMetricAsString('quiz_webhook_attempts_total');
    return ['delivered', 'failed'].map((outcome) =>
      Number(new RegExp(`outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ?? 0),
    );
  };
  const [delivered = 0, failed = 0] = await counted();
  receiver.answers(path, {}, { status: 500 });
  await fixture.emit(account);
  const { id } = await afterAttempts(1);
  await retry(id);
  await afterAttempts(2);
  await eventually(async () => expect(await counted()).toEqual([delivered + 1, failed + 1]));
});

it('a bulk retry resends exactly the deliveries that failed since a time', async () => {
  const early = await failedDelivery();
  fixture.clock.advance(60 * MINUTE);
  const since = fixture.clock.now();
  await fixture.emit(account, 3);
  for (const attempts of [1, 2, 3]) {
    await eventually(async () => {
      const [, ...log] = await fixture.logOf(endpoint);
      expect(log.map(({ attemptLog }) => attemptLog.length)).toEqual(Array(3).fill(attempts));
    });
    fixture.clock.advance(12 * MINUTE);
  }
  receiver.answers(path, {});
  const neighbour = { accountId: await fixture.account() };
  expect(await fixture.deliveries.retryFailed(neighbour, since)).toBe(0);
  expect(await fixture.deliveries.retryFailed({ accountId: account }, since, endpoint)).toBe(3);
  expect(await fixture.deliveries.retryFailed({ accountId: account }, since, endpoint)).toBe(0);
  await eventually(async () =>
    expect((await fixture.logOf(endpoint)).map(({ status }) => status)).toEqual([
      'failed',
      'delivered',
      'delivered',
      'delivered',
    ]),
  );
  expect((await fixture.logOf(endpoint))[0]).toEqual({
    ...early,
    headersNow: expect.any(Object) as object,
  });
});

it('a bulk retry of 5,001 deliveries takes two transactions, and the first stays if the second fails', async () => {
  // Without a worker, which would send them.
  const service = await startService();
  const owner = await service.account();
  const { accountId } = owner;
  const url = 'https://example.com/hook';
  const added = await owner.post('/webhooks', { url, events: ['quiz.updated'] }).expect(201);
  await service.database.query(
    `WITH events AS (
       INSERT INTO outbox_events (id, name, account_id, body, created_at, relayed_at)
       SELECT gen_random_uuid(), 'quiz.updated', $1, '{}', now(), now() FROM generate_series(1, 5001) RETURNING id)
     INSERT INTO webhook_deliveries (id, event_id, endpoint_id, event, status, created_at, finished_at)
     SELECT gen_random_uuid(), id, $2, 'quiz.updated', 'failed', now(), now() FROM events`,
    [accountId, added.body.data.id],
  );
  const retry = () => service.app.get(DeliveriesService).retryFailed({ accountId }, new Date(0));
  const { database } = service;
  const begin = database.transaction.bind(database);
  jest
    .spyOn(database, 'transaction')
    .mockImplementationOnce(begin)
    .mockRejectedValueOnce(new StatementTimeout());
  await expect(retry()).rejects.toThrow(StatementTimeout);
  expect(await retry()).toBe(1);
  expect(
    await service.database.query(
      `SELECT count(*)::int AS requested, count(DISTINCT xmin::text)::int AS transactions
       FROM webhook_deliveries WHERE is_manual AND needs_job`,
    ),
  ).toEqual([{ requested: 5_001, transactions: 2 }]);
  await service.close();
});

it('only the first eight deliveries of a bulk retry go before others', async () => {
  receiver.answers(path, { status: 500 });
  await fixture.emit(account, 12);
  await eventually(async () => {
    const log = await fixture.logOf(endpoint);
    expect(log.map(({ attemptLog }) => attemptLog.length)).toEqual(Array(12).fill(1));
  });
  // Nothing runs before its job was looked at. A job of an automatic attempt that runs now would make the manual one.
  await fixture.queue.pause();
  try {
    await eventually(async () => expect(await fixture.queue.getActiveCount()).toBe(0));
    await fixture.database.query(
      `UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, finished_at = $2
       WHERE endpoint_id = $1`,
      [endpoint, fixture.clock.now()],
    );
    expect(await fixture.deliveries.retryFailed({ accountId: account }, new Date(0))).toBe(12);
    await eventually(async () => {
      const jobs = (await fixture.queue.getJobs()).filter(({ id }) => id?.includes('-manual-'));
      expect(jobs).toHaveLength(12);
      expect(jobs.filter(({ data }) => data.isUrgent)).toHaveLength(8);
    });
  } finally {
    await fixture.queue.resume();
  }
});

it('a delivery of a disabled or deleted endpoint, or of another account, cannot be retried', async () => {
  const { id } = await failedDelivery();
  const neighbour = { accountId: await fixture.account() };
  await expect(fixture.deliveries.retry(neighbour, id)).rejects.toThrow('Delivery not found.');
  await expect(retry('nonsense')).rejects.toThrow('Delivery not found.');
  await fixture.endpoints.disable('operator', endpoint);
  await expect(retry(id)).rejects.toThrow('disabled: enable it');
  await fixture.endpoints.remove('operator', endpoint);
  await expect(retry(id)).rejects.toThrow('was deleted');
});

it('a test event is delivered once, also to a disabled endpoint', async () => {
  await fixture.endpoints.disable('operator', endpoint);
  receiver.answers(path, { status: 500, body: 'no' });
  const id = await fixture.deliveries.sendTest({ accountId: account }, endpoint);
  const delivery = await fixture.deliveries.afterNextAttempt('operator', id, 0, Infinity);
  expect(delivery).toMatchObject({
    event: 'webhook.test',
    isTest: true,
    status: 'failed',
    attemptLog: [{ kind: 'test', status: 500, response: 'no' }],
  });
  expect(receiver.at(path)[0]!.headers['x-service-event']).toBe('webhook.test');
  expect((await fixture.endpoints.get('operator', endpoint)).failingSince).toBeNull();
});

it('a test event for an endpoint that is being deleted is refused', async () => {
  const { sending } = await fixture.database.transaction(async (tx) => {
    await keepOpen(tx);
    await tx.query('UPDATE webhook_endpoints SET deleted_at = now() WHERE id = $1', [endpoint]);
    const sending = fixture.deliveries.sendTest('operator', endpoint);
    sending.catch(() => undefined);
    await eventually(async () => {
      const waiting = `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`;
      expect(await fixture.database.query<object[]>(waiting)).toHaveLength(1);
    });
    return { sending };
  });
  await expect(sending).rejects.toThrow('Webhook endpoint not found.');
  const [{ count }] = await fixture.database.query<[{ count: number }]>(
    'SELECT count(*)::int AS count FROM webhook_deliveries WHERE endpoint_id = $1',
    [endpoint],
  );
  expect(count).toBe(0);
});

describe('waiting for the next attempt', () => {
  /** Without a limit on the time: that it ends at all is what the tests show. */
  async function waitWhile(id: string, attempts: number, end: () => Promise<unknown>) {
    const waiting = fixture.deliveries.afterNextAttempt('operator', id, attempts, Infinity);
    await end();
    return waiting;
  }

  afterEach(() => fixture.queue.resume());

  it('ends when the endpoint of a test event is deleted', async () => {
    await fixture.queue.pause();
    const id = await fixture.deliveries.sendTest('operator', endpoint);
    const delivery = await waitWhile(id, 0, () => fixture.endpoints.remove('operator', endpoint));
    expect(delivery).toMatchObject({ status: 'cancelled', attemptLog: [] });
  });

  it('ends when the endpoint of a manual retry is disabled', async () => {
    const failed = await failedDelivery();
    await fixture.queue.pause();
    await retry(failed.id);
    const delivery = await waitWhile(failed.id, 3, () =>
      fixture.endpoints.disable('operator', endpoint),
    );
    expect(delivery).toMatchObject({ status: 'failed', underWay: false });
  });

  it('ends when the endpoint of a pending delivery is disabled', async () => {
    receiver.answers(path, { status: 500 });
    await fixture.emit(account);
    const { id } = await afterAttempts(1);
    await fixture.queue.pause();
    await retry(id);
    const delivery = await waitWhile(id, 1, () => fixture.endpoints.disable('operator', endpoint));
    expect(delivery).toMatchObject({ status: 'pending', paused: true });
  });
});

it('a manual retry and a test event are sent at once to a failing endpoint with a backlog', async () => {
  const { id } = await failedDelivery();
  receiver.answers(path, { delay: 4_000, status: 500 });
  await fixture.emit(account, 30);
  await eventually(() => expect(receiver.open.get(path)).toBe(2));
  const begun = performance.now();
  await retry(id);
  await fixture.deliveries.sendTest({ accountId: account }, endpoint);
  await eventually(() => expect(receiver.open.get(path)).toBe(4));
  expect(performance.now() - begun).toBeLessThan(1_500);
  const [, , last, latest] = receiver.at(path).slice(-4);
  const names = [last, latest].map((it) => it!.headers['x-service-event']);
  expect(names.sort()).toEqual(['quiz.created', 'webhook.test']);
});

it('an endpoint has six test events a minute, and an account twelve', async () => {
  fixture.clock.stop();
  const send = (id: string) => fixture.deliveries.sendTest({ accountId: account }, id);
  const refusal = {
    code: 'too-many-webhook-attempts',
    message: 'Too many test events. Try again in 1 minute.',
    retryAfter: 60,
  };
  const add = async () => (await fixture.endpoint(account, receiver.url(path))).id;
  const [second, third] = [await add(), await add()];
  for (const id of [endpoint, second]) {
    for (let sent = 0; sent < 6; sent++) await send(id);
    await expect(send(id)).rejects.toMatchObject(refusal);
  }
  await expect(send(third)).rejects.toMatchObject(refusal);
  const other = await fixture.account();
  const { id: others } = await fixture.endpoint(other, receiver.url(path));
  await fixture.deliveries.sendTest({ accountId: other }, others);
  fixture.clock.advance(MINUTE + 1);
  await expect(send(third)).resolves.toEqual(expect.any(String));
});

it('an account has 60 retries in 15 minutes', async () => {
  await fixture.emit(account);
  const { id } = await afterAttempts(1);
  for (let asked = 0; asked < 60; asked++) await retry(id);
  await expect(retry(id)).rejects.toMatchObject({
    code: 'too-many-webhook-attempts',
    message: 'Too many retries. Try again in 15 minutes.',
  });
  await fixture.deliveries.retry('operator', id);
  fixture.clock.advance(15 * MINUTE + 1);
  await retry(id);
});

it('an account has six bulk retries in 15 minutes', async () => {
  const retryAll = (accountId = account) =>
    fixture.deliveries.retryFailed({ accountId }, new Date(0));
  for (let asked = 0; asked < 6; asked++) expect(await retryAll()).toBe(0);
  await expect(retryAll()).rejects.toMatchObject({
    code: 'too-many-webhook-attempts',
    message: 'Too many retries. Try again in 15 minutes.',
  });
  expect(await retryAll(await fixture.account())).toBe(0);
  fixture.clock.advance(15 * MINUTE + 1);
  await retryAll();
});

import { type AccountEvent, Outbox } from '../../src/events/outbox';
import { verifySignature } from '../../src/webhooks/deliveries/signature';
import { DeliveryQueue } from '../../src/webhooks/relay/delivery-queue';
import { eventually } from '../support/clock';
import { onBothQueues } from '../support/queues';
import { type Receiver, startReceiver } from '../support/receiver';
import { createFixture, type WebhookFixture } from '../support/worker';

const MINUTE = 60_000;

onBothQueues(1, (env) => {
  let fixture: WebhookFixture;
  let receiver: Receiver;
  let account: string;
  let paths = 0;
  let path: string;

  beforeAll(async () => {
    receiver = await startReceiver();
    fixture = await createFixture(env);
  });
  afterAll(async () => {
    await fixture.close();
    await receiver.close();
  });
  beforeEach(async () => {
    account = await fixture.account();
    path = `/${++paths}`;
  });

  /** The only delivery of an endpoint, once it has had so many attempts. */
  const afterAttempts = (endpoint: string, attempts: number) =>
    eventually(async () => {
      const [delivery] = await fixture.logOf(endpoint);
      expect(delivery?.attemptLog).toHaveLength(attempts);
      return delivery!;
    });

  it('a committed event is delivered signed, with the stored bytes', async () => {
    const { id, secret } = await fixture.endpoint(account, receiver.url(path));
    const [event] = await fixture.emit(account);
    const delivery = await afterAttempts(id, 1);
    expect(delivery).toMatchObject({ eventId: event, event: 'quiz.created', status: 'delivered' });
    expect(delivery.attemptLog).toMatchObject([
      { number: 1, kind: 'automatic', status: 204, error: null },
    ]);
    const [got, ...others] = receiver.at(path);
    expect(others).toEqual([]);
    expect(got).toMatchObject({
      body: delivery.body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Service-Webhooks/1.0',
        'x-service-event': 'quiz.created',
        'x-service-delivery': event,
      },
    });
    expect(JSON.parse(delivery.body)).toEqual({
      id: event,
      event: 'quiz.created',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data: { quiz_id: 'quiz-1', title: 'Quiz 1', category: null, created_by: account },
    });
    const signature = got!.headers['x-service-signature'] as string;
    expect(verifySignature(got!.body, signature, secret)).toBe(true);
  });

  it('only endpoints that were subscribed to the event when it happened receive it', async () => {
    const neighbour = await fixture.account();
    const mine = await fixture.endpoint(account, receiver.url(path));
    await fixture.endpoint(account, receiver.url(`${path}/other-event`), ['quiz.published']);
    await fixture.endpoint(neighbour, receiver.url(`${path}/neighbour`));
    const deleted = await fixture.endpoint(account, receiver.url(`${path}/deleted`));
    await fixture.endpoints.remove('operator', deleted.id);
    const created: AccountEvent = {
      name: 'quiz.created',
      accountId: account,
      data: { quiz_id: 'quiz-1', title: 'Quiz 1', category: null, created_by: account },
    };
    // The relay sees both at once: the event was stored first, and its transaction ends last.
    await fixture.database.transaction(async (tx) => {
      await new Outbox(fixture.clock).record(tx, [created, { ...created, accountId: neighbour }]);
      await fixture.endpoint(account, receiver.url(`${path}/late`));
    });
    const { eventId: event } = await afterAttempts(mine.id, 1);
    const deliveries = await fixture.database.query<object[]>(
      'SELECT endpoint_id FROM webhook_deliveries WHERE event_id = $1',
      [event],
    );
    expect(deliveries).toEqual([{ endpoint_id: mine.id }]);
    expect(receiver.received.filter(({ id }) => id === event).map((it) => it.path)).toEqual([path]);
  });

  it('an event reaches an endpoint that was added before it, also when the process that records the event has a clock ten minutes behind', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    fixture.clock.advance(-10 * MINUTE);
    await fixture.emit(account);
    fixture.clock.advance(10 * MINUTE);
    expect(await afterAttempts(id, 1)).toMatchObject({ status: 'delivered' });
  });

  it('a commit and a test event wake the relay, also after the connection for notifications was lost', async () => {
    const endpoint = await fixture.endpoint(account, receiver.url(path));
    const paused = new Set<() => void>();
    const after = jest.spyOn(fixture.clock, 'after').mockImplementation((_, callback) => {
      paused.add(callback);
      return () => paused.delete(callback);
    });
    /** Every loop runs once, and not again until something wakes it. */
    const runOnce = async () => {
      await eventually(() => expect(paused.size).toBeGreaterThan(2));
      for (const callback of [...paused]) if (paused.delete(callback)) callback();
      await eventually(() => expect(paused.size).toBeGreaterThan(2));
    };
    try {
      await runOnce();
      await fixture.emit(account);
      await eventually(() => expect(receiver.at(path)).toHaveLength(1));
      await fixture.deliveries.sendTest('operator', endpoint.id);
      await eventually(() => expect(receiver.at(path)).toHaveLength(2));
      const connections = (what: string) =>
        fixture.database.query<object[]>(
          `SELECT ${what} FROM pg_stat_activity
           WHERE application_name = 'quiz-events' AND datname = current_database()`,
        );
      expect(await connections('pg_terminate_backend(pid, 5000) AS ended')).toEqual([
        { ended: true },
      ]);
      do await runOnce();
      while ((await connections('pid')).length === 0);
      await fixture.emit(account);
      await eventually(() => expect(receiver.at(path)).toHaveLength(3));
    } finally {
      after.mockRestore();
      for (const callback of paused) callback();
    }
  });

  it('a delivery whose relay commits slowly is queued once, after the commit', async () => {
    await fixture.database.query(`
      CREATE FUNCTION commit_slowly() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER commit_slowly AFTER INSERT ON webhook_deliveries
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commit_slowly()`);
    const { id } = await fixture.endpoint(account, receiver.url(path));
    let early = false;
    const added = jest.spyOn(fixture.get(DeliveryQueue, { strict: false }), 'add');
    try {
      await fixture.emit(account);
      // What has been received is looked at first: it must be of a delivery that others can see.
      await eventually(async () => {
        const received = receiver.at(path).length;
        const rows = await fixture.database.query<object[]>(
          'SELECT 1 FROM webhook_deliveries WHERE endpoint_id = $1',
          [id],
        );
        early ||= received > 0 && rows.length === 0;
        expect(received).toBe(1);
      });
      expect(early).toBe(false);
      const delivery = await afterAttempts(id, 1);
      // A job that is added before the commit finds no row, and the reconciler adds another one.
      const jobs = added.mock.calls.flatMap(([ready]) => ready);
      expect(jobs.filter((it) => it.id === delivery.id)).toHaveLength(1);
    } finally {
      added.mockRestore();
      await fixture.database.query(`DROP FUNCTION commit_slowly CASCADE`);
    }
  });

  it('a failing delivery is retried 1 min, 10 min and 1 h after the previous failure, then fails', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    const failedAt: number[] = [];
    receiver.answers(path, () => {
      // Longer than the jitter of any retry: one that is scheduled from the start of the attempt is early.
      fixture.clock.advance(7 * MINUTE);
      failedAt.push(fixture.clock.now().getTime());
      return { status: 500, body: 'out of order' };
    });
    await fixture.emit(account);
    for (const [retries, wait] of [MINUTE, 10 * MINUTE, 60 * MINUTE].entries()) {
      const { attemptLog, nextAttemptAt, status } = await afterAttempts(id, retries + 1);
      const last = attemptLog.at(-1)!;
      expect(last).toMatchObject({ kind: 'automatic', status: 500, response: 'out of order' });
      expect(status).toBe('pending');
      const due = nextAttemptAt!.getTime() - failedAt.at(-1)!;
      expect(due).toBeGreaterThanOrEqual(wait);
      expect(due).toBeLessThan(wait * 1.1 + 2_000);
      fixture.clock.advance(nextAttemptAt!.getTime() - fixture.clock.now().getTime() - 1_500);
      await fixture.runJobs();
      expect(receiver.at(path)).toHaveLength(retries + 1);
      fixture.clock.advance(2_000);
    }
    const { status, nextAttemptAt, finishedAt, attemptLog } = await afterAttempts(id, 4);
    expect({ status, nextAttemptAt }).toEqual({ status: 'failed', nextAttemptAt: null });
    expect(finishedAt).not.toBeNull();
    for (const [place, wait] of [MINUTE, 10 * MINUTE, 60 * MINUTE].entries())
      expect(attemptLog[place + 1]!.startedAt.getTime() - failedAt[place]!).toBeGreaterThanOrEqual(
        wait,
      );
    fixture.clock.advance(600 * MINUTE);
    await fixture.runJobs();
    expect(receiver.at(path)).toHaveLength(4);
  });

  it('all attempts of a delivery have the same id and body, and a success ends it', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    receiver.answers(path, { status: 500 }, { reset: true }, { status: 201 });
    await fixture.emit(account);
    for (const attempts of [1, 2]) {
      await afterAttempts(id, attempts);
      fixture.clock.advance(70 * MINUTE);
    }
    const delivery = await afterAttempts(id, 3);
    expect(delivery.status).toBe('delivered');
    expect(delivery.attemptLog.map(({ status, error }) => status ?? error)).toEqual([
      500,
      'connection_reset',
      201,
    ]);
    const got = receiver.at(path);
    expect(new Set(got.map(({ body }) => body))).toEqual(new Set([delivery.body]));
    expect(new Set(got.map(({ headers }) => headers['x-service-delivery'])).size).toBe(1);
    fixture.clock.advance(600 * MINUTE);
    await fixture.runJobs();
    expect(receiver.at(path)).toHaveLength(3);
  });

  it('a redirect counts as a failure and is not followed', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    receiver.answers(path, {
      status: 307,
      headers: { location: receiver.url(`${path}/elsewhere`) },
    });
    await fixture.emit(account);
    const { status, attemptLog } = await afterAttempts(id, 1);
    expect([status, attemptLog[0]!.status]).toEqual(['pending', 307]);
    expect(receiver.at(`${path}/elsewhere`)).toEqual([]);
  });

  it('Retry-After delays a retry by at most 1 hour', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    receiver.answers(
      path,
      { status: 503, headers: { 'retry-after': '1800' } },
      { status: 429, headers: { 'retry-after': '999999' } },
    );
    await fixture.emit(account);
    const first = await afterAttempts(id, 1);
    const waits = (delivery: typeof first) =>
      (delivery.nextAttemptAt!.getTime() - delivery.attemptLog.at(-1)!.startedAt.getTime()) /
      MINUTE;
    expect(Math.floor(waits(first))).toBe(30);
    fixture.clock.advance(31 * MINUTE);
    expect(Math.floor(waits(await afterAttempts(id, 2)))).toBe(60);
  });

  it('410 Gone fails the delivery at once, disables the endpoint and notifies its owner', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    receiver.answers(path, { status: 410 });
    await fixture.emit(account);
    expect(await afterAttempts(id, 1)).toMatchObject({ status: 'failed', nextAttemptAt: null });
    expect(await fixture.endpoints.get('operator', id)).toMatchObject({
      disabledAt: expect.any(Date),
      disabledReason: expect.stringContaining('410 Gone'),
    });
    expect(
      await fixture.database.query('SELECT title, path FROM notices WHERE account_id = $1', [
        account,
      ]),
    ).toEqual([
      {
        title: `Webhooks to ${new URL(receiver.url()).host} are disabled`,
        path: `/dashboard/webhooks/${id}`,
      },
    ]);
  });

  describe('events about an endpoint', () => {
    const ABOUT = ['quiz.created', 'delivery.failed', 'endpoint.disabled'] as const;
    const bodies = (at: string, event: string) =>
      receiver
        .at(at)
        .map(({ body }) => JSON.parse(body) as { event: string; data: Record<string, unknown> })
        .filter((it) => it.event === event)
        .map(({ data }) => data);

    it('delivery.failed reaches the other endpoints that ask for it, and never the one that failed', async () => {
      const failing = await fixture.endpoint(account, receiver.url(path), [...ABOUT]);
      await fixture.endpoint(account, receiver.url(`${path}/other`), ['delivery.failed']);
      await fixture.endpoint(account, receiver.url(`${path}/quiet`), ['quiz.published']);
      receiver.answers(path, { status: 500 });
      const [event] = await fixture.emit(account);
      for (const attempts of [1, 2, 3]) {
        await afterAttempts(failing.id, attempts);
        expect(receiver.at(`${path}/other`)).toEqual([]);
        fixture.clock.advance(70 * MINUTE);
      }
      const delivery = await afterAttempts(failing.id, 4);
      await eventually(() =>
        expect(bodies(`${path}/other`, 'delivery.failed')).toEqual([
          {
            delivery_id: delivery.id,
            event_id: event,
            event: 'quiz.created',
            endpoint_id: failing.id,
            attempts: 4,
            http_status: 500,
            error: null,
            failed_at: delivery.finishedAt?.toISOString(),
          },
        ]),
      );
      expect(await fixture.logOf(failing.id)).toHaveLength(1);
      expect(receiver.at(`${path}/quiet`)).toEqual([]);
      // A manual retry that fails leaves the delivery failed: that is known already.
      await fixture.deliveries.retry('operator', delivery.id);
      await afterAttempts(failing.id, 5);
      const stored = await fixture.database.query<object[]>(
        `SELECT FROM outbox_events WHERE account_id = $1 AND name = 'delivery.failed'`,
        [account],
      );
      expect(stored).toHaveLength(1);
    });

    it('a failed delivery of delivery.failed makes no further event', async () => {
      const endpoints = [];
      for (const at of [path, `${path}/second`]) {
        endpoints.push(await fixture.endpoint(account, receiver.url(at), [...ABOUT]));
        receiver.answers(at, { status: 500 });
      }
      await fixture.emit(account);
      const [first, second] = endpoints;
      // Each fails at the event, and is told of the other's failure, at which it fails too.
      const settled = (id: string) =>
        eventually(async () => {
          fixture.clock.advance(70 * MINUTE);
          const log = await fixture.logOf(id);
          expect(log.map((it) => [it.event, it.status])).toEqual([
            ['quiz.created', 'failed'],
            ['delivery.failed', 'failed'],
          ]);
        }, 15_000);
      await settled(first!.id);
      await settled(second!.id);
      const names = await fixture.database.query<{ name: string; count: number }[]>(
        `SELECT name, count(*)::int FROM outbox_events WHERE account_id = $1 GROUP BY name ORDER BY name`,
        [account],
      );
      expect(names).toEqual([
        { name: 'delivery.failed', count: 2 },
        { name: 'quiz.created', count: 1 },
      ]);
    });

    it('endpoint.disabled reaches the other endpoints, with the reason', async () => {
      const gone = await fixture.endpoint(account, receiver.url(path), [...ABOUT]);
      await fixture.endpoint(account, receiver.url(`${path}/other`), ['endpoint.disabled']);
      receiver.answers(path, { status: 410 });
      await fixture.emit(account);
      await eventually(() =>
        expect(bodies(`${path}/other`, 'endpoint.disabled')).toEqual([
          { endpoint_id: gone.id, reason: 'gone', disabled_at: expect.any(String) },
        ]),
      );
      expect(await fixture.logOf(gone.id)).toHaveLength(1);
    });

    it('an attempt that ends with 410 after its endpoint was deleted disables nothing and notifies nobody', async () => {
      const { id } = await fixture.endpoint(account, receiver.url(path));
      await fixture.endpoint(account, receiver.url(`${path}/other`), ['endpoint.disabled']);
      let respond = () => {};
      receiver.answers(path, { status: 410, delay: new Promise((done) => (respond = done)) });
      await fixture.emit(account);
      await eventually(() => expect(receiver.at(path)).toHaveLength(1));
      await fixture.endpoints.remove('operator', id);
      respond();
      const rows = <Row>(statement: string, of: string) =>
        fixture.database.query<Row[]>(statement, [of]);
      await eventually(async () =>
        expect(
          await rows(
            `SELECT d.status, a.status AS http FROM webhook_deliveries d
             JOIN webhook_attempts a ON a.delivery_id = d.id WHERE d.endpoint_id = $1`,
            id,
          ),
        ).toEqual([{ status: 'cancelled', http: 410 }]),
      );
      expect(
        await rows(`SELECT disabled_at, failing_since FROM webhook_endpoints WHERE id = $1`, id),
      ).toEqual([{ disabled_at: null, failing_since: null }]);
      expect(await rows(`SELECT name FROM outbox_events WHERE account_id = $1`, account)).toEqual([
        { name: 'quiz.created' },
      ]);
      expect(await rows(`SELECT title FROM notices WHERE account_id = $1`, account)).toEqual([]);
    });

    it('no event about an endpoint is stored when no other endpoint subscribes to it, or when the operator disables it', async () => {
      const only = await fixture.endpoint(account, receiver.url(path), [...ABOUT]);
      const other = await fixture.endpoint(account, receiver.url(`${path}/other`), [
        'endpoint.disabled',
      ]);
      await fixture.endpoints.disable('operator', other.id);
      receiver.answers(path, { status: 410 });
      await fixture.endpoints.remove('operator', other.id);
      await fixture.emit(account);
      await eventually(async () =>
        expect((await fixture.endpoints.get('operator', only.id)).disabledAt).not.toBeNull(),
      );
      const names = await fixture.database.query<{ name: string }[]>(
        `SELECT name FROM outbox_events WHERE account_id = $1`,
        [account],
      );
      expect(names).toEqual([{ name: 'quiz.created' }]);
    });
  });

  it("a receiver's response is stored as harmless text and reaches neither the queue nor the log", async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    receiver.answers(path, { status: 500, body: '<script>\u0000\ud800\u202ealert(1)</script>' });
    await fixture.emit(account);
    const { id: jobId, attemptLog } = await afterAttempts(id, 1);
    expect(attemptLog[0]!.response).toMatch(/^<script>.alert\(1\)<\/script>$/);
    // The job is changed after the attempt was recorded.
    const job = await eventually(async () => {
      const failed = await fixture.queue.getJob(jobId);
      expect(failed?.failedReason).toBe('http_500');
      return failed!;
    });
    expect(JSON.stringify(job.asJSON())).not.toMatch(/script|alert/);
    expect(fixture.log.join()).not.toContain('script');
  });
});

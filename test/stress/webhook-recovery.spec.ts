import { WorkersService } from '../../src/webhooks/deliveries/workers.service';
import { ReconcilerService } from '../../src/webhooks/relay/reconciler.service';
import { ENDPOINT_SHARE } from '../../src/webhooks/sending/sending-limits';
import { eventually } from '../support/clock';
import { onBothQueues } from '../support/queues';
import { type Receiver, startReceiver } from '../support/receiver';
import { createFixture, type WebhookFixture } from '../support/worker';

const MINUTE = 60_000;
/** Hundreds of deliveries take their time, the more so when somebody reads them all again and again. */
const OF_HUNDREDS = [20_000, 200] as const;

onBothQueues(2, (env) => {
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

  const finished = (endpoint: string, count: number) =>
    eventually(
      async () => {
        const log = await fixture.logOf(endpoint);
        expect(log.filter(({ status }) => status === 'delivered')).toHaveLength(count);
        return log;
      },
      ...OF_HUNDREDS,
    );

  /** Runs work while no worker takes jobs. */
  async function whilePaused(work: () => Promise<void>): Promise<void> {
    await fixture.queue.pause();
    try {
      await work();
    } finally {
      await fixture.queue.resume();
    }
  }

  const reconcile = () => fixture.get(ReconcilerService, { strict: false }).reconcile();

  /** So many deliveries of an endpoint have a job that waits. */
  const queued = (endpoint: string, count: number) =>
    eventually(async () => {
      const log = await fixture.logOf(endpoint);
      const states = await Promise.all(log.map(({ id }) => fixture.queue.getJobState(id)));
      const waiting = states.filter((state) => state === 'waiting' || state === 'prioritized');
      expect(waiting).toHaveLength(count);
    });

  it('deliveries whose jobs the queue has lost get new ones, once they are due for 15 seconds', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    await whilePaused(async () => {
      await fixture.emit(account, 10);
      await queued(id, 10);
      await fixture.queue.drain(true);
    });
    fixture.clock.advance(14_000);
    await reconcile();
    await fixture.runJobs();
    expect(receiver.at(path)).toEqual([]);
    fixture.clock.advance(2_000);
    await reconcile();
    await finished(id, 10);
    expect(receiver.at(path)).toHaveLength(10);
  });

  it('an attempt of a killed worker is recorded as interrupted, does not count and is repeated', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    await whilePaused(async () => {
      await fixture.emit(account);
      await queued(id, 1);
      // What a worker leaves behind that is killed while it sends.
      await fixture.database.query(
        `UPDATE webhook_deliveries SET attempts = 1, attempt_started_at = now(), attempt_job = id WHERE endpoint_id = $1`,
        [id],
      );
    });
    const [delivery] = await finished(id, 1);
    expect(delivery!.attemptLog).toMatchObject([
      { number: 1, kind: 'interrupted', status: null, error: null, durationMs: null },
      { number: 2, kind: 'automatic', status: 204 },
    ]);
    const [row] = await fixture.database.query(
      `SELECT automatic_attempts FROM webhook_deliveries WHERE endpoint_id = $1`,
      [id],
    );
    expect(row.automatic_attempts).toBe(1);
  });

  it('an attempt of a killed worker is repeated also when the queue has lost its job', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    await whilePaused(async () => {
      await fixture.emit(account);
      await queued(id, 1);
      await fixture.queue.drain(true);
      await fixture.database.query(
        `UPDATE webhook_deliveries SET attempts = 1, attempt_started_at = $2, attempt_job = id || '-manual-1'
         WHERE endpoint_id = $1`,
        [id, fixture.clock.now()],
      );
    });
    fixture.clock.advance(30_000);
    await reconcile();
    await fixture.runJobs();
    expect(receiver.at(path)).toEqual([]);
    fixture.clock.advance(2 * MINUTE);
    await reconcile();
    const [delivery] = await finished(id, 1);
    expect(delivery!.attemptLog.map(({ kind }) => kind)).toEqual(['interrupted', 'automatic']);
  });

  it('the result of an attempt is ignored when another worker has taken over', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    receiver.answers(path, { status: 500, delay: released });
    await fixture.emit(account);
    await eventually(() => expect(receiver.at(path)).toHaveLength(1));
    await fixture.database.query(
      `WITH second AS (
         UPDATE webhook_deliveries SET attempts = 2, status = 'delivered', next_attempt_at = NULL, finished_at = now(),
           attempt_started_at = NULL, attempt_job = NULL WHERE endpoint_id = $1 RETURNING id)
       INSERT INTO webhook_attempts (delivery_id, number, kind, started_at, duration_ms, status)
       SELECT id, number, kind, now(), 1, status
       FROM second, (VALUES (1, 'interrupted', NULL), (2, 'automatic', 204)) AS a (number, kind, status)`,
      [id],
    );
    const before = await fixture.logOf(id);
    release();
    await eventually(() => expect(receiver.open.get(path)).toBe(0));
    await fixture.runJobs();
    // `headersNow` is signed when it is read.
    const stored = before.map((delivery) => ({
      ...delivery,
      headersNow: expect.any(Object) as object,
    }));
    expect(await fixture.logOf(id)).toEqual(stored);
    expect(receiver.at(path)).toHaveLength(1);
  });

  it('two workers and two relays make one delivery and one request per event', async () => {
    const second = await fixture.startWorker();
    const { id } = await fixture.endpoint(account, receiver.url(path));
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    receiver.answers(path, { delay: released });
    const events = await fixture.emit(account, 300);
    // More than one worker sends to an endpoint at a time.
    await eventually(() => expect(receiver.open.get(path)).toBeGreaterThan(ENDPOINT_SHARE));
    release();
    await finished(id, 200);
    await eventually(() => expect(receiver.at(path)).toHaveLength(300));
    expect(new Set(receiver.at(path).map((got) => got.id))).toEqual(new Set(events));
    await second.close();
    await fixture.runJobs();
    expect(receiver.at(path)).toHaveLength(300);
    const [row] = await fixture.database.query(
      `SELECT count(*)::int FROM webhook_deliveries WHERE endpoint_id = $1`,
      [id],
    );
    expect(row.count).toBe(300);
  });

  it('a running worker is reported by its heartbeat', async () => {
    const workers = await eventually(async () => {
      const list = await fixture.get(WorkersService, { strict: false }).list();
      expect(list).toHaveLength(1);
      return list;
    });
    expect(workers[0]).toMatchObject({
      alive: true,
      queueAnswers: true,
      queue: env.REDIS_URL ? 'redis' : 'postgres',
      pid: process.pid,
    });
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../../src/platform/limits/limits';
import {
  ENDPOINT_SHARE,
  FAILING_ENDPOINT_SHARE,
  SLOTS,
} from '../../src/webhooks/sending/sending-limits';
import { eventually } from '../support/clock';
import { onBothQueues } from '../support/queues';
import { type Receiver, startReceiver } from '../support/receiver';
import { createFixture, type WebhookFixture } from '../support/worker';

/** Places of endpoints and accounts. What others notice of a hanging or flooding one, the fault matrix measures. */
onBothQueues(3, (env) => {
  let fixture: WebhookFixture;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
    fixture = await createFixture({ ...env, WEBHOOK_TIMEOUT: '3s' });
  });
  // The jobs of removed endpoints, which have nothing left to do.
  afterEach(() => fixture.queue.drain(true));
  afterAll(async () => {
    await fixture.close();
    await receiver.close();
  });

  it('a hanging endpoint gets few places once it is known to fail, and its jobs do not circulate', async () => {
    const account = await fixture.account();
    const dead = await fixture.endpoint(account, receiver.url('/dead'));
    receiver.answers('/dead', { hang: true });
    await fixture.emit(account, 200);
    await eventually(() => expect(receiver.open.get('/dead')).toBe(ENDPOINT_SHARE));
    await eventually(() => expect(receiver.open.get('/dead')).toBe(FAILING_ENDPOINT_SHARE));
    expect(receiver.most.get('/dead')).toBe(ENDPOINT_SHARE);

    // The others are delayed until its next free place.
    await eventually(async () => {
      const { prioritized } = await fixture.queue.getJobCounts('prioritized');
      expect(prioritized).toBe(0);
    }, 20_000);

    await fixture.endpoints.remove('operator', dead.id);
    const [row] = await fixture.database.query(
      `SELECT count(*)::int FROM webhook_deliveries WHERE endpoint_id = $1 AND status = 'pending'`,
      [dead.id],
    );
    expect(row.count).toBeLessThanOrEqual(FAILING_ENDPOINT_SHARE);
  });

  it('an account has at most its share of attempts in a worker, over all of its endpoints', async () => {
    const account = await fixture.account();
    const paths = ['/one', '/two', '/three', '/four', '/five'];
    const open = () => paths.reduce((sum, path) => sum + (receiver.open.get(path) ?? 0), 0);
    let most = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    for (const path of paths) {
      await fixture.endpoint(account, receiver.url(path));
      receiver.answers(path, () => {
        most = Math.max(most, open());
        // Before the timeout in any case.
        return { delay: Promise.race([released, sleep(2_000)]) };
      });
    }
    await fixture.emit(account, 20);
    const share = LIMITS.webhooks.accountAttempts.value;
    await eventually(() => expect(open()).toBe(share));
    // The others have asked for a place, too.
    await eventually(async () => {
      const counts = await fixture.queue.getJobCounts('waiting', 'prioritized');
      expect(counts).toEqual({ waiting: 0, prioritized: 0 });
    });
    release();
    for (const path of paths)
      await eventually(() => expect(receiver.at(path)).toHaveLength(20), 20_000);
    expect(most).toBe(share);
  });

  it('an endpoint that responds again gets its whole share and its pending deliveries', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, receiver.url('/back'));
    const delivered = { endpointId: id, status: 'delivered', limit: 200 } as const;
    receiver.answers('/back', { status: 500 });
    await fixture.emit(account, 50);
    await eventually(() => expect(receiver.at('/back').length).toBe(50));
    expect((await fixture.endpoints.get('operator', id)).failingSince).not.toBeNull();
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    // Two show that it responds; the others stay open until the share is full.
    receiver.answers('/back', {}, {}, { delay: released });
    receiver.most.set('/back', 0);
    await fixture.emit(account, 50);
    await eventually(() => expect(receiver.open.get('/back')).toBe(ENDPOINT_SHARE));
    release();
    await eventually(() => expect(receiver.at('/back').length).toBe(100));
    await eventually(async () =>
      expect((await fixture.endpoints.get('operator', id)).failingSince).toBeNull(),
    );
    expect(receiver.most.get('/back')).toBe(ENDPOINT_SHARE);
    await eventually(async () =>
      expect(await fixture.deliveries.list('operator', delivered)).toHaveLength(50),
    );
    fixture.clock.advance(70_000);
    await eventually(async () =>
      expect(await fixture.deliveries.list('operator', delivered)).toHaveLength(100),
    );
    expect(receiver.at('/back').length).toBe(150);
  });

  it('a retry does not wait behind the many of another account that are due before it', async () => {
    const flooding = await fixture.account();
    const flooded = await fixture.endpoint(flooding, receiver.url('/flooded'));
    receiver.answers('/flooded', { status: 500 });
    // Relayed while the endpoint is not known to fail.
    await fixture.queue.pause();
    await fixture.emit(flooding, SLOTS * 2);
    const relayed = () =>
      fixture.database.query<object[]>('SELECT FROM webhook_deliveries WHERE endpoint_id = $1', [
        flooded.id,
      ]);
    await eventually(async () => expect(await relayed()).toHaveLength(SLOTS * 2));
    await fixture.queue.resume();
    await eventually(() => expect(receiver.at('/flooded')).toHaveLength(SLOTS * 2), 60_000);
    const account = await fixture.account();
    await fixture.endpoint(account, receiver.url('/neighbour'));
    let waiting: Promise<number> | undefined;
    receiver.answers('/neighbour', { status: 500 }, () => {
      waiting = fixture.queue.getJobCountByTypes('prioritized');
      return {};
    });
    await fixture.emit(account);
    await eventually(async () => expect(await fixture.queue.getDelayedCount()).toBe(SLOTS * 2 + 1));

    await fixture.queue.pause();
    receiver.answers('/flooded', { hang: true });
    await fixture.database.query(
      `UPDATE webhook_deliveries SET next_attempt_at = $1 WHERE status = 'pending'`,
      [fixture.clock.now()],
    );
    const due = await fixture.queue.getDelayed();
    const isOfFlood = ({ data }: (typeof due)[number]) => data.accountId === flooding;
    for (const job of due.filter(isOfFlood)) await job.promote();
    for (const job of due.filter((it) => !isOfFlood(it))) await job.promote();
    await fixture.queue.resume();
    await eventually(() => expect(receiver.at('/neighbour')).toHaveLength(2));
    // The worker has taken no more than it holds at a time.
    expect(await waiting).toBeGreaterThan(SLOTS / 2);
  });
});

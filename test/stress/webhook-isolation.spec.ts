import { LIMITS } from '../../src/platform/limits/limits';
import { FIRST_ATTEMPTS, SLOW_ENDPOINTS } from '../../src/webhooks/worker/delivery-queues';
import { SLOTS, SLOTS_WHILE_FAILING } from '../../src/webhooks/sending/sending-limits';
import { onBothQueues } from '../support/queues';
import { startReceiver, type Receiver } from '../support/receiver';
import { eventually, createFixture, type WebhookFixture } from '../support/worker';

onBothQueues(3, (env) => {
  let fixture: WebhookFixture;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
    fixture = await createFixture({ ...env, WEBHOOK_TIMEOUT: '3s' });
  });
  afterAll(async () => {
    await fixture.close();
    await receiver.close();
  });

  it('a hanging endpoint with 5,000 events does not delay first attempts to others', async () => {
    const account = await fixture.account();
    const dead = await fixture.endpoint(account, receiver.url('/dead'));
    receiver.answers('/dead', { hang: true });
    await fixture.emit(account, 5_000);
    await eventually(() => expect(receiver.open.get('/dead')).toBe(SLOTS));

    const neighbour = await fixture.account();
    await fixture.endpoint(neighbour, receiver.url('/well'));
    const started = Date.now();
    await fixture.emit(neighbour, 100);
    await eventually(() => expect(receiver.at('/well').length).toBe(100));
    expect(Date.now() - started).toBeLessThan(2_500);

    // Once it is known to fail it gets few slots.
    await eventually(() => expect(receiver.open.get('/dead')).toBe(SLOTS_WHILE_FAILING));
    expect(receiver.most.get('/dead')).toBe(SLOTS);

    // The others wait as rows: no jobs come and go for them.
    const cpu = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { user, system } = process.cpuUsage(cpu);
    expect((user + system) / 1_000).toBeLessThan(300);

    await fixture.endpoints.remove('operator', dead.id);
    const [row] = await fixture.database.query(
      `SELECT count(*)::int FROM webhook_deliveries WHERE endpoint_id = $1 AND status = 'pending'`,
      [dead.id],
    );
    expect(row.count).toBeLessThanOrEqual(SLOTS_WHILE_FAILING);
  });

  it('an endpoint never has more open requests than slots, with two workers', async () => {
    const second = await fixture.startWorker();
    const account = await fixture.account();
    await fixture.endpoint(account, receiver.url('/busy'));
    receiver.answers('/busy', { delay: 100 });
    await fixture.emit(account, 300);
    await eventually(() => expect(receiver.at('/busy').length).toBe(300));
    expect(receiver.most.get('/busy')).toBeLessThanOrEqual(SLOTS);
    expect(receiver.most.get('/busy')).toBeGreaterThan(SLOTS / 2);
    await second.close();
  });

  it('an account has at most its share of concurrent first attempts, in turn between its endpoints', async () => {
    const account = await fixture.account();
    const paths = ['/one', '/two', '/three'];
    for (const path of paths) {
      await fixture.endpoint(account, receiver.url(path));
      receiver.answers(path, { delay: 2_000 });
    }
    await fixture.emit(account, 20);
    const open = () => paths.map((path) => receiver.open.get(path) ?? 0);
    const share = LIMITS.webhooks.accountFirstAttempts.value;
    await eventually(() => expect(open().reduce((sum, it) => sum + it, 0)).toBe(share));
    expect(Math.min(...open())).toBeGreaterThanOrEqual(Math.floor(share / 3));
    for (const path of paths)
      await eventually(() => expect(receiver.at(path)).toHaveLength(20), 15_000);
  });

  it('an endpoint that succeeds slowly has a queue of its own from then on', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, receiver.url('/slow'));
    receiver.answers('/slow', { delay: 600 });
    const queueOf = (number: number) =>
      eventually(async () => {
        const rows = await fixture.database.query<{ status: string; queue: string }[]>(
          `SELECT status, queue FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY id`,
          [id],
        );
        expect(rows[number]?.status).toBe('delivered');
        return rows[number]!.queue;
      });
    await fixture.emit(account);
    expect(await queueOf(0)).toBe(FIRST_ATTEMPTS);
    await fixture.emit(account);
    expect(await queueOf(1)).toBe(SLOW_ENDPOINTS);
  });

  it('free slots are reassigned when a worker missed their release', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, receiver.url('/forgotten'));
    await fixture.database.query(
      `WITH event AS (
         INSERT INTO outbox_events (id, name, account_id, body, created_at, relayed_at)
         VALUES (gen_random_uuid(), 'quiz.created', $1, '{}', now(), now()) RETURNING id)
       INSERT INTO webhook_deliveries (id, event_id, endpoint_id, event, state, next_attempt_at, created_at)
       SELECT gen_random_uuid(), id, $2, 'quiz.created', 'ready', now(), now() FROM event`,
      [account, id],
    );
    await eventually(() => expect(receiver.at('/forgotten')).toHaveLength(1));
  });

  it('an endpoint that responds again gets all its slots and its pending deliveries', async () => {
    const account = await fixture.account();
    const { id } = await fixture.endpoint(account, receiver.url('/back'));
    const delivered = { endpointId: id, status: 'delivered', limit: 200 } as const;
    receiver.answers('/back', { status: 500 });
    await fixture.emit(account, 50);
    await eventually(() => expect(receiver.at('/back').length).toBe(50));
    expect((await fixture.endpoints.get('operator', id)).failingSince).not.toBeNull();
    receiver.answers('/back', { delay: 50 });
    receiver.most.set('/back', 0);
    await fixture.emit(account, 50);
    await eventually(() => expect(receiver.at('/back').length).toBe(100));
    await eventually(async () =>
      expect((await fixture.endpoints.get('operator', id)).failingSince).toBeNull(),
    );
    expect(receiver.most.get('/back')).toBeGreaterThan(SLOTS_WHILE_FAILING);
    // Written down, each of them: the clock would else jump past a lease.
    await eventually(async () =>
      expect(await fixture.deliveries.list('operator', delivered)).toHaveLength(50),
    );
    fixture.clock.advance(70_000);
    await eventually(async () =>
      expect(await fixture.deliveries.list('operator', delivered)).toHaveLength(100),
    );
    expect(receiver.at('/back').length).toBe(150);
  });
});

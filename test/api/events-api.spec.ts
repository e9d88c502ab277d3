import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EVENT_NAMES } from '../../src/events/event-map';
import { type AccountEvent, Outbox } from '../../src/events/outbox';
import { query, sql } from '../../src/platform/database/sql';
import { DeliveryRetention } from '../../src/webhooks/deliveries/delivery-retention.service';
import { serviceSignature } from '../../src/webhooks/deliveries/signature';
import { eventsAfter } from '../../src/webhooks/events/stored-events.queries';
import { StoredEventsService } from '../../src/webhooks/events/stored-events.service';
import { eventually } from '../support/clock';
import { keepOpen } from '../support/locks';
import { type Receiver, startReceiver } from '../support/receiver';
import { type Service, startService, type TestAccount } from '../support/service';
import { startWorkerBeside } from '../support/worker-beside';
import { createQuiz } from '../support/writing';

const DAY = 86_400_000;

let service: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await startService({ WEBHOOK_ALLOW_INSECURE: 'true', WEBHOOK_RETRY_DELAYS: '1m' });
});
afterAll(() => service.close());
beforeEach(async () => {
  account = await service.account();
});

interface Event {
  id: string;
  type: string;
  createdAt: string;
  body: string;
}
const events = async (query = ''): Promise<Event[]> =>
  (await account.get(`/events?${query}`).expect(200)).body.data;
/** Other databases of the cluster have transactions too: an event is listed when those before it have ended. */
const listed = (count: number, query = '') =>
  eventually(async () => {
    const found = await events(query);
    expect(found).toHaveLength(count);
    return found;
  }, 20_000);

const created = (title: string): AccountEvent => ({
  name: 'quiz.created',
  accountId: account.accountId,
  data: { quiz_id: 'q', title, category: null, created_by: account.accountId },
});
const titles = (found: Event[]) =>
  found.map(({ body }) => (JSON.parse(body) as { data: { title: string } }).data.title);
/** A transaction that has begun to write, and can store an event and end later. */
async function begin() {
  const runner = service.app.get(DataSource).createQueryRunner();
  await runner.startTransaction();
  await keepOpen(runner);
  await runner.query('SELECT pg_current_xact_id()');
  const record = (title: string) =>
    service.app.get(Outbox).record(runner.manager, [created(title)]);
  const commit = async () => {
    await runner.commitTransaction();
    await runner.release();
  };
  return { record, commit };
}

it('GET /events lists what nobody is subscribed to, in order and page by page', async () => {
  for (let count = 0; count < 3; count++) await createQuiz(account);
  const all = await listed(3);
  expect(all[0]).toEqual({
    id: expect.any(String),
    type: 'quiz.created',
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    body: expect.stringContaining('"event":"quiz.created"'),
  });
  expect(JSON.parse(all[0]!.body)).toMatchObject({ id: all[0]!.id, created_at: all[0]!.createdAt });
  expect(await events('limit=2')).toEqual(all.slice(0, 2));
  expect(await events(`after=${all[0]!.id}&limit=1`)).toEqual(all.slice(1, 2));
  expect(await events(`after=${all[2]!.id}`)).toEqual([]);
  expect(await events('types=quiz.deleted,quiz.published')).toEqual([]);
  expect(await events('types=quiz.created,quiz.published')).toEqual(all);
});

it('an event is not listed until the transactions that began before its own have ended', async () => {
  const first = await begin();
  const second = await begin();
  await second.record('of the second');
  await first.record('of the first');
  await second.commit();
  expect(await events()).toEqual([]);
  await first.commit();
  expect(titles(await listed(2))).toEqual(['of the first', 'of the second']);
});

it('an event with an earlier id than a listed one comes after it when its transaction began later', async () => {
  const first = await begin();
  const second = await begin();
  await second.record('of the second');
  await first.record('of the first');
  await first.commit();
  const [listedFirst] = await listed(1);
  expect(titles([listedFirst!])).toEqual(['of the first']);
  await second.commit();
  expect(titles(await listed(1, `after=${listedFirst!.id}`))).toEqual(['of the second']);
});

it('a client that polls while transactions commit out of order gets every event once', async () => {
  const TOTAL = 150;
  const database = service.app.get(DataSource);
  const outbox = service.app.get(Outbox);
  let stored = 0;
  const writer = async () => {
    while (stored < TOTAL) {
      const title = `quiz ${++stored}`;
      await database.transaction(async (tx) => {
        await outbox.record(tx, [created(title)]);
        await tx.query('SELECT pg_sleep($1)', [(stored % 7) / 200]);
      });
    }
  };
  const seen: Event[] = [];
  const writers = Promise.all([1, 2, 3, 4].map(writer));
  let ended = false;
  void writers.finally(() => (ended = true));
  await eventually(
    async () => {
      const last = seen.at(-1);
      for (let page = await events(last ? `after=${last.id}` : ''); page.length > 0;) {
        seen.push(...page);
        page = await events(`after=${page.at(-1)!.id}`);
      }
      expect(ended).toBe(true);
      expect(seen.length).toBeGreaterThanOrEqual(stored);
    },
    60_000,
    5,
  );
  await writers;
  expect(new Set(seen.map(({ id }) => id)).size).toBe(stored);
  expect(seen).toHaveLength(stored);
});

it('GET /events after an unknown event gets 410 that says what to do', async () => {
  const neighbour = await service.account();
  await createQuiz(neighbour);
  await createQuiz(account);
  await listed(1);
  const [foreign] = await eventually(async () => {
    const { body } = await neighbour.get('/events');
    expect(body.data).toHaveLength(1);
    return body.data as Event[];
  }, 20_000);
  for (const after of [foreign!.id, '01990000-0000-7000-8000-000000000000', 'x', '%27']) {
    const { body } = await account.get(`/events?after=${after}`).expect(410);
    expect(body.error).toContain('Ask without "after"');
  }
});

it('GET /events refuses a bad limit or type with 400 that names it', async () => {
  for (const query of ['limit=0', 'limit=201', 'limit=x', 'types=quiz.made', 'after=a&after=b'])
    expect((await account.get(`/events?${query}`).expect(400)).body.error).toContain(
      query.split('=')[0]!,
    );
  expect(await events('limit=200&after=&types=')).toEqual([]);
});

it('the events of a restored dump come before those of the new cluster, in their order', async () => {
  for (let count = 0; count < 2; count++) await createQuiz(account);
  const before = await listed(2);
  // A cluster that had counted many more transactions.
  await service.database.query(
    'UPDATE outbox_events SET transaction_id = transaction_id + 1000000000000',
  );
  expect(await events()).toEqual([]);
  await service.app.get(StoredEventsService).onModuleInit();
  expect(await events()).toEqual(before);
  await createQuiz(account);
  const after = await listed(3);
  expect(after.slice(0, 2)).toEqual(before);
  await service.app.get(StoredEventsService).onModuleInit();
  expect(await events(`after=${before[1]!.id}`)).toEqual(after.slice(2));
});

it('a page of events reads at most a page of each event type', async () => {
  await service.database.query(
    `INSERT INTO outbox_events (id, name, account_id, body, created_at, relayed_at)
     SELECT gen_random_uuid(), 'quiz.created', $1, '{}', now(), now() FROM generate_series(1, 20000)`,
    [account.accountId],
  );
  await service.database.query('ANALYZE outbox_events');
  await listed(200, 'limit=200');
  const beginning = {
    transactionId: '-9223372036854775808',
    id: '00000000-0000-0000-0000-000000000000',
  };
  const statement = eventsAfter(beginning, account.accountId, EVENT_NAMES, 50);
  const plan = await query<{ 'QUERY PLAN': string }[]>(
    service.database,
    sql`EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ${statement}`,
  );
  const text = plan.map((row) => row['QUERY PLAN']).join('\n');
  expect(text).toContain('outbox_events_account_idx');
  expect(text).not.toMatch(/Seq Scan|Rows Removed/);
  const most = Math.max(
    ...[...text.matchAll(/actual rows=(\d+)/g)].map(([, rows]) => Number(rows)),
  );
  expect(most).toBeLessThanOrEqual(50);
});

describe('a receiver that was down', () => {
  let receiver: Receiver;
  let worker: INestApplicationContext;
  beforeAll(async () => {
    receiver = await startReceiver();
    worker = await startWorkerBeside(service);
  });
  afterAll(async () => {
    await worker.close();
    await receiver.close();
  });

  it('catches up by GET /events with the bytes that were signed and sent', async () => {
    const { body } = await account
      .post('/webhooks', { url: receiver.url('/in'), events: ['quiz.created'] })
      .expect(201);
    const { id, secret } = body.data as { id: string; secret: string };
    await createQuiz(account, { title: 'Zürich – “Flüsse” 🏞' });
    await eventually(() => expect(receiver.at('/in')).toHaveLength(1));
    const [received] = receiver.at('/in');
    // The address is served by nobody for a while.
    await account.patch(`/webhooks/${id}`, { url: receiver.url('/down') }).expect(200);
    receiver.answers('/down', { reset: true });
    for (let count = 0; count < 3; count++) await createQuiz(account);
    await eventually(() => expect(receiver.at('/down')).toHaveLength(3));
    const [same] = await listed(4);
    expect(same).toMatchObject({ id: received!.id, body: received!.body });
    expect(serviceSignature(Buffer.from(same!.body), secret)).toBe(
      received!.headers['x-service-signature'],
    );
    const missed = await events(`after=${received!.headers['x-service-delivery'] as string}`);
    expect(missed).toHaveLength(3);
    for (const { id, body } of missed) {
      const attempt = receiver.at('/down').find((it) => it.id === id)!;
      expect(attempt.body).toBe(body);
      expect(serviceSignature(Buffer.from(body), secret)).toBe(
        attempt.headers['x-service-signature'],
      );
    }
    await account.delete(`/webhooks/${id}`).expect(204);
  });

  it('an event older than the retention time is listed no more, and `after` it gets 410', async () => {
    await createQuiz(account);
    const [event] = await listed(1);
    const relayed = `SELECT id FROM outbox_events WHERE relayed_at IS NULL`;
    await eventually(async () => expect(await service.database.query(relayed)).toEqual([]));
    service.clock.advance(31 * DAY);
    const retention = worker.get(DeliveryRetention, { strict: false });
    // The worker deletes by itself as well, and whoever comes second finds nothing to delete.
    await eventually(async () => {
      await retention.prune();
      expect(await events()).toEqual([]);
    });
    await account.get(`/events?after=${event!.id}`).expect(410);
  });
});

import { RelayService } from '../../src/webhooks/relay/relay.service';
import { ReconcilerService } from '../../src/webhooks/relay/reconciler.service';
import type { DeliveryQueue, QueuedDelivery } from '../../src/webhooks/relay/delivery-queue';
import { Config } from '../../src/platform/config/config';
import { Metrics } from '../../src/platform/observability/metrics';
import { startService, type Service } from '../support/service';

/** The relay and the reconciler beside long backlogs. Their queue only records: test/stress has real ones. */

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(() => service.database.query('TRUNCATE outbox_events CASCADE'));

let added: QueuedDelivery[] = [];
const queue = {
  add: (deliveries: QueuedDelivery[]) => Promise.resolve(void added.push(...deliveries)),
  ask: <T>(command: () => Promise<T>) => command(),
  queue: {
    getJobState: () => Promise.resolve('unknown'),
    remove: () => Promise.resolve(0),
  },
} as unknown as DeliveryQueue;

beforeEach(() => (added = []));

const storeEvents = (accountId: string, count: number, relayed = false) =>
  service.database.query(
    `INSERT INTO outbox_events (id, name, account_id, body, created_at, relayed_at)
     SELECT gen_random_uuid(), 'quiz.created', $1, '{}', now(), CASE WHEN $3 THEN now() END
     FROM generate_series(1, $2::int)`,
    [accountId, count, relayed],
  );

it('six accounts with many events take turns in the batches of the relay', async () => {
  const accounts = [];
  for (let account = 0; account < 6; account++) {
    const { accountId } = await service.account('pro');
    await storeEvents(accountId, 300);
    accounts.push(accountId);
  }
  const relay = new RelayService(service.database, service.clock, queue);
  for (let batch = 0; batch < 2; batch++) expect(await relay.relay()).toBe(true);
  const relayed = await service.database.query<{ account_id: string }[]>(
    'SELECT DISTINCT account_id FROM outbox_events WHERE relayed_at IS NOT NULL',
  );
  expect(relayed.map((row) => row.account_id).sort()).toEqual(accounts.sort());
  while (await relay.relay());
  const [{ count }] = await service.database.query<[{ count: number }]>(
    'SELECT count(*)::int AS count FROM outbox_events WHERE relayed_at IS NULL',
  );
  expect(count).toBe(0);
});

describe('a queue that was emptied', () => {
  let endpointId: string;
  beforeEach(async () => {
    const account = await service.account('pro');
    const endpoint = { url: 'https://hooks.example.com/quiz', events: ['quiz.created'] };
    endpointId = (await account.post('/webhooks', endpoint).expect(201)).body.data.id;
    await storeEvents(account.accountId, 6_500, true);
    await service.database.query(
      `INSERT INTO webhook_deliveries (id, event_id, endpoint_id, event, status, next_attempt_at, created_at)
       SELECT gen_random_uuid(), id, $1, name, 'pending', now() - interval '1 minute', now() FROM outbox_events`,
      [endpointId],
    );
  });

  const reconciler = () =>
    new ReconcilerService(
      service.database,
      service.clock,
      service.app.get(Config),
      queue,
      new Metrics(service.app.get(Config)),
    );

  it('gets all its jobs in one run, each behind those of its account before it', async () => {
    const reconciling = reconciler();
    await reconciling.reconcile();
    expect(new Set(added.map(({ id }) => id)).size).toBe(6_500);
    expect(added.at(-1)!.waiting).toBe(6_499);
  });

  it('a delivery whose job the API has just asked for is not lost', async () => {
    await service.database.query('UPDATE webhook_deliveries SET needs_job = true');
    await reconciler().reconcile();
    expect(added).toEqual([]);
  });
});

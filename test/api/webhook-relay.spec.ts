import { BullModule, getQueueToken } from '@nestjs/bullmq';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Job, type Queue } from 'bullmq';
import { Config } from '../../src/platform/config/config';
import { createLogger, NestLogger } from '../../src/platform/observability/logger';
import { PlatformModule } from '../../src/platform/platform.module';
import { migrateQueue } from '../../src/platform/queue/migrate-queue';
import { QueueModule } from '../../src/platform/queue/queue.module';
import { DELIVERIES } from '../../src/platform/queue/queue-names';
import { DeliveryQueue } from '../../src/webhooks/relay/delivery-queue';
import { ReconcilerService } from '../../src/webhooks/relay/reconciler.service';
import { RelayService } from '../../src/webhooks/relay/relay.service';
import { eventually } from '../support/clock';
import { keepOpen } from '../support/locks';
import { type Service, startService, type TestAccount } from '../support/service';

/** The relay and the reconciler beside long backlogs. No worker runs, so that their jobs stay in the queue. */

let service: Service;
let producers: INestApplicationContext;
let queue: Queue;
beforeAll(async () => {
  service = await startService();
  await migrateQueue(service.databaseUrl);
  const logger = createLogger('warn', { write: (line) => void service.log.push(line) });
  const config = service.app.get(Config);
  producers = await NestFactory.createApplicationContext(
    {
      module: class Producers {},
      imports: [
        PlatformModule.register({ config, logger, databaseUrl: service.databaseUrl }),
        QueueModule.register(config, service.databaseUrl),
        BullModule.registerQueue({ name: DELIVERIES }),
      ],
      providers: [DeliveryQueue, RelayService, ReconcilerService],
    },
    { logger: new NestLogger(logger), abortOnError: false, instrument: service.clock.instrument },
  );
  queue = producers.get<Queue>(getQueueToken(DELIVERIES), { strict: false });
});
afterAll(async () => {
  await producers.close();
  await service.close();
});
beforeEach(async () => {
  await service.database.query('TRUNCATE outbox_events CASCADE');
  await queue.obliterate({ force: true });
  await queue.resume();
});

const storeEvents = (accountId: string, count: number, relayed = false) =>
  service.database.query(
    `INSERT INTO outbox_events (id, name, account_id, body, created_at, relayed_at)
     SELECT gen_random_uuid(), 'quiz.created', $1, '{}', now(), CASE WHEN $3 THEN now() END
     FROM generate_series(1, $2::int)`,
    [accountId, count, relayed],
  );

async function addEndpoint(account: TestAccount): Promise<string> {
  const endpoint = { url: 'https://hooks.example.com/quiz', events: ['quiz.created'] };
  return (await account.post('/webhooks', endpoint).expect(201)).body.data.id;
}

it('six accounts with many events take turns in the batches of the relay', async () => {
  const accounts = [];
  for (let account = 0; account < 6; account++) {
    const { accountId } = await service.account('pro');
    await storeEvents(accountId, 300);
    accounts.push(accountId);
  }
  const relay = producers.get(RelayService);
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

describe('an event of a disabled endpoint', () => {
  let account: TestAccount;
  let id: string;
  beforeEach(async () => {
    account = await service.account('pro');
    id = await addEndpoint(account);
    await account.patch(`/webhooks/${id}`, { disabled: true }).expect(200);
  });

  async function relayEvent() {
    await storeEvents(account.accountId, 1);
    await producers.get(RelayService).relay();
  }

  const deliveries = () =>
    service.database.query<object[]>(
      'SELECT status, needs_job FROM webhook_deliveries WHERE endpoint_id = $1',
      [id],
    );

  /** Begins `work`. @returns its end, once it has ended or that many transactions wait for locks */
  async function begin(work: () => Promise<unknown>, blocked: number) {
    let hasEnded = false;
    const ended = work().finally(() => (hasEnded = true));
    await eventually(async () => {
      const [{ count }] = await service.database.query<[{ count: number }]>(
        `SELECT count(*)::int AS count FROM pg_stat_activity
         WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
      );
      expect(hasEnded || count === blocked).toBe(true);
    });
    // In an object: an async function would wait for a promise.
    return { ended };
  }

  it('is kept as a paused delivery without a job', async () => {
    await relayEvent();
    expect(await deliveries()).toEqual([{ status: 'paused', needs_job: false }]);
    expect(await queue.getJobCountByTypes('waiting', 'prioritized', 'delayed')).toBe(0);
  });

  it('gets a job if the endpoint is enabled before the relay commits', async () => {
    const other = await addEndpoint(account);
    const enable = async () => {
      await account.patch(`/webhooks/${id}`, { disabled: false }).expect(200);
    };
    const begun = await service.database.transaction(async (tx) => {
      await keepOpen(tx);
      // The foreign key of the other endpoint's delivery waits for this.
      await tx.query('SELECT FROM webhook_endpoints WHERE id = $1 FOR UPDATE', [other]);
      return [await begin(relayEvent, 1), await begin(enable, 2)];
    });
    for (const { ended } of begun) await ended;
    expect(await deliveries()).toEqual([{ status: 'pending', needs_job: true }]);
  });

  it.each([
    ['enabled', 'disabled_at = NULL, disabled_reason = NULL'],
    ['deleted', 'deleted_at = now()'],
  ])('gets a job if the endpoint is being %s while the event is relayed', async (_, change) => {
    const { ended } = await service.database.transaction(async (tx) => {
      await keepOpen(tx);
      await tx.query(`UPDATE webhook_endpoints SET ${change} WHERE id = $1`, [id]);
      return begin(relayEvent, 1);
    });
    await ended;
    expect(await deliveries()).toEqual([{ status: 'pending', needs_job: false }]);
    expect(await queue.getJobCountByTypes('waiting', 'prioritized')).toBe(1);
  });
});

describe('a queue that was emptied', () => {
  /** More than a batch of the reconciler. */
  const SOME = 1_500;

  async function storeDeliveries(count: number) {
    const account = await service.account('pro');
    const endpointId = await addEndpoint(account);
    await storeEvents(account.accountId, count, true);
    await service.database.query(
      `INSERT INTO webhook_deliveries (id, event_id, endpoint_id, event, status, next_attempt_at, created_at)
       SELECT gen_random_uuid(), id, $1, name, 'pending', now() - interval '1 minute', now() FROM outbox_events`,
      [endpointId],
    );
  }

  it('gets all its jobs in one run, each behind those of its account before it', async () => {
    // More than the five batches without a lost job after which a run ends.
    await storeDeliveries(5_100);
    await producers.get(ReconcilerService).reconcile();
    expect(await queue.getJobCountByTypes('waiting', 'prioritized')).toBe(5_100);
    const counts = await queue.getCountsPerPriority([0, 1, 3_000, 5_099, 5_100]);
    expect(counts).toEqual({ 0: 1, 1: 1, 3_000: 1, 5_099: 1, 5_100: 0 });
  });

  it("a batch whose jobs could not be added is the next run's first", async () => {
    await storeDeliveries(SOME);
    const adding = jest.spyOn(queue, 'addBulk').mockRejectedValueOnce(new Error('away'));
    try {
      await producers.get(ReconcilerService).reconcile();
      expect(producers.get(DeliveryQueue).responds).toBe(false);
      expect(await queue.getJobCountByTypes('waiting', 'prioritized')).toBe(0);
      await producers.get(ReconcilerService).reconcile();
      expect(await queue.getJobCountByTypes('waiting', 'prioritized')).toBe(SOME);
    } finally {
      adding.mockRestore();
    }
  });

  it('gets its jobs although a delayed one has begun before it could be promoted', async () => {
    await storeDeliveries(SOME);
    const [[job]] = await service.database.query<[[{ id: string }], number]>(
      `UPDATE webhook_deliveries SET next_attempt_at = now() - interval '1 hour'
       WHERE id = (SELECT min(id::text)::uuid FROM webhook_deliveries) RETURNING id`,
    );
    await queue.add('deliver', {}, { jobId: job.id, delay: 3_600_000 });
    const promoting = jest.spyOn(Job.prototype, 'promote').mockRejectedValue(new Error('-3'));
    try {
      await producers.get(ReconcilerService).reconcile();
      expect(promoting).toHaveBeenCalledTimes(1);
      expect(producers.get(DeliveryQueue).responds).toBe(true);
      expect(await queue.getJobCountByTypes('waiting', 'prioritized')).toBe(SOME - 1);
    } finally {
      promoting.mockRestore();
    }
  });

  it('gets the jobs that the API has just asked for from the relay only', async () => {
    await storeDeliveries(SOME);
    await service.database.query('UPDATE webhook_deliveries SET needs_job = true');
    await producers.get(ReconcilerService).reconcile();
    expect(await queue.getJobCountByTypes('waiting', 'prioritized', 'delayed')).toBe(0);
    while (await producers.get(RelayService).relayRequests());
    expect(await queue.getJobCountByTypes('waiting', 'prioritized')).toBe(SOME);
  });
});

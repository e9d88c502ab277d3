import type { INestApplicationContext } from '@nestjs/common';
import { DeliveriesProcessor } from '../../src/webhooks/sending/deliveries.processor';
import { type Service, startService } from '../support/service';
import { eventually } from '../support/worker';
import { startWorkerBeside } from '../support/worker-beside';

/** The order in which a worker stops. */

let service: Service;
let worker: INestApplicationContext;
beforeAll(async () => {
  service = await startService();
  worker = await startWorkerBeside(service);
}, 60_000);
afterAll(() => service.close());

test('a worker that stops begins no attempt while it waits for an import', async () => {
  const account = await service.account('pro');
  const blocker = service.database.createQueryRunner();
  await blocker.startTransaction();
  await blocker.query('LOCK TABLE questions IN SHARE MODE');
  const file = 'question,correct_answer,wrong_answer_1\nIs it so?,yes,no\n';
  const { body } = await account
    .post('/imports')
    .set('Content-Type', 'text/csv')
    .send(file)
    .expect(202);
  await eventually(async () => {
    const [waiting] = await service.database.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(waiting.count).toBe(1);
  }, 20_000);

  const deliveries = worker.get(DeliveriesProcessor, { strict: false }).worker;
  let isStopped = false;
  const stop = worker.close().then(() => (isStopped = true));
  await eventually(() => expect(deliveries.closing).toBeDefined(), 3_000);
  expect(isStopped).toBe(false);

  await blocker.rollbackTransaction();
  await blocker.release();
  await stop;
  const { id } = (body as { data: { id: string } }).data;
  const [it] = await service.database.query<{ state: string }[]>(
    'SELECT state FROM imports WHERE id = $1',
    [id],
  );
  expect(['running', 'completed']).toContain(it?.state);
}, 60_000);

import { BullModule, getQueueToken } from '@nestjs/bullmq';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Queue } from 'bullmq';
import { takeImport } from '../../src/import-export/imports/import.queries';
import { ImportDispatcher } from '../../src/import-export/imports/running/import-dispatcher.service';
import { ImportQueues } from '../../src/import-export/imports/running/import-queues.service';
import { Config } from '../../src/platform/config/config';
import { LIMITS } from '../../src/platform/limits/limits';
import { createLogger, NestLogger } from '../../src/platform/observability/logger';
import { PlatformModule } from '../../src/platform/platform.module';
import { migrateQueue } from '../../src/platform/queue/migrate-queue';
import { QueueModule } from '../../src/platform/queue/queue.module';
import { IMPORTS, SMALL_IMPORTS } from '../../src/platform/queue/queue-names';
import { eventually } from '../support/clock';
import { keepOpen, waitForLocks } from '../support/locks';
import { type Service, startService, type TestAccount } from '../support/service';

/** Which import runs next. Jobs are queued as in a worker, and nobody runs them. */

let service: Service;
let queueing: INestApplicationContext;
beforeAll(async () => {
  service = await startService();
  await migrateQueue(service.databaseUrl);
  const logger = createLogger('warn', { write: (line) => void service.log.push(line) });
  const parts = { config: service.app.get(Config), logger, databaseUrl: service.databaseUrl };
  queueing = await NestFactory.createApplicationContext(
    {
      module: class Queueing {},
      imports: [
        PlatformModule.register(parts),
        QueueModule.register(parts.config, parts.databaseUrl),
        BullModule.registerQueue({ name: IMPORTS }, { name: SMALL_IMPORTS }),
      ],
      providers: [ImportQueues, ImportDispatcher],
    },
    { logger: new NestLogger(logger), abortOnError: false, instrument: service.clock.instrument },
  );
});
afterAll(async () => {
  await queueing.close();
  await service.close();
});

/** @param size of the file, in bytes */
const upload = async (account: TestAccount, size = 0): Promise<string> => {
  const file = 'question,correct_answer,wrong_answer_1\nIs it so?,yes,no\n'.padEnd(size, '\n');
  const { body } = await account
    .post('/imports')
    .set('Content-Type', 'text/csv')
    .send(file)
    .expect(202);
  return (body as { data: { id: string } }).data.id;
};
const take = (id: string) => takeImport(service.database, id, service.clock.now(), true);
const end = (ids: string[]) =>
  service.database.query(
    `UPDATE imports SET state = 'completed', next_check_at = NULL WHERE id = ANY ($1)`,
    [ids],
  );
const queue = (name: string) => queueing.get<Queue>(getQueueToken(name), { strict: false });
/** The jobs that wait, by their priority. */
const waiting = async (name: string) => {
  const jobs = await queue(name).getPrioritized();
  return jobs.map(({ id, priority }) => [id, priority]);
};

test('the more imports of an account are under way, the lower is the priority of its next one', async () => {
  const [busy, other] = [await service.account('starter'), await service.account('starter')];
  const first = [await upload(busy), await upload(busy), await upload(busy)];
  const single = await upload(other);
  // The notification of each upload queues it.
  await eventually(async () =>
    expect(await waiting(SMALL_IMPORTS)).toEqual([
      [first[0], 1],
      [single, 1],
      [first[1], 2],
      [first[2], 3],
    ]),
  );
  await end([...first, single]);
  await queue(SMALL_IMPORTS).obliterate({ force: true });
});

test('an account runs one import at a time, and further ones wait', async () => {
  const account = await service.account('starter');
  const ids = [await upload(account), await upload(account), await upload(account)];
  await eventually(async () => expect(await waiting(SMALL_IMPORTS)).toHaveLength(3));
  const taken = await Promise.all(ids.map(take));
  expect(taken.filter((it) => it === 'busy')).toHaveLength(2);
  const running = taken.findIndex((it) => it !== 'busy');
  expect(taken[running]).toMatchObject({ id: ids[running], state: 'running' });
  await end([ids[running] ?? '']);
  const next = ids.filter((_, place) => place !== running)[0] ?? '';
  expect(await take(next)).toMatchObject({ id: next, state: 'running' });
  await end(ids);
  await queue(SMALL_IMPORTS).obliterate({ force: true });
});

test('an import that waited for another one of its account to begin sees that it runs', async () => {
  const account = await service.account('starter');
  const [first, second] = [await upload(account), await upload(account)];
  await eventually(async () => expect(await waiting(SMALL_IMPORTS)).toHaveLength(2));
  let taken: ReturnType<typeof take> | undefined;
  await service.database.transaction(async (tx) => {
    await keepOpen(tx);
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [account.accountId]);
    taken = take(second);
    await waitForLocks(service.database, 1);
    await tx.query(`UPDATE imports SET state = 'running', progress_at = $2 WHERE id = $1`, [
      first,
      service.clock.now(),
    ]);
  });
  expect(await taken).toBe('busy');
  await end([first, second]);
  await queue(SMALL_IMPORTS).obliterate({ force: true });
});

test('a small file does not wait in the queue of large ones', async () => {
  const [large, small] = [await service.account('starter'), await service.account('starter')];
  const most = LIMITS.imports.smallFile.value;
  const ids = [await upload(large, most + 1), await upload(small, most)];
  await eventually(async () => {
    expect(await waiting(IMPORTS)).toEqual([[ids[0], 1]]);
    expect(await waiting(SMALL_IMPORTS)).toEqual([[ids[1], 1]]);
  });
  await end(ids);
});

test('an import whose job the queue has lost is queued again', async () => {
  const account = await service.account('starter');
  const id = await upload(account);
  await eventually(async () => expect(await waiting(SMALL_IMPORTS)).toContainEqual([id, 1]));
  for (const name of [IMPORTS, SMALL_IMPORTS]) await queue(name).obliterate({ force: true });
  const jobs = queueing.get(ImportDispatcher);
  await jobs.queueDue();
  expect(await waiting(SMALL_IMPORTS)).toEqual([]);
  service.clock.advance(15_000);
  await jobs.queueDue();
  expect(await waiting(SMALL_IMPORTS)).toEqual([[id, 1]]);
  // Queued again while its job exists, it remains one job.
  service.clock.advance(15_000);
  await jobs.queueDue();
  expect(await waiting(SMALL_IMPORTS)).toEqual([[id, 1]]);
});

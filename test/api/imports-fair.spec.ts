import { claimNext } from '../../src/import-export/imports/running/import-worker';
import { startService, type TestAccount, type Service } from '../support/service';
import { eventually } from '../support/worker';

/** Which import a worker takes next. No worker runs: the test claims as workers do. */

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const upload = async (account: TestAccount, rows = 1): Promise<string> => {
  const file = `question,correct_answer,wrong_answer_1\n${'Is it so?,yes,no\n'.repeat(rows)}`;
  const { body } = await account
    .post('/imports')
    .set('Content-Type', 'text/csv')
    .send(file)
    .expect(202);
  return (body as { data: { id: string } }).data.id;
};
const claim = (largest = 1_000_000_000) =>
  claimNext(service.database, service.clock.now(), largest);
const end = async (id: string | null) => {
  service.clock.advance(1_000);
  await service.database.query(
    `UPDATE imports SET state = 'completed', next_check_at = NULL, finished_at = $2 WHERE id = $1`,
    [id, service.clock.now()],
  );
};

test('accounts take turns, with one import at a time each', async () => {
  const [busy, other] = [await service.account('starter'), await service.account('starter')];
  const first = [await upload(busy), await upload(busy), await upload(busy)];
  const single = await upload(other);
  expect(await claim()).toBe(first[0]);
  expect(await claim()).toBe(single);
  // Both accounts have one.
  expect(await claim()).toBeNull();
  await end(first[0] ?? null);
  expect(await claim()).toBe(first[1]);
  await end(single);
  const later = await upload(other);
  await end(first[1] ?? null);
  // The busy account was served last, though its file came first.
  expect(await claim()).toBe(later);
  expect(await claim()).toBe(first[2]);
  await end(later);
  await end(first[2] ?? null);
});

/** Whether at least two claims wait, of which one is at the gate. */
const WAITING_FOR_LOCKS = `
SELECT count(*) > 1 AS some FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

test('two workers that claim concurrently never take two imports of one account', async () => {
  const account = await service.account('starter');
  const ids = [await upload(account), await upload(account)];
  // Each claim waits for this lock before its transaction ends: without a lock of their own they would overlap.
  const gate = service.database.createQueryRunner();
  await gate.query(`SELECT pg_advisory_lock(1)`);
  await gate.query(`
    CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NEW; END $$;
    CREATE TRIGGER gate BEFORE UPDATE ON imports FOR EACH ROW EXECUTE FUNCTION wait_at_gate()`);
  const claims = Promise.all([claim(), claim(), claim()]);
  await eventually(async () =>
    expect(await gate.query(WAITING_FOR_LOCKS)).toEqual([{ some: true }]),
  );
  await gate.query(`SELECT pg_advisory_unlock(1)`);
  expect((await claims).filter((id) => id !== null)).toEqual([ids[0]]);
  await gate.query(`DROP TRIGGER gate ON imports`);
  await gate.release();
  for (const id of ids) await end(id);
});

test('a small file runs while large files occupy the other place', async () => {
  const [large, small] = [await service.account('starter'), await service.account('starter')];
  const ids = [await upload(large, 100), await upload(small)];
  expect(await claim(1_000)).toBe(ids[1]);
  expect(await claim(1_000)).toBeNull();
  expect(await claim()).toBe(ids[0]);
  for (const id of ids) await end(id);
});

import { startPreview } from '../../src/import-export/imports/import.queries';
import { ImportPreviewsService } from '../../src/import-export/imports/import-previews.service';
import type { NewImport } from '../../src/import-export/imports/imports.dto';
import { ImportsService } from '../../src/import-export/imports/imports.service';
import { ImportRunnerService } from '../../src/import-export/imports/running/import-runner.service';
import { LIMITS } from '../../src/platform/limits/limits';
import { keepOpen, waitForLocks } from '../support/locks';
import { type Service, startService, type TestAccount } from '../support/service';

/** Imports of one account at the same time. */

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const fileOf = (name: string) =>
  ['question,correct_answer,wrong_answer_1']
    .concat([...Array(300).keys()].map((i) => `${name} number ${i * 7919}?,yes ${i},no ${i}`))
    .join('\n');

const uploadOf = (account: TestAccount, name: string, dryRun = false): NewImport => ({
  accountId: account.accountId,
  fileName: `${name}.csv`,
  bytes: [Buffer.from(fileOf(name))],
  options: { dryRun, published: false, difficulty: 'EASY' },
});

const open = async (account: TestAccount, name: string) =>
  service.app.get(ImportsService).open(uploadOf(account, name));

const preview = (account: TestAccount, name: string) =>
  service.app.get(ImportPreviewsService).open(uploadOf(account, name, true));

/** Starts a preview, and commits once another upload waits for it. */
async function startDuringUpload(account: TestAccount, id: string) {
  const upload = await service.database.transaction(async (tx) => {
    await keepOpen(tx);
    expect(await startPreview(tx, id, false, service.clock.now())).toBe(true);
    const opened = open(account, 'Another');
    await waitForLocks(service.database, 1);
    return { opened };
  });
  await upload.opened;
}

async function runsToItsEnd({ accountId }: TestAccount, id: string) {
  await service.app.get(ImportRunnerService).run(id);
  const view = await service.app.get(ImportsService).get(accountId, id);
  expect(view).toMatchObject({ state: 'completed', totals: { imported: 300 } });
}

test('two imports that write concurrently both complete', async () => {
  const account = await service.account('pro');
  const ids = [(await open(account, 'Rivers')).id, (await open(account, 'Lakes')).id];

  // Who holds the account's row so lets others share it, and lets nobody lock it: both imports come as far as
  // each can without its lock. Had they shared it first, none could ever have it.
  const blocker = service.database.createQueryRunner();
  await blocker.startTransaction();
  await keepOpen(blocker);
  await blocker.query(`SELECT 1 FROM accounts WHERE id = $1 FOR SHARE`, [account.accountId]);
  const runner = service.app.get(ImportRunnerService);
  const runs = Promise.all(ids.map((id) => runner.run(id)));
  await waitForLocks(service.database, 2);
  await blocker.commitTransaction();
  await blocker.release();

  await runs;
  expect(
    await service.database.query(
      `SELECT state, imported, quizzes FROM imports WHERE account_id = $1`,
      [account.accountId],
    ),
  ).toEqual(Array(2).fill({ state: 'completed', imported: 300, quizzes: 6 }));
});

test('questions that another import added meanwhile are reported as duplicates', async () => {
  const account = await service.account('pro');
  const runner = service.app.get(ImportRunnerService);
  const late = await runner.take((await open(account, 'Seas')).id);
  if (!late) throw new Error('not taken');
  const file = { name: late.filename, bytes: [Buffer.from(fileOf('Seas'))] };
  expect(await runner.check(late, [file])).toBe(300);
  await runner.run((await open(account, 'Seas')).id);
  await runner.write(late);

  const imports = service.app.get(ImportsService);
  const { view, entries } = await imports.report(account.accountId, late.id, {
    limit: 1,
    offset: 0,
    kind: 'duplicate',
  });
  expect(view).toMatchObject({
    state: 'completed',
    totals: { rows: 300, imported: 0, duplicates: 300 },
  });
  expect(entries.total).toBe(300);
  expect(entries.rows[0]).toMatchObject({
    kind: 'duplicate',
    file: 'Seas.csv',
    line: 2,
    message: expect.stringContaining('in the quiz "Seas (1)"'),
  });
});

test('a preview that is started while an upload takes the place of the oldest one is imported', async () => {
  const account = await service.account('pro');
  const { id } = await preview(account, 'Oldest');
  for (let more = 1; more < LIMITS.imports.previews.value; more++)
    await preview(account, `Newer ${more}`);
  await startDuringUpload(account, id);
  await runsToItsEnd(account, id);
});

test('a preview that is started while an upload deletes the oldest report is imported', async () => {
  const account = await service.account('pro');
  const { id } = await preview(account, 'Oldest');
  await service.database.query(
    `INSERT INTO imports (id, account_id, state, dry_run, file_name, options, stored, created_at)
     SELECT ('ffffffff-ffff-4fff-bfff-' || lpad(n::text, 12, '0'))::uuid, $1, 'completed', false, 'x.csv', '{}', false, now()
     FROM generate_series(1, $2) AS n`,
    [account.accountId, LIMITS.imports.stored.value - 1],
  );
  await startDuringUpload(account, id);
  await runsToItsEnd(account, id);
});

test('an import that has begun stays if the connection breaks before the commit is confirmed', async () => {
  const account = await service.account('pro');
  const { database } = service;
  const transaction = database.transaction.bind(database);
  const spy = jest.spyOn(database, 'transaction');
  spy.mockImplementationOnce(transaction).mockImplementationOnce(async (...args) => {
    await (transaction as (...args: unknown[]) => Promise<unknown>)(...args);
    throw new Error('Connection terminated unexpectedly');
  });
  await expect(open(account, 'Gulfs')).rejects.toThrow('Connection terminated');
  spy.mockRestore();
  const { rows } = await service.app
    .get(ImportsService)
    .list(account.accountId, { limit: 2, offset: 0 });
  expect(rows).toMatchObject([{ state: 'waiting', filename: 'Gulfs.csv' }]);
});

test('rows rolled back by a deadlock are written again and counted once', async () => {
  const counts = async () => {
    const account = await service.account('pro');
    const { id } = await open(account, 'Bays');
    await service.app.get(ImportRunnerService).run(id);
    const view = await service.app.get(ImportsService).get(account.accountId, id);
    const { state, totals } = view;
    return { state, totals };
  };
  const undisturbed = await counts();
  expect(undisturbed).toMatchObject({
    state: 'completed',
    totals: { rows: 300, importable: 300, imported: 300 },
  });

  // When the first rows are read, and when the first questions are written, once: a sequence is not undone.
  for (const table of ['import_questions', 'questions']) {
    await service.database.query(`
      CREATE SEQUENCE deadlocks;
      CREATE FUNCTION deadlock_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('deadlocks') = 1 THEN
          RAISE EXCEPTION 'as PostgreSQL does' USING ERRCODE = '40P01';
        END IF;
        RETURN NULL;
      END $$;
      CREATE CONSTRAINT TRIGGER deadlock_once AFTER INSERT ON ${table}
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION deadlock_once()`);
    expect(await counts()).toEqual(undisturbed);
    await service.database.query('DROP FUNCTION deadlock_once CASCADE; DROP SEQUENCE deadlocks');
  }
});

import { ImportRunnerService } from '../../src/exchange/imports/import-runner.service';
import { ImportsService } from '../../src/exchange/imports/imports.service';
import { startService, type Holder, type Service } from '../support/service';
import { eventually } from '../support/worker';

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

const open = async (holder: Holder, name: string) =>
  service.app
    .get(ImportsService)
    .open(holder.accountId, `${name}.csv`, [Buffer.from(fileOf(name))], {
      dryRun: false,
      published: false,
      difficulty: 'EASY',
    });

test('two imports that write at the same moment wait their turn and both complete', async () => {
  const holder = await service.holder('pro');
  const ids = [(await open(holder, 'Rivers')).id, (await open(holder, 'Lakes')).id];

  // Who holds the account's row so lets others share it, and lets nobody lock it: both imports come as far as
  // each can without its lock. Had they shared it first, none could ever have it.
  const blocker = service.database.createQueryRunner();
  await blocker.startTransaction();
  await blocker.query(`SELECT 1 FROM accounts WHERE id = $1 FOR KEY SHARE`, [holder.accountId]);
  const runner = service.app.get(ImportRunnerService);
  const runs = Promise.all(ids.map((id) => runner.run(id)));
  await eventually(async () => {
    const [waiting] = await service.database.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(waiting.count).toBe(2);
  });
  await blocker.commitTransaction();
  await blocker.release();

  await runs;
  expect(
    await service.database.query(
      `SELECT state, imported, quizzes FROM imports WHERE account_id = $1`,
      [holder.accountId],
    ),
  ).toEqual(Array(2).fill({ state: 'completed', imported: 300, quizzes: 6 }));
});

import { fork, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countersEqualCounts } from '../support/counters';
import { onBothQueues } from '../support/queues';
import { startService, TEST_ENCRYPTION_KEY, type Service } from '../support/service';
import { eventually } from '../support/worker';

/** A worker process that is killed in the middle of a large import, as `kill -9` does it. */

const folder = mkdtempSync(join(tmpdir(), 'quiz-import-kill-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const workers = new Set<ChildProcess>();
function startWorker(service: Service, env: Record<string, string>): ChildProcess {
  const worker = fork(join(__dirname, '../../src/worker.ts'), {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: service.databaseUrl,
      DATA_DIR: folder,
      ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
      LOG_LEVEL: 'error',
      ...env,
    },
    execArgv: ['--require', join(__dirname, '../faults/typescript.cjs')],
  });
  workers.add(worker);
  return worker;
}

async function kill(worker: ChildProcess): Promise<void> {
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  workers.delete(worker);
}

onBothQueues(11, (env) => {
  // Once is enough for the size; what differs by the queue is who wakes the import.
  const count = env.REDIS_URL ? 5_000 : 50_000;
  let service: Service;
  beforeAll(async () => {
    service = await startService(env);
  });
  afterAll(async () => {
    for (const worker of workers) await kill(worker);
    await service.close();
  });

  test(`${count} questions are imported once each, though the worker is killed while it reads and while it writes`, async () => {
    const holder = await service.holder('pro', { isAdmin: true });
    const rows = Array.from(
      { length: count },
      (_, i) =>
        `${createHash('md5').update(`${i}`).digest('hex')}?,yes ${i},no ${i},Category ${i % 7}`,
    );
    const file = ['question,correct_answer,wrong_answer_1,category', ...rows].join('\n');
    const answer = await holder.post('/imports').set('Content-Type', 'text/csv').send(file);
    expect(answer.status).toBe(202);
    const { id } = answer.body.data;
    const look = async () => {
      const { body } = await holder.get(`/imports/${id}?limit=1`).expect(200);
      return body.data as { state: string; totals: Record<string, number> };
    };
    const reached = (what: 'rows' | 'imported', least: number) =>
      eventually(async () => {
        const { totals } = await look();
        expect(totals[what]).toBeGreaterThanOrEqual(least);
        return totals;
      }, 200_000);

    const first = startWorker(service, env);
    await reached('rows', count / 10);
    await kill(first);

    const second = startWorker(service, env);
    const { imported } = await reached('imported', count / 4);
    expect(imported).toBeLessThan(count);
    await kill(second);

    startWorker(service, env);
    await eventually(async () => expect((await look()).state).toBe('completed'), 300_000);
    expect((await look()).totals).toMatchObject({ rows: count, imported: count, duplicates: 0 });
    const [truth] = await service.database.query<object[]>(
      `SELECT count(*)::int AS questions, count(DISTINCT fingerprint)::int AS different,
         count(DISTINCT quiz_id)::int AS quizzes FROM questions`,
    );
    const quizzes = [...Array(7).keys()]
      .map((category) => Math.ceil(rows.filter((_, i) => i % 7 === category).length / 50))
      .reduce((sum, each) => sum + each);
    expect(truth).toEqual({ questions: count, different: count, quizzes });
    // Nothing is kept of the work.
    for (const table of ['import_pieces', 'import_questions'])
      expect(await service.database.query(`SELECT 1 FROM ${table} LIMIT 1`)).toEqual([]);
    await countersEqualCounts(service.database);
  }, 700_000);
});

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
  const worker = fork(join(__dirname, '../../src/bin/worker.ts'), {
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

/** For one phase, on a machine that has other things to do. Half of what they take is the leases of the dead. */
const PATIENCE = 300_000;

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

  test(
    `${count} questions are imported once each, though the worker is killed while it reads and while it writes`,
    async () => {
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
      // What is true stands in the database; asking it costs the workers less than asking the API.
      const look = async () => {
        const [{ staged, written, state }] = await service.database.query<
          [{ staged: number; written: number; state: string }]
        >(
          `SELECT state, (SELECT count(*)::int FROM import_questions) AS staged,
           (SELECT count(*)::int FROM questions) AS written FROM imports WHERE id = $1`,
          [id],
        );
        return { staged, written, state };
      };
      const until = (reached: (now: Awaited<ReturnType<typeof look>>) => boolean) =>
        eventually(
          async () => {
            const now = await look();
            if (!reached(now)) throw new Error(JSON.stringify(now));
            return now;
          },
          PATIENCE,
          200,
        );

      const first = startWorker(service, env);
      await until(({ staged }) => staged >= count / 10);
      await kill(first);
      expect(await look()).toMatchObject({ state: 'running', written: 0 });

      const second = startWorker(service, env);
      await until(({ written }) => written >= count / 10);
      await kill(second);
      const { written, staged, state } = await look();
      expect(state).toBe('running');
      expect(written).toBeLessThan(count);
      // Each is at one place: a question that is written is staged no more.
      expect(written + staged).toBe(count);

      startWorker(service, env);
      await until(({ state }) => state !== 'running');
      const { body } = await holder.get(`/imports/${id}`).expect(200);
      expect(body.data).toMatchObject({
        state: 'completed',
        totals: { rows: count, imported: count, duplicates: 0, faults: 0 },
      });
      const [truth] = await service.database.query<object[]>(
        `SELECT count(*)::int AS questions, count(DISTINCT fingerprint)::int AS different,
         count(DISTINCT quiz_id)::int AS quizzes FROM questions`,
      );
      const quizzes = [...Array(7).keys()]
        .map((category) => Math.ceil(rows.filter((_, i) => i % 7 === category).length / 50))
        .reduce((sum, each) => sum + each);
      expect(truth).toEqual({ questions: count, different: count, quizzes });
      // The report names each quiz once, with the questions that it has.
      const [named] = await service.database.query<object[]>(
        `SELECT count(*)::int AS quizzes, sum(n.questions)::int AS questions,
         count(*) FILTER (WHERE n.questions = z.question_count)::int AS exact
         FROM import_quizzes n JOIN quizzes z ON z.id = n.quiz_id WHERE n.import_id = $1`,
        [id],
      );
      expect(named).toEqual({ quizzes, questions: count, exact: quizzes });
      // Nothing is kept of the work.
      for (const table of ['import_pieces', 'import_questions'])
        expect(await service.database.query(`SELECT 1 FROM ${table} LIMIT 1`)).toEqual([]);
      await countersEqualCounts(service.database);
    },
    4 * PATIENCE,
  );
});

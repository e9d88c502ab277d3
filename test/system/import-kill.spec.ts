import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#embedded-postgres';
import { EndpointsService } from '../../src/webhooks/endpoints/endpoints.service';
import { eventually } from '../support/clock';
import { countersEqualCounts } from '../support/counters';
import { onBothQueues } from '../support/queues';
import { type Receiver, startReceiver } from '../support/receiver';
import { type Service, startService, TEST_ENCRYPTION_KEY } from '../support/service';

/** In the middle of a large import its process runs out of memory, and then its worker is killed with `kill -9`. */

const folder = mkdtempSync(join(tmpdir(), 'quiz-import-kill-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const workers = new Set<ChildProcess>();
/** @param preloaded files that Node loads first, also in the processes of imports */
function startWorker(
  service: Service,
  env: Record<string, string>,
  ...preloaded: string[]
): ChildProcess {
  const log = openSync(join(folder, 'worker.log'), 'a');
  const worker = fork(join(__dirname, '../../src/bin/worker.ts'), {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: service.databaseUrl,
      DATA_DIR: folder,
      ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
      LOG_LEVEL: 'fatal',
      WEBHOOK_ALLOW_INSECURE: 'true',
      ...env,
    },
    execArgv: ['../faults/typescript.cjs', ...preloaded].flatMap((file) => [
      '--require',
      join(__dirname, file),
    ]),
    // Jest would take V8's "heap out of memory" on its own stderr for the end of the process that runs this file.
    stdio: ['ignore', 'inherit', log, 'ipc'],
  });
  closeSync(log);
  workers.add(worker);
  return worker;
}

async function kill(worker: ChildProcess): Promise<void> {
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  workers.delete(worker);
}

/** The processes of its imports end by themselves, also one that is still loading. */
async function killAndWait(worker: ChildProcess): Promise<void> {
  const imports = importProcessesOf(worker);
  await kill(worker);
  for (const pid of imports)
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 60_000);
}

/** The processes of imports that a worker has started. */
function importProcessesOf({ pid }: ChildProcess): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=,args=', '--ppid', String(pid)], {
    encoding: 'utf8',
  });
  const lines = stdout.split('\n').filter((it) => it.includes('bullmq'));
  return lines.map((line) => Number.parseInt(line, 10));
}

function importProcessOf(worker: ChildProcess): number {
  const [first] = importProcessesOf(worker);
  if (first === undefined) throw new Error('The worker runs no import');
  return first;
}

/** For one phase, on a machine that has other things to do. Half of what they take is waiting for the locks of the dead. */
const PATIENCE = 300_000;

onBothQueues(11, (env) => {
  // Once is enough for the size; what differs by the queue is who wakes the import.
  const count = env.REDIS_URL ? 5_000 : 50_000;
  let service: Service;
  let receiver: Receiver;
  beforeAll(async () => {
    service = await startService({ ...env, WEBHOOK_ALLOW_INSECURE: 'true' });
    receiver = await startReceiver();
  });
  afterAll(async () => {
    for (const worker of workers) await killAndWait(worker);
    await receiver.close();
    await service.close();
  });

  test(
    'an import whose process freezes, runs out of memory and is killed stores each question once while webhooks are delivered',
    async () => {
      const account = await service.account('pro', { isAdmin: true });
      const neighbour = await service.account('pro');
      await service.app
        .get(EndpointsService, { strict: false })
        .add(neighbour.accountId, { url: receiver.url('/hook'), events: ['quiz.created'] });
      const rows = Array.from(
        { length: count },
        (_, i) =>
          `${createHash('md5').update(`${i}`).digest('hex')}?,yes ${i},no ${i},Category ${i % 7}`,
      );
      const file = ['question,correct_answer,wrong_answer_1,category', ...rows].join('\n');
      const answer = await account.post('/imports').set('Content-Type', 'text/csv').send(file);
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

      // A quiz of another account, whose event arrives: twice, if its worker is killed before it has noted the response.
      const heard = () => new Set(receiver.at('/hook').map(({ id }) => id)).size;
      const delivers = async () => {
        const before = heard();
        await neighbour.post('/quizzes', { title: 'Rivers', difficulty: 'EASY' }).expect(201);
        await eventually(() => expect(heard()).toBe(before + 1), PATIENCE);
      };

      const metricsPort = await freePort();
      const first = startWorker(service, { ...env, METRICS_PORT: String(metricsPort) });
      const ready = async () => {
        const response = await fetch(`http://127.0.0.1:${metricsPort}/health/ready`);
        return ((await response.json()) as { data: object }).data;
      };
      await until(({ staged }) => staged >= count / 10);
      expect(await ready()).toMatchObject({ status: 'ready', imports: 'up' });
      const importProcess = importProcessOf(first);
      process.kill(importProcess, 'SIGSTOP');
      try {
        // A statement that it had sent may still commit.
        await delivers();
        const frozen = await look();
        for (let event = 0; event < 3; event += 1) await delivers();
        expect(await look()).toEqual(frozen);
        // From now on it gets no further memory.
        const { status } = spawnSync('prlimit', ['--pid', String(importProcess), '--data=1:1']);
        expect(status).toBe(0);
      } finally {
        process.kill(importProcess, 'SIGCONT');
      }
      await eventually(
        () => expect(() => process.kill(importProcess, 0)).toThrow('ESRCH'),
        PATIENCE,
      );
      await delivers();
      await eventually(() => expect(importProcessOf(first)).not.toBe(importProcess), PATIENCE);
      await until(({ written }) => written >= count / 10);
      // It would be done before it is killed: on a fast machine, or while the worker is asked how it is.
      const orphan = importProcessOf(first);
      process.kill(orphan, 'SIGSTOP');
      try {
        expect(await ready()).toMatchObject({ status: 'ready', imports: 'up' });
        const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
        expect(metrics).toMatch(/^quiz_import_process_deaths_total 1$/m);
        expect(metrics).toMatch(/^quiz_imports\{state="running"\} 1$/m);
        await delivers();
        expect(await look()).toMatchObject({ state: 'running' });
        // Its import process ends with it: nobody is left who would go on.
        await kill(first);
      } finally {
        process.kill(orphan, 'SIGCONT');
      }
      await eventually(() => expect(() => process.kill(orphan, 0)).toThrow('ESRCH'), PATIENCE);
      const { written, staged, state } = await look();
      expect(state).toBe('running');
      expect(written).toBeLessThan(count);
      // Each is at one place: a question that is written is staged no more.
      expect(written + staged).toBe(count);

      const second = startWorker(service, env);
      await delivers();
      await until(({ state }) => state === 'completed');
      const { body } = await account.get(`/imports/${id}`).expect(200);
      expect(body.data).toMatchObject({
        state: 'completed',
        totals: { rows: count, imported: count, duplicates: 0, errors: 0 },
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
      for (const table of ['import_chunks', 'import_questions'])
        expect(await service.database.query(`SELECT 1 FROM ${table} LIMIT 1`)).toEqual([]);
      await countersEqualCounts(service.database);
      // A process without an import ends. It has nothing to do with the queue, and waits 20 s for another one.
      if (!env.REDIS_URL)
        await eventually(() => expect(importProcessesOf(second)).toEqual([]), 60_000);
    },
    4 * PATIENCE,
  );

  test(
    'a file that takes too much CPU time fails with an error, and the worker goes on',
    async () => {
      const account = await service.account('pro', { isAdmin: true });
      for (const worker of workers) await killAndWait(worker);
      startWorker(service, env, '../support/little-reading-time.cjs');
      const upload = async (rows: number) => {
        const file = ['question,correct_answer,wrong_answer_1']
          .concat(Array.from({ length: rows }, (_, i) => `Slow ${i} of ${rows}?,yes ${i},no ${i}`))
          .join('\n');
        const answer = await account.post('/imports').set('Content-Type', 'text/csv').send(file);
        return (answer.body as { data: { id: string } }).data.id;
      };
      const look = async (id: string) =>
        (await account.get(`/imports/${id}`)).body.data as { state: string; error: string | null };
      const slow = await upload(40_000);
      await eventually(
        async () =>
          expect(await look(slow)).toMatchObject({
            state: 'failed',
            error: expect.stringMatching(/^Reading the file takes too much computing time/),
          }),
        PATIENCE,
      );
      const next = await upload(10);
      await eventually(async () => expect((await look(next)).state).toBe('completed'), PATIENCE);
    },
    2 * PATIENCE,
  );
});

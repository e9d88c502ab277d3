import 'reflect-metadata';
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migrate } from '../../src/platform/database/migrate';
import { atTheEnd, endEverything } from '../faults/harness/cleanup';
import { PostgresServer } from '../faults/harness/postgres-server';
import { BROKEN } from './broken';
import { GUARANTEES } from './guarantees';
import type { Result } from './schedule';

const USAGE = `Simulates the delivery of webhooks under faults, and checks the guarantees of docs/reliability.md.

  npm run test:simulation                                    1,000 schedules, then all broken versions
  npm run test:simulation -- --schedules 10000 [--seed 1]    so many schedules, from this seed
  npm run test:simulation -- --schedules 1 --seed 17         one schedule again
  npm run test:simulation -- --broken all                    the broken versions, or the one of this name
  --history                                                  prints what happened in every schedule
`;

const DEFAULT_SCHEDULES = 1_000;
/** A broken version that so many schedules do not notice is not caught. */
const BROKEN_SCHEDULES = 400;
/** Most of a schedule's time is spent waiting for PostgreSQL. */
const PROCESSES = 2 * availableParallelism();

let passed = 0;
let failed = 0;
let databases = 0;
const print = (text: string) => void process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      schedules: { type: 'string' },
      seed: { type: 'string', default: '1' },
      broken: { type: 'string' },
      history: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return print(USAGE);
  const folder = mkdtempSync(join(tmpdir(), 'quiz-simulation-'));
  atTheEnd(() => rmSync(folder, { recursive: true, force: true }));
  const server = await PostgresServer.start(folder);
  // Statistics that appear in the middle of a schedule would change its plans, and with them the order of rows.
  await server.query('ALTER SYSTEM SET autovacuum = off');
  await server.query('SELECT pg_reload_conf()');
  await server.query('CREATE DATABASE template_of_schedules');
  await migrate(server.urlOf('template_of_schedules'));

  const first = Number(values.seed);
  if (values.schedules !== undefined || values.broken === undefined) {
    const end = first + Number(values.schedules ?? DEFAULT_SCHEDULES);
    const started = Date.now();
    const time = () => `${((Date.now() - started) / 1_000).toFixed(0)} s`;
    let seed = first;
    await inParallel(Math.min(PROCESSES, end - first), () =>
      withChild(server, undefined, async (run) => {
        while (seed < end) {
          report(await run(seed++), values.history ?? false);
          if ((passed + failed) % 100 === 0) print(`${passed + failed} schedules in ${time()}`);
        }
      }),
    );
    print(`${end - first} schedules in ${time()}, seeds ${first} to ${end - 1}`);
  }
  const { broken = values.schedules === undefined ? 'all' : undefined } = values;
  const chosen = BROKEN.filter(({ name }) => broken === 'all' || name === broken);
  if (broken !== undefined && chosen.length === 0) throw new Error(`No broken version: ${broken}`);
  await inParallel(PROCESSES, async () => {
    for (let next = chosen.shift(); next; next = chosen.shift())
      await tryBroken(server, next, first);
  });
}

async function inParallel(count: number, work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, work));
}

/** Gives the work a process of its own that runs schedules. */
async function withChild(
  server: PostgresServer,
  broken: string | undefined,
  work: (run: (seed: number) => Promise<Result>) => Promise<void>,
): Promise<void> {
  const name = `schedules_${++databases}`;
  await server.query(`CREATE DATABASE ${name} TEMPLATE template_of_schedules`);
  const child = fork(
    join(__dirname, 'child.ts'),
    [server.urlOf(name), ...(broken ? [broken] : [])],
    {
      execArgv: ['--require', join(__dirname, '../faults/typescript.cjs')],
    },
  );
  const forget = atTheEnd(() => child.kill('SIGKILL'));
  try {
    await message(child);
    await work(async (seed) => {
      child.send(seed);
      return (await message(child)) as Result;
    });
  } finally {
    forget();
    child.kill('SIGKILL');
  }
}

function message(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = (code: number | null) =>
      reject(new Error(`A process that runs schedules has ended with ${code}.`));
    child.once('exit', fail);
    child.once('message', (received) => {
      child.off('exit', fail);
      resolve(received);
    });
  });
}

function report({ seed, history, violations }: Result, withHistory: boolean): void {
  if (violations.length === 0) passed++;
  else failed++;
  if (violations.length > 0) print(`\nFAILED: the schedule of seed ${seed}`);
  else if (withHistory) print(`\nok: the schedule of seed ${seed}`);
  for (const [number, seen] of violations.slice(0, 10))
    print(`  Guarantee ${number} is violated: ${GUARANTEES[number] ?? ''}\n    ${seen}`);
  if (violations.length > 10) print(`  and ${violations.length - 10} more`);
  if (violations.length > 0 || withHistory)
    for (const { at, text } of history)
      print(`  ${(at / 1_000).toFixed(3).padStart(8)} s  ${text}`);
  if (violations.length > 0)
    print(`  Run it again: npm run test:simulation -- --schedules 1 --seed ${seed}`);
}

/** A broken version counts as passed when one of its schedules violates a guarantee. */
async function tryBroken(
  server: PostgresServer,
  { name, violates }: (typeof BROKEN)[number],
  first: number,
): Promise<void> {
  await withChild(server, name, async (run) => {
    for (let seed = first; seed < first + BROKEN_SCHEDULES; seed++) {
      const { violations } = await run(seed);
      const found = violations.find(([number]) => violates.includes(number));
      if (!found) continue;
      passed++;
      return print(
        `ok: broken version "${name}" is caught by seed ${seed}: guarantee ${found[0]}, ${found[1]}`,
      );
    }
    failed++;
    print(`FAILED: broken version "${name}" is not caught in ${BROKEN_SCHEDULES} schedules`);
  });
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => void endEverything().then(() => process.exit(130)));

main()
  .catch((error: unknown) => {
    failed++;
    print(error instanceof Error ? String(error.stack) : String(error));
  })
  .then(endEverything)
  .then(() => {
    print(`${passed} passed, ${failed} failed`);
    process.exit(failed > 0 ? 1 : 0);
  })
  .catch(() => process.exit(1));

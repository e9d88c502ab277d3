import 'reflect-metadata';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migrate } from '../../src/platform/database/migrate';
import { migrateQueue } from '../../src/platform/queue/migrate-queue';
import { RedisServer } from '../support/redis-server';
import { SUITES } from './cases/suites';
import type { FaultCase, Suite } from './harness/case';
import { atTheEnd, endEverything, isEnding } from './harness/cleanup';
import { Fixture } from './harness/fixture';
import { PostgresServer } from './harness/postgres-server';
import { Report } from './harness/report';
import { ROOT } from './harness/service-process';

const USAGE = `Runs the fault matrix of docs/reliability.md on real processes.

  npm run test:faults                         everything, on both queues
  npm run test:faults -- --queue redis        on one of them: postgres or redis
  npm run test:faults -- --only "kill relay"  rows whose name contains this
  npm run test:faults -- --part gate          what .ci/run runs; \`nightly\`: the others, such as those on PostgreSQL's queue
  npm run test:faults -- --again FILE         rows that the file names, such as those that have failed
  npm run test:faults -- --write              puts the results into docs/performance/fault-matrix.md, too
`;

/** Suites that do not measure mostly wait, and run beside each other. */
const AT_A_TIME = 4;

type Queue = 'postgres' | 'redis';

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      queue: { type: 'string' },
      only: { type: 'string' },
      part: { type: 'string' },
      again: { type: 'string' },
      write: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (!existsSync('/proc/self/stat')) {
    process.stdout.write(
      'The fault matrix needs Linux: it reads memory and processor time from /proc.\n',
    );
    return 1;
  }
  const again = values.again === undefined ? undefined : readFileSync(values.again, 'utf8');
  const plan = SUITES.map((suite) => ({ ...suite, cases: chosen(suite, values.only, again) }))
    .filter((suite) => suite.cases.length > 0)
    .flatMap((suite) => queuesOf(suite, values.queue).map((queue) => ({ suite, queue })))
    .filter(
      ({ suite, queue }) => values.part === undefined || values.part === partOf(suite, queue),
    );
  if (plan.length === 0) throw new Error('No row matches: --help says what the options name.');
  const report = new Report(process.stdout);
  const folder = mkdtempSync(join(tmpdir(), 'quiz-faults-'));
  const keepLogs = atTheEnd(() => rmSync(folder, { recursive: true, force: true }));
  const server = await PostgresServer.start(folder);
  await makeTemplate(server);

  const hasRedis = RedisServer.installed;
  for (const { suite, queue } of plan)
    if (queue === 'redis' && !hasRedis)
      for (const it of suite.cases) report.skipped(it, queue, 'redis-server is not installed');
  const possible = plan.filter(({ queue }) => queue === 'postgres' || hasRedis);

  let number = 0;
  const run = ({ suite, queue }: { suite: Suite; queue: Queue }) =>
    runSuite(suite, queue, { server, folder: join(folder, `${++number}`), report });
  const together = possible.filter(({ suite }) => !suite.alone);
  const lane = async () => {
    // The longest, random kills, is the last of the matrix and begins first.
    for (let next = together.pop(); next; next = together.pop()) await run(next);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
  for (const next of possible.filter(({ suite }) => suite.alone)) await run(next);

  if (report.failures > 0) {
    keepLogs();
    process.stdout.write(`\nLogs of the processes: ${folder}\n`);
  }
  await endEverything();
  if (values.write)
    report.writeInto(
      join(ROOT, 'docs/performance/fault-matrix.md'),
      SUITES.flatMap(({ cases }) => cases),
    );
  report.end();
  return report.failures === 0 && report.passes > 0 ? 0 : 1;
}

function chosen(suite: Suite, only = '', again?: string): FaultCase[] {
  return suite.cases.filter(({ broken, when }) => {
    const name = `${broken}: ${when}`;
    return name.toLowerCase().includes(only.toLowerCase()) && (again?.includes(name) ?? true);
  });
}

/** The rows differ little between the queues, and each costs starts of processes: the gate runs them on Redis. */
function partOf({ nightly, queues }: Suite, queue: Queue): 'gate' | 'nightly' {
  return nightly || (queues === 'both' && queue === 'postgres') ? 'nightly' : 'gate';
}

function queuesOf({ queues }: Suite, wanted: string | undefined): Queue[] {
  const all: Record<Suite['queues'], Queue[]> = {
    both: ['postgres', 'redis'],
    redis: ['redis'],
    once: ['postgres'],
  };
  return all[queues].filter((queue) => wanted === undefined || queue === wanted);
}

const AFTERWARDS = { broken: 'after these rows', when: 'nothing more is sent' };

async function makeTemplate(server: PostgresServer): Promise<void> {
  await server.query('CREATE DATABASE template_of_fixtures');
  await migrate(server.urlOf('template_of_fixtures'));
  await migrateQueue(server.urlOf('template_of_fixtures'));
}

async function runSuite(
  suite: Suite,
  queue: Queue,
  parts: { server: PostgresServer; folder: string; report: Report },
): Promise<void> {
  const { folder, report } = parts;
  const shown = suite.queues === 'once' ? 'either' : queue;
  let server = parts.server;
  let fixture: Fixture | undefined;
  try {
    if (suite.ownServer) {
      mkdirSync(folder, { recursive: true });
      server = await PostgresServer.start(folder);
      await makeTemplate(server);
    }
    const { settings = {} } = suite;
    fixture = await Fixture.open({
      queue,
      server,
      template: 'template_of_fixtures',
      folder,
      settings,
    });
    await suite.prepare?.(fixture);
  } catch (error) {
    if (!isEnding()) for (const it of suite.cases) report.failed(it, shown, error, 0);
  }
  if (fixture) {
    const opened = fixture;
    const runCase = async (it: FaultCase) => {
      const started = Date.now();
      try {
        const { skipped, ...result } = await it.run(opened);
        if (skipped !== undefined) report.skipped(it, shown, skipped);
        else report.passed(it, shown, result, Date.now() - started);
      } catch (error) {
        if (isEnding()) return;
        report.failed(it, shown, error, Date.now() - started);
      }
    };
    if (suite.atOnce) await Promise.all(suite.cases.map(runCase));
    else for (const it of suite.cases) await runCase(it);
    const late = fixture.lateArrivals();
    if (late > 0 && !isEnding())
      report.failed(AFTERWARDS, shown, `${late} POSTs came when all was done`, 0);
    await fixture.close().catch(() => undefined);
  }
  if (server !== parts.server) await server.close();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    process.stdout.write('\nstopping\n');
    void endEverything().then(() => process.exit(130));
  });

main().then(
  (code) => process.exit(code),
  async (error: unknown) => {
    process.stdout.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    await endEverything();
    process.exit(1);
  },
);

import 'reflect-metadata';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migrate } from '../../src/platform/database/migrate';
import { migrateQueue } from '../../src/platform/queue/migrate-queue';
import { RedisServer } from '../support/redis-server';
import { SUITES } from './cases/suites';
import { atTheEnd, endEverything } from './harness/cleanup';
import { Fixture } from './harness/fixture';
import { type PlannedSuite, planOf } from './harness/plan';
import { PostgresServer } from './harness/postgres-server';
import { Report } from './harness/report';
import { runSuite } from './harness/run-suite';
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
  const choice = ['queue', 'only', 'part', 'again'].find((it) => it in values);
  if (values.write && choice !== undefined) {
    // The page would lose the rows that were left out.
    process.stdout.write(
      `--write puts the whole matrix into the page: run it without --${choice}.\n`,
    );
    return 1;
  }
  if (!existsSync('/proc/self/stat')) {
    process.stdout.write(
      'The fault matrix needs Linux: it reads memory and processor time from /proc.\n',
    );
    return 1;
  }
  const again = values.again === undefined ? undefined : readFileSync(values.again, 'utf8');
  const plan = planOf(SUITES, { ...values, again });
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
  const run = (planned: PlannedSuite) =>
    runPlanned(planned, { server, folder: join(folder, `${++number}`), report });
  const together = possible.filter(({ suite }) => !suite.alone);
  const runNext = async () => {
    // The longest, random kills, is the last of the matrix and begins first.
    for (let next = together.pop(); next; next = together.pop()) await run(next);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, runNext));
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

async function makeTemplate(server: PostgresServer): Promise<void> {
  await server.query('CREATE DATABASE template_of_fixtures');
  await migrate(server.urlOf('template_of_fixtures'));
  await migrateQueue(server.urlOf('template_of_fixtures'));
}

/** @param folder for its logs, and for a server of its own */
async function runPlanned(
  planned: PlannedSuite,
  parts: { server: PostgresServer; folder: string; report: Report },
): Promise<void> {
  const { folder, report } = parts;
  const { suite, queue } = planned;
  const on = { server: parts.server };
  const open = async () => {
    if (suite.ownServer) {
      mkdirSync(folder, { recursive: true });
      on.server = await PostgresServer.start(folder);
      await makeTemplate(on.server);
    }
    return Fixture.open({
      queue,
      server: on.server,
      template: 'template_of_fixtures',
      folder,
      settings: suite.settings ?? {},
    });
  };
  await runSuite(planned, open, report);
  if (on.server !== parts.server) await on.server.close();
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

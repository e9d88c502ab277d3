import 'reflect-metadata';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migrate } from '../../src/platform/database/migrate';
import { migrateQueue } from '../../src/platform/queue/migrate-queue';
import { atTheEnd, endEverything, isEnding } from '../faults/harness/cleanup';
import { Fixture } from '../faults/harness/fixture';
import { PostgresServer } from '../faults/harness/postgres-server';
import { CLIENTS, GIVEN_BACK } from './cases/clients';
import { FILES } from './cases/files';
import { NEIGHBOURS } from './cases/neighbours';
import { PRIVILEGES } from './cases/privileges';
import { RECEIVERS } from './cases/receivers';
import { AttackTarget, TooSlow } from './harness/attack-target';
import type { AttackCase, Subject } from './harness/case';

const USAGE = `Attacks real processes of the service, and measures what a bystander notices. Linux only.

  npm run test:attack                    every case
  npm run test:attack -- --only idle     cases whose subject or name contains this
  npm run test:attack -- --again FILE    the subjects of cases that the file names, such as those that have failed
`;

const SUBJECTS: Subject[] = [CLIENTS, FILES, RECEIVERS, NEIGHBOURS, PRIVILEGES, GIVEN_BACK];
const TEMPLATE = 'template_of_fixtures';

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, again: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const cases = chosen(values);
  if (cases.length === 0) throw new Error('No case matches: --help says what the options name.');
  const folder = mkdtempSync(join(tmpdir(), 'quiz-attack-'));
  const keepFolder = atTheEnd(() => rmSync(folder, { recursive: true, force: true }));
  const keepLogs = () => {
    keepFolder();
    process.stdout.write(`\nLogs of the processes: ${folder}\n`);
  };
  const { passed, failed } = await attackAll(folder, cases).catch((error: unknown) => {
    // Whoever interrupts the run wants no logs.
    if (!isEnding()) keepLogs();
    throw error;
  });
  if (failed > 0) keepLogs();
  await endEverything();
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

interface Chosen {
  name: string;
  it: AttackCase;
}

function chosen({ only = '', again: failures }: { only?: string; again?: string }): Chosen[] {
  const again = failures === undefined ? undefined : readFileSync(failures, 'utf8');
  return SUBJECTS.filter(({ name }) => again?.includes(`${name}: `) ?? true)
    .flatMap((subject) => subject.cases.map((it) => ({ name: `${subject.name}: ${it.name}`, it })))
    .filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()));
}

/** @param folder for data and logs */
async function attackAll(
  folder: string,
  cases: readonly Chosen[],
): Promise<{ passed: number; failed: number }> {
  const server = await PostgresServer.start(folder);
  await server.query(`CREATE DATABASE ${TEMPLATE}`);
  await migrate(server.urlOf(TEMPLATE));
  await migrateQueue(server.urlOf(TEMPLATE));
  const settings = { RATE_LIMIT_PER_MINUTE: '60', WEBHOOK_TIMEOUT: '5s' };
  const fixture = await Fixture.open({
    queue: 'postgres',
    server,
    template: TEMPLATE,
    folder,
    settings,
  });
  const target = await AttackTarget.open(fixture);
  let passed = 0;
  let failed = 0;
  for (const { name, it } of cases) {
    const begun = Date.now();
    const [verdict, note] = await measured(it, target).then(
      (figures) => ['ok', figures],
      (error: unknown) => ['FAILED', error instanceof Error ? error.message : String(error)],
    );
    if (verdict === 'ok') passed++;
    else failed++;
    const seconds = ((Date.now() - begun) / 1_000).toFixed(1);
    process.stdout.write(`${verdict?.padEnd(8)}${name} (${seconds} s)\n        ${note}\n`);
  }
  await fixture.close();
  return { passed, failed };
}

/** A case that is too slow is measured twice more before it fails: p99 of some 60 requests is the slowest of them. */
async function measured(it: AttackCase, target: AttackTarget, again = 2): Promise<string> {
  try {
    return await it.run(target);
  } catch (error) {
    if (!(error instanceof TooSlow) || again === 0) throw error;
    await target.idle();
    process.stdout.write(`again   ${it.name}: ${error.message}\n`);
    return measured(it, target, again - 1);
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => void endEverything().then(() => process.exit(130)));

main().then(
  (code) => process.exit(code),
  async (error: unknown) => {
    process.stdout.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    await endEverything();
    process.exit(1);
  },
);

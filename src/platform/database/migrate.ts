import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import { StartFault } from '../start-fault';
import { Foundation1790000000000 } from './migrations/1790000000000-foundation';
import { DerivedData1790000001000 } from './migrations/1790000001000-derived-data';
import { Webhooks1790000002000 } from './migrations/1790000002000-webhooks';
import { Play1790000003000 } from './migrations/1790000003000-play';
import { Dashboard1790000004000 } from './migrations/1790000004000-dashboard';
import { Imports1790000005000 } from './migrations/1790000005000-imports';
import { CountersInTurn1790000006000 } from './migrations/1790000006000-counters-in-turn';
import { Ranks1790000007000 } from './migrations/1790000007000-ranks';
import { Idempotency1790000009000 } from './migrations/1790000009000-idempotency';
import { LeaderboardCare1790000011000 } from './migrations/1790000011000-leaderboard-care';
import { ImportQuizzes1790000012000 } from './migrations/1790000012000-import-quizzes';
import { NoFixedShuffle1790000014000 } from './migrations/1790000014000-no-fixed-shuffle';
import { BlocksOfBlocks1790000015000 } from './migrations/1790000015000-blocks-of-blocks';
import { SearchUntied1790000015500 } from './migrations/1790000015500-search-untied';
import { SearchVisibility1790000016000 } from './migrations/1790000016000-search-visibility';
import { ContentLimits1790000020000 } from './migrations/1790000020000-content-limits';
import { StorageLimits1790000020100 } from './migrations/1790000020100-storage-limits';
import { ContentBytes1790000020500 } from './migrations/1790000020500-content-bytes';
import { WithdrawnPrivileges1790000021000 } from './migrations/1790000021000-withdrawn-privileges';
import { AuditAppendOnly1790000021500 } from './migrations/1790000021500-audit-append-only';
import { WorkerLeases1790000022000 } from './migrations/1790000022000-worker-leases';
import { SendingShares1790000022100 } from './migrations/1790000022100-sending-shares';
import { TitleOrder1790000023000 } from './migrations/1790000023000-title-order';
import { SubscriptionOrder1790000024000 } from './migrations/1790000024000-subscription-order';
import {
  ApprovedVersions1790000025000,
  ChangedQuizzesIndex1790000025500,
} from './migrations/1790000025000-approved-versions';
import { EndpointNotices1790000026000 } from './migrations/1790000026000-endpoint-notices';

/** In order. A migration that has been released is never changed. */
const MIGRATIONS = [
  Foundation1790000000000,
  DerivedData1790000001000,
  Webhooks1790000002000,
  Play1790000003000,
  Dashboard1790000004000,
  Imports1790000005000,
  CountersInTurn1790000006000,
  Ranks1790000007000,
  Idempotency1790000009000,
  LeaderboardCare1790000011000,
  ImportQuizzes1790000012000,
  NoFixedShuffle1790000014000,
  BlocksOfBlocks1790000015000,
  SearchUntied1790000015500,
  SearchVisibility1790000016000,
  ContentLimits1790000020000,
  StorageLimits1790000020100,
  ContentBytes1790000020500,
  WithdrawnPrivileges1790000021000,
  AuditAppendOnly1790000021500,
  WorkerLeases1790000022000,
  SendingShares1790000022100,
  TitleOrder1790000023000,
  SubscriptionOrder1790000024000,
  ApprovedVersions1790000025000,
  ChangedQuizzesIndex1790000025500,
  EndpointNotices1790000026000,
];

/** As the table `migrations` names them when they are done. */
export const MIGRATION_NAMES = MIGRATIONS.map((migration) => migration.name);

/** Any number that no other user of advisory locks in this database takes. */
export const MIGRATION_LOCK = 7_311_093_550_266;

/** Milliseconds that a migration waits for a lock: whoever comes after it waits as long, readers too. */
const LOCK_WITHIN = 2_000;

/** PostgreSQL's codes for a lock that was not had in time, and for a deadlock. */
const DO_AGAIN = new Set(['55P03', '40P01']);

/** How to wait for other processes. */
export interface Migrating {
  /** Told when the wait begins, and again when its reason is another one. */
  onWait?: (reason: string) => void;
  /** How long to wait, in milliseconds; absent: ten minutes. Each migration that succeeds starts it again. */
  patience?: number;
}

/**
 * Brings the schema up to date, one migration in a transaction. The transaction holds an advisory lock, so that
 * processes that start together take turns, and nothing is left of one that is killed, with a pooler in between too.
 *
 * A migration that gets a lock late, or meets a deadlock, is undone and done again after a pause: what is in use
 * goes on meanwhile. So each begins with the strongest locks that it needs, before it has done any work.
 * @returns the names of the migrations that were run, none when the schema was up to date
 * @throws StartFault when others do not let go in time
 */
export async function migrate(
  url: string,
  { onWait = () => undefined, patience = 600_000 }: Migrating = {},
): Promise<string[]> {
  const database = await openForMigrations(url);
  const done: string[] = [];
  let told: string | undefined;
  let since = Date.now();
  let pause = 100;
  try {
    for (;;) {
      const step = await runNext(database);
      if (step === null) return done;
      if ('name' in step) {
        done.push(step.name);
        since = Date.now();
        pause = 100;
        continue;
      }
      if (Date.now() - since > patience)
        throw new StartFault(
          `The schema was not migrated within ${Math.round(patience / 1_000)} seconds: ${step.reason}. Let that process end, or stop it, and start again.`,
        );
      if (step.reason !== told) onWait((told = step.reason));
      await sleep((pause = Math.min(pause * 2, 2_000)));
    }
  } finally {
    await database.destroy();
  }
}

/**
 * For tools that must not migrate what a service of another version uses. An empty database is migrated.
 * @throws StartFault where the schema is not this version's
 */
export async function requireSchema(url: string): Promise<string[]> {
  const database = await openForMigrations(url);
  let done: Set<string>;
  try {
    const executed = await new MigrationExecutor(database).getExecutedMigrations();
    done = new Set(executed.map(({ name }) => name));
  } finally {
    await database.destroy();
  }
  if (done.size === 0) return migrate(url);
  const missing = MIGRATION_NAMES.filter((name) => !done.has(name)).length;
  if (missing > 0)
    throw new StartFault(
      `The database has the schema of an older version: ${missing} of ${MIGRATION_NAMES.length} migrations are missing. Make a backup and run quizctl migrate, or use the quizctl of the older version.`,
    );
  if (done.size > MIGRATION_NAMES.length)
    throw new StartFault(
      'The database has the schema of a newer version. Use the quizctl of that version, or restore the backup that was made before the upgrade.',
    );
  return [];
}

function openForMigrations(url: string): Promise<DataSource> {
  return new DataSource({
    type: 'postgres',
    url,
    applicationName: 'quiz-migrate',
    // A migration may take long: only connecting has a limit, and a silent connection is noticed by keep-alive.
    connectTimeoutMS: 5_000,
    extra: { keepAlive: true, keepAliveInitialDelayMillis: 5_000 },
    migrations: MIGRATIONS,
  }).initialize();
}

type Step = { name: string } | { reason: string } | null;

/** Runs the first migration that is missing; null when there is none. */
async function runNext(database: DataSource): Promise<Step> {
  const runner = database.createQueryRunner();
  const executor = new MigrationExecutor(database, runner);
  try {
    if ((await executor.getPendingMigrations()).length === 0) return null;
    await runner.startTransaction();
    // Limits that the role may have are for requests.
    await runner.query(
      `SELECT set_config(name, '0', true) FROM pg_settings
       WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`,
    );
    await runner.query(`SET LOCAL lock_timeout = ${LOCK_WITHIN}`);
    const [{ locked }] = (await runner.query('SELECT pg_try_advisory_xact_lock($1) AS locked', [
      MIGRATION_LOCK,
    ])) as [{ locked: boolean }];
    if (!locked)
      return { reason: await other(runner, HOLDER, 'another process migrates the schema') };
    // Another process may have run it before we had the lock.
    const [next] = await executor.getPendingMigrations();
    if (next) await executor.executeMigration(next);
    await runner.commitTransaction();
    return next ? { name: next.name } : null;
  } catch (error) {
    const { code = '' } = (error as { driverError?: { code?: string } }).driverError ?? {};
    if (!DO_AGAIN.has(code)) throw error;
    await runner.rollbackTransaction();
    return { reason: await other(runner, OLDEST, 'a migration needs locks that others have') };
  } finally {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
    await runner.release();
  }
}

const HOLDER = `
SELECT a.pid, a.application_name AS name, a.xact_start AS since FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
  AND (l.classid::bigint << 32) + l.objid::bigint = ${MIGRATION_LOCK}
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

const OLDEST = `
SELECT pid, application_name AS name, xact_start AS since FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start < now() - interval '1 second'
ORDER BY xact_start LIMIT 1`;

/** Says which process is waited for, as far as the database shows it. */
async function other(runner: QueryRunner, query: string, reason: string): Promise<string> {
  type Row = { pid: number; name: string; since: Date | null };
  const [row] = (await runner.query(query)) as Row[];
  if (!row) return reason;
  return `${reason} (pid ${row.pid}${row.name && `, ${row.name}`}, since ${row.since?.toISOString() ?? 'some time'})`;
}

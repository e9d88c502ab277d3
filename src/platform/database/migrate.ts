import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { quizctl } from '../config/command-line';
import { StartupError } from '../errors/domain-errors';
import { isUnavailable } from './database-errors';
import { CONNECT_TRIES } from './reach';
import { type Sql, sql } from './sql';

/** A file of the folder `migrations` (see its README), by the name under which `schema_migrations` lists it. */
export interface Migration {
  name: string;
  sql: string;
}

const NUMBERED = /^\d{4}_.+\.sql$/;

/**
 * The numbered files in order, then functions.sql. Its name includes its content, so it runs whenever it has changed.
 */
export function readMigrations(folder = join(__dirname, '../../../migrations')): Migration[] {
  const read = (name: string) => ({ name, sql: readFileSync(join(folder, name), 'utf8') });
  const numbered = readdirSync(folder).filter((name) => NUMBERED.test(name));
  const functions = read('functions.sql');
  const hash = createHash('sha256').update(functions.sql).digest('hex').slice(0, 8);
  return [...numbered.sort().map(read), { ...functions, name: `${functions.name} ${hash}` }];
}

const MIGRATIONS = readMigrations();

/** As `schema_migrations` names them once they have run. */
export const MIGRATION_NAMES = MIGRATIONS.map(({ name }) => name);

/**
 * Compares the migrations of a database with those of this version. Earlier versions of functions.sql do not count as
 * unknown: their rows stay after an upgrade, since processes of the previous version may still run.
 */
export function compareSchema(done: ReadonlySet<string>): { missing: string[]; isNewer: boolean } {
  return {
    missing: MIGRATION_NAMES.filter((name) => !done.has(name)),
    isNewer: [...done].some((name) => NUMBERED.test(name) && !MIGRATION_NAMES.includes(name)),
  };
}

/** Any number that no other user of advisory locks in this database takes. */
export const MIGRATION_LOCK = 7_311_093_550_266;

/** Milliseconds that a migration waits for a lock: every statement that comes after it, reads too, waits as long. */
const LOCK_TIMEOUT = 2_000;

/** PostgreSQL's codes for a lock timeout and for a deadlock. */
const RETRYABLE = new Set(['55P03', '40P01']);

/** The first line of a file that cannot run in a transaction: CREATE INDEX CONCURRENTLY. */
const NO_TRANSACTION = '-- no transaction\n';

/** How to wait for other processes. */
export interface Migrating {
  /** Called when waiting begins, and again when its reason changes. */
  onWait?: (reason: string) => void;
  /** How long to wait, in milliseconds; default: ten minutes. Every migration that succeeds restarts it. */
  patience?: number;
  /** Ends the waiting with an error. */
  signal?: AbortSignal;
  /** Replaces this version's migrations, for tests. */
  migrations?: Migration[];
}

/**
 * Brings the schema up to date, one migration per transaction. The transaction holds an advisory lock: processes that
 * start together take turns, and a killed process leaves nothing behind, even behind a pooler.
 * A migration that hits a lock timeout or a deadlock is rolled back and retried after a pause, while the service
 * continues. Each migration therefore begins with the strongest locks it needs, before it does any work.
 * @returns the names of the migrations that ran, none if the schema was up to date
 * @throws StartupError if others hold their locks for too long, the schema is older than the first release, or this
 *   role may not change it
 */
export async function migrate(
  url: string,
  { onWait = () => undefined, patience = 600_000, signal, migrations = MIGRATIONS }: Migrating = {},
): Promise<string[]> {
  const client = await connectForMigrations(url);
  const done: string[] = [];
  let reported: string | undefined;
  let since = Date.now();
  let pause = 100;
  try {
    for (;;) {
      const step = await runNext(client, migrations, url);
      if (step === null) return done;
      if ('name' in step) {
        done.push(step.name);
        since = Date.now();
        pause = 100;
        continue;
      }
      if (Date.now() - since > patience)
        throw new StartupError(
          `The schema was not migrated within ${Math.round(patience / 1_000)} seconds: ${step.reason}. Let that process end, or stop it, and start again.`,
        );
      if (step.reason !== reported) onWait((reported = step.reason));
      await sleep((pause = Math.min(pause * 2, 2_000)), undefined, { signal });
    }
  } finally {
    await client.end();
  }
}

/**
 * For tools that must not migrate the database of a running service of another version. An empty database is
 * migrated.
 * @throws StartupError if the schema is not this version's
 */
export async function requireSchema(url: string): Promise<string[]> {
  const { isEmpty, missing, isNewer } = await schemaState(url);
  if (isEmpty) return migrate(url);
  if (isNewer)
    throw new StartupError(
      'The database has the schema of a newer version. Use the quizctl of that version, or restore the backup that was made before the upgrade.',
    );
  if (missing.length > 0)
    throw new StartupError(
      `The database has the schema of an older version: ${missing.length} of ${MIGRATION_NAMES.length} migrations are missing. Make a backup and run ${quizctl('migrate')}, or use the quizctl of the older version.`,
    );
  return [];
}

/** The schema of a database, compared with that of this version. */
export async function schemaState(url: string) {
  const client = await connectForMigrations(url);
  const done = await namesOfDone(client).finally(() => client.end());
  return { isEmpty: done.size === 0, ...compareSchema(done) };
}

/** Whether the database has content of an earlier version whose tables `migrate` would change. */
export async function isUpgrade(url: string): Promise<boolean> {
  const { isEmpty, missing } = await schemaState(url);
  return !isEmpty && missing.some((name) => NUMBERED.test(name));
}

/** A migration may take long: only connecting has a limit, and keep-alive notices a silent connection. */
export async function connectForMigrations(url: string): Promise<Client> {
  for (let tries = 1; ; tries++)
    try {
      return await connectOnce(url);
    } catch (error) {
      if (tries === CONNECT_TRIES || !isUnavailable(error)) throw error;
    }
}

async function connectOnce(url: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: 'quiz-migrate',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  });
  // The current statement rejects; without a listener Node would end the process as well.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function namesOfDone(client: Client): Promise<Set<string>> {
  // The baseline's youngest column tells what the baseline was.
  const { rows } = await client.query<{ done: boolean; old: boolean }>(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS done,
       to_regclass('quizzes') IS NOT NULL AND NOT EXISTS (SELECT FROM pg_attribute
         WHERE attrelid = to_regclass('webhook_deliveries') AND attname = 'attempt_job') AS old`,
  );
  if (rows[0]?.old)
    throw new StartupError(
      'The database was created by a development version whose schema cannot be upgraded. Export its quizzes with the quizctl of that version (quizctl export), start with an empty database or an empty DATA_DIR, and import them.',
    );
  if (!rows[0]?.done) return new Set();
  const names = await client.query<{ name: string }>('SELECT name FROM schema_migrations');
  return new Set(names.rows.map(({ name }) => name));
}

type Step = { name: string } | { reason: string } | null;

/** Runs the first migration that is missing; null when there is none. */
async function runNext(client: Client, migrations: Migration[], url: string): Promise<Step> {
  const missing = async () => {
    const done = await namesOfDone(client);
    return migrations.filter(({ name }) => !done.has(name));
  };
  const pending = await missing();
  if (pending.length === 0) return null;
  await requireOwner(client, pending);
  let isOpen = true;
  await client.query('BEGIN');
  try {
    // The role's limits are for requests.
    await client.query(
      `SELECT set_config(name, '0', true) FROM pg_settings
       WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`,
    );
    await client.query(
      `SELECT set_config('lock_timeout', $1, true), set_config('client_min_messages', 'warning', true)`,
      [String(LOCK_TIMEOUT)],
    );
    const { rows } = await client.query<{ locked: boolean }>(
      'SELECT pg_try_advisory_xact_lock($1) AS locked',
      [MIGRATION_LOCK],
    );
    if (!rows[0]?.locked)
      return {
        reason: await reasonWithHolder(client, HOLDER, 'another process migrates the schema'),
      };
    await client.query(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
         name text CONSTRAINT schema_migrations_pkey PRIMARY KEY,
         run_at timestamptz NOT NULL DEFAULT clock_timestamp()
       )`,
    );
    // Another process may have run it before we got the lock.
    const [next] = await missing();
    if (next) {
      if (next.sql.startsWith(NO_TRANSACTION)) await runOutside(url, next.sql);
      else await client.query(next.sql);
      await client.query('INSERT INTO schema_migrations (name) VALUES ($1)', [next.name]);
    }
    await client.query('COMMIT');
    isOpen = false;
    return next ? { name: next.name } : null;
  } catch (error) {
    if (!RETRYABLE.has((error as { code?: string }).code ?? '')) throw error;
    await client.query('ROLLBACK');
    isOpen = false;
    return {
      reason: await reasonWithHolder(client, OLDEST, 'a migration needs locks that others have'),
    };
  } finally {
    if (isOpen) await client.query('ROLLBACK').catch(() => undefined);
  }
}

/**
 * The role of ops/runtime-role.sql reads and writes rows, and cannot change the schema.
 * @throws StartupError that names what is pending, and the command
 */
async function requireOwner(client: Client, pending: Migration[]): Promise<void> {
  const { rows } = await client.query<{ role: string; may: boolean }>(
    `SELECT current_user AS role, has_schema_privilege(current_user, 'public', 'CREATE') AS may`,
  );
  const [row] = rows;
  if (!row || row.may) return;
  const names = pending.map(({ name }) => name).join(', ');
  const count = pending.length === 1 ? '1 migration is' : `${pending.length} migrations are`;
  throw new StartupError(
    `${count} pending (${names}), and the role "${row.role}" may not change the schema: run ${quizctl('migrate')} as the role that owns the database, then start again.`,
  );
}

/** Statement by statement, while the other connection's transaction holds the advisory lock. */
async function runOutside(url: string, script: string): Promise<void> {
  const client = await connectForMigrations(url);
  try {
    await client.query('SET statement_timeout = 0');
    for (const statement of script.split(/;\s*$/m)) await client.query(statement);
  } finally {
    // A pooler lends this connection to other clients afterwards.
    await client.query('RESET statement_timeout').catch(() => undefined);
    await client.end();
  }
}

const HOLDER = sql`
SELECT a.pid, a.application_name AS name, a.xact_start AS since FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
  AND (l.classid::bigint << 32) + l.objid::bigint = ${MIGRATION_LOCK}
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

const OLDEST = sql`
SELECT pid, application_name AS name, xact_start AS since FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start < now() - interval '1 second'
ORDER BY xact_start LIMIT 1`;

/** The reason with the process that is waited for, as far as the database shows it. */
async function reasonWithHolder(
  client: Client,
  { text, values }: Sql,
  reason: string,
): Promise<string> {
  const { rows } = await client.query<{ pid: number; name: string; since: Date | null }>(text, [
    ...values,
  ]);
  const [row] = rows;
  if (!row) return reason;
  return `${reason} (pid ${row.pid}${row.name && `, ${row.name}`}, since ${row.since?.toISOString() ?? 'some time'})`;
}

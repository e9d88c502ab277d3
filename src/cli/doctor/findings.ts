import { statfs } from 'node:fs/promises';
import type { RedisOptions } from 'ioredis';
import type { DataSource } from 'typeorm';
import { measureClock, SKEW_LIMIT } from '../../platform/clock';
import { quizctl } from '../../platform/config/command-line';
import type { Config } from '../../platform/config/config';
import { MIGRATION_NAMES, schemaState } from '../../platform/database/migrate';
import { redisFacts, redisPlace } from '../../platform/database/redis';
import { query, type Sql, sql } from '../../platform/database/sql';

/** One result of the doctor. */
export interface DoctorFinding {
  /** What was checked, one word: `database`. */
  check: string;
  /** `warning`: it works, but not as it should. `error`: something does not work. */
  state: 'good' | 'warning' | 'error';
  /** A plain sentence. Unless the state is good it ends with what to do. */
  message: string;
}

const finding = (state: DoctorFinding['state']) => (check: string, message: string) => {
  return { check, state, message } satisfies DoctorFinding;
};
export const good = finding('good');
export const warning = finding('warning');
export const failure = finding('error');

const GIB = 2 ** 30;

/** The disk under DATA_DIR, where the embedded database writes. */
export async function diskFinding(dataDir: string): Promise<DoctorFinding> {
  const { bavail, bsize } = await statfs(dataDir);
  return freeSpaceFinding(bavail * bsize, dataDir);
}

/** @param free bytes */
export function freeSpaceFinding(free: number, dataDir: string): DoctorFinding {
  const sentence = `${(free / GIB).toFixed(1)} GiB are free on the disk of ${dataDir}`;
  if (free < GIB / 10)
    return failure('disk', `${sentence}: the database is about to stop. Make room.`);
  if (free < GIB) return warning('disk', `${sentence}: make room before the database stops.`);
  return good('disk', `${sentence}.`);
}

/** Milliseconds for one statement, above which pages feel slow: most requests need one to three. */
const SLOW = 20;
/** Milliseconds. Sessions, retries and expiry compare times of several machines. */
const SKEW_WARNS = 1_000;

/** Version, response time, free connections. */
export async function databaseFindings(database: DataSource): Promise<DoctorFinding[]> {
  const { version, used, most, size, readOnly, isStandby } = await one<{
    version: string;
    used: number;
    most: number;
    size: string;
    readOnly: boolean;
    isStandby: boolean;
  }>(
    database,
    sql`SELECT current_setting('server_version') AS version, current_setting('max_connections')::int AS most,
            current_setting('transaction_read_only')::boolean AS "readOnly", pg_is_in_recovery() AS "isStandby",
            (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
            pg_size_pretty(pg_database_size(current_database())) AS size`,
  );
  const times: number[] = [];
  for (let look = 0; look < 5; look++) {
    const begun = performance.now();
    await query(database, sql`SELECT 1`);
    times.push(performance.now() - begun);
  }
  const median = Math.round((times.sort((a, b) => a - b)[2] ?? 0) * 10) / 10;
  const facts = `PostgreSQL ${version.split(' ')[0]} responds in ${median} ms; the database holds ${size}.`;
  return [
    ...(readOnly ? [readOnlyFinding(isStandby)] : []),
    median > SLOW
      ? warning(
          'database',
          `${facts} That is slow: move the service closer to it, or find out what keeps it busy.`,
        )
      : good('database', facts),
    used > 0.8 * most
      ? warning(
          'connections',
          `${used} of ${most} connections of the database are in use: raise max_connections, or run fewer processes.`,
        )
      : good('connections', `${used} of ${most} connections of the database are in use.`),
  ];
}

function readOnlyFinding(isStandby: boolean): DoctorFinding {
  const cause = isStandby
    ? 'It is a standby: point DATABASE_URL at the primary.'
    : 'default_transaction_read_only is on, which managed databases do when their disk is full: free some space, then reset it.';
  return failure(
    'database',
    `The database is read-only: reads are served, every change gets 503. ${cause}`,
  );
}

/** The machine's clock against the database's. */
export async function clockFinding(database: DataSource): Promise<DoctorFinding> {
  const skew = Math.round((await measureClock(database)).skew);
  const away = Math.abs(skew);
  const sentence = `The clocks of this machine and of the database are ${away} ms apart`;
  const todo = 'let both follow the same time server (NTP).';
  if (away > SKEW_LIMIT)
    return failure(
      'clock',
      `${sentence}: processes here do not start, and nothing is deleted by age; ${todo}`,
    );
  if (away > SKEW_WARNS) return warning('clock', `${sentence}: ${todo}`);
  return good('clock', `${sentence}.`);
}

/** Compares what this version needs with what the database has. */
export async function migrationsFinding(url: string): Promise<DoctorFinding> {
  const { missing, isNewer } = await schemaState(url);
  if (isNewer)
    return warning(
      'migrations',
      'The database was migrated by a newer version than this one: finish the upgrade, or restore the backup that was made before it.',
    );
  if (missing.length > 0)
    return failure(
      'migrations',
      `${missing.length} of ${MIGRATION_NAMES.length} migrations are missing: run ${quizctl('migrate')}, or start the service.`,
    );
  return good('migrations', `All ${MIGRATION_NAMES.length} migrations have been run.`);
}

async function one<T>(database: DataSource, statement: Sql): Promise<T> {
  const [row] = await query<T[]>(database, statement);
  return row as T;
}

/** BullMQ's minimum version. */
const OLDEST = [6, 2];

/** The queue, in Redis or in the database; `database` is null if that does not respond. */
export async function queueFindings(
  config: Config,
  database: DataSource | null,
): Promise<DoctorFinding[]> {
  const place = redisPlace(config);
  return place ? redisFindings(place) : database ? postgresFindings(database) : [];
}

async function redisFindings(where: RedisOptions): Promise<DoctorFinding[]> {
  const place = where.sentinels ? `${where.name} (by Sentinel)` : `${where.host}:${where.port}`;
  try {
    const { version, evictionPolicy, appendOnly, latency } = await redisFacts(where);
    return [
      isOlder(version)
        ? failure(
            'queue',
            `Redis at ${place} has version ${version}: the queue needs ${OLDEST.join('.')} or newer, so upgrade it.`,
          )
        : good('queue', `Redis ${version} at ${place} responds in ${latency} ms.`),
      evictionPolicy === 'noeviction'
        ? good('eviction', 'Redis evicts nothing.')
        : failure(
            'eviction',
            `Redis evicts entries when it is full (${evictionPolicy}), and the queue may lose jobs: set maxmemory-policy noeviction.`,
          ),
      appendOnly
        ? good('persistence', 'Redis keeps its entries on disk (AOF).')
        : warning(
            'persistence',
            'Redis forgets the queue when it restarts; deliveries are then found again in the database, up to 15 seconds later. Set appendonly yes.',
          ),
    ];
  } catch (error) {
    return [
      failure(
        'queue',
        `Redis at ${place} does not respond (${(error as Error).message}): nothing is delivered until it does. Start it, or check REDIS_URL.`,
      ),
    ];
  }
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldMajor = 0, oldMinor = 0] = OLDEST;
  return major < oldMajor || (major === oldMajor && minor < oldMinor);
}

async function postgresFindings(database: DataSource): Promise<DoctorFinding[]> {
  const { there } = await one<{ there: boolean }>(
    database,
    sql`SELECT to_regnamespace('bullmq') IS NOT NULL AS there`,
  );
  return [
    there
      ? good('queue', 'The queue is in the database, since REDIS_URL is not set.')
      : warning(
          'queue',
          `The queue uses the database, but its tables do not exist yet. Start the worker, or run ${quizctl('migrate')}.`,
        ),
  ];
}

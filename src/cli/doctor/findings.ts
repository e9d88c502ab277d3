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
const mib = (bytes: number) => Math.floor(bytes / 2 ** 20);

/** The disk under DATA_DIR, where the embedded database writes. */
export async function diskFinding(dataDir: string): Promise<DoctorFinding> {
  const { bavail, bsize } = await statfs(dataDir);
  return freeSpaceFinding(bavail * bsize, dataDir);
}

/** @param free bytes */
export function freeSpaceFinding(free: number, dataDir: string): DoctorFinding {
  const size = free < GIB ? `${mib(free)} MiB` : `${(free / GIB).toFixed(1)} GiB`;
  const sentence = `${size} are free on the disk of ${dataDir}`;
  if (free < GIB / 10)
    return failure('disk', `${sentence}: the database is about to stop. Make room.`);
  if (free < GIB) return warning('disk', `${sentence}: make room before the database stops.`);
  return good('disk', `${sentence}.`);
}

/** Milliseconds for one statement, above which pages feel slow: most requests need one to three. */
const SLOW = 20;
/** Milliseconds. Sessions, retries and expiry compare times of several machines. */
const SKEW_WARNS = 1_000;

/** Version, response time, size and the connections in use. */
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
            -- To a plain role, pg_stat_activity does not say which sessions of other roles are clients.
            (SELECT sum(numbackends)::int FROM pg_stat_database) AS used,
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
  const sentence = `The clocks of this machine and of the database are ${inUnit(away)} apart`;
  const todo = 'let both follow the same time server (NTP).';
  if (away > SKEW_LIMIT)
    return failure(
      'clock',
      `${sentence}: processes here do not start, and nothing is deleted by age; ${todo}`,
    );
  if (away > SKEW_WARNS) return warning('clock', `${sentence}: ${todo}`);
  return good('clock', `${sentence}.`);
}

const inUnit = (milliseconds: number): string =>
  milliseconds > SKEW_LIMIT
    ? `${Math.round(milliseconds / 1_000).toLocaleString('en')} seconds`
    : `${milliseconds} ms`;

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
      `${missing.length} of ${MIGRATION_NAMES.length} migrations are missing: run ${quizctl('migrate')} as the role that owns the database, or start the service.`,
    );
  return good('migrations', `All ${MIGRATION_NAMES.length} migrations have been run.`);
}

async function one<T>(database: DataSource, statement: Sql): Promise<T> {
  const [row] = await query<T[]>(database, statement);
  return row as T;
}

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
    const { version, evictionPolicy, appendOnly, usedMemory, maxMemory, latency, hasDatabase } =
      await redisFacts(where);
    return [
      hasDatabase
        ? redisVersionFinding(version, place, latency)
        : failure(
            'queue',
            `Redis at ${place} has no database ${where.db}, so the queue is in database 0, perhaps with that of another service: end REDIS_URL with a number below the setting "databases" of Redis, or with none.`,
          ),
      ...memoryFindings(usedMemory, maxMemory, evictionPolicy),
      appendOnly
        ? good('persistence', 'Redis keeps its entries on disk (AOF).')
        : warning(
            'persistence',
            'Redis may forget the queue when it restarts; deliveries are then found again in the database, within a minute. Set appendonly yes.',
          ),
    ];
  } catch (error) {
    return [
      failure(
        'queue',
        `Redis at ${place} cannot be used (${(error as Error).message}): nothing is delivered until it can. Start it, or check REDIS_URL and its password.`,
      ),
    ];
  }
}

/**
 * A full Redis still responds, and refuses jobs.
 * @param policy those whose names begin with `allkeys` evict jobs instead; `volatile` ones do not, as jobs never expire
 */
export function memoryFindings(used: number, most: number, policy: string): DoctorFinding[] {
  const isNearlyFull = most > 0 && used >= 0.8 * most;
  const eviction = evictionFinding(policy, isNearlyFull);
  if (!isNearlyFull) return [eviction];
  const sentence = `Redis uses ${mib(used)} of ${mib(most)} MiB`;
  const effect = policy.startsWith('allkeys')
    ? 'it evicts jobs, and their webhooks and imports wait until a worker adds them again'
    : 'webhooks and imports wait';
  // A full Redis that evicts nothing refuses every job.
  const then = policy === 'noeviction' ? '' : ', and only then set maxmemory-policy noeviction';
  const todo = `Raise maxmemory, or find out what fills it${then}.`;
  return [
    eviction,
    used < most
      ? warning('memory', `${sentence}: when it is full, ${effect}. ${todo}`)
      : failure('memory', `${sentence} and is full: ${effect}. ${todo}`),
  ];
}

/** @param isNearlyFull another finding says how to make room, which comes first */
function evictionFinding(policy: string, isNearlyFull: boolean): DoctorFinding {
  if (policy === 'noeviction') return good('eviction', 'Redis evicts nothing.');
  const first = isNearlyFull ? 'make room first, then ' : '';
  const todo = `: ${first}set maxmemory-policy noeviction.`;
  if (policy.startsWith('allkeys'))
    return failure(
      'eviction',
      `Redis evicts entries when it is full (${policy}), and the queue may lose jobs${todo}`,
    );
  return warning(
    'eviction',
    `Redis evicts entries that expire when it is full (${policy}): jobs stay, but locks of running jobs and counters of rate limits may be lost${todo}`,
  );
}

/** BullMQ ends with an older one. */
const OLDEST_REDIS = [5, 0];
/** BullMQ logs a warning with an older one. */
const RECOMMENDED_REDIS = [6, 2];

export function redisVersionFinding(
  version: string,
  place: string,
  latency: number,
): DoctorFinding {
  const sentence = `Redis ${version} at ${place}`;
  if (isOlder(version, OLDEST_REDIS))
    return failure('queue', `${sentence} is too old for the queue: upgrade it to 6.2 or newer.`);
  if (isOlder(version, RECOMMENDED_REDIS))
    return warning(
      'queue',
      `${sentence} is older than the queue recommends: upgrade it to 6.2 or newer.`,
    );
  return good('queue', `${sentence} responds in ${latency} ms.`);
}

function isOlder(version: string, [major = 0, minor = 0]: readonly number[]): boolean {
  const [hasMajor = 0, hasMinor = 0] = version.split('.').map(Number);
  return hasMajor < major || (hasMajor === major && hasMinor < minor);
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
          `The queue uses the database, but its tables do not exist yet. Run ${quizctl('migrate')} as the role that owns the database.`,
        ),
  ];
}

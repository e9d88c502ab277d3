import type { DataSource } from 'typeorm';
import { measureClock, SKEW_LIMIT } from '../../platform/database/database-clock';
import { MIGRATION_NAMES, schemaState } from '../../platform/database/migrate';
import { failure, good, warning, type Finding } from './findings';

/** Milliseconds for one statement, above which pages feel slow: most requests need one to three. */
const SLOW = 20;
/** Milliseconds. Sessions, leases and retries compare times of several machines. */
const SKEW_WARNS = 1_000;

/** Version, response time, free connections. */
export async function databaseFindings(database: DataSource): Promise<Finding[]> {
  const { version, used, most, size } = await one<{
    version: string;
    used: number;
    most: number;
    size: string;
  }>(
    database,
    `SELECT current_setting('server_version') AS version, current_setting('max_connections')::int AS most,
            (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
            pg_size_pretty(pg_database_size(current_database())) AS size`,
  );
  const times: number[] = [];
  for (let look = 0; look < 5; look++) {
    const begun = performance.now();
    await database.query('SELECT 1');
    times.push(performance.now() - begun);
  }
  const median = Math.round((times.sort((a, b) => a - b)[2] ?? 0) * 10) / 10;
  const facts = `PostgreSQL ${version.split(' ')[0]} responds in ${median} ms; the database holds ${size}.`;
  return [
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

/** The machine's clock against the database's. */
export async function clockFinding(database: DataSource): Promise<Finding> {
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
export async function migrationsFinding(url: string): Promise<Finding> {
  const { missing, isNewer } = await schemaState(url);
  if (isNewer)
    return warning(
      'migrations',
      'The database was migrated by a newer version than this one: finish the upgrade, or restore the backup that was made before it.',
    );
  if (missing.length > 0)
    return failure(
      'migrations',
      `${missing.length} of ${MIGRATION_NAMES.length} migrations are missing: run quizctl migrate, or start the service.`,
    );
  return good('migrations', `All ${MIGRATION_NAMES.length} migrations have been run.`);
}

async function one<T>(database: DataSource, statement: string): Promise<T> {
  const [row] = await database.query<T[]>(statement);
  return row as T;
}

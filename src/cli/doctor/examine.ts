import { hasEmbeddedData, startEmbeddedPostgres } from '#embedded-postgres';
import { DataSource } from 'typeorm';
import { InvalidSettings, loadConfig, type Config } from '../../platform/config/config';
import { environment } from '../../platform/config/environment';
import { misspelledSettings } from '../../platform/config/settings';
import { DeadlineClient } from '../../platform/database/connections';
import { DatabaseUnreachable, reachDatabase } from '../../platform/database/reach';
import { clockFinding, databaseFindings, migrationsFinding } from './database.findings';
import { diskFinding, failure, good, warning, type Finding } from './findings';
import { queueFindings } from './queue.findings';
import { secretsFinding, workerFindings } from './webhooks.findings';

/** Checks everything that the service needs, changes nothing, and continues if something is missing. */
export async function examine(env = environment()): Promise<Finding[]> {
  let config: Config;
  try {
    config = loadConfig(env);
  } catch (error) {
    if (!(error instanceof InvalidSettings)) throw error;
    return error.errors.map((it) => failure('settings', `${it}.`));
  }
  const settings = [
    settingsFinding(config),
    ...misspelledSettings(env).map((it) => warning('settings', it)),
  ];
  const place = await openDatabase(config);
  if ('state' in place) return [...settings, place, ...(await queueFindings(config, null))];
  const { database, close } = place;
  try {
    return [...settings, ...(await databaseDependent(database, config))];
  } finally {
    await close();
  }
}

function settingsFinding(config: Config): Finding {
  if (config.production && !config.databaseUrl)
    return warning(
      'settings',
      'DATABASE_URL is not set in production: the embedded database is for development. Give it a PostgreSQL server.',
    );
  return good(
    'settings',
    `The settings are valid${config.production ? ', and those of production' : ''}.`,
  );
}

/** Each check by itself: one that fails is a finding, and the others continue. */
async function databaseDependent(database: DataSource, config: Config): Promise<Finding[]> {
  const look = async (check: string, work: () => Promise<Finding | Finding[]>) => {
    try {
      return [await work()].flat();
    } catch (error) {
      return [failure(check, `This could not be looked at (${(error as Error).message}).`)];
    }
  };
  const first = [
    ...(await look('database', () => databaseFindings(database))),
    ...(await look('clock', () => clockFinding(database))),
    ...(config.databaseUrl ? [] : await look('disk', () => diskFinding(config.dataDir))),
    ...(await look('queue', () => queueFindings(config, database))),
  ];
  const [migrations] = await look('migrations', () => migrationsFinding(database));
  const whole = [...first, ...(migrations ? [migrations] : [])];
  // Without its tables there is nothing more to check.
  if (migrations?.state === 'error') return whole;
  return [
    ...whole,
    ...(await look('worker', () => workerFindings(database))),
    ...(await look('encryption', () => secretsFinding(database, config))),
  ];
}

async function openDatabase(
  config: Config,
): Promise<Finding | { database: DataSource; close: () => Promise<void> }> {
  try {
    const { url, release } = await locate(config);
    const database = new DataSource({
      type: 'postgres',
      url,
      logging: false,
      connectTimeoutMS: 5_000,
      extra: { Client: DeadlineClient },
    });
    await database.initialize();
    return {
      database,
      close: async () => {
        await database.destroy();
        await release();
      },
    };
  } catch (error) {
    return failure('database', (error as Error).message);
  }
}

/** @throws Error whose message says what to do */
async function locate({ databaseUrl, dataDir }: Config) {
  if (databaseUrl) {
    await reachDatabase(databaseUrl, { patience: 3_000 });
    return { url: databaseUrl, release: () => Promise.resolve() };
  }
  if (!(await hasEmbeddedData(dataDir))) throw new DatabaseUnreachable(noDatabase(dataDir));
  const embedded = await startEmbeddedPostgres({ dataDir });
  return { url: embedded.url, release: () => embedded.release() };
}

/** For tools: only the service itself creates a database where there is none. */
export const noDatabase = (dataDir: string) =>
  `There is no database yet: DATABASE_URL is not set, and ${dataDir} holds no embedded one. ` +
  'Set DATABASE_URL (or DATA_DIR) as the service has it, or make an embedded one with npm start or quizctl migrate.';

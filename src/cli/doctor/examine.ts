import { DataSource } from 'typeorm';
import {
  type Config,
  environment,
  InvalidSettings,
  loadConfig,
} from '../../platform/config/config';
import { misspelledSettings } from '../../platform/config/settings';
import { DeadlineClient } from '../../platform/database/deadline-client';
import { openDatabase } from '../../platform/database/open-database';
import { secretsFinding } from './encryption.findings';
import {
  clockFinding,
  databaseFindings,
  diskFinding,
  type DoctorFinding,
  failure,
  good,
  migrationsFinding,
  queueFindings,
  warning,
} from './findings';
import { workerFindings } from './worker.findings';

/** Checks everything that the service needs and changes nothing. Only invalid settings end the checks. */
export async function examine(env = environment()): Promise<DoctorFinding[]> {
  let config: Config;
  try {
    config = loadConfig(env);
  } catch (error) {
    if (!(error instanceof InvalidSettings)) throw error;
    return [
      ...error.errors.map((it) => failure('settings', `${it}.`)),
      ...error.hints.map((it) => warning('settings', it)),
    ];
  }
  const settings = [
    settingsFinding(config),
    ...misspelledSettings(env).map((it) => warning('settings', it)),
  ];
  try {
    const found = await withDatabase(config, (database, url) => checkEach(database, url, config));
    return [...settings, ...found];
  } catch (error) {
    const away = failure('database', (error as Error).message);
    const disk = config.databaseUrl ? [] : await diskFinding(config.dataDir).catch(() => []);
    return [...settings, away, ...[disk].flat(), ...(await queueFindings(config, null))];
  }
}

/** @throws Error whose message says what to do */
async function withDatabase<T>(
  config: Config,
  work: (database: DataSource, url: string) => Promise<T>,
): Promise<T> {
  const opened = await openDatabase(config, { schema: 'leave', patience: 3_000 });
  const database = new DataSource({
    type: 'postgres',
    url: opened.url,
    logging: false,
    connectTimeoutMS: 5_000,
    extra: { Client: DeadlineClient },
  });
  try {
    return await work(await database.initialize(), opened.url);
  } finally {
    if (database.isInitialized) await database.destroy();
    await opened.close();
  }
}

function settingsFinding(config: Config): DoctorFinding {
  if (config.production && !config.databaseUrl)
    return warning(
      'settings',
      'DATABASE_URL is not set in production: the embedded database is for development. Give it a PostgreSQL server.',
    );
  return good('settings', `The settings are valid${config.production ? ' for production' : ''}.`);
}

/** Each check by itself: one that fails is a finding, and the others continue. */
async function checkEach(
  database: DataSource,
  url: string,
  config: Config,
): Promise<DoctorFinding[]> {
  const check = async (name: string, work: () => Promise<DoctorFinding | DoctorFinding[]>) => {
    try {
      return [await work()].flat();
    } catch (error) {
      return [failure(name, `This could not be checked (${(error as Error).message}).`)];
    }
  };
  const first = [
    ...(await check('database', () => databaseFindings(database))),
    ...(await check('clock', () => clockFinding(database))),
    ...(config.databaseUrl ? [] : await check('disk', () => diskFinding(config.dataDir))),
    ...(await check('queue', () => queueFindings(config, database))),
  ];
  const [migrations] = await check('migrations', () => migrationsFinding(url));
  const whole = [...first, ...(migrations ? [migrations] : [])];
  // Without its tables there is nothing more to check.
  if (migrations?.state === 'error') return whole;
  return [
    ...whole,
    ...(await check('worker', () => workerFindings(database))),
    ...(await check('encryption', () => secretsFinding(database, config))),
  ];
}

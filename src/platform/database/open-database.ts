import {
  type EmbeddedPostgresOptions,
  hasEmbeddedData,
  startEmbeddedPostgres,
  type SupervisorEvents,
} from '#embedded-postgres';
import { quizctl } from '../config/command-line';
import type { Config } from '../config/config';
import { isUpgrade, migrate, requireSchema } from './migrate';
import { DatabaseUnreachable, reachDatabase, type Waiting } from './reach';

/** The database of this process: reachable, with the schema of this version, ready for use. */
export interface OpenDatabase {
  url: string;
  /** `embedded`: it runs on this machine, with its data in DATA_DIR. */
  kind: 'embedded' | 'server';
  /** Those that ran during this call, by name. */
  migrations: string[];
  /** For a stop that takes time: a service that starts meanwhile waits for an embedded database, and is not refused. */
  unshare(): Promise<void>;
  /** Releases it, and stops an embedded database that this process has started. */
  close(): Promise<void>;
}

export interface Opening extends Waiting {
  /**
   * `migrate` (the default) migrates an older schema, and creates an embedded database if there is none. `require`
   * refuses any other schema and `leave` accepts any; neither creates a database. An empty one is migrated unless `leave`.
   */
  schema?: 'migrate' | 'require' | 'leave';
  /** Called with the URL of an embedded database with content, before its schema is changed. */
  backUp?: (url: string) => Promise<void>;
  /** Other processes may use an embedded database that this one starts, until it ends. */
  share?: boolean;
}

/**
 * Opens the database that the settings name: DATABASE_URL, or the embedded one in DATA_DIR, which belongs to the
 * process that started it. Services share it with others; without one each process starts it for itself.
 * @param supervise given by `npm start`: an embedded server that exits is restarted, and these are called
 * @throws DatabaseUnreachable, StartupError
 */
export async function openDatabase(
  config: Config,
  { schema = 'migrate', share, backUp, ...waiting }: Opening = {},
  supervise?: SupervisorEvents,
): Promise<OpenDatabase> {
  const prepare = async (url: string) => {
    if (schema === 'migrate')
      return migrate(url, { onWait: waiting.onRetry, signal: waiting.signal });
    return schema === 'require' ? requireSchema(url) : [];
  };
  if (config.databaseUrl) {
    await reachDatabase(config.databaseUrl, waiting);
    return {
      url: config.databaseUrl,
      kind: 'server',
      migrations: await prepare(config.databaseUrl),
      unshare: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
  }
  const { dataDir } = config;
  if (schema !== 'migrate' && !(await hasEmbeddedData(dataDir)))
    throw new DatabaseUnreachable(
      `There is no database yet: DATABASE_URL is not set, and ${dataDir} holds no embedded one. ` +
        `Set DATABASE_URL (or DATA_DIR) as the service has it, or make an embedded one with npm start or ${quizctl('migrate')}.`,
    );
  const onWait = (pid: number) => waiting.onRetry?.(`${dataDir} is in use by process ${pid}`);
  const { signal } = waiting;
  const embedded = await startEmbedded({ dataDir, share, supervise, onWait, signal });
  try {
    if (backUp && schema === 'migrate' && (await isUpgrade(embedded.url)))
      await backUp(embedded.url);
    return {
      url: embedded.url,
      kind: 'embedded',
      migrations: await prepare(embedded.url),
      unshare: () => embedded.unshare(),
      close: () => embedded.stop(),
    };
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}

async function startEmbedded(options: EmbeddedPostgresOptions) {
  try {
    return await startEmbeddedPostgres(options);
  } catch (error) {
    throw new DatabaseUnreachable(whyUnusable(error as NodeJS.ErrnoException, options.dataDir), {
      cause: error,
    });
  }
}

/** What helps when the embedded database does not start. The launcher's own errors say it; the system's do not. */
export function whyUnusable(error: NodeJS.ErrnoException, dataDir: string): string {
  const { message, syscall, code } = error;
  if (code === 'ENOSPC')
    return `The disk of DATA_DIR=${dataDir} is full (${message}). Free some space, then start again.`;
  if (syscall?.startsWith('spawn'))
    return `The embedded PostgreSQL cannot be run (${message}). Install the service on a file system that allows programs, or set DATABASE_URL to a PostgreSQL server.`;
  if (syscall)
    return `DATA_DIR=${dataDir} cannot be used (${message}). Choose a folder that this user may write to.`;
  return message;
}

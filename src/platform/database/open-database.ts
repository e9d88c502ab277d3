import { startEmbeddedPostgres, Supervisor, type SupervisorEvents } from '#embedded-postgres';
import type { Config } from '../config/config';
import { migrate, requireSchema } from './migrate';
import { DatabaseUnreachable, reachDatabase, type Waiting } from './reach';

/** The database of this process: reachable, with the schema of this version, ready for use. */
export interface OpenDatabase {
  url: string;
  /** `embedded`: it runs in DATA_DIR, beside this process. */
  kind: 'embedded' | 'server';
  /** Those that ran during this call, by name. */
  migrations: string[];
  /** Releases it; the last process to do so stops an embedded database. */
  close(): Promise<void>;
}

export interface Opening extends Waiting {
  /** Whether to migrate an older schema; if `false`, it is refused. An empty database is always migrated. */
  migrates?: boolean;
}

/**
 * Opens the database that the settings name: DATABASE_URL, or the embedded one in DATA_DIR.
 * @param events if given, an embedded server that exits is restarted, and these are called
 * @throws DatabaseUnreachable, StartupError
 */
export async function openDatabase(
  config: Config,
  { migrates = true, ...waiting }: Opening = {},
  events?: SupervisorEvents,
): Promise<OpenDatabase> {
  const prepare = (url: string) =>
    migrates ? migrate(url, { onWait: waiting.onRetry }) : requireSchema(url);
  if (config.databaseUrl) {
    await reachDatabase(config.databaseUrl, waiting);
    return {
      url: config.databaseUrl,
      kind: 'server',
      migrations: await prepare(config.databaseUrl),
      close: () => Promise.resolve(),
    };
  }
  const { dataDir } = config;
  const embedded = await startEmbedded(dataDir);
  const kept = events ? new Supervisor(embedded, { dataDir }, events) : embedded;
  try {
    return {
      url: embedded.url,
      kind: 'embedded',
      migrations: await prepare(embedded.url),
      close: () => kept.release(),
    };
  } catch (error) {
    await kept.release();
    throw error;
  }
}

/** The launcher's own errors say what to do; the file system's do not. */
async function startEmbedded(dataDir: string) {
  try {
    return await startEmbeddedPostgres({ dataDir });
  } catch (error) {
    const { message, syscall } = error as NodeJS.ErrnoException;
    throw new DatabaseUnreachable(
      syscall
        ? `DATA_DIR=${dataDir} cannot be used (${message}). Choose a folder that this user may write to.`
        : message,
      { cause: error },
    );
  }
}

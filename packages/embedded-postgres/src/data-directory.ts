import { access, readdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** Where one embedded server stores its files; all paths are absolute. */
export interface Layout {
  /** DATA_DIR itself. */
  readonly dataDir: string;
  /** PostgreSQL's data directory. Exists only when it was initialised to the end. */
  readonly cluster: string;
  /** The password of the database user, mode 0600. */
  readonly passwordFile: string;
  /** Everything initdb and the server print. */
  readonly logFile: string;
  /** Held by the process that owns the directory, as long as it runs. */
  readonly lockFile: string;
  /** Written by the server: its process id, port and readiness. */
  readonly postmasterFile: string;
}

/** Names of the temporary directories that initdb works in begin with this. */
export const INIT_PREFIX = 'postgres-init-';

/** User and database of the service. */
export const DATABASE_NAME = 'quiz';

/** The paths below DATA_DIR. */
export function layoutOf(dataDirectory: string): Layout {
  const dataDir = resolve(dataDirectory);
  const cluster = join(dataDir, 'postgres');
  return {
    dataDir,
    cluster,
    passwordFile: join(dataDir, 'postgres-password'),
    logFile: join(dataDir, 'postgres.log'),
    lockFile: join(dataDir, 'postgres.lock'),
    postmasterFile: join(cluster, 'postmaster.pid'),
  };
}

/** Whether the data directory is there; it appears only when it is complete. */
export async function isInitialised(layout: Layout): Promise<boolean> {
  return access(join(layout.cluster, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
}

/** The password of the database user. */
export async function readPassword(layout: Layout): Promise<string> {
  try {
    return (await readFile(layout.passwordFile, 'utf8')).trim();
  } catch (error) {
    throw new Error(
      `The password of ${layout.cluster} cannot be read (${(error as Error).message}): ` +
        'restore the file, or move the data directory away to begin with an empty database',
      { cause: error },
    );
  }
}

/** Removes what an interrupted initialisation left. Only the holder of the lock may call it. */
export async function removeUnfinished(layout: Layout): Promise<void> {
  const names = await readdir(layout.dataDir);
  for (const name of names.filter((each) => each.startsWith(INIT_PREFIX))) {
    // An initdb whose parent was killed may still be writing: the next start gets what stays.
    await rm(join(layout.dataDir, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

import { join, resolve } from 'node:path';

/** Where one embedded server keeps its things; all paths are absolute. */
export interface Layout {
  /** DATA_DIR itself. */
  readonly dataDir: string;
  /** PostgreSQL's data directory. Exists only when it was initialised to the end. */
  readonly cluster: string;
  /** The password of the database user, mode 0600. */
  readonly passwordFile: string;
  /** Everything initdb and the server print. */
  readonly logFile: string;
  /** Held while a process starts or stops the server. */
  readonly lockFile: string;
  /** Written by the server: its process id, port and readiness. */
  readonly postmasterFile: string;
}

/** Names of the temporary directories initdb works in begin with this. */
export const INIT_PREFIX = 'postgres-init-';

/** User and database of the service. */
export const DATABASE_NAME = 'quiz';

/** The places under DATA_DIR. */
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

import { setTimeout as sleep } from 'node:timers/promises';
import { ensureDatabase, urlOf } from './connection';
import { isInitialised, type Layout, layoutOf, removeUnfinished } from './data-directory';
import { DirectoryLock } from './directory-lock';
import { initialiseCluster } from './initdb';
import { launchServer } from './launch';
import { makeFolder } from './make-folder';
import { stopServer } from './postmaster';
import { POLL_MS } from './processes';
import { type Binaries, chooseRunAs, findBinaries } from './programs';
import { Supervisor, type SupervisorEvents } from './supervisor';

/** A PostgreSQL server out of node_modules, for development and tests. */
export interface EmbeddedPostgres {
  /** postgres://… for the service's database (name `quiz`, user `quiz`), 127.0.0.1. */
  readonly url: string;
  /** The data directory was initialised by this call. */
  readonly firstStart: boolean;
  /** It is the server of another process, which may stop it at any time. */
  readonly joined: boolean;
  /** Lets no other process join: it will stop soon. Those that start meanwhile wait until it has. */
  unshare(): Promise<void>;
  /** Stops the server (fast shutdown); nothing if it is another process's. */
  stop(): Promise<void>;
}

/** What to start. */
export interface EmbeddedPostgresOptions {
  /** DATA_DIR; made when it is missing. */
  readonly dataDir: string;
  /** Server settings, e.g. `{ fsync: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Other processes may join the server, until this one stops it. */
  readonly share?: boolean;
  /**
   * For a whole service, which never joins another: it shares the server, which is started again, on its port, when
   * it ends by itself.
   */
  readonly supervise?: SupervisorEvents;
  /** Called once if another process uses the directory alone: it is waited for. */
  readonly onWait?: (pid: number) => void;
  /** Ends waiting for another process, initdb, and the start of the server, with an error. */
  readonly signal?: AbortSignal;
}

/** For one start, initdb included, once it is our turn. */
const START_MS = 60_000;
/** For the process that uses the directory alone. */
const WAIT_MS = 60_000;
/** A process that is about to end or to share its server is not worth mentioning. */
const UNTOLD_MS = 1_500;

/**
 * Starts the server on `<dataDir>/postgres`, which is then this process's, or joins the one that another process shares.
 * What a killed process has left there is ended first.
 * Rejects with an Error that says what to do.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const layout = layoutOf(options.dataDir);
  const binaries = await findBinaries();
  makeFolder(layout.dataDir);
  const lock = await takeDirectory(layout, options);
  if (typeof lock === 'number')
    return {
      url: await urlOf(layout, lock),
      firstStart: false,
      joined: true,
      unshare: () => Promise.resolve(),
      stop: () => Promise.resolve(),
    };
  try {
    return await start(layout, binaries, options, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Whether a database was made there before. */
export function hasEmbeddedData(dataDir: string): Promise<boolean> {
  return isInitialised(layoutOf(dataDir));
}

/** The lock of the directory, or the port of the server that its holder shares. */
async function takeDirectory(
  layout: Layout,
  { supervise, onWait, signal }: EmbeddedPostgresOptions,
): Promise<DirectoryLock | number> {
  const [tellAt, until] = [Date.now() + UNTOLD_MS, Date.now() + WAIT_MS];
  let told = false;
  for (;;) {
    const lock = await DirectoryLock.take(layout.lockFile);
    if (lock instanceof DirectoryLock) return lock;
    if (lock !== 'writing') {
      const { pid, port } = lock;
      if (port !== undefined && supervise)
        throw new Error(
          `${layout.dataDir} is used by another service (process ${pid}): stop it, or choose another DATA_DIR`,
        );
      if (port !== undefined && (await answers(layout, port))) return port;
      if (Date.now() >= until)
        throw new Error(
          `${layout.dataDir} is in use by another process (${pid}): wait until it ends, or choose another DATA_DIR. ` +
            `If that process is not one of the service's, delete ${layout.lockFile}`,
        );
      if (!told && Date.now() >= tellAt) {
        told = true;
        onWait?.(pid);
      }
    }
    // Uneven steps, so that many waiting processes do not come in step.
    await sleep(POLL_MS + Math.random() * POLL_MS, undefined, { signal });
  }
}

/** As a server answers that is stopping or starting, or whose connection ends for it. */
const STOPPING_CODE = /^(?:ECONNREFUSED|ECONNRESET|EPIPE|57P0[123])$/;
const STOPPING_MESSAGE = /^Connection terminated|not queryable/;

/** Whether the server that another process shares can be used; false while it stops or starts again. */
async function answers(layout: Layout, port: number): Promise<boolean> {
  try {
    await ensureDatabase(layout, port);
    return true;
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code === undefined ? STOPPING_MESSAGE.test(message) : STOPPING_CODE.test(code))
      return false;
    throw new Error(
      `The embedded PostgreSQL of ${layout.dataDir} cannot be used (${message}): ${adviceFor(error, layout)}`,
      { cause: error },
    );
  }
}

async function start(
  layout: Layout,
  binaries: Binaries,
  { settings, share, supervise, signal }: EmbeddedPostgresOptions,
  lock: DirectoryLock,
): Promise<EmbeddedPostgres> {
  const until = Date.now() + START_MS;
  await removeUnfinished(layout);
  const runAs = await chooseRunAs(binaries.postgres, layout.cluster);
  const firstStart = !(await isInitialised(layout));
  if (firstStart)
    await initialiseCluster(layout, binaries, runAs, until, settings?.fsync !== 'off', signal);
  const { child, port } = await launchServer(layout, binaries, runAs, {
    settings,
    until,
    signal,
  });
  let url: string;
  try {
    await ensureDatabase(layout, port);
    url = await urlOf(layout, port);
    if (share || supervise) await lock.announce(port);
  } catch (error) {
    await stopServer(layout, binaries.pgCtl);
    throw new Error(
      `The embedded PostgreSQL started but cannot be used (${(error as Error).message}): ${adviceFor(error, layout)}`,
      { cause: error },
    );
  }
  const supervisor = supervise && new Supervisor(child, launchAgain, supervise);
  async function launchAgain(stopping: AbortSignal) {
    // On its port: pools then find it where it was.
    const options = { settings, port, until: Date.now() + START_MS, signal: stopping };
    return (await launchServer(layout, binaries, runAs, options)).child;
  }
  // The server stops even if this cannot be written: the disk may be full.
  const unshare = () => lock.announce(undefined).catch(() => undefined);
  return {
    url,
    firstStart,
    joined: false,
    unshare,
    async stop() {
      await supervisor?.stop();
      await unshare();
      await stopServer(layout, binaries.pgCtl);
      await lock.release();
    },
  };
}

/** What to do about an error of the first connection. Only a wrong password is a reason to move data away. */
function adviceFor(error: unknown, layout: Layout): string {
  const { code } = error as { code?: string };
  if (code === '28P01')
    return (
      `does ${layout.passwordFile} belong to ${layout.cluster}? ` +
      'Move both away to begin with an empty database'
    );
  if (code === '53100' || code === 'ENOSPC')
    return `the disk of ${layout.dataDir} is full. Free some space`;
  return `read ${layout.logFile}`;
}

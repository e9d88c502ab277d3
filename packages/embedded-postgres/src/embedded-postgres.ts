import { mkdir } from 'node:fs/promises';
import type { Client } from 'pg';
import { findBinaries, type Binaries } from './binaries';
import { initialiseCluster, isInitialised, readPassword, removeUnfinished } from './cluster';
import { settleWithin } from './deadline';
import { LockHeldError, withFileLock } from './file-lock';
import { launchServer, type LaunchOptions } from './launch';
import { layoutOf, type Layout } from './layout';
import { clearWreck, findServer, readPostmaster, stopServer } from './postmaster';
import { isDeserted, isOurs, openPresence, urlFor } from './presence';
import { servesDirectory } from './processes';
import { chooseRunAs } from './run-as';

/** A PostgreSQL server out of node_modules, for development and tests. */
export interface EmbeddedPostgres {
  /** postgres://… for the service's database (name `quiz`, user `quiz`), 127.0.0.1. */
  readonly url: string;
  /** The data directory was initialised by this call. */
  readonly firstStart: boolean;
  /** A server that already ran on this directory was adopted instead of started. */
  readonly adopted: boolean;
  /** Resolves when the server ended, or cut us off, although nobody here asked for it. */
  readonly lost: Promise<void>;
  /** Stops the server now (fast shutdown), whoever uses it. */
  stop(): Promise<void>;
  /** Stops the server unless another process is still connected ("the last one out turns off the light"). */
  release(): Promise<void>;
}

/** What to start. */
export interface EmbeddedPostgresOptions {
  /** DATA_DIR; made when it is missing. */
  readonly dataDir: string;
  /** Server settings, e.g. `{ fsync: 'off' }`. An adopted server keeps those it has. */
  readonly settings?: Record<string, string>;
  /** The port to take, if it has to be started; absent: a free one. */
  readonly port?: number;
}

/** For one start, initdb included, once it is our turn. */
const START_MS = 60_000;
/** For the processes before us to start, all together. */
const LOCK_MS = 120_000;
/** For leaving: whoever holds the lock for longer starts the server and wants it to stay. */
const LEAVE_MS = 10_000;

/**
 * Starts the server on `<dataDir>/postgres`, or adopts the one that runs there. Any number of
 * processes may call this at once; one starts the server, all get its URL. The server outlives
 * the caller until somebody calls `stop` or the last user calls `release`.
 * Rejects with an Error that says what to do.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const layout = layoutOf(options.dataDir);
  const binaries = await findBinaries();
  await mkdir(layout.dataDir, { recursive: true });
  return withFileLock(layout.lockFile, LOCK_MS, async () => {
    const until = Date.now() + START_MS;
    await removeUnfinished(layout);
    return (
      (await adopt(layout, binaries, until)) ??
      (await start(layout, binaries, {
        until,
        settings: options.settings ?? {},
        port: options.port,
      }))
    );
  });
}

/** Whether a database was made there before. */
export function hasEmbeddedData(dataDir: string): Promise<boolean> {
  return isInitialised(layoutOf(dataDir));
}

async function adopt(
  layout: Layout,
  binaries: Binaries,
  until: number,
): Promise<EmbeddedPostgres | undefined> {
  const server = await findServer(layout, until);
  if (!server) return undefined;
  const password = await readPassword(layout);
  let presence: Client;
  try {
    presence = await openPresence(server.port, password, until);
  } catch (error) {
    const serves = await servesDirectory(server.pid, layout.cluster);
    // The process of a stale file has ended meanwhile, or was some other server all along.
    if (serves === 'no' || !server.certain) return undefined;
    throw new Error(
      `A PostgreSQL server (process ${server.pid}) runs on ${layout.cluster} but cannot be ` +
        `used (${(error as Error).message}): stop it with "kill -INT ${server.pid}" and try again`,
      { cause: error },
    );
  }
  if (!server.certain && !(await isOurs(presence, layout))) {
    await presence.end();
    return undefined;
  }
  const url = urlFor(server.port, password);
  return handle({ layout, binaries, presence }, { url, firstStart: false, adopted: true });
}

async function start(
  layout: Layout,
  binaries: Binaries,
  options: LaunchOptions,
): Promise<EmbeddedPostgres> {
  const { until, settings } = options;
  const runAs = await chooseRunAs(binaries.postgres, layout.cluster);
  const firstStart = !(await isInitialised(layout));
  if (firstStart) {
    const sync = settings.fsync !== 'off';
    await initialiseCluster(layout, binaries, runAs, { until, sync });
  } else {
    await clearWreck(layout);
  }
  const password = await readPassword(layout);
  const { port } = await launchServer(layout, binaries, runAs, options);
  try {
    const presence = await openPresence(port, password, until);
    const url = urlFor(port, password);
    return handle({ layout, binaries, presence }, { url, firstStart, adopted: false });
  } catch (error) {
    await stopServer(layout, binaries.pgCtl);
    throw new Error(
      `The embedded PostgreSQL started but cannot be used (${(error as Error).message}): ` +
        `does ${layout.passwordFile} belong to ${layout.cluster}? ` +
        'Move both away to begin with an empty database',
      { cause: error },
    );
  }
}

interface Attachment {
  readonly layout: Layout;
  readonly binaries: Binaries;
  readonly presence: Client;
}

function handle(
  { layout, binaries, presence }: Attachment,
  facts: Pick<EmbeddedPostgres, 'url' | 'firstStart' | 'adopted'>,
): EmbeddedPostgres {
  let leaving = false;
  const lost = new Promise<void>((resolve) => {
    presence.once('end', () => {
      if (!leaving) resolve();
    });
  });
  const leave = async (work: () => Promise<void>): Promise<boolean> => {
    leaving = true;
    await settleWithin(2_000, presence.end());
    try {
      await withFileLock(layout.lockFile, LEAVE_MS, work);
      return true;
    } catch (error) {
      if (error instanceof LockHeldError) return false;
      // The whole directory was deleted; the server ends itself when it notices.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
      throw error;
    }
  };
  const stopNow = () => stopServer(layout, binaries.pgCtl);
  return {
    ...facts,
    lost,
    async stop() {
      if (!(await leave(stopNow))) await stopNow();
    },
    async release() {
      await leave(async () => {
        const postmaster = await readPostmaster(layout);
        if (!postmaster) return;
        if (await isDeserted(postmaster.port, await readPassword(layout))) await stopNow();
      });
    },
  };
}

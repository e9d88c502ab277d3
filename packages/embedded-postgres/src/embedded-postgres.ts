import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { hasNoClients, isOurs, register, urlFor } from './clients';
import {
  isInitialised,
  layoutOf,
  readPassword,
  removeUnfinished,
  type Layout,
} from './data-directory';
import { LockHeldError, withFileLock } from './file-lock';
import { initialiseCluster } from './initdb';
import { launchServer, type LaunchOptions } from './launch';
import { clearWreck, findServer, stopServer, type RunningServer } from './postmaster';
import { processesIn, servesDirectory, waitUntil } from './processes';
import { chooseRunAs, findBinaries, type Binaries } from './programs';

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
  /** Stops the server unless another process is still connected. */
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
    const adopted = await adopt(layout, binaries, until);
    return adopted ?? start(layout, binaries, { ...options, until });
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
  let client: Client;
  try {
    client = await register(server.port, password, until);
  } catch (error) {
    let serves = await servesDirectory(server.pid, layout.cluster);
    // A server that was killed may need a moment until it is gone.
    for (let waits = 0; waits < 10 && serves !== 'no'; waits++) {
      await sleep(100);
      serves = await servesDirectory(server.pid, layout.cluster);
    }
    // The process of a stale file has ended meanwhile, or was some other server all along.
    if (serves === 'no' || !server.certain) return undefined;
    throw new Error(
      `A PostgreSQL server (process ${server.pid}) runs on ${layout.cluster} but cannot be ` +
        `used (${(error as Error).message}): stop it with "kill -INT ${server.pid}" and try again`,
      { cause: error },
    );
  }
  if (!server.certain && !(await isOurs(client, layout))) {
    await client.end();
    return undefined;
  }
  const url = urlFor(server.port, password);
  return handle(layout, binaries, client, { url, firstStart: false, adopted: true });
}

async function start(
  layout: Layout,
  binaries: Binaries,
  options: LaunchOptions,
): Promise<EmbeddedPostgres> {
  const { until } = options;
  const runAs = await chooseRunAs(binaries.postgres, layout.cluster);
  const firstStart = !(await isInitialised(layout));
  const sync = options.settings?.fsync !== 'off';
  if (firstStart) await initialiseCluster(layout, binaries, runAs, until, sync);
  else await clearWreck(layout);
  const password = await readPassword(layout);
  const { port } = await launchServer(layout, binaries, runAs, options);
  try {
    const client = await register(port, password, until);
    const url = urlFor(port, password);
    return handle(layout, binaries, client, { url, firstStart, adopted: false });
  } catch (error) {
    await stopServer(layout, binaries.pgCtl);
    throw new Error(
      `The embedded PostgreSQL started but cannot be used (${(error as Error).message}): ` +
        adviceFor(error as { code?: string }, layout),
      { cause: error },
    );
  }
}

/**
 * The server on the data directory. One that another process has just started is waited for: if that process was killed
 * meanwhile, nobody else would stop it.
 */
async function waitForStart(layout: Layout, until: number): Promise<RunningServer | undefined> {
  let server: RunningServer | undefined;
  await waitUntil(until, async () => {
    // One that takes too long is left to whoever starts next.
    server = await findServer(layout, until).catch(() => undefined);
    // Without postmaster.pid it may be about to write one.
    return server !== undefined || (await processesIn(layout.cluster)).length === 0;
  });
  return server;
}

/** What to do about an error of the first connection. Only a wrong password is a reason to move data away. */
function adviceFor({ code }: { code?: string }, layout: Layout): string {
  if (code === '28P01')
    return (
      `does ${layout.passwordFile} belong to ${layout.cluster}? ` +
      'Move both away to begin with an empty database'
    );
  if (code === '53100') return `the disk of ${layout.dataDir} is full. Free some space`;
  return `read ${layout.logFile}`;
}

function handle(
  layout: Layout,
  { pgCtl }: Binaries,
  client: Client,
  facts: Pick<EmbeddedPostgres, 'url' | 'firstStart' | 'adopted'>,
): EmbeddedPostgres {
  let leaving = false;
  const lost = new Promise<void>((resolve) => {
    client.once('end', () => {
      if (!leaving) resolve();
    });
  });
  const leave = async (work: () => Promise<void>): Promise<boolean> => {
    leaving = true;
    // The connection keeps no process alive: without the timer this process could end here.
    const timer = new AbortController();
    const timeout = sleep(2_000, undefined, { signal: timer.signal });
    await Promise.race([client.end(), timeout]).catch(() => undefined);
    timer.abort();
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
  const stopNow = () => stopServer(layout, pgCtl);
  return {
    ...facts,
    lost,
    async stop() {
      if (!(await leave(stopNow))) await stopNow();
    },
    async release() {
      await leave(async () => {
        const server = await waitForStart(layout, Date.now() + LEAVE_MS);
        if (server && (await hasNoClients(server.port, await readPassword(layout))))
          await stopNow();
      });
    },
  };
}

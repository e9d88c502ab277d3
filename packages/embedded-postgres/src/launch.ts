import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Layout } from './data-directory';
import { freePort } from './free-port';
import { clearDirectory, readPostmaster } from './postmaster';
import { waitUntil } from './processes';
import { type Binaries, commandFor, type RunAs } from './programs';
import { failure, type OpenLog, openLog, readNewLog } from './server-log';

/** Fit for a laptop; `settings` may say otherwise. */
const DEFAULTS: Readonly<Record<string, string>> = {
  max_connections: '100',
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/** For a server that is told to stop before it is ready: it has no clients, and nothing to write. */
const STOP_MS = 5_000;
const ATTEMPTS = 8;
/** Another program took the port between our look and the server's start. */
const PORT_TAKEN = /could not bind|could not create any TCP\/IP sockets/;
/** Processes of a killed server still run, or had not even begun to; PostgreSQL waits for nobody, so we do. */
const STILL_IN_USE = /pre-existing shared memory block|lock file "postmaster.pid" already exists/;

/** How to start it. */
export interface LaunchOptions {
  /** When it must be ready, in ms since the epoch. */
  readonly until: number;
  readonly settings?: Readonly<Record<string, string>>;
  /** Absent: one that is free. */
  readonly port?: number;
  /** Ends a start that is not ready yet, and rejects with its reason when the server has ended. */
  readonly signal?: AbortSignal;
}

/** Starts the server, after whatever a killed process has left in its directory was ended. It takes connections then. */
export async function launchServer(
  layout: Layout,
  { postgres, pgCtl }: Binaries,
  runAs: RunAs,
  options: LaunchOptions,
): Promise<{ child: ChildProcess; port: number }> {
  const log = await openLog(layout.logFile);
  try {
    for (let attempt = 1; ; attempt++) {
      options.signal?.throwIfAborted();
      await clearDirectory(layout, pgCtl);
      const attemptLog = { ...log, from: (await log.handle.stat()).size };
      const port = options.port ?? (await freePort());
      const child = launch(layout, postgres, runAs, attemptLog, { ...options.settings, port });
      const reason = await watchStart(child, layout, options);
      if (reason === undefined) return { child, port };
      options.signal?.throwIfAborted();
      const text = await readNewLog(attemptLog);
      const again = PORT_TAKEN.test(text) || STILL_IN_USE.test(text);
      if (!again || attempt === ATTEMPTS) throw await failure(reason, attemptLog);
      if (STILL_IN_USE.test(text) || options.port !== undefined) await sleep(500);
    }
  } finally {
    await log.handle.close();
  }
}

function launch(
  layout: Layout,
  postgres: string,
  runAs: RunAs,
  { handle }: OpenLog,
  given: Record<string, string | number>,
): ChildProcess {
  const settings = {
    ...DEFAULTS,
    ...given,
    listen_addresses: '127.0.0.1',
    // A socket's path may have 107 bytes at most, and DATA_DIR may be longer.
    unix_socket_directories: '',
    // The log is the file we hand over.
    logging_collector: 'off',
  };
  const { command, args, ...user } = commandFor(runAs, postgres, [
    '-D',
    layout.cluster,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
  const child = spawn(command, args, {
    ...user,
    // Its own session: a Ctrl-C in the terminal is for the service, which still needs its data.
    detached: true,
    stdio: ['ignore', handle.fd, handle.fd],
    // Not the caller's directory, which PostgreSQL's user may not enter.
    cwd: layout.dataDir,
    windowsHide: true,
  });
  child.unref();
  return child;
}

/** Waits until it takes connections, or for the reason why it does not. */
async function watchStart(
  child: ChildProcess,
  layout: Layout,
  { until, signal }: LaunchOptions,
): Promise<string | undefined> {
  let ended: string | undefined;
  let ready = false;
  child.once('error', (error) => (ended = `it cannot be run (${error.message})`));
  child.once('exit', (code, name) => (ended = `the server ended at once (${code ?? name})`));
  await waitUntil(until, async () => {
    const postmaster = await readPostmaster(layout);
    // A stale file may still be there for a moment.
    ready = postmaster?.pid === child.pid && postmaster?.status === 'ready';
    return ended !== undefined || ready || signal?.aborted === true;
  });
  if (ended !== undefined || ready) return ended;
  if (signal?.aborted) {
    // A recovery ends at once too: the next start begins it again.
    child.kill('SIGINT');
    await waitUntil(Date.now() + STOP_MS, () => ended !== undefined);
  }
  child.kill('SIGKILL');
  return 'the server was not ready in time';
}

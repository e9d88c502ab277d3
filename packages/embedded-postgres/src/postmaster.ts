import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { servesLayout } from './connection';
import type { Layout } from './data-directory';
import { isPid, processesIn, servesDirectory, signal, waitUntil } from './processes';

const run = promisify(execFile);

/** A server as its postmaster.pid describes it. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** `starting`, `ready`, `stopping`, …; empty until the server has written it. */
  readonly status: string;
}

/** How long a fast shutdown may take: it writes a checkpoint. */
const FAST_STOP_MS = 20_000;
/** How long a process may take to end when it is told to drop everything. */
const HARD_STOP_MS = 5_000;

/** What postmaster.pid says, true or not; nothing when there is no such file. */
export async function readPostmaster(layout: Layout): Promise<Postmaster | undefined> {
  try {
    const lines = (await readFile(layout.postmasterFile, 'utf8')).split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), status: (lines[7] ?? '').trim() };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Prepares a start: stops the server of a process that was killed, ends orphaned backends, and removes a
 * postmaster.pid whose number a zombie or another program has now, for PostgreSQL only asks
 * whether the number is taken. One whose process is gone stays: PostgreSQL replaces it itself,
 * after it has looked in it for shared memory that is still in use.
 */
export async function clearDirectory(layout: Layout, pgCtl: string): Promise<void> {
  const found = await readPostmaster(layout);
  const serves = found ? await servesDirectory(found.pid, layout.cluster) : 'no';
  if (serves === 'yes' || (serves === 'unknown' && (await servesLayout(layout, found?.port ?? 0))))
    await stopServer(layout, pgCtl);
  const none = async () => (await processesIn(layout.cluster)).length === 0;
  for (const name of ['SIGQUIT', 'SIGKILL'] as const) {
    for (const pid of await processesIn(layout.cluster)) signal(pid, name);
    if (await waitUntil(Date.now() + HARD_STOP_MS, none)) break;
  }
  const left = await readPostmaster(layout);
  const isGone = left && isPid(left.pid) && !signal(left.pid, 0);
  if (left && !isGone) await rm(layout.postmasterFile, { force: true });
}

/**
 * Stops the server that postmaster.pid names: fast first (clients are cut off, nothing is lost),
 * and when that does not end, at once (the next start recovers from the log).
 */
export async function stopServer(layout: Layout, pgCtl: string): Promise<void> {
  const postmaster = await readPostmaster(layout);
  if (!postmaster) return;
  const { pid } = postmaster;
  const gone = async () => (await servesDirectory(pid, layout.cluster)) === 'no';
  if (await gone()) return;
  if (process.platform === 'win32') {
    // Windows has no signals; pg_ctl knows how PostgreSQL imitates them.
    await run(pgCtl, ['stop', '-D', layout.cluster, '-m', 'fast', '-w']);
    return;
  }
  for (const [name, patience] of [
    ['SIGINT', FAST_STOP_MS],
    ['SIGQUIT', HARD_STOP_MS],
    ['SIGKILL', HARD_STOP_MS],
  ] as const) {
    if (!signal(pid, name)) return;
    if (await waitUntil(Date.now() + patience, gone)) return;
  }
  throw new Error(`The PostgreSQL server (process ${pid}) on ${layout.cluster} does not stop`);
}

import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspectProcess, POLL_MS } from './processes';

/** What the lock file says about its holder. */
interface Holder {
  readonly pid: number;
  /** Start time of the process: a reused number has another one. */
  readonly startedAt?: string;
  /** Tells two calls of one process apart. */
  readonly token: string;
}

/** The lock was not free in time. */
export class LockHeldError extends Error {}

/** The holder creates the file and writes it a moment later; a file empty for longer is a wreck. */
const WRITING_MS = 2_000;

/**
 * Does `work` while no other process, and no other call in this process, holds the file.
 * A lock whose holder was killed is taken over. Rejects with `LockHeldError` after
 * `waitMs` milliseconds of waiting.
 *
 * Node has no flock(). Two processes that take over the same wreck in the same microsecond could
 * both believe to hold the lock; the work it guards must only be wasteful then, not harmful
 * (initdb's result is renamed into place once, and PostgreSQL guards its own data directory).
 */
export async function withFileLock<T>(
  path: string,
  waitMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const { startedAt } = await inspectProcess(process.pid);
  const holder: Holder = { pid: process.pid, startedAt, token: randomUUID() };
  const text = JSON.stringify(holder);
  await acquire(path, text, Date.now() + waitMs);
  try {
    return await work();
  } finally {
    if ((await readText(path)) === text) await rm(path, { force: true });
  }
}

async function acquire(path: string, text: string, until: number): Promise<void> {
  for (;;) {
    try {
      return await writeFile(path, text, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (await removeIfStale(path)) continue;
    if (Date.now() >= until) {
      throw new LockHeldError(`${path} is held by another process: if none runs, delete that file`);
    }
    // Uneven steps, so that many waiting processes do not come in step.
    await sleep(POLL_MS + Math.random() * POLL_MS);
  }
}

/** True when the file is gone now. */
async function removeIfStale(path: string): Promise<boolean> {
  const text = await readText(path);
  if (text === undefined) return true;
  if (!(await isStale(path, text))) return false;
  if ((await readText(path)) !== text) return true;
  // Renaming is atomic: of several processes one moves the wreck away, the others find nothing.
  const wreck = `${path}.${randomUUID()}`;
  try {
    await rename(path, wreck);
  } catch {
    return true;
  }
  // Another process was faster and this is already the next holder's lock: put it back.
  if ((await readText(wreck)) !== text) await link(wreck, path).catch(() => undefined);
  await rm(wreck, { force: true });
  return true;
}

async function isStale(path: string, text: string): Promise<boolean> {
  let holder: Holder;
  try {
    holder = JSON.parse(text) as Holder;
  } catch {
    const facts = await stat(path).catch(() => undefined);
    return !facts || Date.now() - facts.mtimeMs > WRITING_MS;
  }
  const { running, startedAt } = await inspectProcess(holder.pid);
  return !running || startedAt !== holder.startedAt;
}

function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

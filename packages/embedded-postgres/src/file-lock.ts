import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { POLL_MS } from './deadline';
import { inspectProcess } from './processes';

/** What the lock file says about its holder. */
interface Holder {
  readonly pid: number;
  /** Start time of the process: a reused number has another one. */
  readonly startedAt?: string;
  readonly token: string;
}

/** The lock was not free in time. */
export class LockHeldError extends Error {}

/** No start or stop takes this long, whatever the holder's process id says now. */
const MAX_AGE_MS = 180_000;
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
  const token = await acquire(path, Date.now() + waitMs);
  try {
    return await work();
  } finally {
    await release(path, token);
  }
}

async function acquire(path: string, until: number): Promise<string> {
  const token = randomUUID();
  const { startedAt } = await inspectProcess(process.pid);
  const holder: Holder = { pid: process.pid, startedAt, token };
  for (;;) {
    try {
      await writeFile(path, JSON.stringify(holder), { flag: 'wx', mode: 0o600 });
      return token;
    } catch (error) {
      if (!isTaken(error)) throw explained(path, error);
    }
    if (await removeIfStale(path)) continue;
    if (Date.now() >= until) {
      throw new LockHeldError(`${path} is held by another process: if none runs, delete that file`);
    }
    // Uneven steps, so that many waiting processes do not come in step.
    await sleep(POLL_MS + Math.random() * POLL_MS);
  }
}

async function release(path: string, token: string): Promise<void> {
  // Not ours any more when it was taken over for its age.
  const text = await readText(path);
  if (text !== undefined && parse(text)?.token === token) await rm(path, { force: true });
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
  // Somebody else was faster and this is already the next holder's lock: put it back.
  if ((await readText(wreck)) !== text) await link(wreck, path).catch(() => undefined);
  await rm(wreck, { force: true });
  return true;
}

async function isStale(path: string, text: string): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined);
  if (!facts) return true;
  const age = Date.now() - facts.mtimeMs;
  if (age > MAX_AGE_MS) return true;
  const holder = parse(text);
  if (!holder) return age > WRITING_MS;
  const { running, startedAt } = await inspectProcess(holder.pid);
  if (!running) return true;
  return Boolean(holder.startedAt && startedAt && holder.startedAt !== startedAt);
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function parse(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined;
  }
}

function explained(path: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS') return error;
  return new Error(
    `${path} cannot be written (${message}): run as the owner of that directory, ` +
      'or choose another DATA_DIR',
    { cause: error },
  );
}

function isTaken(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  // Windows answers EPERM while a deleted file is still open somewhere.
  return code === 'EEXIST' || (code === 'EPERM' && process.platform === 'win32');
}

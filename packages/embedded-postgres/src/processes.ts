import { readdir, readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** What can be learned about a process id. */
interface ProcessFacts {
  /** A zombie counts as gone: it only waits for its parent to notice. */
  readonly running: boolean;
  /** Tells two processes apart that had the same number; only on Linux. */
  readonly startedAt?: string;
  /** The program's short name; only on Linux. */
  readonly name?: string;
}

const GONE: ProcessFacts = { running: false };

/** Looks a process id up without disturbing the process. */
export async function inspectProcess(pid: number): Promise<ProcessFacts> {
  if (!signal(pid, 0)) return GONE;
  // Elsewhere there is no such file; it may also have ended, or be hidden as another user's.
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  if (!text) return { running: signal(pid, 0) };
  // "pid (name) state …": the name may hold spaces and parentheses, the last ')' ends it.
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return GONE;
  return { running: true, name: text.slice(text.indexOf('(') + 1, end), startedAt: fields[19] };
}

/**
 * Is the process a postgres that works in this data directory? A server changes into its data
 * directory, so on Linux this is certain; elsewhere, or when /proc is closed to us,
 * it may be `unknown`, and only a connection can tell.
 */
export async function servesDirectory(
  pid: number,
  cluster: string,
): Promise<'yes' | 'no' | 'unknown'> {
  const { running, name } = await inspectProcess(pid);
  if (!running || (name !== undefined && !name.startsWith('postgres'))) return 'no';
  try {
    const [theirs, ours] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(cluster)]);
    return theirs.ino === ours.ino && theirs.dev === ours.dev ? 'yes' : 'no';
  } catch {
    return 'unknown';
  }
}

/**
 * The postgres processes that work in this data directory. After a kill -9 of the postmaster these
 * are orphans: a busy backend goes on until its query ends, and keeps a new server from starting.
 * Empty where there is no /proc.
 */
export async function processesIn(cluster: string): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).map(Number).filter((pid) => pid > 0);
  const serving = await Promise.all(pids.map((pid) => servesDirectory(pid, cluster)));
  return pids.filter((_, index) => serving[index] === 'yes');
}

/** Whether a process can have this number: a damaged file may name any. */
export const isPid = (pid: number): boolean =>
  Number.isInteger(pid) && pid > 0 && pid <= 0x7fff_ffff;

/** Sends a signal; 0 only looks. False when no process has the number; a zombie has one. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  if (!isPid(pid)) return false;
  try {
    return process.kill(pid, name);
  } catch (error) {
    // EPERM: it lives, but belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Milliseconds between two looks at a file or a process. */
export const POLL_MS = 20;

/** Asks every 20 ms until `done` returns true or `until` (ms since the epoch) has passed. */
export async function waitUntil(
  until: number,
  done: () => boolean | Promise<boolean>,
): Promise<boolean> {
  while (!(await done())) {
    if (Date.now() >= until) return false;
    await sleep(POLL_MS);
  }
  return true;
}

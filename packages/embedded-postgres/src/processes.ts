import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What can be learned about a process id. */
export interface ProcessFacts {
  /** A zombie counts as gone: it only waits for its parent to notice. */
  readonly running: boolean;
  /** Tells two processes apart that had the same number; only on Linux. */
  readonly startedAt?: string;
  /** The program's short name, where the system tells it. */
  readonly name?: string;
}

const GONE: ProcessFacts = { running: false };

/** Looks a process id up without disturbing the process. */
export async function inspectProcess(pid: number): Promise<ProcessFacts> {
  if (!signalReaches(pid)) return GONE;
  if (process.platform === 'linux') return inspectProc(pid);
  if (process.platform === 'win32') return { running: true };
  try {
    const { stdout } = await run('ps', ['-o', 'stat=,comm=', '-p', String(pid)]);
    const [state = '', ...name] = stdout.trim().split(/\s+/);
    return state.startsWith('Z') ? GONE : { running: true, name: name.join(' ').split('/').pop() };
  } catch {
    return GONE;
  }
}

/**
 * Is the process a postgres that works in this data directory? A server changes into its data
 * directory, so on Linux the answer is certain; elsewhere, or when /proc is closed to us,
 * it may be `unknown`, and only a connection can tell.
 */
export async function servesDirectory(
  pid: number,
  cluster: string,
): Promise<'yes' | 'no' | 'unknown'> {
  const { running, name } = await inspectProcess(pid);
  if (!running) return 'no';
  if (name !== undefined && !name.startsWith('postgres')) return 'no';
  if (process.platform !== 'linux') return 'unknown';
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
  if (process.platform !== 'linux') return [];
  const names = await readdir('/proc').catch(() => []);
  const pids = names.map(Number).filter((pid) => Number.isInteger(pid) && pid > 0);
  const answers = await Promise.all(pids.map((pid) => servesDirectory(pid, cluster)));
  return pids.filter((_, index) => answers[index] === 'yes');
}

/** Sends a signal; false when the process is no more. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** Whether the number is taken, by a zombie too: what PostgreSQL itself looks at. */
export function signalReaches(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, but belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function inspectProc(pid: number): Promise<ProcessFacts> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8');
    // "pid (name) state …": the name may hold spaces and parentheses, the last ')' ends it.
    const end = text.lastIndexOf(')');
    const fields = text.slice(end + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return GONE;
    const name = text.slice(text.indexOf('(') + 1, end);
    return { running: true, name, startedAt: fields[19] };
  } catch {
    // Ended between the two looks, or /proc hides other users' processes.
    return signalReaches(pid) ? { running: true } : GONE;
  }
}

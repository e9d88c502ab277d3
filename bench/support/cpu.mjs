import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** CPU time and memory are read from /proc; elsewhere there are figures of wall time only. */
export const canReadProc = process.platform === 'linux';

const ticks = canReadProc ? Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) : 1;

/**
 * User and system time of a process and its children so far, in milliseconds. The kernel updates the time of a running
 * thread at its ticks, so each may be a few milliseconds behind; children that have ended (PostgreSQL's come and go) count
 * to 10 ms, as soon as they are waited for. Threads that have ended do not count.
 */
export function cpuOf(pid) {
  if (!canReadProc) return NaN;
  let sum = 0;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = statOf(entry);
    if (stat && (Number(entry) === pid || stat.parent === pid))
      sum += (runningTime(entry) ?? stat.own) + stat.ended;
  }
  return sum;
}

function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name may hold spaces and brackets: the fields begin after its last bracket, with the third.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // utime, stime, and those of ended children.
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number);
    return {
      parent: Number(fields[1]),
      own: ((user + system) * 1_000) / ticks,
      ended: ((endedUser + endedSystem) * 1_000) / ticks,
    };
  } catch {
    // It ended while we were looking.
    return null;
  }
}

/** Milliseconds of all threads that still run; null where the kernel records none, and if the process has ended. */
function runningTime(pid) {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    return tasks.reduce((all, task) => all + timeOf(pid, task), 0) / 1e6 || null;
  } catch {
    return null;
  }
}

/** Nanoseconds of a thread; 0 where it has ended since the others were listed. */
function timeOf(pid, task) {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ', 1)[0]);
  } catch {
    return 0;
  }
}

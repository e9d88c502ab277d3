import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** CPU time is read from /proc; elsewhere the figures are wall time only. */
export const canMeasureCpu = process.platform === 'linux';

const ticks = canMeasureCpu
  ? Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  : 1;

/**
 * User and system time of a process and its children so far, in milliseconds; children that have ended
 * (PostgreSQL's come and go) count as soon as they are waited for. To 10 ms, so a round should take seconds.
 */
export function cpuOf(pid) {
  if (!canMeasureCpu) return NaN;
  let sum = 0;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = statOf(entry);
    if (stat && (Number(entry) === pid || stat.parent === pid)) sum += stat.ticks;
  }
  return (sum * 1_000) / ticks;
}

function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name may hold spaces and brackets: the fields begin after its last bracket, with the third.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // utime, stime, and those of ended children.
    const spent = fields.slice(11, 15).reduce((all, field) => all + Number(field), 0);
    return { parent: Number(fields[1]), ticks: spent };
  } catch {
    // It ended while we were looking.
    return null;
  }
}

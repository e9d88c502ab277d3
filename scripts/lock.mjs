// A lock file with the process that holds it, for scripts/ensure-built.mjs.
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds after which another program may have the number of the process that is named. */
const OLDEST = 600_000;

/** Does the work, one process at a time. */
export async function withLock(file, work) {
  while (!taken(file)) await sleep(200);
  try {
    work();
  } finally {
    rmSync(file, { force: true });
  }
}

function taken(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (!isHeld(file)) rmSync(file, { recursive: true, force: true });
    return false;
  }
}

/** Whether the process that took the lock still runs: one that was interrupted leaves the file behind. */
function isHeld(file) {
  try {
    if (Date.now() - statSync(file).mtimeMs > OLDEST) return false;
    // An empty file is about to be written: 0 is this process's own group.
    return process.kill(Number(readFileSync(file, 'utf8')), 0);
  } catch (error) {
    // ENOENT: it was released just now, and another process may have it by now.
    return error.code === 'EPERM' || error.code === 'ENOENT';
  }
}

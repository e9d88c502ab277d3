import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two looks at a file or a process. */
export const POLL_MS = 20;

/** Asks `done` every 20 ms until it answers true or `until` (ms since the epoch) has passed. */
export async function waitUntil(
  until: number,
  done: () => boolean | Promise<boolean>,
): Promise<boolean> {
  for (;;) {
    if (await done()) return true;
    if (Date.now() >= until) return false;
    await sleep(POLL_MS);
  }
}

/** The promise, or nothing when it takes longer than `ms`. Leaves no timer behind, never rejects. */
export async function settleWithin(ms: number, promise: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const settled = promise.catch(() => undefined);
  const timeout = sleep(ms, undefined, { signal: timer.signal }).catch(() => undefined);
  await Promise.race([settled, timeout]);
  timer.abort();
}

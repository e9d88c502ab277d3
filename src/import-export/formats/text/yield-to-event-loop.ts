import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work at a stretch: the process also delivers webhooks and waits for queries. */
const STRETCH = 20;

let since = performance.now();

/** Call it between small pieces of work: now and then it lets other tasks run. */
export async function yieldToEventLoop(): Promise<void> {
  if (performance.now() - since < STRETCH) return;
  await setImmediate();
  since = performance.now();
}

/** The numbers of the worker. Times in milliseconds. */

/**
 * Attempts under way at once to one endpoint, over all workers: enough to keep a healthy receiver busy. One
 * that is failing gets few: if it hangs, each costs a whole time-out.
 */
export const SLOTS = 16;
export const SLOTS_WHILE_FAILING = 2;

/** Attempts under way at once in one worker, by lane. */
export const FIRST_LANE_CONCURRENCY = 128;
export const SLOW_LANE_CONCURRENCY = 64;

/** How often the worker looks for new events and for deliveries whose time has come. */
export const POLL_EVERY = 500;

/** A job that did not come by after this long is added again; adding one that is there does nothing. */
export const JOB_LOST_AFTER = 15_000;

/** Rows at once. */
export const RELAY_BATCH = 500;
export const SWEEP_BATCH = 500;
export const PRUNE_BATCH = 500;

/**
 * How long a worker may hold a delivery: the time-out, and as much again as it may need to write down the
 * outcome while the database restarts. After that it is taken to be dead.
 */
export function leaseFor(timeout: number): number {
  return timeout + Math.min(60_000, 2 * timeout);
}

/** An endpoint that has failed for this long is disabled. */
export const DISABLE_AFTER = 5 * 86_400_000;

/** After this long a stop no longer waits for receivers: below the 25 s that a process has (process.ts). */
export const STOP_WAITS = 20_000;

/** A delivery that cannot be signed is our fault: it waits this long for the operator. */
export const POSTPONE = 60_000;

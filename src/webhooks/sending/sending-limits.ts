import { LIMITS } from '../../platform/limits/limits';
import {
  FIRST_ATTEMPTS,
  RETRIES,
  SLOW_ENDPOINTS,
  type DeliveryQueue,
} from '../worker/delivery-queues';

/** Limits of the worker. Times in milliseconds. */

/**
 * Concurrent attempts to one endpoint, over all workers: enough to keep a healthy receiver busy. A failing one gets
 * few: if it hangs, each costs a whole timeout.
 */
export const SLOTS = 16;
export const SLOTS_WHILE_FAILING = 2;

/** Several endpoints may share an origin: none of their deliveries should wait for a connection. */
export const CONNECTIONS_PER_ORIGIN = LIMITS.accounts.endpoints.value * SLOTS;

/** Concurrent first attempts of one worker that the relay starts, without a job: in addition to those of jobs. */
export const STARTED_BY_RELAY = LIMITS.webhooks.accountFirstAttempts.value * 2;

/** Concurrent attempts of one worker that a job starts, by queue. */
export const CONCURRENCY = {
  [FIRST_ATTEMPTS]: LIMITS.webhooks.accountFirstAttempts.value * 4,
  [SLOW_ENDPOINTS]: LIMITS.webhooks.accountSlow.value * 4,
  [RETRIES]: LIMITS.webhooks.accountRetries.value * 4,
} satisfies Record<DeliveryQueue, number>;

/** An account has at most a quarter of what jobs may start of a kind, times the number of workers. */
export const ACCOUNT_SHARES = {
  [FIRST_ATTEMPTS]: LIMITS.webhooks.accountFirstAttempts.value,
  [SLOW_ENDPOINTS]: LIMITS.webhooks.accountSlow.value,
  [RETRIES]: LIMITS.webhooks.accountRetries.value,
} satisfies Record<DeliveryQueue, number>;

/** A successful attempt that takes this part of the timeout marks its endpoint as slow for five minutes. */
export const SLOW_SHARE_OF_TIMEOUT = 1 / 6;

/** The interval of the worker's heartbeat, of its sweep, and of its look at the connection for notifications. */
export const BEAT_EVERY = 1_000;

/** How often the relay looks for events although no notification has woken it. */
export const POLL_EVERY = 2_000;

/**
 * A queued delivery that no worker has leased after this time gets a further job, then after twice as long, and so
 * on, up to the second number: a superfluous job finds nothing to do.
 */
export const JOB_LOST_AFTER = 5_000;
export const JOB_LOST_AFTER_AT_MOST = 120_000;

/** Rows per batch. */
export const RELAY_BATCH = 500;
export const SWEEP_BATCH = 500;
export const PRUNE_BATCH = 500;

/**
 * How long a living worker may hold a delivery: the timeout, and as much again as it may need to record the outcome
 * while the database restarts. A worker whose heartbeat has stopped loses it after six seconds.
 */
export function leaseFor(timeout: number): number {
  return timeout + Math.min(60_000, 2 * timeout);
}

/** A lease that this worker has not received by then was granted in a response that was lost. */
export const HEARD_OF_WITHIN = 30_000;

/** The relay, the sweep and the recording of outcomes: runs that take longer are abandoned. */
export const ABANDON_AFTER = 20_000;

/** A worker in which one of these has waited for longer makes no progress: it is not ready. */
export const STALLED_AFTER = 30_000;

/** An endpoint that has failed for this long is disabled. */
export const DISABLE_AFTER = 5 * 86_400_000;

/** After this time a stop no longer waits for receivers: below the 25 s that a process has (process.ts). */
export const STOP_WAITS = 20_000;

/** A delivery that cannot be signed is an error of ours: it waits this long for the operator. */
export const POSTPONE = 60_000;

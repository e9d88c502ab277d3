import { DAY, MINUTE } from '../../platform/durations';
import { LIMITS } from '../../platform/limits/limits';

/** Limits of a worker's attempts. Times in milliseconds. */

const { accountAttempts, endpointAttempts, urgentAttempts } = LIMITS.webhooks;

/** Jobs that one worker has at a time, those that wait for a place included: sending is waiting. */
export const SLOTS = accountAttempts.value * 4;

/** Jobs that are fetched before the first of them begins. */
export const FETCHED_AT_A_TIME = 16;

/** Attempts at one endpoint among them. A failing one gets few: if it hangs, each costs a whole timeout. */
export const ENDPOINT_SHARE = endpointAttempts.value;
export const FAILING_ENDPOINT_SHARE = 2;

/** Beyond them, test events and manual retries at one endpoint: somebody waits for each, and makes few at a time. */
export const URGENT_SHARE = urgentAttempts.value;

/** And attempts at the endpoints of one account. */
export const ACCOUNT_SHARE = accountAttempts.value;

/** And attempts at all slow and failing endpoints, of whatever account. */
export const SLOW_SHARE = SLOTS / 2;

/** Several endpoints may share an origin: none of their deliveries should wait for a connection. */
export const CONNECTIONS_PER_ORIGIN =
  LIMITS.accounts.endpoints.value * (ENDPOINT_SHARE + URGENT_SHARE);

/** A successful attempt that takes this part of the timeout shows a slow endpoint. */
export const SLOW_SHARE_OF_TIMEOUT = 1 / 6;

/** An endpoint that has failed for this long is disabled. */
export const DISABLE_AFTER = 5 * DAY;

/** After this time a stop no longer waits for receivers: below the 25 s that a process has (process.ts). */
export const STOP_WAITS = 20_000;

/** A delivery that cannot be signed is an error of ours: it waits this long for the operator. */
export const POSTPONE = MINUTE;

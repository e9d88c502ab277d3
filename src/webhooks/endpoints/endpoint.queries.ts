import type { EntityManager } from 'typeorm';
import type { DisabledReason, DomainEvent } from '../../events/event-map';
import { queryPrepared } from '../../platform/database/sql';

/** What decides about an endpoint's deliveries. */
export interface EndpointState {
  id: string;
  account_id: string;
  disabled_at: Date | null;
  deleted_at: Date | null;
  failing_since: Date | null;
}

/**
 * Locks endpoints until the transaction ends, in a fixed order, so that two transactions that lock several never wait
 * for each other. What changes an endpoint with its deliveries, and what records a failed attempt, does this first.
 */
export async function lockEndpoints(tx: EntityManager, ids: readonly string[]) {
  const rows = await queryPrepared<EndpointState[]>(
    tx,
    `SELECT id, account_id, disabled_at, deleted_at, failing_since FROM webhook_endpoints
     WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Disables enabled endpoints, and pauses their waiting deliveries: events are kept. Under their locks.
 * @returns those that were enabled before
 */
export async function disableEndpoints(
  tx: EntityManager,
  ids: readonly string[],
  reason: string,
  now: Date,
): Promise<Pick<EndpointState, 'id' | 'account_id'>[]> {
  const [disabled] = await tx.query<[Pick<EndpointState, 'id' | 'account_id'>[], number]>(
    `UPDATE webhook_endpoints SET disabled_at = $2, disabled_reason = $3
     WHERE id = ANY($1::uuid[]) AND disabled_at IS NULL RETURNING id, account_id`,
    [ids, now, reason],
  );
  // A manual retry of a finished delivery is dropped; its status stays. Tests continue. In the order of ids, so that
  // two transactions never wait for each other's second row.
  await tx.query(
    `WITH stopped AS (
       SELECT id FROM webhook_deliveries
       WHERE endpoint_id = ANY($1::uuid[]) AND (status = 'pending' OR is_manual) AND NOT is_test
       ORDER BY id FOR UPDATE
     )
     UPDATE webhook_deliveries d SET is_manual = false, needs_job = false,
       status = CASE WHEN status = 'pending' THEN 'paused' ELSE status END
     FROM stopped WHERE d.id = stopped.id`,
    [ids],
  );
  return disabled;
}

/**
 * The same if the service itself decides.
 * @returns the events that notify the other endpoints of their accounts, to be recorded in this transaction
 */
export async function disableFor(
  tx: EntityManager,
  reason: DisabledReason,
  ids: readonly string[],
  now: Date,
): Promise<EndpointDisabled[]> {
  if (ids.length === 0) return [];
  const disabled = await disableEndpoints(tx, ids, REASONS[reason], now);
  return disabled.map(({ id: endpoint_id, account_id }) => ({
    name: 'endpoint.disabled',
    accountId: account_id,
    data: { endpoint_id, reason, disabled_at: now.toISOString() },
  }));
}

type EndpointDisabled = DomainEvent<'endpoint.disabled'>;

/** The reason shown to the owner of a disabled endpoint. */
export const REASONS: Record<DisabledReason, string> = {
  failing:
    'Every attempt has failed for five days. Events are kept: enable the endpoint once it responds again.',
  gone: 'It responded 410 Gone, which means that it wants no more events. Enable the endpoint if that was a mistake.',
  right_withdrawn:
    'It received the events of all accounts, and its owner is no longer an administrator. Enable it to receive those of your own account.',
};

/** Paused deliveries continue: overdue ones at once, the others at their time. The relay adds their jobs. */
export async function wakeHeldDeliveries(tx: EntityManager, id: string, now: Date): Promise<void> {
  await tx.query(
    `UPDATE webhook_deliveries SET status = 'pending', needs_job = true, next_attempt_at = greatest(next_attempt_at, $2)
     WHERE endpoint_id = $1 AND status = 'paused'`,
    [id, now],
  );
  await tx.query(WAKE_RELAY);
}

/** The relay looks for requests every two seconds; with this, at the commit. */
export const WAKE_RELAY = `NOTIFY webhook_events, 'due'`;

/** What is cancelled when an endpoint is deleted: what waits. An attempt in progress ends by itself. */
export const OF_DELETED_ENDPOINT = `d.attempt_job IS NULL`;

/**
 * What is cancelled when an endpoint loses its right to other accounts' events, including attempts in progress: their
 * outcome is ignored, and they are recorded as interrupted.
 */
export const OF_OTHER_ACCOUNTS = `o.account_id <> e.account_id`;

/** Cancels deliveries to endpoints, under their locks. */
export async function cancelDeliveries(
  tx: EntityManager,
  which: typeof OF_DELETED_ENDPOINT | typeof OF_OTHER_ACCOUNTS,
  endpointIds: readonly string[],
  now: Date,
): Promise<void> {
  await tx.query(
    `WITH stopped AS (
       SELECT d.id, d.attempts, d.attempt_started_at FROM webhook_deliveries d
       JOIN webhook_endpoints e ON e.id = d.endpoint_id JOIN outbox_events o ON o.id = d.event_id
       WHERE d.endpoint_id = ANY($1::uuid[]) AND ${which}
         AND (d.status IN ('pending', 'paused') OR d.is_manual OR d.attempt_job IS NOT NULL)
       ORDER BY d.id FOR UPDATE OF d
     ), noted AS (
       INSERT INTO webhook_attempts (delivery_id, number, kind, started_at)
       SELECT id, attempts, 'interrupted', attempt_started_at FROM stopped WHERE attempt_started_at IS NOT NULL
     )
     UPDATE webhook_deliveries d SET next_attempt_at = NULL, is_manual = false, needs_job = false,
       attempt_started_at = NULL, attempt_job = NULL, finished_at = coalesce(finished_at, $2),
       status = CASE WHEN status IN ('pending', 'paused') THEN 'cancelled' ELSE status END
     FROM stopped WHERE d.id = stopped.id`,
    [endpointIds, now],
  );
}

/**
 * For events about endpoints ($1 accounts, $2 endpoints, $3 names): the indexes, from 1, of those that other
 * endpoints are subscribed to.
 */
export const WANTED_EVENTS = `
SELECT place::int FROM unnest($1::uuid[], $2::uuid[], $3::text[]) WITH ORDINALITY AS event (account_id, endpoint_id, name, place)
WHERE EXISTS (
  SELECT FROM webhook_endpoints e
  WHERE (e.account_id = event.account_id OR e.all_accounts) AND e.deleted_at IS NULL
    AND e.id <> event.endpoint_id AND event.name = ANY(e.events))
ORDER BY place`;

import type { DataSource, EntityManager, FindOptionsWhere, Repository } from 'typeorm';
import type { DisabledReason, DomainEvent } from '../../events/event-map';
import { query, queryPrepared, type Sql, sql } from '../../platform/database/sql';
import type { EndpointWithSecrets, WebhookEndpoint } from './endpoint.entity';

/** What decides about an endpoint's deliveries. */
export interface LockedEndpoint {
  id: string;
  accountId: string;
  url: string;
  disabledAt: Date | null;
  deletedAt: Date | null;
  failingSince: Date | null;
}

/**
 * Locks endpoints until the transaction ends, in a fixed order, so that two transactions that lock several never wait
 * for each other. What changes an endpoint with its deliveries, and what records a failed attempt, does this first.
 */
export async function lockEndpoints(tx: EntityManager, ids: readonly string[]) {
  const rows = await queryPrepared<LockedEndpoint[]>(
    tx,
    sql`SELECT id, account_id AS "accountId", url, disabled_at AS "disabledAt", deleted_at AS "deletedAt",
        failing_since AS "failingSince" FROM webhook_endpoints
      WHERE id = ANY(${ids}::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
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
): Promise<Pick<LockedEndpoint, 'id' | 'accountId'>[]> {
  const [disabled] = await query<[Pick<LockedEndpoint, 'id' | 'accountId'>[], number]>(
    tx,
    sql`UPDATE webhook_endpoints SET disabled_at = ${now}, disabled_reason = ${reason}
      WHERE id = ANY(${ids}::uuid[]) AND disabled_at IS NULL RETURNING id, account_id AS "accountId"`,
  );
  // A manual retry of a finished delivery is dropped; its status stays. Tests continue. In the order of ids, so that
  // two transactions never wait for each other's second row.
  await query(
    tx,
    sql`WITH stopped AS (
       SELECT id FROM webhook_deliveries
       WHERE endpoint_id = ANY(${ids}::uuid[]) AND (status = 'pending' OR is_manual) AND NOT is_test
       ORDER BY id FOR UPDATE
     )
     UPDATE webhook_deliveries d SET is_manual = false, needs_job = false,
       status = CASE WHEN status = 'pending' THEN 'paused' ELSE status END
     FROM stopped WHERE d.id = stopped.id`,
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
  return disabled.map(({ id: endpoint_id, accountId }) => ({
    name: 'endpoint.disabled',
    accountId,
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
    'It received the events of all accounts, and its owner has lost the right to them. Enable it to receive those of your own account.',
};

/** Paused deliveries continue: overdue ones at once, the others at their time. The relay adds their jobs. */
export async function wakeHeldDeliveries(tx: EntityManager, id: string, now: Date): Promise<void> {
  await query(
    tx,
    sql`UPDATE webhook_deliveries SET status = 'pending', needs_job = true, next_attempt_at = greatest(next_attempt_at, ${now})
      WHERE endpoint_id = ${id} AND status = 'paused'`,
  );
  await wakeRelay(tx);
}

/** A trigger of `outbox_events` notifies it (`functions.sql`), and `wakeRelay` with `due` as the payload. */
export const EVENTS_CHANNEL = { about: 'events', name: 'webhook_events' };

/** The relay looks for requests every two seconds; with this, at the commit. */
export async function wakeRelay(tx: EntityManager): Promise<void> {
  await query(tx, sql`SELECT pg_notify(${EVENTS_CHANNEL.name}, 'due')`);
}

/** What is cancelled when an endpoint is deleted: what waits. An attempt in progress ends by itself. */
export const OF_DELETED_ENDPOINT = sql`d.attempt_job IS NULL`;

/**
 * What is cancelled when an endpoint loses its right to other accounts' events, including attempts in progress: their
 * outcome is ignored, and they are recorded as interrupted.
 */
export const OF_OTHER_ACCOUNTS = sql`o.account_id <> e.account_id`;

/** Cancels deliveries to endpoints, under their locks. */
export async function cancelDeliveries(
  tx: EntityManager,
  which: Sql,
  endpointIds: readonly string[],
  now: Date,
): Promise<void> {
  await query(
    tx,
    sql`WITH stopped AS (
       SELECT d.id, d.attempts, d.attempt_started_at FROM webhook_deliveries d
       JOIN webhook_endpoints e ON e.id = d.endpoint_id JOIN outbox_events o ON o.id = d.event_id
       WHERE d.endpoint_id = ANY(${endpointIds}::uuid[]) AND ${which}
         AND (d.status IN ('pending', 'paused') OR d.is_manual OR d.attempt_job IS NOT NULL)
       ORDER BY d.id FOR UPDATE OF d
     ), noted AS (
       INSERT INTO webhook_attempts (delivery_id, number, kind, started_at)
       SELECT id, attempts, 'interrupted', attempt_started_at FROM stopped WHERE attempt_started_at IS NOT NULL
     )
     UPDATE webhook_deliveries d SET next_attempt_at = NULL, is_manual = false, needs_job = false,
       attempt_started_at = NULL, attempt_job = NULL, finished_at = coalesce(finished_at, ${now}),
       status = CASE WHEN status IN ('pending', 'paused') THEN 'cancelled' ELSE status END
     FROM stopped WHERE d.id = stopped.id`,
  );
}

/** @returns of events about endpoints, those that other endpoints are subscribed to */
export async function wantedEvents<
  Event extends DomainEvent<'delivery.failed' | 'endpoint.disabled'>,
>(tx: EntityManager, events: readonly Event[]): Promise<Event[]> {
  const accounts = events.map(({ accountId }) => accountId);
  const endpoints = events.map(({ data }) => data.endpoint_id);
  const names = events.map(({ name }) => name);
  const wanted = await query<{ place: number }[]>(
    tx,
    sql`SELECT place::int
      FROM unnest(${accounts}::uuid[], ${endpoints}::uuid[], ${names}::text[])
        WITH ORDINALITY AS event (account_id, endpoint_id, name, place)
      WHERE EXISTS (
        SELECT FROM webhook_endpoints e
        WHERE (e.account_id = event.account_id OR e.all_accounts) AND e.deleted_at IS NULL
          AND e.id <> event.endpoint_id AND event.name = ANY(e.events))`,
  );
  const places = new Set(wanted.map(({ place }) => place - 1));
  return events.filter((_, place) => places.has(place));
}

/**
 * Ends the failure of an endpoint that has responded, and marks it as slow for five minutes if it was. Updates its row
 * only for a change, and renews the mark at most once a minute: other outcomes of the endpoint wait for this row's lock.
 * @param url what an earlier one responds says nothing about the present one
 */
export async function endpointResponds(
  tx: EntityManager,
  id: string,
  url: string,
  isSlow: boolean,
): Promise<void> {
  await query(
    tx,
    sql`UPDATE webhook_endpoints SET failing_since = NULL,
        slow_until = CASE WHEN ${isSlow} THEN now() + interval '5 minutes' ELSE slow_until END
      WHERE id = ${id} AND url = ${url}
        AND (failing_since IS NOT NULL OR ${isSlow} AND coalesce(slow_until < now() + interval '4 minutes', true))`,
  );
}

/** An endpoint with its secrets, which other reads leave out. */
export const findWithSecrets = (
  endpoints: Repository<WebhookEndpoint>,
  where: FindOptionsWhere<WebhookEndpoint>,
): Promise<EndpointWithSecrets | null> =>
  endpoints
    .createQueryBuilder('endpoint')
    .addSelect(['endpoint.secret', 'endpoint.otherSecret'])
    .where(where)
    .getOne() as Promise<EndpointWithSecrets | null>;

/** The secrets of an endpoint, encrypted. */
export interface SealedRow {
  id: string;
  secret: Buffer;
  otherSecret: Buffer | null;
}

/** In SQL: `quizctl doctor` has no entities. @param limit null: all */
export function newestSecrets(database: DataSource, limit: number | null): Promise<SealedRow[]> {
  return query(
    database,
    sql`SELECT id, secret, other_secret AS "otherSecret" FROM webhook_endpoints
      WHERE deleted_at IS NULL ORDER BY created_at DESC LIMIT ${limit}`,
  );
}

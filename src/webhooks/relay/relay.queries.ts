import type { DataSource, EntityManager } from 'typeorm';
import { ENDPOINT_EVENTS } from '../../events/event-map';
import { literal, query, queryPrepared, sql } from '../../platform/database/sql';
import type { DeliveryStatus } from '../deliveries/delivery.rules';
import type { UnplacedDelivery } from './delivery-queue';

/** Rows per batch; of one account in a batch, so that a flood does not hold up the events of others. */
export const RELAY_BATCH = 500;
export const RELAY_BATCH_OF_ACCOUNT = 100;

/** To the microsecond, as text that sorts: a Date would truncate it to milliseconds. */
const STORED_AT = sql`to_char(e.stored_at AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS') AS "storedAt"`;

export interface WaitingEvent {
  id: string;
  name: string;
  accountId: string;
  storedAt: string;
  /** The endpoint that the event is about, if any. */
  about: string | null;
}

/**
 * A batch of unrelayed events, some of each account: one index step for each account that has any.
 * @param after the account to begin after, so that several accounts with many events do not fill every batch
 */
export function waitingEvents(tx: EntityManager, after: string): Promise<WaitingEvent[]> {
  return queryPrepared(
    tx,
    sql`WITH RECURSIVE accounts AS (
        (SELECT account_id FROM outbox_events WHERE relayed_at IS NULL AND account_id > ${after} ORDER BY account_id LIMIT 1)
        UNION ALL
        SELECT (SELECT o.account_id FROM outbox_events o
                WHERE o.relayed_at IS NULL AND o.account_id > a.account_id ORDER BY o.account_id LIMIT 1)
        FROM accounts a WHERE a.account_id IS NOT NULL
      )
      SELECT e.id, e.name, e.account_id AS "accountId", ${STORED_AT},
             CASE WHEN e.name = ANY(${ENDPOINT_EVENTS}::text[]) THEN e.body::json -> 'data' ->> 'endpoint_id' END AS about
      FROM accounts a CROSS JOIN LATERAL (
        SELECT id, name, account_id, stored_at, body FROM outbox_events
        WHERE account_id = a.account_id AND relayed_at IS NULL
        ORDER BY id LIMIT ${literal(RELAY_BATCH_OF_ACCOUNT)} FOR UPDATE SKIP LOCKED
      ) e LIMIT ${literal(RELAY_BATCH)}`,
  );
}

export interface Subscriber {
  id: string;
  accountId: string;
  allAccounts: boolean;
  events: string[];
  storedAt: string;
  disabledAt: Date | null;
  isFailing: boolean;
  /** Its deliveries that are due. */
  waiting: number;
}

/** Beyond it an account's deliveries keep their order of arrival. */
const MOST_COUNTED = 10_000;

/**
 * The endpoints that could receive events of accounts. Nothing is locked: the processor notices an endpoint that is
 * disabled, deleted or loses its right meanwhile. It does not see paused deliveries: the relay locks disabled endpoints.
 */
export function subscribers(
  tx: EntityManager,
  accounts: readonly string[],
  now: Date,
): Promise<Subscriber[]> {
  return queryPrepared(
    tx,
    sql`SELECT e.id, e.account_id AS "accountId", e.events, ${STORED_AT}, e.disabled_at AS "disabledAt",
             e.all_accounts AND a.is_admin AND a.disabled_at IS NULL AS "allAccounts",
             e.failing_since IS NOT NULL AS "isFailing", (
               SELECT count(*)::int FROM (
                 SELECT FROM webhook_deliveries w
                 WHERE w.endpoint_id = e.id AND w.status = 'pending' AND w.next_attempt_at <= ${now}
                 LIMIT ${literal(MOST_COUNTED)}
               ) due) AS waiting
      FROM webhook_endpoints e JOIN accounts a ON a.id = e.account_id
      WHERE e.deleted_at IS NULL AND (e.account_id = ANY(${accounts}::uuid[]) OR e.all_accounts)`,
  );
}

/** A delivery to make. */
export interface NewDelivery {
  id: string;
  eventId: string;
  endpointId: string;
  event: string;
  status: DeliveryStatus;
}

/** Marks the events, and makes their deliveries. @returns those that were made here */
export function relayEvents(
  tx: EntityManager,
  events: readonly string[],
  deliveries: readonly NewDelivery[],
  now: Date,
): Promise<{ id: string }[]> {
  return queryPrepared(
    tx,
    sql`WITH relayed AS (UPDATE outbox_events SET relayed_at = ${now} WHERE id = ANY(${events}::uuid[]))
      INSERT INTO webhook_deliveries (id, event_id, endpoint_id, event, status, next_attempt_at, created_at)
      SELECT id, "eventId", "endpointId", event, status, ${now}, ${now}
      FROM json_to_recordset(${JSON.stringify(deliveries)}::json)
        AS d (id uuid, "eventId" uuid, "endpointId" uuid, event text, status text)
      ON CONFLICT ON CONSTRAINT webhook_deliveries_event_endpoint_key DO NOTHING
      RETURNING id`,
  );
}

/**
 * A delivery `d` to an endpoint `e`, as a job is added for it: the job that makes the attempt in progress, which notices
 * that it was interrupted, else the one that makes the next.
 */
const QUEUED = sql`
  d.id, d.endpoint_id AS "endpointId", e.account_id AS "accountId", d.automatic_attempts AS "automaticAttempts",
  d.next_attempt_at AS "nextAttemptAt", e.failing_since IS NOT NULL AS "isFailing",
  d.is_manual AS "isManual", d.is_test AS "isTest",
  coalesce(d.attempt_job, d.id || CASE WHEN d.is_manual THEN '-manual-' || d.manual_retries ELSE '' END) AS "jobId"`;

/** Tests, manual retries and deliveries of enabled endpoints: the API asks for their jobs in the row. */
export async function takeRequested(
  database: DataSource,
  limit: number,
): Promise<UnplacedDelivery[]> {
  const [requested] = await query<[UnplacedDelivery[], number]>(
    database,
    sql`UPDATE webhook_deliveries d SET needs_job = false
      FROM webhook_endpoints e
      WHERE e.id = d.endpoint_id AND d.id IN (
        SELECT id FROM webhook_deliveries WHERE needs_job ORDER BY endpoint_id, id LIMIT ${limit} FOR UPDATE SKIP LOCKED)
      RETURNING ${QUEUED}`,
  );
  return requested;
}

export interface OverdueDelivery extends UnplacedDelivery {
  isLongOverdue: boolean;
}

/** When deliveries should have a job: due before `due`, or with an attempt in progress since before `ended`. */
interface Overdue {
  due: Date;
  ended: Date;
}

const overdue = ({ due, ended }: Overdue) => sql`
  SELECT ${QUEUED}, d.next_attempt_at < ${ended} AS "isLongOverdue"
  FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
  WHERE (d.status = 'pending' AND d.next_attempt_at < ${due} OR d.is_manual) AND NOT d.needs_job
    AND (d.attempt_started_at IS NULL OR d.attempt_started_at < ${ended})`;

/** @param after the id to begin after */
export function overdueAfter(
  database: DataSource,
  times: Overdue,
  after: string,
  limit: number,
): Promise<OverdueDelivery[]> {
  return query(database, sql`${overdue(times)} AND d.id > ${after} ORDER BY d.id LIMIT ${limit}`);
}

export function stillOverdue(
  database: DataSource,
  times: Overdue,
  ids: readonly string[],
): Promise<OverdueDelivery[]> {
  return query(database, sql`${overdue(times)} AND d.id = ANY(${ids}::uuid[]) ORDER BY d.id`);
}

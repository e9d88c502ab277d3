import { ENDPOINT_EVENTS } from '../../events/event-map';

/** Rows per batch; of one account in a batch, so that a flood does not hold up the events of others. */
export const RELAY_BATCH = 500;
export const RELAY_BATCH_OF_ACCOUNT = 100;

/** To the microsecond, as text that sorts: a Date would truncate it to milliseconds. */
const STORED_AT = `to_char(e.stored_at AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS') AS stored_at`;

const NAMES = ENDPOINT_EVENTS.map((name) => `'${name}'`).join();

/**
 * A batch of unrelayed events, some of each account: one index step for each account that has any. $1 the account to
 * begin after, so that several accounts with many events do not fill every batch.
 */
export const WAITING_EVENTS = `
WITH RECURSIVE accounts AS (
  (SELECT account_id FROM outbox_events WHERE relayed_at IS NULL AND account_id > $1 ORDER BY account_id LIMIT 1)
  UNION ALL
  SELECT (SELECT o.account_id FROM outbox_events o
          WHERE o.relayed_at IS NULL AND o.account_id > a.account_id ORDER BY o.account_id LIMIT 1)
  FROM accounts a WHERE a.account_id IS NOT NULL
)
SELECT e.id, e.name, e.account_id, ${STORED_AT},
       CASE WHEN e.name IN (${NAMES}) THEN e.body::json -> 'data' ->> 'endpoint_id' END AS about
FROM accounts a CROSS JOIN LATERAL (
  SELECT id, name, account_id, stored_at, body FROM outbox_events
  WHERE account_id = a.account_id AND relayed_at IS NULL
  ORDER BY id LIMIT ${RELAY_BATCH_OF_ACCOUNT} FOR UPDATE SKIP LOCKED
) e LIMIT ${RELAY_BATCH}`;

/** Beyond it an account's deliveries keep their order of arrival. */
const MOST_COUNTED = 10_000;

/**
 * The endpoints that could receive events of accounts. Nothing is locked: an endpoint that is disabled, deleted or
 * loses its right meanwhile is noticed by the processor. `waiting`: deliveries that are due. $1 accounts, $2 now.
 */
export const SUBSCRIBERS = `
SELECT e.id, e.account_id, e.all_accounts AND a.is_admin AND a.disabled_at IS NULL AS all_accounts, e.events,
       ${STORED_AT}, coalesce(e.disabled_at, a.disabled_at) AS disabled_at,
       e.failing_since IS NOT NULL AS is_failing, (
         SELECT count(*)::int FROM (
           SELECT FROM webhook_deliveries w
           WHERE w.endpoint_id = e.id AND w.status = 'pending' AND w.next_attempt_at <= $2 LIMIT ${MOST_COUNTED}
         ) due) AS waiting
FROM webhook_endpoints e JOIN accounts a ON a.id = e.account_id
WHERE e.deleted_at IS NULL AND (e.account_id = ANY($1::uuid[]) OR e.all_accounts)`;

/**
 * Marks the events, and makes their deliveries. $1 deliveries, $2 now, $3 events.
 * @returns those that were made here
 */
export const RELAY = `
WITH relayed AS (UPDATE outbox_events SET relayed_at = $2 WHERE id = ANY($3::uuid[]))
INSERT INTO webhook_deliveries (id, event_id, endpoint_id, event, status, next_attempt_at, created_at)
SELECT id, event_id, endpoint_id, event, status, $2, $2
FROM json_to_recordset($1::json) AS d (id uuid, event_id uuid, endpoint_id uuid, event text, status text)
ON CONFLICT ON CONSTRAINT webhook_deliveries_event_endpoint_key DO NOTHING
RETURNING id`;

/**
 * A delivery `d` to an endpoint `e`, as a job is added for it: the job that makes the attempt in progress, which notices
 * that it was interrupted, else the one that makes the next.
 */
const QUEUED = `
  d.id, d.endpoint_id AS "endpointId", e.account_id AS "accountId", d.automatic_attempts AS "automaticAttempts",
  d.next_attempt_at AS "nextAttemptAt", e.failing_since IS NOT NULL AS "isFailing",
  d.is_manual AS "isManual", d.is_test AS "isTest",
  coalesce(d.attempt_job, d.id || CASE WHEN d.is_manual THEN '-manual-' || d.manual_retries ELSE '' END) AS "jobId"`;

/** Tests, manual retries and deliveries of enabled endpoints: the API asks for their jobs in the row. $1 limit. */
export const TAKE_REQUESTED = `
UPDATE webhook_deliveries d SET needs_job = false
FROM webhook_endpoints e
WHERE e.id = d.endpoint_id AND d.id IN (
  SELECT id FROM webhook_deliveries WHERE needs_job ORDER BY endpoint_id, id LIMIT $1 FOR UPDATE SKIP LOCKED)
RETURNING ${QUEUED}`;

/** Deliveries that should have a job: due before $1, or with an attempt in progress since before $2. */
const IS_OVERDUE = `
SELECT ${QUEUED}, d.next_attempt_at < $2 AS "isLongOverdue"
FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
WHERE (d.status = 'pending' AND d.next_attempt_at < $1 OR d.is_manual) AND NOT d.needs_job
  AND (d.attempt_started_at IS NULL OR d.attempt_started_at < $2)`;

/** $3 the id to begin after, $4 limit. */
export const OVERDUE = `${IS_OVERDUE} AND d.id > $3 ORDER BY d.id LIMIT $4`;

/** $3 ids. */
export const STILL_OVERDUE = `${IS_OVERDUE} AND d.id = ANY($3::uuid[]) ORDER BY d.id`;

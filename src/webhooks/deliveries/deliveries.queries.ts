/** A delivery with its endpoint and its last attempt. */
const SUMMARY = `
  d.id, d.event_id AS "eventId", d.event, d.endpoint_id AS "endpointId", e.url, d.is_test AS "isTest",
  CASE d.status WHEN 'paused' THEN 'pending' ELSE d.status END AS status, d.attempts, d.created_at AS "createdAt",
  d.finished_at AS "finishedAt",
  d.is_manual OR d.attempt_job IS NOT NULL AS "underWay",
  d.status = 'paused' AS paused, d.next_attempt_at AS "nextAttemptAt"`;

const ATTEMPT = `
  number, kind, started_at AS "startedAt", duration_ms AS "durationMs", status, error, response`;

/**
 * Whether an endpoint's account may have a delivery's event: it is the account's own, or the account is still an
 * administrator's. Events received before a demotion are neither shown nor sent again. Uses d and e.
 */
const MAY_HAVE = `(
  EXISTS (SELECT FROM outbox_events o WHERE o.id = d.event_id AND o.account_id = e.account_id)
  OR EXISTS (SELECT FROM accounts a WHERE a.id = e.account_id AND a.is_admin))`;

/** $1 account or null, $2 endpoint or null, $3 status or null, $4 event or null, $5 id before, $6 since, $7 limit, $8 offset. */
export const LIST_DELIVERIES = `
SELECT page.*, to_jsonb(a) AS "lastAttempt"
FROM (
  SELECT ${SUMMARY} FROM webhook_endpoints e
  CROSS JOIN LATERAL (
    -- At most what is skipped and a page from each endpoint, by its own index: an account has few endpoints.
    SELECT * FROM webhook_deliveries d
    WHERE d.endpoint_id = e.id AND ($3::text IS NULL OR d.status = $3 OR $3 = 'pending' AND d.status = 'paused') AND ($4::text IS NULL OR d.event = $4)
      AND ($5::uuid IS NULL OR d.id < $5) AND ($6::timestamptz IS NULL OR d.created_at >= $6)
      AND ($1::uuid IS NULL OR ${MAY_HAVE})
    ORDER BY d.id DESC LIMIT $7::bigint + $8::bigint
  ) d
  WHERE ($1::uuid IS NULL OR e.account_id = $1) AND ($2::uuid IS NULL OR e.id = $2)
  ORDER BY d.id DESC LIMIT $7 OFFSET $8
) page
LEFT JOIN LATERAL (
  SELECT ${ATTEMPT} FROM webhook_attempts WHERE delivery_id = page.id ORDER BY number DESC LIMIT 1
) a ON true
ORDER BY page.id DESC`;

/** One statement, so that the delivery and its attempts come from one snapshot. $1 id, $2 account or null. */
export const ONE_DELIVERY = `
SELECT ${SUMMARY}, o.body, e.secret, e.other_secret AS "otherSecret",
       ARRAY(SELECT to_jsonb(a) FROM (
         SELECT ${ATTEMPT} FROM webhook_attempts WHERE delivery_id = d.id ORDER BY number
       ) a) AS "attemptLog"
FROM webhook_deliveries d
JOIN webhook_endpoints e ON e.id = d.endpoint_id
JOIN outbox_events o ON o.id = d.event_id
WHERE d.id = $1 AND ($2::uuid IS NULL OR e.account_id = $2 AND ${MAY_HAVE})`;

/**
 * Requests a manual retry: the relay adds its job. Nothing changes for a delivery that is being sent, one whose retry
 * was already requested (two clicks make one attempt), and one that waits for its first attempt. $1 ids.
 */
export const RETRY = `
UPDATE webhook_deliveries d SET is_manual = true, manual_retries = manual_retries + 1, needs_job = true
FROM webhook_endpoints e
WHERE d.id = ANY($1::uuid[]) AND e.id = d.endpoint_id AND ${MAY_HAVE}
  AND d.attempt_job IS NULL AND NOT d.is_manual
  AND (d.status NOT IN ('pending', 'paused') OR d.status = 'pending' AND d.automatic_attempts > 0)`;

/** Oldest event first. $1 account or null, $2 endpoint or null, $3 since. */
export const FAILED_SINCE = `
SELECT d.id, d.endpoint_id FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
WHERE d.status = 'failed' AND NOT d.is_manual AND NOT d.is_test AND d.finished_at >= $3
  AND e.deleted_at IS NULL AND e.disabled_at IS NULL
  AND ($1::uuid IS NULL OR e.account_id = $1) AND ($2::uuid IS NULL OR e.id = $2)
ORDER BY d.event_id`;

/** Already relayed, because it is for one endpoint only. */
export const ADD_TEST_EVENT = `
INSERT INTO outbox_events (id, name, account_id, body, created_at, relayed_at)
VALUES ($1, 'webhook.test', $2, $3, $4, $4)`;

export const ADD_TEST_DELIVERY = `
INSERT INTO webhook_deliveries (id, event_id, endpoint_id, event, is_test, status, needs_job, next_attempt_at, created_at)
VALUES ($1, $2, $3, 'webhook.test', true, 'pending', true, $4, $4)`;

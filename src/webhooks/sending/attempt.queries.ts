import type { DeliveryStatus } from '../deliveries/delivery.rules';

/** A delivery whose attempt this worker has begun, with everything needed to make it. */
export interface ClaimedDelivery {
  id: string;
  eventId: string;
  event: string;
  endpointId: string;
  accountId: string;
  status: DeliveryStatus;
  isTest: boolean;
  isManual: boolean;
  /** The number of this attempt. */
  number: number;
  /** Automatic attempts before this one. */
  automaticAttempts: number;
  startedAt: Date;
  /** The id of the job that makes it. */
  job: string;
  /** The envelope as it was stored with the change, byte for byte. */
  body: string;
  /** When the event happened. */
  happenedAt: Date;
  url: string;
  secret: Buffer;
  otherSecret: Buffer | null;
}

/** What an attempt needs of a delivery `d`, its endpoint `e` and its event `o`. */
const CLAIMED = `
  d.id, d.event_id AS "eventId", d.event, d.endpoint_id AS "endpointId", d.status, d.is_test AS "isTest",
  d.is_manual AS "isManual", d.attempts AS number, d.automatic_attempts AS "automaticAttempts",
  d.attempt_started_at AS "startedAt", d.attempt_job AS job, o.body, o.created_at AS "happenedAt",
  e.account_id AS "accountId", e.url, e.secret, e.other_secret AS "otherSecret"`;

/**
 * Begins the attempt that is due, if its endpoint may have it. $1 delivery, $2 now, $3 job.
 * @returns nothing otherwise: `STATE` says why
 */
export const CLAIM = `
UPDATE webhook_deliveries d SET attempts = attempts + 1, attempt_started_at = $2, attempt_job = $3
FROM webhook_endpoints e, outbox_events o
WHERE d.id = $1 AND e.id = d.endpoint_id AND o.id = d.event_id
  AND d.attempt_started_at IS NULL AND (d.is_manual OR d.status = 'pending' AND d.next_attempt_at <= $2)
  AND e.deleted_at IS NULL AND (e.disabled_at IS NULL OR d.is_test) AND (e.account_id = o.account_id OR e.all_accounts)
RETURNING ${CLAIMED}`;

/** Why an attempt was not begun. $1 delivery. */
export const STATE = `
SELECT ${CLAIMED}, d.next_attempt_at AS "nextAttemptAt",
       e.deleted_at IS NOT NULL AS "isDeleted", e.disabled_at IS NOT NULL AND NOT d.is_test AS "isDisabled",
       NOT (e.account_id = o.account_id OR e.all_accounts) AS "isForeign"
FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id JOIN outbox_events o ON o.id = d.event_id
WHERE d.id = $1`;

/**
 * Records the attempt with what follows, unless another job has taken over. $1 delivery, $2 number, $3 job, $4 now,
 * $5 status, $6 automatic attempts, $7 next attempt, $8 is manual, $9 kind, $10 started, $11 milliseconds, $12 HTTP
 * status, $13 error, $14 response.
 * @returns how the endpoint was doing before; nothing if another job has taken over
 */
export const RECORD = `
WITH ended AS (
  UPDATE webhook_deliveries d
  SET status = $5::text, automatic_attempts = $6, next_attempt_at = $7, is_manual = $8, attempt_started_at = NULL,
      attempt_job = NULL, finished_at = CASE WHEN $5::text NOT IN ('pending', 'paused') THEN $4::timestamptz END
  FROM webhook_endpoints e
  WHERE d.id = $1 AND d.attempts = $2 AND d.attempt_job = $3 AND e.id = d.endpoint_id
  RETURNING d.id, e.failing_since
), noted AS (
  INSERT INTO webhook_attempts (delivery_id, number, kind, started_at, duration_ms, status, error, response)
  SELECT id, $2, $9::text, $10::timestamptz, $11::integer, $12::integer, $13::text, $14::text FROM ended
)
SELECT failing_since IS NOT NULL AS "wasFailing" FROM ended`;

/** The delivery waits for the operator, and no attempt counts. $1 delivery, $2 number, $3 job, $4 until. */
export const POSTPONE_ATTEMPT = `
UPDATE webhook_deliveries SET attempts = attempts - 1, attempt_started_at = NULL, attempt_job = NULL,
  next_attempt_at = CASE WHEN status = 'pending' THEN $4::timestamptz ELSE next_attempt_at END
WHERE id = $1 AND attempts = $2 AND attempt_job = $3`;

/** Its endpoint was disabled, deleted or has lost its right, unnoticed. $1 delivery, $2 pending becomes this, $3 now. */
export const STOP = `
UPDATE webhook_deliveries SET is_manual = false, needs_job = false,
  status = CASE WHEN status IN ('pending', 'paused') THEN $2::text ELSE status END,
  next_attempt_at = CASE WHEN status IN ('pending', 'paused') AND $2::text = 'paused' THEN next_attempt_at END,
  finished_at = CASE WHEN $2::text = 'paused' AND status IN ('pending', 'paused') THEN NULL ELSE coalesce(finished_at, $3::timestamptz) END
WHERE id = $1`;

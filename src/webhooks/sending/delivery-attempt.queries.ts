import type { DataSource, EntityManager } from 'typeorm';
import { query, queryPrepared, type Sql, sql } from '../../platform/database/sql';
import type { DeliveryStatus } from '../deliveries/delivery.rules';

/** A delivery whose attempt this worker has begun, with everything needed to make it. */
export interface ClaimedDelivery {
  id: string;
  eventId: string;
  event: string;
  endpointId: string;
  status: DeliveryStatus;
  isTest: boolean;
  isManual: boolean;
  /** The number of this attempt. */
  number: number;
  /** Automatic attempts before this one. */
  automaticAttempts: number;
  /** When the next automatic attempt is due, or this one was; null for a finished delivery. */
  nextAttemptAt: Date | null;
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
const CLAIMED = sql`
  d.id, d.event_id AS "eventId", d.event, d.endpoint_id AS "endpointId", d.status, d.is_test AS "isTest",
  d.is_manual AS "isManual", d.attempts AS number, d.automatic_attempts AS "automaticAttempts",
  d.next_attempt_at AS "nextAttemptAt", d.attempt_started_at AS "startedAt", d.attempt_job AS job, o.body, o.created_at AS "happenedAt",
  e.url, e.secret, e.other_secret AS "otherSecret"`;

/** A delivery whose attempt is to begin, and the job that makes it. */
export interface Claim {
  id: string;
  job: string;
}

/**
 * Begins the attempts that are due, if their endpoints may have them. A row that somebody else has locked is left out,
 * so that it does not hold up the others.
 * @returns those begun; `lockDelivery` says why another was not
 */
export async function claimAttempts(
  manager: EntityManager,
  claims: Claim[],
  now: Date,
): Promise<ClaimedDelivery[]> {
  const [claimed] = await queryPrepared<[ClaimedDelivery[], number]>(
    manager,
    sql`WITH due AS (
        SELECT d.id, claim.job FROM json_to_recordset(${JSON.stringify(claims)}::json) AS claim (id uuid, job text)
        JOIN webhook_deliveries d ON d.id = claim.id
        WHERE d.attempt_started_at IS NULL AND (d.is_manual OR d.status = 'pending' AND d.next_attempt_at <= ${now})
        FOR NO KEY UPDATE OF d SKIP LOCKED
      )
      UPDATE webhook_deliveries d SET attempts = attempts + 1, attempt_started_at = ${now}, attempt_job = due.job
      FROM due, webhook_endpoints e, outbox_events o
      WHERE d.id = due.id AND e.id = d.endpoint_id AND o.id = d.event_id
        AND e.deleted_at IS NULL AND (e.disabled_at IS NULL OR d.is_test) AND (e.account_id = o.account_id OR e.all_accounts)
      RETURNING ${CLAIMED}`,
  );
  return claimed;
}

/** A delivery whose attempt was not begun, and why not. */
export interface LockedDelivery extends Omit<ClaimedDelivery, 'startedAt' | 'job'> {
  /** Of the attempt in progress; null: there is none. */
  startedAt: Date | null;
  job: string | null;
  isDeleted: boolean;
  isDisabled: boolean;
  isForeign: boolean;
}

/** Waits for whoever has locked its row. */
export async function lockDelivery(
  tx: EntityManager,
  id: string,
): Promise<LockedDelivery | undefined> {
  const [delivery] = await query<LockedDelivery[]>(
    tx,
    sql`SELECT ${CLAIMED}, e.deleted_at IS NOT NULL AS "isDeleted", e.disabled_at IS NOT NULL AND NOT d.is_test AS "isDisabled",
        NOT (e.account_id = o.account_id OR e.all_accounts) AS "isForeign"
      FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id JOIN outbox_events o ON o.id = d.event_id
      WHERE d.id = ${id} FOR NO KEY UPDATE OF d`,
  );
  return delivery;
}

/** An attempt that has ended, and what follows, as it is recorded. */
export interface AttemptRecord {
  id: string;
  number: number;
  job: string;
  ended_at: Date;
  status: DeliveryStatus;
  automatic_attempts: number;
  next_attempt_at: Date | null;
  is_manual: boolean;
  kind: string;
  started_at: Date;
  duration_ms: number | null;
  http_status: number | null;
  error: string | null;
  response: string | null;
}

/**
 * Records attempts with what follows, unless another job has taken over.
 * @param which of their deliveries `d`
 * @param locked what happens to a row that somebody else has locked
 */
const record = (attempts: AttemptRecord[], which: Sql, locked: Sql): Sql => sql`
  WITH attempt AS (
    SELECT * FROM json_to_recordset(${JSON.stringify(attempts)}::json) AS attempt (id uuid, number integer, job text,
      ended_at timestamptz, status text, automatic_attempts integer, next_attempt_at timestamptz, is_manual boolean,
      kind text, started_at timestamptz, duration_ms integer, http_status integer, error text, response text)
  ), own AS (
    SELECT d.id FROM attempt JOIN webhook_deliveries d ON d.id = attempt.id
    WHERE d.attempts = attempt.number AND d.attempt_job = attempt.job AND ${which}
    FOR NO KEY UPDATE OF d ${locked}
  ), ended AS (
    UPDATE webhook_deliveries d
    SET status = attempt.status, automatic_attempts = attempt.automatic_attempts,
        next_attempt_at = attempt.next_attempt_at, is_manual = attempt.is_manual, attempt_started_at = NULL,
        attempt_job = NULL,
        finished_at = CASE WHEN attempt.status NOT IN ('pending', 'paused') THEN attempt.ended_at END
    FROM own JOIN attempt USING (id)
    WHERE d.id = own.id
    RETURNING d.id
  ), noted AS (
    INSERT INTO webhook_attempts (delivery_id, number, kind, started_at, duration_ms, status, error, response)
    SELECT id, number, kind, started_at, duration_ms, http_status, error, response FROM attempt JOIN ended USING (id)
  )
  SELECT id FROM ended`;

/** Waits for whoever has locked the row. @returns false if another job has taken over */
export async function recordAttempt(tx: EntityManager, attempt: AttemptRecord): Promise<boolean> {
  const recorded = await queryPrepared<object[]>(tx, record([attempt], sql`true`, sql``));
  return recorded.length > 0;
}

/**
 * Records attempts that change no endpoint. Leaves out rows that somebody else has locked, so that they do not hold up
 * the others, and those of failing endpoints, which a success changes too.
 * @returns those that were recorded
 */
export function recordUnlocked(
  manager: EntityManager,
  attempts: AttemptRecord[],
): Promise<{ id: string }[]> {
  const ofHealthy = sql`NOT EXISTS (
      SELECT FROM webhook_endpoints e WHERE e.id = d.endpoint_id AND e.failing_since IS NOT NULL)`;
  return queryPrepared(manager, record(attempts, ofHealthy, sql`SKIP LOCKED`));
}

/** The delivery waits for the operator, and no attempt counts. */
export async function postponeAttempt(
  database: DataSource,
  { id, number, job }: Pick<ClaimedDelivery, 'id' | 'number' | 'job'>,
  until: Date,
): Promise<void> {
  await query(
    database,
    sql`UPDATE webhook_deliveries SET attempts = attempts - 1, attempt_started_at = NULL, attempt_job = NULL,
        next_attempt_at = CASE WHEN status = 'pending' THEN ${until}::timestamptz ELSE next_attempt_at END
      WHERE id = ${id} AND attempts = ${number} AND attempt_job = ${job}`,
  );
}

/**
 * Stops a delivery that was not stopped when its endpoint was disabled, deleted or lost its right.
 * @param instead what pending becomes
 */
export async function stopDelivery(
  tx: EntityManager,
  id: string,
  instead: 'paused' | 'cancelled',
  now: Date,
): Promise<void> {
  await query(
    tx,
    sql`UPDATE webhook_deliveries SET is_manual = false, needs_job = false,
        status = CASE WHEN status IN ('pending', 'paused') THEN ${instead}::text ELSE status END,
        next_attempt_at = CASE WHEN status IN ('pending', 'paused') AND ${instead}::text = 'paused' THEN next_attempt_at END,
        finished_at = CASE WHEN ${instead}::text = 'paused' AND status IN ('pending', 'paused') THEN NULL
          ELSE coalesce(finished_at, ${now}::timestamptz) END
      WHERE id = ${id}`,
  );
}

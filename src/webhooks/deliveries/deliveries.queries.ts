import type { DataSource, EntityManager } from 'typeorm';
import { join, query, type Slice, type Sql, sql } from '../../platform/database/sql';
import type { AttemptView, DeliveryDetail, DeliverySummary } from './deliveries.dto';
import type { ShownStatus } from './delivery.rules';

/** A delivery with its endpoint and its last attempt. */
const SUMMARY = sql`
  d.id, d.event_id AS "eventId", d.event, d.endpoint_id AS "endpointId", e.url, d.is_test AS "isTest",
  CASE d.status WHEN 'paused' THEN 'pending' ELSE d.status END AS status, d.attempts, d.created_at AS "createdAt",
  d.finished_at AS "finishedAt",
  d.is_manual OR d.attempt_job IS NOT NULL AS "underWay",
  d.status = 'paused' AS paused, d.next_attempt_at AS "nextAttemptAt"`;

const ATTEMPT = sql`
  number, kind, started_at AS "startedAt", duration_ms AS "durationMs", status, error, response`;

/**
 * Whether an endpoint's account may have a delivery's event: it is the account's own, or the account is an
 * administrator. Events received before a demotion are neither shown nor sent again. Uses d and e.
 */
const MAY_HAVE = sql`(
  EXISTS (SELECT FROM outbox_events o WHERE o.id = d.event_id AND o.account_id = e.account_id)
  OR EXISTS (SELECT FROM accounts a WHERE a.id = e.account_id AND a.is_admin))`;

/** What is null is not asked for. */
interface DeliveryConditions {
  accountId: string | null;
  endpointId: string | null;
  status: ShownStatus | null;
  event: string | null;
  /** The id of the delivery before the first. */
  before: string | null;
  since: Date | null;
}

export type AttemptRow = Omit<AttemptView, 'startedAt'> & {
  /** In ISO 8601: it comes from to_jsonb. */
  startedAt: string;
};

export type SummaryRow = Omit<DeliverySummary, 'lastAttempt'> & { lastAttempt: AttemptRow | null };

/** Newest first. */
export function listDeliveries(
  database: DataSource,
  { accountId, endpointId, status, event, before, since }: DeliveryConditions,
  { limit, offset }: Slice,
): Promise<SummaryRow[]> {
  const ofEndpoint = [
    sql`d.endpoint_id = e.id`,
    ...(status === null ? [] : [hasStatus(status)]),
    ...(event === null ? [] : [sql`d.event = ${event}`]),
    ...(before === null ? [] : [sql`d.id < ${before}`]),
    ...(since === null ? [] : [sql`d.created_at >= ${since}`]),
    ...(accountId === null ? [] : [MAY_HAVE]),
  ];
  return query(
    database,
    sql`SELECT page.*, to_jsonb(a) AS "lastAttempt"
      FROM (
        SELECT ${SUMMARY} FROM webhook_endpoints e
        CROSS JOIN LATERAL (
          -- At most what is skipped and a page from each endpoint, by its own index: an account has few endpoints.
          SELECT * FROM webhook_deliveries d WHERE ${join(ofEndpoint, sql` AND `)}
          ORDER BY d.id DESC LIMIT ${limit + offset}
        ) d
        WHERE ${endpoints(accountId, endpointId)}
        ORDER BY d.id DESC LIMIT ${limit} OFFSET ${offset}
      ) page
      LEFT JOIN LATERAL (
        SELECT ${ATTEMPT} FROM webhook_attempts WHERE delivery_id = page.id ORDER BY number DESC LIMIT 1
      ) a ON true
      ORDER BY page.id DESC`,
  );
}

/** People see a paused delivery as pending. */
const hasStatus = (status: ShownStatus): Sql =>
  status === 'pending' ? sql`d.status IN ('pending', 'paused')` : sql`d.status = ${status}`;

/** Those of an account, or all (null); one of them, or all. */
const endpoints = (accountId: string | null, endpointId: string | null): Sql =>
  join(
    [
      sql`true`,
      ...(accountId === null ? [] : [sql`e.account_id = ${accountId}`]),
      ...(endpointId === null ? [] : [sql`e.id = ${endpointId}`]),
    ],
    sql` AND `,
  );

export type DeliveryRow = Omit<DeliveryDetail, 'attemptLog' | 'headersNow'> & {
  attemptLog: AttemptRow[];
  secret: Buffer;
  otherSecret: Buffer | null;
};

/** One statement, so that the delivery and its attempts come from one snapshot. @param accountId null: of any */
export async function findDelivery(
  database: DataSource,
  id: string,
  accountId: string | null,
): Promise<DeliveryRow | undefined> {
  const own = accountId === null ? sql`` : sql`AND e.account_id = ${accountId} AND ${MAY_HAVE}`;
  const [row] = await query<DeliveryRow[]>(
    database,
    sql`SELECT ${SUMMARY}, o.body, e.secret, e.other_secret AS "otherSecret",
        ARRAY(SELECT to_jsonb(a) FROM (
          SELECT ${ATTEMPT} FROM webhook_attempts WHERE delivery_id = d.id ORDER BY number
        ) a) AS "attemptLog"
      FROM webhook_deliveries d
      JOIN webhook_endpoints e ON e.id = d.endpoint_id
      JOIN outbox_events o ON o.id = d.event_id
      WHERE d.id = ${id} ${own}`,
  );
  return row;
}

/**
 * Requests manual retries: the relay adds their jobs. Nothing changes for a delivery that is being sent, one whose
 * retry was already requested (two clicks make one attempt), one that waits for its first attempt, and a paused one.
 * @param attempts how many the deliveries have, or they stay as they are; null: any
 * @returns how many were requested
 */
export async function requestRetries(
  tx: EntityManager,
  ids: readonly string[],
  attempts: number | null,
): Promise<number> {
  const [, count] = await query<[unknown, number]>(
    tx,
    sql`UPDATE webhook_deliveries d SET is_manual = true, manual_retries = manual_retries + 1, needs_job = true
      FROM webhook_endpoints e
      WHERE d.id = ANY(${ids}::uuid[]) AND e.id = d.endpoint_id AND ${MAY_HAVE}
        AND d.attempt_job IS NULL AND NOT d.is_manual
        AND (${attempts}::int IS NULL OR d.attempts = ${attempts})
        AND (d.status NOT IN ('pending', 'paused') OR d.status = 'pending' AND d.automatic_attempts > 0)`,
  );
  return count;
}

/**
 * What has failed at enabled endpoints, oldest event first.
 * @param accountId null: of all accounts
 * @param endpointId null: at all endpoints
 * @param among null: all; else only these deliveries
 */
export function failedSince(
  tx: DataSource | EntityManager,
  accountId: string | null,
  endpointId: string | null,
  since: Date,
  among: readonly string[] | null = null,
): Promise<{ id: string; endpointId: string }[]> {
  return query(
    tx,
    sql`SELECT d.id, d.endpoint_id AS "endpointId" FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
      WHERE d.status = 'failed' AND NOT d.is_manual AND NOT d.is_test AND d.finished_at >= ${since}
        AND e.deleted_at IS NULL AND e.disabled_at IS NULL AND ${endpoints(accountId, endpointId)}
        AND (${among}::uuid[] IS NULL OR d.id = ANY(${among}::uuid[]))
      ORDER BY d.event_id`,
  );
}

import type { EntityManager } from 'typeorm';
import { OF_THEIR_ACCOUNTS } from '../endpoints/endpoint.queries';
import { queryPrepared } from '../../platform/database/data-source';
import { FIRST_ATTEMPTS, RETRIES, SLOW_ENDPOINTS, type ReadyDelivery } from './delivery-queues';
import {
  ACCOUNT_SHARES,
  JOB_LOST_AFTER,
  SLOTS,
  SLOTS_WHILE_FAILING,
} from '../sending/sending-limits';

/**
 * The ready deliveries that fit into the free slots of endpoints and into the shares of their accounts: those that
 * have waited longest, manual retries first, and in turn between the endpoints of an account. A delivery keeps its
 * slot until its attempt has ended, so over all workers no endpoint has more attempts in progress than slots, and no
 * account more than its share of a queue; the others wait as rows and cost nothing. An earlier statement of the
 * transaction must have locked the endpoints and all others of their accounts (`lockAccounts`): only then does this
 * one count slots that nobody else is taking. What is chosen must be queued or leased in the same transaction.
 */
export async function chooseReady(
  tx: EntityManager,
  endpointIds: readonly string[],
): Promise<ReadyDelivery[]> {
  if (endpointIds.length === 0) return [];
  return queryPrepared<ReadyDelivery[]>(tx, CHOOSE, [
    endpointIds,
    SLOTS,
    SLOTS_WHILE_FAILING,
    JSON.stringify(ACCOUNT_SHARES),
  ]);
}

/** A job will wake them: it is added after the commit. */
export async function queueReady(
  tx: EntityManager,
  chosen: readonly ReadyDelivery[],
  now: Date,
): Promise<void> {
  if (chosen.length === 0) return;
  await queryPrepared(tx, QUEUE, [
    chosen.map(({ id }) => id),
    chosen.map(({ queue }) => queue),
    new Date(now.getTime() + JOB_LOST_AFTER),
  ]);
}

/** `$1` ids, `$2` their queues, `$3` when their jobs are considered lost. */
const QUEUE = `
UPDATE webhook_deliveries d SET state = 'queued', queue = chosen.queue, next_check_at = $3, requeued = 0
FROM unnest($1::uuid[], $2::text[]) AS chosen (id, queue) WHERE d.id = chosen.id AND d.state = 'ready'`;

/** The queue for a delivery `d` to an endpoint `e` that gets a slot now. */
export const QUEUE_OF = `
  CASE WHEN e.failing_since IS NOT NULL OR d.attempts > 0 THEN '${RETRIES}'
       WHEN e.slow_until > now() THEN '${SLOW_ENDPOINTS}' ELSE '${FIRST_ATTEMPTS}' END`;

const CHOOSE = `
WITH endpoints AS (
  SELECT e.id, e.account_id, e.failing_since, e.slow_until,
         CASE WHEN e.failing_since IS NULL THEN $2::int ELSE $3::int END AS slots,
         (SELECT count(*) FROM webhook_deliveries d
          WHERE d.endpoint_id = e.id AND d.state IN ('queued', 'leased')) AS taken
  FROM webhook_endpoints e WHERE e.id IN (${OF_THEIR_ACCOUNTS})
), shares AS (
  SELECT key AS queue, value::int * greatest(1, (
    SELECT count(*) FROM webhook_workers WHERE seen_at > now() - interval '15 seconds')) AS share
  FROM json_each_text($4::json)
), used AS (
  SELECT e.account_id, d.queue, count(*) AS count
  FROM endpoints e JOIN webhook_deliveries d ON d.endpoint_id = e.id AND d.state IN ('queued', 'leased')
  GROUP BY e.account_id, d.queue
), waiting AS (
  SELECT d.*, e.account_id, ${QUEUE_OF} AS queue,
         e.taken + row_number() OVER (PARTITION BY e.id ORDER BY d.is_manual DESC, d.next_attempt_at, d.id) AS turn
  FROM endpoints e CROSS JOIN LATERAL (
    SELECT id, endpoint_id, attempts, is_manual, next_attempt_at FROM webhook_deliveries
    WHERE endpoint_id = e.id AND state = 'ready'
    ORDER BY is_manual DESC, next_attempt_at, id
    LIMIT greatest(e.slots - e.taken, 0)
  ) d
), placed AS (
  SELECT w.*, row_number() OVER (PARTITION BY w.account_id, w.queue ORDER BY w.turn, w.next_attempt_at, w.id)
         + coalesce((SELECT u.count FROM used u WHERE u.account_id = w.account_id AND u.queue = w.queue), 0) AS place
  FROM waiting w
)
SELECT p.id, p.endpoint_id AS "endpointId", p.attempts, 0 AS requeued, p.queue
FROM placed p JOIN shares s ON s.queue = p.queue WHERE p.place <= s.share ORDER BY p.turn, p.id`;

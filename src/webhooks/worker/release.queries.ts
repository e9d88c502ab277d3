import type { EntityManager } from 'typeorm';
import type { Released } from './lanes';
import { JOB_LOST_AFTER, SLOTS, SLOTS_WHILE_FAILING } from './limits';

/**
 * Gives the free slots of endpoints to the ready deliveries that have waited longest, and queues them. Jobs are
 * added after the commit. The endpoints must be locked (`chooseReady`).
 */
export async function releaseReady(
  tx: EntityManager,
  endpointIds: readonly string[],
  now: Date,
): Promise<Released[]> {
  const chosen = await chooseReady(tx, endpointIds);
  await queueReady(tx, chosen, now);
  return chosen;
}

/**
 * The ready deliveries that fit into the free slots of endpoints: those that have waited longest, retries by
 * hand first. A delivery keeps its slot until its attempt has ended, so no endpoint ever has more attempts under
 * way than slots, over all workers; the others wait as rows and cost nothing.
 *
 * The endpoints must be locked (`lockEndpoints`) by an earlier statement of the transaction: only then does
 * this one count slots that nobody else is taking. What is chosen must be queued or leased in the same one.
 */
export async function chooseReady(
  tx: EntityManager,
  endpointIds: readonly string[],
): Promise<Released[]> {
  if (endpointIds.length === 0) return [];
  return tx.query<Released[]>(CHOOSE, [endpointIds, SLOTS, SLOTS_WHILE_FAILING]);
}

/** A job will wake them: it is added after the commit. */
export async function queueReady(
  tx: EntityManager,
  chosen: readonly Released[],
  now: Date,
): Promise<void> {
  if (chosen.length === 0) return;
  await tx.query(
    `UPDATE webhook_deliveries SET state = 'queued', wake_at = $2, requeued = 0 WHERE id = ANY($1::uuid[])`,
    [chosen.map(({ id }) => id), new Date(now.getTime() + JOB_LOST_AFTER)],
  );
}

const CHOOSE = `
WITH free AS (
  SELECT e.id AS endpoint_id, e.failing_since IS NOT NULL AS failing,
         CASE WHEN e.failing_since IS NULL THEN $2::int ELSE $3::int END
           - (SELECT count(*) FROM webhook_deliveries d
              WHERE d.endpoint_id = e.id AND d.state IN ('queued', 'leased')) AS slots
  FROM webhook_endpoints e WHERE e.id = ANY($1::uuid[])
)
SELECT d.id, d.endpoint_id AS "endpointId", d.attempts, 0 AS requeued, free.failing OR d.attempts > 0 AS slow
FROM free CROSS JOIN LATERAL (
  SELECT id, endpoint_id, attempts FROM webhook_deliveries
  WHERE endpoint_id = free.endpoint_id AND state = 'ready'
  ORDER BY is_manual DESC, next_attempt_at, id
  LIMIT greatest(free.slots, 0)
) d`;

import type { EntityManager } from 'typeorm';
import type { Released } from './lanes';
import { JOB_LOST_AFTER, SLOTS, SLOTS_WHILE_FAILING } from './limits';

/**
 * Gives the free slots of endpoints to the ready deliveries that have waited longest, retries by hand first.
 * A delivery keeps its slot until its attempt has ended, so no endpoint ever has more attempts under way than
 * slots, over all workers; the others wait as rows and cost nothing.
 *
 * The endpoints must be locked (`lockEndpoints`) by an earlier statement of the transaction: only then does
 * this one count slots that nobody else is taking. Jobs are added after the commit.
 */
export async function releaseReady(
  tx: EntityManager,
  endpointIds: readonly string[],
  now: Date,
): Promise<Released[]> {
  if (endpointIds.length === 0) return [];
  const [rows] = await tx.query<[Released[], number]>(RELEASE, [
    endpointIds,
    SLOTS,
    SLOTS_WHILE_FAILING,
    new Date(now.getTime() + JOB_LOST_AFTER),
  ]);
  return rows;
}

const RELEASE = `
WITH free AS (
  SELECT e.id AS endpoint_id, e.failing_since IS NOT NULL AS failing,
         CASE WHEN e.failing_since IS NULL THEN $2::int ELSE $3::int END
           - (SELECT count(*) FROM webhook_deliveries d
              WHERE d.endpoint_id = e.id AND d.state IN ('queued', 'leased')) AS slots
  FROM webhook_endpoints e WHERE e.id = ANY($1::uuid[])
), chosen AS (
  SELECT d.id, free.failing FROM free CROSS JOIN LATERAL (
    SELECT id FROM webhook_deliveries
    WHERE endpoint_id = free.endpoint_id AND state = 'ready'
    ORDER BY is_manual DESC, next_attempt_at, id
    LIMIT greatest(free.slots, 0)
  ) d
)
UPDATE webhook_deliveries d SET state = 'queued', wake_at = $4
FROM chosen WHERE d.id = chosen.id
RETURNING d.id, d.endpoint_id AS "endpointId", d.attempts, chosen.failing OR d.attempts > 0 AS slow`;

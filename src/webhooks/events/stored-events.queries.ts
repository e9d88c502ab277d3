import type { DataSource, EntityManager } from 'typeorm';
import type { EventName } from '../../events/event-map';
import { liftStatementTimeout } from '../../platform/database/deadline-client';
import { query, type Sql, sql } from '../../platform/database/sql';

/** The place of an event in the order of `eventsAfter`. */
export interface EventPosition {
  transactionId: string;
  id: string;
}

/**
 * Events of an account in the order in which their transactions began to write, and only of transactions before the
 * first that is still open: so no event ever appears before one that was listed. From each type at most a page, by the
 * index.
 */
export const eventsAfter = (
  place: EventPosition,
  accountId: string,
  types: readonly EventName[],
  limit: number,
): Sql => sql`
  SELECT o.id, o.name AS type, o.created_at AS "createdAt", o.body
  FROM unnest(${types}::text[]) AS wanted (type)
  CROSS JOIN LATERAL (
    SELECT id, transaction_id FROM outbox_events
    WHERE account_id = ${accountId} AND name = wanted.type
      AND (transaction_id, id) > (${place.transactionId}::bigint, ${place.id}::uuid)
      AND transaction_id < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    ORDER BY transaction_id, id LIMIT ${limit}
  ) place
  JOIN outbox_events o ON o.id = place.id
  ORDER BY place.transaction_id, place.id LIMIT ${limit}`;

/**
 * The last transaction of the stored events, where it was one of another cluster: a dump was restored into this one,
 * which counts anew and has not come so far. What it has stored itself is of no transaction after its snapshot.
 */
export async function restoredTransaction(database: DataSource): Promise<string | undefined> {
  const [restored] = await query<{ last: string }[]>(
    database,
    sql`SELECT last FROM (
        SELECT max(transaction_id) AS last FROM (
          SELECT transaction_id FROM outbox_events ORDER BY id DESC LIMIT 1000
        ) newest
      ) restored
      WHERE last >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint`,
  );
  return restored?.last;
}

/** Puts the restored events, in their order, before those to come. @param last their last transaction */
export async function rebaseRestoredEvents(tx: EntityManager, last: string): Promise<void> {
  // A month of events takes longer than requests may.
  await liftStatementTimeout(tx);
  await query(tx, sql`UPDATE outbox_events SET transaction_id = transaction_id - ${last}::bigint`);
}

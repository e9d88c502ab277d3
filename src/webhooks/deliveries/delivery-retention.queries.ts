import type { DataSource } from 'typeorm';
import { query, type Sql, sql } from '../../platform/database/sql';

type Prune = (before: Date, limit: number) => Sql;

/** Attempts go with their delivery. */
const deliveries: Prune = (before, limit) => sql`
  DELETE FROM webhook_deliveries WHERE id IN (
    SELECT id FROM webhook_deliveries WHERE finished_at < ${before} AND NOT is_manual AND attempt_job IS NULL
    ORDER BY finished_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;

const endpoints: Prune = (before, limit) => sql`
  DELETE FROM webhook_endpoints WHERE id IN (
    SELECT id FROM webhook_endpoints e WHERE deleted_at < ${before}
      AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.endpoint_id = e.id)
    LIMIT ${limit})`;

/**
 * Deletes a batch of finished deliveries, and of deleted endpoints.
 * @returns whether more may be left
 */
export async function pruneBatch(
  database: DataSource,
  before: Date,
  limit: number,
): Promise<boolean> {
  let more = false;
  for (const statement of [deliveries, endpoints]) {
    const [, count] = await query<[unknown, number]>(database, statement(before, limit));
    more ||= count === limit;
  }
  return more;
}

/** An event, by its place in the order in which events were relayed. */
export interface RelayedEvent {
  id: string;
  /** As PostgreSQL writes it: a Date would lose the microseconds. */
  relayedAt: string;
}

/**
 * Looks at the next old events and deletes those without a delivery. An event stays as long as one of its deliveries:
 * they share its stored body. Those of a disabled endpoint stay for months, and a statement that looks at all of them
 * takes a second at 100,000.
 * @param after the last one that was looked at; null: begins with the oldest
 * @returns how many were deleted; and the last one that was looked at, null: there are no more
 */
export async function pruneEvents(
  database: DataSource,
  before: Date,
  after: RelayedEvent | null,
  limit: number,
): Promise<{ deleted: number; last: RelayedEvent | null }> {
  const from = after
    ? sql` AND (relayed_at, id) > (${after.relayedAt}::timestamptz, ${after.id}::uuid)`
    : sql``;
  const [row] = await query<(RelayedEvent & { deleted: number; seen: number })[]>(
    database,
    sql`WITH old AS MATERIALIZED (
          SELECT id, relayed_at FROM outbox_events WHERE relayed_at < ${before}${from}
          ORDER BY relayed_at, id LIMIT ${limit}
        ), deleted AS (
          DELETE FROM outbox_events o USING old
          WHERE o.id = old.id AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.event_id = o.id)
          RETURNING o.id)
        SELECT id, relayed_at::text AS "relayedAt", (SELECT count(*)::int FROM deleted) AS deleted,
          (SELECT count(*)::int FROM old) AS seen
        FROM old ORDER BY relayed_at DESC, old.id DESC LIMIT 1`,
  );
  if (!row) return { deleted: 0, last: null };
  const { id, relayedAt, deleted, seen } = row;
  return { deleted, last: seen < limit ? null : { id, relayedAt } };
}

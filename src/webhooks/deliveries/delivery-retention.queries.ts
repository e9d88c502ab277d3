import type { DataSource } from 'typeorm';
import { query, type Sql, sql } from '../../platform/database/sql';

type Prune = (before: Date, limit: number) => Sql;

/** Attempts go with their delivery. */
const deliveries: Prune = (before, limit) => sql`
  DELETE FROM webhook_deliveries WHERE id IN (
    SELECT id FROM webhook_deliveries WHERE finished_at < ${before} AND NOT is_manual AND attempt_job IS NULL
    ORDER BY finished_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;

/** An event stays as long as one of its deliveries: they share its stored body. */
const events: Prune = (before, limit) => sql`
  DELETE FROM outbox_events WHERE id IN (
    SELECT id FROM outbox_events o WHERE relayed_at < ${before}
      AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.event_id = o.id)
    ORDER BY relayed_at LIMIT ${limit})`;

const endpoints: Prune = (before, limit) => sql`
  DELETE FROM webhook_endpoints WHERE id IN (
    SELECT id FROM webhook_endpoints e WHERE deleted_at < ${before}
      AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.endpoint_id = e.id)
    LIMIT ${limit})`;

/**
 * Deletes a batch of finished deliveries, of their events, and of deleted endpoints.
 * @returns whether more may be left
 */
export async function pruneBatch(
  database: DataSource,
  before: Date,
  limit: number,
): Promise<boolean> {
  let more = false;
  for (const statement of [deliveries, events, endpoints]) {
    const [, count] = await query<[unknown, number]>(database, statement(before, limit));
    more ||= count === limit;
  }
  return more;
}

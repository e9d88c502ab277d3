import type { EntityManager } from 'typeorm';
import { query, type Sql, sql } from '../../platform/database/sql';

/**
 * The events that may name players, receivers or drafts: all of the account, except `quiz.deleted` of the quizzes that
 * its deletion took from the public.
 */
const personalEvents = (accountId: string, deletedAt: Date): Sql =>
  sql`o.account_id = ${accountId} AND (o.created_at < ${deletedAt} OR o.name <> 'quiz.deleted')`;

/** Deletes a batch of deliveries to endpoints, with their attempts. @returns whether more may be left */
export function deleteDeliveriesTo(
  tx: EntityManager,
  endpointIds: readonly string[],
  limit: number,
): Promise<boolean> {
  return deleteBatch(
    tx,
    sql`webhook_deliveries`,
    sql`SELECT id FROM webhook_deliveries WHERE endpoint_id = ANY (${endpointIds}::uuid[])`,
    limit,
  );
}

/**
 * Deletes a batch of an account's personal events, after a batch of their deliveries to other accounts.
 * @returns whether more may be left
 */
export async function deleteEvents(
  tx: EntityManager,
  accountId: string,
  deletedAt: Date,
  limit: number,
): Promise<boolean> {
  const deliveries = sql`SELECT d.id FROM webhook_deliveries d JOIN outbox_events o ON o.id = d.event_id
    WHERE ${personalEvents(accountId, deletedAt)}`;
  const moreDeliveries = await deleteBatch(tx, sql`webhook_deliveries`, deliveries, limit);
  const events = sql`SELECT o.id FROM outbox_events o
    WHERE ${personalEvents(accountId, deletedAt)} AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.event_id = o.id)`;
  const moreEvents = await deleteBatch(tx, sql`outbox_events`, events, limit);
  return moreDeliveries || moreEvents;
}

async function deleteBatch(
  tx: EntityManager,
  table: Sql,
  ids: Sql,
  limit: number,
): Promise<boolean> {
  const [, count] = await query<[unknown, number]>(
    tx,
    sql`DELETE FROM ${table} WHERE id IN (${ids} LIMIT ${limit})`,
  );
  return count === limit;
}

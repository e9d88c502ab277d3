import type { EntityManager } from 'typeorm';
import { columnOf, query, queryPrepared, sql } from '../platform/database/sql';
import { type EventName, PLAYER_EVENTS } from './event-map';

/** A player of whom an account received events. */
export interface RenamedPlayer {
  /** The account. */
  ownerId: string;
  before: string;
  after: string;
}

/**
 * Stores events in one statement, in this order. Every change runs it, so it is prepared: the text of the repository's
 * `insert` depends on the number of events, and PostgreSQL would parse it each time.
 */
export async function insertEvents(
  tx: EntityManager,
  events: readonly { id: string; name: EventName; accountId: string; body: string }[],
  createdAt: Date,
): Promise<void> {
  await queryPrepared(
    tx,
    sql`INSERT INTO outbox_events (id, name, account_id, body, created_at)
        SELECT id, name, account_id, body, ${createdAt}
        FROM unnest(${columnOf(events, 'id')}::uuid[], ${columnOf(events, 'name')}::text[],
          ${columnOf(events, 'accountId')}::uuid[], ${columnOf(events, 'body')}::text[])
          AS event (id, name, account_id, body)`,
  );
}

/**
 * An event of a leaderboard names several players, and a statement changes one of them: it is repeated. Events do not say
 * whose players they name: one of another account with the same id is renamed in them, too. The other way round the name
 * of somebody who was deleted would stay.
 */
export async function renameInEvents(
  tx: EntityManager,
  renamed: readonly RenamedPlayer[],
): Promise<void> {
  const user = (name: string) => `"user_id":${JSON.stringify(name)}`;
  const before = renamed.map((player) => user(player.before));
  const after = renamed.map((player) => user(player.after));
  for (let changed = renamed.length; changed > 0;) {
    const [, count] = await query<[unknown, number]>(
      tx,
      sql`UPDATE outbox_events o SET body = replace(o.body, p.before, p.after)
          FROM unnest(${columnOf(renamed, 'ownerId')}::uuid[], ${before}::text[], ${after}::text[]) AS p (owner_id, before, after)
          WHERE o.account_id = p.owner_id AND o.name = ANY (${PLAYER_EVENTS}::text[]) AND strpos(o.body, p.before) > 0`,
    );
    changed = count;
  }
}

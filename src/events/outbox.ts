import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../platform/clock';
import { query, queryPrepared, sql } from '../platform/database/sql';
import { newId } from '../platform/text/ids';
import { type DomainEvent, type EventName, PLAYER_EVENTS } from './event-map';

/** An event of an account, whose endpoints receive it. */
export type AccountEvent = DomainEvent<EventName>;

/**
 * The transactional outbox. An event is a row written in the transaction of its change: no commit, no event. The row
 * holds the envelope of the specification, part 6, byte for byte as it will be signed and sent; the webhook worker
 * relays it later. Modules call `DomainEvents`, which also notifies listeners.
 */
@Injectable()
export class Outbox {
  constructor(private readonly clock: Clock) {}

  /** @param tx the transaction of the change */
  async record(tx: EntityManager, events: readonly AccountEvent[]): Promise<void> {
    const now = this.clock.now();
    const created_at = now.toISOString();
    const ids = events.map(() => newId());
    const names = events.map(({ name }) => name);
    const accountIds = events.map(({ accountId }) => accountId);
    const bodies = events.map(({ name, data }, place) =>
      JSON.stringify({ id: ids[place], event: name, created_at, data }),
    );
    await queryPrepared(
      tx,
      sql`INSERT INTO outbox_events (id, name, account_id, body, created_at)
          SELECT id, name, account_id, body, ${now}
          FROM unnest(${ids}::uuid[], ${names}::text[], ${accountIds}::uuid[], ${bodies}::text[])
            AS event (id, name, account_id, body)`,
    );
  }

  /**
   * Gives players other names in the stored events of accounts. An event of a leaderboard names several, and a statement
   * changes one of them.
   */
  async renamePlayers(tx: EntityManager, renamed: readonly RenamedPlayer[]): Promise<void> {
    const user = (name: string) => `"user_id":${JSON.stringify(name)}`;
    const owners = renamed.map(({ ownerId }) => ownerId);
    const before = renamed.map(({ before: name }) => user(name));
    const after = renamed.map(({ after: name }) => user(name));
    for (let changed = renamed.length; changed > 0;) {
      const [, count] = await query<[unknown, number]>(
        tx,
        sql`UPDATE outbox_events o SET body = replace(o.body, p.before, p.after)
            FROM unnest(${owners}::uuid[], ${before}::text[], ${after}::text[]) AS p (owner_id, before, after)
            WHERE o.account_id = p.owner_id AND o.name = ANY (${PLAYER_EVENTS}::text[]) AND strpos(o.body, p.before) > 0`,
      );
      changed = count;
    }
  }
}

/** A player of whom an account received events. */
export interface RenamedPlayer {
  /** The account. */
  ownerId: string;
  before: string;
  after: string;
}

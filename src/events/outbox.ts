import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../platform/clock';
import { newId } from '../platform/text/ids';
import type { EventMap, EventName } from './event-map';

/**
 * The transactional outbox. An event is a row written in the transaction of the change that it tells
 * of: no commit, no event. The row holds the envelope of the specification, part 6, byte for byte as it
 * will be signed and sent; the webhook worker relays it later.
 */
@Injectable()
export class Outbox {
  constructor(private readonly clock: Clock) {}

  /**
   * @param tx the transaction of the change
   * @param accountId the account whose endpoints receive the event
   */
  async record<Name extends EventName>(
    tx: EntityManager,
    name: Name,
    accountId: string,
    data: EventMap[Name],
  ): Promise<void> {
    const id = newId();
    const now = this.clock.now();
    const envelope = { id, event: name, created_at: now.toISOString(), data };
    await tx.query(
      `INSERT INTO outbox_events (id, name, account_id, body, created_at) VALUES ($1, $2, $3, $4, $5)`,
      [id, name, accountId, JSON.stringify(envelope), now],
    );
  }
}

import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../platform/clock';
import { newId } from '../platform/ids';
import type { EventMap, EventName } from './event-map';

/**
 * The transactional outbox. An event is a row written in the transaction of the change that it tells
 * of: no commit, no event. The webhook worker relays the rows later.
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
    payload: EventMap[Name],
  ): Promise<void> {
    await tx.query(
      `INSERT INTO outbox_events (id, name, account_id, payload, created_at) VALUES ($1, $2, $3, $4, $5)`,
      [newId(), name, accountId, JSON.stringify(payload), this.clock.now()],
    );
  }
}

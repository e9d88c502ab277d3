import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../platform/clock';
import { newId } from '../platform/text/ids';
import { type DomainEvent, type EventName } from './event-map';
import { insertEvents } from './outbox.queries';

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
    const rows = events.map(({ name, accountId, data }) => {
      const id = newId();
      const body = printable(JSON.stringify({ id, event: name, created_at, data }));
      return { id, name, accountId, body };
    });
    await insertEvents(tx, rows, now);
  }
}

/** People print bodies to terminals, which obey control characters. JSON.stringify leaves these as they are. */
const printable = (json: string): string =>
  json.replace(/[\x7f-\x9f]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);

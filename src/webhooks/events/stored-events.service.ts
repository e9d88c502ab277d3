import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository } from 'typeorm';
import type { EventName } from '../../events/event-map';
import { OutboxEvent } from '../../events/outbox-event.entity';
import { query } from '../../platform/database/sql';
import { Gone } from '../../platform/errors/domain-errors';
import { isId, NIL_ID } from '../../platform/text/ids';
import { EVENT_NOT_STORED, type StoredEvent } from './events.dto';
import {
  type EventPosition,
  eventsAfter,
  rebaseRestoredEvents,
  restoredTransaction,
} from './stored-events.queries';

/** Before every event, those from before a restore included. */
const BEGINNING: EventPosition = {
  transactionId: '-9223372036854775808',
  id: NIL_ID,
};

/**
 * The events of accounts, for receivers that missed some. They are stored whether an endpoint is subscribed or not, but
 * for `delivery.failed` and `endpoint.disabled`.
 */
@Injectable()
export class StoredEventsService implements OnModuleInit {
  constructor(
    private readonly database: DataSource,
    @InjectRepository(OutboxEvent) private readonly events: Repository<OutboxEvent>,
  ) {}

  /** Before this process stores an event: those of a restored dump come first in the order. */
  async onModuleInit(): Promise<void> {
    const last = await restoredTransaction(this.database);
    if (last === undefined) return;
    await this.database.transaction((tx) => rebaseRestoredEvents(tx, last));
  }

  /**
   * In an order in which none is ever added before one that was listed.
   * @param after the id of the event to begin after; without it the oldest stored one comes first
   * @throws Gone when that event is not stored (any more)
   */
  async list(
    accountId: string,
    page: { after?: string; types: readonly EventName[]; limit: number },
  ): Promise<StoredEvent[]> {
    const { after, types, limit } = page;
    const place = after === undefined ? BEGINNING : await this.placeOf(accountId, after);
    return query(this.database, eventsAfter(place, accountId, types, limit));
  }

  private async placeOf(accountId: string, id: string): Promise<EventPosition> {
    const place = isId(id)
      ? await this.events.findOne({
          select: { transactionId: true, id: true },
          where: { id, accountId },
        })
      : null;
    if (!place) throw new Gone(EVENT_NOT_STORED.error, EVENT_NOT_STORED.name);
    return place;
  }
}

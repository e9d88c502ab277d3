import { Controller, Get, Query } from '@nestjs/common';
import { NeedsKey } from '../../access/api-keys/api-key.guard';
import type { Caller } from '../../access/api-keys/caller';
import { CurrentCaller } from '../../access/api-keys/current-caller.decorator';
import { KeyScope } from '../../access/api-keys/key-scope.decorator';
import { EVENT_NAMES } from '../../events/event-map';
import { Endpoints, Sends } from '../../platform/openapi/endpoint';
import { Fails } from '../../platform/openapi/failures';
import { EVENT_NOT_STORED, ListEventsQuery, StoredEvent } from './events.dto';
import { StoredEventsService } from './stored-events.service';

/** Stored events (docs/webhooks.md): an extension of the specification, under its rules. */
@KeyScope(['webhooks'])
@Endpoints('Webhooks')
@Controller('events')
export class EventsController {
  constructor(private readonly events: StoredEventsService) {}

  /**
   * Catch up on events
   * @remarks The stored events of your account in a fixed order, opt-in types too, whether an endpoint is subscribed or
   * not; `delivery.failed` and `endpoint.disabled` only if one was. No test events. Ask again with the last id as `after` until a page is empty: no event appears before one that
   * you were sent. An event is listed as soon as no change that began before it is still under way, usually at once.
   * @returns A page of events, oldest first. An empty page: there is nothing new.
   */
  @Sends([StoredEvent])
  @Fails(EVENT_NOT_STORED)
  @NeedsKey()
  @Get()
  async listEvents(
    @CurrentCaller() { accountId }: Caller,
    @Query() { after, types, limit }: ListEventsQuery,
  ) {
    const page = { after, limit, types: types.length > 0 ? types : EVENT_NAMES };
    return { success: true, data: await this.events.list(accountId, page) };
  }
}

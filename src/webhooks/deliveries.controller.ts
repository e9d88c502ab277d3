import { applyDecorators, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CurrentCaller, KeyScope, NeedsKey, type Caller } from '../access/api-keys/api-key.guard';
import { EVENT_NAMES } from '../events/event-map';
import { Endpoint, PathId, Sends } from '../platform/openapi/endpoint';
import { Fails } from '../platform/openapi/failures';
import { DeliveriesService } from './deliveries/deliveries.service';
import { StoredEventsService } from './deliveries/stored-events.service';
import { ListDeliveriesQuery, ListEventsQuery } from './webhooks.requests';
import {
  DeliveriesMeta,
  Delivery,
  DELIVERY_ID,
  DELIVERY_NOT_FOUND,
  DeliveryWithAttempts,
  ENDPOINT_DISABLED,
  Event,
  EVENT_NOT_STORED,
  TOO_MANY_RETRIES,
  toDelivery,
  toDeliveryWithAttempts,
} from './webhooks.resources';

/** Deliveries and events (docs/webhooks.md): an extension of the specification, under its rules. */
@Controller()
export class DeliveriesController {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly events: StoredEventsService,
  ) {}

  @Endpoint(
    'Webhooks',
    'listDeliveries',
    'List deliveries',
    'Newest first, those to deleted endpoints too, for the time of retention. A filter that names nothing finds nothing.',
  )
  @Sends(
    'A page of deliveries.',
    { listOf: Delivery, description: 'The deliveries of this page.' },
    DeliveriesMeta,
  )
  @Needs()
  @Get('deliveries')
  async list(
    @CurrentCaller() { accountId }: Caller,
    @Query() { endpoint: endpointId, limit, ...filter }: ListDeliveriesQuery,
  ) {
    // One more than is sent tells whether there is another page.
    const page = { ...filter, endpointId, limit: limit + 1 };
    const found = await this.deliveries.list({ accountId }, page);
    return {
      success: true,
      data: found.slice(0, limit).map(toDelivery),
      meta: { limit, offset: filter.offset, hasMore: found.length > limit },
    };
  }

  @Endpoint('Webhooks', 'getDelivery', 'Get a delivery with every attempt')
  @Sends('The delivery.', DeliveryWithAttempts)
  @OneDelivery()
  @Get('deliveries/:id')
  async get(@CurrentCaller() { accountId }: Caller, @Param('id') id: string) {
    return {
      success: true,
      data: toDeliveryWithAttempts(await this.deliveries.get({ accountId }, id)),
    };
  }

  /** It needs no body, and reads none. */
  @Endpoint(
    'Webhooks',
    'retryDelivery',
    'Retry a delivery',
    'Attempts it once more within about a second, whatever became of it. Needs no body. While an attempt is under way nothing changes. An account has 60 of these in 15 minutes.',
  )
  @Sends('The delivery, which is attempted again.', DeliveryWithAttempts)
  @Fails(ENDPOINT_DISABLED, TOO_MANY_RETRIES)
  @OneDelivery()
  @HttpCode(202)
  @Post('deliveries/:id/retry')
  async retry(@CurrentCaller() { accountId }: Caller, @Param('id') id: string) {
    return {
      success: true,
      data: toDeliveryWithAttempts(await this.deliveries.retry({ accountId }, id)),
    };
  }

  @Endpoint(
    'Webhooks',
    'listEvents',
    'Catch up on events',
    'The stored events of your account in a fixed order, opt-in types too, whether an endpoint is subscribed or not; no test events. Ask again with the last id as `after` until a page is empty: no event appears before one that you were sent. An event is listed as soon as no change that began before it is still under way, usually at once.',
  )
  @Sends('A page of events.', {
    listOf: Event,
    description: 'Oldest first. An empty page: there is nothing new.',
  })
  @Fails(EVENT_NOT_STORED)
  @Needs()
  @Get('events')
  async listEvents(
    @CurrentCaller() { accountId }: Caller,
    @Query() { after, types, limit }: ListEventsQuery,
  ) {
    const page = { after, limit, types: types.length > 0 ? types : EVENT_NAMES };
    return { success: true, data: await this.events.list(accountId, page) };
  }
}

function Needs() {
  return applyDecorators(NeedsKey(), KeyScope('webhooks'));
}

function OneDelivery() {
  return applyDecorators(PathId(...DELIVERY_ID), Fails(DELIVERY_NOT_FOUND), Needs());
}

import { applyDecorators, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CurrentCaller, KeyScope, NeedsKey, type Caller } from '../access/api-keys/api-key.guard';
import { EVENT_NAMES } from '../events/event-map';
import { Endpoints, PathId, Sends } from '../platform/openapi/endpoint';
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
@Endpoints('Webhooks')
@Controller()
export class DeliveriesController {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly events: StoredEventsService,
  ) {}

  /**
   * List deliveries
   * @remarks Newest first, those to deleted endpoints too, for the time of retention. A filter that names nothing finds
   * nothing.
   * @returns A page of deliveries.
   */
  @Sends([Delivery], DeliveriesMeta)
  @Needs()
  @Get('deliveries')
  async listDeliveries(
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

  /**
   * Get a delivery with every attempt
   * @returns The delivery.
   */
  @Sends(DeliveryWithAttempts)
  @OneDelivery()
  @Get('deliveries/:id')
  async getDelivery(@CurrentCaller() { accountId }: Caller, @Param('id') id: string) {
    return {
      success: true,
      data: toDeliveryWithAttempts(await this.deliveries.get({ accountId }, id)),
    };
  }

  /**
   * Retry a delivery
   * @remarks Attempts it once more within about a second, whatever became of it. Needs no body. While an attempt is
   * under way nothing changes. An account has 60 of these in 15 minutes.
   * @returns The delivery, which is attempted again.
   */
  @Sends(DeliveryWithAttempts)
  @Fails(ENDPOINT_DISABLED, TOO_MANY_RETRIES)
  @OneDelivery()
  @HttpCode(202)
  @Post('deliveries/:id/retry')
  async retryDelivery(@CurrentCaller() { accountId }: Caller, @Param('id') id: string) {
    return {
      success: true,
      data: toDeliveryWithAttempts(await this.deliveries.retry({ accountId }, id)),
    };
  }

  /**
   * Catch up on events
   * @remarks The stored events of your account in a fixed order, opt-in types too, whether an endpoint is subscribed or
   * not; no test events. Ask again with the last id as `after` until a page is empty: no event appears before one that
   * you were sent. An event is listed as soon as no change that began before it is still under way, usually at once.
   * @returns A page of events, oldest first. An empty page: there is nothing new.
   */
  @Sends([Event])
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

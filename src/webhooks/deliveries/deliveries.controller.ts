import {
  applyDecorators,
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
} from '@nestjs/common';
import { NeedsKey } from '../../access/api-keys/api-key.guard';
import type { Caller } from '../../access/api-keys/caller';
import { CurrentCaller } from '../../access/api-keys/current-caller.decorator';
import { KeyScope } from '../../access/api-keys/key-scope.decorator';
import { JsonBody } from '../../platform/http/request/json-body.interceptor';
import { Endpoints, PathId, Sends } from '../../platform/openapi/endpoint';
import { Fails } from '../../platform/openapi/failures';
import { OneWebhook, OwnWebhook } from '../endpoints/one-webhook';
import {
  DeliveriesMeta,
  Delivery,
  DELIVERY_ID,
  DELIVERY_NOT_FOUND,
  DeliveryWithAttempts,
  ENDPOINT_DISABLED,
  ListDeliveriesQuery,
  RetriedDeliveries,
  RetryFailedRequest,
  TestDelivery,
  toDelivery,
  toDeliveryWithAttempts,
  TOO_MANY_RETRIES,
} from './deliveries.dto';
import { DeliveriesService } from './deliveries.service';

/** Deliveries, test events among them (docs/webhooks.md): an extension of the specification, under its rules. */
@KeyScope(['webhooks'])
@Endpoints('Webhooks')
@Controller()
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  /**
   * Send a test event
   * @remarks Sends `webhook.test` once, to a disabled endpoint too. Needs no body.
   * @returns The test event is on its way.
   */
  @Sends(TestDelivery)
  @Fails(TOO_MANY_RETRIES)
  @OneWebhook()
  @HttpCode(202)
  @Post('webhooks/:id/test')
  async testWebhook(@CurrentCaller() { accountId }: Caller, @Param('id') id: string) {
    return {
      success: true,
      data: { deliveryId: await this.deliveries.sendTest({ accountId }, id) },
    };
  }

  /**
   * Retry what failed
   * @remarks Attempts once more every delivery to the endpoint that failed since a time. Thousands are requested in
   * parts: after a 503, those already requested stay so. Send the request again for the others.
   * @returns They are on their way.
   */
  @Sends(RetriedDeliveries)
  @Fails(ENDPOINT_DISABLED, TOO_MANY_RETRIES)
  @OneWebhook()
  @OwnWebhook()
  @JsonBody()
  @HttpCode(202)
  @Post('webhooks/:id/retry-failed')
  async retryFailedDeliveries(
    @CurrentCaller() { accountId }: Caller,
    @Param('id') id: string,
    @Body() { since }: RetryFailedRequest,
  ) {
    const retried = await this.deliveries.retryFailed({ accountId }, since, id);
    return { success: true, data: { retried } };
  }

  /**
   * List deliveries
   * @remarks Newest first, those to deleted endpoints too, for the time of retention. A filter that names nothing finds
   * nothing.
   * @returns A page of deliveries.
   */
  @Sends([Delivery], DeliveriesMeta)
  @NeedsKey()
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
   * under way, or the first one is still to come, nothing changes.
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
}

function OneDelivery() {
  return applyDecorators(PathId(...DELIVERY_ID), Fails(DELIVERY_NOT_FOUND), NeedsKey());
}

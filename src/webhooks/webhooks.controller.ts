import {
  applyDecorators,
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Patch,
  Post,
  Res,
} from '@nestjs/common';
import type { Response } from 'express';
import {
  ADMINISTRATORS_ONLY,
  ChecksPath,
  CurrentCaller,
  KeyScope,
  NeedsKey,
  type Caller,
} from '../access/api-keys/api-key.guard';
import { Invalid } from '../platform/errors/domain-errors';
import {
  Conditional,
  IfMatch,
  SendsTag,
  versioned,
  type Precondition,
} from '../platform/http/request/if-match';
import { JsonBody } from '../platform/http/request/json-body.interceptor';
import { Endpoints, PathId, Sends, SendsNothing } from '../platform/openapi/endpoint';
import { Fails } from '../platform/openapi/failures';
import { DeliveriesService } from './deliveries/deliveries.service';
import type { EndpointView } from './endpoints/endpoint.entity';
import { EndpointSecretsService } from './endpoints/endpoint-secrets.service';
import { EndpointsService } from './endpoints/endpoints.service';
import {
  AllErrors,
  ChangeWebhookRequest,
  CreateWebhookRequest,
  NOTHING_GIVEN,
  RetryFailedRequest,
  RotateSecretRequest,
} from './webhooks.requests';
import {
  CreatedWebhook,
  RetriedDeliveries,
  RotatedWebhook,
  TestDelivery,
  TOO_MANY_RETRIES,
  TOO_MANY_WEBHOOKS,
  toWebhook,
  Webhook,
  WEBHOOK_ID,
  WEBHOOK_NOT_FOUND,
  WRONG_STEP,
} from './webhooks.resources';

/** Webhook endpoints (docs/webhooks.md): an extension of the specification, under its rules. */
@Endpoints('Webhooks')
@Controller('webhooks')
export class WebhooksController {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly secrets: EndpointSecretsService,
    private readonly deliveries: DeliveriesService,
  ) {}

  /**
   * List your webhook endpoints
   * @remarks Oldest first, at most 20.
   * @returns The endpoints.
   */
  @Sends({ listOf: Webhook, maxItems: 20 })
  @NeedsKey()
  @KeyScope('webhooks')
  @Get()
  async listWebhooks(@CurrentCaller() caller: Caller) {
    const endpoints = await this.endpoints.list(owner(caller));
    return { success: true, data: endpoints.map(toWebhook) };
  }

  /**
   * Add a webhook endpoint
   * @remarks It receives the events that happen from now on. Store `secret`, which verifies their signatures: it is not
   * shown again. An account has at most 20 endpoints.
   * @returns The new endpoint.
   */
  @Sends(CreatedWebhook)
  @Fails(ADMINISTRATORS_ONLY, TOO_MANY_WEBHOOKS)
  @NeedsKey()
  @applyDecorators(KeyScope('webhooks'), JsonBody(), AllErrors())
  @Post()
  async createWebhook(@CurrentCaller() { accountId }: Caller, @Body() body: CreateWebhookRequest) {
    const { endpoint, secret } = await this.endpoints.add(accountId, body);
    return bodyOf(endpoint, { secret });
  }

  /**
   * Get a webhook endpoint
   * @returns The endpoint.
   */
  @Sends(Webhook)
  @OneWebhook()
  @Get(':id')
  async getWebhook(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Res({ passthrough: true }) response: Response,
  ) {
    return sent(response, await this.endpoints.get(owner(caller), id));
  }

  /**
   * Change a webhook endpoint
   * @remarks What you leave out stays. A new URL is used for every further attempt, of earlier events too.
   * @returns The endpoint as it is now.
   */
  @Sends(Webhook)
  @Fails(ADMINISTRATORS_ONLY)
  @OneWebhook()
  @applyDecorators(SendsTag(), JsonBody(), OwnWebhook(), ConditionalOnWebhook(), AllErrors())
  @Patch(':id')
  async updateWebhook(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @IfMatch() expected: Precondition,
    @Body() body: ChangeWebhookRequest,
    @Res({ passthrough: true }) response: Response,
  ) {
    const given = Object.entries(body).filter(([, value]) => (value ?? null) !== null);
    if (given.length === 0) throw new Invalid('The body', [NOTHING_GIVEN]);
    const changes = Object.fromEntries(given);
    return sent(response, await this.endpoints.update(owner(caller), id, changes, expected));
  }

  /**
   * Delete a webhook endpoint
   * @remarks Pending deliveries to it are cancelled. Past ones are listed until their retention time is over.
   * @returns The endpoint is deleted.
   */
  @SendsNothing()
  @OneWebhook()
  @ConditionalOnWebhook()
  @HttpCode(204)
  @Delete(':id')
  deleteWebhook(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @IfMatch() expected: Precondition,
  ) {
    return this.endpoints.remove(owner(caller), id, expected);
  }

  /**
   * Send a test event
   * @remarks Sends `webhook.test` once, to a disabled endpoint too. Needs no body. At most 6 a minute for an endpoint
   * and 12 for an account.
   * @returns The test event is on its way.
   */
  @Sends(TestDelivery)
  @Fails(TOO_MANY_RETRIES)
  @OneWebhook()
  @HttpCode(202)
  @Post(':id/test')
  async testWebhook(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return {
      success: true,
      data: { deliveryId: await this.deliveries.sendTest(owner(caller), id) },
    };
  }

  /**
   * Rotate the signing secret
   * @remarks In three steps, so that no receiver misses an event: `stage`, let your receiver accept both secrets,
   * `promote`, `retire`. Meanwhile `webhook-signature` carries both signatures.
   * @returns The endpoint; after `stage` with the next secret.
   */
  @Sends(RotatedWebhook)
  @Fails(WRONG_STEP)
  @OneWebhook()
  @applyDecorators(SendsTag(), JsonBody(), OwnWebhook(), ConditionalOnWebhook())
  @HttpCode(200)
  @Post(':id/secret')
  async rotateWebhookSecret(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @IfMatch() expected: Precondition,
    @Body() { step }: RotateSecretRequest,
    @Res({ passthrough: true }) response: Response,
  ) {
    if (step !== 'stage')
      return sent(response, await this.secrets[step](owner(caller), id, expected));
    const { endpoint, secret } = await this.secrets.stage(owner(caller), id, expected);
    return sent(response, endpoint, { secret });
  }

  /**
   * Retry what failed
   * @remarks Attempts once more every delivery to the endpoint that failed since a time. A disabled endpoint retries
   * none. An account has 6 of these in 15 minutes.
   * @returns They are on their way.
   */
  @Sends(RetriedDeliveries)
  @Fails(TOO_MANY_RETRIES)
  @OneWebhook()
  @applyDecorators(JsonBody(), OwnWebhook())
  @HttpCode(202)
  @Post(':id/retry-failed')
  async retryFailedDeliveries(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { since }: RetryFailedRequest,
  ) {
    const retried = await this.deliveries.retryFailed(owner(caller), since, id);
    return { success: true, data: { retried } };
  }
}

/** An administrator sees no more than others here. */
const owner = ({ accountId }: Caller) => ({ accountId });

const bodyOf = (endpoint: EndpointView, more: object = {}) => ({
  success: true,
  data: { ...toWebhook(endpoint), ...more },
});

/** With the endpoint's ETag. */
const sent = (response: Response, endpoint: EndpointView, more?: object) =>
  versioned(response, endpoint.version, bodyOf(endpoint, more));

function OneWebhook() {
  return applyDecorators(
    PathId(...WEBHOOK_ID),
    Fails(WEBHOOK_NOT_FOUND),
    NeedsKey(),
    KeyScope('webhooks'),
  );
}

/** 404 for an endpoint that is not the caller's, before the body is validated. */
function OwnWebhook() {
  return ChecksPath(EndpointsService, (endpoints, accountId, id) =>
    endpoints.get({ accountId }, id),
  );
}

/** 412 where the endpoint is not the version of If-Match. */
function ConditionalOnWebhook() {
  return Conditional(EndpointsService, async (endpoints, accountId, id) => {
    const endpoint = await endpoints.get({ accountId }, id);
    return { body: bodyOf(endpoint), version: endpoint.version };
  });
}

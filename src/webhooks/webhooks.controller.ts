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
import { Endpoint, PathId, Sends, SendsNothing } from '../platform/openapi/endpoint';
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
@Controller('webhooks')
export class WebhooksController {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly secrets: EndpointSecretsService,
    private readonly deliveries: DeliveriesService,
  ) {}

  @Endpoint('Webhooks', 'listWebhooks', 'List your webhook endpoints', 'Oldest first, at most 20.')
  @Sends('The endpoints.', { listOf: Webhook, description: 'All of them.', maxItems: 20 })
  @NeedsKey()
  @KeyScope('webhooks')
  @Get()
  async list(@CurrentCaller() caller: Caller) {
    const endpoints = await this.endpoints.list(owner(caller));
    return { success: true, data: endpoints.map(toWebhook) };
  }

  @Endpoint(
    'Webhooks',
    'createWebhook',
    'Add a webhook endpoint',
    'It receives the events that happen from now on. Store `secret`, which verifies their signatures: it is not shown again. An account has at most 20 endpoints.',
  )
  @Sends('The new endpoint.', CreatedWebhook)
  @Fails(ADMINISTRATORS_ONLY, TOO_MANY_WEBHOOKS)
  @NeedsKey()
  @applyDecorators(KeyScope('webhooks'), JsonBody(), AllErrors())
  @Post()
  async create(@CurrentCaller() { accountId }: Caller, @Body() body: CreateWebhookRequest) {
    const { endpoint, secret } = await this.endpoints.add(accountId, body);
    return bodyOf(endpoint, { secret });
  }

  @Endpoint('Webhooks', 'getWebhook', 'Get a webhook endpoint')
  @Sends('The endpoint.', Webhook)
  @OneWebhook()
  @Get(':id')
  async get(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Res({ passthrough: true }) response: Response,
  ) {
    return sent(response, await this.endpoints.get(owner(caller), id));
  }

  @Endpoint(
    'Webhooks',
    'updateWebhook',
    'Change a webhook endpoint',
    'What you leave out stays. A new URL is used for every further attempt, of earlier events too.',
  )
  @Sends('The endpoint as it is now.', Webhook)
  @Fails(ADMINISTRATORS_ONLY)
  @OneWebhook()
  @applyDecorators(SendsTag(), JsonBody(), OwnWebhook(), ConditionalOnWebhook(), AllErrors())
  @Patch(':id')
  async update(
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

  @Endpoint(
    'Webhooks',
    'deleteWebhook',
    'Delete a webhook endpoint',
    'Pending deliveries to it are cancelled. Past ones are listed until their retention time is over.',
  )
  @SendsNothing('The endpoint is deleted.')
  @OneWebhook()
  @ConditionalOnWebhook()
  @HttpCode(204)
  @Delete(':id')
  remove(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @IfMatch() expected: Precondition,
  ) {
    return this.endpoints.remove(owner(caller), id, expected);
  }

  /** It needs no body, and reads none. */
  @Endpoint(
    'Webhooks',
    'testWebhook',
    'Send a test event',
    'Sends `webhook.test` once, to a disabled endpoint too. Needs no body. At most 6 a minute for an endpoint and 12 for an account.',
  )
  @Sends('The test event is on its way.', TestDelivery)
  @Fails(TOO_MANY_RETRIES)
  @OneWebhook()
  @HttpCode(202)
  @Post(':id/test')
  async test(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return {
      success: true,
      data: { deliveryId: await this.deliveries.sendTest(owner(caller), id) },
    };
  }

  @Endpoint(
    'Webhooks',
    'rotateWebhookSecret',
    'Rotate the signing secret',
    'In three steps, so that no receiver misses an event: `stage`, let your receiver accept both secrets, `promote`, `retire`. Meanwhile `webhook-signature` carries both signatures.',
  )
  @Sends('The endpoint; after `stage` with the next secret.', RotatedWebhook)
  @Fails(WRONG_STEP)
  @OneWebhook()
  @applyDecorators(SendsTag(), JsonBody(), OwnWebhook(), ConditionalOnWebhook())
  @HttpCode(200)
  @Post(':id/secret')
  async rotate(
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

  @Endpoint(
    'Webhooks',
    'retryFailedDeliveries',
    'Retry what failed',
    'Attempts once more every delivery to the endpoint that failed since a time. A disabled endpoint retries none. An account has 6 of these in 15 minutes.',
  )
  @Sends('They are on their way.', RetriedDeliveries)
  @Fails(TOO_MANY_RETRIES)
  @OneWebhook()
  @applyDecorators(JsonBody(), OwnWebhook())
  @HttpCode(202)
  @Post(':id/retry-failed')
  async retryFailed(
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

import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Patch,
  Post,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import type { Response } from 'express';
import { ADMINISTRATORS_ONLY, NeedsKey } from '../../access/api-keys/api-key.guard';
import type { Caller } from '../../access/api-keys/caller';
import { CurrentCaller } from '../../access/api-keys/current-caller.decorator';
import { KeyScope } from '../../access/api-keys/key-scope.decorator';
import { Invalid } from '../../platform/errors/domain-errors';
import {
  Conditional,
  SendsTag,
  versioned,
} from '../../platform/http/request/conditional.decorator';
import { IfMatch } from '../../platform/http/request/if-match.decorator';
import { JsonBody } from '../../platform/http/request/json-body.interceptor';
import type { Precondition } from '../../platform/http/request/precondition';
import { LIMITS } from '../../platform/limits/limits';
import { Endpoints, Sends, SendsNothing } from '../../platform/openapi/endpoint';
import { Fails } from '../../platform/openapi/failures';
import { EndpointSecretsService } from './endpoint-secrets.service';
import {
  ChangeWebhookRequest,
  CreatedWebhook,
  CreateWebhookRequest,
  type EndpointView,
  NOTHING_GIVEN,
  RotatedWebhook,
  RotateSecretRequest,
  TOO_MANY_WEBHOOKS,
  toWebhook,
  type VersionedEndpoint,
  Webhook,
  WRONG_STEP,
} from './endpoints.dto';
import { EndpointsService } from './endpoints.service';
import { OneWebhook, OwnWebhook } from './one-webhook';
import { SettingsErrors } from './settings-errors';

/** Webhook endpoints (docs/webhooks.md): an extension of the specification, under its rules. */
@KeyScope(['webhooks'])
@Endpoints('Webhooks')
@Controller('webhooks')
export class EndpointsController {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly secrets: EndpointSecretsService,
  ) {}

  /**
   * List your webhook endpoints
   * @remarks Oldest first.
   * @returns The endpoints.
   */
  @Sends({ listOf: Webhook, maxItems: LIMITS.accounts.endpoints.value })
  @NeedsKey()
  @Get()
  async listWebhooks(@CurrentCaller() caller: Caller) {
    const endpoints = await this.endpoints.list(owner(caller));
    return { success: true, data: endpoints.map(toWebhook) };
  }

  /**
   * Add a webhook endpoint
   * @remarks It receives the events that happen from now on. Store `secret`, which verifies their signatures: it is not
   * shown again.
   * @returns The new endpoint.
   */
  @Sends(CreatedWebhook)
  @Fails(ADMINISTRATORS_ONLY, TOO_MANY_WEBHOOKS)
  @NeedsKey()
  @UseInterceptors(SettingsErrors)
  @JsonBody()
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
  @SendsTag()
  @UseInterceptors(SettingsErrors)
  @ConditionalOnWebhook()
  @OwnWebhook()
  @JsonBody()
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
   * Rotate the signing secret
   * @remarks In three steps, so that no receiver misses an event: `stage`, let your receiver accept both secrets,
   * `promote`, `retire`. Meanwhile `webhook-signature` carries both signatures.
   * @returns The endpoint; after `stage` with the next secret.
   */
  @Sends(RotatedWebhook)
  @Fails(WRONG_STEP)
  @OneWebhook()
  @SendsTag()
  @ConditionalOnWebhook()
  @OwnWebhook()
  @JsonBody()
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
}

/** An administrator sees no more than others here. */
const owner = ({ accountId }: Caller) => ({ accountId });

const bodyOf = (endpoint: EndpointView, more: object = {}) => ({
  success: true,
  data: { ...toWebhook(endpoint), ...more },
});

/** With the endpoint's ETag. */
const sent = (response: Response, endpoint: VersionedEndpoint, more?: object) =>
  versioned(response, endpoint.version, bodyOf(endpoint, more));

/** 412 where the endpoint is not the version of If-Match. */
function ConditionalOnWebhook() {
  return Conditional(EndpointsService, async (endpoints, accountId, id) => {
    const endpoint = await endpoints.get({ accountId }, id);
    return { body: bodyOf(endpoint), version: endpoint.version };
  });
}

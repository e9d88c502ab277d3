import { applyDecorators } from '@nestjs/common';
import { NeedsKey } from '../../access/api-keys/api-key.guard';
import { ChecksAccess } from '../../access/api-keys/checks-access.decorator';
import { PathId } from '../../platform/openapi/endpoint';
import { Fails } from '../../platform/openapi/failures';
import { WEBHOOK_ID, WEBHOOK_NOT_FOUND } from './endpoints.dto';
import { EndpointsService } from './endpoints.service';

/** The webhook endpoint of the path: an id, and 404 for one that is not the caller's. */
export function OneWebhook() {
  return applyDecorators(PathId(...WEBHOOK_ID), Fails(WEBHOOK_NOT_FOUND), NeedsKey());
}

/** 404 for an endpoint that is not the caller's, before the body is validated. */
export function OwnWebhook() {
  return ChecksAccess(EndpointsService, (endpoints, { accountId }, id) =>
    endpoints.get({ accountId }, id),
  );
}

import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type Type,
  UseGuards,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { isWrite, ReadYourWrites } from '../../platform/database/read-your-writes';
import { Forbidden, Unauthenticated } from '../../platform/errors/domain-errors';
import { JsonOnly } from '../../platform/http/request/json-only.guard';
import { isGet } from '../../platform/openapi/endpoint';
import { Fails, type Failure } from '../../platform/openapi/failures';
import { Described, header } from '../../platform/openapi/fields';
import { isForPages, requireScope, scopeMissing } from '../accounts/scope.rules';
import { findKey } from './api-key.rules';
import { ApiKeysService } from './api-keys.service';
import type { Caller } from './caller';
import { scopesOf } from './key-scope.decorator';

const FOREIGN_ORIGIN =
  'Pages of this web origin may not use this API key. Add the origin to a new key, or send the request from your server.';

/** CORS for a key with origins: the preflight carries no key and allows any. A request without `Origin` is no page's. */
function requireOrigin({ origins }: Caller, { headers }: Request, response: Response): void {
  response.removeHeader('Access-Control-Allow-Origin');
  response.vary('Origin');
  if (headers.origin === undefined) return;
  // Also with the refusal: else the browser hides the reason from the page, and reports a failure of CORS.
  response.setHeader('Access-Control-Allow-Origin', headers.origin);
  if (!origins.includes(headers.origin)) throw new Forbidden(FOREIGN_ORIGIN, 'origin-not-allowed');
}

/** Accepts a request by its API key, and stores the caller. */
@Injectable()
class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly keys: ApiKeysService,
    private readonly writes: ReadYourWrites,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const caller = await this.keys.findCaller(findKey(request.headers, request.query));
    if (!caller) throw new Unauthenticated();
    if (caller.origins.length > 0) requireOrigin(caller, request, http.getResponse());
    const isWriting = isWrite(request.method);
    const targets = [context.getHandler(), context.getClass()];
    requireScope(caller, ...scopesOf(this.reflector, targets, isWriting));
    request.caller = caller;
    request.accountId = caller.accountId;
    // Anybody may have a key that stands in a web page.
    if (!isForPages(caller)) request.takesTurnsAs = caller.accountId;
    request.keyId = caller.keyId;
    if (isWriting) await this.writes.note(caller.accountId);
    return true;
  }
}

const SCOPE_MISSING: Failure = {
  status: 403,
  name: 'scope-missing',
  title: 'The API key lacks a scope',
  error: scopeMissing(['write']),
  fix: 'Use a key with the scope named in the message. A key’s scopes cannot be changed, so create a new key if you need one.',
};

const ORIGIN_NOT_ALLOWED: Failure = {
  status: 403,
  name: 'origin-not-allowed',
  title: 'The API key does not allow this web origin',
  error: FOREIGN_ORIGIN,
  fix: 'The key is restricted to web origins, and the header `Origin` names another. Add the origin to a new key, or send the request from your server.',
};

/** In the document: the key, and one of the scopes of the endpoint. */
const SecuredByKey = () =>
  Described(({ ApiSecurity }, target, key) => {
    const handler = (target as Record<string | symbol, () => unknown>)[key]!;
    const targets = [handler, target.constructor as Type];
    const scopes = scopesOf(new Reflector(), targets, !isGet(handler));
    return scopes.map((scope) => ApiSecurity('bearer', [scope]));
  });

/** An API key is needed, and the response is a file: 401 without the key, 403 without the scope. */
export const NeedsKeyForFile = () =>
  applyDecorators(
    UseGuards(ApiKeyGuard),
    SecuredByKey(),
    Fails(SCOPE_MISSING, ORIGIN_NOT_ALLOWED, {
      status: 401,
      name: 'invalid-key',
      title: 'The API key is missing or invalid',
      error: new Unauthenticated().message,
      fix: 'Send the key as `Authorization: Bearer …`, complete and in only one header. The response is the same for a key that is mistyped, expired, revoked, or for another environment: compare its beginning and its last four characters with the list on the page **API keys**, or issue a new one.',
      headers: {
        'WWW-Authenticate': header('How to authenticate.', {
          type: 'string',
          examples: ['Bearer'],
        }),
      },
    }),
  );

/** An API key is needed, and the response is JSON: 401 without the key, 403 without the scope, then 406 for clients that exclude JSON. */
export const NeedsKey = () => applyDecorators(NeedsKeyForFile(), JsonOnly());

/** Of endpoints for administrators, and of those with a field that only they may set. */
export const ADMINISTRATORS_ONLY: Failure = {
  status: 403,
  name: 'administrators-only',
  title: 'Only administrators may do this',
  error: 'Only administrators can delete another account.',
  fix: 'Use the key of an administrator. If the message names a field, you can also leave it out.',
};

import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { requireOrigin, type Caller } from '../access/api-keys/api-key.guard';
import { findKey } from '../access/api-keys/api-key.rules';
import { ApiKeysService } from '../access/api-keys/api-keys.service';
import { RateLimitGuard } from '../access/rate-limit/rate-limit.guard';
import { ReadCache, type CachedResponse } from '../catalog/read-cache';
import { ContentChanges } from '../platform/database/content-changes';
import { ReadYourWrites } from '../platform/database/replicas';
import { takesJson } from '../platform/http/server/api-adapter';
import { JSON_TYPE, sendText } from '../platform/http/server/text-response';

const CHANGING = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const NO_QUERY = {};

/**
 * A middleware that sends cached responses, before the router: Nest's guards and pipes cost more than the rest of such
 * a request. It does what they do, in their order: rate limit, key, web origin. Whatever is not plainly a repeated read
 * (no or an unknown key, a key in the URL, an `Accept` without JSON) goes on to them and is counted there.
 *
 * It also reports every successful change before its response, so that the next read sees it.
 */
export function cachedReads(app: NestExpressApplication) {
  const cache = app.get(ReadCache);
  const changes = app.get(ContentChanges);
  const keys = app.get(ApiKeysService);
  const limit = app.get(RateLimitGuard);
  const writes = app.get(ReadYourWrites);
  void writes.connect();

  const send = async (
    request: Request,
    response: Response,
    caller: Caller | null,
    found: CachedResponse,
  ) => {
    await limit.countRequest(request, response);
    if (caller) {
      if (caller.origins.length > 0) requireOrigin(caller, request, response);
      request.caller = caller;
      request.accountId = caller.accountId;
      request.keyId = caller.keyId;
    } else if (found.open) response.setHeader('Cache-Control', found.open);
    request.route = found.route;
    await sendText(response, JSON_TYPE, found.body);
  };

  return (request: Request, response: Response, next: NextFunction): void => {
    const { method, originalUrl: url, headers } = request;
    if (CHANGING.has(method)) reportChange(request, response, changes);
    if (method !== 'GET' || request.refusal || !takesJson(headers.accept ?? '')) return next();
    const open = cache.find(null, url);
    const caller = open ? null : keys.recallCaller(findKey(headers, NO_QUERY));
    const found = open ?? (caller && cache.find(caller, url));
    if (!found) return next();
    // What another process has changed for this account may not have been notified yet.
    void (caller ? writes.mayBeMissing(caller.accountId) : NEVER)
      .then((isMissing) => (isMissing ? next() : send(request, response, caller, found)))
      .catch(next);
  };
}

const NEVER = Promise.resolve(false);

function reportChange(request: Request, response: Response, changes: ContentChanges): void {
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => Response;
  response.writeHead = (...args: unknown[]) => {
    // A 4xx has changed nothing. A 5xx may have: the connection can break after the commit.
    if (Math.floor(response.statusCode / 100) !== 4) changes.note(request.accountId ?? null);
    return writeHead(...args);
  };
}

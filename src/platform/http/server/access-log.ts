import type { NextFunction, Request, Response } from 'express';
import { type Logger, REQUEST } from '../../observability/logger';

/** nginx's status for a client that disconnected before it got a response. */
const CLIENT_GONE = 499;

/**
 * One line per request, when its response has been sent (or its client has gone). Headers and bodies are never
 * logged, and API keys never appear, wherever in the URL they were put.
 */
export function accessLog(logger: Logger) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const started = performance.now();
    const { method, originalUrl } = request;
    response.once('close', () => {
      const status = response.headersSent ? response.statusCode : CLIENT_GONE;
      const line = {
        requestId: request.id,
        traceId: traceIdOf(request.headers.traceparent),
        accountId: request.accountId,
        keyId: request.keyId,
        session: request.sessionId && shortSessionId(request.sessionId),
        method,
        url: withoutKeys(originalUrl),
        status,
        ms: Math.round((performance.now() - started) * 10) / 10,
        ...(response.writableFinished ? {} : { aborted: true }),
      };
      // 501 means that the client asked for something unsupported: not an error of the service.
      if (status === 501) logger.warn(line, REQUEST);
      else if (status >= 500) logger.error(line, REQUEST);
      else logger.info(line, REQUEST);
    });
    next();
  };
}

/** The trace of the caller, by the W3C header: `00-<trace id>-<parent id>-<flags>`. Undefined if there is none. */
function traceIdOf(traceparent: string | string[] | undefined): string | undefined {
  if (typeof traceparent !== 'string') return undefined;
  return /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(traceparent)?.[1];
}

/** `code` is the short code of an unlisted link. */
const SECRET_NAME = /api.?key|secret|token|passw|authori[sz]ation|\bcode\b/i;
/** An API key, or the token of an unlisted link. */
const KEY = /svc.?(live|test)|(^|\/)~[\w-]{22}/i;
/**
 * In a URL that is the value of a parameter: `next=/dashboard/set-up?token=…`. A name has no question mark, where another
 * one would begin: many of them would keep the process busy.
 */
const NESTED_SECRET = new RegExp(`[?&][^=&?]*(?:${SECRET_NAME.source})[^=&?]*=`, 'i');
const HIDDEN = '[redacted]';

/**
 * A URL for the log: without the values of `api_key` and similar parameters, and without anything that looks like a
 * key.
 */
export function withoutKeys(url: string): string {
  const shown = url.length > LONGEST ? url.slice(0, LONGEST).replace(CUT_TOKEN, '') : url;
  // Almost every URL, in a sixth of the time.
  if (!shown.includes('%') && !SECRET_NAME.test(shown) && !KEY.test(shown)) return shown;
  const [path = '', ...query] = shown.split('?');
  const safePath = path.split('/').map(withoutKey).join('/');
  const pairs = query.join('?').split('&').map(safePair);
  return query.length === 0 ? safePath : `${safePath}?${pairs.join('&')}`;
}

/** Enough for a log line; the server accepts 16 KiB. */
const LONGEST = 2_000;

/** The beginning of the token of an unlisted link, too short for `KEY`. */
const CUT_TOKEN = /(?:~|%7e)[\w-]{0,21}$/i;

function safePair(pair: string): string {
  const [name = '', ...value] = pair.split('=');
  return value.length > 0 && SECRET_NAME.test(decoded(name))
    ? `${withoutKey(name)}=${HIDDEN}`
    : withoutKey(pair);
}

function withoutKey(text: string): string {
  const plain = decoded(text);
  return KEY.test(plain) || NESTED_SECRET.test(plain) ? HIDDEN : text;
}

/** Decoded as a reader would see it, also if it was encoded twice; invalid encodings stay. */
function decoded(text: string): string {
  const once = text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  return once === text ? text : decoded(once);
}

/** Enough to tell the sessions of an account apart: the end of the id, which is random. */
export const shortSessionId = (id: string): string => id.slice(-8);

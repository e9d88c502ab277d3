import { randomUUID } from 'node:crypto';
import { isIPv4 } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import ipaddr from 'ipaddr.js';
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
      // 501 is what a client asks for that is not supported: no fault of the service.
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
const HIDDEN = '[redacted]';

/**
 * A URL for the log: without the values of `api_key` and similar parameters, and without anything that looks like a
 * key.
 */
export function withoutKeys(url: string): string {
  const shown = url.slice(0, LONGEST);
  // Almost every URL, in a sixth of the time.
  if (!shown.includes('%') && !SECRET_NAME.test(shown) && !KEY.test(shown)) return shown;
  const [path = '', ...query] = shown.split('?');
  const safePath = path.split('/').map(withoutKey).join('/');
  const pairs = query.join('?').split('&').map(safePair);
  return query.length === 0 ? safePath : `${safePath}?${pairs.join('&')}`;
}

/** Enough for a log line; the server accepts 16 KiB. */
const LONGEST = 2_000;

function safePair(pair: string): string {
  const [name = '', ...value] = pair.split('=');
  return value.length > 0 && SECRET_NAME.test(decoded(name))
    ? `${withoutKey(name)}=${HIDDEN}`
    : withoutKey(pair);
}

function withoutKey(text: string): string {
  return KEY.test(decoded(text)) ? HIDDEN : text;
}

/** Decoded as a reader would see it, also if it was encoded twice; invalid encodings stay. */
function decoded(text: string): string {
  const once = text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  return once === text ? text : decoded(once);
}

declare module 'express-serve-static-core' {
  interface Request {
    /** Sent with every response as `X-Request-Id`, and in every log line of the request. */
    id: string;
    /** Set by the key guard or the session, for the log. */
    accountId?: string;
    keyId?: string;
    sessionId?: string;
  }
}

/** Enough to tell the sessions of an account apart: the end of the id, which is random. */
export const shortSessionId = (id: string): string => id.slice(-8);

/** An id chosen by the client. It must not be one of our keys, because it is logged and returned. */
const CLIENT_ID = /^(?!.*svc_(?:live|test)_)[\w-]{1,64}$/i;

/**
 * The first middleware: names the request, sets the headers of every response, and escapes URLs that the
 * router cannot decode (`/quizzes/%zz` is then simply an id that does not exist).
 */
export function requestContext(request: Request, response: Response, next: NextFunction): void {
  const given = request.headers['x-request-id'];
  request.id = typeof given === 'string' && CLIENT_ID.test(given) ? given : randomUUID();
  response.setHeader('X-Request-Id', request.id);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
  // Responses depend on the key; a shared cache must not store them, least of all under a URL that contains a key.
  response.setHeader('Cache-Control', 'no-store');
  request.url = decodable(request.url);
  next();
}

function decodable(url: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + (end < 0 ? '' : url.slice(end));
  }
}

/** The whole address as people write it: `192.0.2.1`, `2001:db8::1`; `unknown` if there is none. */
export function addressText(address: string | undefined): string {
  return address && ipaddr.isValid(address) ? ipaddr.process(address).toString() : 'unknown';
}

/**
 * The address by which requests are counted: IPv4 as it is (also when written as ::ffff:a.b.c.d), IPv6 by
 * its /64, because one customer gets a whole /64 and can rotate through it.
 */
export function addressKey(address: string | undefined): string {
  // The form in which sockets report IPv4, so almost every address; recognising it is 20 times faster than parsing.
  const plain = address?.startsWith('::ffff:') ? address.slice(7) : address;
  if (plain && isIPv4(plain)) return plain;
  if (!address || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = (parsed as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

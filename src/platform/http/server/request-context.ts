import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

declare module 'express-serve-static-core' {
  interface Request {
    /** Sent with every response as `X-Request-Id`, and in every log line of the request. */
    id: string;
    /** The authenticated account: it owns the responses stored for an Idempotency-Key, and is logged. */
    accountId?: string;
    /** For the log, as is the session. */
    keyId?: string;
    sessionId?: string;
  }
}

/** An id chosen by the client. It must not be one of our keys, because it is logged and returned. */
const CLIENT_ID = /^(?!.*svc_(?:live|test)_)[\w-]{1,64}$/i;

/**
 * The first middleware after the limits on bursts: gives each request an id, sets the headers of every response, and
 * escapes URLs that the router cannot decode (`/quizzes/%zz` is then simply an id that does not exist).
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

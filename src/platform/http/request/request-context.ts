import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

declare module 'express-serve-static-core' {
  interface Request {
    /** On every answer as `X-Request-Id`, in every log line of the request. */
    id: string;
    /** Set by the key guard, for the log. */
    accountId?: string;
  }
}

/** An id of the client's own, as long as it is none of our keys: it is logged and sent back. */
const CLIENT_ID = /^(?!.*svc_(?:live|test)_)[\w-]{1,64}$/i;

/**
 * The first middleware: names the request, sets the headers of every answer, and fixes URLs that the
 * router could not decode (`/quizzes/%zz` is then simply an id that does not exist).
 */
export function requestContext(request: Request, response: Response, next: NextFunction): void {
  const given = request.headers['x-request-id'];
  request.id = typeof given === 'string' && CLIENT_ID.test(given) ? given : randomUUID();
  response.setHeader('X-Request-Id', request.id);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
  // Answers depend on the key; a shared cache must not keep one, least of all under a URL with a key in it.
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

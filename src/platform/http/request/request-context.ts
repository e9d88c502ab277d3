import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** Sent with every response as `X-Request-Id`, and in every log line of the request. */
    id: string;
    /** Set by the key guard, for the log. */
    accountId?: string;
  }
}

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

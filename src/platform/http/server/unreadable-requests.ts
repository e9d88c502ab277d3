import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import { Malformed } from '../../errors/domain-errors';
import type { ApiErrorCode } from '../../errors/error-codes';
import type { Logger } from '../../observability/logger';
import { ERROR_CODE } from './error-filter';
import { UNREAD_MESSAGES } from './unread-messages';

/**
 * Sends the envelope also for what is not valid enough to become a request (too long headers, broken lines), and for
 * what Node refuses by itself without a body: a missing Host, an unknown Expect.
 */
export function respondToUnreadableRequests(server: Server, logger: Logger): void {
  const lastExchanges = new WeakMap<
    Socket,
    { request: IncomingMessage; response: ServerResponse }
  >();
  server.on('request', (request: IncomingMessage, response: ServerResponse) =>
    lastExchanges.set(request.socket, { request, response }),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const last = lastExchanges.get(socket);
    // The client has gone, or a response is under way or was sent for this body: a second one would garble it.
    const hasResponded =
      last?.response.headersSent && !(last.response.writableFinished && last.request.complete);
    if (!socket.writable || error.code === 'ECONNRESET' || hasResponded) {
      socket.destroy();
      return;
    }
    const [status, code, message] = UNREADABLE[error.code ?? ''] ?? [
      '400 Bad Request',
      'malformed-request' as const,
      'The request is not valid HTTP.',
    ];
    const requestId = randomUUID();
    logger.info({ requestId, status: parseInt(status), code: error.code }, 'unreadable request');
    const body = JSON.stringify({ success: false, error: message });
    socket.end(
      `HTTP/1.1 ${status}\r\nX-Request-Id: ${requestId}\r\n${ERROR_CODE}: ${code}\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
    // The client may never close its side. Until it does, the connection would keep its descriptor.
    setTimeout(() => socket.destroy(), LINGER).unref();
  });

  // A client that sends `Expect: 100-continue` gets the 100 only from `inviteBody`. Without it the connection ends with the
  // response, since a body may or may not follow.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('Connection', 'close');
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response),
  );
}

/** Sends the 100 to a client that waits for it before it sends its body: the connection then stays open after the response. */
export function inviteBody({ headers }: Request, response: Response): void {
  if (!/^100-continue$/i.test(headers.expect ?? '')) return;
  // False during a stop: the connection then ends with this response.
  if (response.shouldKeepAlive) response.removeHeader('Connection');
  response.writeContinue();
}

/** Milliseconds for a client to read the last response on its connection. */
const LINGER = 1_000;

/** Every HTTP/1.1 request names its host (RFC 9112, 3.2). */
export function requireHost(request: Request, _: Response, next: NextFunction): void {
  if (request.httpVersion === '1.1' && request.headers.host === undefined)
    throw new Malformed('The request has no Host header.');
  next();
}

const UNREADABLE: Record<string, [status: string, code: ApiErrorCode, message: string]> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'headers-too-large',
    UNREAD_MESSAGES.headersTooLarge,
  ],
  HPE_INVALID_URL: [
    '400 Bad Request',
    'malformed-request',
    'The URL of the request is invalid. Percent-encode characters outside of ASCII, for example é as %C3%A9.',
  ],
  HPE_INVALID_EOF_STATE: [
    '400 Bad Request',
    'malformed-request',
    'The request ended before its body did. Send it again.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'request-timeout', UNREAD_MESSAGES.tooSlow],
};

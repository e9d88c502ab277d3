import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import { Malformed } from '../../errors/domain-errors';
import type { ApiErrorCode } from '../../errors/error-codes';
import { ERROR_CODE } from '../../errors/error-filter';
import { LIMITS } from '../../limits/limits';
import type { Logger } from '../../observability/logger';
import { limitSlowBodies } from '../request/json-body.interceptor';
import { addressKey } from './access-log';

/** Milliseconds between two checks for connections that have become idle. */
const LOOK_AT_SOCKETS_EVERY = 50;
/**
 * Milliseconds for which idle connections stay open. Closing them at once can lose the request that a client is just
 * sending on a kept-alive connection: 10 of 40 clients without pauses between requests lost one; now none does.
 */
const GRACE = 2_000;

/**
 * Prepares a server, before it listens, for a graceful stop.
 * @returns stops accepting connections, responds to requests on open ones and closes them with the response; after
 *   two seconds closes connections that are or become idle; resolves when all requests have a response. Requests pay
 *   nothing for it.
 */
export function drainable(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return () =>
    new Promise((resolve) => {
      const begun = performance.now();
      server.prependListener('request', (_: IncomingMessage, response: ServerResponse) => {
        response.shouldKeepAlive = false;
      });
      const look = () => {
        if (performance.now() - begun < GRACE) return;
        server.closeIdleConnections();
        // Browsers and load balancers open connections ahead; Node does not count these as idle for 15 seconds.
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      };
      const timer = setInterval(look, LOOK_AT_SOCKETS_EVERY);
      // Not the HTTP server's own close(), which closes idle connections at once.
      NetServer.prototype.close.call(server, () => {
        clearInterval(timer);
        resolve();
      });
    });
}

const { connections } = LIMITS;

/** Defends against clients that hold connections open by being slow. Call it before the server listens. */
export function limitSlowClients(server: Server, unread: number = connections.unread.value): void {
  server.headersTimeout = connections.headersWithin.value;
  // `limitSlowBodies` is stricter, except for uploads.
  server.requestTimeout = connections.uploadWithin.value;
  limitSlowBodies(server);
  server.keepAliveTimeout = 10_000;
  // Runs while no bytes move in either direction. Longer than any request takes.
  server.timeout = unread;
  // Node checks both only every 30 seconds by default; it reads this property when it begins to listen.
  Object.assign(server, { connectionsCheckingInterval: 5_000 });
}

/**
 * Caps the connections of the process and of each client address. Further ones are closed without a response, which
 * would hold them open for longer.
 * @param isProxy whether an address is a trusted proxy's: many clients connect through it
 */
export function limitConnections(
  server: Server,
  isProxy: (address: string) => boolean,
  logger: Logger,
): void {
  server.maxConnections = connections.perProcess.value;
  const open = new Map<string, number>();
  let warned = -Infinity;
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isProxy(remoteAddress)) return;
    const client = addressKey(remoteAddress);
    const count = (open.get(client) ?? 0) + 1;
    if (count > connections.perAddress.value) {
      socket.destroy();
      // Logged once, not for each connection: an attacker opens thousands.
      if (performance.now() - warned > 60_000) {
        warned = performance.now();
        logger.warn(
          { client },
          `${count - 1} connections are open from one address: more are closed`,
        );
      }
      return;
    }
    open.set(client, count);
    socket.once('close', () => {
      const left = (open.get(client) ?? 1) - 1;
      if (left > 0) open.set(client, left);
      else open.delete(client);
    });
  });
}

/**
 * Sends the envelope also for what is not valid enough to become a request (too long headers, broken lines), and for
 * what Node refuses by itself without a body: a missing Host, an unknown Expect.
 */
export function answerUnreadableRequests(server: Server, logger: Logger): void {
  const answers = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) =>
    answers.set(request.socket, { request, response }),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const last = answers.get(socket);
    // The client has gone, or a response is under way or was sent for this body: a second one would garble it.
    const answered =
      last?.response.headersSent && !(last.response.writableFinished && last.request.complete);
    if (!socket.writable || error.code === 'ECONNRESET' || answered) {
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

  // A client that sends `Expect: 100-continue` gets the 100 only from the code that reads the body
  // (`JsonBodyInterceptor`). Without it the connection ends with the response, since a body may or may not follow.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('Connection', 'close');
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response),
  );
  Object.assign(server, { requireHostHeader: false });
}

/** Milliseconds for a client to read the last response on its connection. */
const LINGER = 1_000;

const waiting = new WeakMap<Socket, number>();

/**
 * The first middleware. Node starts every request of a packet at once, even if nobody reads the responses: 60 KB hold
 * a thousand. Clients that send more than 16 ahead are disconnected, and the rest of the packet is ignored.
 */
export function limitPipelining(request: Request, response: Response, next: NextFunction): void {
  const { socket } = request;
  if (socket.destroyed) return;
  const count = (waiting.get(socket) ?? 0) + 1;
  if (count > connections.pipelined.value) {
    socket.destroy();
    return;
  }
  waiting.set(socket, count);
  response.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
  next();
}

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
    'The URL and headers of the request are longer than 16 KiB. Shorten them.',
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
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    'request-timeout',
    'The request took too long to arrive.',
  ],
};

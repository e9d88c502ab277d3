import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { UNREAD_MESSAGES } from '../http/server/unread-messages';
import { LIMITS } from '../limits/limits';

const { connections } = LIMITS;

/** Defends against clients that hold connections open by being slow. Call it before the server listens. */
export function limitSlowClients(server: Server, unread: number = connections.unread.value): void {
  server.headersTimeout = connections.headersWithin.value;
  // `limitSlowBodies` is stricter, except for uploads.
  server.requestTimeout = connections.uploadWithin.value;
  limitSlowBodies(server);
  server.keepAliveTimeout = 10_000;
  // Runs while no bytes move in either direction. Longer than any request takes. If bytes wait to be sent, Node lets it
  // expire once more before it closes the connection.
  server.timeout = unread;
  // Node checks the times of headers and requests only every 30 seconds by default; it reads this property when it
  // begins to listen.
  Object.assign(server, { connectionsCheckingInterval: 5_000 });
}

/** Milliseconds in which a request's body must arrive completely, or the next {@link LEAST} bytes of an upload. */
const WINDOW = connections.bodyWithin.value;
/** Less than a slow telephone line transfers; anything slower only holds a connection open. */
const LEAST = 32_768;

interface Arrival {
  isUpload: boolean;
  /**
   * Bytes that the connection had received when the window began. At first those up to the end of the body before: the
   * first bytes of a body come with its headers.
   */
  seen: number;
  onUpload?: () => void;
}

const arrivals = new WeakMap<IncomingMessage, Arrival>();
/** Bytes of a connection up to the end of its last body. */
const receivedBefore = new WeakMap<Socket, number>();

/** Cuts off bodies that take longer than the window, and uploads (`allowUpload`) that make no progress in one. */
export function limitSlowBodies(server: Server): void {
  // Runs before the application, which decides what is an upload.
  server.prependListener('request', (request: IncomingMessage) => {
    if (!hasBody(request)) return;
    const arrival: Arrival = { isUpload: false, seen: receivedBefore.get(request.socket) ?? 0 };
    arrivals.set(request, arrival);
    const look = () => {
      if (request.complete || request.destroyed) return;
      if (!arrival.isUpload || isStuck(request, arrival)) {
        server.emit('clientError', tooSlow(), request.socket);
        return;
      }
      arrival.seen = request.socket.bytesRead;
      timer = setTimeout(look, WINDOW).unref();
    };
    let timer = setTimeout(look, WINDOW).unref();
    request.once('close', () => {
      clearTimeout(timer);
      receivedBefore.set(request.socket, request.socket.bytesRead);
    });
  });
}

/** A permitted client sends a large file: it has more time while it makes progress. */
export function allowUpload(request: IncomingMessage): void {
  const arrival = arrivals.get(request);
  if (!arrival) return;
  arrival.isUpload = true;
  arrival.onUpload?.();
}

/** Called when a request turns out to be an upload. */
export function onUpload(request: IncomingMessage, listener: () => void): void {
  const arrival = arrivals.get(request);
  if (arrival) arrival.onUpload = listener;
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** If bytes wait here unread, we are the slow side. */
const isStuck = (request: IncomingMessage, { seen }: Arrival) =>
  request.readableLength === 0 && request.socket.bytesRead - seen < LEAST;

/** The same response as for Node's own limit. */
const tooSlow = () =>
  Object.assign(new Error(UNREAD_MESSAGES.tooSlow), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

import type { IncomingMessage, Server } from 'node:http';
import { LIMITS } from '../../limits/limits';

/** Milliseconds in which a request's body arrives whole, or an upload's next {@link LEAST} bytes. */
const WINDOW = LIMITS.connections.bodyWithin.value;
/** Less than a slow telephone line brings; what drips slower only holds a connection open. */
const LEAST = 32_768;

interface Arrival {
  isUpload: boolean;
  /** Bytes that the connection had brought when the window began. At first 0: the beginning of a body comes with its headers. */
  seen: number;
  onUpload?: () => void;
}

const arrivals = new WeakMap<IncomingMessage, Arrival>();

/** Cuts off bodies that take longer than 30 seconds; what is an upload (`isUpload`) as long as it makes no progress. */
export function limitSlowBodies(server: Server): void {
  // Before the application, which says what is an upload.
  server.prependListener('request', (request: IncomingMessage) => {
    if (!hasBody(request)) return;
    const arrival: Arrival = { isUpload: false, seen: 0 };
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
    request.once('close', () => clearTimeout(timer));
  });
}

/** A large file follows, from somebody who may send it: it has longer, as long as it makes progress. */
export function isUpload(request: IncomingMessage): void {
  const arrival = arrivals.get(request);
  if (!arrival) return;
  arrival.isUpload = true;
  arrival.onUpload?.();
}

/** Tells when a request turns out to be an upload. */
export function onUpload(request: IncomingMessage, tell: () => void): void {
  const arrival = arrivals.get(request);
  if (arrival) arrival.onUpload = tell;
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Where bytes lie here unread it is us who are slow. */
const isStuck = (request: IncomingMessage, { seen }: Arrival) =>
  request.readableLength === 0 && request.socket.bytesRead - seen < LEAST;

/** As Node's own limit says it. */
const tooSlow = () =>
  Object.assign(new Error('The request took too long to arrive.'), {
    code: 'ERR_HTTP_REQUEST_TIMEOUT',
  });

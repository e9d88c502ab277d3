import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { atTheEnd } from './cleanup';
import { until } from './until';

/** One POST as it arrived whole. */
export interface Arrival {
  /** Milliseconds since 1970, when the last byte of the body was here. */
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** `X-Service-Delivery`: the event's id. */
  id: string;
  /** What it was answered with; null while it was not. */
  status: number | null;
  answeredAt: number | null;
  /**
   * The receiver has refused it, or will never take it. Any other arrival is one that the receiver has dealt
   * with: a second one of the same event is a duplicate, whether our side heard of the first or not.
   */
  refused: boolean;
  /** Sends the answer that was held back. */
  answer(status: number, headers?: Record<string, string>, body?: string | Buffer): void;
}

/** What a path does with a POST. It need not answer at once, or ever. */
export type Behaviour = (arrival: Arrival, response: ServerResponse) => void;

export const accept: Behaviour = (arrival) => arrival.answer(204);
/** Keeps the request open until the case answers it. */
export const keepOpen: Behaviour = () => undefined;
export const refuse =
  (status: number, headers?: Record<string, string>, body?: string | Buffer) =>
  (arrival: Arrival): void => {
    arrival.refused = true;
    arrival.answer(status, headers, body);
  };

/** Plays the subscribers: one server, a path for each endpoint, each with a behaviour of its own. */
export class Receiver {
  readonly arrivals = new Map<string, Arrival[]>();
  private readonly behaviours = new Map<string, Behaviour>();
  private readonly open = new Map<string, number>();
  private readonly most = new Map<string, number>();
  private readonly sockets = new Set<Socket>();

  private constructor(readonly origin: string) {}

  /** @param tls key and certificate; without, plain HTTP */
  static async start(tls?: { key: string; cert: string }): Promise<Receiver> {
    const handle = (request: IncomingMessage, response: ServerResponse) =>
      receiver.take(request, response);
    const server = tls ? createTlsServer(tls, handle) : createServer(handle);
    // undici may send on a connection that has been idle for a while: only it closes them.
    server.keepAliveTimeout = 0;
    server.on('connection', (socket: Socket) => {
      receiver.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => receiver.sockets.delete(socket));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const receiver = new Receiver(tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`);
    const end = () => {
      for (const socket of receiver.sockets) socket.destroy();
      server.close();
    };
    const forget = atTheEnd(end);
    receiver.close = () => {
      forget();
      end();
    };
    return receiver;
  }

  close: () => void = () => undefined;

  /** From now on; without one a path accepts everything. */
  behave(path: string, behaviour: Behaviour): void {
    this.behaviours.set(path, behaviour);
  }

  /** The POSTs to a path, in order. */
  at(path: string): Arrival[] {
    return this.arrivals.get(path) ?? [];
  }

  /** The most requests that were open at a time. */
  mostOpen(path: string): number {
    return this.most.get(path) ?? 0;
  }

  /** Waits until so many POSTs have arrived. */
  async until(path: string, count: number, within?: number): Promise<Arrival[]> {
    await until(`${count} POSTs to ${path}`, () => this.at(path).length >= count, within);
    return this.at(path);
  }

  private count(path: string, by: number): void {
    const now = (this.open.get(path) ?? 0) + by;
    this.open.set(path, now);
    this.most.set(path, Math.max(now, this.most.get(path) ?? 0));
  }

  private take(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    const chunks: Buffer[] = [];
    this.count(path, 1);
    response.once('close', () => this.count(path, -1));
    response.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const arrival: Arrival = {
        at: Date.now(),
        path,
        headers: request.headers,
        body: Buffer.concat(chunks),
        id: String(request.headers['x-service-delivery']),
        status: null,
        answeredAt: null,
        refused: false,
        answer: (status, headers, body) => {
          if (arrival.answeredAt !== null) return;
          arrival.answeredAt = Date.now();
          arrival.status = status;
          response.writeHead(status, headers).end(body);
        },
      };
      const list = this.arrivals.get(path);
      if (list) list.push(arrival);
      else this.arrivals.set(path, [arrival]);
      (this.behaviours.get(path) ?? accept)(arrival, response);
    });
  }
}

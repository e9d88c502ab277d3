import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import { addressKey } from '../http/server/client-address';
import { LIMITS } from '../limits/limits';
import type { Logger } from '../observability/logger';

const { connections } = LIMITS;

/** Requests of a connection that have no response yet; undefined before its first. */
const waiting = new WeakMap<Socket, number>();

/** The oldest connection without a request: one that has had its responses, else one that has sent nothing yet. */
const oldestIdle = (open: ReadonlySet<Socket>): Socket | undefined =>
  [0, undefined]
    .map((count) => [...open].find((socket) => waiting.get(socket) === count))
    .find(Boolean);

/**
 * Caps the connections of the process and of each client address. A further one takes the place of the address's oldest
 * connection without a request: browsers of a school keep several open between two pages. If all have one, it is closed
 * without a response, which would hold it open for longer.
 * @param isProxy whether an address is a trusted proxy's: many clients connect through it
 */
export function limitConnections(
  server: Server,
  isProxy: (address: string) => boolean,
  logger: Logger,
): void {
  server.maxConnections = connections.perProcess.value;
  const clients = new Map<string, Set<Socket>>();
  let warned = -Infinity;
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isProxy(remoteAddress)) return;
    const client = addressKey(remoteAddress);
    const open = clients.get(client) ?? new Set();
    if (open.size >= connections.perAddress.value) {
      const idle = oldestIdle(open);
      // Logged once, not for each connection: an attacker opens thousands.
      if (performance.now() - warned > 60_000) {
        warned = performance.now();
        logger.warn(
          { client },
          `${open.size} connections are open from one address: more are closed`,
        );
      }
      (idle ?? socket).destroy();
      if (!idle) return;
      open.delete(idle);
    }
    clients.set(client, open.add(socket));
    socket.once('close', () => {
      open.delete(socket);
      if (open.size === 0 && clients.get(client) === open) clients.delete(client);
    });
  });
}

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

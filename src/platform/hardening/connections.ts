import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import { addressKey } from '../http/server/access-log';
import { LIMITS } from '../limits/limits';
import type { Logger } from '../observability/logger';

const { connections } = LIMITS;

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

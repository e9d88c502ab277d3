import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Milliseconds between two looks for connections that have become idle. */
const LOOK_EVERY = 50;

/**
 * Prepares a server, before it listens, to be stopped without breaking off what is under way.
 * @returns takes no more connections, closes those that are idle or become so, and resolves when all requests under
 *   way have been answered. Requests pay nothing for it.
 */
export function drainable(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return () =>
    new Promise((resolve) => {
      const look = () => {
        server.closeIdleConnections();
        // Browsers and load balancers open connections ahead; to Node these are not idle for 15 seconds.
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      };
      const timer = setInterval(look, LOOK_EVERY);
      server.close(() => {
        clearInterval(timer);
        resolve();
      });
      look();
    });
}

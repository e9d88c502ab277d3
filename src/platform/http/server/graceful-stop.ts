import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

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
 *   two seconds closes connections that are or become idle; resolves when all connections are closed
 */
export function drainable(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>();
  const inProgress = new Set<ServerResponse>();
  let isStopping = false;
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.prependListener('request', (_: IncomingMessage, response: ServerResponse) => {
    if (isStopping) return closeAfter(response);
    inProgress.add(response);
    response.once('close', () => inProgress.delete(response));
  });
  return () =>
    new Promise((resolve) => {
      const begun = performance.now();
      isStopping = true;
      inProgress.forEach(closeAfter);
      const look = () => {
        if (performance.now() - begun < GRACE) return;
        server.closeIdleConnections();
        // Browsers and load balancers open connections ahead. Node counts these as busy until `headersTimeout`.
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

/** The connection closes with this response, unless its headers are already sent. */
function closeAfter(response: ServerResponse): void {
  response.shouldKeepAlive = false;
  // Node adds it by itself, except where `inviteBody` removed it.
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Against clients that hold connections open by being slow. */
export function limitSlowClients(server: Server): void {
  server.headersTimeout = 15_000;
  server.requestTimeout = 30_000;
  server.keepAliveTimeout = 10_000;
  server.maxRequestsPerSocket = 10_000;
}

/** The envelope also for what is not HTTP enough to become a request: too long headers, broken lines. */
export function answerUnreadableRequests(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const [status, message] = SENTENCES[error.code ?? ''] ?? [
      '400 Bad Request',
      'The request is not valid HTTP.',
    ];
    const body = JSON.stringify({ success: false, error: message });
    socket.end(
      `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  });
}

const SENTENCES: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The address and headers of the request are longer than 16 KiB.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
};

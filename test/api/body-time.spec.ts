import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  allowUpload,
  limitSlowBodies,
  limitSlowClients,
} from '../../src/platform/hardening/slow-clients';
import { respondToUnreadableRequests } from '../../src/platform/http/server/unreadable-requests';
import { createLogger } from '../../src/platform/observability/logger';
import { RawConnection } from '../support/raw-http';

/** How long a body may take to arrive. Only `setTimeout` is held: what the network does is real. */

const KIB = 1_024;
let server: Server;
let connection: RawConnection;
let received = 0;
let arrived: () => void = () => undefined;

beforeEach(async () => {
  jest.useFakeTimers({
    doNotFake: [
      'nextTick',
      'setImmediate',
      'clearImmediate',
      'queueMicrotask',
      'performance',
      'Date',
    ],
  });
  received = 0;
  server = createServer((request: IncomingMessage, response) => {
    if (request.url === '/upload') allowUpload(request);
    request.on('data', (bytes: Buffer) => {
      received += bytes.length;
      arrived();
    });
    request.on('end', () => response.end());
    request.on('error', () => undefined);
  });
  limitSlowBodies(server);
  respondToUnreadableRequests(server, createLogger('silent'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  connection = RawConnection.open(`http://127.0.0.1:${port}`);
});
afterEach(() => {
  jest.useRealTimers();
  connection.close();
  server.close();
});

const begin = (path: string, length: number) =>
  connection.send(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`);

/** Sends, and resolves when the server has got it. */
async function send(bytes: number): Promise<void> {
  if (bytes === 0) return;
  const wanted = received + bytes;
  const got = new Promise<void>((resolve) => {
    arrived = () => {
      if (received >= wanted) resolve();
    };
  });
  connection.send(Buffer.alloc(bytes));
  await got;
}

it('a slow upload that makes progress is accepted', async () => {
  begin('/upload', 40 * 32 * KIB);
  for (let piece = 0; piece < 40; piece++) {
    await send(32 * KIB);
    jest.advanceTimersByTime(30_000);
  }
  expect((await connection.answer()).status).toBe(200);
});

it('the server gives a request 30 minutes', () => {
  limitSlowClients(server);
  expect(server.requestTimeout).toBe(30 * 60_000);
});

it.each([
  ['stalls', 0],
  ['drips', 31 * KIB],
])('an upload that %s gets 408', async (_, bytes) => {
  begin('/upload', 1_000 * KIB);
  await send(32 * KIB);
  jest.advanceTimersByTime(30_000);
  await send(bytes);
  jest.advanceTimersByTime(30_000);
  expect((await connection.answer()).status).toBe(408);
});

it('an upload that stalls gets 408, however much the connection has sent before', async () => {
  begin('/upload', 100 * KIB);
  await send(100 * KIB);
  expect((await connection.answer()).status).toBe(200);
  begin('/upload', 1_000 * KIB);
  await send(1);
  jest.advanceTimersByTime(30_000);
  expect((await connection.answer()).status).toBe(408);
});

it('a body on any other route is cut off after 30 seconds', async () => {
  begin('/other', 1_000 * KIB);
  await send(500 * KIB);
  jest.advanceTimersByTime(29_000);
  await send(400 * KIB);
  jest.advanceTimersByTime(1_000);
  expect((await connection.answer()).status).toBe(408);
});

it('the time limit of a body does not apply once it has arrived', async () => {
  begin('/other', KIB);
  await send(KIB);
  expect((await connection.answer()).status).toBe(200);
  jest.advanceTimersByTime(60_000);
  begin('/other', KIB);
  await send(KIB);
  expect((await connection.answer()).status).toBe(200);
});

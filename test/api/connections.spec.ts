import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { limitSlowClients } from '../../src/platform/hardening/slow-clients';
import { respondToUnreadableRequests } from '../../src/platform/http/server/unreadable-requests';
import { LIMITS } from '../../src/platform/limits/limits';
import { createLogger } from '../../src/platform/observability/logger';
import { eventually } from '../support/clock';
import { type Service, startService } from '../support/service';

/** Connections that are held open: how many there may be, and for how long. */

const { perAddress, perProcess, pipelined } = LIMITS.connections;
const GET = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
const open = new Set<Socket>();

/** Like the clients that attack: it never closes its side. */
function connectTo(port: number, localAddress = '127.0.0.1'): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
  socket.on('error', () => undefined);
  open.add(socket);
  return socket;
}

afterEach(() => {
  for (const socket of open) socket.destroy();
  open.clear();
});

describe('a server with short time-outs', () => {
  let server: Server;
  const listen = async (handler: RequestListener) => {
    server = createServer(handler);
    limitSlowClients(server, 200);
    respondToUnreadableRequests(server, createLogger('silent'));
    server.headersTimeout = 50;
    Object.assign(server, { connectionsCheckingInterval: 20 });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  afterEach(() => server.close());

  it.each([
    ['nothing', ''],
    ['half a header', 'GET / HTTP/1.1\r\nHo'],
    ['what is not HTTP', 'hello\r\n\r\n'],
  ])(
    'a client that sends no whole request and never closes is disconnected: %s',
    async (_, bytes) => {
      const port = await listen(() => undefined);
      const accepted = once(server, 'connection') as Promise<[Socket]>;
      connectTo(port).write(bytes);
      const [socket] = await accepted;
      if (!socket.destroyed) await once(socket, 'close');
      expect(socket.destroyed).toBe(true);
    },
  );

  it('a client that does not read its response is disconnected', async () => {
    const large = Buffer.alloc(64 * 1_048_576);
    const port = await listen((_, response) => response.end(large));
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    connectTo(port).pause().write(GET);
    const [socket] = await accepted;
    await once(socket, 'close');
    expect(socket.destroyed).toBe(true);
  });
});

describe('connection limits', () => {
  let service: Service;
  const start = async (env: Record<string, string> = {}) => {
    service = await startService(env);
    return Number(new URL(service.url).port);
  };
  afterEach(async () => {
    const server: Server = service.app.getHttpServer();
    server.closeAllConnections();
    await service.close();
  });

  /** Whether the service answers on a new connection from this address. */
  const isServed = async (port: number, localAddress: string) => {
    const socket = connectTo(port, localAddress);
    socket.write(GET);
    const isServed = await new Promise<boolean>((resolve) => {
      socket.once('data', () => resolve(true));
      socket.once('end', () => resolve(false));
      socket.once('close', () => resolve(false));
    });
    if (!isServed) {
      socket.destroy();
      open.delete(socket);
    }
    return isServed;
  };
  const serve = async (port: number, count: number, address: string) => {
    const served = await Promise.all(Array.from({ length: count }, () => isServed(port, address)));
    return served.filter(Boolean).length;
  };

  it('a connection beyond 256 from one address takes the place of the oldest idle one', async () => {
    const port = await start();
    const first = connectTo(port);
    first.write(GET);
    await once(first, 'data');
    const closed = once(first.resume(), 'end');
    for (let wave = 0; wave < 4; wave++) expect(await serve(port, 100, '127.0.0.1')).toBe(100);
    await closed;
    const server: Server = service.app.getHttpServer();
    const count = await new Promise((resolve) =>
      server.getConnections((_, number) => resolve(number)),
    );
    expect(count).toBeLessThanOrEqual(256);
    expect(service.log.filter((line) => line.includes('more are closed'))).toHaveLength(1);
  });

  it('connections beyond 256 busy ones from one address are closed, and other addresses are served', async () => {
    const port = await start();
    // Each waits for its body. Of an account only so many may wait.
    const accounts = [await service.account('pro'), await service.account('pro')];
    let requests = 0;
    const server: Server = service.app.getHttpServer();
    server.on('request', () => requests++);
    const busy = Array.from({ length: perAddress.value }, () => connectTo(port));
    for (const [n, socket] of busy.entries())
      socket.write(
        `POST /api/v1/quizzes HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${accounts[n % 2]?.key}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n`,
      );
    await eventually(() => expect(requests).toBe(256));
    expect(await serve(port, 3, '127.0.0.1')).toBe(0);
    expect(await isServed(port, '127.0.0.2')).toBe(true);
    busy[0]?.destroy();
    await eventually(async () => expect(await isServed(port, '127.0.0.1')).toBe(true));
  });

  it('a trusted proxy may open more than 256 connections', async () => {
    const port = await start({ TRUST_PROXY: '127.0.0.1' });
    const server: Server = service.app.getHttpServer();
    expect(await serve(port, perAddress.value + 10, '127.0.0.1')).toBe(266);
    const count = await new Promise((resolve) =>
      server.getConnections((_, number) => resolve(number)),
    );
    expect(count).toBe(266);
  });

  it('a client that pipelines 1,000 requests gets at most 16 responses and is disconnected', async () => {
    const port = await start();
    const responsesTo = async (requests: number) => {
      const socket = connectTo(port);
      let received = '';
      socket.on('data', (bytes) => (received += bytes.toString()));
      const last = GET.replace('Host: x', 'Host: x\r\nConnection: close');
      socket.write(GET.repeat(requests - 1) + last);
      await new Promise((resolve) => {
        socket.once('end', resolve);
        socket.once('close', resolve);
      });
      return received.split('HTTP/1.1 200').length - 1;
    };
    expect(await responsesTo(16)).toBe(16);
    expect(await responsesTo(1_000)).toBeLessThanOrEqual(16);
    expect(service.log.filter((line) => line.includes('/health/live')).length).toBeLessThan(50);
  });

  it('a burst of an address is spread over turns of the event loop', async () => {
    const port = await start();
    const server: Server = service.app.getHttpServer();
    let turn = 0;
    let counting = true;
    const count = () => {
      turn++;
      if (counting) setImmediate(count);
    };
    count();
    const turns: number[] = [];
    server.on('request', (_, response: ServerResponse) =>
      response.once('finish', () => turns.push(turn)),
    );
    const sockets = Array.from({ length: 8 }, () => connectTo(port));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    for (const socket of sockets) socket.write(GET.repeat(pipelined.value));
    await eventually(() => expect(turns).toHaveLength(sockets.length * pipelined.value));
    counting = false;
    // They may end in fewer turns than they begin in.
    const least = turns.length / LIMITS.requests.begunPerTurn.value / 2;
    expect(turns.at(-1)! - turns[0]!).toBeGreaterThan(least);
  });

  it('a client that connects behind a flood does not wait for the requests of the flood', async () => {
    const port = await start();
    const server: Server = service.app.getHttpServer();
    let floods = 0;
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      if (socket.remoteAddress?.endsWith('127.0.0.2')) response.once('finish', () => floods++);
    });
    const sockets = Array.from({ length: 60 }, () => connectTo(port, '127.0.0.2'));
    for (const socket of sockets) socket.write(GET.repeat(pipelined.value));
    const other = connectTo(port, '127.0.0.3');
    other.write(GET);
    await once(other, 'data');
    // Without waiting there are 4 in each turn.
    expect(floods).toBeLessThan(sockets.length);
    await eventually(() => expect(floods).toBe(sockets.length * pipelined.value));
  });

  it('the server has a limit on connections', async () => {
    await start();
    expect(service.app.getHttpServer().maxConnections).toBe(perProcess.value);
  });
});

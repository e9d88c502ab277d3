import { readFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { freePort } from '#embedded-postgres';
import type { AttemptOutcome } from '../../src/webhooks/deliveries/attempt-outcome';
import { DeliverySender } from '../../src/webhooks/sending/delivery-sender';
import {
  type ReceiverAccess,
  refusingPrivatePeers,
} from '../../src/webhooks/sending/guarded-connector';
import { CONNECTIONS_PER_ORIGIN } from '../../src/webhooks/sending/sending-limits';
import { eventually } from '../support/clock';

const fixture = (name: string) => readFileSync(join(__dirname, 'fixtures', name), 'utf8');

/** Of attempts that time out. The others have time on the slowest machine. */
const TIMEOUT_MS = 400;
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Listening {
  on(event: 'connection', listener: (socket: Socket) => void): unknown;
  listen(port: number, host: string, done: () => void): unknown;
  address(): ReturnType<Server['address']>;
  close(done: () => void): unknown;
}

/** Starts a server on a free loopback port and counts its connections. */
async function start(
  server: Listening,
  host = '127.0.0.1',
  port = 0,
): Promise<{ port: number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  server.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((done) => server.listen(port, host, done));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((done) => server.close(done));
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

const http = (listener: RequestListener) => start(createServer(listener));

/** A receiver that speaks raw bytes once a request has come in. */
const raw = (answer: (socket: Socket) => void) =>
  start(createTcpServer((socket) => socket.once('data', () => answer(socket))));

function newSender(options: Partial<ReceiverAccess> = {}): DeliverySender {
  const sender = new DeliverySender({ allowInsecure: true, ...options });
  cleanups.push(() => sender.close());
  return sender;
}

function send(
  target: number | string,
  options: { sender?: DeliverySender; timeoutMs?: number; body?: Buffer } = {},
): Promise<AttemptOutcome> {
  const { sender = newSender(), timeoutMs = 20_000, body = '{}' } = options;
  return sender.sendDelivery({
    url: typeof target === 'number' ? `http://127.0.0.1:${target}/hook?a=1` : target,
    body,
    headers: { 'Content-Type': 'application/json', 'X-Service-Event': 'quiz.created' },
    timeoutMs,
  });
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const CLEAN = { error: null, responseSnippet: null, retryAfter: null };

describe('a delivery attempt', () => {
  it('an attempt posts the exact bytes and headers and records status, time and response', async () => {
    let seen: { request: IncomingMessage; body: Buffer } | undefined;
    const { port } = await http((request, response) => {
      void readAll(request).then((body) => {
        seen = { request, body };
        setTimeout(() => response.writeHead(202).end('thanks ✓'), 50);
      });
    });
    const body = Buffer.from('{"title":"Flüsse 🏞️"}\n');
    const outcome = await send(port, { body });
    expect(outcome).toEqual({
      status: 202,
      error: null,
      durationMs: expect.any(Number),
      responseSnippet: 'thanks ✓',
      retryAfter: null,
    });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(49);
    expect(Number.isInteger(outcome.durationMs)).toBe(true);
    expect(seen!.body.equals(body)).toBe(true);
    expect(seen!.request.method).toBe('POST');
    expect(seen!.request.url).toBe('/hook?a=1');
    expect(seen!.request.headers).toEqual({
      host: `127.0.0.1:${port}`,
      connection: 'keep-alive',
      'content-type': 'application/json',
      'content-length': String(body.length),
      'x-service-event': 'quiz.created',
    });
  });

  it.each([301, 302, 303, 307, 308])('an attempt never follows a redirect: %d', async (status) => {
    let hits = 0;
    const { port } = await http((_request, response) => {
      hits += 1;
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    expect(await send(port)).toMatchObject({ ...CLEAN, status });
    expect(hits).toBe(1);
  });

  it('an attempt records any status and Retry-After', async () => {
    const { port } = await http((_request, response) => {
      response.writeHead(429, { 'retry-after': '120' }).end('slow down');
    });
    expect(await send(port)).toMatchObject({
      status: 429,
      error: null,
      retryAfter: '120',
      responseSnippet: 'slow down',
    });
  });

  it('an attempt ignores a Retry-After that is long or not plain text', async () => {
    for (const value of ['9'.repeat(1000), 'fünf Minuten']) {
      const { port } = await http((_request, response) => {
        response.writeHead(503, { 'retry-after': value }).end();
      });
      expect(await send(port)).toMatchObject({ ...CLEAN, status: 503 });
    }
  });

  it('attempts reuse a connection, also after the receiver has closed it', async () => {
    const { port, sockets } = await http((_request, response) => response.end('ok'));
    const sender = newSender();
    let disconnected = 0;
    sender['agent'].on('disconnect', () => disconnected++);
    for (let i = 0; i < 5; i++) expect((await send(port, { sender })).status).toBe(200);
    const connections = sockets.length;
    expect(connections).toBeLessThanOrEqual(2);
    for (const socket of sockets) socket.destroy();
    await eventually(() => expect(disconnected).toBe(connections));
    expect(await send(port, { sender })).toMatchObject({ status: 200, error: null });
    expect(sockets).toHaveLength(connections + 1);
  });
});

describe('slow receivers', () => {
  const sendInTime: typeof send = (target, options) =>
    send(target, { timeoutMs: TIMEOUT_MS, ...options });

  it('an attempt times out when the receiver never responds', async () => {
    const { port } = await raw(() => undefined);
    const outcome = await sendInTime(port);
    expect(outcome).toMatchObject({ ...CLEAN, status: null, error: 'timeout' });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 5);
    expect(outcome.durationMs).toBeLessThan(10 * TIMEOUT_MS);
  });

  it('an attempt succeeds before the timeout and fails after it', async () => {
    const after = (ms: number) =>
      http((_request, response) => void setTimeout(() => response.end('late'), ms));
    const [early, late] = await Promise.all(
      [100, 1_000].map(async (ms) => send((await after(ms)).port, { timeoutMs: 800 })),
    );
    expect(early).toMatchObject({ status: 200, error: null });
    expect(late).toMatchObject({ status: null, error: 'timeout' });
  });

  it('an attempt whose response arrives in time succeeds, also when the process is busy until after the timeout', async () => {
    const { port } = await http((_request, response) => {
      response.end('in time');
      const end = performance.now() + 2 * TIMEOUT_MS;
      while (performance.now() < end);
    });
    const outcome = await sendInTime(port);
    expect(outcome).toMatchObject({ status: 200, error: null, responseSnippet: 'in time' });
    expect(outcome.durationMs).toBeGreaterThan(TIMEOUT_MS);
  });

  it('an attempt times out when a 2xx body drips, and keeps the status and the received text', async () => {
    const { port, sockets } = await http((_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), 50);
      response.on('close', () => clearInterval(drip));
    });
    const outcome = await sendInTime(port);
    expect(outcome).toMatchObject({ status: 200, error: 'timeout' });
    expect(outcome.responseSnippet).toMatch(/^\.{1,9}$/);
    expect(outcome.durationMs).toBeLessThan(10 * TIMEOUT_MS);
    await eventually(() => expect(sockets[0]!.destroyed).toBe(true));
  });

  it('an attempt times out when headers drip or early hints never end', async () => {
    const endless = (line: string) =>
      raw((socket) => {
        const drip = setInterval(() => socket.write(line), 20);
        socket.on('close', () => clearInterval(drip));
      });
    for (const line of [
      'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n',
      'HTTP/1.1 102 Wait\r\n\r\n',
    ]) {
      expect(await sendInTime((await endless(line)).port)).toMatchObject({
        status: null,
        error: 'timeout',
      });
    }
    const { port } = await raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x: y\r\n'), 50);
      socket.on('close', () => clearInterval(drip));
    });
    expect(await sendInTime(port)).toMatchObject({ status: null, error: 'timeout' });
  });

  it('an attempt times out during name resolution and the TLS handshake', async () => {
    const sender = newSender({ resolve: () => new Promise(() => undefined) });
    expect(await sendInTime('http://hooks.example.com/', { sender })).toMatchObject({
      error: 'timeout',
    });
    const { port } = await start(createTcpServer());
    expect(await sendInTime(`https://127.0.0.1:${port}/`)).toMatchObject({ error: 'timeout' });
  });

  it('a slow receiver delays neither other receivers nor other deliveries of its host', async () => {
    const held: ServerResponse[] = [];
    const { port } = await http((_request, response) => {
      if (held.length > 0) response.end('ok');
      else held.push(response);
    });
    const other = await http((_request, response) => response.end('ok'));
    const sender = newSender();
    const hanging = send(port, { sender });
    await eventually(() => expect(held).toHaveLength(1));
    const quick = await Promise.all([
      ...Array.from({ length: 20 }, () => send(port, { sender })),
      ...Array.from({ length: 20 }, () => send(other.port, { sender })),
    ]);
    for (const outcome of quick) expect(outcome).toMatchObject({ status: 200, error: null });
    // It is still open: nobody has waited for its end.
    held[0]!.end('ok');
    expect(await hanging).toMatchObject({ status: 200, error: null });
  });

  it('a slow receiver never has more connections than the limit per origin', async () => {
    const waiting: ServerResponse[] = [];
    const { port, sockets } = await http((_request, response) => {
      waiting.push(response);
      // The first responses end when as many requests wait as may be open at a time.
      if (waiting.length >= CONNECTIONS_PER_ORIGIN) for (const each of waiting) each.end();
    });
    const sender = newSender();
    const outcomes = await Promise.all(
      Array.from({ length: CONNECTIONS_PER_ORIGIN + 20 }, () =>
        send(port, { sender, timeoutMs: 20_000 }),
      ),
    );
    expect(outcomes.every(({ status }) => status === 200)).toBe(true);
    expect(sockets).toHaveLength(CONNECTIONS_PER_ORIGIN);
  });
});

describe('receivers with oversized or malformed responses', () => {
  it('a response is cut off after 4 KiB and its status counts', async () => {
    const block = 'x'.repeat(65_536);
    let written = 0;
    const { port, sockets } = await http((_request, response) => {
      response.writeHead(200, { 'content-length': '10000000000' });
      const flood = () => {
        while (!response.destroyed && response.write(block)) written += block.length;
      };
      response.on('drain', flood);
      flood();
    });
    const outcome = await send(port);
    expect(outcome).toMatchObject({ status: 200, error: null });
    expect(outcome.responseSnippet).toBe('x'.repeat(4096));
    await eventually(() => expect(sockets[0]!.destroyed).toBe(true));
    // What the kernel's two socket buffers take, not what the receiver wanted to send.
    expect(written).toBeLessThan(20_000_000);
  });

  it('a gzipped response is not inflated', async () => {
    const bomb = gzipSync(Buffer.alloc(2_000_000));
    const { port } = await http((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    expect(await send(port)).toMatchObject({
      status: 200,
      error: null,
      responseSnippet: '(compressed response, not shown)',
    });
  });

  it('a stored response has no NUL, control characters or invalid UTF-8', async () => {
    const text = Buffer.concat([
      Buffer.from('a\0\x1b[31m<script>\r\n'),
      Buffer.from([0xff]),
      Buffer.from('é'),
    ]);
    const { port } = await http((_request, response) => response.end(text));
    expect((await send(port)).responseSnippet).toBe('a[31m<script>\n\ufffdé');
  });

  it.each([
    ['is not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', 'protocol_error'],
    ['has a header without end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`, 'protocol_error'],
    [
      'has headers longer than 16 KiB',
      `HTTP/1.1 200 OK\r\n${`x: ${'y'.repeat(1_000)}\r\n`.repeat(17)}content-length: 0\r\n\r\n`,
      'protocol_error',
    ],
    [
      'switches protocols unasked',
      'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'protocol_error',
    ],
    ['says 100 Continue unasked', 'HTTP/1.1 100 Continue\r\n\r\n', 'protocol_error'],
    [
      'has two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
      'protocol_error',
    ],
    [
      'has a bad chunk size',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      'protocol_error',
    ],
  ])('a response that %s is a protocol error', async (_what, bytes, error) => {
    const { port } = await raw((socket) => socket.write(bytes));
    expect(await send(port)).toMatchObject({ error });
  });

  it.each([
    ['a flood of early hints', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100), null],
    ['one chunk extension', 'y'.repeat(4_000), 200],
  ])('a response without end, %s, is cut off at once', async (_what, bytes, status) => {
    let sent = 0;
    const { port } = await raw((socket) => {
      if (status) socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;');
      const flood = () => {
        while (!socket.destroyed && socket.write(bytes)) sent += bytes.length;
      };
      socket.on('drain', flood);
      flood();
    });
    const outcome = await send(port, { timeoutMs: 10_000 });
    expect(outcome).toMatchObject({ status, error: 'response_too_large' });
    expect(sent).toBeLessThan(50 * 1024 * 1024);
  });

  it('one connection serves more responses than the size limit of one', async () => {
    const { port, sockets } = await http((_request, response) => response.end('y'.repeat(4_000)));
    const sender = newSender();
    for (let request = 0; request < 100; request++)
      expect(await send(port, { sender })).toMatchObject({ status: 200, error: null });
    expect(sockets.length).toBeLessThan(10);
  });

  it('early hints before the response are accepted', async () => {
    const { port } = await raw((socket) => {
      socket.end('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n');
    });
    expect(await send(port)).toMatchObject({ ...CLEAN, status: 204 });
  });

  it('a response shorter than its Content-Length is a failure', async () => {
    const { port } = await raw((socket) => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello');
    });
    const outcome = await send(port);
    expect(outcome).toMatchObject({ status: 200, responseSnippet: 'hello' });
    expect(outcome.error).toMatch(/^(connection_reset|protocol_error)$/);
  });

  it('bytes beyond Content-Length are ignored', async () => {
    const { port } = await raw((socket) => {
      socket.end(
        'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhelloHTTP/1.1 500 No\r\n\r\nsmuggled',
      );
    });
    const sender = newSender();
    expect(await send(port, { sender })).toMatchObject({
      status: 200,
      error: null,
      responseSnippet: 'hello',
    });
    expect(await send(port, { sender })).toMatchObject({ status: 200, responseSnippet: 'hello' });
  });
});

describe('unreachable receivers', () => {
  it('an attempt at a closed port fails with connection_refused', async () => {
    const server = createTcpServer();
    const { port } = await start(server);
    await new Promise<void>((done) => server.close(() => done()));
    expect(await send(port)).toMatchObject({ ...CLEAN, status: null, error: 'connection_refused' });
    const sender = newSender({ resolve: () => Promise.resolve(['127.0.0.1', '127.0.0.2']) });
    expect(await send(`http://hooks.example.com:${port}/`, { sender })).toMatchObject({
      error: 'connection_refused',
    });
  });

  it('an attempt uses the next address when the first refuses', async () => {
    const { port } = await http((_request, response) => response.end('ok'));
    const sender = newSender({ resolve: () => Promise.resolve(['127.0.0.2', '127.0.0.1']) });
    expect(await send(`http://hooks.example.com:${port}/`, { sender })).toMatchObject({
      status: 200,
    });
  });

  it('an attempt fails with connection_reset when the receiver closes or resets the connection', async () => {
    const breaks: ((socket: Socket) => void)[] = [
      (socket) => socket.end(),
      (socket) => socket.resetAndDestroy(),
      (socket) => socket.write('HTTP/1.1 2', () => socket.end()),
    ];
    for (const breakOff of breaks) {
      const { port } = await raw(breakOff);
      expect(await send(port)).toMatchObject({ ...CLEAN, status: null, error: 'connection_reset' });
    }
    const { port } = await raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhel');
      setTimeout(() => socket.resetAndDestroy(), 50);
    });
    expect(await send(port)).toMatchObject({
      status: 200,
      error: 'connection_reset',
      responseSnippet: 'hel',
    });
  });

  it('an attempt at a name without address fails with dns_error', async () => {
    const sender = newSender({ resolve: () => Promise.resolve([]) });
    expect(await send('http://hooks.example.com/', { sender })).toMatchObject({
      ...CLEAN,
      status: null,
      error: 'dns_error',
    });
  });
});

describe('TLS', () => {
  const key = fixture('hooks.example.com.key.pem');
  const ca = fixture('ca.pem');
  const resolve = () => Promise.resolve(['127.0.0.1']);

  async function tls(cert: string): Promise<number> {
    const server = createTlsServer({ key, cert: fixture(cert) }, (socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
    });
    return (await start(server)).port;
  }

  it('an attempt succeeds with a valid certificate', async () => {
    const port = await tls('hooks.example.com.pem');
    const sender = newSender({ resolve, ca });
    const outcome = await send(`https://hooks.example.com:${port}/`, { sender });
    expect(outcome).toMatchObject({ status: 200, error: null, responseSnippet: 'ok' });
  });

  it.each([
    ['of an unknown authority', 'hooks.example.com.pem', 'hooks.example.com', undefined],
    ['of another host', 'hooks.example.com.pem', 'other.example.com', ca],
    ['that has expired', 'expired.pem', 'hooks.example.com', ca],
  ])('an attempt fails with a certificate %s', async (_what, cert, host, authority) => {
    const port = await tls(cert);
    const sender = newSender({ resolve, ca: authority });
    expect(await send(`https://${host}:${port}/`, { sender })).toMatchObject({
      ...CLEAN,
      status: null,
      error: 'tls_error',
    });
  });

  it('certificates are verified despite NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
    const port = await tls('hooks.example.com.pem');
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    cleanups.push(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
    const sender = newSender({ resolve });
    const outcome = await send(`https://hooks.example.com:${port}/`, { sender });
    expect(outcome.error).toBe('tls_error');
  });

  it('an https attempt at a plain HTTP port fails with tls_error', async () => {
    const { port } = await http((_request, response) => response.end());
    expect(await send(`https://127.0.0.1:${port}/`)).toMatchObject({ error: 'tls_error' });
  });
});

describe('the address guard of the sender', () => {
  it.each([
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://2130706433/',
    'https://169.254.169.254/',
    'http://hooks.example.com/',
    'https://localhost/',
    'nonsense',
  ])('the sender sends nothing to %s', async (url) => {
    const resolve = jest.fn(() => Promise.resolve(['1.1.1.1']));
    const sender = newSender({ allowInsecure: false, resolve });
    expect(await send(url, { sender })).toMatchObject({
      ...CLEAN,
      status: null,
      error: 'address_refused',
    });
    expect(resolve).not.toHaveBeenCalled();
  });

  it('the sender never connects to a private address behind a public name', async () => {
    for (const addresses of [['127.0.0.1'], ['1.1.1.1', '10.0.0.1'], ['::ffff:127.0.0.1']]) {
      const sender = newSender({ allowInsecure: false, resolve: () => Promise.resolve(addresses) });
      const outcome = await send('https://hooks.example.com/', { sender });
      expect(outcome).toMatchObject({ status: null, error: 'address_refused' });
    }
  });

  it('the sender closes a connection that has reached a private address', () => {
    const socket = { remoteAddress: '10.0.0.1', destroy: jest.fn() };
    const callback = jest.fn();
    const connect = refusingPrivatePeers((_target, done) => done(null, socket as never));
    connect({} as never, callback);
    expect(socket.destroy).toHaveBeenCalled();
    expect(callback).toHaveBeenCalledWith(
      expect.objectContaining({ code: 'address_refused' }),
      null,
    );

    const good = { remoteAddress: '1.1.1.1' };
    refusingPrivatePeers((_target, done) => done(null, good as never))({} as never, callback);
    expect(callback).toHaveBeenLastCalledWith(null, good);
  });
});

describe('the address guard of the sender outside production', () => {
  const laptop = (resolve: ReceiverAccess['resolve'] = () => Promise.resolve(['127.0.0.1'])) =>
    newSender({ allowInsecure: false, allowLoopback: true, resolve });

  it.each(['localhost', '127.0.0.1', '127.0.0.2', '2130706433'])(
    'the sender delivers to a receiver of this machine at http://%s',
    async (host) => {
      const server = createServer((_request, response) => response.writeHead(204).end());
      const { port } = await start(server, host === '127.0.0.2' ? host : '127.0.0.1');
      const outcome = await send(`http://${host}:${port}/`, { sender: laptop() });
      expect(outcome).toMatchObject({ status: 204, error: null });
    },
  );

  it('the sender finds a receiver that listens on ::1 only by the name localhost', async () => {
    const server = createServer((_request, response) => response.writeHead(204).end());
    // With a port of the system's choice, a receiver of another test may listen on 127.0.0.1.
    const { port } = await start(server, '::1', await freePort());
    for (const host of ['localhost', '[::1]'])
      expect(await send(`http://${host}:${port}/`, { sender: laptop() })).toMatchObject({
        status: 204,
      });
  });

  it.each([
    'https://10.0.0.1/',
    'https://192.168.0.1/',
    'https://169.254.169.254/',
    'https://[::ffff:127.0.0.1]/',
    'https://0.0.0.0/',
    'http://hooks.example.com/',
    'https://app.localhost/',
    'https://redis/',
  ])('the sender sends nothing to %s, as in production', async (url) => {
    const resolve = jest.fn(() => Promise.resolve(['127.0.0.1']));
    const outcome = await send(url, { sender: laptop(resolve) });
    expect(outcome).toMatchObject({ ...CLEAN, status: null, error: 'address_refused' });
    expect(resolve).not.toHaveBeenCalled();
  });

  it('the sender never connects to this machine behind another name, nor after a rebinding', async () => {
    for (const addresses of [['127.0.0.1'], ['::1'], ['1.1.1.1', '127.0.0.1']]) {
      const sender = laptop(() => Promise.resolve(addresses));
      const outcome = await send('https://hooks.example.com/', { sender });
      expect(outcome).toMatchObject({ status: null, error: 'address_refused' });
    }
  });

  it('the sender closes a connection to localhost that has left this machine, and one to this machine by another name', () => {
    const callback = jest.fn();
    const arrive = (hostname: string, remoteAddress: string) => {
      const socket = { remoteAddress, destroy: jest.fn() };
      refusingPrivatePeers((_target, done) => done(null, socket as never), {
        allowLoopback: true,
      })({ hostname } as never, callback);
      return socket;
    };
    for (const [hostname, remoteAddress] of [
      ['localhost', '10.0.0.1'],
      ['127.0.0.1', '1.1.1.1'],
      ['hooks.example.com', '127.0.0.1'],
    ] as const) {
      expect(arrive(hostname, remoteAddress).destroy).toHaveBeenCalled();
      expect(callback).toHaveBeenLastCalledWith(
        expect.objectContaining({ code: 'address_refused' }),
        null,
      );
    }
    for (const [hostname, remoteAddress] of [
      ['localhost', '127.0.0.1'],
      ['::1', '::1'],
      ['hooks.example.com', '1.1.1.1'],
    ] as const)
      expect(arrive(hostname, remoteAddress).destroy).not.toHaveBeenCalled();
  });
});

describe('internal errors of the sender', () => {
  it("an internal error of the sender throws and does not count as the receiver's failure", async () => {
    const sender = newSender();
    const sending = sender.sendDelivery({
      url: 'http://127.0.0.1:9/',
      body: '{}',
      headers: { 'X-Service-Event': 'a\r\nb: c' },
      timeoutMs: TIMEOUT_MS,
    });
    await expect(sending).rejects.toThrow('invalid X-Service-Event header');
  });

  it('closing the sender during a delivery throws', async () => {
    let receive = () => {};
    const received = new Promise<void>((done) => (receive = done));
    const { port } = await raw(() => receive());
    const sender = newSender();
    const sending = send(port, { sender });
    await received;
    await Promise.all([expect(sending).rejects.toThrow('closed'), sender.close()]);
    await expect(send(port, { sender })).rejects.toThrow('closed');
  });
});

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { respondToUnreadableRequests } from '../../src/platform/http/server/unreadable-requests';
import { createLogger } from '../../src/platform/observability/logger';
import { expectEnvelope } from '../support/envelope';
import { memoryHeld } from '../support/memory';
import { raw, RawConnection } from '../support/raw-http';
import { quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** What arrives over a socket and is no well-behaved client's request. */
let service: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await startService();
  account = await service.account();
});
afterAll(async () => {
  // What a failed test left open must not keep the service from closing.
  const server: Server = service.app.getHttpServer();
  server.closeAllConnections();
  await service.close();
});

const HOST = 'Host: quiz.test\r\n';
const post = (path: string, headers: string, body = '', key = true) =>
  `POST ${path} HTTP/1.1\r\n${HOST}${key ? `Authorization: Bearer ${account.key}\r\n` : ''}` +
  `Content-Type: application/json\r\n${headers}\r\n${body}`;
const postQuiz = (headers: string, body = '') => post('/api/v1/quizzes', headers, body);
const next = `GET /api/v1/metadata HTTP/1.1\r\n${HOST}\r\n`;

function expectError(response: Awaited<ReturnType<typeof raw>>, status: number): void {
  expect(response.status).toBe(status);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.headers['x-request-id']).toMatch(/^[\w-]{1,64}$/);
  expect(response.headers['x-error-code']).toMatch(/^[a-z]+(-[a-z]+)+$/);
  expectEnvelope(JSON.parse(response.body));
}

describe('malformed HTTP gets the envelope and a closed connection', () => {
  it.each([
    ['garbage', 'hello\r\n\r\n', 400],
    ['a method that does not exist', `BREW /api/v1/quizzes HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['a header without a colon', `GET / HTTP/1.1\r\n${HOST}nonsense\r\n\r\n`, 400],
    ['a control character in a header', `GET / HTTP/1.1\r\n${HOST}A: \x01\r\n\r\n`, 400],
    ['a space in the address', `GET /a b HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['a TLS handshake', Buffer.from('16030100a5010000a10303', 'hex'), 400],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['headers above 16 KiB', `GET / HTTP/1.1\r\n${HOST}A: ${'a'.repeat(17_000)}\r\n\r\n`, 431],
    ['an address above 16 KiB', `GET /${'a'.repeat(17_000)} HTTP/1.1\r\n${HOST}\r\n`, 431],
  ])('%s', async (_, bytes, status) => {
    const connection = RawConnection.open(service.url).send(bytes);
    const response = await connection.answer();
    expectError(response, status);
    expect(response.headers.connection).toBe('close');
    expect(await connection.end()).toBe('');
  });

  it('a request whose headers take too long gets 408', async () => {
    const log: string[] = [];
    const server = createServer({ connectionsCheckingInterval: 20 });
    server.headersTimeout = 50;
    respondToUnreadableRequests(
      server,
      createLogger('info', { write: (line) => void log.push(line) }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const response = await raw(`http://127.0.0.1:${port}`, 'GET / HTTP/1.1\r\nHo');
    expectError(response, 408);
    expect(JSON.parse(log[0] ?? '')).toMatchObject({
      status: 408,
      requestId: response.headers['x-request-id'],
    });
    server.close();
  });

  it('a malformed request after a served one does not corrupt the first response', async () => {
    const connection = RawConnection.open(service.url).send(next);
    expect((await connection.answer()).status).toBe(200);
    expectError(await connection.send('nonsense\r\n\r\n').answer(), 400);
  });

  it('a malformed end of a body after the response gets no second response', async () => {
    const chunked = post('/api/v1/quizzes', 'Transfer-Encoding: chunked\r\n', '', false);
    const connection = RawConnection.open(service.url).send(chunked);
    expect((await connection.answer()).status).toBe(401);
    expect(await connection.send('no chunk\r\n').end()).toBe('');
  });
});

describe("defaults of Node's HTTP server", () => {
  it('a missing Host gets 400 with the envelope in HTTP/1.1 only', async () => {
    expectError(await raw(service.url, 'GET /api/v1/metadata HTTP/1.1\r\n\r\n'), 400);
    expectError(await raw(service.url, 'GET /foo HTTP/1.1\r\n\r\n'), 400);
    expect((await raw(service.url, 'GET /api/v1/metadata HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  it('an unknown Expect header is ignored', async () => {
    const response = await raw(service.url, next.replace('\r\n\r\n', '\r\nExpect: tea\r\n\r\n'));
    expect(response.status).toBe(200);
  });

  it('an unsupported Upgrade header is ignored', async () => {
    const upgrade = '\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    expect((await raw(service.url, next.replace('\r\n\r\n', upgrade))).status).toBe(200);
  });
});

describe('body encodings', () => {
  const json = JSON.stringify(quizBody());

  it.each([
    ['in one chunk', `${json.length.toString(16)}\r\n${json}\r\n0\r\n\r\n`],
    ['in chunks of a byte', [...json].map((c) => `1\r\n${c}\r\n`).join('') + '0\r\n\r\n'],
    [
      'with extensions and trailers',
      `${json.length.toString(16)};a=b\r\n${json}\r\n0\r\nA: b\r\n\r\n`,
    ],
  ])('a chunked body, %s, gets 201', async (_, body) => {
    expect((await raw(service.url, postQuiz('Transfer-Encoding: chunked\r\n', body))).status).toBe(
      201,
    );
  });

  it('a compressed body gets 201, and one of more than 1 MiB inflated gets 413', async () => {
    const send = (bytes: Buffer) =>
      raw(
        service.url,
        Buffer.concat([
          Buffer.from(postQuiz(`Content-Encoding: gzip\r\nContent-Length: ${bytes.length}\r\n`)),
          bytes,
        ]),
      );
    expect((await send(gzipSync(json))).status).toBe(201);
    expectError(await send(gzipSync(Buffer.alloc(20_000_000, ' '))), 413);
    expectError(await send(Buffer.from('no gzip at all')), 400);
  });

  it.each([
    ['both lengths', `Content-Length: 2\r\nTransfer-Encoding: chunked\r\n`, '0\r\n\r\n'],
    ['two different lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n', '{}'],
    ['a length that is no number', 'Content-Length: 2x\r\n', '{}'],
    ['a negative length', 'Content-Length: -2\r\n', '{}'],
    ['an encoding that is not the last', 'Transfer-Encoding: chunked, gzip\r\n', '0\r\n\r\n'],
    ['an unknown encoding', 'Transfer-Encoding: identity\r\n', '{}'],
    ['an obscured encoding', 'Transfer-Encoding: xchunked\r\n', '{}'],
    ['a chunk without a size', 'Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n'],
    ['a space before the colon', 'Content-Length : 2\r\n', '{}'],
  ])('%s gets 400, and what follows is not read as a request', async (_, headers, body) => {
    const connection = RawConnection.open(service.url).send(postQuiz(headers, body) + next);
    expectError(await connection.answer(), 400);
    expect(await connection.end()).toBe('');
  });

  it.each([
    ['an unknown Content-Encoding', 'Content-Encoding: lzma\r\n', '{}'],
    ['another Content-Type than JSON', 'Content-Type: text/plain\r\n', '{}'],
    ['an empty body', '', ''],
    ['a body that is not UTF-8', '', '\xff\xfe'],
  ])('%s gets 400', async (_, headers, body) => {
    const length = `Content-Length: ${body.length}\r\n`;
    const request = postQuiz(headers + length, body);
    const bytes = Buffer.from(
      headers.startsWith('Content-Type')
        ? request.replace('Content-Type: application/json\r\n', '')
        : request,
      'latin1',
    );
    expectError(await raw(service.url, bytes), 400);
  });
});

describe('unread bodies', () => {
  it('an unread body does not disturb the next request on the connection', async () => {
    const refused = post('/api/v1/quizzes', `Content-Length: 9\r\n`, '{"a":"GET', false);
    const connection = RawConnection.open(service.url).send(refused + next + refused + next);
    const statuses = [];
    for (let count = 0; count < 4; count++) statuses.push((await connection.answer()).status);
    expect(statuses).toEqual([401, 200, 401, 200]);
    connection.close();
  });

  it('a body of 100 MB without a key gets 401 before it is sent', async () => {
    const head = post('/api/v1/quizzes', 'Content-Length: 100000000\r\n', '', false);
    const connection = RawConnection.open(service.url).send(head);
    expectError(await connection.answer(), 401);
    const before = memoryHeld();
    const block = Buffer.alloc(1_000_000, ' ');
    for (let sent = 0; sent < 100; sent++) expect(await connection.sent(block)).toBe(true);
    expect(memoryHeld() - before).toBeLessThan(50_000_000);
    expect((await connection.send(next).answer()).status).toBe(200);
    connection.close();
  });

  it('a body above 1 MiB is refused by its Content-Length, and the connection stays open', async () => {
    const connection = RawConnection.open(service.url).send(
      postQuiz('Content-Length: 1048577\r\n'),
    );
    expectError(await connection.answer(), 413);
    connection.send(Buffer.alloc(1_048_577, ' ')).send(next);
    expect((await connection.answer()).status).toBe(200);
    connection.close();
  });

  it('a chunked body above 1 MiB gets 413', async () => {
    const block = `10000\r\n${' '.repeat(65_536)}\r\n`;
    const connection = RawConnection.open(service.url);
    connection.send(postQuiz('Transfer-Encoding: chunked\r\n', `${block.repeat(17)}0\r\n\r\n`));
    expectError(await connection.answer(), 413);
    expect((await connection.send(next).answer()).status).toBe(200);
    connection.close();
  });

  it('a refused request with Expect: 100-continue gets no 100', async () => {
    const expecting = 'Expect: 100-continue\r\nContent-Length: 2000000\r\n';
    for (const [status, request] of [
      [401, post('/api/v1/quizzes', expecting, '', false)],
      [413, postQuiz(expecting)],
      [405, post('/api/v1/metadata', expecting)],
    ] as const) {
      const connection = RawConnection.open(service.url).send(request);
      const response = await connection.answer();
      expectError(response, status);
      expect(response.headers.connection).toBe('close');
      await connection.end();
    }
  });
});

it('an accepted request with Expect: 100-continue gets 100, and the connection stays open', async () => {
  const body = JSON.stringify(quizBody());
  const connection = RawConnection.open(service.url);
  connection.send(postQuiz(`Expect: 100-continue\r\nContent-Length: ${body.length}\r\n`));
  expect((await connection.answer()).status).toBe(100);
  expect((await connection.send(body).answer()).status).toBe(201);
  expect((await connection.send(next).answer()).status).toBe(200);
  connection.close();
});

describe('clients that disconnect', () => {
  it.each([
    ['in the middle of its body', () => postQuiz('Content-Length: 100\r\n', '{"title"')],
    ['before the answer', () => postQuiz('Content-Length: 2\r\n', '{}')],
    ['in the middle of a line', () => 'GET /api/v1/quiz'],
  ])('a client that disconnects %s causes no error in the log', async (_, request) => {
    service.log.length = 0;
    const connection = RawConnection.open(service.url);
    await connection.sent(Buffer.from(request()));
    connection.close();
    await connection.end();
    await account.get('/quizzes').expect(200);
    expect(service.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });
});

describe('the work for one body is bounded', () => {
  const question = (fields: object) => ({
    text: 'Why?',
    type: 'OPEN_ENDED',
    difficulty: 'EASY',
    ...fields,
  });
  const many = (count: number, item: unknown) => Array<unknown>(count).fill(item);

  it('a body with more than 10,000 values gets 413', async () => {
    const quiz = await account.post('/quizzes', quizBody()).expect(201);
    const path = `/quizzes/${quiz.body.data.id}/questions/batch`;
    const response = await account.post(path, { questions: many(300_000, {}) }).expect(413);
    expectEnvelope(response.body);
  });

  it.each([
    ['empty questions', { questions: many(9_900, {}) }],
    ['empty answers', { questions: [question({ answers: many(9_900, {}) })] }],
    ['numbers for answers', { questions: [question({ answers: many(9_900, 1) })] }],
    ['arrays for answers', { questions: [question({ answers: many(4_900, [1]) })] }],
    [
      'questions with numbers for answers',
      { questions: many(50, question({ answers: many(190, 1) })) },
    ],
    ['characters that are no text', { questions: many(9_900, '\0') }],
    [
      'unknown fields',
      { questions: [Object.fromEntries(many(9_900, 1).map((_, i) => [`f${i}`, i]))] },
    ],
    [
      'different answers',
      {
        questions: [
          question({ answers: many(3_000, 1).map((_, i) => ({ text: `${i}`, isCorrect: true })) }),
        ],
      },
    ],
  ])('9,900 values of %s get a short response without much work', async (_, body) => {
    const quiz = await account.post('/quizzes', quizBody()).expect(201);
    // Of this process, which runs the service: other suites on the machine do not count.
    const started = process.cpuUsage();
    const response = await account.post(`/quizzes/${quiz.body.data.id}/questions/batch`, body);
    expect([201, 422]).toContain(response.status);
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1_000).toBeLessThan(1_500);
    expect(response.text.length).toBeLessThan(1_000_000);
  });
});

it("requests and responses get Express's prototypes when they are created", async () => {
  const express = service.app.getHttpAdapter().getInstance();
  const born: boolean[] = [];
  service.app
    .getHttpServer()
    .prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
      born.push(
        Object.getPrototypeOf(request) === express.request &&
          Object.getPrototypeOf(response) === express.response,
      ),
    );
  await service.get('/metadata').expect(200);
  expect(born).toEqual([true]);
  expect(express.request.app).toBe(express);
});

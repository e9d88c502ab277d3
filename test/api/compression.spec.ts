import http from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { SessionsService } from '../../src/access/sessions/sessions.service';
import { makeQuiz } from '../support/content';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** Responses of the API are compressed for clients that support it; pages that differ by visitor never are. */

let service: Service;
let account: TestAccount;
let large: string;
let huge: string;
beforeAll(async () => {
  service = await startService();
  account = await service.account();
  large = (await makeQuiz(account, {}, questionBodies(50))).id;
  huge = (await makeQuiz(account, {}, questionBodies(400))).id;
});
afterAll(() => service.close());

/** The bytes as they came over the wire: no client unpacks them. */
function send(
  path: string,
  headers: Record<string, string> = {},
  { method = 'GET', body = '' } = {},
): Promise<{ status: number; headers: http.IncomingHttpHeaders; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const request = http.request(service.url + path, {
      method,
      headers: { Authorization: `Bearer ${account.key}`, ...headers },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes: Buffer.concat(parts),
        }),
      );
    });
    request.end(body);
  });
}
const get = (path: string, encodings?: string) =>
  send(path, encodings === undefined ? {} : { 'Accept-Encoding': encodings });

const unpack = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  none: (bytes: Buffer) => bytes,
};

describe.each(['a quiz of 50 questions', 'a quiz of 400'])('%s', (which) => {
  const path = () => `/api/v1/quizzes/${which.endsWith('400') ? huge : large}`;

  it.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['*', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['deflate', 'none'],
    ['identity', 'none'],
    ['gzip;q=0', 'none'],
    ['', 'none'],
    ['nonsense;;q=x,,', 'none'],
    [undefined, 'none'],
  ] as const)(
    'the response to Accept-Encoding: %s is encoded by %s',
    async (accepted, encoding) => {
      const plain = await get(path());
      const response = await get(path(), accepted);
      expect(response.headers['content-encoding'] ?? 'none').toBe(encoding);
      expect(response.headers['content-length']).toBe(`${response.bytes.length}`);
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(response.headers.vary).toContain('Accept-Encoding');
      expect(unpack[encoding](response.bytes).equals(plain.bytes)).toBe(true);
      if (encoding !== 'none') expect(response.bytes.length).toBeLessThan(plain.bytes.length / 3);
    },
  );

  it('an unchanged response gets 304 in every encoding, by one validator', async () => {
    const { headers } = await get(path());
    for (const encoding of ['br', 'gzip']) {
      expect((await get(path(), encoding)).headers.etag).toBe(headers.etag);
      const again = await send(path(), {
        'Accept-Encoding': encoding,
        'If-None-Match': headers.etag ?? '',
      });
      expect(again.status).toBe(304);
      expect(again.headers).not.toHaveProperty('content-encoding');
    }
  });

  it('HEAD returns the headers of a compressed GET without a body', async () => {
    const { headers } = await get(path(), 'br');
    const head = await send(path(), { 'Accept-Encoding': 'br' }, { method: 'HEAD' });
    expect(head.bytes).toHaveLength(0);
    for (const name of ['content-encoding', 'content-length', 'etag', 'vary'])
      expect(head.headers[name]).toBe(headers[name]);
  });
});

it('a large response to a POST is compressed', async () => {
  const response = await send(
    `/api/v1/quizzes/${large}/questions/batch`,
    { 'Accept-Encoding': 'gzip', 'Content-Type': 'application/json' },
    { method: 'POST', body: JSON.stringify({ questions: questionBodies(50) }) },
  );
  expect(response.status).toBe(201);
  expect(response.headers['content-encoding']).toBe('gzip');
  expect(JSON.parse(gunzipSync(response.bytes).toString())).toMatchObject({
    data: { questionsCreated: 50 },
  });
});

it('a response that fits into one packet is not compressed', async () => {
  const { headers, bytes } = await get(`/api/v1/questions?quiz_id=no-such-quiz`, 'br, gzip');
  expect(headers).not.toHaveProperty('content-encoding');
  expect(JSON.parse(bytes.toString())).toMatchObject({ data: [] });
});

it.each([
  ['/dashboard/sign-in', 200],
  ['/dashboard/quizzes', 200],
  ['/play/no-such-quiz', 404],
])(
  'the page %s is never compressed, so that its length reveals no secret',
  async (path, expected) => {
    const session = await service.app
      .get(SessionsService)
      .start(account.accountId, { userAgent: 'Firefox/130 Linux', address: '127.0.0.1' });
    const { status, headers, bytes } = await send(path, {
      'Accept-Encoding': 'br, gzip',
      Cookie: path === '/dashboard/sign-in' ? '' : `quiz_session=${session}`,
    });
    expect(status).toBe(expected);
    expect(bytes.toString()).toContain('</html>');
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers).not.toHaveProperty('etag');
  },
);

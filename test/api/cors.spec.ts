import { readFileSync } from 'node:fs';
import request from 'supertest';
import { raw } from '../support/raw-http';
import { type Service, startService, type TestAccount } from '../support/service';

/** Response headers: what browsers and caches are told. */
let service: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await startService();
  account = await service.account();
});
afterAll(() => service.close());

const ORIGIN = 'https://elsewhere.example';
const corsOf = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith('access-control-')),
  );
const items = (list: string | undefined) =>
  (list ?? '')
    .toLowerCase()
    .split(/\s*,\s*/)
    .sort();

function documentedHeaders(): Set<string> {
  const names = new Set<string>();
  JSON.parse(readFileSync('docs/openapi.json', 'utf8'), (key, value: object) => {
    if (key === 'headers') for (const name of Object.keys(value)) names.add(name.toLowerCase());
    return value;
  });
  return names;
}

const preflight = (path: string, method: string, headers: string) =>
  request(service.url)
    .options(path)
    .set('Origin', ORIGIN)
    .set('Access-Control-Request-Method', method)
    .set('Access-Control-Request-Headers', headers);

describe('CORS', () => {
  it.each(['/quizzes', '/quizzes/some-id', '/questions', '/metadata', '/nothing'])(
    'any origin may read %s without credentials',
    async (path) => {
      for (const response of [
        await service.get(path).set('Origin', ORIGIN),
        await account.get(path).set('Origin', ORIGIN),
      ])
        expect(corsOf(response.headers)).toEqual({
          'access-control-allow-origin': '*',
          'access-control-expose-headers': expect.any(String),
        });
    },
  );

  it('a page of any origin can read every header that the API documents, such as the file name of an export', async () => {
    const { headers } = await service.get('/metadata').set('Origin', ORIGIN);
    const exposed = items(headers['access-control-expose-headers']);
    expect(exposed).toEqual([
      'content-disposition',
      'etag',
      'idempotency-replayed',
      'link',
      'location',
      'ratelimit-limit',
      'ratelimit-remaining',
      'ratelimit-reset',
      'retry-after',
      'x-error-code',
      'x-ignored',
      'x-request-id',
    ]);
    // Browsers let pages read the first in any case; the second is always the same.
    const others = new Set(['cache-control', 'www-authenticate']);
    const documented = [...documentedHeaders()].filter((name) => !others.has(name));
    expect(documented.sort()).toEqual(exposed);
  });

  it.each([
    ['GET', '/api/v1/quizzes', 'authorization'],
    ['POST', '/api/v1/quizzes', 'x-api-key,content-type'],
    ['POST', '/api/v1/quizzes/some-id/questions/batch', 'authorization, content-type'],
    ['POST', '/api/v1/quizzes', 'authorization, content-type, idempotency-key'],
    ['GET', '/api/v1/quizzes', 'authorization, if-none-match'],
    ['PATCH', '/api/v1/quizzes/some-id', 'authorization, content-type, if-match'],
    ['DELETE', '/api/v1/quizzes/some-id', 'authorization, if-match'],
    ['GET', '/api/v1', 'x-api-key'],
  ])('a preflight allows %s %s with %s', async (method, path, names) => {
    const { headers } = await preflight(path, method, names).expect(204);
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    expect(items(headers['access-control-allow-methods'])).toContain(method.toLowerCase());
    for (const name of items(names))
      expect(items(headers['access-control-allow-headers'])).toContain(name);
    expect(headers['access-control-max-age']).toBe('86400');
    expect(headers['x-request-id']).toBeDefined();
  });

  it('a preflight does not offer methods that the API does not have', async () => {
    const { headers } = await preflight('/api/v1/quizzes', 'TRACE', 'authorization');
    expect(items(headers['access-control-allow-methods'])).toEqual(
      ['get', 'head', 'post', 'patch', 'put', 'delete'].sort(),
    );
  });

  it('preflights do not count against the rate limit', async () => {
    const left = async () =>
      Number((await service.get('/metadata')).headers['ratelimit-remaining']);
    const before = await left();
    await preflight('/api/v1/quizzes', 'GET', 'authorization').expect(204);
    expect(await left()).toBe(before - 1);
  });

  it('an OPTIONS that is not a preflight gets 405', async () => {
    const response = await request(service.url).options('/api/v1/quizzes').expect(405);
    expect(response.headers.allow).toBe('GET, HEAD, POST');
  });
});

it.each(['/foo', '/health/live', '/health/ready', '/api/v10', '/apis/v1/quizzes', '/api/v2/x'])(
  '%s outside the API has no CORS headers',
  async (path) => {
    const response = await request(service.url).get(path).set('Origin', ORIGIN);
    expect(corsOf(response.headers)).toEqual({});
    const asked = await preflight(path, 'GET', 'authorization');
    expect(corsOf(asked.headers)).toEqual({});
    expect([404, 405]).toContain(asked.status);
  },
);

describe('security headers', () => {
  it.each([
    ['HEAD', '/api/v1/metadata', 200],
    ['GET', '/api/v1/metadata', 200],
    ['GET', '/api/v1/quizzes', 401],
    ['GET', '/api/v1/nothing', 404],
    ['DELETE', '/api/v1/quizzes', 405],
    ['GET', '/health/live', 200],
    ['GET', '/foo', 404],
  ])('the response to %s %s has the security headers', async (method, path, status) => {
    const response = await raw(service.url, `${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(response.status).toBe(status);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': path === '/api/v1/metadata' ? 'public, max-age=30' : 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-request-id': expect.stringMatching(/^[\w-]{36}$/),
    });
    for (const name of ['x-powered-by', 'server', 'set-cookie'])
      expect(response.headers).not.toHaveProperty(name);
    if (path !== '/api/v1/metadata') expect(response.headers).not.toHaveProperty('etag');
    if (path.startsWith('/api/v1'))
      expect(response.headers).toMatchObject({
        'ratelimit-limit': '1000000',
        'ratelimit-remaining': expect.stringMatching(/^\d+$/),
        'ratelimit-reset': expect.stringMatching(/^([1-9]|[1-5]\d|60)$/),
      });
  });

  it('WWW-Authenticate is on a 401 and on no other response', async () => {
    expect((await service.get('/quizzes')).headers['www-authenticate']).toBe('Bearer');
    expect((await account.get('/quizzes')).headers).not.toHaveProperty('www-authenticate');
    expect((await service.get('/nothing')).headers).not.toHaveProperty('www-authenticate');
  });
});

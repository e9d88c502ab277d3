import request, { type Response } from 'supertest';
import { Bursts } from '../../src/platform/hardening/bursts';
import { LIMITS } from '../../src/platform/limits/limits';
import { assetPath } from '../../src/web/http/assets';
import { raw } from '../support/raw-http';
import { type Service, startService } from '../support/service';

/** Specification, part 8, and the contract's "Rate limit". */

let service: Service;
const services = new Map<string, Service>();
afterAll(() => Promise.all([...services.values()].map((it) => it.close())));

/** Tests with the same settings share a process, in which two minutes have passed: nothing counts any more. */
const start = async (env: Record<string, string> = {}) => {
  const settings = JSON.stringify(env);
  service = services.get(settings) ?? (await startService(env, undefined, { shedsLoad: true }));
  services.set(settings, service);
  service.clock.advance(120_000);
};

const headersOf = ({ headers }: Response) => ({
  limit: headers['ratelimit-limit'] as unknown,
  remaining: headers['ratelimit-remaining'] as unknown,
  reset: Number(headers['ratelimit-reset']),
  retryAfter: headers['retry-after'] as unknown,
});
const LIMITED = { success: false, error: 'Rate limit exceeded. Please try again later.' };
const from = (address: string, path = '/metadata') =>
  service.get(path).set('X-Forwarded-For', address);

test('an address has 60 requests a minute by default, whatever their status, then gets 429', async () => {
  await start({ RATE_LIMIT_PER_MINUTE: '' });
  // Another account and another place for the key change nothing: the address counts.
  const { key } = await service.account('free');
  const other = await service.account('pro');
  const kinds: [status: number, send: () => Promise<Response>][] = [
    [200, async () => service.get('/metadata')],
    [200, async () => service.get('/categories')],
    [401, async () => service.get('/quizzes')],
    [200, async () => service.get('/quizzes').set('X-Api-Key', key)],
    [400, async () => other.get('/quizzes?limit=0')],
    [404, async () => service.get('/quizzes/none').set('X-Api-Key', key)],
    [401, async () => service.post('/quizzes', '{')],
    [403, async () => service.post('/quizzes', '{').set('X-Api-Key', key)],
    [404, async () => service.get('/no-such-route')],
    [405, async () => service.post('/metadata', {})],
  ];
  for (let count = 1; count <= 60; count++) {
    const [status, send] = kinds[count % kinds.length] as (typeof kinds)[number];
    const response = await send();
    expect(response.status).toBe(status);
    const { limit, remaining, reset, retryAfter } = headersOf(response);
    expect([limit, remaining, retryAfter]).toEqual(['60', String(60 - count), undefined]);
    expect(Number.isInteger(reset) && reset >= 1 && reset <= 60).toBe(true);
  }
  for (const [, send] of kinds) {
    const response = await send();
    expect([response.status, response.body]).toEqual([429, LIMITED]);
    const { limit, remaining, reset, retryAfter } = headersOf(response);
    expect([limit, remaining]).toEqual(['60', '0']);
    expect(retryAfter).toMatch(/^\d+$/);
    expect(Number(retryAfter)).toBe(reset);
    expect(reset >= 1 && reset <= 60).toBe(true);
  }
});

test('an address that continues after as many refusals as its limit waits for each further one', async () => {
  await start({ RATE_LIMIT_PER_MINUTE: '2', TRUST_PROXY: '1' });
  const turnOf = jest.spyOn(service.app.get(Bursts), 'turnOf');
  for (const status of [200, 200, 429, 429]) await from('203.0.113.1').expect(status);
  const begun = performance.now();
  const refused = await from('203.0.113.1').expect(429);
  // A timer may end a millisecond early.
  expect(performance.now() - begun).toBeGreaterThan(LIMITS.requests.refusedAfter.value - 2);
  // Delayed by the same time, the refusals of a flood would all end in one turn of the event loop.
  expect(turnOf).toHaveBeenCalledTimes(1);
  turnOf.mockRestore();
  expect(headersOf(refused)).toMatchObject({ limit: '2', remaining: '0' });
  await from('203.0.113.2').expect(200);
});

test('no 60 seconds have more requests than the limit, and refused requests do not extend it', async () => {
  await start({ RATE_LIMIT_PER_MINUTE: '2' });
  service.clock.stop();
  await service.get('/metadata').expect(200);
  service.clock.advance(30_000);
  await service.get('/metadata').expect(200);
  const refused = headersOf(await service.get('/metadata').expect(429));
  expect(refused.reset).toBe(30);
  service.clock.advance(25_000);
  const later = headersOf(await service.get('/metadata').expect(429));
  expect(later.reset).toBe(5);
  service.clock.advance(5_000);
  const first = headersOf(await service.get('/metadata').expect(200));
  expect(first).toMatchObject({ remaining: '0', reset: 30 });
  await service.get('/metadata').expect(429);
  service.clock.advance(60_000);
  const second = headersOf(await service.get('/metadata').expect(200));
  expect(second).toMatchObject({ remaining: '1', reset: 60 });
});

test('a request with an absolute URL counts as an API request', async () => {
  await start({ RATE_LIMIT_PER_MINUTE: '1' });
  const absolute = 'GET http://quiz.test/api/v1/metadata HTTP/1.1\r\nHost: quiz.test\r\n\r\n';
  expect((await raw(service.url, absolute)).status).toBe(200);
  expect((await raw(service.url, absolute)).status).toBe(429);
});

describe('pages have a limit of their own', () => {
  const page = (path: string, accept: string, address = '203.0.113.1') =>
    request(service.url).get(path).set('Accept', accept).set('X-Forwarded-For', address);

  it('pages outside /api/v1 share one limit, and beyond it get 429 as a page', async () => {
    await start({ RATE_LIMIT_PER_MINUTE: '1', TRUST_PROXY: 'loopback' });
    const paths = ['/', '/docs', '/dashboard/sign-in', '/nothing', '/play/nothing'];
    for (let count = 0; count < 60; count++)
      expect((await page(paths[count % paths.length] ?? '', 'text/html')).status).not.toBe(429);
    for (const path of [...paths.filter((it) => it !== '/nothing'), '/docs/reference/files']) {
      const refused = await page(path, 'text/html,*/*;q=0.8').expect(429);
      expect(refused.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
      expect(refused.text).toContain('Too many requests');
    }
    await page('/', 'text/html', '203.0.113.2').expect(200);
  });

  it('searches of the catalogue have a limit below that of pages', async () => {
    await start({ RATE_LIMIT_PER_MINUTE: '1', TRUST_PROXY: 'loopback' });
    for (const path of ['/play?q=a', '/play?page=40', '/play?page=39', '/play'])
      await page(path, 'text/html').expect(200);
    for (const path of ['/play?q=b', '/play?page=41']) {
      const refused = await page(path, 'text/html').expect(429);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    await page('/play', 'text/html').expect(200);
    await page('/play?q=b', 'text/html', '203.0.113.2').expect(200);
  });

  it('more than 400 pages within a second are refused until the next second', async () => {
    await start({ RATE_LIMIT_PER_MINUTE: '60' });
    service.clock.stop();
    for (let count = 0; count < 400; count++) await page('/docs', 'text/html').expect(200);
    const refused = await page('/docs', 'text/html').expect(429);
    expect(refused.headers['retry-after']).toBe('1');
    service.clock.advance(1_000);
    await page('/docs', 'text/html').expect(200);
  });

  it('a request beyond the limit of pages gets JSON if the client asks for it, and API and health checks are unaffected', async () => {
    await start({ RATE_LIMIT_PER_MINUTE: '1' });
    for (let count = 0; count < 60; count++) await page('/docs', 'text/html').expect(200);
    const refused = await page('/dashboard', 'application/json').expect(429);
    expect(refused.body).toEqual(LIMITED);
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
    await page('/health/live', '*/*').expect(200);
    await page('/health/ready', '*/*').expect(200);
    await service.get('/metadata').expect(200);
    service.clock.advance(60_000);
    await page('/docs', 'text/html').expect(200);
  });
});

test('a client that waits as long as Retry-After says is served', async () => {
  await start({ RATE_LIMIT_PER_MINUTE: '1' });
  await service.get('/metadata').expect(200);
  service.clock.advance(12_345);
  const { retryAfter } = headersOf(await service.get('/metadata').expect(429));
  service.clock.advance(Number(retryAfter) * 1_000);
  await service.get('/metadata').expect(200);
});

test('X-Forwarded-For is ignored without a trusted proxy', async () => {
  await start({ RATE_LIMIT_PER_MINUTE: '2' });
  await from('203.0.113.1').expect(200);
  await from('203.0.113.2').expect(200);
  const forged = await from('203.0.113.3').set('X-Real-IP', '203.0.113.4');
  expect(forged.status).toBe(429);
  const forwarded = await service.get('/metadata').set('Forwarded', 'for=203.0.113.5');
  expect(forwarded.status).toBe(429);
});

test('behind one trusted proxy the address it appended counts', async () => {
  await start({ RATE_LIMIT_PER_MINUTE: '2', TRUST_PROXY: '1' });
  await from('203.0.113.1').expect(200);
  await from('198.51.100.7, 203.0.113.1').expect(200);
  await from('198.51.100.8, 203.0.113.1').expect(429);
  await from('203.0.113.2').expect(200);
});

test('a trusted network is treated as one proxy', async () => {
  await start({ RATE_LIMIT_PER_MINUTE: '1', TRUST_PROXY: 'loopback' });
  await from('203.0.113.1').expect(200);
  await from('203.0.113.1').expect(429);
  await from('203.0.113.2').expect(200);
});

test('IPv6 clients are counted per /64, and IPv4-mapped addresses as IPv4', async () => {
  await start({ RATE_LIMIT_PER_MINUTE: '2', TRUST_PROXY: '1' });
  await from('2001:db8:1:1::1').expect(200);
  await from('2001:0DB8:1:1:ffff::2').expect(200);
  await from('2001:db8:1:1:abcd:1:2:3').expect(429);
  await from('2001:db8:1:2::1').expect(200);
  await from('::ffff:192.0.2.1').expect(200);
  await from('192.0.2.1').expect(200);
  await from('::ffff:c000:201').expect(429);
  await from('::ffff:192.0.2.2').expect(200);
});

test('requests without a valid address are counted together', async () => {
  await start({ RATE_LIMIT_PER_MINUTE: '2', TRUST_PROXY: '1' });
  await from('nonsense').expect(200);
  await from('other nonsense').expect(200);
  await from('more').expect(429);
});

test('health checks are not counted and have no rate limit headers', async () => {
  await start({ RATE_LIMIT_PER_MINUTE: '1' });
  for (let count = 0; count < 5; count++)
    for (const probe of ['live', 'ready']) {
      const response = await fetch(`${service.url}/health/${probe}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('ratelimit-limit')).toBeNull();
    }
  await service.get('/metadata').expect(200);
  await service.get('/metadata').expect(429);
  expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
});

test('a request that is refused because the event loop is late is counted, and its response says so', async () => {
  await start({ RATE_LIMIT_PER_MINUTE: '9' });
  delayNextRequest();
  const refused = await service.get('/metadata').expect(503);
  expect(headersOf(refused)).toMatchObject({ limit: '9', remaining: '8', retryAfter: '2' });
});

test('a page is refused while the event loop is late, and its styles are served', async () => {
  await start();
  delayNextRequest();
  await request(service.url).get('/docs').expect(503);
  delayNextRequest();
  const styles = await request(service.url).get(assetPath('docsStyles')).expect(200);
  expect(styles.headers['content-type']).toBe('text/css; charset=utf-8');
});

/** The next request finds an event loop that is so late that it refuses. */
function delayNextRequest(): void {
  service.app.getHttpServer().prependOnceListener('request', () => {
    const until = performance.now() + 4 * LIMITS.load.eventLoopLag.value + 100;
    while (performance.now() < until);
  });
}

import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { MemoryThrottlerStorage } from '../../src/access/rate-limit/memory-throttler-storage';
import { LIMITS } from '../../src/platform/limits/limits';
import { AttemptsService } from '../../src/play/attempts/attempts.service';
import { makeQuiz } from '../support/content';
import { questionBodies } from '../support/samples';
import { type Service, startService } from '../support/service';

/** The limits of the player's pages (docs/playing.md). A thousand pupils play in test/stress/school.spec.ts. */

let service: Service;
const { pagesPerSecond, attemptPagesPerMinute, attemptLookUps, filesPerMinute, filesPerSecond } =
  LIMITS.requests;

beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_MINUTE: '60' });
  const owner = await service.account('free', { isAdmin: true });
  await makeQuiz(owner, { title: 'School' }, questionBodies(1));
});
// The requests of one test do not count in the next.
afterEach(() => service.clock.advance(61_000));
afterAll(() => service.close());

const send = async (method: 'get' | 'post', path: string, form = {}, cookie = '') => {
  const sent = request(service.url)[method](path).set('Cookie', cookie).set('Accept', 'text/html');
  if (method === 'post') void sent.set('Sec-Fetch-Site', 'same-origin').type('form').send(form);
  return sent;
};

it('a flood without attempts is refused, whatever ids it makes up', async () => {
  service.clock.stop();
  const memory = service.app.get(MemoryThrottlerStorage, { strict: false });
  const { value } = pagesPerSecond;
  for (let count = 0; count < value - 20; count++)
    await memory.increment('pages at once 127.0.0.1', 1_000, value);
  const made = Array.from({ length: 20 }, () => `/play/school/${randomUUID()}/1`);
  for (const path of made) expect((await send('get', path)).status).not.toBe(429);
  expect((await send('get', `/play/school/${randomUUID()}/1`)).status).toBe(429);
  expect((await send('get', `/embed/school/~x/${randomUUID()}/1`)).status).toBe(429);
});

it('the pages of one attempt have a limit of their own', async () => {
  service.clock.stop();
  const { headers } = await send('post', '/play/school', { name: 'Ada' });
  const cookie = ([] as string[]).concat(headers['set-cookie'] ?? []).join('; ');
  const { location } = headers as { location: string };
  const { attemptPagesPerSecond } = LIMITS.requests;
  for (let second = 0; second < 6; second++) {
    for (let count = 0; count < attemptPagesPerSecond.value; count++)
      expect((await send('get', location, {}, cookie)).status).toBe(200);
    expect((await send('get', location, {}, cookie)).status).toBe(429);
    service.clock.advance(1_000);
  }
  expect(attemptPagesPerMinute.value).toBe(6 * attemptPagesPerSecond.value);
  expect((await send('get', location, {}, cookie)).status).toBe(429);
  expect((await send('get', '/play/school')).status).toBe(200);
}, 60_000);

it('the pages of all attempts of an address have a limit, too', async () => {
  service.clock.stop();
  const { value } = LIMITS.requests.playersPages;
  const { headers } = await send('post', '/play/school', { name: 'Ada' });
  const { location } = headers as { location: string };
  const memory = service.app.get(MemoryThrottlerStorage, { strict: false });
  const key = 'pages of players 127.0.0.1';
  for (let count = 1; count < value; count++) await memory.increment(key, 60_000, value);
  expect((await send('get', location)).status).not.toBe(429);
  expect((await send('get', location)).status).toBe(429);
});

it('an address that has too many attempts looked up has its pages of attempts counted as other pages', async () => {
  service.clock.stop();
  const { headers } = await send('post', '/play/school', { name: 'Ada' });
  const cookie = ([] as string[]).concat(headers['set-cookie'] ?? []).join('; ');
  const { location } = headers as { location: string };
  const memory = service.app.get(MemoryThrottlerStorage, { strict: false });
  const { value } = attemptLookUps;
  for (let count = 1; count < value; count++)
    await memory.increment('attempt look-ups 127.0.0.1', 60_000, value);
  for (let count = 0; count < pagesPerSecond.value; count++)
    await memory.increment('pages at once 127.0.0.1', 1_000, pagesPerSecond.value);
  // As if another process had started the attempt: it is looked up.
  const isInMemory = jest
    .spyOn(service.app.get(AttemptsService), 'isInMemory')
    .mockReturnValue(false);
  try {
    expect((await send('get', location, {}, cookie)).status).toBe(200);
    expect((await send('get', location, {}, cookie)).status).toBe(429);
  } finally {
    isInMemory.mockRestore();
  }
});

it('files of pages have a limit of their own', async () => {
  service.clock.stop();
  const { text } = await send('get', '/play/school');
  const file = /\/dashboard\/assets\/[^"]+\.css/.exec(text)?.[0] ?? '';
  const memory = service.app.get(MemoryThrottlerStorage, { strict: false });
  for (let count = 0; count < filesPerSecond.value - 1; count++)
    await memory.increment('pages at once files 127.0.0.1', 1_000, filesPerSecond.value);
  expect((await send('get', file)).status).toBe(200);
  expect((await send('get', file)).status).toBe(429);
  expect((await send('get', '/play/school')).status).toBe(200);
  service.clock.advance(1_000);
  const { value } = filesPerMinute;
  const fill = () => memory.increment('pages files 127.0.0.1', 60_000, value);
  while ((await fill()).totalHits < value - 1);
  expect((await send('get', file)).status).toBe(200);
  expect((await send('get', file)).status).toBe(429);
});

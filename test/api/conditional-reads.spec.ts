import request, { type Response } from 'supertest';
import { questionBody, quizBody } from '../support/samples';
import { startService, type Holder, type Service } from '../support/service';
import { createQuiz } from '../support/writing';

/** ETag and If-None-Match, and what caches are told. */

let service: Service;
let holder: Holder;
let quizId: string;
beforeAll(async () => {
  service = await startService({ MODERATION: 'auto' });
  holder = await service.holder();
  quizId = await createQuiz(holder);
  await holder
    .post(`/quizzes/${quizId}/questions/batch`, { questions: [questionBody()] })
    .expect(201);
});
afterAll(() => service.close());

const KEYED = () => [
  '/quizzes',
  `/quizzes/${quizId}`,
  `/quizzes/${quizId}/leaderboard`,
  '/questions',
  `/questions?quiz_id=${quizId}&include_answers=true`,
];
const OPEN = ['/metadata', '/categories'];
const etagOf = ({ headers }: Response): string => headers.etag ?? '';

describe('a read that has not changed', () => {
  it('is 304 without a body, and keeps its headers', async () => {
    for (const path of [...KEYED(), ...OPEN, '/openapi.json', '/openapi.yaml']) {
      const first = await holder.get(path).expect(200);
      const etag = etagOf(first);
      expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
      const again = await holder.get(path).set('If-None-Match', etag).expect(304);
      expect(again.text).toBe('');
      for (const name of ['etag', 'cache-control', 'vary'])
        expect(again.headers[name]).toBe(first.headers[name]);
      for (const name of ['content-type', 'content-length', 'content-encoding'])
        expect(again.headers).not.toHaveProperty(name);
      expect(again.headers['x-request-id']).toBeDefined();
    }
  });

  it('counts on the rate limit', async () => {
    const first = await holder.get('/quizzes').expect(200);
    const again = await holder.get('/quizzes').set('If-None-Match', etagOf(first)).expect(304);
    expect(Number(again.headers['ratelimit-remaining'])).toBe(
      Number(first.headers['ratelimit-remaining']) - 1,
    );
  });

  it.each([
    ['one of several', (etag: string) => `W/"other", ${etag}`, 304],
    ['anything', () => '*', 304],
    ['the same without its weakness', (etag: string) => etag.slice(2), 304],
    ['another', () => 'W/"other"', 200],
    ['none', () => '', 200],
    ['nonsense', () => '",,,"""', 200],
  ])('is compared with %s', async (_, header, status) => {
    const etag = etagOf(await holder.get('/quizzes'));
    await holder.get('/quizzes').set('If-None-Match', header(etag)).expect(status);
  });

  it('is 304 whatever Cache-Control the request carries, as with the fetch of Node', async () => {
    const etag = etagOf(await holder.get('/quizzes'));
    await holder
      .get('/quizzes')
      .set('If-None-Match', etag)
      .set('Cache-Control', 'no-cache')
      .expect(304);
    const headers = { Authorization: `Bearer ${holder.key}`, 'If-None-Match': etag };
    expect((await fetch(`${service.url}/api/v1/quizzes`, { headers })).status).toBe(304);
  });

  it('is the same by HEAD, which has no body', async () => {
    const { headers } = await holder.get('/quizzes');
    const head = () =>
      request(service.url).head('/api/v1/quizzes').set('Authorization', `Bearer ${holder.key}`);
    const answer = await head().expect(200);
    expect(answer.headers).toMatchObject({
      etag: headers.etag,
      'content-length': headers['content-length'],
    });
    await head()
      .set('If-None-Match', headers.etag ?? '')
      .expect(304);
  });
});

describe('a validator', () => {
  it('changes with every change that the reader may see', async () => {
    const paths = ['/quizzes', `/quizzes/${quizId}`, '/questions', `/questions?quiz_id=${quizId}`];
    const before = await Promise.all(paths.map((path) => holder.get(path)));
    await holder
      .post(`/quizzes/${quizId}/questions/batch`, { questions: [questionBody({ text: 'New?' })] })
      .expect(201);
    for (const [index, path] of paths.entries()) {
      const etag = etagOf(before[index] as Response);
      const answer = await holder.get(path).set('If-None-Match', etag).expect(200);
      expect(answer.headers.etag).not.toBe(etag);
    }
  });

  it('of an owner does not hide from others what they see', async () => {
    const draft = await createQuiz(holder, { title: 'A draft', published: false });
    const mine = await holder.get('/quizzes').expect(200);
    const other = await service.holder();
    const theirs = await other.get('/quizzes').set('If-None-Match', etagOf(mine)).expect(200);
    expect(JSON.stringify(theirs.body)).not.toContain(draft);
    const etag = etagOf(await holder.get(`/quizzes/${draft}`).expect(200));
    await other.get(`/quizzes/${draft}`).set('If-None-Match', etag).expect(404);
    await other.get(`/quizzes/${draft}`).set('If-None-Match', '*').expect(404);
  });

  it('opens nothing without a key', async () => {
    const etag = etagOf(await holder.get('/quizzes'));
    const answer = await service.get('/quizzes').set('If-None-Match', etag).expect(401);
    expect(answer.headers).not.toHaveProperty('etag');
  });

  it('is given to reads that succeed, and to nothing else', async () => {
    for (const answer of [
      await holder.post('/quizzes', quizBody()).expect(201),
      await holder.post('/quizzes', quizBody({ title: '' })).expect(422),
      await holder.get('/quizzes?limit=0').expect(400),
      await holder.get('/quizzes/no-such-quiz').expect(404),
      await request(service.url).get('/health/live').expect(200),
      await request(service.url).get('/dashboard/sign-in').expect(200),
    ]) {
      expect(answer.headers).not.toHaveProperty('etag');
      expect(answer.headers['cache-control']).toBe('no-store');
    }
  });
});

describe('caches are told that', () => {
  it('an answer to a key is private, asked for again each time, and different for each key', async () => {
    for (const path of KEYED()) {
      const { headers } = await holder.get(path).expect(200);
      expect(headers['cache-control']).toBe('private, no-cache');
      expect(headers.vary).toBe('Authorization, X-Api-Key, Accept-Encoding');
    }
  });

  it('what is open to everybody is good for half a minute', async () => {
    for (const path of OPEN) {
      const { headers } = await service.get(path).expect(200);
      expect(headers['cache-control']).toBe('public, max-age=30');
      expect(headers.vary).toBe('Accept-Encoding');
    }
  });

  it.each(['api_key', 'apiKey', 'api%5Fkey'])(
    'an address with a key in %s is kept by nobody',
    async (name) => {
      for (const path of ['/quizzes', '/metadata']) {
        const { headers } = await service.get(`${path}?${name}=${holder.key}`).expect(200);
        expect(headers['cache-control']).toBe('no-store');
      }
    },
  );

  it('an error of an open endpoint is kept by nobody', async () => {
    service.clock.advance(60_000);
    await service.database.query('ALTER TABLE topics RENAME TO elsewhere');
    try {
      const { headers } = await service.get('/categories').expect(500);
      expect(headers['cache-control']).toBe('no-store');
    } finally {
      await service.database.query('ALTER TABLE elsewhere RENAME TO topics');
    }
  });
});

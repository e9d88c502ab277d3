import request, { type Response } from 'supertest';
import { ContentChanges } from '../../src/platform/database/content-changes';
import { addQuestions, makeQuiz } from '../support/content';
import { questionBodies, questionBody, quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { createQuiz } from '../support/writing';

/** ETag and If-None-Match, and what caches are told. */

let service: Service;
let account: TestAccount;
let quizId: string;
beforeAll(async () => {
  service = await startService({ MODERATION: 'auto' });
  account = await service.account();
  quizId = await createQuiz(account);
  await account
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

describe('conditional reads', () => {
  it('an unchanged read gets 304 with its headers and no body', async () => {
    for (const path of [...KEYED(), ...OPEN, '/openapi.json', '/openapi.yaml']) {
      const first = await account.get(path).expect(200);
      const etag = etagOf(first);
      expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
      const again = await account.get(path).set('If-None-Match', etag).expect(304);
      expect(again.text).toBe('');
      for (const name of ['etag', 'cache-control', 'vary'])
        expect(again.headers[name]).toBe(first.headers[name]);
      for (const name of ['content-type', 'content-length', 'content-encoding'])
        expect(again.headers).not.toHaveProperty(name);
      expect(again.headers['x-request-id']).toBeDefined();
    }
  });

  it('a 304 counts against the rate limit', async () => {
    const first = await account.get('/quizzes').expect(200);
    const again = await account.get('/quizzes').set('If-None-Match', etagOf(first)).expect(304);
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
  ])('a validator is compared with %s', async (_, header, status) => {
    const etag = etagOf(await account.get('/quizzes'));
    await account.get('/quizzes').set('If-None-Match', header(etag)).expect(status);
  });

  it("an unchanged read gets 304 despite the Cache-Control that Node's fetch sends", async () => {
    const etag = etagOf(await account.get('/quizzes'));
    await account
      .get('/quizzes')
      .set('If-None-Match', etag)
      .set('Cache-Control', 'no-cache')
      .expect(304);
    const headers = { Authorization: `Bearer ${account.key}`, 'If-None-Match': etag };
    expect((await fetch(`${service.url}/api/v1/quizzes`, { headers })).status).toBe(304);
  });

  it('a conditional HEAD has the status and headers of the GET', async () => {
    const { headers } = await account.get('/quizzes');
    const head = () =>
      request(service.url).head('/api/v1/quizzes').set('Authorization', `Bearer ${account.key}`);
    const response = await head().expect(200);
    expect(response.headers).toMatchObject({
      etag: headers.etag,
      'content-length': headers['content-length'],
    });
    await head()
      .set('If-None-Match', headers.etag ?? '')
      .expect(304);
  });
});

describe('a validator', () => {
  it('a validator changes when a question is added, edited or deleted and when its quiz is edited', async () => {
    const { id, questions } = await makeQuiz(account, {}, questionBodies(2));
    const ofQuestions = [`/quizzes/${id}`, '/questions', `/questions?quiz_id=${id}`];
    const all = ['/quizzes', ...ofQuestions];
    const [first, second] = questions.map((question) => `/questions/${question.id}`);
    const changes: [paths: string[], change: () => Promise<unknown>][] = [
      [all, () => addQuestions(account, id, [questionBody({ text: 'New?' })])],
      [ofQuestions, () => account.patch(first!, { text: 'Edited?' }).expect(200)],
      [all, () => account.delete(second!).expect(204)],
      [all, () => account.patch(`/quizzes/${id}`, { category: 'Edited' }).expect(200)],
    ];
    for (const [paths, change] of changes) {
      const before = await Promise.all(paths.map((path) => account.get(path).expect(200)));
      await change();
      for (const [index, path] of paths.entries()) {
        const etag = etagOf(before[index]!);
        const response = await account.get(path).set('If-None-Match', etag).expect(200);
        expect(response.headers.etag).not.toBe(etag);
      }
    }
  });

  it("an owner's validator does not give another reader a 304", async () => {
    const draft = await createQuiz(account, { title: 'A draft', published: false });
    const mine = await account.get('/quizzes').expect(200);
    const other = await service.account();
    const theirs = await other.get('/quizzes').set('If-None-Match', etagOf(mine)).expect(200);
    expect(JSON.stringify(theirs.body)).not.toContain(draft);
    const etag = etagOf(await account.get(`/quizzes/${draft}`).expect(200));
    await other.get(`/quizzes/${draft}`).set('If-None-Match', etag).expect(404);
    await other.get(`/quizzes/${draft}`).set('If-None-Match', '*').expect(404);
  });

  it('a conditional request without a key gets 401, not 304', async () => {
    const etag = etagOf(await account.get('/quizzes'));
    const response = await service.get('/quizzes').set('If-None-Match', etag).expect(401);
    expect(response.headers).not.toHaveProperty('etag');
  });

  it('only successful reads have a validator', async () => {
    for (const response of [
      await account.post('/quizzes', quizBody()).expect(201),
      await account.post('/quizzes', quizBody({ title: '' })).expect(422),
      await account.get('/quizzes?limit=0').expect(400),
      await account.get('/quizzes/no-such-quiz').expect(404),
      await request(service.url).get('/health/live').expect(200),
      await request(service.url).get('/dashboard/sign-in').expect(200),
    ]) {
      expect(response.headers).not.toHaveProperty('etag');
      expect(response.headers['cache-control']).toBe('no-store');
    }
  });
});

describe('Cache-Control', () => {
  it('a response to a key is private, must be revalidated and varies by key', async () => {
    for (const path of KEYED()) {
      const { headers } = await account.get(path).expect(200);
      expect(headers['cache-control']).toBe('private, no-cache');
      expect(headers.vary).toBe('Authorization, X-Api-Key, Accept-Encoding');
    }
  });

  it('a public response is cacheable for 30 seconds', async () => {
    for (const path of OPEN) {
      const { headers } = await service.get(path).expect(200);
      expect(headers['cache-control']).toBe('public, max-age=30');
      expect(headers.vary).toBe('Accept-Encoding');
    }
  });

  it.each(['api_key', 'apiKey', 'api%5Fkey'])(
    'a request with a key in %s is not cacheable',
    async (name) => {
      for (const path of ['/quizzes', '/metadata']) {
        const { headers } = await service.get(`${path}?${name}=${account.key}`).expect(200);
        expect(headers['cache-control']).toBe('no-store');
      }
    },
  );

  it('an error of a public endpoint is not cacheable', async () => {
    service.clock.advance(60_000);
    await service.database.query('ALTER TABLE topics RENAME TO elsewhere');
    service.app.get(ContentChanges).revision++;
    try {
      const { headers } = await service.get('/categories').expect(500);
      expect(headers['cache-control']).toBe('no-store');
    } finally {
      await service.database.query('ALTER TABLE elsewhere RENAME TO topics');
    }
  });
});

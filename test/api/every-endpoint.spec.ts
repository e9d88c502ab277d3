import request, { type Response } from 'supertest';
import { expectEnvelope } from '../support/envelope';
import { raw } from '../support/raw-http';
import { questionBodies, quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { createQuiz } from '../support/writing';

/** What the specification says of all endpoints at once (parts 1, 4, 7 and 9). */
const ENDPOINTS: [method: 'get' | 'post', path: string, body?: object, meta?: string[]][] = [
  ['get', '/metadata'],
  ['get', '/categories'],
  ['get', '/quizzes', undefined, ['total', 'limit', 'offset']],
  ['post', '/quizzes', quizBody()],
  ['get', '/quizzes/:id'],
  [
    ...(['get', '/questions', undefined] as const),
    ['total', 'pageTotal', 'page', 'lastPage', 'limit', 'offset', 'links'],
  ],
  ['get', '/questions?quiz_id=:id', undefined, ['total', 'quizId']],
  ['post', '/quizzes/:id/questions/batch', { questions: questionBodies(1) }],
];

let service: Service;
let account: TestAccount;
let quizId: string;
const start = async (env: Record<string, string> = {}) => {
  service = await startService(env);
  account = await service.account();
  quizId = '01990000-0000-7000-8000-000000000000';
};
afterEach(() => service.close());

const send = (method: 'get' | 'post', path: string, body?: object): Promise<Response> => {
  const address = path.replace(':id', quizId);
  return Promise.resolve(method === 'get' ? account.get(address) : account.post(address, body));
};
const JSON_TYPE = 'application/json; charset=utf-8';

describe('every endpoint', () => {
  test('every endpoint returns success, data and the specified meta as JSON', async () => {
    await start();
    quizId = await createQuiz(account);
    for (const [method, path, body, meta] of ENDPOINTS) {
      const response = await send(method, path, body);
      expect([path, response.status]).toEqual([path, method === 'get' ? 200 : 201]);
      expect(response.headers['content-type']).toBe(JSON_TYPE);
      const { success, ...others } = response.body as { success: unknown; meta?: object };
      expect(success).toBe(true);
      expect(Object.keys(others)).toEqual(meta ? ['data', 'meta'] : ['data']);
      if (meta) expect(Object.keys(others.meta ?? {}).sort()).toEqual([...meta].sort());
    }
  });

  test('every endpoint is served under /api/v1 only', async () => {
    await start();
    for (const [method, path] of ENDPOINTS)
      for (const prefix of ['', '/api', '/v1', '/api/v2', '/api/v1.0.0']) {
        const response = await request(service.url)[method](prefix + path.replace(':id', quizId));
        expect([prefix + path, response.status]).toEqual([prefix + path, 404]);
        expectEnvelope(response.body);
      }
  });

  test('every endpoint returns 429 with the envelope and Retry-After at the rate limit', async () => {
    await start({ RATE_LIMIT_PER_MINUTE: '1' });
    await service.get('/metadata').expect(200);
    for (const [method, path, body] of ENDPOINTS) {
      const response = await send(method, path, body);
      expect([path, response.status]).toEqual([path, 429]);
      expect(response.headers['content-type']).toBe(JSON_TYPE);
      expect(response.headers['retry-after']).toMatch(/^\d+$/);
      expectEnvelope(response.body);
    }
  });

  test('every endpoint returns an unexpected error as 500 with the envelope and no detail', async () => {
    await start();
    await service.database.query('ALTER SCHEMA public RENAME TO out_of_reach');
    for (const [method, path, body] of ENDPOINTS) {
      const response = await send(method, path, body);
      expect([path, response.status]).toEqual([path, 500]);
      expect(response.headers['content-type']).toBe(JSON_TYPE);
      expect(response.body).toEqual({ success: false, error: 'Something went wrong.' });
    }
  });
});

test('a malformed URL gets 400 with an instruction', async () => {
  await start();
  const asked = 'GET /api/v1/quizzes?topic=caf\u00e9 HTTP/1.1\r\nHost: quiz.test\r\n\r\n';
  const { status, body } = await raw(service.url, asked);
  expect(status).toBe(400);
  expectEnvelope(JSON.parse(body));
  expect(body).toContain('Percent-encode');
});

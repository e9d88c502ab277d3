import request from 'supertest';
import { type Scope, scopeMissing } from '../../src/access/accounts/scope.rules';
import { endpointsOf } from '../support/endpoints';
import { questionBody, quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { createQuiz } from '../support/writing';

/**
 * The contract's order: 429 → 401 → 403 scope → 403 plan → 400 → 404 → 403 ownership → 422. Each request below has
 * an error of every later kind as well, so an answer shows which check came first.
 */

const HUGE = 5 * 1_048_576;

let service: Service;
let free: TestAccount;
let pro: TestAccount;
let ownQuiz: string;
let othersQuiz: string;

beforeAll(async () => {
  service = await startService();
  free = await service.account('free');
  pro = await service.account('pro');
  ownQuiz = await createQuiz(pro);
  othersQuiz = await createQuiz(await service.account('starter'));
});
afterAll(() => service.close());

const NO_KEY = 'Invalid API key.';
const NO_PLAN =
  'Creating quizzes, uploading pictures and importing questions require a Starter or Pro plan. Request one at /dashboard/account.';
const NOT_JSON = 'The body is not valid JSON at line 1, column 11.';

const bodies = {
  broken: '{"title": ',
  'not an object': '[]',
  invalid: '{"questions": [], "title": ""}',
  fine: JSON.stringify({ ...quizBody(), questions: [questionBody()] }),
} as const;

type Case = [
  path: 'create' | 'own' | 'others' | 'missing',
  who: 'nobody' | 'free' | 'pro',
  body: keyof typeof bodies,
  status: number,
  error: RegExp | string | null,
];

const matrix: Case[] = (['create', 'own', 'others', 'missing'] as const).flatMap((path) =>
  (Object.keys(bodies) as (keyof typeof bodies)[]).flatMap((body): Case[] => {
    const [status, error] =
      body === 'broken'
        ? [400, NOT_JSON]
        : path === 'missing'
          ? [404, 'Quiz not found.']
          : path === 'others'
            ? [403, /^This quiz belongs to another account\./]
            : body === 'fine'
              ? [201, null]
              : [422, /^The body is not valid: /];
    return [
      [path, 'nobody', body, 401, NO_KEY],
      [path, 'free', body, 403, NO_PLAN],
      [path, 'pro', body, status, error],
    ];
  }),
);

test.each(matrix)('%s by %s with a body that is %s: %i', async (path, who, body, status, error) => {
  const url = {
    create: '/quizzes',
    own: `/quizzes/${ownQuiz}/questions/batch`,
    others: `/quizzes/${othersQuiz}/questions/batch`,
    missing: '/quizzes/no-such-quiz/questions/batch',
  }[path];
  const from = { nobody: service, free, pro }[who];
  const response = await from.post(url, bodies[body]);
  expect(response.status).toBe(status);
  expect((response.body as { success: boolean }).success).toBe(status === 201);
  if (typeof error === 'string') expect(response.body).toEqual({ success: false, error });
  else if (error) expect((response.body as { error: string }).error).toMatch(error);
});

test('a key without the scope gets 403 before its plan, the body and the quiz are checked', async () => {
  const scopes: Scope[] = ['read'];
  const readers = [await service.keyOf(free, { scopes }), await service.keyOf(pro, { scopes })];
  for (const path of ['/quizzes', '/quizzes/no-such-quiz/questions/batch'])
    for (const reader of readers) {
      const answer = await reader.post(path, bodies.broken).set('Accept', 'text/csv').expect(403);
      expect(answer.body).toEqual({ success: false, error: scopeMissing(['write']) });
    }
});

test('the body of a caller without a key or a plan is never read', async () => {
  // Announced and never sent: whoever reads it waits for it.
  const answerTo = async (key: string | null) => {
    const controller = new AbortController();
    const body = new ReadableStream({
      start: (stream) => stream.enqueue(Buffer.from('{"title":')),
    });
    const response = await fetch(`${service.url}/api/v1/quizzes`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(key && { Authorization: `Bearer ${key}` }),
      },
      body,
      duplex: 'half',
      signal: controller.signal,
    } as RequestInit);
    const { status } = response;
    const text = await response.text();
    controller.abort();
    return { status, text };
  };
  expect(await answerTo(null)).toEqual({
    status: 401,
    text: JSON.stringify({ success: false, error: NO_KEY }),
  });
  expect(await answerTo(free.key)).toEqual({
    status: 403,
    text: JSON.stringify({ success: false, error: NO_PLAN }),
  });
});

test('a huge body without a key is 401, without a plan 403, and with both 413', async () => {
  const send = async (key: string | null) => {
    const response = await fetch(`${service.url}/api/v1/quizzes`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(key && { Authorization: `Bearer ${key}` }),
      },
      body: Buffer.alloc(HUGE, ' '),
    });
    await response.text();
    return response.status;
  };
  expect(await send(null)).toBe(401);
  expect(await send(free.key)).toBe(403);
  expect(await send(pro.key)).toBe(413);
});

test('the rate limit comes before the key, the plan and the body', async () => {
  const limited = await startService({ RATE_LIMIT_PER_MINUTE: '1' });
  try {
    await limited.get('/metadata').expect(200);
    const response = await limited.post('/quizzes', '{').expect(429);
    expect(response.headers['www-authenticate']).toBeUndefined();
  } finally {
    await limited.close();
  }
});

describe('every endpoint that takes JSON checks', () => {
  const endpoints = () =>
    endpointsOf(service)
      .filter(({ operation }) => operation.requestBody?.content['application/json'])
      .map(({ method, path, scopes, operation }) => ({
        name: `${method} ${path}`,
        scopes,
        takesIdempotencyKey: JSON.stringify(operation.parameters ?? []).includes('Idempotency-Key'),
        namesResource: path.includes('{'),
        call: (key: string, body: string) =>
          request(service.url)
            [method](`/api/v1${path.replace(/\{\w+\}/g, 'none')}`)
            .set('Authorization', `Bearer ${key}`)
            .type('json')
            .send(body),
      }));

  test('the key, then its scopes, before it reads the body', async () => {
    const reader = await service.keyOf(pro, { scopes: ['read'] });
    const found = endpoints();
    expect(found.length).toBeGreaterThan(15);
    for (const { name, call, scopes } of found) {
      expect([name, (await call('none', bodies.broken)).status]).toEqual([name, 401]);
      const { status, body } = await call(reader.key, bodies.broken);
      expect([name, status, body]).toEqual([
        name,
        403,
        { success: false, error: scopeMissing(scopes) },
      ]);
    }
  });

  test('the body as JSON, then the Idempotency-Key, then the resource of the path, then the fields', async () => {
    const codeOf = async (sent: request.Test) => (await sent).headers['x-error-code'];
    for (const { name, call, takesIdempotencyKey, namesResource } of endpoints()) {
      const broken = call(pro.key, bodies.broken).set('Idempotency-Key', 'ä');
      expect([name, await codeOf(broken)]).toEqual([name, 'body-not-json']);
      const invalid = () => call(pro.key, bodies['not an object']);
      if (takesIdempotencyKey)
        expect([name, await codeOf(invalid().set('Idempotency-Key', 'ä'))]).toEqual([
          name,
          'invalid-idempotency-key',
        ]);
      expect([name, (await invalid()).status]).toEqual([name, namesResource ? 404 : 422]);
    }
  });
});

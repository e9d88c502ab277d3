import type { Test } from 'supertest';
import { ALL_SCOPES, type Scope, scopeMissing } from '../../src/access/accounts/scope.rules';
import { ApiKeysService } from '../../src/access/api-keys/api-keys.service';
import { ReviewService } from '../../src/authoring/review/review.service';
import { LIMITS } from '../../src/platform/limits/limits';
import { eventually } from '../support/clock';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { endpointsOf, type Method } from '../support/endpoints';
import { questionBodies, questionBody, quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** Keys that may do less than their account: the scopes that every endpoint of the OpenAPI document needs. */

let service: Service;
let owner: TestAccount;
const keys = new Map<Scope, TestAccount>();
beforeAll(async () => {
  service = await startService();
  owner = await service.account('pro', { isAdmin: true });
  for (const scope of ALL_SCOPES) keys.set(scope, await service.keyOf(owner, { scopes: [scope] }));
});
afterAll(() => service.close());

const UNKNOWN = '01990000-0000-7000-8000-000000000000';

/** The scopes of endpoints for which the method alone does not decide. The first entry that matches counts. */
const EXCEPTIONS: [method: Method | 'any', path: RegExp, scopes: Scope[]][] = [
  ['get', /^\/quizzes$/, ['read', 'play']],
  ['get', /^\/quizzes\/{id}\/leaderboard$/, ['read', 'play']],
  ['post', /^\/quizzes\/{id}\/attempts$/, ['play']],
  ['any', /^\/attempts(\/|$)/, ['play']],
  ['any', /^\/(webhooks|deliveries|events)(\/|$)/, ['webhooks']],
  ['patch', /^\/quizzes\/{id}$/, ['write', 'publish']],
  ['post', /^\/quizzes\/{id}\/resubmit$/, ['publish']],
  ['post', /^\/quizzes\/{id}\/links$/, ['publish']],
  ['patch', /^\/quizzes\/{id}\/links\/{link}$/, ['publish']],
  ['delete', /^\/quizzes\/{id}\/links\/{link}$/, ['publish']],
  ['get', /^\/me$/, ['read', 'write', 'publish', 'webhooks']],
];

function scopesFor(method: Method, path: string): Scope[] {
  const exception = EXCEPTIONS.find(
    ([only, pattern]) => (only === 'any' || only === method) && pattern.test(path),
  );
  return exception?.[2] ?? [method === 'get' ? 'read' : 'write'];
}

const endpoints = () => endpointsOf(service).filter(({ scopes }) => scopes.length > 0);

test('every endpoint documents the scopes that it needs (else add it to EXCEPTIONS), and four need no key', () => {
  const open = endpointsOf(service).filter(({ scopes }) => scopes.length === 0);
  expect(open.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    'get /categories',
    'get /metadata',
    'get /openapi.json',
    'get /openapi.yaml',
  ]);
  for (const { method, path, scopes } of endpoints())
    expect([method, path, scopes.sort()]).toEqual([
      method,
      path,
      [...scopesFor(method, path)].sort(),
    ]);
});

test('every endpoint refuses a key without its scope with a 403 that names the scope, and accepts every other key', async () => {
  for (const { method, path } of endpoints()) {
    const needed = scopesFor(method, path);
    for (const [scope, key] of keys) {
      const { status, body } = await key[method](path.replace(/{\w+}/g, UNKNOWN));
      const refused = [scopeMissing(needed), scopeMissing([...needed].reverse())];
      const isRefused = refused.includes((body as { error: string }).error);
      expect([method, path, scope, isRefused, isRefused && status]).toEqual([
        method,
        path,
        scope,
        !needed.includes(scope),
        !needed.includes(scope) && 403,
      ]);
    }
  }
});

test('creating a published quiz and importing published quizzes need the scope publish, drafts do not', async () => {
  const writer = keys.get('write') as TestAccount;
  const refused = { success: false, error: scopeMissing(['publish']) };
  const quiz = await writer.post('/quizzes', quizBody({ published: true })).expect(403);
  expect(quiz.body).toEqual(refused);
  await writer.post('/quizzes', quizBody({ published: false })).expect(201);
  const file = (published: boolean) =>
    writer
      .post(`/imports?dry_run=true&filename=a.csv&published=${published}`)
      .set('Content-Type', 'text/csv')
      .send('question,answer\na,b');
  expect((await file(true).expect(403)).body).toEqual(refused);
  await file(false).expect(202);
  const publisher = await service.keyOf(owner, { scopes: ['write', 'publish'] });
  await publisher.post('/quizzes', quizBody({ published: true })).expect(201);
});

test('updating `published` of a quiz needs the scope publish, and its other fields the scope write', async () => {
  const { body } = await owner.post('/quizzes', quizBody({ published: false })).expect(201);
  const update = (scope: Scope, fields: object) =>
    (keys.get(scope) as TestAccount).patch(`/quizzes/${body.data.id}`, fields);
  await update('write', { title: 'Renamed' }).expect(200);
  await update('publish', { published: true }).expect(200);
  for (const [scope, missing, fields] of [
    ['write', 'publish', { published: false }],
    ['write', 'publish', { published: false, title: 'Both' }],
    ['publish', 'write', { published: false, title: 'Both' }],
    ['publish', 'write', { title: 'Renamed again' }],
  ] as const) {
    const refused = await update(scope, fields).expect(403);
    expect(refused.body.error).toContain(`scope \`${missing}\``);
  }
  const { body: quizzes } = await owner.get('/quizzes?topic=Renamed').expect(200);
  expect(quizzes.data).toMatchObject([{ id: body.data.id, title: 'Renamed' }]);
});

describe('a key without the scope publish and a live quiz', () => {
  let assistant: TestAccount;
  beforeAll(async () => {
    assistant = await service.keyOf(owner, { scopes: ['read', 'write'] });
  });

  /** All there is of the owner's content, for comparison. */
  const content = async () => [
    await service.database.query(`SELECT * FROM quizzes ORDER BY id`),
    await service.database.query(`SELECT * FROM questions ORDER BY id`),
  ];
  const csv = (account: TestAccount, quizId: string) =>
    account
      .post(`/imports?filename=a.csv&quiz_id=${quizId}`)
      .set('Content-Type', 'text/csv')
      .send('question,answer\na,b');

  /**
   * Every endpoint by which a key of the scope write changes a quiz; a new one is missed until it is added here. The
   * order is first: it names all questions, and others add and delete some.
   */
  const changes = ({ id, questions }: MadeQuiz): Record<string, (by: TestAccount) => Test> => ({
    'PUT /quizzes/{id}/questions/order': (by) =>
      by.put(`/quizzes/${id}/questions/order`, { ids: questions.map((it) => it.id).reverse() }),
    'PATCH /quizzes/{id}': (by) => by.patch(`/quizzes/${id}`, { title: 'BUY PILLS' }),
    'POST /quizzes/{id}/questions/batch': (by) =>
      by.post(`/quizzes/${id}/questions/batch`, { questions: [questionBody()] }),
    'POST /quizzes/{id}/questions/copy': (by) =>
      by.post(`/quizzes/${id}/questions/copy`, { ids: [questions[0]?.id] }),
    'PATCH /questions/{id}': (by) => by.patch(`/questions/${questions[0]?.id}`, { text: 'PILLS?' }),
    'DELETE /questions/{id}': (by) => by.delete(`/questions/${questions[0]?.id}`),
    'POST /imports': (by) => csv(by, id),
    'DELETE /quizzes/{id}': (by) => by.delete(`/quizzes/${id}`),
  });
  /** They change no quiz that exists, or only by an import, for which there is a test below. */
  const OTHERS = [
    'POST /quizzes',
    'POST /quizzes/{id}/copy',
    // Scores of attempts by the key that the live quiz has: changing the key needs `publish`.
    'POST /quizzes/{id}/regrade',
    'DELETE /imports/{id}/quizzes',
    'POST /imports/{id}/cancel',
    'POST /media',
    // They need every scope.
    'DELETE /me',
    'DELETE /accounts/{id}',
  ];

  test('the list of changes below has every endpoint with the scope write', () => {
    const documented = endpoints()
      .filter(({ method, scopes }) => method !== 'get' && scopes.includes('write'))
      .map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    const listed = Object.keys(
      changes({ id: '', questions: [] as MadeQuiz['questions'] } as MadeQuiz),
    );
    expect([...listed, ...OTHERS].sort()).toEqual(documented.sort());
  });

  test('no endpoint lets it change a live quiz, and each 403 names the scope', async () => {
    const quiz = await makeQuiz(owner, {}, questionBodies(2));
    const before = await content();
    for (const [name, change] of Object.entries(changes(quiz))) {
      const { status, body } = await change(assistant);
      expect([name, status]).toEqual([name, 403]);
      expect(body.error).toMatch(/^This quiz is live.+needs an API key with the scope `publish`/);
    }
    // Before the body is validated, as for somebody else's quiz.
    await assistant.patch(`/quizzes/${quiz.id}`, { title: 7 }).expect(403);
    for (const fields of [{ timeLimit: 60 }, { featured: true }])
      await assistant.patch(`/quizzes/${quiz.id}`, fields).expect(403);
    expect(await content()).toEqual(before);
  });

  test.each([
    ['a draft', false],
    ['a quiz that waits for review', true],
  ])('it changes %s by every endpoint', async (_, published) => {
    const member = await service.account('pro');
    const key = await service.keyOf(member, { scopes: ['read', 'write'] });
    const quiz = await makeQuiz(member, { published }, questionBodies(2));
    for (const [name, change] of Object.entries(changes(quiz)))
      expect([name, (await change(key)).ok]).toEqual([name, true]);
  });

  test('a key with all scopes, which is what a key has unless it is given fewer, changes a live quiz by every endpoint', async () => {
    const all = await service.keyOf(owner, {});
    const quiz = await makeQuiz(owner, {}, questionBodies(2));
    for (const [name, change] of Object.entries(changes(quiz)))
      expect([name, (await change(all)).ok]).toEqual([name, true]);
  });

  test('no edit by such a key follows the approval of a quiz, however close they are', async () => {
    const member = await service.account('pro');
    const key = await service.keyOf(member, { scopes: ['read', 'write'] });
    const quiz = await makeQuiz(member, {}, questionBodies(2));
    let accepted = 0;
    const editor = async (number: number) => {
      for (let at = 0; ; at++) {
        const { status } = await (number % 2 === 0
          ? key.patch(`/quizzes/${quiz.id}`, { title: `Edit ${number} ${at}` })
          : key.patch(`/questions/${quiz.questions[0]?.id}`, { text: `${number} ${at}?` }));
        if (status !== 200) return status;
        accepted += 1;
      }
    };
    const editors = [0, 1, 2, 3].map(editor);
    await eventually(() => expect(accepted).toBeGreaterThan(8));
    await service.app.get(ReviewService).approve(quiz.id);
    expect(await Promise.all(editors)).toEqual([403, 403, 403, 403]);
    const [row] = await service.database.query(
      `SELECT changed_since_approval_at FROM quizzes WHERE id = $1`,
      [quiz.id],
    );
    expect(row).toEqual({ changed_since_approval_at: null });
  });
});

describe('a key with restrictions', () => {
  const issue = (restrictions: object) =>
    service.app.get(ApiKeysService).issueOwn(owner.accountId, 'Restricted', null, restrictions);

  test('a key has all scopes and any origin unless it is given fewer', async () => {
    const { stored } = await issue({});
    expect(stored).toMatchObject({ scopes: ALL_SCOPES, origins: [] });
  });

  test('a key that replaces a rotated one has its scopes and origins', async () => {
    const given = { scopes: ['read', 'play'], origins: ['https://example.com'] };
    const { stored } = await issue({ ...given, origins: ['https://EXAMPLE.com/'] });
    expect(stored).toMatchObject(given);
    const next = await service.app.get(ApiKeysService).rotate(owner.accountId, stored.id, 0);
    expect(next.stored).toMatchObject(given);
  });

  test.each([
    [
      'an unknown scope',
      { scopes: ['read', 'admin'] },
      '“admin” is not a scope. Choose from `read`',
    ],
    ['no scope', { scopes: [] }, 'Choose at least one scope'],
    [
      'an origin without a scheme',
      { origins: ['example.com'] },
      '“example.com” is not a web origin',
    ],
    ['an origin with a path', { origins: ['https://example.com/page'] }, 'is not a web origin'],
    ['an origin that is a script', { origins: ['javascript:alert(1)'] }, 'is not a web origin'],
    ['an origin with a directive', { origins: ['https://a;script-src'] }, 'is not a web origin'],
    [
      'an origin with a wildcard',
      { origins: ['https://*.example.com'] },
      '“https://*.example.com” has a *, which matches no page: give each origin of its own, such as https://www.example.com',
    ],
    ['a long origin', { origins: [`https://${'a'.repeat(300)}.example`] }, 'is not a web origin'],
  ])('a key with %s is not created, and the error says why', async (_, restrictions, error) => {
    await expect(issue(restrictions)).rejects.toThrow(error);
  });

  test('a key with more than twenty origins is not created', async () => {
    const origins = Array.from(
      { length: LIMITS.accounts.originsPerKey.value + 1 },
      (_, at) => `https://${at}.example.com`,
    );
    await expect(issue({ origins })).rejects.toThrow('at most 20 origins');
    await issue({ origins: origins.slice(1) });
  });
});

test('GET /me tells the account, its quota, the key with its scopes and expiry, and the rate limit', async () => {
  const account = await service.account('starter');
  await account.post('/quizzes', quizBody()).expect(201);
  const expiresAt = new Date('2099-01-01T00:00:00Z');
  const restrictions = { scopes: ['read', 'webhooks'], origins: ['https://a.example'], expiresAt };
  const key = await service.keyOf(account, restrictions);
  const { body, headers } = await key.get('/me').expect(200);
  expect(body.data).toEqual({
    account: { id: account.accountId, plan: 'starter', administrator: false },
    key: {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'test',
      scopes: ['read', 'webhooks'],
      origins: ['https://a.example'],
      expiresAt: '2099-01-01T00:00:00.000Z',
    },
    quota: { quizzes: { used: 1, limit: 25 } },
    rateLimit: {
      per: 'address',
      limit: Number(headers['ratelimit-limit']),
      remaining: Number(headers['ratelimit-remaining']),
      reset: Number(headers['ratelimit-reset']),
    },
  });
  const unlimited = await owner.get('/me').expect(200);
  expect(unlimited.body.data).toMatchObject({
    account: { administrator: true },
    key: { expiresAt: null, origins: [] },
    quota: { quizzes: { limit: null } },
  });
});

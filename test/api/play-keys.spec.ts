import request from 'supertest';
import type { KeyRestrictions } from '../../src/access/api-keys/api-keys.service';
import { ApiDocument } from '../../src/platform/openapi/document/api-document';
import type { Schema } from '../../src/platform/openapi/openapi-objects';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { type Endpoint, endpointsOf, exampleBody } from '../support/endpoints';
import { questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** Keys that may stand in a web page: they play, and find no solution before it is due. */

let service: Service;
let owner: TestAccount;
let player: TestAccount;
let quiz: MadeQuiz;
let draft: MadeQuiz;
let foreign: MadeQuiz;
beforeAll(async () => {
  service = await startService({ MODERATION: 'auto' });
  owner = await service.account();
  player = await service.keyOf(owner, { scopes: ['play'] });
  quiz = await makeQuiz(owner, {}, QUESTIONS);
  draft = await makeQuiz(owner, { published: false, title: `Draft ${PLANTED}` }, QUESTIONS);
  foreign = await makeQuiz(await service.account(), {}, QUESTIONS);
});
afterAll(() => service.close());

/** In everything that only a solution or a draft shows. */
const PLANTED = 'planted-solution';
const QUESTIONS = [
  questionBody({ explanation: `${PLANTED}: ten countries` }),
  questionBody({
    text: 'What is the longest river of Europe?',
    type: 'OPEN_ENDED',
    explanation: undefined,
    answers: [
      { text: `${PLANTED} Volga`, isCorrect: true },
      { text: `${PLANTED} the Volga`, isCorrect: true },
    ],
  }),
];

const startAttempt = async (by: TestAccount, fields: object = {}) => {
  const body = { player: 'user-17', ...fields };
  const started = await by.post(`/quizzes/${quiz.id}/attempts`, body).expect(201);
  return started.body.data as { id: string; questions: { id: string; type: string }[] };
};

test('a key with only the scope play plays a public quiz from the list to the leaderboard', async () => {
  const list = await player.get('/quizzes?sort=title').expect(200);
  const listed = (list.body.data as { id: string }[]).map(({ id }) => id);
  expect(listed.sort()).toEqual([quiz.id, foreign.id].sort());
  const attempt = await startAttempt(player);
  const given = { questionId: quiz.questions[1]?.id, text: `${PLANTED} Volga` };
  await player.post(`/attempts/${attempt.id}/answers`, given).expect(200);
  const submitted = await player.post(`/attempts/${attempt.id}/submit`).expect(200);
  expect(submitted.body.data).toMatchObject({ score: 1, total: 2 });
  const board = await player.get(`/quizzes/${quiz.id}/leaderboard`).expect(200);
  expect(board.body.data).toMatchObject([{ userId: 'user-17', score: 1 }]);
});

test("a key with only the scope play does not see its account's drafts", async () => {
  await player.post(`/quizzes/${draft.id}/attempts`, { player: 'user-17' }).expect(404);
  await player.get(`/quizzes/${draft.id}/leaderboard`).expect(404);
  await owner.get(`/quizzes/${draft.id}/leaderboard`).expect(200);
});

describe('a crawler with a key of the scope play', () => {
  /** What players see after they have answered is due: these two endpoints show it, and no other does. */
  const DUE = /^\/attempts\/{id}\/(submit|answers)$/;

  /** Values for a parameter: those that the document names, and those that exist. */
  const valuesOf = (schema: Schema, ids: string[]): unknown[] => [
    ...((schema.enum ?? schema.items?.enum ?? []) as unknown[]),
    ...(schema.examples ?? schema.items?.examples ?? []),
    ...(schema.type === 'boolean' ? [true, false] : ['true', 'planted', ...ids]),
  ];

  /** The example of the body, then with each field changed to each of its values. */
  function bodiesOf(endpoint: Endpoint, ids: string[]): (object | undefined)[] {
    const example = exampleBody(endpoint);
    if (!example) return [undefined];
    const { components } = service.app.get(ApiDocument).document;
    const { $ref = '' } = endpoint.operation.requestBody?.content['application/json']?.schema ?? {};
    const fields = components.schemas[$ref.split('/').at(-1) ?? '']?.properties ?? {};
    return [
      example,
      ...Object.entries(fields).flatMap(([name, schema]) =>
        valuesOf(schema, ids).map((value) => ({ ...example, [name]: value })),
      ),
    ];
  }

  function addressesOf({ path, operation }: Endpoint, ids: string[]): string[] {
    const paths = path.includes('{') ? ids.map((id) => path.replace(/{\w+}/g, id)) : [path];
    const queries = (operation.parameters ?? [])
      .filter((it) => it.in === 'query')
      .flatMap(({ name, schema }) =>
        valuesOf(schema, ids).map(
          (value) => `?${new URLSearchParams({ [name]: String(value) }).toString()}`,
        ),
      );
    return paths.flatMap((it) => ['', ...queries].map((query) => it + query));
  }

  /** Requests every combination. @returns the endpoints that responded with success, and those that showed a solution */
  async function crawl(endpoints: Endpoint[], key: TestAccount, ids: string[]) {
    const found = { reached: new Set<string>(), solutions: new Set<string>() };
    const ask = async ({ method, path }: Endpoint, address: string, body: object | undefined) => {
      const response = await fetch(`${service.url}/api/v1${address}`, {
        method: method.toUpperCase(),
        headers: { Authorization: `Bearer ${key.key}`, 'Content-Type': 'application/json' },
        body: body && JSON.stringify(body),
      });
      const name = `${method} ${path}`;
      if (response.ok) found.reached.add(name);
      if (/planted-solution|"(isCorrect|correctAnswers)":/.test(await response.text()))
        found.solutions.add(name);
    };
    for (const endpoint of endpoints)
      for (const address of addressesOf(endpoint, ids)) {
        const bodies = endpoint.method === 'get' ? [undefined] : bodiesOf(endpoint, ids);
        await Promise.all(bodies.map((body) => ask(endpoint, address, body)));
      }
    return found;
  }

  const ids = async () => [
    ...[quiz.id, draft.id, foreign.id],
    ...[quiz.questions[0]?.id ?? '', draft.questions[0]?.id ?? ''],
    (await startAttempt(player)).id,
    (await startAttempt(owner)).id,
  ];

  test('a key with the scope play finds no solution at any endpoint with any parameter', async () => {
    const endpoints = endpointsOf(service).filter(
      ({ path }) => !path.startsWith('/openapi.') && !DUE.test(path),
    );
    const accepts = ({ scopes }: Endpoint) => scopes.length === 0 || scopes.includes('play');
    const open = endpoints.filter(accepts);
    const known = await ids();
    const attempts = known.slice(-2);

    // Refused before the id is looked at: one is enough.
    const closed = endpoints.filter((endpoint) => !accepts(endpoint));
    const refused = await crawl(closed, player, [quiz.id]);
    expect([...refused.reached, ...refused.solutions]).toEqual([]);

    const { reached, solutions } = await crawl(open, player, known);
    expect([...reached]).toEqual(
      expect.arrayContaining([
        'get /quizzes',
        'post /attempts',
        'get /attempts/{id}',
        'post /quizzes/{id}/attempts',
        'get /quizzes/{id}/leaderboard',
      ]),
    );
    // What is due to a player after the submission is shown by no other endpoint.
    for (const id of attempts) await player.post(`/attempts/${id}/submit`).expect(200);
    const after = await crawl(open, player, attempts);
    expect([...solutions, ...after.solutions]).toEqual([]);
  }, 120_000);

  test('the same crawler finds the solutions with a key of the scope read', async () => {
    const reader = await service.keyOf(owner, { scopes: ['read'] });
    const reads = endpointsOf(service).filter(
      ({ method, path }) => method === 'get' && !path.startsWith('/openapi.'),
    );
    const { solutions } = await crawl(reads, reader, [quiz.id]);
    expect([...solutions]).toEqual(
      expect.arrayContaining(['get /quizzes/{id}', 'get /questions', 'get /quizzes/{id}/export']),
    );
  });

  test('a recorded answer tells nothing, and what a submission tells stays due', async () => {
    const attempt = await startAttempt(player);
    const given = { questionId: quiz.questions[1]?.id, text: 'Danube' };
    const recorded = await player.post(`/attempts/${attempt.id}/answers`, given).expect(200);
    expect(recorded.text).not.toMatch(/planted-solution|correct/i);
    const submitted = await player.post(`/attempts/${attempt.id}/submit`).expect(200);
    expect(submitted.text).toContain(PLANTED);
  });
});

describe('a key with origins', () => {
  const ALLOWED = 'https://school.example';
  const keyFor = (restrictions: KeyRestrictions) =>
    service.keyOf(owner, { scopes: ['play'], ...restrictions });
  const allowedOrigin = 'access-control-allow-origin';

  test('a page of an origin of the key reads the response, and a page of another origin only why it is refused', async () => {
    const key = await keyFor({ origins: [ALLOWED, 'http://localhost:5173'] });
    for (const origin of [ALLOWED, 'http://localhost:5173']) {
      const { headers } = await key.get('/quizzes').set('Origin', origin).expect(200);
      expect(headers[allowedOrigin]).toBe(origin);
      expect(headers.vary).toContain('Origin');
    }
    for (const origin of ['https://elsewhere.example', 'http://school.example', 'null']) {
      const refused = await key.get('/quizzes').set('Origin', origin).expect(403);
      expect(refused.headers).toMatchObject({
        [allowedOrigin]: origin,
        'x-error-code': 'origin-not-allowed',
        'access-control-expose-headers': expect.stringContaining('X-Error-Code'),
      });
      expect(refused.headers.vary).toContain('Origin');
      expect(refused.body.error).toMatch('may not use this API key');
    }
  });

  test('a POST from a page of another origin changes nothing', async () => {
    const key = await keyFor({ origins: [ALLOWED] });
    const count = async () =>
      (await service.database.query<{ n: string }[]>('SELECT count(*) AS n FROM quiz_attempts'))[0]
        ?.n;
    const before = await count();
    const start = (origin: string) =>
      key.post(`/quizzes/${quiz.id}/attempts`, { player: 'user-17' }).set('Origin', origin);
    await start('https://elsewhere.example').expect(403);
    expect(await count()).toBe(before);
    const started = await start(ALLOWED).expect(201);
    expect(started.headers[allowedOrigin]).toBe(ALLOWED);
  });

  test('a preflight carries no key and allows every origin, and a request without Origin is served', async () => {
    const key = await keyFor({ origins: [ALLOWED] });
    const preflight = await request(service.url)
      .options('/api/v1/quizzes')
      .set({ Origin: ALLOWED, 'Access-Control-Request-Method': 'GET' })
      .expect(204);
    expect(preflight.headers[allowedOrigin]).toBe('*');
    const { headers } = await key.get('/quizzes').expect(200);
    expect(headers).not.toHaveProperty(allowedOrigin);
  });

  test('a key without origins is used by pages of any origin', async () => {
    const key = await keyFor({});
    const { headers } = await key.get('/quizzes').set('Origin', 'https://any.example').expect(200);
    expect(headers[allowedOrigin]).toBe('*');
  });
});

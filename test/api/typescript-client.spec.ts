import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  type BatchQuestionInput,
  ConflictError,
  ConnectionError,
  NotFoundError,
  PermissionError,
  PreconditionFailedError,
  QuizClient,
  RateLimitError,
  ServerError,
  ValidationError,
  verifyWebhook,
  WebhookVerificationError,
} from '../../clients/typescript/src/index';
import { ImportRunnerService } from '../../src/import-export/imports/running/import-runner.service';
import { LIMITS } from '../../src/platform/limits/limits';
import { ApiDocument } from '../../src/platform/openapi/document/api-document';
import { Reference } from '../../src/web/docs/reference.model';
import { CLIENT_CALLS } from '../../src/web/docs/samples';
import { deliveryHeaders } from '../../src/webhooks/deliveries/signature';
import { eventually } from '../support/clock';
import { questionBodies, quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** The typed client (clients/typescript) against the running service. */

let service: Service;
let account: TestAccount;
let client: QuizClient;
beforeAll(async () => {
  service = await startService({ MODERATION: 'auto' });
  account = await service.account();
  client = new QuizClient({ baseUrl: `${service.url}/`, apiKey: account.key });
});
afterAll(() => service.close());

const QUIZ = { title: 'Rivers', difficulty: 'EASY', published: true } as const;
const QUESTIONS = questionBodies(50) as BatchQuestionInput[];

/** An HTTP server that says what it is told to, and what it was sent. */
async function scripted(
  ...responses: ((send: (status: number, headers?: object) => void) => void)[]
) {
  const keys: (string | undefined)[] = [];
  const server: Server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key'] as string | undefined);
    const send = (status: number, headers: object = {}) => {
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
      const ok = { success: true, data: { id: 'x' } };
      response.end(
        JSON.stringify(status < 300 ? ok : { success: false, error: `Told ${status}.` }),
      );
    };
    const answer = responses[Math.min(keys.length, responses.length) - 1];
    // Gone without a word.
    if (answer) answer(send);
    else request.socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    client: (options: object = {}) => new QuizClient({ baseUrl, apiKey: 'k', ...options }),
    keys,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
type Answering = Parameters<typeof scripted>[number];
const says =
  (status: number, headers?: object): Answering =>
  (send) =>
    send(status, headers);
const BREAKS = undefined as unknown as Answering;

describe('calls of the TypeScript client', () => {
  it('the client creates, imports, reads and lists with the documented fields', async () => {
    const tags = ['water, salt', 'a\\,b'];
    const created = await client.quizzes.create({ ...QUIZ, tags });
    expect(created).toMatchObject({ ...QUIZ, tags, categoryId: null });
    const imported = await client.quizzes.importQuestions(created.id, QUESTIONS.slice(0, 3));
    expect(imported).toMatchObject({ quizId: created.id, questionsCreated: 3 });
    const quiz = await client.quizzes.get(created.id);
    expect(quiz.questions).toEqual(imported.questions);
    for (const tag of tags)
      expect(await client.quizzes.list({ tags: [tag] })).toMatchObject({ meta: { total: 1 } });
    const filter = { tags: ['water, salt', 'fire'], limit: 1, offset: null };
    const { data, meta } = await client.quizzes.list(filter);
    expect(data.map(({ id }) => id)).toEqual([created.id]);
    expect(meta).toEqual({ total: 1, limit: 1, offset: 0 });
    const questions = await client.questions.ofQuiz(created.id, { includeAnswers: true });
    expect(questions[0]?.answers).toHaveLength(3);
    expect((await client.questions.ofQuiz(created.id))[0]).not.toHaveProperty('answers');
  });

  it('a stale `ifMatch` stops every change to a quiz or an endpoint that takes one', async () => {
    const stale = { ifMatch: '"stale"' };
    const quiz = await client.quizzes.create(QUIZ);
    const { questions } = await client.quizzes.importQuestions(quiz.id, QUESTIONS.slice(0, 1));
    const ids = questions.map(({ id }) => id);
    const url = 'http://localhost:4000/';
    const endpoint = await client.webhooks.create({ url, events: ['quiz.created'] });
    for (const change of [
      () => client.quizzes.importQuestions(quiz.id, QUESTIONS.slice(0, 1), stale),
      () => client.quizzes.copyQuestions(quiz.id, { ids }, stale),
      () => client.quizzes.orderQuestions(quiz.id, ids, stale),
      () => client.quizzes.update(quiz.id, { title: 'Changed' }, stale),
      () => client.quizzes.resubmit(quiz.id, stale),
      () => client.quizzes.delete(quiz.id, stale),
      () => client.questions.update(ids[0] ?? '', { text: 'Changed?' }, stale),
      () => client.questions.delete(ids[0] ?? '', stale),
      () => client.webhooks.update(endpoint.id, { events: ['quiz.deleted'] }, stale),
      () => client.webhooks.rotateSecret(endpoint.id, 'stage', stale),
      () => client.webhooks.delete(endpoint.id, stale),
    ])
      await expect(change()).rejects.toBeInstanceOf(PreconditionFailedError);
    const { data } = await client.quizzes.list({ mine: true, topic: QUIZ.title });
    expect(data).toContainEqual(expect.objectContaining({ id: quiz.id, title: QUIZ.title }));
    expect((await client.quizzes.get(quiz.id)).questions).toEqual(questions);
    expect(await client.webhooks.get(endpoint.id)).toMatchObject({ events: ['quiz.created'] });
    await client.webhooks.delete(endpoint.id);
  });

  it('the client changes, orders, publishes and deletes, and reports a stale version', async () => {
    const { id } = await client.quizzes.create({ ...QUIZ, published: false });
    const { questions } = await client.quizzes.importQuestions(id, QUESTIONS.slice(0, 3));
    const ids = questions.map((question) => question.id);
    let etag = '';
    const noted = {
      onResponse: ({ headers }: Response) => void (etag = headers.get('etag') ?? ''),
    };
    await client.quizzes.get(id, noted);
    const seen = etag;
    const edited = await client.quizzes.update(id, { title: 'New' }, { ifMatch: seen, ...noted });
    expect(edited).toMatchObject({ title: 'New', state: 'draft' });
    await expect(
      client.quizzes.update(id, { title: 'Stale' }, { ifMatch: seen }),
    ).rejects.toMatchObject({ name: 'PreconditionFailedError', status: 412, etag });
    await client.quizzes.orderQuestions(id, [...ids].reverse(), { ifMatch: etag });
    const question = await client.questions.update(ids[0] ?? '', { text: 'Changed?' });
    const { earlierAttempts, ...changed } = question;
    expect(earlierAttempts).toBeNull();
    expect(await client.questions.get(ids[0] ?? '')).toEqual(changed);
    await client.questions.delete(ids[1] ?? '');
    const quiz = await client.quizzes.get(id);
    expect(quiz.questions.map((it) => it.id)).toEqual([ids[2], ids[0]]);
    await expect(client.quizzes.resubmit(id)).rejects.toBeInstanceOf(ConflictError);
    const copy = await client.quizzes.copy(id, { title: 'Copied' });
    expect(copy).toMatchObject({ title: 'Copied', published: false });
    await client.quizzes.delete(copy.id);
    expect((await client.quizzes.list({ mine: true, state: 'draft' })).data).toMatchObject([
      { id },
    ]);
    await client.quizzes.delete(id);
    await expect(client.quizzes.get(id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('the client plays a quiz to its leaderboard', async () => {
    const { id } = await client.quizzes.create(QUIZ);
    await client.quizzes.importQuestions(id, QUESTIONS.slice(0, 2));
    const attempt = await client.attempts.start(id, { player: 'ada' });
    for (const { id: questionId, answers } of attempt.questions)
      await client.attempts.answer(attempt.id, {
        questionId,
        answerIds: answers.filter(({ text }) => text === 'The Danube').map((it) => it.id),
      });
    const { score, total } = await client.attempts.submit(attempt.id);
    expect([score, total]).toEqual([2, 2]);
    expect(await client.quizzes.leaderboard(id)).toEqual([
      expect.objectContaining({ rank: 1, userId: 'ada', score: 2 }),
    ]);
  });

  it('the client imports, inspects and cancels a file, and exports a quiz', async () => {
    const file = 'question,answer 1,answer 2,correct\nIs water wet?,yes,no,1\n';
    const options = { filename: 'water.csv', format: 'csv', dry_run: true } as const;
    const made = await client.imports.create(file, options);
    expect(made).toMatchObject({ state: 'waiting', dryRun: true, filename: 'water.csv' });
    expect(made.size).toBe(file.length);
    const { data } = await client.imports.list({ limit: 1 });
    expect(data.map(({ id }) => id)).toEqual([made.id]);
    expect((await client.imports.cancel(made.id)).state).toBe('cancelled');
    expect(await client.imports.get(made.id)).toMatchObject({ state: 'cancelled', report: [] });
    await expect(client.imports.get('none')).rejects.toBeInstanceOf(NotFoundError);

    const { id } = await client.quizzes.create(QUIZ);
    await client.quizzes.importQuestions(id, QUESTIONS.slice(0, 1));
    expect(await client.quizzes.export(id, 'gift')).toContain('{');
    expect(await client.quizzes.export(id)).toContain('"Rivers"');
  });

  it('the client manages a webhook endpoint, and reads deliveries and events', async () => {
    const other = await service.account();
    const client = new QuizClient({ baseUrl: service.url, apiKey: other.key });
    const url = 'https://hooks.example.com/quiz';
    const { id, secret } = await client.webhooks.create({ url, events: ['quiz.created'] });
    expect(secret).toMatch(/^whsec_/);
    await client.webhooks.update(id, { events: ['quiz.deleted'] });
    expect(await client.webhooks.list()).toMatchObject([{ id, url, events: ['quiz.deleted'] }]);
    expect((await client.webhooks.rotateSecret(id, 'stage')).secret).not.toBe(secret);
    expect((await client.webhooks.get(id)).rotation).toBe('staged');
    const test = await client.webhooks.test(id);
    expect((await client.deliveries.list()).data).toMatchObject([{ id: test }]);
    expect(await client.deliveries.retry(test)).toMatchObject({ id: test, attemptLog: [] });
    expect((await client.deliveries.get(test)).event).toBe('webhook.test');
    expect(await client.webhooks.retryFailed(id, new Date())).toBe(0);
    await client.webhooks.delete(id);
    await expect(client.webhooks.get(id)).rejects.toBeInstanceOf(NotFoundError);
    for (let count = 0; count < 3; count++) await client.quizzes.create(QUIZ);
    await eventually(async () => {
      const events: unknown[] = [];
      for await (const event of client.iterateEvents({ types: ['quiz.created'], limit: 2 }))
        events.push(event);
      expect(events).toHaveLength(3);
    });
  });

  it('the client reads metadata and categories without a key', async () => {
    const stranger = new QuizClient({ baseUrl: service.url });
    expect((await stranger.metadata()).difficulties).toContain('EXPERT');
    expect(await stranger.categories()).toEqual(expect.any(Array));
  });
});

describe('operations of the TypeScript client', () => {
  const operations = () =>
    new Reference(service.app.get(ApiDocument).document).entries.filter(({ isEvent }) => !isEvent);

  it('the client has a method for every operation, which requests its method and path', async () => {
    expect(
      operations()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(Object.keys(CLIENT_CALLS).sort());
    for (const { id: operation, method, path } of operations()) {
      const requests: string[] = [];
      const recording = new QuizClient({
        baseUrl: 'http://x',
        fetch: (url, init) => {
          requests.push(`${init?.method} ${new URL(url as string).pathname}`);
          return Promise.resolve(Response.json({ data: {} }));
        },
      });
      // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the calls of the samples
      const call = new Function(
        ...['client', 'id', 'link', 'body', 'file'],
        `return client.${CLIENT_CALLS[operation]}`,
      ) as (...of: unknown[]) => Promise<unknown>;
      await call(recording, '{id}', '{link}', { since: 0 }, 'file');
      const expected = `${method} ${path}`;
      expect([operation, requests.map(decodeURIComponent)]).toEqual([operation, [expected]]);
    }
  });

  it('the README of the client names every method', () => {
    const readme = readFileSync(join(__dirname, '../../clients/typescript/README.md'), 'utf8');
    const methods = Object.entries(client).flatMap(([group, value]) =>
      group === 'transport' ? [] : methodsOf(value as object).map((name) => `${group}.${name}`),
    );
    expect(methods).toContain('quizzes.iterateAttempts');
    for (const name of [...methods, ...methodsOf(client)])
      expect([name, readme.includes(`\`${name}(`)]).toEqual([name, true]);
    const calls = Object.values(CLIENT_CALLS).map((call) => call.split('(', 1)[0]);
    expect([...methods, ...methodsOf(client)]).toEqual(expect.arrayContaining(calls));
  });

  it('the README of the client has no link into the repository, where an installed package is not', () => {
    const readme = readFileSync(join(__dirname, '../../clients/typescript/README.md'), 'utf8');
    const targets = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target);
    expect(targets.filter((target) => !/^(?:https?:|#)/.test(target ?? ''))).toEqual([]);
  });

  it('the client iterates over attempts whose answers are larger than a page may have', async () => {
    const { id } = await client.quizzes.create(QUIZ);
    await client.quizzes.importQuestions(id, QUESTIONS.slice(0, 1));
    for (const player of ['ada', 'bob', 'eve', 'joe']) {
      const attempt = await client.attempts.start(id, { player });
      const [question] = attempt.questions;
      const answerIds = [question!.answers[0]!.id];
      await client.attempts.answer(attempt.id, { questionId: question!.id, answerIds });
      await client.attempts.submit(attempt.id);
    }
    const { resultPageBytes } = LIMITS.requests;
    const before = resultPageBytes.value;
    try {
      // Room for two answers.
      resultPageBytes.value = 350;
      await expect(client.quizzes.attempts(id)).rejects.toBeInstanceOf(BadRequestError);
      const players: string[] = [];
      for await (const { player } of client.quizzes.iterateAttempts(id)) players.push(player);
      expect(players).toEqual(['joe', 'eve', 'bob', 'ada']);
    } finally {
      resultPageBytes.value = before;
    }
  });

  it('an invalid parameter of iterateAttempts costs one request', async () => {
    const { id } = await client.quizzes.create(QUIZ);
    let requests = 0;
    const counting = new QuizClient({
      baseUrl: service.url,
      apiKey: account.key,
      fetch: (...args) => {
        requests++;
        return fetch(...args);
      },
    });
    const attempts = counting.quizzes.iterateAttempts(id, { since: 'yesterday' });
    await expect(attempts.next()).rejects.toThrow('since');
    expect(requests).toBe(1);
  });

  it('the client reads the account, results, links, health and the OpenAPI document', async () => {
    const { id } = await client.quizzes.create(QUIZ);
    await client.quizzes.importQuestions(id, QUESTIONS.slice(0, 2));
    for (const player of ['ada', 'bob', 'eve'])
      await client.attempts.submit((await client.attempts.start(id, { player })).id);
    const players: string[] = [];
    for await (const { player } of client.quizzes.iterateAttempts(id, { limit: 2 }))
      players.push(player);
    expect(players.toSorted()).toEqual(['ada', 'bob', 'eve']);
    expect((await client.quizzes.attempts(id)).meta.total).toBe(3);
    expect(await client.quizzes.attemptsCsv(id)).toContain('ada');
    expect(await client.quizzes.statistics(id)).toMatchObject({ questions: [{}, {}] });
    expect(await client.quizzes.statisticsCsv(id)).toMatch(/^number,question,/);

    const link = await client.links.create(id, { closesAt: '2030-01-01T12:00:00Z' });
    expect(await client.links.list(id)).toEqual([link]);
    expect(await client.links.update(id, link.id, { name: '7b' })).toEqual({ ...link, name: '7b' });
    await client.links.revoke(id, link.id);
    await expect(client.links.revoke(id, 'none')).rejects.toBeInstanceOf(NotFoundError);

    expect((await client.me()).account.id).toBe(account.accountId);
    expect(await client.health.live()).toEqual(expect.any(Object));
    expect(await client.openApi()).toMatchObject({ openapi: '3.1.1' });
    expect(await client.openApiYaml()).toMatch(/^openapi: 3/);
  });

  it('the client asks for what responses have only on request', async () => {
    const { id } = await client.quizzes.create({ ...QUIZ, language: 'de' });
    await client.quizzes.importQuestions(id, QUESTIONS.slice(0, 1));
    const quiz = await client.quizzes.get(id, { include: ['html', 'language'] });
    expect(quiz).toMatchObject({ language: 'de', questions: [{ html: expect.any(String) }] });
    expect(await client.questions.ofQuiz(id, { include: ['html'] })).toMatchObject([
      { html: expect.any(String) },
    ]);
    const filter = { include: ['html' as const], limit: 1 };
    expect((await client.questions.list(filter)).data[0]!.html).toEqual(expect.any(String));
    const { languages } = await client.metadata({ include: ['languages'] });
    expect(languages).toEqual(expect.any(Array));
  });

  it('the client reads one kind of the entries of a report', async () => {
    const rows = 'Is it right?,yes,no,1\nIs it wrong?,yes,no,9\n';
    const made = await client.imports.create(`question,answer 1,answer 2,correct\n${rows}${rows}`);
    await service.app.get(ImportRunnerService).run(made.id);
    const kinds = async (kind: 'error' | 'duplicate') =>
      (await client.imports.get(made.id, { kind })).report.map((entry) => entry.kind);
    expect(await kinds('error')).toEqual(['error', 'error']);
    expect(await kinds('duplicate')).toEqual(['duplicate']);
  });

  it("the client lists an import's quizzes and deletes them", async () => {
    const rows = ['A', 'B', 'C'].map((text) => `${text}?,b,c,1`).join('\n');
    const made = await client.imports.create(`question,answer 1,answer 2,correct\n${rows}\n`, {
      quiz_size: 1,
    });
    await service.app.get(ImportRunnerService).run(made.id);
    const { data } = await client.imports.quizzes(made.id);
    expect(data).toHaveLength(3);
    const walked: unknown[] = [];
    for await (const quiz of client.imports.iterateQuizzes(made.id)) walked.push(quiz);
    expect(walked).toEqual(data);
    expect(await client.imports.undo(made.id)).toEqual({ quizzes: 3, questions: 3 });
    expect((await client.imports.quizzes(made.id)).data.map(({ deleted }) => deleted)).toEqual(
      Array(3).fill(true),
    );
  });

  it('imports.undo repeats the request until nothing is left, and returns how much all of them deleted', async () => {
    const responses = [
      { status: 202, data: { quizzes: 250, questions: 500, more: true } },
      { status: 200, data: { quizzes: 2, questions: 4, more: false } },
    ];
    const calls: string[] = [];
    const answering = new QuizClient({
      baseUrl: service.url,
      fetch: (url, init) => {
        calls.push(`${init?.method} ${new URL(new Request(url).url).pathname}`);
        const { status, data } = responses.shift() ?? { status: 500, data: {} };
        return Promise.resolve(Response.json({ success: true, data }, { status }));
      },
    });
    expect(await answering.imports.undo('one')).toEqual({ quizzes: 252, questions: 504 });
    expect(calls).toEqual(Array(2).fill('DELETE /api/v1/imports/one/quizzes'));
  });
});

/** The methods of an object, by its class. */
const methodsOf = (value: object): string[] =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(value)).filter((it) => it !== 'constructor');

describe('iteration of the TypeScript client', () => {
  let quizIds: string[];
  beforeAll(async () => {
    quizIds = [];
    for (let number = 0; number < 7; number++)
      quizIds.push((await client.quizzes.create({ ...QUIZ, category: 'Walked, far' })).id);
    await client.quizzes.importQuestions(quizIds[0] ?? '', QUESTIONS);
    await client.quizzes.importQuestions(quizIds[1] ?? '', QUESTIONS);
  });

  it("the client's iteration yields every item once", async () => {
    for (const limit of [undefined, 1, 3, 7]) {
      const found: string[] = [];
      for await (const { id } of client.quizzes.iterate({
        category: ['Walked, far', 'None'],
        limit,
      }))
        found.push(id);
      expect(found.toSorted()).toEqual(quizIds.toSorted());
    }
  });

  it("the client's iteration yields shuffled questions once each", async () => {
    const found = new Set<string>();
    let count = 0;
    for await (const { id } of client.questions.iterate({
      category: ['Walked, far'],
      random: true,
      // As a caller passes on an option that it was not given.
      seed: undefined,
    })) {
      found.add(id);
      count++;
    }
    expect([found.size, count]).toEqual([100, 100]);
  });

  it('the client requests no more pages than are consumed, and no more than `max` items', async () => {
    let requests = 0;
    const counting = new QuizClient({
      baseUrl: service.url,
      apiKey: account.key,
      fetch: (...args) => {
        requests++;
        return fetch(...args);
      },
    });
    const walk = counting.questions.iterate({ category: ['Walked, far'], limit: 10 });
    for (let taken = 0; taken < 10; taken++) expect((await walk.next()).done).toBe(false);
    await walk.return();
    expect(requests).toBe(1);
    const some: unknown[] = [];
    for await (const question of counting.questions.iterate(
      { category: ['Walked, far'] },
      { max: 60 },
    ))
      some.push(question);
    expect([some.length, requests]).toEqual([60, 3]);
  });

  it("the client's iteration repeats no question when others are added meanwhile", async () => {
    const [first = '', second = ''] = quizIds;
    const found: string[] = [];
    for await (const { id } of client.questions.iterate({ category: ['Walked, far'], limit: 20 })) {
      found.push(id);
      if (found.length === 60) await client.quizzes.importQuestions(first, QUESTIONS);
    }
    expect([new Set(found).size, found.length]).toEqual([100, 100]);
    expect(found.slice(50)).toEqual((await client.questions.ofQuiz(second)).map(({ id }) => id));
  });
});

describe('errors of the TypeScript client', () => {
  const failing = async (call: Promise<unknown>) =>
    (await call.then(
      () => null,
      (error: unknown) => error,
    )) as ApiError;

  it('a client error has status, message, request id and details', async () => {
    const error = await failing(client.quizzes.create({ ...QUIZ, title: '', tags: [''] }));
    expect(error).toBeInstanceOf(ValidationError);
    expect(error.name).toBe('ValidationError');
    expect(error).toMatchObject({
      status: 422,
      code: 'invalid-body',
      requestId: expect.stringMatching(/^[\w-]{36}$/),
    });
    expect(error.message).toMatch(/^The body is not valid: /);
    expect(error.details.map(({ path }) => path)).toEqual(['title', 'tags[0]']);
  });

  it('each kind of client error has its own class', async () => {
    const stranger = new QuizClient({ baseUrl: service.url, apiKey: 'wrong' });
    expect(await failing(stranger.quizzes.list())).toBeInstanceOf(AuthenticationError);
    const { key } = await service.account('free');
    const free = new QuizClient({ baseUrl: service.url, apiKey: key });
    expect(await failing(free.quizzes.create(QUIZ))).toBeInstanceOf(PermissionError);
    expect(await failing(client.quizzes.get('../metadata'))).toBeInstanceOf(NotFoundError);
  });

  it('an id that would lead to another path is not found', async () => {
    for (const id of ['', '.', '..']) {
      expect(await failing(client.quizzes.get(id))).toBeInstanceOf(NotFoundError);
      expect(await failing(client.quizzes.export(id))).toBeInstanceOf(NotFoundError);
      expect(await failing(client.attempts.start(id, { player: 'ada' }))).toBeInstanceOf(
        NotFoundError,
      );
      expect(await failing(client.webhooks.delete(id))).toBeInstanceOf(NotFoundError);
    }
  });

  it("a proxy's response without the envelope becomes a client error", async () => {
    const html: typeof fetch = () =>
      Promise.resolve(new Response('<h1>no</h1>', { status: 418, statusText: 'Teapot' }));
    const error = await failing(new QuizClient({ baseUrl: 'http://x', fetch: html }).metadata());
    expect(error).toMatchObject({
      status: 418,
      message: 'The response was 418 Teapot',
      details: [],
    });
  });
});

describe('retries of the TypeScript client', () => {
  it.each([
    ['429', says(429, { 'Retry-After': '0' })],
    ['409, while the first request with the key is worked on', says(409, { 'Retry-After': '0' })],
    ['503', says(503)],
    ['a connection that broke', BREAKS],
  ])('the client retries after %s with the same Idempotency-Key', async (_, first) => {
    const server = await scripted(first, says(201));
    try {
      const call = server.client({ maxRetryDelay: 10 }).quizzes.create(QUIZ);
      await expect(call).resolves.toEqual({ id: 'x' });
      expect(server.keys).toHaveLength(2);
      expect(server.keys[0]).toMatch(/^[\da-f]{32}$/);
      expect(server.keys[1]).toBe(server.keys[0]);
    } finally {
      await server.close();
    }
  });

  it.each([
    ['a response that no retry would change', [says(403)], 1, PermissionError],
    ['a Retry-After that is too long', [says(429, { 'Retry-After': '62' })], 1, RateLimitError],
    ['the last retry', [says(429, { 'Retry-After': '0' })], 3, RateLimitError],
  ] as const)('the client gives up after %s', async (_, responses, tries, kind) => {
    const server = await scripted(...responses);
    try {
      const call = server.client({ retries: 2 }).quizzes.create(QUIZ);
      await expect(call).rejects.toBeInstanceOf(kind);
      expect(server.keys).toHaveLength(tries);
    } finally {
      await server.close();
    }
  });

  it('the client retries a call as often as the call says, and health checks not at all', async () => {
    for (const [tries, call] of [
      [1, (it: QuizClient) => it.health.ready()],
      [2, (it: QuizClient) => it.metadata({ retries: 1 })],
    ] as const) {
      const server = await scripted(says(503, { 'Retry-After': '0' }));
      try {
        await expect(call(server.client())).rejects.toBeInstanceOf(ServerError);
        expect(server.keys).toHaveLength(tries);
      } finally {
        await server.close();
      }
    }
  });

  it('a call ends after its own `timeout`, or else after that of the client', async () => {
    const server = await scripted((send) => setTimeout(() => send(200), 500));
    try {
      const client = server.client({ retries: 0, timeout: 50 });
      await expect(client.metadata()).rejects.toThrow('no complete response within 50 ms');
      await expect(client.exportAccount({ timeout: 10_000 })).resolves.toBeInstanceOf(Blob);
      const patient = server.client({ retries: 0 });
      await expect(patient.metadata({ timeout: 60 })).rejects.toThrow('within 60 ms');
    } finally {
      await server.close();
    }
  });

  it('the client does not retry a POST that could happen twice', async () => {
    const server = await scripted(BREAKS);
    try {
      const call = server.client().send({ method: 'POST', path: '/quizzes', body: QUIZ });
      await expect(call).rejects.toBeInstanceOf(ConnectionError);
      expect(server.keys).toEqual([undefined]);
    } finally {
      await server.close();
    }
  });

  it('an error that onResponse throws reaches the caller, and the request is sent once', async () => {
    const server = await scripted(says(200));
    try {
      const onResponse = () => {
        throw new TypeError('my own mistake');
      };
      const client = server.client();
      await expect(client.metadata({ onResponse })).rejects.toThrow(TypeError);
      await expect(client.exportAccount({ onResponse })).rejects.toThrow(TypeError);
      expect(server.keys).toHaveLength(2);
    } finally {
      await server.close();
    }
  });

  it('an upload that is retried, or repeated with its idempotencyKey, makes one import', async () => {
    const file = 'question,answer 1,answer 2,correct\nIs it sent twice?,yes,no,1\n';
    const keys: (string | null)[] = [];
    // The service has the file, and the client does not learn it.
    const losing: typeof fetch = async (...args) => {
      const response = await fetch(...args);
      keys.push(new Headers(args[1]?.headers).get('idempotency-key'));
      if (keys.length === 1) throw new TypeError('fetch failed');
      return response;
    };
    const account = await service.account('pro');
    const client = new QuizClient({ baseUrl: service.url, apiKey: account.key, fetch: losing });
    const made = await client.imports.create(file, { filename: 'twice.csv' });
    expect((await client.imports.list()).data.map(({ id }) => id)).toEqual([made.id]);
    expect(keys[0]).toMatch(/^[\da-f]{32}$/);
    expect(keys[1]).toBe(keys[0]);
    const own = { idempotencyKey: 'nightly' };
    const first = await client.imports.create(file, {}, own);
    expect((await client.imports.create(file, {}, own)).id).toBe(first.id);
  });

  it('the client stops retrying when the caller aborts', async () => {
    const server = await scripted(says(429, { 'Retry-After': '30' }));
    try {
      const giveUp = new AbortController();
      // The client has the response then, and waits for its next try.
      const abortLater: typeof fetch = async (...args) => {
        const response = await fetch(...args);
        setTimeout(() => giveUp.abort(new Error('enough')), 20);
        return response;
      };
      const client = server.client({ fetch: abortLater });
      const call = client.quizzes.list({}, { signal: giveUp.signal });
      await expect(call).rejects.toThrow('enough');
      expect(server.keys).toHaveLength(1);
    } finally {
      await server.close();
    }
  });

  it("the client's retries get through the rate limit", async () => {
    const limited = await startService({ RATE_LIMIT_PER_MINUTE: '1' });
    try {
      const waits: number[] = [];
      const patient = new QuizClient({
        baseUrl: limited.url,
        // The minute passes while the client waits, as far as the service is concerned.
        fetch: async (...args) => {
          const response = await fetch(...args);
          if (response.status !== 429) return response;
          waits.push(Number(response.headers.get('retry-after')));
          limited.clock.advance(60_000);
          const headers = new Headers(response.headers);
          headers.set('retry-after', '0');
          return new Response(await response.text(), { status: 429, headers });
        },
      });
      await patient.metadata();
      await patient.metadata();
      expect(waits).toEqual([expect.any(Number)]);
      expect(waits[0]).toBeGreaterThan(0);
    } finally {
      await limited.close();
    }
  });

  it('the client works where `crypto.randomUUID` is missing, as on pages without HTTPS', async () => {
    const missing = jest.spyOn(crypto, 'randomUUID').mockImplementation(() => {
      throw new TypeError('crypto.randomUUID is not a function');
    });
    try {
      const keys = new Set<string | null>();
      const client = new QuizClient({
        baseUrl: 'http://x',
        fetch: (_, init) => {
          keys.add(new Headers(init?.headers).get('idempotency-key'));
          return Promise.resolve(Response.json({ data: {} }));
        },
      });
      for (let count = 0; count < 2; count++) await client.quizzes.create(QUIZ);
      expect([...keys]).toEqual([expect.any(String), expect.any(String)]);
    } finally {
      missing.mockRestore();
    }
  });

  it('a creation whose response is lost is retried without a second quiz', async () => {
    const { key, accountId } = await service.account('pro');
    let lost = 0;
    const unlucky = new QuizClient({
      baseUrl: service.url,
      apiKey: key,
      fetch: async (...args) => {
        const response = await fetch(...args);
        if (lost++ > 0) return response;
        throw new TypeError('the connection broke after the service had answered');
      },
    });
    const created = await unlucky.quizzes.create(quizBody() as typeof QUIZ);
    const rows = await service.database.query<{ id: string }[]>(
      'SELECT id FROM quizzes WHERE owner_id = $1',
      [accountId],
    );
    expect(rows).toEqual([{ id: created.id }]);
  });
});

describe('webhook verification by the TypeScript client', () => {
  interface Vector {
    name: string;
    secret: string;
    otherSecret: string | null;
    id: string;
    timestamp: number;
    body: string;
    'X-Service-Signature': string;
    'webhook-signature': string;
  }
  const { vectors } = JSON.parse(
    readFileSync(join(__dirname, '../../docs/webhook-signature-vectors.json'), 'utf8'),
  ) as { vectors: Vector[] };
  const given = (vector: Vector) => ({
    body: Buffer.from(vector.body),
    headers: {
      'X-Service-Signature': vector['X-Service-Signature'],
      'webhook-id': vector.id,
      'webhook-timestamp': String(vector.timestamp),
      'webhook-signature': vector['webhook-signature'],
    },
    secret: vector.secret,
    now: new Date(vector.timestamp * 1_000),
  });
  const readable = vectors.filter(({ body }) => body.startsWith('{'));

  it.each(readable.map((vector) => [vector.name, vector] as const))(
    'the client verifies the published test vector: %s',
    async (_, vector) => {
      const delivery = given(vector);
      const event = JSON.parse(vector.body) as unknown;
      expect(await verifyWebhook(delivery)).toEqual(event);
      expect(await verifyWebhook({ ...delivery, signature: 'body' })).toEqual(event);
      if (vector.otherSecret)
        expect(await verifyWebhook({ ...delivery, secret: vector.otherSecret })).toEqual(event);
      const headers = new Headers(delivery.headers);
      expect(await verifyWebhook({ ...delivery, headers })).toEqual(event);
      const both = ['whsec_AAAA', vector.secret];
      expect(await verifyWebhook({ ...delivery, secret: both })).toEqual(event);
    },
  );

  const [plain] = vectors as [Vector, ...Vector[]];
  it.each([
    ['another body', { body: `${plain.body} ` }],
    ['another secret', { secret: 'whsec_AAAA' }],
    ['no secret', { secret: [] }],
    ['an empty secret', { secret: '' }],
    ['a delivery that is too old', { now: new Date((plain.timestamp + 301) * 1_000) }],
    ['a delivery from the future', { now: new Date((plain.timestamp - 301) * 1_000) }],
  ])("the client's verification refuses %s", async (_, change) => {
    await expect(verifyWebhook({ ...given(plain), ...change })).rejects.toBeInstanceOf(
      WebhookVerificationError,
    );
  });

  it.each([
    ['webhook-id', 'other'],
    ['webhook-timestamp', String(plain.timestamp + 1)],
    ['webhook-timestamp', 'soon'],
    ['webhook-signature', 'v1,AAAA'],
    ['webhook-signature', 'v1,?'],
    ['webhook-signature', undefined],
  ])("the client's verification refuses %s: %s", async (name, value) => {
    const delivery = given(plain);
    const headers = { ...delivery.headers, [name]: value };
    await expect(verifyWebhook({ ...delivery, headers })).rejects.toBeInstanceOf(
      WebhookVerificationError,
    );
  });

  it.each([
    undefined,
    'sha256=',
    `sha256=${'0'.repeat(64)}`,
    plain['X-Service-Signature'].slice(7),
  ])("the client's verification refuses X-Service-Signature: %s", async (value) => {
    const delivery = { ...given(plain), signature: 'body' as const };
    const headers = { ...delivery.headers, 'X-Service-Signature': value };
    await expect(verifyWebhook({ ...delivery, headers })).rejects.toBeInstanceOf(
      WebhookVerificationError,
    );
  });

  it('the client verifies deliveries of the service, during a rotation with either secret', async () => {
    const [secret, otherSecret] = ['A', 'B'].map(
      (letter) => `whsec_${Buffer.alloc(32, letter).toString('base64')}`,
    ) as [string, string];
    const body = JSON.stringify({ id: 'e', event: 'quiz.created', data: { title: 'Flüsse' } });
    const signed = { eventId: 'e', event: 'quiz.created', body, secret, otherSecret };
    const headers = deliveryHeaders({ ...signed, now: new Date() });
    for (const one of [secret, otherSecret])
      expect(await verifyWebhook({ body, headers, secret: one })).toMatchObject({ id: 'e' });
  });
});

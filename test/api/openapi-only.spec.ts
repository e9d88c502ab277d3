import { parse } from 'yaml';
import type { OpenApiDocument, OperationObject } from '../../src/platform/openapi/openapi-objects';
import { serviceSignature } from '../../src/webhooks/deliveries/signature';
import { eventually } from '../support/clock';
import { type Receiver, startReceiver } from '../support/receiver';
import { type Service, startService, type TestAccount } from '../support/service';
import { startWorkerBeside } from '../support/worker-beside';

/**
 * A program that knows the address of the service, a key and the OpenAPI document that it reads from there. Paths,
 * methods, parameters and the fields that a body must have are those of the document, found by operationId.
 */
let service: Service;
let receiver: Receiver;
let worker: { close(): Promise<void> };
let account: TestAccount;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService({
    WEBHOOK_ALLOW_INSECURE: 'true',
    WEBHOOK_RETRY_DELAYS: '1m',
    MODERATION: 'auto',
  });
  worker = await startWorkerBeside(service);
  account = await service.account();
});
afterAll(async () => {
  await worker.close();
  await service.close();
  await receiver.close();
});

type Fields = Record<string, unknown>;
interface Reply {
  status: number;
  etag: string;
  data: Fields & Fields[];
}
type Call = (operationId: string, given?: Fields, headers?: Fields) => Promise<Reply>;

/** Makes calls of what the document says, and of nothing else. */
async function readDocument(url: string, key: string): Promise<Call> {
  const text = await (await fetch(`${url}/api/v1/openapi.yaml`)).text();
  const document = parse(text) as OpenApiDocument;
  const resolve = (schema: { $ref?: string; required?: string[]; properties?: Fields }) =>
    schema.$ref === undefined
      ? schema
      : (document.components.schemas[schema.$ref.split('/').pop()!] as typeof schema);
  const operations = new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]): [
          string,
          { path: string; method: string; operation: OperationObject },
        ] => [operation.operationId, { path, method, operation }],
      ),
    ),
  );
  return async (operationId, given = {}, headers = {}) => {
    const found = operations.get(operationId);
    if (!found) throw new Error(`the document has no operation ${operationId}`);
    const rest = { ...given };
    const take = (name: string) => {
      const value = rest[name];
      delete rest[name];
      return encodeURIComponent(String(value));
    };
    const address = found.path.replace(/\{(\w+)\}/g, (_, name: string) => take(name));
    const query = (found.operation.parameters ?? [])
      .filter((it) => it.in === 'query' && it.name in rest)
      .map(({ name }) => `${name}=${take(name)}`);
    const schema = found.operation.requestBody?.content['application/json']?.schema;
    const body = schema && resolve(schema);
    for (const name of body?.required ?? [])
      expect([operationId, Object.keys(rest)]).toEqual([
        operationId,
        expect.arrayContaining([name]),
      ]);
    for (const name of Object.keys(rest))
      expect([operationId, Object.keys(body?.properties ?? {})]).toEqual([
        operationId,
        expect.arrayContaining([name]),
      ]);
    const response = await fetch(
      `${url}${address}${query.length > 0 ? `?${query.join('&')}` : ''}`,
      {
        method: found.method.toUpperCase(),
        headers: {
          Authorization: `Bearer ${key}`,
          ...(body && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(rest) }),
      },
    );
    const sent = await response.text();
    expect([operationId, response.status, Object.keys(found.operation.responses)]).toEqual([
      operationId,
      response.status,
      expect.arrayContaining([String(response.status)]),
    ]);
    const { data } = (sent ? JSON.parse(sent) : {}) as { data: Reply['data'] };
    return { status: response.status, etag: response.headers.get('ETag') ?? '', data };
  };
}

const question = (text: string) => ({
  text,
  type: 'TRUE_FALSE',
  difficulty: 'EASY',
  answers: [
    { text: 'True', isCorrect: true },
    { text: 'False', isCorrect: false },
  ],
});

it('a program that knows only the OpenAPI document builds, edits, publishes, subscribes, catches up and deletes', async () => {
  const call = await readDocument(service.url, account.key);
  const ok = async (...asked: Parameters<Call>) => {
    const reply = await call(...asked);
    expect([asked[0], reply.status < 300]).toEqual([asked[0], true]);
    return reply;
  };

  // It subscribes.
  const events = ['quiz.created', 'quiz.published', 'quiz.updated', 'quiz.deleted'];
  const { data: webhook } = await ok('createWebhook', { url: receiver.url('/in'), events });
  const secret = webhook.secret as string;

  // It builds a quiz, corrects it and puts its questions into another order.
  const { data: quiz } = await ok('createQuiz', { title: 'Rivrs', difficulty: 'EASY' });
  const id = quiz.id;
  const { data: imported } = await ok('importQuestions', {
    id,
    questions: ['The Rhine is a river.', 'The Alps are a rivr.', 'The Po is a sea.'].map(question),
  });
  const ids = (imported.questions as Fields[]).map((it) => it.id);
  const { etag } = await ok('getQuiz', { id });
  await ok('updateQuiz', { id, title: 'Rivers' }, { 'If-Match': etag });
  expect((await call('updateQuiz', { id, title: 'Lost' }, { 'If-Match': etag })).status).toBe(412);
  await ok('updateQuestion', { id: ids[1], text: 'The Alps are a river.' });
  await ok('deleteQuestion', { id: ids[2] });
  await ok('orderQuestions', { id, ids: [ids[1], ids[0]] });
  await eventually(() =>
    expect(receiver.at('/in').map((it) => it.headers['x-service-event'])).toContain('quiz.created'),
  );
  const handled = receiver
    .at('/in')
    .find((it) => it.headers['x-service-event'] === 'quiz.created')!;
  expect(handled.headers['x-service-signature']).toBe(
    serviceSignature(Buffer.from(handled.body), secret),
  );

  // Its receiver is lost while it publishes.
  receiver.answers('/in', { reset: true });
  const { data: published } = await ok('updateQuiz', { id, published: true });
  expect(published).toMatchObject({ title: 'Rivers', published: true, state: 'live' });
  const { data: read } = await ok('getQuiz', { id });
  expect((read.questions as Fields[]).map((it) => it.text)).toEqual([
    'The Alps are a river.',
    'The Rhine is a river.',
  ]);
  await eventually(async () => {
    const { data } = await ok('listDeliveries', { endpoint: webhook.id, event: 'quiz.published' });
    expect(data).toHaveLength(1);
  });

  // It catches up, and its receiver is back.
  await eventually(async () => {
    const { data: missed } = await ok('listEvents', {
      after: handled.id,
      types: 'quiz.published,quiz.updated',
      limit: 50,
    });
    const bodies = missed.map(
      (it) => JSON.parse(it.body as string) as { event: string; data: Fields },
    );
    expect(bodies.filter(({ event }) => event === 'quiz.published')).toMatchObject([
      { data: { quiz_id: id, title: 'Rivers' } },
    ]);
    expect(bodies.map(({ event }) => event)).toContain('quiz.updated');
  }, 20_000);
  receiver.answers('/in', {});

  // It deletes everything, and hears of it.
  await ok('deleteQuiz', { id });
  expect((await call('getQuiz', { id })).status).toBe(404);
  await eventually(() =>
    expect(receiver.at('/in').map((it) => it.headers['x-service-event'])).toContain('quiz.deleted'),
  );
  await ok('deleteWebhook', { id: webhook.id });
  expect((await ok('listWebhooks')).data).toEqual([]);
  const { data: mine } = await ok('listQuizzes', { mine: true });
  expect(mine).toEqual([]);
});

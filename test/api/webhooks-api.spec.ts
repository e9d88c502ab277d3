import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import { EVENT_NAMES, type EventName } from '../../src/events/event-map';
import { type AccountEvent, Outbox } from '../../src/events/outbox';
import { LIMITS } from '../../src/platform/limits/limits';
import { curlOf } from '../../src/webhooks/deliveries/curl';
import { failedSince } from '../../src/webhooks/deliveries/deliveries.queries';
import { DeliveriesService } from '../../src/webhooks/deliveries/deliveries.service';
import { verifySignature } from '../../src/webhooks/deliveries/signature';
import { eventually } from '../support/clock';
import { type Receiver, startReceiver } from '../support/receiver';
import { type Service, startService, type TestAccount } from '../support/service';
import { startWorkerBeside } from '../support/worker-beside';
import { createQuiz } from '../support/writing';

const MINUTE = 60_000;
/** The events of the specification, part 6. All others are opt-in. */
const SPECIFIED: EventName[] = [
  'quiz.created',
  'quiz.published',
  'attempt.submitted',
  'quiz.completed',
  'leaderboard.updated',
];
const UNKNOWN = '01990000-0000-7000-8000-000000000000';

let service: Service;
let receiver: Receiver;
let worker: INestApplicationContext;
let account: TestAccount;
let paths = 0;
let path: string;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService({ WEBHOOK_ALLOW_INSECURE: 'true', WEBHOOK_RETRY_DELAYS: '1m' });
  worker = await startWorkerBeside(service);
});
afterAll(async () => {
  await worker.close();
  await service.close();
  await receiver.close();
});
beforeEach(async () => {
  account = await service.account();
  path = `/${++paths}`;
});

interface Webhook {
  id: string;
  secret: string;
}
const added = async (events = ['quiz.created'], owner = account): Promise<Webhook> =>
  (await owner.post('/webhooks', { url: receiver.url(path), events }).expect(201)).body.data;

interface Delivery {
  id: string;
  status: string;
  attempts: number;
}
/** The newest delivery to an endpoint, once it has the status. */
const delivery = (endpoint: string, status: string) =>
  eventually(async () => {
    const { body } = await account.get(`/deliveries?endpoint=${endpoint}`).expect(200);
    const [newest] = body.data as Delivery[];
    expect(newest).toMatchObject({ status });
    return newest!;
  });

describe('webhook endpoints by the API', () => {
  it('POST /webhooks adds an endpoint and shows its secret once', async () => {
    const settings = { url: receiver.url(path), events: ['quiz.created', 'quiz.deleted'] };
    const { body } = await account.post('/webhooks', settings).expect(201);
    const endpoint = {
      id: expect.any(String),
      ...settings,
      allAccounts: false,
      rotation: null,
      disabledAt: null,
      disabledReason: null,
      failingSince: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    };
    expect(body).toEqual({
      success: true,
      data: { ...endpoint, secret: expect.stringMatching(/^whsec_/) },
    });
    const { body: one } = await account.get(`/webhooks/${body.data.id}`).expect(200);
    expect(one).toEqual({ success: true, data: endpoint });
    const { body: all } = await account.get('/webhooks').expect(200);
    expect(all).toEqual({ success: true, data: [endpoint] });
  });

  it('an opt-in event reaches only the endpoints that ask for it', async () => {
    const usual = await added(SPECIFIED);
    const asking = await added(['quiz.rejected']);
    const quiz = { quiz_id: 'q', title: 'Rivers' };
    await service.database.transaction((tx) =>
      service.app.get(Outbox).record(
        tx,
        [
          { name: 'quiz.updated', data: { ...quiz, updated_at: 'now' } },
          { name: 'quiz.deleted', data: { ...quiz, deleted_at: 'now' } },
          { name: 'quiz.rejected', data: { ...quiz, reason: 'why', rejected_at: 'now' } },
          { name: 'quiz.created', data: { ...quiz, category: null, created_by: 'me' } },
        ].map((event) => ({ ...event, accountId: account.accountId }) as AccountEvent),
      ),
    );
    await delivery(usual.id, 'delivered');
    await delivery(asking.id, 'delivered');
    const { body } = await account.get('/deliveries').expect(200);
    expect(
      body.data
        .map((it: { endpointId: string; event: string }) => [it.endpointId, it.event])
        .sort(),
    ).toEqual(
      [
        [usual.id, 'quiz.created'],
        [asking.id, 'quiz.rejected'],
      ].sort(),
    );
  });

  it.each([
    ['no fields', {}, ['url', 'events']],
    [
      'wrong types',
      { url: 7, events: [1, 'x'], allAccounts: 'yes' },
      ['url', 'events[0]', 'allAccounts'],
    ],
    ['invalid values', { url: 'ftp://example.com', events: ['quiz.made'] }, ['url', 'events']],
    [
      'a wrong type beside an invalid value',
      { url: 'ftp://example.com', events: 5 },
      ['events', 'url'],
    ],
    [
      'long lists and names',
      { url: 'x', events: ['x'.repeat(60), ...Array.from(EVENT_NAMES, () => 'quiz.created')] },
      ['events', 'events[0]', 'url'],
    ],
  ])('POST /webhooks with %s gets 422 with every issue', async (_, sent, expected) => {
    const { body } = await account.post('/webhooks', sent).expect(422);
    expect(body.details.map((it: { path: string }) => it.path)).toEqual(expected);
  });

  it('only an administrator adds an endpoint for the events of all accounts', async () => {
    const sent = { url: receiver.url(path), events: ['quiz.created'], allAccounts: true };
    const { body } = await account.post('/webhooks', sent).expect(403);
    expect(body.error).toContain('administrator');
    const admin = await service.account('free', { isAdmin: true });
    const { body: made } = await admin.post('/webhooks', sent).expect(201);
    expect(made.data.allAccounts).toBe(true);
    await admin.delete(`/webhooks/${made.data.id}`).expect(204);
  });

  it('PATCH /webhooks changes what it is given and nothing else', async () => {
    const { id } = await added();
    const change = async (sent: object) =>
      (await account.patch(`/webhooks/${id}`, sent).expect(200)).body.data;
    expect(await change({ events: ['quiz.rejected'] })).toMatchObject({
      url: receiver.url(path),
      events: ['quiz.rejected'],
    });
    expect(await change({ url: receiver.url('/other'), disabled: true })).toMatchObject({
      url: receiver.url('/other'),
      disabledAt: expect.any(String),
      disabledReason: 'Its owner disabled it.',
    });
    expect(await change({ disabled: false })).toMatchObject({
      url: receiver.url('/other'),
      disabledAt: null,
      disabledReason: null,
    });
  });

  it.each([
    ['no known field', { id: UNKNOWN }, ['']],
    ['wrong types', { url: 7, events: 'x', disabled: null }, ['url', 'events', 'disabled']],
    ['invalid values', { url: 'ftp://example.com', events: [] }, ['url', 'events']],
    ['an invalid value and a wrong type', { url: 'x', disabled: 1 }, ['disabled', 'url']],
  ])(
    'PATCH /webhooks with %s gets 422 with every issue and changes nothing',
    async (_, sent, expected) => {
      const { id } = await added();
      const { body: before } = await account.get(`/webhooks/${id}`);
      const { body } = await account.patch(`/webhooks/${id}`, sent).expect(422);
      expect(body.details.map((it: { path: string }) => it.path)).toEqual(expected);
      expect((await account.get(`/webhooks/${id}`)).body).toEqual(before);
    },
  );

  it('DELETE /webhooks removes the endpoint', async () => {
    const { id } = await added();
    const { text } = await account.delete(`/webhooks/${id}`).expect(204);
    expect(text).toBe('');
    await account.get(`/webhooks/${id}`).expect(404);
    await account.delete(`/webhooks/${id}`).expect(404);
  });

  it('a secret is rotated in three steps, and a step at the wrong time gets 409 that says what to do', async () => {
    const { id } = await added();
    const step = (name: string) => account.post(`/webhooks/${id}/secret`, { step: name });
    expect((await step('promote').expect(409)).body.error).toContain('stage one first');
    expect((await step('retire').expect(409)).body.error).toContain('stage and promote');
    const { body: staged } = await step('stage').expect(200);
    expect(staged.data).toMatchObject({ rotation: 'staged', secret: expect.any(String) });
    const { body: promoted } = await step('promote').expect(200);
    expect(promoted.data.rotation).toBe('retiring');
    expect(promoted.data).not.toHaveProperty('secret');
    expect((await step('stage').expect(409)).body.error).toContain('retire it first');
    expect((await step('retire').expect(200)).body.data.rotation).toBe(null);
    expect((await step('renew').expect(422)).body.details).toMatchObject([{ path: 'step' }]);
  });

  it('a secret that was staged by an id in capital letters signs deliveries after its promotion', async () => {
    const { id } = await added();
    const step = (name: string) =>
      account.post(`/webhooks/${id.toUpperCase()}/secret`, { step: name }).expect(200);
    const { secret } = (await step('stage')).body.data as Webhook;
    await step('promote');
    await createQuiz(account);
    await delivery(id, 'delivered');
    const [{ body, headers }] = receiver.at(path) as [ReturnType<typeof receiver.at>[0]];
    expect(verifySignature(body, String(headers['x-service-signature']), secret)).toBe(true);
  });

  it('a change with a stale If-Match gets 412 with the present ETag and changes nothing', async () => {
    const { id } = await added();
    const at = `/webhooks/${id}`;
    const { etag: stale = '' } = (await account.get(at).expect(200)).headers;
    const { headers } = await account
      .patch(at, { events: ['quiz.deleted'] })
      .set('If-Match', stale);
    const { headers: now, body } = await account.get(at).expect(200);
    expect(headers.etag).toBe(now.etag);
    for (const refused of [
      account.patch(at, { disabled: true }),
      account.post(`${at}/secret`, { step: 'stage' }),
      account.delete(at),
    ])
      expect((await refused.set('If-Match', stale).expect(412)).headers.etag).toBe(now.etag);
    expect((await account.get(at)).body).toEqual(body);
    const staged = await account
      .post(`${at}/secret`, { step: 'stage' })
      .set('If-Match', now.etag!)
      .expect(200);
    expect(staged.headers.etag).toBe((await account.get(at)).headers.etag);
    await account.delete(at).set('If-Match', staged.headers.etag!).expect(204);
  });

  it('of several changes at once with one If-Match exactly one is made', async () => {
    const { id } = await added();
    const { etag = '' } = (await account.get(`/webhooks/${id}`)).headers;
    const others = EVENT_NAMES.filter((name) => name !== 'quiz.created').slice(0, 6);
    const responses = await Promise.all(
      others.map((name) =>
        account.patch(`/webhooks/${id}`, { events: [name] }).set('If-Match', etag),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412]);
  });

  it('staging a secret again makes the ETag stale, so no second client replaces it unseen', async () => {
    const { id } = await added();
    const stage = (tag: string) =>
      account.post(`/webhooks/${id}/secret`, { step: 'stage' }).set('If-Match', tag);
    const { etag = '' } = (await stage('*').expect(200)).headers;
    const { headers } = await stage(etag).expect(200);
    expect((await stage(etag).expect(412)).headers.etag).toBe(headers.etag);
    expect((await account.get(`/webhooks/${id}`)).headers.etag).toBe(headers.etag);
  });

  it('an ETag from before a complete rotation of the secret is stale', async () => {
    const { id } = await added();
    const { etag: before = '' } = (await account.get(`/webhooks/${id}`)).headers;
    for (const step of ['stage', 'promote', 'retire'])
      await account.post(`/webhooks/${id}/secret`, { step }).expect(200);
    await account.delete(`/webhooks/${id}`).set('If-Match', before).expect(412);
  });

  it("another account's endpoint, delivery and event are not found", async () => {
    const { id } = await added();
    await createQuiz(account);
    const { id: deliveryId } = await delivery(id, 'delivered');
    const neighbour = await service.account();
    for (const endpoint of [id, UNKNOWN, 'x']) {
      const at = `/webhooks/${endpoint}`;
      await neighbour.get(at).expect(404);
      // Before the body is validated.
      await neighbour.patch(at, {}).expect(404);
      await neighbour.post(`${at}/secret`, {}).expect(404);
      await neighbour.post(`${at}/retry-failed`, {}).expect(404);
      await neighbour.post(`${at}/test`).expect(404);
      await neighbour.delete(at).expect(404);
    }
    for (const other of [deliveryId, UNKNOWN, 'x']) {
      await neighbour.get(`/deliveries/${other}`).expect(404);
      await neighbour.post(`/deliveries/${other}/retry`).expect(404);
    }
    const { body } = await neighbour.get(`/deliveries?endpoint=${id}`).expect(200);
    expect(body.data).toEqual([]);
    expect((await neighbour.get('/events').expect(200)).body.data).toEqual([]);
  });

  it('webhooks, deliveries and events need the scope webhooks', async () => {
    const reader = await service.keyOf(account, { scopes: ['read', 'write', 'publish', 'play'] });
    const asked = [
      reader.get('/webhooks'),
      reader.post('/webhooks', {}),
      reader.get(`/webhooks/${UNKNOWN}`),
      reader.patch(`/webhooks/${UNKNOWN}`, {}),
      reader.delete(`/webhooks/${UNKNOWN}`),
      reader.post(`/webhooks/${UNKNOWN}/test`),
      reader.post(`/webhooks/${UNKNOWN}/secret`, {}),
      reader.post(`/webhooks/${UNKNOWN}/retry-failed`, {}),
      reader.get('/deliveries'),
      reader.get(`/deliveries/${UNKNOWN}`),
      reader.post(`/deliveries/${UNKNOWN}/retry`),
      reader.get('/events'),
    ];
    for (const { status, body } of await Promise.all(asked)) {
      expect(status).toBe(403);
      expect(body.error).toContain('webhooks');
    }
    const { key } = await service.keyOf(account, { scopes: ['webhooks'] });
    await service.get('/webhooks').set('Authorization', `Bearer ${key}`).expect(200);
  });
});

describe('deliveries by the API', () => {
  it('a test event is sent, and its delivery shows the attempt', async () => {
    const { id } = await added();
    const { body } = await account.post(`/webhooks/${id}/test`).expect(202);
    const { deliveryId } = body.data;
    await delivery(id, 'delivered');
    const { body: one } = await account.get(`/deliveries/${deliveryId}`).expect(200);
    expect(one.data).toEqual({
      id: deliveryId,
      eventId: receiver.at(path)[0]!.id,
      event: 'webhook.test',
      endpointId: id,
      status: 'delivered',
      attempts: 1,
      nextAttemptAt: null,
      createdAt: expect.any(String),
      body: receiver.at(path)[0]!.body,
      attemptLog: [
        {
          number: 1,
          kind: 'test',
          startedAt: expect.any(String),
          durationMs: expect.any(Number),
          status: 204,
          error: null,
          requestHeaders: expect.objectContaining({ 'X-Service-Event': 'webhook.test' }),
          response: null,
        },
      ],
    });
    for (let sent = 1; sent < 6; sent++) await account.post(`/webhooks/${id}/test`).expect(202);
    const refused = await account.post(`/webhooks/${id}/test`).expect(429);
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
  });

  it('deliveries are filtered by endpoint, status, event and time, and read page by page', async () => {
    const first = await added();
    const second = await added(['quiz.published']);
    for (let count = 0; count < 3; count++) await createQuiz(account);
    await eventually(async () => {
      const { body } = await account.get(`/deliveries?endpoint=${first.id}&status=delivered`);
      expect(body.data).toHaveLength(3);
    });
    await account.post(`/webhooks/${second.id}/test`).expect(202);
    await delivery(second.id, 'delivered');
    const list = async (query: string) =>
      (await account.get(`/deliveries?${query}`).expect(200)).body;
    expect((await list('')).data).toHaveLength(4);
    expect((await list(`endpoint=${second.id}`)).data).toHaveLength(1);
    expect((await list('event=webhook.test')).data).toMatchObject([{ endpointId: second.id }]);
    expect((await list('event=quiz.created')).data).toHaveLength(3);
    expect((await list('status=failed')).data).toEqual([]);
    expect((await list('endpoint=x')).data).toEqual([]);
    expect((await list('since=2099-01-01T00:00:00Z')).data).toEqual([]);
    expect((await list('since=2020-01-01T00:00:00%2B02:00')).data).toHaveLength(4);
    const all = (await list('')).data.map((it: Delivery) => it.id);
    const page = await list('limit=3');
    expect(page.data.map((it: Delivery) => it.id)).toEqual(all.slice(0, 3));
    expect(page.meta).toEqual({ limit: 3, offset: 0, hasMore: true });
    const next = await list('limit=3&offset=3');
    expect(next.data.map((it: Delivery) => it.id)).toEqual(all.slice(3));
    expect(next.meta).toEqual({ limit: 3, offset: 3, hasMore: false });
    for (const query of [
      'status=lost',
      'event=quiz.made',
      'since=yesterday',
      'since=2026-13-01T00:00:00Z',
      'limit=51',
      'offset=-1',
    ])
      expect((await account.get(`/deliveries?${query}`).expect(400)).body.error).toContain(
        query.split('=')[0]!,
      );
  });

  it('a failed delivery is retried alone, and all failed ones of an endpoint since a time', async () => {
    const { id } = await added();
    receiver.answers(path, { status: 500 });
    const before = service.clock.now().toISOString();
    await createQuiz(account);
    await createQuiz(account);
    await eventually(() => expect(receiver.at(path)).toHaveLength(2));
    // An attempt that is under way would be interrupted by the time that passes.
    await eventually(async () => {
      const { body } = await account.get(`/deliveries?endpoint=${id}`);
      for (const { id } of body.data as Delivery[])
        expect((await account.get(`/deliveries/${id}`)).body.data.attemptLog).toHaveLength(1);
    });
    service.clock.advance(2 * MINUTE);
    const failed = await eventually(async () => {
      const { body } = await account.get(`/deliveries?endpoint=${id}&status=failed`);
      expect(body.data).toHaveLength(2);
      return body.data as Delivery[];
    });
    receiver.answers(path, {});
    const { body } = await account.post(`/deliveries/${failed[0]!.id}/retry`).expect(202);
    expect(body.data).toMatchObject({ id: failed[0]!.id, attemptLog: [{}, {}] });
    await eventually(async () => {
      const { body } = await account.get(`/deliveries/${failed[0]!.id}`);
      expect(body.data).toMatchObject({ status: 'delivered', attempts: 3 });
    });
    const retry = (since: unknown) => account.post(`/webhooks/${id}/retry-failed`, { since });
    for (const since of [undefined, 7, 'yesterday', '2026-02-01'])
      expect((await retry(since).expect(422)).body.details).toMatchObject([{ path: 'since' }]);
    expect((await retry('2099-01-01T00:00:00Z').expect(202)).body.data).toEqual({ retried: 0 });
    expect((await retry(before).expect(202)).body.data).toEqual({ retried: 1 });
    await eventually(async () => {
      const { body } = await account.get(`/deliveries?endpoint=${id}&status=delivered`);
      expect(body.data).toHaveLength(2);
    });
    await account.patch(`/webhooks/${id}`, { disabled: true }).expect(200);
    const conflict = await account.post(`/deliveries/${failed[0]!.id}/retry`).expect(409);
    expect(conflict.body.error).toContain('enable it');
    // Without a word it would look as if nothing had failed.
    const all = await retry(before).expect(409);
    expect(all.body.error).toBe('The endpoint is disabled: enable it, then retry.');
    expect(all.headers['x-error-code']).toBe('endpoint-disabled');
  });
});

test('a delivery shows the headers of its request as the receiver got them, and no secret', async () => {
  const { id, secret } = await added();
  await createQuiz(account);
  const { id: deliveryId } = await delivery(id, 'delivered');
  const { body } = await account.get(`/deliveries/${deliveryId}`).expect(200);
  const [attempt] = body.data.attemptLog;
  const sent = receiver.at(path)[0]!.headers;
  for (const [name, value] of Object.entries(attempt.requestHeaders))
    expect([name, value]).toEqual([name, sent[name.toLowerCase()]]);
  expect(Object.keys(attempt.requestHeaders)).toHaveLength(8);
  expect(JSON.stringify(body)).not.toContain(secret);
});

test('the curl command of a delivery makes the same request again, whatever its URL and body contain', async () => {
  path += '?list[]={a,b}';
  const { id, secret } = await added();
  await createQuiz(account, { title: `It's $(id) \`id\` "quoted" \\ é \x1b[2J\x7f\x9b2J` });
  const { id: deliveryId } = await delivery(id, 'delivered');
  const shown = await service.app
    .get(DeliveriesService)
    .get({ accountId: account.accountId }, deliveryId);
  const command = curlOf(shown)!;
  expect(command).not.toContain(secret);
  // A terminal obeys control characters, and a body has none but in escapes.
  expect(shown.body).not.toMatch(/\p{Cc}/u);
  expect(shown.body).toContain('\\u007f\\u009b2J');
  await promisify(execFile)('sh', ['-c', command]);
  const [first, again] = receiver.at(path);
  expect(again!.body).toBe(first!.body);
  expect(verifySignature(again!.body, String(again!.headers['x-service-signature']), secret)).toBe(
    true,
  );
  expect(again!.headers['x-service-delivery']).toBe(first!.headers['x-service-delivery']);
});

test('beyond the limit of bulk retries, Retry-After is longer than that of the rate limit, as documented', async () => {
  const { id } = await added();
  const retry = () =>
    account.post(`/webhooks/${id}/retry-failed`, { since: '2026-01-01T00:00:00Z' });
  for (let i = 0; i < LIMITS.actions.bulkRetryByAccount.value; i++) await retry().expect(202);
  const { headers } = await retry().expect(429);
  expect(Number(headers['retry-after'])).toBeGreaterThan(60);
});

test('retry-failed takes the oldest event first', async () => {
  const { id } = await added();
  for (let number = 0; number < 6; number++) await createQuiz(account);
  const deliveries = await eventually(async () => {
    const { body } = await account.get(`/deliveries?endpoint=${id}&status=delivered`).expect(200);
    expect(body.data).toHaveLength(6);
    return body.data as { id: string; eventId: string }[];
  });
  // The newest first, so that the rows are stored in that order.
  for (const one of deliveries)
    await service.database.query(`UPDATE webhook_deliveries SET status = 'failed' WHERE id = $1`, [
      one.id,
    ]);
  const since = new Date(0);
  const found = await failedSince(service.database, account.accountId, id, since);
  const oldestFirst = deliveries.toReversed().map((one) => one.id);
  expect(found.map((row) => row.id)).toEqual(oldestFirst);
  const { body } = await account.post(`/webhooks/${id}/retry-failed`, { since }).expect(202);
  expect(body.data).toEqual({ retried: 6 });
  await eventually(() => expect(receiver.at(path)).toHaveLength(12));
});

import { EVENT_NAMES } from '../../src/events/event-map';
import { AccountsService } from '../../src/access/accounts/accounts.service';
import { EndpointSecretsService } from '../../src/webhooks/endpoints/endpoint-secrets.service';
import { serviceSignature, standardSignature } from '../../src/webhooks/sending/signature';
import { Retention } from '../../src/webhooks/worker/retention';
import { startReceiver, type Receiver } from '../support/receiver';
import { eventually, setStage, type WebhookStage } from '../support/worker';

const MINUTE = 60_000;
const DAY = 86_400_000;

let stage: WebhookStage;
let receiver: Receiver;
let account: string;
let paths = 0;
let path: string;

beforeAll(async () => {
  receiver = await startReceiver();
  stage = await setStage();
});
afterAll(async () => {
  await stage.close();
  await receiver.close();
});
beforeEach(async () => {
  account = await stage.account();
  path = `/${++paths}`;
});

const owner = () => ({ accountId: account });
const attempts = (endpoint: string, count: number) =>
  eventually(async () => {
    const log = await stage.logOf(endpoint);
    expect(log.flatMap(({ attemptLog }) => attemptLog)).toHaveLength(count);
    return log;
  });

describe('settings', () => {
  it('a new endpoint shows its secret once and stores it sealed', async () => {
    const { endpoint, secret } = await stage.endpoints.add(account, {
      url: 'https://hooks.example.com/quiz#x',
      events: ['quiz.created', 'quiz.created', 'quiz.published'],
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(endpoint).toEqual({
      id: expect.any(String),
      accountId: account,
      url: 'https://hooks.example.com/quiz',
      events: ['quiz.created', 'quiz.published'],
      allAccounts: false,
      rotation: null,
      createdAt: expect.any(Date),
      disabledAt: null,
      disabledReason: null,
      failingSince: null,
    });
    expect(await stage.endpoints.get(owner(), endpoint.id)).toEqual(endpoint);
    const [row] = await stage.database.query(
      `SELECT e::text AS row, secret FROM webhook_endpoints e WHERE id = $1`,
      [endpoint.id],
    );
    expect(row.row).not.toContain(secret.slice(6));
    expect(row.secret.includes(secret.slice(6))).toBe(false);
  });

  it('an invalid endpoint lists every error, unknown events with the known ones', async () => {
    const invalid = { url: 'ftp://example.com', events: ['quiz.made'] };
    const error = await stage.endpoints.add(account, invalid).catch((it: unknown) => it);
    expect(error).toMatchObject({
      kind: 'invalid',
      details: [
        { path: 'url', code: 'scheme' },
        { path: 'events', code: 'event', message: expect.stringContaining(EVENT_NAMES.join(', ')) },
      ],
    });
    await expect(stage.endpoints.add(account, { url: receiver.url(), events: [] })).rejects.toThrow(
      'at least one is needed',
    );
  });

  it('an account has at most 20 endpoints, also when they are added at once', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 22 }, () => stage.endpoint(account, receiver.url(path))),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    expect(await stage.endpoints.list(owner())).toHaveLength(20);
    await stage.endpoints.remove(owner(), (await stage.endpoints.list(owner()))[0]!.id);
    await expect(stage.endpoint(account, receiver.url(path))).resolves.toBeDefined();
  });

  it("another account's endpoint is not found", async () => {
    const { id } = await stage.endpoint(account, receiver.url(path));
    const neighbour = { accountId: await stage.account() };
    const secrets = stage.get(EndpointSecretsService, { strict: false });
    for (const work of [
      () => stage.endpoints.get(neighbour, id),
      () => stage.endpoints.update(neighbour, id, { url: receiver.url() }),
      () => stage.endpoints.disable(neighbour, id),
      () => stage.endpoints.enable(neighbour, id),
      () => stage.endpoints.remove(neighbour, id),
      () => secrets.stage(neighbour, id),
    ])
      await expect(work()).rejects.toThrow('Webhook endpoint not found.');
    expect(await stage.endpoints.list(neighbour)).toEqual([]);
  });

  it("only an administrator's endpoint receives the events of all accounts", async () => {
    const all = { url: receiver.url(path), events: ['quiz.created'], allAccounts: true };
    await expect(stage.endpoints.add(account, all)).rejects.toThrow('administrator');
    const accounts = stage.get(AccountsService, { strict: false });
    const admin = await accounts.create({
      email: 'admin@example.com',
      plan: 'free',
      isAdmin: true,
    });
    const { endpoint } = await stage.endpoints.add(admin.id, all);
    await stage.emit(account);
    await attempts(endpoint.id, 1);
    await stage.endpoints.remove('operator', endpoint.id);
  });
});

describe('a change while a delivery is pending', () => {
  it('after a change of URL and secret, pending deliveries use the new ones with the stored body', async () => {
    const { id } = await stage.endpoint(account, receiver.url(path));
    receiver.answers(path, { status: 500 });
    await stage.emit(account);
    await attempts(id, 1);
    const secrets = stage.get(EndpointSecretsService, { strict: false });
    const { secret } = await secrets.stage(owner(), id);
    await secrets.promote(owner(), id);
    await stage.endpoints.update(owner(), id, { url: receiver.url(`${path}/new`) });
    stage.clock.advance(2 * MINUTE);
    await attempts(id, 2);
    const [before] = receiver.at(path);
    const [after] = receiver.at(`${path}/new`);
    expect(after!.body).toBe(before!.body);
    expect(after!.headers['x-service-signature']).toBe(serviceSignature(after!.body, secret));
  });

  it('deliveries of a disabled endpoint are paused, and continue when it is enabled', async () => {
    const { id } = await stage.endpoint(account, receiver.url(path));
    receiver.answers(path, { status: 500 }, {});
    await stage.emit(account);
    await attempts(id, 1);
    expect(await stage.endpoints.disable(owner(), id)).toMatchObject({
      disabledReason: 'Its owner disabled it.',
    });
    await stage.emit(account, 2);
    await eventually(async () =>
      expect((await stage.logOf(id)).filter(({ paused }) => paused)).toHaveLength(3),
    );
    stage.clock.advance(10 * DAY);
    await stage.sweep();
    expect(receiver.at(path)).toHaveLength(1);
    expect(await stage.endpoints.enable(owner(), id)).toMatchObject({
      disabledAt: null,
      disabledReason: null,
    });
    const log = await attempts(id, 4);
    expect(log.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered']);
  });

  it('deleting an endpoint cancels its deliveries after the attempt under way', async () => {
    const { id } = await stage.endpoint(account, receiver.url(path));
    receiver.answers(path, { status: 500 }, { status: 500, delay: 500 });
    await stage.emit(account);
    await attempts(id, 1);
    await stage.emit(account);
    await eventually(() => expect(receiver.at(path)).toHaveLength(2));
    await stage.endpoints.remove(owner(), id);
    const log = await attempts(id, 2);
    expect(log.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    await stage.emit(account);
    stage.clock.advance(DAY);
    await stage.sweep();
    expect(await stage.logOf(id)).toHaveLength(2);
  });
});

it('an endpoint that fails for five days is disabled, and its owner is notified', async () => {
  const { id } = await stage.endpoint(account, receiver.url(path));
  receiver.answers(path, { status: 500 });
  await stage.emit(account);
  await attempts(id, 1);
  stage.clock.advance(5 * DAY - MINUTE);
  await attempts(id, 2);
  expect(await stage.endpoints.get(owner(), id)).toMatchObject({ disabledAt: null });
  stage.clock.advance(11 * MINUTE);
  await attempts(id, 3);
  expect(await stage.endpoints.get(owner(), id)).toMatchObject({
    disabledAt: expect.any(Date),
    disabledReason: expect.stringContaining('five days'),
  });
  expect((await stage.logOf(id))[0]).toMatchObject({ status: 'pending', paused: true });
});

it('a secret is rotated in three steps, with both signatures in between', async () => {
  const { id, secret: old } = await stage.endpoint(account, receiver.url(path));
  const secrets = stage.get(EndpointSecretsService, { strict: false });
  const signers = async (candidates: Record<string, string>) => {
    const count = receiver.at(path).length;
    await stage.emit(account);
    await eventually(() => expect(receiver.at(path)).toHaveLength(count + 1));
    const { headers, body } = receiver.at(path).at(-1)!;
    const signed = {
      id: headers['webhook-id'] as string,
      timestamp: Number(headers['webhook-timestamp']),
      body,
    };
    const entries = Object.entries(candidates);
    return {
      service: entries
        .filter(([, secret]) => serviceSignature(body, secret) === headers['x-service-signature'])
        .map(([name]) => name),
      standard: (headers['webhook-signature'] as string)
        .split(' ')
        .map(
          (given) =>
            entries.find(([, secret]) => standardSignature({ ...signed, secret }) === given)?.[0],
        ),
    };
  };

  await expect(secrets.promote(owner(), id)).rejects.toThrow('no staged secret');
  await expect(secrets.retire(owner(), id)).rejects.toThrow('no old secret');
  const { secret: fresh, endpoint } = await secrets.stage(owner(), id);
  expect(endpoint.rotation).toBe('staged');
  expect(await signers({ old, fresh })).toEqual({ service: ['old'], standard: ['old', 'fresh'] });
  expect((await secrets.promote(owner(), id)).rotation).toBe('retiring');
  expect(await signers({ old, fresh })).toEqual({ service: ['fresh'], standard: ['fresh', 'old'] });
  await expect(secrets.stage(owner(), id)).rejects.toThrow('retire it first');
  expect((await secrets.retire(owner(), id)).rotation).toBeNull();
  expect(await signers({ old, fresh })).toEqual({ service: ['fresh'], standard: ['fresh'] });
});

it('retention deletes finished deliveries with their events, and keeps pending ones', async () => {
  const retention = stage.get(Retention, { strict: false });
  const done = await stage.endpoint(account, receiver.url(path));
  const pending = await stage.endpoint(account, receiver.url(`${path}/off`));
  await stage.endpoints.disable(owner(), pending.id);
  await stage.emit(account);
  const unheard = await stage.account();
  const [lonely] = await stage.emit(unheard);
  await attempts(done.id, 1);
  stage.clock.advance(29 * DAY);
  await retention.prune();
  expect(await stage.logOf(done.id)).toHaveLength(1);
  stage.clock.advance(2 * DAY);
  await retention.prune();
  expect(await stage.logOf(done.id)).toEqual([]);
  expect(await stage.logOf(pending.id)).toHaveLength(1);
  const left = await stage.database.query(`SELECT id FROM outbox_events WHERE id = $1`, [lonely]);
  expect(left).toEqual([]);
});

it('deliveries are listed by owner, endpoint, status and event, newest first, page by page', async () => {
  const one = await stage.endpoint(account, receiver.url(path));
  const two = await stage.endpoint(account, receiver.url(`${path}/two`), ['quiz.published']);
  await stage.emit(account, 3);
  await stage.emit(account, 1, 'quiz.published');
  await attempts(one.id, 3);
  await attempts(two.id, 1);
  const list = await stage.deliveries.list(owner());
  expect(list.map(({ id }) => id)).toEqual(
    list
      .map(({ id }) => id)
      .sort()
      .reverse(),
  );
  expect(list).toHaveLength(4);
  expect(list[0]).toMatchObject({
    status: 'delivered',
    attempts: 1,
    lastAttempt: { number: 1, status: 204, startedAt: expect.any(Date) },
  });
  expect(await stage.deliveries.list(owner(), { event: 'quiz.published' })).toMatchObject([
    { endpointId: two.id },
  ]);
  expect(await stage.deliveries.list(owner(), { status: 'failed' })).toEqual([]);
  const page = await stage.deliveries.list(owner(), { endpointId: one.id, limit: 2 });
  const next = await stage.deliveries.list(owner(), {
    endpointId: one.id,
    limit: 2,
    before: page[1]!.id,
  });
  expect([page.length, next.length]).toEqual([2, 1]);
  expect(await stage.deliveries.list({ accountId: await stage.account() })).toEqual([]);
});

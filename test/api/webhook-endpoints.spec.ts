import { AccountsService } from '../../src/access/accounts/accounts.service';
import { AuditLog } from '../../src/access/audit/audit-log';
import { EVENT_NAMES } from '../../src/events/event-map';
import { Config } from '../../src/platform/config/config';
import {
  DeliveryRetention,
  SEEN_EVENTS,
} from '../../src/webhooks/deliveries/delivery-retention.service';
import { serviceSignature, standardSignature } from '../../src/webhooks/deliveries/signature';
import { WebhookEndpoint } from '../../src/webhooks/endpoints/endpoint.entity';
import { findWithSecrets } from '../../src/webhooks/endpoints/endpoint.queries';
import { EndpointSecretsService } from '../../src/webhooks/endpoints/endpoint-secrets.service';
import { eventually } from '../support/clock';
import { type Receiver, startReceiver } from '../support/receiver';
import { createFixture, type WebhookFixture } from '../support/worker';

const MINUTE = 60_000;
const DAY = 86_400_000;

let fixture: WebhookFixture;
let receiver: Receiver;
let account: string;
let paths = 0;
let path: string;

beforeAll(async () => {
  receiver = await startReceiver();
  fixture = await createFixture();
});
afterAll(async () => {
  await fixture.close();
  await receiver.close();
});
beforeEach(async () => {
  account = await fixture.account();
  path = `/${++paths}`;
});

const owner = () => ({ accountId: account });
const attempts = (endpoint: string, count: number) =>
  eventually(async () => {
    const log = await fixture.logOf(endpoint);
    expect(log.flatMap(({ attemptLog }) => attemptLog)).toHaveLength(count);
    return log;
  });

describe('settings', () => {
  it('a new endpoint shows its secret once and stores it sealed', async () => {
    const { endpoint, secret } = await fixture.endpoints.add(account, {
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
      version: expect.any(String),
    });
    expect(await fixture.endpoints.get(owner(), endpoint.id)).toEqual(endpoint);
    const [row] = await fixture.database.query(
      `SELECT e::text AS row, secret FROM webhook_endpoints e WHERE id = $1`,
      [endpoint.id],
    );
    expect(row.row).not.toContain(secret.slice(6));
    expect(row.secret.includes(secret.slice(6))).toBe(false);
    expect(row.secret.includes(Buffer.from(secret.slice(6), 'base64'))).toBe(false);
  });

  it('the secrets of endpoints are read only where they are asked for', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    const endpoints = fixture.database.getRepository(WebhookEndpoint);
    const [listed] = await endpoints.findBy({ accountId: account });
    expect(listed).toMatchObject({ id, rotation: null });
    expect(listed?.secret).toBeUndefined();
    expect(listed?.otherSecret).toBeUndefined();
    expect(await findWithSecrets(endpoints, { id })).toMatchObject({
      secret: expect.any(Buffer),
      otherSecret: null,
    });
  });

  it('an invalid endpoint lists every error, unknown events with the known ones', async () => {
    const invalid = { url: 'ftp://example.com', events: ['quiz.made'] };
    const error = await fixture.endpoints.add(account, invalid).catch((it: unknown) => it);
    expect(error).toMatchObject({
      kind: 'invalid',
      details: [
        { path: 'url', code: 'scheme' },
        {
          path: 'events',
          code: 'choice',
          message: `events must not hold "quiz.made": choose from ${EVENT_NAMES.join(', ')}`,
        },
      ],
    });
    await expect(
      fixture.endpoints.add(account, { url: receiver.url(), events: [] }),
    ).rejects.toMatchObject({
      details: [
        {
          path: 'events',
          code: 'too_few',
          message: expect.stringContaining('events must hold at least 1 event type'),
        },
      ],
    });
  });

  it('an account has at most 20 endpoints, also when they are added at once', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 22 }, () => fixture.endpoint(account, receiver.url(path))),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    expect(await fixture.endpoints.list(owner())).toHaveLength(20);
    await fixture.endpoints.remove(owner(), (await fixture.endpoints.list(owner()))[0]!.id);
    await expect(fixture.endpoint(account, receiver.url(path))).resolves.toBeDefined();
  });

  it("another account's endpoint is not found", async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    const neighbour = { accountId: await fixture.account() };
    const secrets = fixture.get(EndpointSecretsService, { strict: false });
    for (const work of [
      () => fixture.endpoints.get(neighbour, id),
      () => fixture.endpoints.update(neighbour, id, { url: receiver.url() }),
      () => fixture.endpoints.disable(neighbour, id),
      () => fixture.endpoints.enable(neighbour, id),
      () => fixture.endpoints.remove(neighbour, id),
      () => secrets.stage(neighbour, id),
      () => secrets.promote(neighbour, id),
      () => secrets.retire(neighbour, id),
    ])
      await expect(work()).rejects.toThrow('Webhook endpoint not found.');
    expect(await fixture.endpoints.list(neighbour)).toEqual([]);
  });

  it("only an administrator's endpoint receives the events of all accounts", async () => {
    const all = { url: receiver.url(path), events: ['quiz.created'], allAccounts: true };
    await expect(fixture.endpoints.add(account, all)).rejects.toThrow('administrator');
    const accounts = fixture.get(AccountsService, { strict: false });
    const admin = await accounts.createIn(fixture.database.manager, {
      email: 'admin@example.com',
      plan: 'free',
      isAdmin: true,
    });
    const { endpoint } = await fixture.endpoints.add(admin.id, all);
    await fixture.emit(account);
    await attempts(endpoint.id, 1);
    await fixture.endpoints.remove('operator', endpoint.id);
  });
});

describe('a change while a delivery is pending', () => {
  it('after a change of URL and secret, pending deliveries use the new ones with the stored body', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    receiver.answers(path, { status: 500 });
    await fixture.emit(account);
    await attempts(id, 1);
    const secrets = fixture.get(EndpointSecretsService, { strict: false });
    const { secret } = await secrets.stage(owner(), id);
    await secrets.promote(owner(), id);
    await fixture.endpoints.update(owner(), id, { url: receiver.url(`${path}/new`) });
    fixture.clock.advance(2 * MINUTE);
    await attempts(id, 2);
    const [before] = receiver.at(path);
    const [after] = receiver.at(`${path}/new`);
    expect(after!.body).toBe(before!.body);
    expect(after!.headers['x-service-signature']).toBe(serviceSignature(after!.body, secret));
  });

  it('deliveries of a disabled endpoint are paused, and continue when it is enabled', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    receiver.answers(path, { status: 500 }, {});
    await fixture.emit(account);
    await attempts(id, 1);
    expect(await fixture.endpoints.disable(owner(), id)).toMatchObject({
      disabledReason: 'Its owner disabled it.',
    });
    await fixture.emit(account, 2);
    await eventually(async () =>
      expect((await fixture.logOf(id)).filter(({ paused }) => paused)).toHaveLength(3),
    );
    fixture.clock.advance(10 * DAY);
    await fixture.runJobs();
    expect(receiver.at(path)).toHaveLength(1);
    expect(await fixture.endpoints.enable(owner(), id)).toMatchObject({
      disabledAt: null,
      disabledReason: null,
    });
    const log = await attempts(id, 4);
    expect(log.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered']);
  });

  it('deleting an endpoint cancels its deliveries after the attempt under way', async () => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    receiver.answers(path, { status: 500 }, { status: 500, delay: 500 });
    await fixture.emit(account);
    await attempts(id, 1);
    await fixture.emit(account);
    await eventually(() => expect(receiver.at(path)).toHaveLength(2));
    await fixture.endpoints.remove(owner(), id);
    const log = await attempts(id, 2);
    expect(log.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    await fixture.emit(account);
    fixture.clock.advance(DAY);
    await fixture.runJobs();
    expect(await fixture.logOf(id)).toHaveLength(2);
  });
});

it('an endpoint that fails for five days is disabled, and its owner is notified', async () => {
  const { id } = await fixture.endpoint(account, receiver.url(path));
  receiver.answers(path, { status: 500 });
  await fixture.emit(account);
  await attempts(id, 1);
  fixture.clock.advance(5 * DAY - MINUTE);
  await attempts(id, 2);
  expect(await fixture.endpoints.get(owner(), id)).toMatchObject({ disabledAt: null });
  fixture.clock.advance(11 * MINUTE);
  await attempts(id, 3);
  expect(await fixture.endpoints.get(owner(), id)).toMatchObject({
    disabledAt: expect.any(Date),
    disabledReason: expect.stringContaining('five days'),
  });
  expect((await fixture.logOf(id))[0]).toMatchObject({ status: 'pending', paused: true });
  expect(
    await fixture.database.query('SELECT title, path FROM notices WHERE account_id = $1', [
      account,
    ]),
  ).toEqual([
    {
      title: `Webhooks to ${new URL(receiver.url()).host} are disabled`,
      path: `/dashboard/webhooks/${id}`,
    },
  ]);
});

it('the five days of a failing endpoint start again with another URL', async () => {
  const { id } = await fixture.endpoint(account, receiver.url(path));
  receiver.answers(path, { status: 500 });
  await fixture.emit(account);
  await attempts(id, 1);
  fixture.clock.advance(5 * DAY - MINUTE);
  await attempts(id, 2);
  const failingSince = async () => (await fixture.endpoints.get(owner(), id)).failingSince;
  await fixture.endpoints.update(owner(), id, {
    url: receiver.url(path),
    events: ['quiz.created'],
  });
  expect(await failingSince()).not.toBeNull();
  receiver.answers(`${path}/new`, { status: 503 });
  await fixture.endpoints.update(owner(), id, { url: receiver.url(`${path}/new`) });
  expect(await failingSince()).toBeNull();
  fixture.clock.advance(11 * MINUTE);
  await attempts(id, 3);
  expect(await fixture.endpoints.get(owner(), id)).toMatchObject({
    disabledAt: null,
    failingSince: expect.any(Date),
  });
});

it.each([410, 500])(
  'what an earlier URL responds after the change, such as %d, neither disables the endpoint nor makes it fail',
  async (status) => {
    const { id } = await fixture.endpoint(account, receiver.url(path));
    let respond = () => {};
    receiver.answers(path, { status, delay: new Promise((done) => (respond = done)) });
    await fixture.emit(account);
    await eventually(() => expect(receiver.at(path)).toHaveLength(1));
    await fixture.endpoints.update(owner(), id, { url: receiver.url(`${path}/new`) });
    respond();
    await attempts(id, 1);
    expect(await fixture.endpoints.get(owner(), id)).toMatchObject({
      disabledAt: null,
      failingSince: null,
    });
  },
);

it('a success at an earlier URL does not end the failure of the present one', async () => {
  const { id } = await fixture.endpoint(account, receiver.url(path));
  let respond = () => {};
  receiver.answers(path, { delay: new Promise((done) => (respond = done)) });
  await fixture.emit(account);
  await eventually(() => expect(receiver.at(path)).toHaveLength(1));
  receiver.answers(`${path}/new`, { status: 500 });
  await fixture.endpoints.update(owner(), id, { url: receiver.url(`${path}/new`) });
  await fixture.emit(account);
  const failingSince = async () => (await fixture.endpoints.get(owner(), id)).failingSince;
  await eventually(async () => expect(await failingSince()).not.toBeNull());
  respond();
  await eventually(async () =>
    expect((await fixture.logOf(id)).map(({ status }) => status).sort()).toEqual([
      'delivered',
      'pending',
    ]),
  );
  expect(await failingSince()).not.toBeNull();
});

it('an endpoint that responds again no longer fails, also when the database refuses that at first', async () => {
  const { id } = await fixture.endpoint(account, receiver.url(path));
  receiver.answers(path, { status: 500 }, {});
  await fixture.emit(account);
  await attempts(id, 1);
  expect((await fixture.endpoints.get(owner(), id)).failingSince).not.toBeNull();
  await fixture.database.query(`
    CREATE SEQUENCE tries;
    CREATE FUNCTION refuse_once() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF nextval('tries') = 1 THEN RAISE 'refused'; END IF; RETURN NEW; END $$;
    CREATE TRIGGER refuse_once BEFORE UPDATE OF failing_since ON webhook_endpoints
      FOR EACH ROW EXECUTE FUNCTION refuse_once()`);
  try {
    fixture.clock.advance(2 * MINUTE);
    const [delivery] = await attempts(id, 2);
    expect(delivery!.status).toBe('delivered');
    await eventually(async () =>
      expect((await fixture.endpoints.get(owner(), id)).failingSince).toBeNull(),
    );
    const [{ refusedOnce }] = await fixture.database.query<[{ refusedOnce: boolean }]>(
      'SELECT last_value > 1 AS "refusedOnce" FROM tries',
    );
    expect(refusedOnce).toBe(true);
  } finally {
    await fixture.database.query('DROP FUNCTION refuse_once CASCADE; DROP SEQUENCE tries');
  }
});

it('a secret is rotated in three steps, with both signatures in between', async () => {
  const { id, secret: old } = await fixture.endpoint(account, receiver.url(path));
  const secrets = fixture.get(EndpointSecretsService, { strict: false });
  const signers = async (candidates: Record<string, string>) => {
    const count = receiver.at(path).length;
    await fixture.emit(account);
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

it('the audit log records each step of a rotation', async () => {
  const { id } = await fixture.endpoint(account, receiver.url(path));
  const secrets = fixture.get(EndpointSecretsService, { strict: false });
  await secrets.stage(owner(), id);
  await secrets.promote('operator', id);
  await secrets.retire(owner(), id);
  const entries = await fixture.get(AuditLog, { strict: false }).about(id, 4);
  expect(entries.map(({ action, detail }) => [action, detail])).toEqual([
    ['webhook.changed', 'secret retired'],
    ['webhook.changed', 'secret promoted'],
    ['webhook.changed', 'secret staged'],
    ['webhook.added', ''],
  ]);
});

it('retention deletes finished deliveries with their events, and keeps those of a disabled endpoint', async () => {
  const retention = fixture.get(DeliveryRetention, { strict: false });
  const events = ['quiz.created', 'quiz.published'] as const;
  const done = await fixture.endpoint(account, receiver.url(path), [...events]);
  const pending = await fixture.endpoint(account, receiver.url(`${path}/off`));
  await fixture.endpoints.disable(owner(), pending.id);
  await fixture.emit(account);
  const [delivered] = await fixture.emit(account, 1, 'quiz.published');
  const unheard = await fixture.account();
  const [lonely] = await fixture.emit(unheard);
  await attempts(done.id, 2);
  fixture.clock.advance(29 * DAY);
  await retention.prune();
  expect(await fixture.logOf(done.id)).toHaveLength(2);
  fixture.clock.advance(2 * DAY);
  await retention.prune();
  expect(await fixture.logOf(done.id)).toEqual([]);
  expect(await fixture.logOf(pending.id)).toHaveLength(1);
  const left = await fixture.database.query('SELECT id FROM outbox_events WHERE id = ANY ($1)', [
    [delivered, lonely],
  ]);
  expect(left).toEqual([]);
});

it('retention looks at some of the events that a disabled endpoint keeps, and gets past them', async () => {
  // Not the worker's own, which goes on among the events each minute.
  const config = fixture.get(Config, { strict: false });
  const retention = new DeliveryRetention(fixture.database, fixture.clock, config);
  const { id: endpointId } = await fixture.endpoint(account, receiver.url(path));
  await fixture.endpoints.disable(owner(), endpointId);
  const other = await fixture.account();
  const insert = (count: number, relayedAt: Date, accountId: string) =>
    fixture.database.query<{ id: string }[]>(
      `INSERT INTO outbox_events (id, name, account_id, body, created_at, relayed_at)
       SELECT gen_random_uuid(), 'quiz.created', $2, '{}', $3, $3 FROM generate_series(1, $1) RETURNING id`,
      [count, accountId, relayedAt],
    );
  const { clock, database } = fixture;
  const left = async (ids: readonly { id: string }[]) =>
    database.query<{ id: string }[]>('SELECT id FROM outbox_events WHERE id = ANY ($1)', [
      ids.map(({ id }) => id),
    ]);
  // Whatever other tests have left is gone, and what the worker delivers and relays of it between the two steps.
  clock.advance(31 * DAY);
  while (await retention.prune());
  clock.advance(31 * DAY);
  while (await retention.prune());
  const kept = await insert(SEEN_EVENTS, clock.cutoff(61 * DAY), account);
  await database.query(
    `INSERT INTO webhook_deliveries (id, event_id, endpoint_id, event, status, next_attempt_at, created_at)
     SELECT gen_random_uuid(), id, $2, 'quiz.created', 'paused', $3, $3 FROM unnest($1::uuid[]) AS id`,
    [kept.map(({ id }) => id), endpointId, clock.now()],
  );
  const unheard = await insert(1, clock.cutoff(32 * DAY), other);
  expect(await retention.prune()).toBe(false);
  expect(await left(unheard)).toEqual(unheard);
  await retention.prune();
  expect(await left(unheard)).toEqual([]);
  expect(await left(kept)).toHaveLength(SEEN_EVENTS);
  await database.query('DELETE FROM webhook_deliveries WHERE endpoint_id = $1', [endpointId]);
  while (await retention.prune());
  expect(await left(kept)).toEqual([]);
});

it('deliveries are listed by owner, endpoint, status and event, newest first, page by page', async () => {
  const one = await fixture.endpoint(account, receiver.url(path));
  const two = await fixture.endpoint(account, receiver.url(`${path}/two`), ['quiz.published']);
  await fixture.emit(account, 3);
  await fixture.emit(account, 1, 'quiz.published');
  await attempts(one.id, 3);
  await attempts(two.id, 1);
  const list = await fixture.deliveries.list(owner());
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
  expect(await fixture.deliveries.list(owner(), { event: 'quiz.published' })).toMatchObject([
    { endpointId: two.id },
  ]);
  expect(await fixture.deliveries.list(owner(), { status: 'failed' })).toEqual([]);
  const page = await fixture.deliveries.list(owner(), { endpointId: one.id, limit: 2 });
  const next = await fixture.deliveries.list(owner(), {
    endpointId: one.id,
    limit: 2,
    before: page[1]!.id,
  });
  expect([page.length, next.length]).toEqual([2, 1]);
  expect(await fixture.deliveries.list({ accountId: await fixture.account() })).toEqual([]);
});

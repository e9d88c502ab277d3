import request from 'supertest';
import { AccountAdministrationService } from '../../src/access/administration/account-administration.service';
import { OPERATOR } from '../../src/access/audit/actor';
import { AuditLog } from '../../src/access/audit/audit-log';
import { ReviewService } from '../../src/authoring/review/review.service';
import { DeliveriesService } from '../../src/webhooks/deliveries/deliveries.service';
import { EndpointsService } from '../../src/webhooks/endpoints/endpoints.service';
import { eventually } from '../support/clock';
import { makeQuiz } from '../support/content';
import { countersEqualCounts } from '../support/counters';
import { signIn } from '../support/dashboard';
import { type Receiver, startReceiver } from '../support/receiver';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { wordsOf } from '../support/visitor';
import { startWorkerBeside } from '../support/worker-beside';
import { createQuiz } from '../support/writing';

/** Privileges end when they are withdrawn, whatever was set up with them before. */

let service: Service;
let worker: { close(): Promise<void> };
let receiver: Receiver;
let accounts: AccountAdministrationService;
let endpoints: EndpointsService;
let deliveries: DeliveriesService;
let paths = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService({ WEBHOOK_ALLOW_INSECURE: 'true' });
  worker = await startWorkerBeside(service);
  accounts = service.app.get(AccountAdministrationService);
  endpoints = service.app.get(EndpointsService, { strict: false });
  deliveries = service.app.get(DeliveriesService, { strict: false });
});
afterAll(async () => {
  await worker.close();
  await service.close();
  await receiver.close();
});

const demote = ({ accountId }: TestAccount) =>
  accounts.setAdministrator(OPERATOR, accountId, false);
const disable = ({ accountId }: TestAccount) => accounts.setDisabled(OPERATOR, accountId, true);
const enable = ({ accountId }: TestAccount) => accounts.setDisabled(OPERATOR, accountId, false);
const relayed = () =>
  eventually(async () => {
    const rows = `SELECT FROM outbox_events WHERE relayed_at IS NULL`;
    expect(await service.database.query<object[]>(rows)).toEqual([]);
  });
const titlesAt = (path: string) =>
  receiver.at(path).map(({ body }) => (JSON.parse(body) as { data: { title: string } }).data.title);
const statusesOf = async (endpointId: string) =>
  (await deliveries.list('operator', { endpointId })).map(({ status }) => status).sort();

describe("an administrator's endpoint for all accounts", () => {
  let admin: TestAccount;
  let other: TestAccount;
  let path: string;
  let endpointId: string;

  beforeEach(async () => {
    admin = await service.account('pro', { isAdmin: true });
    other = await service.account('pro');
    path = `/all-${++paths}`;
    const all = { url: receiver.url(path), events: ['quiz.created'], allAccounts: true };
    endpointId = (await endpoints.add(admin.accountId, all)).endpoint.id;
  });
  afterEach(() => endpoints.remove('operator', endpointId));

  it('an endpoint for all accounts is listed for administrators and audited from its creation', async () => {
    const page = await (await signIn(service, admin)).open('/admin/accounts').expect(200);
    expect(wordsOf(page)).toContain(`Endpoints for all accounts`);
    expect(page.text).toContain(receiver.url(path));
    const [added] = await service.app.get(AuditLog).about(endpointId, 1);
    expect(added).toMatchObject({
      action: 'webhook.added',
      actorEmail: admin.email,
      objectName: receiver.url(path),
      detail: 'events of all accounts',
    });
  });

  it.each([
    ['demoted', demote],
    ['disabled', disable],
  ])(
    'an endpoint for all accounts receives nothing of others once its owner is %s',
    async (_, withdraw) => {
      await createQuiz(other, { title: 'Before' });
      await eventually(() => expect(titlesAt(path)).toEqual(['Before']));
      await withdraw(admin);
      await createQuiz(other, { title: 'A secret draft', published: false });
      await relayed();
      expect(await endpoints.get('operator', endpointId)).toMatchObject({
        allAccounts: false,
        disabledReason: expect.stringContaining('its owner has lost the right to them'),
      });
      if (withdraw === disable) await enable(admin);
      expect(await endpoints.get('operator', endpointId)).toMatchObject({
        disabledReason: expect.stringContaining('its owner has lost the right to them'),
      });
      await endpoints.enable('operator', endpointId);
      await createQuiz(admin, { title: 'Own', published: false });
      await eventually(() => expect(titlesAt(path)).toEqual(['Before', 'Own']));
    },
  );

  it('a demotion cancels pending and running deliveries to an endpoint for all accounts', async () => {
    receiver.answers(path, { status: 500 }, { hang: true });
    await createQuiz(other, { title: 'Waits for its retry' });
    await eventually(() => expect(titlesAt(path)).toHaveLength(1));
    await createQuiz(other, { title: 'Is being sent' });
    await eventually(() => expect(titlesAt(path)).toHaveLength(2));
    await demote(admin);
    expect(await statusesOf(endpointId)).toEqual(['cancelled', 'cancelled']);
    receiver.answers(path, {});
    await endpoints.enable('operator', endpointId);
    service.clock.advance(2 * 3_600_000);
    await createQuiz(admin, { title: 'Own' });
    await eventually(() => expect(titlesAt(path)).toHaveLength(3));
    expect(titlesAt(path).at(-1)).toBe('Own');
  });

  it("a demotion tells the owner's other endpoints that one was disabled", async () => {
    const about = `${path}/about`;
    await endpoints.add(admin.accountId, {
      url: receiver.url(about),
      events: ['endpoint.disabled'],
    });
    await demote(admin);
    await eventually(() => expect(receiver.at(about)).toHaveLength(1));
    expect(JSON.parse(receiver.at(about)[0]?.body ?? '')).toMatchObject({
      event: 'endpoint.disabled',
      data: { endpoint_id: endpointId, reason: 'right_withdrawn' },
    });
  });

  it('a demotion stores no event about the disabled endpoint when no other endpoint subscribes to it', async () => {
    await demote(admin);
    expect((await endpoints.get('operator', endpointId)).disabledAt).not.toBeNull();
    const stored = `SELECT name FROM outbox_events WHERE account_id = $1`;
    expect(await service.database.query(stored, [admin.accountId])).toEqual([]);
  });

  it('a demoted owner cannot edit, retry or read the log of an endpoint for all accounts', async () => {
    await createQuiz(other, { title: 'Received as an administrator' });
    await eventually(async () => expect(await statusesOf(endpointId)).toEqual(['delivered']));
    const [delivery] = await deliveries.list(admin, { endpointId });
    await demote(admin);
    await expect(endpoints.update(admin, endpointId, { allAccounts: true })).rejects.toThrow(
      'administrator',
    );
    await endpoints.update(admin, endpointId, { url: receiver.url(`${path}/new`) });
    await endpoints.enable(admin, endpointId);
    expect(await deliveries.list(admin, { endpointId })).toEqual([]);
    await expect(deliveries.get(admin, delivery!.id)).rejects.toThrow('not found');
    await deliveries.retry('operator', delivery!.id);
    await createQuiz(admin, { title: 'Own' });
    await eventually(() => expect(titlesAt(`${path}/new`)).toEqual(['Own']));
  });
});

describe('the webhooks of a disabled account', () => {
  it('webhooks of a disabled account wait, cannot be enabled, and are delivered once the account is enabled', async () => {
    const owner = await service.account('pro');
    const path = `/own-${++paths}`;
    const settings = { url: receiver.url(path), events: ['quiz.created'] };
    const { endpoint } = await endpoints.add(owner.accountId, settings);
    receiver.answers(path, { status: 500 }, {});
    await createQuiz(owner, { title: 'Failed once' });
    await eventually(() => expect(receiver.at(path)).toHaveLength(1));
    const other = await service.account('pro');
    const beside = `${path}/beside`;
    await endpoints.add(other.accountId, { ...settings, url: receiver.url(beside) });
    receiver.answers(beside, { status: 500 }, {});
    await createQuiz(other);
    await eventually(() => expect(receiver.at(beside)).toHaveLength(1));
    await disable(owner);
    await expect(endpoints.enable('operator', endpoint.id)).rejects.toThrow('is disabled');
    await expect(endpoints.add(owner.accountId, settings)).rejects.toThrow('is disabled');
    service.clock.advance(2 * 3_600_000);
    // Another account's retry was due at the same time.
    await eventually(() => expect(receiver.at(beside)).toHaveLength(2));
    expect(receiver.at(path)).toHaveLength(1);
    await enable(owner);
    await eventually(() => expect(titlesAt(path)).toEqual(['Failed once', 'Failed once']));
  });

  it('the five days of a failing endpoint start again when its account is enabled', async () => {
    const owner = await service.account('pro');
    const path = `/own-${++paths}`;
    const settings = { url: receiver.url(path), events: ['quiz.created'] };
    const { endpoint } = await endpoints.add(owner.accountId, settings);
    receiver.answers(path, { status: 500 }, { status: 500 }, {});
    const attempts = async () =>
      (await deliveries.list('operator', { endpointId: endpoint.id }))[0]?.lastAttempt?.number;
    await createQuiz(owner);
    await eventually(async () => expect(await attempts()).toBe(1));
    await disable(owner);
    service.clock.advance(6 * 86_400_000);
    await enable(owner);
    await eventually(async () => expect(await attempts()).toBe(2));
    expect((await endpoints.get(owner, endpoint.id)).disabledAt).toBeNull();
  });

  it('an endpoint disabled by its owner stays disabled when the account is enabled again', async () => {
    const owner = await service.account('pro');
    const settings = { url: receiver.url(`/own-${++paths}`), events: ['quiz.created'] };
    const { endpoint } = await endpoints.add(owner.accountId, settings);
    await endpoints.disable(owner, endpoint.id);
    await disable(owner);
    await enable(owner);
    expect((await endpoints.get(owner, endpoint.id)).disabledReason).toBe('Its owner disabled it.');
  });

  it('an endpoint that is disabled while its account is stays disabled when the account is enabled again', async () => {
    const owner = await service.account('pro');
    const settings = { url: receiver.url(`/own-${++paths}`), events: ['quiz.created'] };
    const { endpoint } = await endpoints.add(owner.accountId, settings);
    await disable(owner);
    await endpoints.disable('operator', endpoint.id);
    await enable(owner);
    expect((await endpoints.get(owner, endpoint.id)).disabledReason).toBe('Its owner disabled it.');
  });
});

describe('the quizzes of a disabled account', () => {
  const page = async (path: string) => (await request(service.url).get(path)).status;
  const publishedEvents = async (quizId: string) =>
    (
      await service.database.query<object[]>(
        `SELECT FROM outbox_events WHERE name = 'quiz.published' AND body::jsonb #>> '{data,quiz_id}' = $1`,
        [quizId],
      )
    ).length;

  it('quizzes of a disabled account are neither public nor counted until the account is enabled', async () => {
    const owner = await service.account('pro');
    const reader = await service.account('free');
    const title = 'Withheld Quokkas';
    const quiz = await makeQuiz(owner, { title, tags: ['quokka'] }, questionBodies(3));
    await service.app.get(ReviewService).approve(quiz.id);
    const seen = async () => {
      service.clock.advance(10_000);
      const total = async (path: string) =>
        ((await reader.get(path)).body as { meta: { total: number } }).meta.total;
      await countersEqualCounts(service.database);
      return {
        statuses: [
          (await reader.get(`/quizzes/${quiz.id}`)).status,
          (await reader.get(`/quizzes/${quiz.id}/leaderboard`)).status,
          (await reader.post(`/quizzes/${quiz.id}/attempts`, { player: 'ada' })).status,
          await page('/play/withheld-quokkas'),
        ],
        listed: await total('/quizzes?tags=quokka'),
        found: await total('/quizzes?topic=quokkas'),
        questions: await total('/questions?tags=quokka'),
        shuffled: await total('/questions?tags=quokka&random=true'),
        metadata: JSON.stringify((await reader.get('/metadata')).body).includes('quokka'),
        landing: (await request(service.url).get('/')).text.includes(title),
      };
    };
    const open = {
      statuses: [200, 200, 201, 200],
      listed: 1,
      found: 1,
      questions: 3,
      shuffled: 3,
      metadata: true,
      landing: true,
    };
    expect(await seen()).toEqual(open);
    await disable(owner);
    expect(await seen()).toEqual({
      statuses: [404, 404, 404, 404],
      listed: 0,
      found: 0,
      questions: 0,
      shuffled: 0,
      metadata: false,
      landing: false,
    });
    await enable(owner);
    expect(await seen()).toEqual(open);
    expect(await publishedEvents(quiz.id)).toBe(1);
  });

  it('a quiz approved while its account is disabled becomes public, with its event, when the account is enabled', async () => {
    const owner = await service.account('pro');
    const reader = await service.account('free');
    const quizId = await createQuiz(owner, { title: 'Approved too late' });
    await disable(owner);
    await service.app.get(ReviewService).approve(quizId);
    await reader.get(`/quizzes/${quizId}`).expect(404);
    expect(await publishedEvents(quizId)).toBe(0);
    await enable(owner);
    await reader.get(`/quizzes/${quizId}`).expect(200);
    expect(await publishedEvents(quizId)).toBe(1);
  });

  it('a quiz created while its account is being disabled is not public', async () => {
    const owner = await service.account('pro', { isAdmin: true });
    await Promise.all([
      disable(owner),
      ...Array.from({ length: 8 }, (_, n) =>
        owner.post('/quizzes', {
          title: `Late ${n}`,
          difficulty: 'EASY',
          published: true,
          tags: ['late'],
        }),
      ),
    ]);
    const made = `SELECT FROM quizzes WHERE is_public AND owner_id = $1`;
    expect(await service.database.query<object[]>(made, [owner.accountId])).toEqual([]);
    await countersEqualCounts(service.database);
  });
});

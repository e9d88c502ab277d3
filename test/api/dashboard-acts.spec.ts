import { SCOPES } from '../../src/access/accounts/scope.rules';
import { AccountAdministrationService } from '../../src/access/administration/account-administration.service';
import { ApiKeysService } from '../../src/access/api-keys/api-keys.service';
import { LONGEST_SEARCH } from '../../src/web/components/fields';
import { type Service, startService } from '../support/service';
import { hidden, signedIn, Visitor, wordsOf } from '../support/visitor';

const HOUR = 3_600_000;

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const keyIn = ({ text }: { text: string }) => /svc_test_\w{38}/.exec(text)?.[0] ?? '';
const works = async (key: string) =>
  (await service.get('/quizzes').set('Authorization', `Bearer ${key}`)).status === 200;
const idOf = async (key: string) => {
  const [row] = await service.database.query<{ id: string }[]>(
    `SELECT id FROM api_keys WHERE last_four = $1 ORDER BY id DESC LIMIT 1`,
    [key.slice(-4)],
  );
  return row?.id ?? '';
};

const NEW_KEY = { name: 'Website', lifetime: 'never', scopes: ['read', 'write'] };

describe('API keys in the dashboard', () => {
  const issue = async (visitor: Visitor, fields: object = {}) =>
    keyIn(await visitor.post('/dashboard/keys', { ...NEW_KEY, ...fields }));

  it('an issued key works and is shown once', async () => {
    const { visitor } = await signedIn(service);
    const key = await issue(visitor);
    expect(await works(key)).toBe(true);
    const list = await visitor.get('/dashboard/keys').expect(200);
    expect(list.text).not.toContain(key);
    expect(wordsOf(list)).toContain(`svc_test_…${key.slice(-4)}`);
  });

  it('a key issued with a lifetime stops working when it expires', async () => {
    const { visitor } = await signedIn(service);
    const key = await issue(visitor, { lifetime: '30d' });
    service.clock.advance(30 * 24 * HOUR - 60_000);
    expect(await works(key)).toBe(true);
    service.clock.advance(60_000);
    expect(await works(key)).toBe(false);
  });

  it.each([
    ['now', 0],
    ['1h', HOUR],
    ['24h', 24 * HOUR],
    ['7d', 7 * 24 * HOUR],
  ])(
    'a key rotated with an overlap of %s ends then, and its successor keeps working',
    async (overlap, length) => {
      const { visitor } = await signedIn(service);
      const old = await issue(visitor);
      const page = await visitor.post(`/dashboard/keys/${await idOf(old)}/rotate`, { overlap });
      const next = keyIn(page);
      expect(next).not.toBe(old);
      if (length > 0) {
        service.clock.advance(length - 60_000);
        expect(await works(old)).toBe(true);
        service.clock.advance(60_000);
      }
      expect(await works(old)).toBe(false);
      expect(await works(next)).toBe(true);
    },
  );

  it('a key has the scopes and origins that were chosen, and the list shows them', async () => {
    const { account, visitor } = await signedIn(service);
    const form = wordsOf(await visitor.get('/dashboard/keys/new').expect(200));
    for (const [scope, meaning] of Object.entries(SCOPES))
      expect(form).toContain(`${scope} ${meaning}`);
    const fields = {
      scopes: ['play'],
      origins: 'https://a.example\r\nhttps://b.example:8080/\r\n',
    };
    const issued = await visitor.post('/dashboard/keys', { ...NEW_KEY, ...fields }).expect(200);
    expect(wordsOf(issued)).toContain('It can be used in a web page.');
    const [key] = await service.app.get(ApiKeysService).list(account.accountId);
    const origins = ['https://a.example', 'https://b.example:8080'];
    expect(key).toMatchObject({ scopes: ['play'], origins });
    const list = wordsOf(await visitor.get('/dashboard/keys').expect(200));
    expect(list).toContain(`play · ${origins.join(' · ')}`);
  });

  it.each([
    [{ scopes: [] }, 'Choose at least one scope.'],
    [{ scopes: 'admin' }, '“admin” is not a scope.'],
    [{ origins: 'school.example' }, '“school.example” is not a web origin.'],
    [
      { origins: 'https://*.example.com' },
      'give each origin of its own, such as https://www.example.com',
    ],
  ])('the key form with %j shows the error beside the field', async (fields, error) => {
    const { visitor } = await signedIn(service);
    const page = await visitor.post('/dashboard/keys', { ...NEW_KEY, ...fields }).expect(422);
    expect(wordsOf(page)).toContain(error);
  });

  it('a revoked key cannot be rotated', async () => {
    const { visitor } = await signedIn(service);
    const key = await issue(visitor);
    const id = await idOf(key);
    // Other processes have cached the key.
    expect(wordsOf(await visitor.get('/dashboard/keys').expect(200))).toContain(
      `Requests with svc_test_…${key.slice(-4)} are refused within five seconds.`,
    );
    await visitor.post(`/dashboard/keys/${id}/revoke`).expect(303);
    expect(await works(key)).toBe(false);
    const page = await visitor.post(`/dashboard/keys/${id}/rotate`, { overlap: '7d' }).expect(409);
    expect(wordsOf(page)).toContain('no longer works');
    expect(await works(key)).toBe(false);
  });

  it('a rotated key cannot be rotated again, and the successors of a key without expiry have none', async () => {
    const { visitor } = await signedIn(service);
    const old = await issue(visitor);
    const at = `/dashboard/keys/${await idOf(old)}/rotate`;
    expect((await visitor.get('/dashboard/keys').expect(200)).text).toContain(at);
    const next = keyIn(await visitor.post(at, { overlap: '7d' }).expect(200));
    const list = (await visitor.get('/dashboard/keys').expect(200)).text;
    expect(list).not.toContain(at);
    const again = await visitor.post(at, { overlap: '24h' }).expect(409);
    expect(wordsOf(again)).toContain('was rotated already. Rotate the key that replaced it');
    const last = keyIn(
      await visitor.post(`/dashboard/keys/${await idOf(next)}/rotate`, { overlap: 'now' }),
    );
    service.clock.advance(6 * 24 * HOUR);
    expect(await works(old)).toBe(true);
    service.clock.advance(400 * 24 * HOUR);
    expect(await works(old)).toBe(false);
    expect(await works(last)).toBe(true);
  });

  it('a rotated key never outlives its own expiry', async () => {
    const { account, visitor } = await signedIn(service);
    const key = await issue(visitor, { lifetime: '30d' });
    service.clock.advance(29 * 24 * HOUR);
    // The session has ended meanwhile.
    await visitor.signIn(account.email);
    await visitor.post(`/dashboard/keys/${await idOf(key)}/rotate`, { overlap: '7d' }).expect(200);
    service.clock.advance(25 * HOUR);
    expect(await works(key)).toBe(false);
  });

  it('an account has at most fifty working keys, also when two are issued at once', async () => {
    const { account, visitor } = await signedIn(service);
    await service.database.query(
      `INSERT INTO api_keys (id, account_id, name, hash, prefix, last_four, created_at)
       SELECT gen_random_uuid(), $1::uuid, 'filler', sha256(($1::uuid || ' ' || n)::bytea), 'svc_test_', 'zzzz', now()
       FROM generate_series(1, 48) n`,
      [account.accountId],
    );
    const both = await Promise.all([1, 2].map(() => visitor.post('/dashboard/keys', NEW_KEY)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 403]);
  });

  it('a rotation counts against the fifty working keys while the old key works', async () => {
    const { account, visitor } = await signedIn(service);
    const at = `/dashboard/keys/${await idOf(await issue(visitor))}/rotate`;
    await service.database.query(
      `INSERT INTO api_keys (id, account_id, name, hash, prefix, last_four, created_at)
       SELECT gen_random_uuid(), $1::uuid, 'filler', sha256(($1::uuid || ' ' || n)::bytea), 'svc_test_', 'zzzz', now()
       FROM generate_series(1, 48) n`,
      [account.accountId],
    );
    const keys = service.app.get(ApiKeysService);
    expect(await keys.countWorking(account.accountId)).toBe(50);
    const refused = await visitor.post(at, { overlap: '7d' }).expect(403);
    expect(wordsOf(refused)).toContain(
      'An account may have 50 keys, and the old key counts while it works.',
    );
    await visitor.post(at, { overlap: 'now' }).expect(200);
    expect(await keys.countWorking(account.accountId)).toBe(50);
  });

  it('the keys of an account are listed 25 to a page, the revoked ones last', async () => {
    const { account, visitor } = await signedIn(service);
    await service.database.query(
      `INSERT INTO api_keys (id, account_id, name, hash, prefix, last_four, created_at, revoked_at)
       SELECT gen_random_uuid(), $1::uuid, 'Revoked ' || n, sha256(($1::uuid || ' ' || n)::bytea), 'svc_test_', 'zzzz',
         now() + n * interval '1 minute', now()
       FROM generate_series(1, 26) n`,
      [account.accountId],
    );
    const [key] = await service.app.get(ApiKeysService).listWorking(account.accountId);
    const first = wordsOf(await visitor.get('/dashboard/keys').expect(200));
    const second = wordsOf(await visitor.get('/dashboard/keys?page=2').expect(200));
    expect(first).toContain('1 to 25 of 27');
    expect(first.match(/Revoked \d+/g)).toHaveLength(24);
    expect(first).toMatch(new RegExp(`${key?.name}.*Revoked 26`));
    expect(second).toContain('26 to 27 of 27');
    expect(second.match(/Revoked \d+/g)).toEqual(['Revoked 2', 'Revoked 1']);
  });
});

describe('account administration', () => {
  it('a plan changed by an administrator applies from the next request and is audited', async () => {
    const { visitor } = await signedIn(service, 'pro', { isAdmin: true });
    const reader = await service.account('free');
    await reader.post('/quizzes', { title: 'T', difficulty: 'EASY' }).expect(403);
    await visitor
      .post(`/dashboard/admin/accounts/${reader.accountId}/plan`, { plan: 'starter' })
      .expect(303);
    await reader.post('/quizzes', { title: 'T', difficulty: 'EASY' }).expect(201);
    const log = wordsOf(await visitor.get('/dashboard/admin/audit').expect(200));
    expect(log).toMatch(new RegExp(`Plan changed ${reader.email} account Free to Starter`));
  });

  it('a search for an account whose emoji is cut in half finds nothing', async () => {
    const { visitor } = await signedIn(service, 'pro', { isAdmin: true });
    const search = encodeURIComponent(`${'a'.repeat(LONGEST_SEARCH - 1)}😀`);
    const page = await visitor.get(`/dashboard/admin/accounts?q=${search}`).expect(200);
    expect(wordsOf(page)).toContain('No account has a matching address');
  });

  it('a change of nothing is not audited', async () => {
    const { visitor } = await signedIn(service, 'pro', { isAdmin: true });
    const reader = await service.account('free');
    const at = `/dashboard/admin/accounts/${reader.accountId}`;
    await visitor.post(`${at}/plan`, { plan: 'free' }).expect(303);
    expect(wordsOf(await visitor.get(at).expect(200))).not.toContain('History');
    await visitor.post(`${at}/plan`, { plan: 'pro' }).expect(303);
    expect(wordsOf(await visitor.get(at).expect(200))).toContain('History');
  });

  it('a new administrator sees the administration at once', async () => {
    const { visitor } = await signedIn(service, 'pro', { isAdmin: true });
    const { account, visitor: other } = await signedIn(service);
    const act = (administrator: string) =>
      visitor.post(`/dashboard/admin/accounts/${account.accountId}/administrator`, {
        administrator,
      });
    await act('yes').expect(303);
    await other.get('/dashboard/admin/accounts').expect(200);
    await act('no').expect(303);
    await other.get('/dashboard/admin/accounts').expect(404);
  });

  it("a disabled account's keys are refused until it is enabled", async () => {
    const { visitor } = await signedIn(service, 'pro', { isAdmin: true });
    const other = await service.account('pro');
    const act = (disabled: string) =>
      visitor.post(`/dashboard/admin/accounts/${other.accountId}/disabled`, { disabled });
    const page = await visitor.get(`/dashboard/admin/accounts/${other.accountId}`).expect(200);
    expect(wordsOf(page)).toContain('its keys are refused within five seconds');
    await act('yes').expect(303);
    await other.get('/quizzes').expect(401);
    await act('no').expect(303);
    await other.get('/quizzes').expect(200);
  });

  it('an administrator cannot disable or demote themselves', async () => {
    const { account, visitor } = await signedIn(service, 'pro', { isAdmin: true });
    const at = `/dashboard/admin/accounts/${account.accountId}`;
    await visitor.post(`${at}/disabled`, { disabled: 'yes' }).expect(409);
    const page = await visitor.post(`${at}/administrator`, { administrator: 'no' }).expect(409);
    expect(wordsOf(page)).toContain('This is your own account.');
    await visitor.get(at).expect(200);
  });

  it.each([
    ['demote', 'setAdministrator', false],
    ['disable', 'setDisabled', true],
  ] as const)(
    'of two administrators who %s each other at once one is left',
    async (_, act, value) => {
      const administration = service.app.get(AccountAdministrationService);
      const [one, other] = [
        await service.account('free', { isAdmin: true }),
        await service.account('free', { isAdmin: true }),
      ];
      const acts = await Promise.allSettled([
        administration[act](one, other.accountId, value),
        administration[act](other, one.accountId.toUpperCase(), value),
      ]);
      expect(acts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(acts.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { kind: 'forbidden', message: expect.stringContaining('no longer') as string },
      });
      const left = await Promise.all([one, other].map((it) => administration.get(it.accountId)));
      expect(left.filter((it) => it.isAdmin && !it.disabledAt)).toHaveLength(1);
    },
  );

  it.each([
    ['plan', { plan: 'pro' }],
    ['administrator', { administrator: 'yes' }],
    ['disabled', { disabled: 'no' }],
    ['plan-request', {}],
    ['e-mail', { email: 'later@example.com' }],
    ['delete', { quizzes: 'delete' }],
  ])(
    'the form %s of an account is refused if another administrator changed the account since',
    async (form, fields) => {
      const administration = service.app.get(AccountAdministrationService);
      const [{ visitor: one }, { visitor: other }] = [
        await signedIn(service, 'pro', { isAdmin: true }),
        await signedIn(service, 'pro', { isAdmin: true }),
      ];
      const { accountId } = await service.account('free');
      await administration.requestPlan(accountId, 'pro');
      const at = `/dashboard/admin/accounts/${accountId}`;
      const [seen, late] = [await one.get(at), await other.get(at)].map(({ text }) =>
        hidden(text, 'version'),
      );
      await one.post(`${at}/disabled`, { disabled: 'yes', version: seen }).expect(303);
      const before = await administration.get(accountId);
      const refused = await other.post(`${at}/${form}`, { ...fields, version: late }).expect(409);
      expect(wordsOf(refused)).toContain(
        'Nothing was changed, because this account has changed since you opened its page.',
      );
      expect(wordsOf(refused)).toContain('Status disabled Plan Free');
      expect(await administration.get(accountId)).toEqual(before);
      const again = { ...fields, version: hidden(refused.text, 'version') };
      await other.post(`${at}/${form}`, again).expect(303);
    },
  );

  it('accounts are found by any part of the address, with wildcards as literal characters', async () => {
    const { visitor } = await signedIn(service, 'pro', { isAdmin: true });
    await service.account('free', { email: 'percent%sign@example.com' });
    const found = async (q: string) =>
      wordsOf(
        await visitor.get(`/dashboard/admin/accounts?${new URLSearchParams({ q }).toString()}`),
      );
    expect(await found('PERCENT%')).toContain('percent%sign@example.com');
    expect(await found('percent_sign')).toContain('No account has a matching address');
  });
});

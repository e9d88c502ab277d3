import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountsService } from '../../src/access/accounts/accounts.service';
import { DEMO_ACCOUNT } from '../../src/access/accounts/built-in-accounts';
import { AccountAdministrationService } from '../../src/access/administration/account-administration.service';
import { RegistrationService } from '../../src/access/administration/registration.service';
import { ApiKeysService } from '../../src/access/api-keys/api-keys.service';
import { OPERATOR } from '../../src/access/audit/actor';
import { AuditLog } from '../../src/access/audit/audit-log';
import { PasswordsService } from '../../src/access/sessions/passwords.service';
import { SessionsService } from '../../src/access/sessions/sessions.service';
import { Config } from '../../src/platform/config/config';
import { LIMITS } from '../../src/platform/limits/limits';
import { DemoAccountService } from '../../src/seed/demo-account.service';
import { type Service, startService } from '../support/service';
import { cookieOf, member, PASSWORD, signedIn, Visitor, wordsOf } from '../support/visitor';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const WRONG = 'The e-mail address or the password is wrong.';

let service: Service;
beforeAll(async () => {
  service = await startService({ TRUST_PROXY: '1' });
});
afterAll(() => service.close());
// The limit of guesses by address would count all tests together.
beforeEach(() => service.database.query('DELETE FROM attempt_limits'));

const setCookie = (response: { headers: Record<string, unknown> }) =>
  (response.headers['set-cookie'] as string[] | undefined)?.[0];

describe('the session cookie', () => {
  it('the session cookie is HttpOnly, SameSite=Lax, limited to /dashboard, and not Secure on plain HTTP', async () => {
    const { email } = await member(service);
    const response = await new Visitor(service).signIn(email);
    expect(response.status).toBe(303);
    expect(response.headers.location).toBe('/dashboard');
    expect(setCookie(response)).toMatch(
      /^quiz_session=[\w-]{43}; Max-Age=1209600; Path=\/dashboard; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
    );
  });

  it('the session cookie is Secure with the __Host- prefix when PUBLIC_URL is https, and HSTS is sent', async () => {
    const behindTls = await startService({ PUBLIC_URL: 'https://quiz.example.com' });
    try {
      const { email } = await member(behindTls);
      const visitor = new Visitor(behindTls);
      expect(setCookie(await visitor.signIn(email))).toMatch(
        /^__Host-quiz_session=[\w-]{43}; Max-Age=1209600; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
      );
      const { headers } = await visitor.get('/dashboard').expect(200);
      expect(headers['strict-transport-security']).toBe('max-age=31536000');
      expect((await new Visitor(service).get('/')).headers).not.toHaveProperty(
        'strict-transport-security',
      );
    } finally {
      await behindTls.close();
    }
  });

  it('no page before the sign-in and no API response sets a cookie', async () => {
    const { account, visitor } = await signedIn(service);
    const stranger = new Visitor(service);
    for (const path of ['/', '/dashboard', '/dashboard/sign-in', '/dashboard/sign-up'])
      expect(setCookie(await stranger.get(path))).toBeUndefined();
    const responses = [
      await visitor.get('/api/v1/metadata').expect(200),
      await account.get('/quizzes').set('Cookie', visitor.cookie).expect(200),
      await service.get('/nothing').set('Cookie', visitor.cookie).expect(404),
    ];
    expect(responses.map(setCookie)).toEqual([undefined, undefined, undefined]);
  });

  it('a session cookie does not authenticate API requests', async () => {
    const { visitor } = await signedIn(service);
    await visitor.get('/api/v1/quizzes').expect(401);
  });

  it('the database stores no session token', async () => {
    const { visitor } = await signedIn(service);
    const token = visitor.cookie.split('=')[1] ?? '';
    const rows = await service.database.query<object[]>(
      `SELECT 1 FROM sessions WHERE token_hash = convert_to($1, 'UTF8') OR sessions::text LIKE '%' || $1 || '%'`,
      [token],
    );
    expect(rows).toEqual([]);
  });
});

describe('dashboard sessions', () => {
  it('a sign-in creates a new session id, so a planted one is useless', async () => {
    const { email } = await member(service);
    const visitor = new Visitor(service);
    visitor.cookie = `quiz_session=${'A'.repeat(43)}`;
    const planted = visitor.cookie;
    await visitor.signIn(email);
    expect(visitor.cookie).not.toBe(planted);
    const attacker = new Visitor(service);
    attacker.cookie = planted;
    await attacker.get('/dashboard').expect(303);
  });

  it("a sign-in ends the browser's session of another account", async () => {
    const { visitor } = await signedIn(service);
    const before = visitor.cookie;
    await visitor.signIn((await member(service)).email);
    const old = new Visitor(service);
    old.cookie = before;
    await old.get('/dashboard').expect(303);
    await visitor.get('/dashboard').expect(200);
  });

  it('signing out ends the session, also for a copied cookie', async () => {
    const { visitor } = await signedIn(service);
    const response = await visitor.post('/dashboard/sign-out').expect(303);
    expect(setCookie(response)).toMatch(
      /^quiz_session=; Path=\/dashboard; Expires=Thu, 01 Jan 1970/,
    );
    await visitor.get('/dashboard').expect(303);
  });

  it('a session ends after a day without use and after two weeks', async () => {
    const { visitor: idle } = await signedIn(service);
    const { visitor: busy } = await signedIn(service);
    service.clock.advance(23 * HOUR);
    await busy.get('/dashboard').expect(200);
    service.clock.advance(2 * HOUR);
    await idle.get('/dashboard').expect(303);
    await busy.get('/dashboard').expect(200);
    for (let day = 0; day < 13; day++) {
      service.clock.advance(23.5 * HOUR);
      await busy.get('/dashboard').expect(200);
    }
    service.clock.advance(6 * HOUR);
    await busy.get('/dashboard').expect(303);
  });

  it('disabling an account ends its sessions and refuses its sign-in', async () => {
    const { account, visitor } = await signedIn(service);
    const administrator = await service.account('pro', { isAdmin: true });
    await service.app
      .get(AccountAdministrationService)
      .setDisabled(administrator, account.accountId, true);
    await visitor.get('/dashboard').expect(303);
    const response = await visitor.signIn(account.email);
    expect(response.status).toBe(422);
    expect(wordsOf(response)).toContain(WRONG);
  });

  it('changing the password ends all other sessions', async () => {
    const { account, visitor } = await signedIn(service);
    const other = new Visitor(service);
    await other.signIn(account.email);
    await visitor
      .post('/dashboard/account/password', { current: PASSWORD, password: 'an entirely new one' })
      .expect(303);
    await other.get('/dashboard').expect(303);
    expect(wordsOf(await visitor.get('/dashboard/account').expect(200))).toContain(
      'The password is changed.',
    );
    expect((await other.signIn(account.email)).status).toBe(422);
    expect((await other.signIn(account.email, 'an entirely new one')).status).toBe(303);
  });
});

describe('concurrent sessions', () => {
  it('a twenty-first session ends the least recently used one', async () => {
    const { account, visitor: first } = await signedIn(service);
    const second = new Visitor(service);
    service.clock.advance(1_000);
    await second.signIn(account.email);
    const sessions = service.app.get(SessionsService);
    for (let more = 0; more < 18; more++) {
      service.clock.advance(1_000);
      await sessions.start(account.accountId, { userAgent: '', address: '127.0.0.1' });
    }
    // The use of a session is stored once a minute.
    service.clock.advance(61_000);
    await first.get('/dashboard').expect(200);
    service.clock.advance(1_000);
    await sessions.start(account.accountId, { userAgent: '', address: '127.0.0.1' });
    await second.get('/dashboard').expect(303);
    await first.get('/dashboard').expect(200);
    expect(await sessions.list(account.accountId)).toHaveLength(20);
  });

  it('sign-ins that race a password change leave no session of the old password', async () => {
    const { account, visitor } = await signedIn(service);
    const sessions = service.app.get(SessionsService);
    const passwords = service.app.get(PasswordsService);
    let password = PASSWORD;
    for (const next of ['the second password', 'the third password']) {
      const verified = await passwords.check(account.email, password);
      const from = { userAgent: 'thief', address: '127.0.0.1' };
      const late = () => sessions.start(account.accountId, from, verified!.passwordHash);
      const [changed] = await Promise.all([
        visitor.post('/dashboard/account/password', { current: password, password: next }),
        ...Array.from({ length: 8 }, late),
      ]);
      expect(changed.status).toBe(303);
      expect(await late()).toBeNull();
      expect(await sessions.list(account.accountId)).toHaveLength(1);
      password = next;
    }
    await visitor.get('/dashboard').expect(200);
  });

  it('of two concurrent password changes, one succeeds', async () => {
    const { account, visitor } = await signedIn(service);
    const thief = new Visitor(service);
    await thief.signIn(account.email);
    const change = (who: Visitor, password: string) =>
      who.post('/dashboard/account/password', { current: PASSWORD, password });
    const both = await Promise.all([
      change(visitor, 'chosen by the owner'),
      change(thief, 'chosen by the thief'),
    ]);
    const statuses = both.map(({ status }) => status).sort();
    expect(statuses).toEqual([303, 422]);
    expect(await service.app.get(SessionsService).list(account.accountId)).toHaveLength(1);
  });
});

describe('password guessing', () => {
  it('an unknown address and a wrong password get the same message', async () => {
    const { email } = await member(service);
    const known = await new Visitor(service).signIn(email, 'not the password');
    const unknown = await new Visitor(service).signIn('nobody@example.com', 'not the password');
    expect(known.status).toBe(422);
    expect(unknown.status).toBe(422);
    expect(unknown.text.replace('nobody@example.com', email)).toBe(known.text);
    expect(wordsOf(known)).toContain(WRONG);
  });

  it('sign-in to one account is limited to ten attempts per network for 15 minutes, even with the correct password', async () => {
    const { email } = await member(service);
    const visitor = new Visitor(service);
    for (let tries = 0; tries < 10; tries++)
      expect((await visitor.signIn(email, `guess ${tries}`)).status).toBe(422);
    const limited = await visitor.signIn(email.toUpperCase());
    expect(limited.status).toBe(429);
    expect(wordsOf(limited)).toContain('Too many attempts. Try again in 15 minutes.');
    expect(limited.headers['retry-after']).toMatch(/^(900|8\d\d)$/);
    service.clock.advance(15 * 60_000);
    expect((await visitor.signIn(email)).status).toBe(303);
  });

  it('attempts for an unknown address are limited as for a known one', async () => {
    const visitor = new Visitor(service);
    const statuses = [];
    for (let tries = 0; tries < 11; tries++)
      statuses.push((await visitor.signIn('nobody@example.com', `guess ${tries}`)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(422), 429]);
  });

  it('sign-in from one address is limited to thirty attempts over all accounts', async () => {
    const visitor = new Visitor(service);
    const tries = await Promise.all(
      Array.from({ length: 31 }, (_, n) => visitor.signIn(`someone-${n}@example.com`, 'guess')),
    );
    expect(tries.filter(({ status }) => status === 429)).toHaveLength(1);
  });

  it('guessing from one network does not lock the account out of another', async () => {
    const { email } = await member(service);
    const guesser = new Visitor(service, '192.0.2.1');
    for (let tries = 0; tries < 10; tries++) await guesser.signIn(email, 'guess');
    expect((await guesser.signIn(email)).status).toBe(429);
    expect((await new Visitor(service, '192.0.2.2').signIn(email)).status).toBe(303);
  });

  it('guessing from many networks does not lock out a known browser', async () => {
    const { account, visitor } = await signedIn(service);
    for (let network = 1; network <= 11; network++)
      await Promise.all(
        Array.from({ length: 10 }, () =>
          new Visitor(service, `198.51.100.${network}`).signIn(account.email, 'guess'),
        ),
      );
    expect((await new Visitor(service, '203.0.113.1').signIn(account.email)).status).toBe(429);
    await visitor.post('/dashboard/sign-out').expect(303);
    expect((await visitor.signIn(account.email)).status).toBe(303);
  });

  it('guessing from the network of a known browser does not lock that browser out', async () => {
    const { account, visitor } = await signedIn(service);
    const neighbours = Array.from({ length: 40 }, (_, n) =>
      new Visitor(service).signIn(n % 2 ? account.email : `someone-${n}@example.com`, 'guess'),
    );
    await Promise.all(neighbours);
    expect((await new Visitor(service).signIn(account.email)).status).toBe(429);
    expect((await visitor.signIn(account.email)).status).toBe(303);
  });

  it('a known browser has ten attempts, and its cookie does not help with another account', async () => {
    const { account, visitor } = await signedIn(service);
    const { email } = await member(service);
    for (let tries = 0; tries < 10; tries++)
      expect((await visitor.signIn(account.email, 'guess')).status).toBe(422);
    expect((await visitor.signIn(account.email)).status).toBe(429);
    for (let tries = 0; tries < 10; tries++) await new Visitor(service).signIn(email, 'guess');
    expect((await visitor.signIn(email)).status).toBe(429);
  });

  it('sign-ins of known browsers are counted, successful ones too, and do not lock out others', async () => {
    const { account, visitor } = await signedIn(service);
    const { signInByKnownBrowser } = LIMITS.actions;
    const before = signInByKnownBrowser.value;
    try {
      signInByKnownBrowser.value = 4;
      for (let times = 0; times < 2; times++) {
        expect((await visitor.signIn(account.email, 'guess')).status).toBe(422);
        expect((await visitor.signIn(account.email)).status).toBe(303);
      }
      expect((await visitor.signIn(account.email)).status).toBe(429);
      expect((await new Visitor(service).signIn(account.email)).status).toBe(303);
    } finally {
      signInByKnownBrowser.value = before;
    }
  });

  it('guessing the current password in a session is limited to ten, without blocking sign-in', async () => {
    const { account, visitor } = await signedIn(service);
    const change = () =>
      visitor.post('/dashboard/account/password', { current: 'guess', password: 'irrelevant 123' });
    for (let tries = 0; tries < 10; tries++) await change().expect(422);
    await change().expect(429);
    expect((await new Visitor(service).signIn(account.email)).status).toBe(303);
  });

  it('a password can be changed ten times in 15 minutes, with the correct one too', async () => {
    const { visitor } = await signedIn(service);
    let current = PASSWORD;
    const change = async () => {
      const password = `${PASSWORD} ${current.length}`;
      const { status } = await visitor.post('/dashboard/account/password', { current, password });
      if (status === 303) current = password;
      return status;
    };
    for (let times = 0; times < 10; times++) expect(await change()).toBe(303);
    expect(await change()).toBe(429);
    service.clock.advance(14 * MINUTE);
    expect(await change()).toBe(429);
    service.clock.advance(MINUTE);
    expect(await change()).toBe(303);
  });
});

describe('the redirect after a sign-in', () => {
  it('a sign-in redirects to the page that was requested', async () => {
    const { email } = await member(service);
    const visitor = new Visitor(service);
    const asked = await visitor.get('/dashboard/keys?x=1').expect(303);
    expect(asked.headers.location).toBe('/dashboard/sign-in?next=%2Fdashboard%2Fkeys%3Fx%3D1');
    const response = await visitor.signIn(email, PASSWORD, { next: '/dashboard/keys?x=1' });
    expect(response.headers.location).toBe('/dashboard/keys?x=1');
  });

  it.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/dashboard@evil.example',
    '/dashboard\r\nX: y',
    'javascript:alert(1)',
    '/dashboardevil',
  ])('a sign-in does not redirect to %j', async (next) => {
    const { email } = await member(service);
    const response = await new Visitor(service).signIn(email, PASSWORD, { next });
    expect(response.headers.location).toBe('/dashboard');
  });
});

describe('sign-up', () => {
  it('an address whose domain mixes alphabets is refused with a sentence, typed either way', async () => {
    for (const email of ['admin@\u0435x.test', 'admin@xn--x-itb.test']) {
      const visitor = new Visitor(service);
      const { text } = await visitor
        .post('/dashboard/sign-up', { email, password: PASSWORD })
        .expect(422);
      expect(text).toContain('letters of several alphabets');
    }
  });

  it('sign-up is limited to ten attempts an hour from one address', async () => {
    const visitor = new Visitor(service);
    const form = { email: 'not an address', password: PASSWORD };
    for (let tries = 0; tries < 10; tries++)
      await visitor.post('/dashboard/sign-up', form).expect(422);
    await visitor.post('/dashboard/sign-up', form).expect(429);
    service.clock.advance(59 * MINUTE);
    await visitor.post('/dashboard/sign-up', form).expect(429);
    service.clock.advance(MINUTE);
    await visitor.post('/dashboard/sign-up', form).expect(422);
  });

  it.each(['admin\u200b@example.com', 'adm\u0456n@example.com', 'admin@example.com\u202e'])(
    'sign-up refuses the look-alike address %j',
    async (email) => {
      const response = await new Visitor(service)
        .post('/dashboard/sign-up', { email, password: PASSWORD })
        .expect(422);
      expect(wordsOf(response)).toContain('Email must be an e-mail address');
    },
  );

  it('sign-up creates a Free account, signs in to it and leads to the overview', async () => {
    const visitor = new Visitor(service);
    const response = await visitor
      .post('/dashboard/sign-up', { email: 'new@example.com', password: PASSWORD, plan: 'pro' })
      .expect(303)
      .expect('Location', '/dashboard');
    visitor.cookie = cookieOf(response) ?? '';
    const overview = wordsOf(await visitor.get('/dashboard').expect(200));
    expect(overview).toContain('Free plan');
    expect(overview).toContain('Write 3 quizzes and share them by link');
  });

  it.each([
    ['en', /Your new key “My first key” .*svc_(test|live)_\w{20,}/],
    ['de', /„Mein erster Schlüssel“ .*svc_(test|live)_\w{20,}/],
    ['fr', /“Ma première clé” .*svc_(test|live)_\w{20,}/],
  ])('sign-up for a key in %s shows the new key at once', async (language, message) => {
    const visitor = new Visitor(service);
    const form = await visitor.get('/dashboard/sign-up?key=yes').expect(200);
    expect(form.text).toContain('name="key" value="yes"');
    const fields = { email: `builder-${language}@example.com`, password: PASSWORD, key: 'yes' };
    const response = await visitor
      .post('/dashboard/sign-up', fields, {
        'Sec-Fetch-Site': 'same-origin',
        'Accept-Language': language,
      })
      .expect(200);
    expect(wordsOf(response)).toMatch(message);
  });

  it('sign-up with a refused password creates no account', async () => {
    const visitor = new Visitor(service);
    const fields = { email: 'weak@example.com', password: 'password123' };
    const response = await visitor.post('/dashboard/sign-up', fields).expect(422);
    expect(wordsOf(response)).toContain('on the lists that attackers try first');
    await visitor.post('/dashboard/sign-up', { ...fields, password: PASSWORD }).expect(303);
  });

  it('sign-up with a taken address shows the error beside its field', async () => {
    const { email } = await member(service);
    const response = await new Visitor(service)
      .post('/dashboard/sign-up', { email, password: PASSWORD })
      .expect(409);
    expect(response.text).toMatch(/id="field-email-error">An account with the address/);
  });

  it('sign-up gets 404 when SIGN_UP is off', async () => {
    const closed = await startService({ SIGN_UP: 'off' });
    try {
      const visitor = new Visitor(closed);
      await visitor.get('/dashboard/sign-up').expect(404);
      const refused = await visitor
        .post('/dashboard/sign-up', { email: 'x@example.com', password: PASSWORD })
        .expect(404);
      expect(wordsOf(refused)).not.toContain('no longer exists');
      expect((await visitor.get('/dashboard/sign-in')).text).not.toContain('Sign up');
    } finally {
      await closed.close();
    }
  });
});

describe('set-up of the first administrator', () => {
  const fields = (token: string) => ({ token, email: 'root@example.com', password: PASSWORD });

  // Without an administrator, as a new service is.
  beforeEach(() => service.database.query('DELETE FROM accounts'));

  it('a set-up link works for a day and once, also for two concurrent requests', async () => {
    const setUp = service.app.get(RegistrationService);
    const visitor = new Visitor(service);
    const late = (await setUp.newSetUpToken()) ?? '';
    const [endsAt = '', signature = ''] = late.split('.');
    for (const forged of [
      `${Number(endsAt) + 1}.${signature}`,
      `${endsAt}.`,
      `${endsAt}.${'A'.repeat(43)}`,
    ])
      await visitor.get(`/dashboard/set-up?token=${forged}`).expect(403);
    await visitor.get(`/dashboard/set-up?token=${late}`).expect(200);
    await visitor.get('/dashboard/set-up').expect(403);
    service.clock.advance(24 * HOUR);
    await visitor.post('/dashboard/set-up', fields(late)).expect(403);

    const token = (await setUp.newSetUpToken()) ?? '';
    const both = await Promise.all([
      visitor.post('/dashboard/set-up', fields(token)),
      visitor.post('/dashboard/set-up', { ...fields(token), email: 'second@example.com' }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([303, 403]);
    expect(await setUp.newSetUpToken()).toBeNull();
    const rows = await service.database.query<object[]>(
      `SELECT plan, is_admin FROM accounts WHERE password_hash IS NOT NULL`,
    );
    expect(rows).toEqual([{ plan: 'pro', is_admin: true }]);
  });

  it('the set-up page names what happens to the demo account and its key only if there is one', async () => {
    const setUp = service.app.get(RegistrationService);
    const visitor = new Visitor(service);
    const token = (await setUp.newSetUpToken()) ?? '';
    const page = async () => wordsOf(await visitor.get(`/dashboard/set-up?token=${token}`));
    expect(await page()).not.toContain('demo');
    await service.account('pro', { email: DEMO_ACCOUNT });
    const said =
      'takes over the quizzes and webhook endpoints of the demo account. The demo key is revoked';
    // Before the button, so that it is read before it is pressed; again when a password is refused.
    expect(await page()).toMatch(new RegExp(`${said}.*Create administrator`, 's'));
    const refused = await visitor.post('/dashboard/set-up', { ...fields(token), password: 'x' });
    expect(wordsOf(refused)).toContain(said);
  });

  it('the page of the sign-in says that there is no administrator, also when it refuses one', async () => {
    const visitor = new Visitor(service);
    const said = 'There is no administrator yet.';
    expect(wordsOf(await visitor.get('/dashboard/sign-in').expect(200))).toContain(said);
    const refused = await visitor.signIn('root@example.com');
    expect(refused.status).toBe(422);
    expect(wordsOf(refused)).toContain(said);
    await visitor.post(
      '/dashboard/set-up',
      fields((await service.app.get(RegistrationService).newSetUpToken()) ?? ''),
    );
    expect(wordsOf(await new Visitor(service).get('/dashboard/sign-in'))).not.toContain(said);
  });

  it('processes that start at the same time make one demo account', async () => {
    const own = await startService();
    try {
      const accounts = own.app.get(AccountsService);
      const make = () => accounts.findOrCreateBuiltIn({ email: DEMO_ACCOUNT, plan: 'pro' });
      const made = await Promise.all([make(), make(), make()]);
      const [only, ...others] = await accounts.list();
      expect(others).toEqual([]);
      expect(made.map(({ id }) => id)).toEqual([only?.id, only?.id, only?.id]);
    } finally {
      await own.close();
    }
  });

  it('the demo key is issued once and again after it was revoked, and none for a disabled demo account', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quiz-demo-'));
    const own = await startService({ DATA_DIR: folder });
    try {
      const get = own.app.get.bind(own.app);
      const accounts = get(AccountsService);
      const keys = get(ApiKeysService);
      const demo = new DemoAccountService(get(Config), accounts, get(RegistrationService), keys);
      const key = await demo.key();
      expect(await demo.key()).toBe(key);
      const { accountId = '', keyId = '' } = (await keys.findCaller(key)) ?? {};
      await keys.revoke(keyId);
      expect(await demo.key()).not.toBe(key);
      await get(AccountAdministrationService).setDisabled(OPERATOR, accountId, true);
      expect(await demo.key()).toBeNull();
      const [row] = await own.database.query<object[]>('SELECT count(*)::int AS n FROM api_keys');
      expect(row).toEqual({ n: 2 });
    } finally {
      await own.close();
      rmSync(folder, { recursive: true });
    }
  });

  it('the first administrator takes over the quizzes of the demo key, which no longer works', async () => {
    const own = await startService();
    try {
      const demo = await own.account('pro', { email: DEMO_ACCOUNT });
      await demo.post('/quizzes', { title: 'Tour', difficulty: 'EASY' }).expect(201);
      const visitor = new Visitor(own);
      const token = (await own.app.get(RegistrationService).newSetUpToken()) ?? '';
      const entered = await visitor.post('/dashboard/set-up', fields(token)).expect(303);
      visitor.cookie = cookieOf(entered) ?? '';
      expect(wordsOf(await visitor.get('/dashboard/quizzes').expect(200))).toContain('Tour');
      await visitor.get('/dashboard/admin/review').expect(200);
      await demo.get('/quizzes').expect(401);
      expect(await own.app.get(AuditLog).list(10)).toContainEqual(
        expect.objectContaining({
          action: 'service.set-up',
          detail: 'first administrator; the demo key is revoked',
        }),
      );
    } finally {
      await own.close();
    }
  });

  it('a refused password does not use up the set-up link', async () => {
    const token = (await service.app.get(RegistrationService).newSetUpToken()) ?? '';
    const visitor = new Visitor(service);
    await visitor.post('/dashboard/set-up', { ...fields(token), password: 'short' }).expect(422);
    await visitor.post('/dashboard/set-up', fields(token)).expect(303);
    // There is no demo account, so no key of it was revoked.
    const entries = await service.app.get(AuditLog).list(50);
    expect(entries.find(({ action }) => action === 'service.set-up')).toMatchObject({
      detail: 'first administrator',
    });
  });

  it('a set-up with an invalid token does not wait for what accounts write', async () => {
    await service.database.transaction(async (tx) => {
      await tx.query('UPDATE accounts SET content_bytes = content_bytes');
      await new Visitor(service).post('/dashboard/set-up', fields('wrong')).expect(403);
    });
  });

  it('the set-up is limited to ten attempts in 15 minutes from one address', async () => {
    const visitor = new Visitor(service);
    for (let tries = 0; tries < 10; tries++)
      await visitor.post('/dashboard/set-up', fields('wrong')).expect(403);
    await visitor.post('/dashboard/set-up', fields('wrong')).expect(429);
    service.clock.advance(14 * MINUTE);
    await visitor.post('/dashboard/set-up', fields('wrong')).expect(429);
    service.clock.advance(MINUTE);
    await visitor.post('/dashboard/set-up', fields('wrong')).expect(403);
  });

  it('the set-up token does not appear in the log', async () => {
    const token = 'a-token-that-is-secret';
    await new Visitor(service).get(`/dashboard/set-up?token=${token}`);
    const log = service.log.join('');
    expect(log).toContain('/dashboard/set-up?token=[redacted]');
    expect(log).not.toContain(token);
  });
});

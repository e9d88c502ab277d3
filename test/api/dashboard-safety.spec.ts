import { createHash } from 'node:crypto';
import request from 'supertest';
import { AccountsService } from '../../src/access/accounts/accounts.service';
import { PasswordLinksService } from '../../src/access/administration/password-links.service';
import { OPERATOR } from '../../src/access/audit/actor';
import { LIMITS } from '../../src/platform/limits/limits';
import { asBytes } from '../support/rows';
import { type Service, startService, type TestAccount } from '../support/service';
import { signedIn, Visitor, wordsOf } from '../support/visitor';

let service: Service;
let account: TestAccount;
let visitor: Visitor;
let administrator: Visitor;
beforeAll(async () => {
  service = await startService();
  ({ account, visitor } = await signedIn(service));
  ({ visitor: administrator } = await signedIn(service, 'pro', { isAdmin: true }));
});
afterAll(() => service.close());

const keysOf = (accountId: string) =>
  service.database.query<{ id: string; name: string; revoked_at: Date | null }[]>(
    `SELECT id, name, revoked_at FROM api_keys WHERE account_id = $1 ORDER BY id`,
    [accountId],
  );

describe('dashboard forms', () => {
  it.each<[string, () => Record<string, string>]>([
    ['of another site', () => ({ 'Sec-Fetch-Site': 'cross-site' })],
    ['of a sister site', () => ({ 'Sec-Fetch-Site': 'same-site' })],
    ['of no page at all', () => ({ 'Sec-Fetch-Site': 'none' })],
    ['of another origin, sent by an old browser', () => ({ Origin: 'https://evil.example' })],
    ['of a sandboxed page', () => ({ Origin: 'null' })],
    ['that says nothing of where it comes from', () => ({})],
    [
      'that calls itself ours in one header only',
      () => ({ 'Sec-Fetch-Site': 'cross-site', Origin: service.url }),
    ],
  ])('a form posted %s changes nothing', async (_, headersOf) => {
    const headers = headersOf();
    const keys = await keysOf(account.accountId);
    const [key] = keys;
    const paths = [
      '/dashboard/keys',
      `/dashboard/keys/${key?.id}/revoke`,
      `/dashboard/keys/${key?.id}/rotate`,
      '/dashboard/account/password',
      '/dashboard/account/sessions/end-others',
      '/dashboard/sign-out',
      '/dashboard/sign-in',
      '/dashboard/sign-up',
      '/dashboard/set-up',
    ];
    for (const path of paths) {
      const response = await visitor.post(path, { name: 'forged', overlap: 'now' }, headers);
      expect([path, response.status]).toEqual([path, 403]);
    }
    expect(await keysOf(account.accountId)).toEqual(keys);
    await visitor.get('/dashboard').expect(200);
  });

  it('a form of the same origin is accepted from browsers that send only Origin', async () => {
    await visitor
      .post('/dashboard/keys', { name: '', lifetime: 'never' }, { Origin: service.url })
      .expect(422);
  });

  it.each(['PUT', 'PATCH', 'DELETE'] as const)('a form cannot be sent by %s', async (method) => {
    const verb = method.toLowerCase() as 'put';
    const response = await request(service.url)
      [verb]('/dashboard/keys')
      .set('Cookie', visitor.cookie)
      .set('Sec-Fetch-Site', 'same-origin');
    expect([404, 405]).toContain(response.status);
    expect(response.type).toBe('text/html');
  });
});

describe('requests to another host name than PUBLIC_URL', () => {
  const PUBLIC = 'https://quiz.example.com';
  const FOREIGN = {
    Host: 'evil.example',
    'X-Forwarded-Host': 'evil.example',
    Forwarded: 'host=evil.example',
  };
  let published: Service;
  beforeAll(async () => {
    published = await startService({ PUBLIC_URL: PUBLIC, TRUST_PROXY: '1' });
  });
  afterAll(() => published.close());

  it.each([
    '/',
    '/docs',
    '/docs/guides/quickstart',
    '/docs/reference/files',
    '/dashboard',
    '/dashboard/sign-in?next=//evil.example',
    '/dashboard/no-such-page',
    '/play/no-such-quiz',
    '/api/v1/openapi.json',
    '/api/v1/metadata/',
  ])(
    'with PUBLIC_URL the response of %s does not contain another host name of the request',
    async (path) => {
      for (const host of [FOREIGN, { Host: 'quiz.example.com' }]) {
        const { headers, text } = await request(published.url).get(path).set(host).redirects(0);
        const said = JSON.stringify(headers) + text.replaceAll('value="//evil.example"', '');
        expect(said).not.toContain('evil.example');
      }
    },
  );

  it('pages show PUBLIC_URL instead of another host name of the request', async () => {
    const { text } = await request(published.url).get('/').set(FOREIGN).expect(200);
    expect(text).toContain(`content="${PUBLIC}/dashboard/assets/social.`);
    expect(text).not.toContain(FOREIGN.Host);
  });

  it.each(['/dashboard/sign-in', '/dashboard/sign-up', '/play/rivers'])(
    'with PUBLIC_URL the form %s is refused under another host name',
    async (path) => {
      const post = (origin: string, headers = {}) =>
        new Visitor(published).post(path, {}, { Origin: origin, ...headers });
      const sameOrigin = { ...FOREIGN, 'Sec-Fetch-Site': 'same-origin' };
      const refused = await post('http://evil.example', sameOrigin).expect(403);
      expect(wordsOf(refused)).toContain(`Open the page again at ${PUBLIC}`);
      await post('http://evil.example', FOREIGN).expect(403);
      await post(published.url).expect(403);
      expect((await post(PUBLIC)).status).not.toBe(403);
    },
  );
});

describe('dashboard pages', () => {
  it('pages that are the same for everybody are cacheable', async () => {
    const { headers } = await visitor.get('/').expect(200);
    expect(headers['cache-control']).toBe('public, max-age=60');
  });

  it.each(['/dashboard', '/dashboard/sign-in', '/dashboard/keys', '/dashboard/nothing'])(
    'the page %s cannot be framed, run inline scripts or be cached',
    async (path) => {
      const { headers } = await visitor.get(path);
      expect(headers['content-security-policy']).toBe(
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      );
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
        'cache-control': 'no-store',
      });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    },
  );

  it('no page has an inline script or style', async () => {
    for (const path of ['/', '/dashboard', '/dashboard/keys', '/dashboard/account']) {
      const { text } = await visitor.get(path).expect(200);
      expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
    }
  });

  it('a failing page is HTML, and a failing API request has the envelope', async () => {
    const page = await visitor.get('/dashboard/nothing').expect(404);
    expect(page.type).toBe('text/html');
    expect(wordsOf(page)).toContain('There is no page at this URL.');
    expect(wordsOf(page)).not.toContain('The documentation at');
    expect((await service.get('/nothing').expect(404)).body.success).toBe(false);
    const root = await request(service.url).post('/').expect(405);
    expect(root.type).toBe('text/html');
  });

  it('dashboard pages do not count against the rate limit of the API', async () => {
    const tight = await startService({ RATE_LIMIT_PER_MINUTE: '1' });
    try {
      const stranger = new Visitor(tight);
      for (let times = 0; times < 5; times++)
        expect((await stranger.get('/').expect(200)).headers['ratelimit-limit']).toBeUndefined();
      await tight.get('/metadata').expect(200);
      await tight.get('/metadata').expect(429);
    } finally {
      await tight.close();
    }
  });

  it('static files have immutable URLs that change with their content', async () => {
    const { text } = await visitor.get('/dashboard');
    const paths = [...text.matchAll(/(?:href|src)="(\/dashboard\/assets\/[^"]+)"/g)].map(
      ([, p]) => p,
    );
    expect(paths.length).toBeGreaterThanOrEqual(5);
    for (const path of paths) {
      const file = await visitor
        .get(path ?? '')
        .buffer()
        .parse(asBytes)
        .expect(200);
      expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      const [, hash] = /\.([0-9a-f]{12})\.(?:css|js|svg|woff2)$/.exec(path ?? '') ?? [];
      const digest = createHash('sha256')
        .update(file.body as Buffer)
        .digest('hex');
      expect(digest.slice(0, 12)).toBe(hash);
    }
    for (const [accepted, encoding] of [
      ['br, gzip', 'br'],
      ['br;q=0, gzip', 'gzip'],
      ['gzip;q=0', undefined],
    ]) {
      const file = await request(service.url).get(paths[0]!).set('Accept-Encoding', accepted!);
      expect(file.headers['content-encoding']).toBe(encoding);
      expect(file.headers.vary).toContain('Accept-Encoding');
    }
  });
});

describe('dashboard access to other accounts', () => {
  it("another account's keys and sessions are not found and stay unchanged", async () => {
    const { account: neighbour, visitor: theirs } = await signedIn(service);
    const [key] = await keysOf(neighbour.accountId);
    const [session] = await service.database.query<{ id: string }[]>(
      `SELECT id FROM sessions WHERE account_id = $1`,
      [neighbour.accountId],
    );
    await visitor.get(`/dashboard/keys/${key?.id}/rotate`).expect(404);
    for (const path of [
      `/dashboard/keys/${key?.id}/rotate`,
      `/dashboard/keys/${key?.id}/revoke`,
      `/dashboard/account/sessions/${session?.id}/end`,
    ])
      await visitor.post(path, { overlap: 'now' }).expect(404);
    expect(await keysOf(neighbour.accountId)).toEqual([key]);
    await theirs.get('/dashboard').expect(200);
  });

  it('malformed ids get 404', async () => {
    for (const id of ['x', '\0', "'; DROP TABLE api_keys; --"])
      await visitor.post(`/dashboard/keys/${encodeURIComponent(id)}/revoke`).expect(404);
  });

  it('account pages get 404 without administrator rights', async () => {
    for (const path of [
      '/dashboard/admin/accounts',
      `/dashboard/admin/accounts/${account.accountId}`,
      '/dashboard/admin/audit',
    ])
      await visitor.get(path).expect(404);
    for (const act of ['plan', 'administrator', 'disabled'])
      await visitor
        .post(`/dashboard/admin/accounts/${account.accountId}/${act}`, {
          plan: 'pro',
          administrator: 'yes',
        })
        .expect(404);
    expect(wordsOf(await visitor.get('/dashboard'))).not.toContain('Administration');
  });
});

describe('typed text in the dashboard', () => {
  const HOSTILE = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`;

  it('hostile text is escaped on every page', async () => {
    const { account, visitor } = await signedIn(service);
    await visitor
      .post('/dashboard/keys', { name: HOSTILE, lifetime: 'never', scopes: 'read' })
      .expect(200);
    const email = '<b>xxx</b>@example.com';
    // As versions that took any text for an address have stored it.
    const { accountId } = await service.account('pro');
    await service.database.query(`UPDATE accounts SET email = $2 WHERE id = $1`, [
      accountId,
      email,
    ]);
    const [key] = (await keysOf(account.accountId)).slice(-1);
    const pages = [
      await visitor.get('/dashboard/keys'),
      await visitor.get(`/dashboard/keys/${key?.id}/rotate`),
      await visitor.post(`/dashboard/keys/${key?.id}/revoke`),
      await visitor.get('/dashboard/keys'),
      await visitor.post('/dashboard/sign-in', { email: HOSTILE, next: HOSTILE }),
      await visitor.get(`/dashboard/${encodeURIComponent(HOSTILE)}`),
      await administrator.get('/dashboard/admin/accounts'),
      await administrator.get(`/dashboard/admin/accounts?q=${encodeURIComponent(HOSTILE)}`),
    ];
    for (const { text } of pages) expect(text).not.toMatch(/<script>|<img src=x|<b>xxx/);
    expect(pages[0]?.text).toContain('&lt;script>alert(1)');
    expect(pages[6]?.text).toContain('&lt;b>xxx');
  });

  it('a refused form keeps what was typed, except passwords', async () => {
    const name = 'n'.repeat(61);
    const { text } = await visitor.post('/dashboard/keys', { name, lifetime: '90d' }).expect(422);
    expect(text).toContain(`value="${name}"`);
    expect(text).toMatch(/aria-invalid="true" aria-describedby="field-name-error field-name-help"/);
    expect(text).toMatch(/id="field-name-error">Give the key a name of 1 to 60 characters/);
    expect(text).toMatch(/<option value="90d" selected>/);

    const refused = await new Visitor(service).signIn('typo@example.com', 'a password');
    expect(refused.text).toContain('value="typo@example.com"');
    expect(refused.text).not.toContain('a password');
  });

  it('a refused form has no switch that leads to its URL, where no page is', async () => {
    const { account: author, visitor: window } = await signedIn(service);
    const made = await author.post('/quizzes', { title: 'T', difficulty: 'EASY' }).expect(201);
    const { id } = made.body.data as { id: string };
    const [shown, refused] = [
      await window.get(`/dashboard/quizzes/${id}/share`).expect(200),
      await window.post(`/dashboard/quizzes/${id}/links`, { closesAt: 'later' }).expect(422),
    ];
    for (const part of ['action="/theme"', 'href="?lang=de"']) {
      expect(shown.text).toContain(part);
      expect(refused.text).not.toContain(part);
    }
    const link = '/dashboard/sign-in/link';
    const stored = await service.app.get(AccountsService).get(author.accountId);
    const { path } = await service.app.get(PasswordLinksService).issue(OPERATOR, stored);
    const stranger = new Visitor(service);
    const token = path.split('token=')[1];
    const asked = await stranger.get(`${link}?token=${token}`).expect(200);
    const weak = await stranger.post(link, { token, password: 'x' }).expect(422);
    expect(asked.text).toMatch(/action="\/theme"/);
    expect(weak.text).not.toMatch(/action="\/theme"|\?lang=/);
  });

  it('text with control characters or half surrogate pairs causes no 500', async () => {
    await visitor.post('/dashboard/keys', { name: 'a\0b', lifetime: 'never' }).expect(422);
    await visitor.post('/dashboard/keys', { name: ['one', 'two'], lifetime: 'x' }).expect(422);
    await administrator.get('/dashboard/admin/accounts?q=%00&page=-1').expect(200);
    await administrator.get('/dashboard/admin/accounts?q=%ED%A0%80').expect(200);
    await administrator.get('/dashboard/admin/audit?before=x').expect(200);
    expect((await new Visitor(service).signIn('\0', '\0')).status).toBe(422);
  });

  it('a long form is accepted with a session and refused unread without one', async () => {
    const name = 'password=';
    const longest = 'x'.repeat(16_384 - name.length);
    const long = `${longest}x`;
    await visitor.post('/dashboard/keys', { name: long }).expect(422);
    await new Visitor(service).post('/dashboard/sign-in', { password: longest }).expect(422);
    const refused = await new Visitor(service).post('/dashboard/sign-in', { password: long });
    expect([refused.status, refused.type]).toEqual([413, 'text/html']);
    await new Visitor(service).post('/dashboard/keys', { name: long }).expect(401);
  });

  it('a form has more fields with a session than without one, and one more is refused', async () => {
    const { formFields, signedOutFormFields } = LIMITS.requests;
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`field-${n}`, 'x']));
    const signIn = (count: number) =>
      new Visitor(service).post('/dashboard/sign-in', fields(count));
    await visitor.post('/dashboard/keys', fields(formFields.value)).expect(422);
    await visitor.post('/dashboard/keys', fields(formFields.value + 1)).expect(413);
    await signIn(signedOutFormFields.value).expect(422);
    await signIn(signedOutFormFields.value + 1).expect(413);
  });
});

import request, { type Test } from 'supertest';
import { AuditLog } from '../../src/access/accounts/audit-log';
import { makeQuiz } from '../support/content';
import { signIn, type Window } from '../support/dashboard';
import { questionBodies } from '../support/samples';
import { startService, type TestAccount, type Service } from '../support/service';

/**
 * Every address of the dashboard and of the player's page, as the router knows them: one that is added is
 * asked the same without a line here.
 */
interface Route {
  method: 'get' | 'post';
  path: string;
}

let service: Service;
let owner: TestAccount;
let mine: Window;
let neighbours: Window;
let administrators: Window;
let routes: Route[];
/** The address with ids of the owner's in the place of its parameters. */
let own: (path: string) => string;

beforeAll(async () => {
  service = await startService({ MODERATION: 'auto' });
  owner = await service.account('pro');
  mine = await signIn(service, owner);
  neighbours = await signIn(service, await service.account('pro'));
  administrators = await signIn(service, await service.account('free', { isAdmin: true }));
  const quiz = await makeQuiz(owner, { title: 'Mine', published: true }, questionBodies(2));
  const endpoint = { url: 'https://example.com/hook', events: 'quiz.created' };
  await mine.send('/webhooks', endpoint);
  const idIn = async (table: string) => {
    const [row] = await service.database.query<{ id: string }[]>(
      `SELECT id FROM ${table} WHERE account_id = $1`,
      [owner.accountId],
    );
    return row?.id ?? '';
  };
  const ids = new Map([
    ['webhooks', await idIn('webhook_endpoints')],
    ['keys', await idIn('api_keys')],
    ['sessions', await idIn('sessions')],
    ['quizzes', quiz.id],
    ['review', quiz.id],
    ['accounts', owner.accountId],
    ['questions', quiz.questions[0]?.id ?? ''],
  ]);
  expect([...ids.values()]).not.toContain('');
  own = (path) =>
    path
      .replace(/(\w+)\/:(id|question)/g, (all, of: string) =>
        ids.has(of) ? `${of}/${ids.get(of)}` : all,
      )
      .replace(':slug', 'mine');
  routes = routesOf(service);
});
afterAll(() => service.close());

function routesOf({ app }: Service): Route[] {
  const { router } = app.getHttpAdapter().getInstance() as {
    router: { stack: { route?: { path: string; methods: Record<string, boolean> } }[] };
  };
  return router.stack
    .flatMap(({ route }) => (route ? [route] : []))
    .filter(({ path }) => /^\/(dashboard|play)\b/.test(path) && !path.includes('*'))
    .flatMap(({ path, methods }) =>
      (['get', 'post'] as const)
        .filter((method) => methods[method])
        .map((method) => ({ method, path })),
    );
}

const isOpen = (path: string) => /^\/(play|dashboard\/(sign-|set-up))/.test(path);

function ask(window: Window, { method }: Route, path: string, body = ''): Test {
  const stranger = () =>
    method === 'get'
      ? request(service.url).get(path)
      : request(service.url)
          .post(path)
          .set('Sec-Fetch-Site', 'same-origin')
          .type('form')
          .send(body);
  if (!path.startsWith('/dashboard')) return stranger();
  const below = path.slice('/dashboard'.length);
  return method === 'get' ? window.open(below) : window.send(below).send(body);
}

/** The routes whose answer is not as it should be, with it. */
async function wrong(asked: Route[], judge: (route: Route) => Promise<[number, boolean]>) {
  const found: string[] = [];
  for (const route of asked) {
    const [status, good] = await judge(route);
    if (!good) found.push(`${route.method} ${route.path}: ${status}`);
  }
  expect(asked.length).toBeGreaterThan(0);
  return found;
}

it('data of an account is not found by another account, at any route of the dashboard', async () => {
  const known = routes.filter(({ path }) => path.includes(':') && !own(path).includes(':'));
  const dashboard = known.filter(({ path }) => path.startsWith('/dashboard'));
  expect(dashboard.length).toBeGreaterThan(35);
  const found = await wrong(dashboard, async (route) => {
    const { status } = await ask(neighbours, route, own(route.path), 'name=a');
    return [status, status === 404];
  });
  expect(found).toEqual([]);
  // Nothing of it was ended, revoked or deleted.
  await mine.open('').expect(200);
  await owner.get('/quizzes').expect(200);
});

it('every administration route gets 404 without administrator rights', async () => {
  const administration = routes.filter(({ path }) => path.startsWith('/dashboard/admin'));
  expect(administration.length).toBeGreaterThan(20);
  const found = await wrong(administration, async (route) => {
    const { status } = await ask(mine, route, own(route.path), 'name=a');
    return [status, status === 404];
  });
  expect(found).toEqual([]);
});

it('every form of the administration is audited', async () => {
  const fields = new Map<string, Record<string, string>>([
    ['topics', { name: 'Games' }],
    ['topics/:id/edit', { name: 'Play' }],
    ['topics/:id/move', { by: 'up' }],
    ['topics/:id/delete', {}],
    ['categories', { name: 'Chess' }],
    ['categories/:id/edit', { name: 'Go' }],
    ['categories/:id/move', { by: 'up' }],
    ['categories/:id/delete', {}],
    ['accounts/:id/plan', { plan: 'starter' }],
    ['accounts/:id/administrator', { administrator: 'yes' }],
    ['accounts/:id/disabled', { disabled: 'yes' }],
    ['review/:id/verdict', { seen: 'approved', verdict: 'reject', reason: 'Why not?' }],
  ]);
  const prefix = '/dashboard/admin/';
  const forms = routes.filter(({ method, path }) => method === 'post' && path.startsWith(prefix));
  // A form that is added says here what is typed into it.
  expect(forms.map(({ path }) => path.slice(prefix.length)).sort()).toEqual(
    [...fields.keys()].sort(),
  );

  const other = await service.account('pro');
  const quiz = await makeQuiz(other, { published: true }, questionBodies(1));
  const latest = async (table: string) => {
    const [row] = await service.database.query<{ id: string }[]>(
      `SELECT id FROM ${table} ORDER BY id DESC LIMIT 1`,
    );
    return row?.id ?? '';
  };
  const lines = () => service.app.get(AuditLog).list(100);
  await administrators.send('/admin/topics', { name: 'First' }).expect(303);
  const first = await latest('topics');
  await administrators.send('/admin/categories', { name: 'One', topicId: first }).expect(303);
  const ids: Record<string, () => Promise<string>> = {
    topics: () => latest('topics'),
    categories: () => latest('categories'),
    accounts: () => Promise.resolve(other.accountId),
    review: () => Promise.resolve(quiz.id),
  };
  for (const [path, typed] of fields) {
    const [kind = '', , act = ''] = path.split('/');
    const id = (await ids[kind]?.()) ?? '';
    const at = `/admin/${path.replace(':id', id)}`;
    const version =
      act === 'edit'
        ? /name="version" value="([^"]*)"/.exec((await administrators.open(at)).text)?.[1]
        : '';
    const before = await lines();
    await administrators.send(at, { topicId: first, version: version ?? '', ...typed }).expect(303);
    expect([path, (await lines()).length - before.length]).toEqual([path, 1]);
  }
});

it('no page can be framed, run scripts of other origins or be cached', async () => {
  const pages = routes.filter(({ method }) => method === 'get');
  const found = await wrong(pages, async (route) => {
    const window = /admin/.test(route.path) ? administrators : mine;
    const { status, headers } = await ask(window, route, own(route.path));
    const policy = headers['content-security-policy'] ?? '';
    const good =
      policy.startsWith("default-src 'self';") &&
      policy.includes("frame-ancestors 'none'") &&
      headers['cache-control'] === 'no-store';
    return [status, good];
  });
  expect(found).toEqual([]);
});

it('opening a page changes no row of the database', async () => {
  const pages = routes.filter(({ method }) => method === 'get');
  const before = await everything();
  for (const route of pages) {
    await ask(mine, route, own(route.path));
    await ask(administrators, route, own(route.path));
  }
  expect(await everything()).toEqual(before);
});

/** The content of every table, but for when somebody was last seen. */
async function everything(): Promise<Record<string, string>> {
  const tables = await service.database.query<{ name: string }[]>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const content: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await service.database.query<{ rows: string | null }[]>(
      `SELECT string_agg(line, E'\n' ORDER BY line) AS rows FROM (
         SELECT (to_jsonb(t) - '{last_seen_at,last_used_at}'::text[])::text AS line FROM "${name}" t) lines`,
    );
    content[name] = row?.rows ?? '';
  }
  return content;
}

it('every page but the public ones redirects to the sign-in without a session', async () => {
  // A post to the overview is no form of ours.
  const closed = routes.filter(
    ({ method, path }) => !isOpen(path) && !(method === 'post' && path === '/dashboard'),
  );
  const found = await wrong(closed, async ({ method, path }) => {
    const { status, headers } = await request(service.url)
      [method](own(path))
      .set('Sec-Fetch-Site', 'same-origin');
    return [status, status === 303 && /^\/dashboard\/sign-in/.test(headers.location ?? '')];
  });
  expect(found).toEqual([]);
});

it('every form posted from another site is refused', async () => {
  const forms = routes.filter(({ method }) => method === 'post');
  const found = await wrong(forms, async (route) => {
    const { status } = await ask(mine, route, own(route.path)).set('Sec-Fetch-Site', 'cross-site');
    return [status, status === 403];
  });
  expect(found).toEqual([]);
});

it.each(['x', '%00', '%ED%A0%80', "'--", '..%2f..', '9'.repeat(400)])(
  'the id %s is not found at any route and causes no internal error',
  async (odd) => {
    const named = routes.filter(({ path }) => path.includes(':'));
    const found = await wrong(named, async (route) => {
      const path = route.path.replace(/:\w+/g, odd);
      const { status } = await ask(administrators, route, path, 'a=b');
      // Whoever is sent the address of somebody's attempt is led to the quiz's door.
      const toTheDoor = route.method === 'get' && route.path.startsWith('/play/:slug/:attempt');
      // Not even an address: the router answers.
      const unreadable = odd === '%ED%A0%80' && status === 400;
      return [status, status === 404 || unreadable || (toTheDoor && status === 303)];
    });
    expect(found).toEqual([]);
  },
);

const NAMES =
  `name title text type difficulty tags category description explanation version rows url events
  answers[0].text answers[1].text plan verdict reason seen icon topic topicId slug by overlap lifetime since
  endpoint attempt token state then answer reveal allAccounts scopes origins page q quiz before next`.split(
    /\s+/,
  );
const all = (value: string) => NAMES.map((n) => `${encodeURIComponent(n)}=${value}`).join('&');

it.each([
  ['nothing', ''],
  ['a broken escape', '%'],
  ['no names', '&=&='],
  ['the names of a prototype', '__proto__[a]=b&constructor=1&toString=2'],
  ['NUL', all('%00')],
  ['bytes that are no text', all('%ED%A0%80')],
  ['a huge number', all('9'.repeat(30))],
  ['a negative number', all('-1')],
  ['the year 0', all('0000-01-01T00:00')],
  ['long texts', all('x'.repeat(300))],
  ['everything twice', `${all('a')}&${all('b')}`],
  ['everything as a list', all('a').replaceAll('=', '[]=')],
])('a form or query with %s causes no 500', async (_, text) => {
  // What would end the session, or try a password, is asked in its own tests.
  const asked = routes.filter(
    ({ method, path }) =>
      method === 'get' ||
      !/sign-|set-up|password|sessions|delete$|disabled$|administrator$/.test(path),
  );
  const found = await wrong(asked, async (route) => {
    const query = route.method === 'get' ? `?${text}` : '';
    const window = /admin/.test(route.path) ? administrators : mine;
    const { status } = await ask(window, route, own(route.path) + query, text);
    return [status, status < 500];
  });
  expect(found).toEqual([]);
});

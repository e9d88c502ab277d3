import request from 'supertest';
import { AccountAdministrationService } from '../../src/access/administration/account-administration.service';
import { AuditLog } from '../../src/access/audit/audit-log';
import { makeQuiz } from '../support/content';
import { type Route, type Site, startSite, wrong } from '../support/dashboard-routes';
import { questionBodies } from '../support/samples';
import { hidden } from '../support/visitor';

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.service.close());

const isOpen = (path: string) => /^\/(play|dashboard\/(sign-|set-up))/.test(path);

it('data of an account is not found by another account, at any route of the dashboard', async () => {
  const { owner, mine, neighbours, routes, own, ask } = site;
  // Everybody may copy a public quiz, as this one is; of a draft test/api/quiz-copy.spec.ts shows 404.
  const isPrivate = ({ path }: Route) =>
    /^\/dashboard\/(?!admin\/).*:/.test(path) && !path.endsWith('/copy');
  const ofAccounts = routes.filter(isPrivate);
  // A path that is left has a parameter for which startSite makes no object yet.
  expect(ofAccounts.map(({ path }) => own(path)).filter((path) => path.includes(':'))).toEqual([]);
  expect(ofAccounts.length).toBeGreaterThan(50);
  const found = await wrong(ofAccounts, async (route) => {
    const { status } = await ask(neighbours, route, own(route.path), 'name=a');
    return [status, status === 404];
  });
  expect(found).toEqual([]);
  // It exists, and nothing of it was ended, revoked or deleted.
  const pages = ofAccounts.filter(({ method }) => method === 'get');
  const missed = await wrong(pages, async (route) => {
    const { status } = await ask(mine, route, own(route.path));
    return [status, status < 400];
  });
  expect(missed).toEqual([]);
  await owner.get('/quizzes').expect(200);
});

it('every administration route gets 404 without administrator rights', async () => {
  const { mine, routes, own, ask } = site;
  const administration = routes.filter(({ path }) => path.startsWith('/dashboard/admin'));
  expect(administration.length).toBeGreaterThan(20);
  const found = await wrong(administration, async (route) => {
    const { status } = await ask(mine, route, own(route.path), 'name=a');
    return [status, status === 404];
  });
  expect(found).toEqual([]);
});

it('every form of the administration is audited', async () => {
  const { service, administrators, routes } = site;
  const fields = new Map<string, Record<string, string>>([
    ['topics', { name: 'Games' }],
    ['topics/:id/edit', { name: 'Play' }],
    ['topics/:id/move', { by: 'up' }],
    ['topics/:id/delete', {}],
    ['categories', { name: 'Chess' }],
    ['categories/:id/edit', { name: 'Go' }],
    ['categories/:id/move', { by: 'up' }],
    ['categories/:id/delete', {}],
    ['accounts', { email: 'made@example.com', plan: 'free' }],
    ['accounts/:id/link', {}],
    ['accounts/:id/plan-request', {}],
    ['accounts/:id/plan', { plan: 'starter' }],
    ['accounts/:id/rate', { requestsPerMinute: '600' }],
    ['accounts/:id/administrator', { administrator: 'yes' }],
    ['accounts/:id/disabled', { disabled: 'yes' }],
    ['accounts/:id/e-mail', { email: 'moved@example.com' }],
    ['accounts/:id/delete', { quizzes: 'keep' }],
    ['review', {}],
    ['review/:id/verdict', { seen: 'approved', verdict: 'reject', reason: 'Why not?' }],
  ]);
  const prefix = '/dashboard/admin/';
  const forms = routes.filter(({ method, path }) => method === 'post' && path.startsWith(prefix));
  // A form that is added says here what is typed into it.
  expect(forms.map(({ path }) => path.slice(prefix.length)).sort()).toEqual(
    [...fields.keys()].sort(),
  );

  const other = await service.account('pro');
  await service.app.get(AccountAdministrationService).requestPlan(other.accountId, 'starter');
  const quiz = await makeQuiz(other, { published: true }, questionBodies(1));
  const latest = async (table: string) => {
    const [row] = await service.database.query<{ id: string }[]>(
      `SELECT id FROM ${table} ORDER BY id DESC LIMIT 1`,
    );
    return row?.id ?? '';
  };
  const key = await latest('api_keys');
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
    const version = act === 'edit' ? hidden((await administrators.open(at)).text, 'version') : '';
    const before = await lines();
    if (path === 'review')
      await service.database.query(`UPDATE quizzes SET approval = 'pending' WHERE id = $1`, [id]);
    const listed = new RegExp(`value="(${quiz.id}:[^"]+)"`);
    const [, seen = ''] =
      path === 'review'
        ? (listed.exec((await administrators.open('/admin/review')).text) ?? [])
        : [];
    const sent = { topicId: first, version, quiz: seen, key, ...typed };
    const { status } = await administrators.send(at, sent);
    // A new account is created and gets a link; a page with a link is no redirect.
    const [entries, expected] = path === 'accounts' ? [2, 200] : [1, act === 'link' ? 200 : 303];
    expect([path, status, (await lines()).length - before.length]).toEqual([
      path,
      expected,
      entries,
    ]);
  }
});

it('no page can be framed, run scripts of other origins or be cached', async () => {
  const { mine, administrators, routes, own, ask } = site;
  const pages = routes.filter(({ method }) => method === 'get');
  const found = await wrong(pages, async (route) => {
    const window = /admin/.test(route.path) ? administrators : mine;
    const { status, headers } = await ask(window, route, own(route.path));
    const policy = headers['content-security-policy'] ?? '';
    const good =
      policy.startsWith("default-src 'self';") &&
      policy.includes("frame-ancestors 'none'") &&
      !/script-src|unsafe|https?:|\*/.test(policy) &&
      headers['cache-control'] === 'no-store';
    return [status, good];
  });
  expect(found).toEqual([]);
});

it('opening a page changes no row of the database, once the projected quiz has its short code', async () => {
  const { mine, administrators, routes, own, ask } = site;
  await mine.open(own('/quizzes/:id/share/big')).expect(200);
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
  const { service } = site;
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

it('without a session every page but the public ones redirects to the sign-in, and every form is refused', async () => {
  const { service, routes, own } = site;
  // A post to the overview is no form of ours.
  const closed = routes.filter(
    ({ method, path }) => !isOpen(path) && !(method === 'post' && path === '/dashboard'),
  );
  const found = await wrong(closed, async ({ method, path }) => {
    const { status, headers } = await request(service.url)
      [method](own(path))
      .set('Sec-Fetch-Site', 'same-origin');
    return [
      status,
      method === 'post'
        ? status === 401
        : status === 303 && /^\/dashboard\/sign-in/.test(headers.location ?? ''),
    ];
  });
  expect(found).toEqual([]);
});

it('every form posted from another site is refused', async () => {
  const { mine, routes, own, ask } = site;
  const forms = routes.filter(({ method }) => method === 'post');
  const found = await wrong(forms, async (route) => {
    const { status } = await ask(mine, route, own(route.path)).set('Sec-Fetch-Site', 'cross-site');
    return [status, status === 403];
  });
  expect(found).toEqual([]);
});

// Many more ids and bodies: test/stress/dashboard-bodies.spec.ts.
it('an unknown id is not found at any route', async () => {
  const { administrators, routes, ask } = site;
  const form = 'key=01990000-0000-7000-8000-000000000000';
  const named = routes.filter(({ path }) => path.startsWith('/dashboard') && path.includes(':'));
  const found = await wrong(named, async (route) => {
    const { status } = await ask(administrators, route, route.path.replace(/:\w+/g, 'x'), form);
    return [status, status === 404];
  });
  expect(found).toEqual([]);
});

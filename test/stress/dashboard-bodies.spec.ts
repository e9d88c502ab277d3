import { join } from 'node:path';
import { readSources } from '../support/architecture';
import { type Route, type Site, startSite, wrong } from '../support/dashboard-routes';

/** Ids, forms and queries that no page of ours sends, at every route of the dashboard and of the player's pages. */
let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.service.close());

it.each(['x', '%00', '%ED%A0%80', "'--", '..%2f..', '9'.repeat(400)])(
  'the id %s is not found at any route and causes no internal error',
  async (odd) => {
    const { administrators, routes, ask } = site;
    const named = routes.filter(({ path }) => path.includes(':'));
    const found = await wrong(named, async (route) => {
      const path = route.path.replace(/:\w+/g, odd);
      const { status } = await ask(administrators, route, path, 'a=b');
      // The address of somebody else's attempt redirects to the start page of the quiz.
      const toStartPage = route.method === 'get' && route.path.startsWith('/play/:slug/:attempt');
      // The router refuses what it cannot decode.
      const unreadable = odd === '%ED%A0%80' && status === 400;
      return [status, status === 404 || unreadable || (toStartPage && status === 303)];
    });
    expect(found).toEqual([]);
  },
);

const source = readSources(join(__dirname, '../../src/web')).map(({ text }) => text);
/** The names in calls of the functions that read a form or a query. */
const namesRead = (by: string) => [
  ...new Set(
    source
      .flatMap((text) => [...text.matchAll(new RegExp(`\\b${by}\\(([^()]+)\\)`, 'g'))])
      .flatMap(([, names = '']) => [...names.matchAll(/'(\w+)'/g)].map(([, name = '']) => name)),
  ),
];
// Deliveries read this one by a function of their own.
const PARAMETERS = [...namesRead('query'), 'endpoint'];
const FIELDS = [
  ...namesRead('form\\.(?:texts?|all|has|words)'),
  // Those of a question in the editor are composed.
  ...['q.id', 'q.text', 'q.type', 'q.difficulty', 'q.answer', 'q.right', 'q.truth'],
];

/** A query or a form. */
type Text = (names: string[]) => string;
const filled =
  (valueOf: (name: string) => string): Text =>
  (names) =>
    names.map((name) => `${name}=${valueOf(name)}`).join('&');
const all = (value: string) => filled(() => value);

it('the names of many fields and parameters are found', () => {
  expect(FIELDS).toEqual(expect.arrayContaining(['key', 'question', 'requestsPerMinute', 'slug']));
  expect(PARAMETERS).toEqual(expect.arrayContaining(['page', 'q', 'quiz']));
});

it.each<[string, Text]>([
  ['nothing', () => ''],
  ['a broken escape', () => '%'],
  ['no names', () => '&=&='],
  ['the names of a prototype', () => '__proto__[a]=b&constructor=1&toString=2'],
  ['NUL', all('%00')],
  ['bytes that are no text', all('%ED%A0%80')],
  ['a huge number', all('9'.repeat(30))],
  ['a negative number', all('-1')],
  ['the year 0', all('0000-01-01T00:00')],
  ['long texts', all('x'.repeat(300))],
  ['everything twice', (names) => `${all('a')(names)}&${all('b')(names)}`],
  ['everything as a list', (names) => all('a')(names.map((name) => `${name}[]`))],
])('a form or query with %s causes no 500', async (_, text) => {
  const { routes, own } = site;
  const found = await wrong(routes.filter(isHarmless), async (route) => {
    const status = await statusOf(route, own(route.path), text);
    return [status, status < 500];
  });
  expect(found).toEqual([]);
});

/** What would end the session, or try a password, is asked in its own tests. */
const isHarmless = ({ method, path }: Route) =>
  method === 'get' || !/sign-|set-up|password|sessions|delete$|disabled$|administrator$/.test(path);

async function statusOf(route: Route, path: string, text: Text): Promise<number> {
  const { mine, administrators, ask } = site;
  const window = /admin/.test(route.path) ? administrators : mine;
  const { status } = await ask(window, route, `${path}?${text(PARAMETERS)}`, text(FIELDS));
  // Node would answer for us.
  expect(status).not.toBe(431);
  return status;
}

/** So that no form is refused before its ids are looked up. */
const CHOICES: Record<string, string> = {
  act: 'move',
  plan: 'starter',
  quizzes: 'keep',
  reason: 'answer',
  since: '2026-03-01T12:30',
  verdict: 'approve',
  seen: 'approved',
  difficulty: 'EASY',
  requestsPerMinute: '600',
  'q.type': 'OPEN_ENDED',
  'q.difficulty': 'EASY',
  name: 'a',
  title: 'a',
  overlap: 'now',
};
/** What a path has before an id of the kind that the field or parameter takes. */
const KINDS: Record<string, string> = {
  key: 'keys',
  quiz: 'quizzes',
  into: 'quizzes',
  question: 'questions',
  like: 'questions',
  'q.id': 'questions',
  attempt: 'results',
  endpoint: 'webhooks',
  link: 'links',
};

it.each<[string, (name: string) => string]>([
  ['unknown ids', () => '01990000-0000-7000-8000-000000000000'],
  ['malformed ids', () => 'x'],
  ['ids of the owner', (name) => site.own(`${KINDS[name]}/:id`).split('/')[1]!],
])('a malformed id in the path causes no 500 with %s in the form', async (_, idOf) => {
  const { routes, own } = site;
  const text = filled((name) => CHOICES[name] ?? idOf(name));
  const found = await wrong(routes.filter(isHarmless), async (route) => {
    const parts = route.path.split('/');
    const owned = own(route.path).split('/');
    const places = parts.flatMap((part, at) => (part.startsWith(':') ? [at] : []));
    // The first is well-formed, for the ids of the form.
    const paths = [owned, ...places.map((at) => owned.with(at, 'x'))];
    const statuses: number[] = [];
    for (const path of paths) statuses.push(await statusOf(route, path.join('/'), text));
    const worst = Math.max(...statuses);
    return [worst, worst < 500];
  });
  expect(found).toEqual([]);
});

import { type Site, startSite, wrong } from '../support/dashboard-routes';

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

const NAMES =
  `name title text type difficulty tags category description explanation version rows url events
  question q.text q.answer q.right q.truth act quiz plan verdict reason seen icon topic topicId slug by overlap lifetime since
  endpoint attempt token state then answer reveal allAccounts scopes origins page q quiz before next closesAt key`.split(
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
  const { mine, administrators, routes, own, ask } = site;
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

import { SessionsService } from '../../src/access/sessions/sessions.service';
import { makeQuiz } from '../support/content';
import { signIn } from '../support/dashboard';
import { type Site, startSite } from '../support/dashboard-routes';
import { LinkFollower } from '../support/link-follower';
import { questionBodies } from '../support/samples';

/** Every link and every form of every page leads to a page, for every role. */

let site: Site;
beforeAll(async () => {
  site = await startSite();
  await makeQuiz(site.owner, { title: 'Theirs', published: true }, questionBodies(2));
});
afterAll(() => site.service.close());

/** A window of the account that follows everything below /dashboard. */
async function followerOf(accountId: string): Promise<LinkFollower> {
  const { url, app } = site.service;
  const browser = { userAgent: 'Firefox/130 Linux', address: '127.0.0.1' };
  const token = await app.get(SessionsService).start(accountId, browser);
  return new LinkFollower(url, '/dashboard', { quiz_session: token ?? '' });
}

test('every link and form leads to a page for a visitor without an account, who also plays', async () => {
  const visitor = new LinkFollower(site.service.url);
  await visitor.follow('/', '/docs', '/play', '/dashboard', '/play/mine', '/embed/mine');
  expect(visitor.dead).toEqual([]);
  const seen = [...visitor.seen].join('\n');
  expect(seen).toMatch(/^\/docs\/guides\//m);
  // A finished attempt.
  expect(seen).toMatch(/^\/play\/theirs\/[\w-]{36}$/m);
  expect(visitor.seen.size).toBeGreaterThan(80);
}, 60_000);

test('every link and form leads to a page for an account with the free plan', async () => {
  const free = await followerOf((await site.service.account('free')).accountId);
  await free.follow('/dashboard');
  expect(free.dead).toEqual([]);
  expect(free.seen.size).toBeGreaterThan(20);
}, 60_000);

test('every link and form leads to a page for an account with the pro plan', async () => {
  const pro = await followerOf(site.owner.accountId);
  await pro.follow('/dashboard');
  expect(pro.dead).toEqual([]);
  // It was hidden by /dashboard/imports/:id.
  expect([...pro.seen]).toContain('/dashboard/imports/template.csv');
  const template = await (await signIn(site.service, site.owner)).open('/imports/template.csv');
  expect(template.headers['content-disposition']).toMatch(/^attachment; filename="questions.csv"/);
  expect(template.text).toMatch(/^\ufeff?question,answer_1,/);
  expect(pro.seen.size).toBeGreaterThan(60);
}, 60_000);

test('every link and form leads to a page for an administrator', async () => {
  const { accountId } = await site.service.account('pro', { isAdmin: true });
  const administrator = await followerOf(accountId);
  await administrator.follow('/dashboard', '/dashboard/admin/review');
  expect(administrator.dead).toEqual([]);
  expect([...administrator.seen].join('\n')).toMatch(/^\/dashboard\/admin\/audit\/export/m);
  expect(administrator.seen.size).toBeGreaterThan(50);
}, 60_000);

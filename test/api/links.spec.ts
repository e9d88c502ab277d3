import { makeQuiz } from '../support/content';
import { type Site, startSite } from '../support/dashboard-routes';
import { LinkFollower } from '../support/link-follower';
import { questionBodies } from '../support/samples';

/** Every link and every form of the public pages leads to a page. Those of the dashboard: dashboard-german.spec.ts. */

let site: Site;
beforeAll(async () => {
  site = await startSite();
  await makeQuiz(site.owner, { title: 'Theirs', published: true }, questionBodies(2));
});
afterAll(() => site.service.close());

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

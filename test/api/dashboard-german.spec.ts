import { SessionsService } from '../../src/access/sessions/sessions.service';
import { makeQuiz } from '../support/content';
import { signIn } from '../support/dashboard';
import { type Site, startSite } from '../support/dashboard-routes';
import { englishIn, textsOf } from '../support/english-texts';
import { LinkFollower } from '../support/link-follower';
import type { TestAccount } from '../support/service';

/**
 * Every link and every form of every page of the dashboard, in German: each leads to a page, and nothing on it is in
 * English. The links are the same in each language.
 */

const questions = ['Eins?', 'Zwei?'].map((text) => ({
  text,
  type: 'MULTIPLE_CHOICE',
  difficulty: 'EASY',
  explanation: 'Darum.',
  answers: ['Donau', 'Rhein', 'Elbe'].map((answer, at) => ({ text: answer, isCorrect: at === 0 })),
}));
const quiz = {
  title: 'Flüsse',
  description: 'Von der Quelle zum Meer.',
  category: 'Erdkunde',
  tags: ['fluss'],
  published: true,
};

let site: Site;
beforeAll(async () => {
  // New quizzes wait for a review.
  site = await startSite({});
});
afterAll(() => site.service.close());

/** The board of queues is another program, and links lead to other languages. */
const IN_OTHER_LANGUAGES = /(?:\/dashboard\/admin\/queues|[?&]lang=)[^→]*$/;

/** Follows all links and forms. @returns what leads nowhere, and what is English, by how it was reached */
async function followAs({ accountId }: Pick<TestAccount, 'accountId'>, ...paths: string[]) {
  const { app, url } = site.service;
  const token = await app
    .get(SessionsService)
    .start(accountId, { userAgent: 'Firefox/130 Linux', address: '127.0.0.1' });
  const english = new Map<string, string>();
  let pages = 0;
  const read = (html: string, trail: string) => {
    // A redirect is no page.
    const [, language] = /^<!doctype html>\s*<html lang="(\w*)"/.exec(html) ?? [];
    if (!language || !/\/dashboard[^→]*$/.test(trail) || IN_OTHER_LANGUAGES.test(trail)) return;
    if (language !== 'de') english.set(`The whole page is in ${language}`, trail);
    pages += 1;
    for (const text of englishIn(html)) if (!english.has(text)) english.set(text, trail);
  };
  const follower = new LinkFollower(
    url,
    '/dashboard',
    { quiz_session: token ?? '' },
    { language: 'de', read },
  );
  await follower.follow(...paths);
  return {
    found: {
      dead: follower.dead,
      english: [...english].map(([text, trail]) => `${text} (${trail})`),
    },
    seen: [...follower.seen],
    pages,
  };
}

const NOTHING = { dead: [], english: [] };

test('a text of an English page is found, and data of authors is not', () => {
  const html =
    '<p>The settings are saved.</p><p><bdi>The End</bdi><b title="Sign out">Ende</b></p><p>Ada (…oF1K)</p>';
  expect(textsOf(html)).toEqual(['The settings are saved.', 'Sign out', 'Ende', 'Ada (…oF1K)']);
  expect(englishIn(html)).toEqual(['The settings are saved.', 'Sign out']);
  expect(textsOf('<p>Share &amp; print</p>')).toEqual(['Share & print']);
  expect(englishIn('<p>3 questions</p><p>3 Fragen</p><button>Delete “X”?</button>')).toEqual([
    '3 questions',
    'Delete “X”?',
  ]);
});

test('an author with the pro plan finds no dead link or form and no English', async () => {
  await makeQuiz(site.owner, quiz, questions);
  await makeQuiz(site.owner, { ...quiz, title: 'Seen', published: false }, questions);
  const { found, seen, pages } = await followAs(site.owner, '/dashboard');
  expect(found).toEqual(NOTHING);
  expect(pages).toBeGreaterThan(80);
  // It was hidden by /dashboard/imports/:id.
  expect(seen).toContain('/dashboard/imports/template.csv');
  const template = await (await signIn(site.service, site.owner)).open('/imports/template.csv');
  expect(template.headers['content-disposition']).toMatch(/^attachment; filename="questions.csv"/);
  expect(template.text).toMatch(/^\ufeff?question,answer_1,/);
}, 120_000);

test('an author with the free plan finds no dead link or form and no English', async () => {
  const { found, pages } = await followAs(await site.service.account('free'), '/dashboard');
  expect(found).toEqual(NOTHING);
  expect(pages).toBeGreaterThan(20);
}, 120_000);

test('an administrator finds no dead link or form and no English', async () => {
  const author = await site.service.account('pro');
  await makeQuiz(author, { ...quiz, title: 'Wartend' }, questions);
  const administrator = await site.service.account('pro', { isAdmin: true });
  const window = await signIn(site.service, administrator);
  await window.send('/admin/topics', { name: 'Natur' }).expect(303);
  const { found, seen, pages } = await followAs(
    administrator,
    '/dashboard',
    '/dashboard/admin/review',
  );
  expect(found).toEqual(NOTHING);
  expect(pages).toBeGreaterThan(80);
  expect(seen.join('\n')).toMatch(/^\/dashboard\/admin\/audit\/export/m);
}, 120_000);

import { SessionsService } from '../../src/access/sessions/sessions.service';
import { migrateQueue } from '../../src/platform/queue/migrate-queue';
import { makeQuiz } from '../support/content';
import { signIn } from '../support/dashboard';
import { englishIn, textsOf } from '../support/english-texts';
import { LinkFollower } from '../support/link-follower';
import { type Service, startService, type TestAccount } from '../support/service';

/** Every page of the dashboard, after every form, in German: nothing on it is in English. */

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

let service: Service;
beforeAll(async () => {
  service = await startService({});
  await migrateQueue(service.databaseUrl);
});
afterAll(() => service.close());

/** The board of queues is another program, and links lead to other languages. */
const IN_OTHER_LANGUAGES = /(?:\/dashboard\/admin\/queues|[?&]lang=)[^→]*$/;

/** What is English, by how it was reached. */
async function englishFor({ accountId }: TestAccount, ...paths: string[]) {
  const token = await service.app
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
  const cookies = { quiz_session: token ?? '' };
  const reader = { language: 'de', read };
  await new LinkFollower(service.url, '/dashboard', cookies, reader).follow(...paths);
  return { pages, english: [...english].map(([text, trail]) => `${text} (${trail})`) };
}

test('a text of an English page is found, and data of authors is not', () => {
  const html =
    '<p>The settings are saved.</p><p><bdi>The End</bdi><b title="Sign out">Ende</b></p><p>Ada (…oF1K)</p>';
  expect(textsOf(html)).toEqual(['The settings are saved.', 'Sign out', 'Ende', 'Ada (…oF1K)']);
  expect(englishIn(html)).toEqual(['The settings are saved.', 'Sign out']);
});

test('an author with the pro plan reads no English', async () => {
  const author = await service.account('pro');
  await makeQuiz(author, quiz, questions);
  await makeQuiz(author, { ...quiz, title: 'Seen', published: false }, questions);
  const { english, pages } = await englishFor(author, '/dashboard');
  expect(english).toEqual([]);
  expect(pages).toBeGreaterThan(80);
}, 120_000);

test('an author with the free plan reads no English', async () => {
  const { english, pages } = await englishFor(await service.account('free'), '/dashboard');
  expect(english).toEqual([]);
  expect(pages).toBeGreaterThan(20);
}, 120_000);

test('an administrator reads no English', async () => {
  const author = await service.account('pro');
  await makeQuiz(author, { ...quiz, title: 'Wartend' }, questions);
  const administrator = await service.account('pro', { isAdmin: true });
  const window = await signIn(service, administrator);
  await window.send('/admin/topics', { name: 'Natur' }).expect(303);
  const { english, pages } = await englishFor(
    administrator,
    '/dashboard',
    '/dashboard/admin/review',
  );
  expect(english).toEqual([]);
  expect(pages).toBeGreaterThan(80);
}, 120_000);

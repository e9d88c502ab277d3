import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ImportRunnerService } from '../../src/import-export/imports/running/import-runner.service';
import { eventually } from '../support/clock';
import { makeQuiz } from '../support/content';
import { questionBodies } from '../support/samples';
import type { TestAccount } from '../support/service';
import { type Browsing, follow, inBrowser, inspect, MODES, startBrowsing } from './support/browser';

// Every page of a path is looked at three times.
jest.setTimeout(180_000);

const csv = (...rows: string[]) =>
  Buffer.from(`question,type,difficulty,answer 1,answer 2,correct\n${rows.join('\n')}\n`);

inBrowser('imports and leaderboards in a browser', () => {
  let browsing: Browsing;
  let author: TestAccount;
  beforeAll(async () => {
    browsing = await startBrowsing({ MODERATION: 'auto' });
    author = await browsing.member('pro', { email: 'ada@example.com' });
  });
  afterAll(() => browsing.close());

  const press = (page: Page, name: string) =>
    follow(page.getByRole('button', { name, exact: true }).first());
  const choose = (page: Page, name: string, buffer: Buffer) =>
    page.getByLabel('File', { exact: true }).setInputFiles({ name, mimeType: 'text/csv', buffer });
  /** What a worker does. */
  const run = (page: Page) =>
    browsing.service.app
      .get(ImportRunnerService)
      .run(new URL(page.url()).pathname.split('/').at(-1) ?? '');

  test.each(MODES)('%s: a file is previewed, imported and reported', async (mode, options) => {
    const look = (on: Page, name: string) =>
      options.javaScript ? inspect(on, name) : Promise.resolve();
    const { id, title } = await makeQuiz(author, { title: `Rivers, ${mode}` }, questionBodies(1));
    const { page, go } = await browsing.visitor(author, options);
    await go(`/dashboard/quizzes/${id}`);
    await follow(page.getByRole('link', { name: 'Import a file' }));
    await press(page, 'Show preview');
    expect(await page.getByText('Choose a file, or paste your questions.').isVisible()).toBe(true);
    await look(page, 'import-new-refused');

    await choose(
      page,
      'rivers.csv',
      csv(
        `Which river flows through Vienna ${mode}?,MULTIPLE_CHOICE,EASY,The Danube,The Rhine,1`,
        'Which river flows through Cairo?,MULTIPLE_CHOICE,EASY,The Nile,The Congo,',
        `Which river flows through Vienna ${mode}?,MULTIPLE_CHOICE,EASY,The Danube,The Rhine,1`,
        `Which river flows through Vienna in Austria ${mode}?,MULTIPLE_CHOICE,EASY,The Danube,The Rhine,1`,
        `"Italy is ${'very '.repeat(30)}long.",TRUE_FALSE,SOMEWHAT,True,False,1`,
      ),
    );
    await press(page, 'Show preview');
    expect(await page.getByRole('heading', { name: 'Preview' }).isVisible()).toBe(true);
    expect(await page.getByText(`They are appended to “${title}”.`).isVisible()).toBe(true);
    expect(await page.locator('.problem', { hasText: 'Line 3 error' }).count()).toBe(1);
    expect(await page.getByRole('row', { name: /^Line 4 duplicate/ }).count()).toBe(1);
    await look(page, 'import-preview');

    await press(page, 'Import 2 questions');
    expect(await page.getByText('It starts as soon as a worker is free.').isVisible()).toBe(true);
    await look(page, 'import-waiting');
    await run(page);
    // By itself: htmx looks again, or the browser loads the page again.
    await page.getByText('2 questions imported.').waitFor();
    await look(page, 'import-done');
    await follow(page.getByRole('link', { name: 'To the quiz', exact: true }));
    expect(await page.locator('.question').count()).toBe(3);

    await go('/dashboard/quizzes');
    await follow(page.getByRole('link', { name: 'Imports' }));
    await look(page, 'imports');
    await follow(page.getByRole('link', { name: 'Import a file' }));
    await choose(page, 'broken.json', Buffer.from('{"questions": [}'));
    await press(page, 'Show preview');
    expect(await page.getByRole('heading', { name: 'This file cannot be read' }).count()).toBe(1);
    await look(page, 'import-failed');
    await go('/dashboard/imports/new');
    await choose(page, 'seas.csv', csv(`Largest sea ${mode}?,MULTIPLE_CHOICE,EASY,A,B,1`));
    await press(page, 'Show preview');
    await look(page, 'import-preview-quizzes');
    await page.getByLabel('Title', { exact: true }).fill(`Seas ${mode}`);
    await page.getByLabel('Publish them').check();
    await press(page, 'Import 1 question');
    await press(page, 'Cancel');
    // The page of an import is loaded again by itself.
    await page.getByRole('heading', { name: 'Cancelled' }).waitFor();
    await look(page, 'import-cancelled');

    const lakes = [`Deepest lake ${mode}?,MULTIPLE_CHOICE,EASY,A,B,1`, 'Faulty?,,EASY,A,B,'];
    await go('/dashboard/imports/new');
    await choose(page, `Lakes ${options.javaScript}.csv`, csv(...lakes));
    await press(page, 'Show preview');
    await page.getByLabel('Title', { exact: true }).fill(`Lakes ${options.javaScript}`);
    await press(page, 'Import 1 question');
    await run(page);
    await page.getByText('1 question imported, into 1 new quiz.').waitFor();
    await follow(page.getByRole('link', { name: 'Errors 1' }));
    expect(await page.getByText('These rows are not imported. Fix them').isVisible()).toBe(true);
    await look(page, 'import-done-quizzes');
    const { pathname } = new URL(page.url());
    await go(`${pathname}/quizzes`);
    await look(page, 'import-quizzes');
    await follow(page.getByRole('link', { name: `Lakes ${options.javaScript}` }));
    expect(await page.locator('.question').count()).toBe(1);
  });

  test.each(MODES)(
    "%s: a teacher's file with ten mistakes is corrected and imported without leaving the page",
    async (mode, options) => {
      const { page, go } = await browsing.visitor(author, options);
      const file = readFileSync(join(__dirname, '../api/samples/teacher/ten-mistakes.txt'), 'utf8');
      await go('/dashboard/imports/new');
      // The account has the questions of the other modes.
      const ours = file.replaceAll('capital', `capital (${mode})`);
      await choose(page, 'ten-mistakes.txt', Buffer.from(ours));
      await press(page, 'Show preview');
      const at = page.url();
      expect(await page.locator('.problem').count()).toBe(11);
      if (options.javaScript) await inspect(page, 'import-mistakes');
      const corrected: Record<string, [from: string | RegExp, to: string]> = {
        France: ['a) Paris', 'a) Paris *'],
        Spain: [/$/, '\nb) Seville'],
        Norway: ['c)', 'b)'],
        Peru: ['Answer: C', 'Answer: A'],
        Kenya: ['b) Nairobi', 'b) Mombasa'],
        Egypt: ['Answer: B', 'Answer: A'],
        Ghana: [/.*Chad\?\n/, ''],
        Japan: [/$/, '\na) Tokyo *\nb) Osaka'],
        China: ['- Shanghai', 'b) Shanghai'],
        India: [/b\)$/, 'b) Mumbai'],
        Nepal: [' *\nor Pokhara', ' or Pokhara *'],
      };
      const correct = async (name: string, [from, to]: [from: string | RegExp, to: string]) => {
        const box = page.locator('.problem textarea').filter({ hasText: name });
        await box.fill((await box.inputValue()).trimEnd().replace(from, to));
      };
      const { Nepal, ...others } = corrected;
      for (const [name, change] of Object.entries(others)) await correct(name, change);
      await page.getByLabel('Title', { exact: true }).fill(`Capitals ${mode}`);
      await press(page, 'Read the corrected rows again');
      expect(page.url()).toBe(at);
      expect(await page.locator('.problem').count()).toBe(1);
      // What is not read yet is read first, and not left out.
      await correct('Nepal', Nepal!);
      await press(page, 'Import 12 questions');
      expect(page.url()).toBe(at);
      expect(await page.locator('.problem').count()).toBe(0);
      expect(await page.locator('.question').count()).toBe(10);
      expect(await page.getByLabel('Title', { exact: true }).inputValue()).toBe(`Capitals ${mode}`);
      await press(page, 'Import 13 questions');
      expect(page.url()).toBe(at);
      await run(page);
      await page.getByText('13 questions imported, into 1 new quiz.').waitFor();
    },
  );

  test.each(MODES)(
    '%s: a text that is changed and not read yet is read by the button that imports',
    async (mode, options) => {
      const { page, go } = await browsing.visitor(author, options);
      await go('/dashboard/imports/new');
      await choose(page, 'late.csv', csv(`Early ${mode}?,MULTIPLE_CHOICE,EASY,A,B,1`));
      await press(page, 'Show preview');
      const at = page.url();
      await page.getByLabel('Title', { exact: true }).fill(`Late ${mode}`);
      await page.getByLabel('Publish them').check();
      await page.getByText('Show and change the whole text').click();
      const box = page.getByLabel('Your text');
      await box.fill(`${await box.inputValue()}Late ${mode}?,MULTIPLE_CHOICE,EASY,A,B,1\n`);
      await press(page, 'Import 1 question');
      expect(page.url()).toBe(at);
      expect(await page.locator('.question').count()).toBe(2);
      expect(await page.getByLabel('Publish them').isChecked()).toBe(true);
      await press(page, 'Import 2 questions');
      await run(page);
      await page.getByText('2 questions imported, into 1 new quiz.').waitFor();
    },
  );

  test('the focus stays on Cancel while the page of an import updates itself', async () => {
    const { page, go } = await browsing.visitor(author);
    await go('/dashboard/imports/new');
    await choose(page, 'focus.csv', csv('Focus?,MULTIPLE_CHOICE,EASY,A,B,1'));
    await press(page, 'Show preview');
    await page.getByLabel('Title', { exact: true }).fill('Focus');
    await press(page, 'Import 1 question');
    await page.getByRole('button', { name: 'Cancel', exact: true }).focus();
    const updated = `new Promise((done) => document.addEventListener('htmx:after:swap', () => done(), { once: true }))`;
    for (let updates = 0; updates < 2; updates++) {
      await page.evaluate(updated);
      expect(await page.locator('button:focus').allTextContents()).toEqual(['Cancel']);
    }
    await run(page);
    await page.getByText('1 question imported, into 1 new quiz.').waitFor();
    // What had the focus is gone: it is on what has taken its place.
    await page.locator('main:focus').waitFor();
    // Nothing is left that asks again.
    expect(await page.locator('[hx-trigger]').count()).toBe(0);
  });

  test('the page of an import stays through an error, and leads to sign in after a sign-out', async () => {
    const { page, context, go } = await browsing.visitor(author);
    await go('/dashboard/imports/new');
    await choose(page, 'errors.csv', csv('Errors?,MULTIPLE_CHOICE,EASY,A,B,1'));
    await press(page, 'Show preview');
    await page.getByLabel('Title', { exact: true }).fill('Errors');
    const asked: string[] = [];
    await page.route(page.url(), (route) => {
      if (route.request().headers()['hx-request'] === undefined) return route.continue();
      asked.push(route.request().url());
      const body = '<title>Busy</title><main>Busy</main>';
      return asked.length > 2
        ? route.continue()
        : route.fulfill({ status: 503, contentType: 'text/html', body });
    });
    await press(page, 'Import 1 question');
    // It asks again after each of them.
    await eventually(() => expect(asked.length).toBeGreaterThan(2));
    expect(await page.getByText('It starts as soon as a worker is free.').isVisible()).toBe(true);
    await context.clearCookies();
    await page.waitForURL(/\/dashboard\/sign-in\?next=/);
    await page.getByLabel('Password').first().waitFor();
  });

  test('a file above the size limit is refused before it is sent, and a Free account is told to change its plan', async () => {
    const { page, go } = await browsing.visitor(author);
    await go('/dashboard/imports/new');
    const folder = mkdtempSync(join(tmpdir(), 'quiz-large-file-'));
    const large = join(folder, 'large.csv');
    writeFileSync(large, '');
    truncateSync(large, 64 * 1_048_576 + 1);
    await page.getByLabel('File', { exact: true }).setInputFiles(large);
    rmSync(folder, { recursive: true });
    const sentence = await page
      .getByLabel('File', { exact: true })
      .evaluate((input) => (input as unknown as { validationMessage: string }).validationMessage);
    expect(sentence).toContain('larger than 64 MiB');
    const free = await browsing.visitor(await browsing.member('free'));
    await free.go('/dashboard/imports/new');
    await inspect(free.page, 'import-free');
    await free.go('/dashboard/imports');
    await inspect(free.page, 'imports-empty');
  });

  test.each(MODES)('%s: an owner removes a name from a leaderboard', async (mode, options) => {
    const quiz = await makeQuiz(author, { title: `Board, ${mode}` }, questionBodies(1));
    const names = ['Offensive <b>', 'أدا لوفليس 🎲', `${'W'.repeat(99)}!`];
    for (const player of names) {
      const { body } = await author.post(`/quizzes/${quiz.id}/attempts`, { player });
      const [question] = quiz.questions;
      const answer = { questionId: question?.id, answerIds: [question?.answers[0]?.id] };
      await author.post(`/attempts/${body.data.id}/answers`, answer).expect(200);
      await author.post(`/attempts/${body.data.id}/submit`).expect(200);
    }
    const { slug } = (await author.get(`/quizzes/${quiz.id}`)).body.data;
    const { page, go } = await browsing.visitor(author, options);
    await go(`/play/${slug}`);
    expect(await page.locator('.standings bdi').allTextContents()).toEqual(names);
    if (options.javaScript) await inspect(page, 'play-names');
    await go(`/dashboard/quizzes/${quiz.id}`);
    await follow(page.getByRole('link', { name: 'Leaderboard' }));
    if (options.javaScript) await inspect(page, 'leaderboard');
    expect(await page.getByRole('button', { name: 'Remove player' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Remove', exact: true }).first().click();
    await press(page, 'Remove player');
    expect(await page.getByRole('status').textContent()).toContain('was removed');
    if (options.javaScript) await inspect(page, 'leaderboard-removed');
    await go(`/play/${slug}`);
    expect(await page.locator('.standings bdi').allTextContents()).toEqual(names.slice(1));
    const none = await makeQuiz(author, { title: `Nobody, ${mode}` }, questionBodies(1));
    await go(`/dashboard/quizzes/${none.id}/leaderboard`);
    if (options.javaScript) await inspect(page, 'leaderboard-empty');
  });
});

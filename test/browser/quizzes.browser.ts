import type { Page } from 'playwright-core';
import { TaxonomyService } from '../../src/authoring/taxonomy/taxonomy.service';
import { readStarterCatalogue } from '../../src/seed/seed-catalogue';
import { makeQuiz } from '../support/content';
import { questionBodies } from '../support/samples';
import type { TestAccount } from '../support/service';
import { inBrowser, inspect, MODES, startBrowsing, type Browsing } from './support/browser';

const HOSTILE = '"><script>document.title = "taken over"</script>';

// Every page of a path is looked at three times.
jest.setTimeout(180_000);

inBrowser('quizzes, review and topics in a browser', () => {
  let browsing: Browsing;
  let author: TestAccount;
  let administrator: TestAccount;
  beforeAll(async () => {
    browsing = await startBrowsing();
    author = await browsing.member('starter', { email: 'ada@example.com' });
    administrator = await browsing.member('pro', { email: 'grace@example.com', isAdmin: true });
    await browsing.service.database.transaction(async (tx) => {
      const taxonomy = browsing.service.app.get(TaxonomyService);
      for (const [position, { topic, categories }] of readStarterCatalogue().slice(0, 4).entries())
        await taxonomy.seed(tx, { ...topic, position }, categories);
    });
  });
  afterAll(() => browsing.close());

  const press = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).first().click();
  const notice = (page: Page) => page.getByRole('status').textContent();
  const questions = async (page: Page) =>
    (await page.locator('.question h3').allTextContents()).map((text) => text.trim());

  test.each(MODES)('%s: a quiz is created, published and approved', async (mode, options) => {
    const look = (on: Page, name: string) =>
      options.javaScript ? inspect(on, name) : Promise.resolve();
    const title = `Rivers of Europe, ${mode}`;
    const { page, go } = await browsing.visitor(author, options);

    await go('/dashboard/quizzes/new');
    await press(page, 'Create quiz');
    expect(await page.getByText('Title must not be blank.').isVisible()).toBe(true);
    await page.getByLabel('Title').fill(title);
    await page.getByLabel('Description').fill('From source to sea.\nTen questions, no trick.');
    await page.getByLabel('Category').fill('geography');
    await page.getByLabel('Tags').fill(`rivers, ${'x'.repeat(51)}`);
    await press(page, 'Create quiz');
    expect(await page.getByText('Tag 2 is longer than 50 characters.').isVisible()).toBe(true);
    expect(await page.getByLabel('Title').inputValue()).toBe(title);
    await look(page, 'quiz-new-refused');
    await page.getByLabel('Tags').fill('rivers, europe');
    await press(page, 'Create quiz');
    expect(await notice(page)).toContain('is created as a draft');
    await look(page, 'quiz-draft-empty');

    await page.getByRole('link', { name: 'Add a question' }).click();
    await page.getByLabel('Question').fill('Which river flows through Vienna?');
    await page.getByLabel('Answer 1', { exact: true }).fill('The Rhine');
    await page.getByLabel('Answer 3', { exact: true }).fill('The Danube');
    await press(page, 'Add question');
    expect(await page.getByText('needs at least one right answer').isVisible()).toBe(true);
    if (options.javaScript)
      expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Answer 1 is right');
    await look(page, 'question-new-refused');
    await page.getByLabel('Answer 3 is right').check();
    await press(page, 'Add another answer');
    await page.getByLabel('Answer 5', { exact: true }).fill('The Elbe');
    await page.getByLabel('Explanation').fill('The Danube flows through ten countries.');
    await press(page, 'Add, and write another');
    expect(await notice(page)).toBe('Question 1 is added.');
    await page.getByLabel('Question').fill('Italy is an island.');
    await page.getByLabel('Kind').selectOption('TRUE_FALSE');
    await page.getByLabel('Answer 1', { exact: true }).fill('True');
    await page.getByLabel('Answer 2', { exact: true }).fill('False');
    await page.getByLabel('Answer 2 is right').check();
    await press(page, 'Add question');
    expect(await questions(page)).toEqual([
      '1 Which river flows through Vienna?',
      '2 Italy is an island.',
    ]);

    await press(page, 'Move question 2 up');
    expect(await questions(page)).toEqual([
      '1 Italy is an island.',
      '2 Which river flows through Vienna?',
    ]);
    await page.getByRole('link', { name: 'Edit question 1' }).click();
    await page.getByLabel('Question').fill('Italy is a peninsula.');
    await page.getByLabel('Answer 2 is right').uncheck();
    await page.getByLabel('Answer 1 is right').check();
    await look(page, 'question-edit');
    await press(page, 'Save');
    expect((await questions(page))[0]).toBe('1 Italy is a peninsula.');
    await look(page, 'quiz-draft');
    await press(page, 'Publish');
    expect(await notice(page)).toContain('when an administrator has approved it');

    const review = await browsing.visitor(administrator, options);
    await review.go('/dashboard/admin/review');
    await look(review.page, 'review-queue');
    await review.page.getByRole('link', { name: title }).click();
    await press(review.page, 'Reject quiz');
    expect(await review.page.getByText('Say what its owner should change.').isVisible()).toBe(true);
    await look(review.page, 'review-refused');
    await review.page.getByLabel('Reason').fill('Name the source of question 1.');
    await press(review.page, 'Reject quiz');
    expect(await notice(review.page)).toContain('is rejected');

    await page.reload();
    expect(await page.getByText('Name the source of question 1.').isVisible()).toBe(true);
    await look(page, 'quiz-rejected');
    await press(page, 'Send to review again');
    await review.go('/dashboard/admin/review');
    await review.page.getByRole('link', { name: title }).click();
    await look(review.page, 'review');
    await press(review.page, 'Approve quiz');
    expect(await notice(review.page)).toContain('is approved');
    await look(review.page, 'review-empty');
    await page.reload();
    await look(page, 'quiz-live');
    await go('/dashboard/quizzes?state=live');
    expect(await page.getByRole('row', { name: new RegExp(title) }).count()).toBe(1);
    await review.go('/dashboard/admin/audit');
    await look(review.page, 'audit-review');
  });

  test.each(MODES)('%s: a question and a quiz are deleted', async (mode, options) => {
    const { id, title } = await makeQuiz(author, { title: `To go, ${mode}` }, questionBodies(3));
    const { page, go } = await browsing.visitor(author, options);
    await go(`/dashboard/quizzes/${id}`);
    const second = page.locator('.question').nth(1);
    await second.getByRole('button', { name: 'Delete', exact: true }).click();
    if (options.javaScript) await inspect(page, 'question-delete');
    await press(page, 'Cancel');
    await second.getByRole('button', { name: 'Delete', exact: true }).click();
    await second.getByRole('button', { name: 'Delete question' }).click();
    expect(await questions(page)).toEqual(['1 Question 1?', '2 Question 3?']);
    await page.getByRole('button', { name: 'Hide', exact: true }).click();
    await page.getByRole('button', { name: 'Hide quiz' }).click();
    expect(await notice(page)).toContain('only you see it now');
    await page.getByRole('button', { name: 'Delete quiz' }).click();
    if (options.javaScript) await inspect(page, 'quiz-delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete quiz' }).click();
    expect(await notice(page)).toBe(`“${title}” is deleted.`);
    if (options.javaScript) await inspect(page, 'quizzes');
  });

  test('hostile text in a quiz is shown as text to its owner and reviewer', async () => {
    const answers = [
      { text: HOSTILE, isCorrect: true },
      { text: 'Other', isCorrect: false },
    ];
    const { id } = await makeQuiz(
      author,
      { title: HOSTILE, description: HOSTILE, category: HOSTILE, tags: [HOSTILE.slice(0, 50)] },
      [{ ...questionBodies(1)[0], text: HOSTILE.repeat(4), explanation: HOSTILE, answers }],
    );
    const mine = await browsing.visitor(author);
    const theirs = await browsing.visitor(administrator);
    for (const [{ page, go }, path, name] of [
      [mine, `/dashboard/quizzes/${id}`, 'quiz-hostile'],
      [mine, `/dashboard/quizzes/${id}/edit`, ''],
      [mine, '/dashboard/quizzes', ''],
      [theirs, `/dashboard/admin/review/${id}`, 'review-hostile'],
      [theirs, '/dashboard/admin/review', ''],
    ] as const) {
      await go(path);
      expect(await page.title()).not.toBe('taken over');
      expect(await page.content()).not.toContain('<script>document.title');
      if (name) await inspect(page, name);
    }
  });

  test('the quiz page of a Free account says that it needs another plan', async () => {
    const { page, go } = await browsing.visitor(await browsing.member('free'));
    await go('/dashboard/quizzes');
    expect(await page.getByText('a Starter or Pro plan is needed').isVisible()).toBe(true);
    await inspect(page, 'quizzes-free');
    await go('/dashboard/quizzes/new');
    await page.getByLabel('Title').fill('Not yet');
    await press(page, 'Create quiz');
    expect(await page.getByRole('alert').textContent()).toContain('Starter or Pro plan');
  });

  test.each(MODES)(
    '%s: topics and categories are added, renamed and moved',
    async (mode, options) => {
      const look = (on: Page, name: string) =>
        options.javaScript ? inspect(on, name) : Promise.resolve();
      const name = `Games ${mode}`;
      const { page, go } = await browsing.visitor(administrator, options);
      await go('/dashboard/admin/topics');
      await look(page, 'topics');
      await page.getByRole('link', { name: 'New topic' }).click();
      await page.getByLabel('Name').fill('Geography');
      await press(page, 'Add topic');
      expect(await page.locator('.field-error').count()).toBe(1);
      await look(page, 'topic-refused');
      await page.getByLabel('Name').fill(name);
      await page.getByLabel('Icon').fill('🎲');
      await press(page, 'Add topic');
      expect(await notice(page)).toBe(`The topic “${name}” is added.`);
      await press(page, `Move ${name} up`);

      await page.getByRole('link', { name: `New category in ${name}` }).click();
      await page.getByLabel('Name').fill(`Chess ${mode}`);
      await look(page, 'category-new');
      await press(page, 'Add category');
      await page.getByRole('link', { name: `Edit Chess ${mode}` }).click();
      await page.getByLabel('Name').fill(`Chess and Go ${mode}`);
      await press(page, 'Save');
      expect(await notice(page)).toBe(`The category “Chess and Go ${mode}” is saved.`);
      await look(page, 'topics-changed');
      const row = page.getByRole('row', { name: new RegExp(`Chess and Go ${mode}`) });
      await row.getByRole('button', { name: 'Delete', exact: true }).click();
      await row.getByRole('button', { name: 'Delete category' }).click();
      expect(await row.count()).toBe(0);
    },
  );
});

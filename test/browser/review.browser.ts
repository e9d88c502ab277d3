import type { Page } from 'playwright-core';
import { OPERATOR } from '../../src/access/audit/actor';
import { ReviewService } from '../../src/authoring/review/review.service';
import { makeQuiz } from '../support/content';
import { questionBodies } from '../support/samples';
import type { TestAccount } from '../support/service';
import { type Browsing, follow, inBrowser, inspect, startBrowsing } from './support/browser';
import { isUsed, onMac } from './support/mac';

jest.setTimeout(180_000);

const press = (page: Page, name: string) =>
  follow(page.getByRole('button', { name, exact: true }).first());

/** The changes that the review page names, without the head of the table. */
const changes = (page: Page) =>
  page.getByRole('region', { name: 'Changes since approval' }).locator('tbody tr').allInnerTexts();

/** Whether all columns are seen without scrolling sideways. */
const tablesFit = (page: Page) =>
  page
    .locator('.table-box')
    .evaluateAll((boxes) => boxes.every((box) => box.scrollWidth <= box.clientWidth));

inBrowser('edits of an approved quiz in a browser', () => {
  let browsing: Browsing;
  let author: TestAccount;
  let administrator: TestAccount;
  let reader: TestAccount;
  let id: string;

  beforeEach(async () => {
    browsing = await startBrowsing();
    author = await browsing.member('starter', { email: 'ada@example.com' });
    reader = await browsing.member('free', { email: 'joan@example.com' });
    administrator = await browsing.member('pro', { email: 'grace@example.com', isAdmin: true });
    ({ id } = await makeQuiz(author, {}, questionBodies(2)));
    await browsing.service.app
      .get(ReviewService)
      .decide(OPERATOR, id, 'pending', { approved: true });
  });
  afterEach(() => browsing.close());

  const titleForOthers = async () => (await reader.get(`/quizzes/${id}`)).body.data.title as string;

  const rename = async (page: Page, title: string) => {
    await follow(page.getByRole('link', { name: 'Edit', exact: true }).first());
    await page.getByLabel('Title').fill(title);
    await press(page, 'Save');
  };

  test('an edit is public at once, is shown to administrators with its differences, and leaves the list when it is undone or approved', async () => {
    const { page, go } = await browsing.visitor(author);
    const review = await browsing.visitor(administrator);
    const changed = review.page.getByRole('region', { name: 'Quizzes changed since approval' });
    await go(`/dashboard/quizzes/${id}`);
    await rename(page, 'Rivers of the world');
    await page.locator('summary[aria-label="Actions of question 1"]').click();
    await press(page, 'Move question 1 down');
    expect(await titleForOthers()).toBe('Rivers of the world');
    await review.go('/dashboard/admin/review');
    await inspect(review.page, 'review-changed-queue');
    await follow(changed.getByRole('link', { name: 'Rivers of the world' }));
    expect(await changes(review.page)).toEqual([
      expect.stringMatching(/^Title\s+Rivers of Europe\s+Rivers of the world$/),
      expect.stringMatching(/^Order of questions\s+1, 2\s+2, 1$/),
    ]);
    await inspect(review.page, 'review-changed');
    // Its menu is still open.
    await press(page, 'Move question 2 up');
    await rename(page, 'Rivers of Europe');
    await press(review.page, 'Approve quiz');
    expect(await review.page.getByText('The quiz was changed while').isVisible()).toBe(true);
    await review.go('/dashboard/admin/review');
    expect(await changed.count()).toBe(0);
    await rename(page, 'Rivers of the world');
    await review.go(`/dashboard/admin/review/${id}`);
    await review.page.keyboard.press('Alt+r');
    expect(await review.page.evaluate(() => document.activeElement?.id)).toBe('field-reason');
    await Promise.all([
      review.page.waitForURL('**/dashboard/admin/review'),
      review.page.keyboard.press('Alt+a'),
    ]);
    expect(await changed.count()).toBe(0);
    await review.go('/dashboard/admin/quizzes');
    expect(await tablesFit(review.page)).toBe(true);
    await inspect(review.page, 'all-quizzes');
    await review.go('/dashboard');
    await inspect(review.page, 'overview-administrator');
    await review.go('/dashboard/admin/audit');
    expect(await tablesFit(review.page)).toBe(true);
    await inspect(review.page, 'audit');
    const title = `نهر الدانوب, ${'and the rivers that flow into it, '.repeat(5)}`;
    const { id: long } = await makeQuiz(author, { title, language: 'ar' }, questionBodies(1));
    const reviews = browsing.service.app.get(ReviewService);
    await reviews.decide(OPERATOR, long, 'pending', { approved: true });
    await go('/dashboard/notices');
    expect(await tablesFit(page)).toBe(true);
    // The sentence around the title is in the language of the page.
    const notice = page.getByRole('button', { name: 'نهر الدانوب' });
    expect(await notice.evaluate((it) => it.querySelector(':dir(rtl)'))).toBe(null);
    await inspect(page, 'notices');
  });

  test('on a Mac, Alt and a letter within the reason type a character, and approve nothing', async () => {
    const waiting = await makeQuiz(author, { title: 'Waiting' }, questionBodies(1));
    const { page, go } = await browsing.visitor(administrator);
    await onMac(page);
    await go(`/dashboard/admin/review/${waiting.id}`);
    const approve = { key: 'ą', code: 'KeyA', altKey: true };
    expect(await isUsed(page.getByLabel('Reason'), approve)).toBe(false);
    expect(await isUsed(page.locator('body'), approve)).toBe(true);
    await page.waitForURL('**/dashboard/admin/review');
  });

  test('a key that is held approves one quiz, and not the next one unseen', async () => {
    const [first, second] = [
      await makeQuiz(author, { title: 'First' }, questionBodies(1)),
      await makeQuiz(author, { title: 'Second' }, questionBodies(1)),
    ];
    const { page, go } = await browsing.visitor(administrator);
    await go(`/dashboard/admin/review/${first.id}`);
    await page.keyboard.down('Alt');
    await page.keyboard.down('a');
    await page.waitForURL(`**/${second.id}`);
    await page.getByText('“First” is approved and public.').waitFor();
    await page.evaluate(() =>
      addEventListener('submit', (event) => {
        event.preventDefault();
        document.title = 'Sent';
      }),
    );
    // As long as it is down, it repeats.
    await page.keyboard.down('a');
    expect(await page.title()).not.toBe('Sent');
    await page.keyboard.up('a');
    await page.keyboard.down('a');
    expect(await page.title()).toBe('Sent');
  });
});

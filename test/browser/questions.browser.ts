import type { Page } from 'playwright-core';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { questionBody } from '../support/samples';
import type { TestAccount } from '../support/service';
import { type Browsing, follow, inBrowser, inspect, MODES, startBrowsing } from './support/browser';

jest.setTimeout(120_000);

inBrowser('the questions of an author in a browser', () => {
  let browsing: Browsing;
  let author: TestAccount;
  beforeAll(async () => {
    browsing = await startBrowsing();
    author = await browsing.member('pro', { email: 'ada@example.com' });
  });
  afterAll(() => browsing.close());

  const press = (page: Page, name: string) =>
    follow(page.getByRole('button', { name, exact: true }).first());
  const notice = (page: Page) => page.getByRole('status').textContent();
  const questionsOf = async ({ id }: { id: string }) => {
    const { body } = await author.get(`/quizzes/${id}`).expect(200);
    return (body.data as MadeQuiz).questions.map(({ text }) => text);
  };

  test.each(MODES)(
    '%s: questions are added to a new quiz from earlier ones, and then moved',
    async (mode, options) => {
      const look = (page: Page, name: string) =>
        options.javaScript ? inspect(page, name) : Promise.resolve();
      const source = await makeQuiz(author, { title: `Source ${mode}` }, [
        questionBody({ text: `Which river flows through Vienna, ${mode}?` }),
        questionBody({ text: `Where does the Danube end, ${mode}? ${'Long '.repeat(60)}` }),
        questionBody({ text: `Which lake is deep, ${mode}?`, difficulty: 'HARD' }),
      ]);
      await browsing.service.database.query(
        `INSERT INTO question_flags (quiz_id, question_id, kind) VALUES ($1, $2, 'key')`,
        [source.id, source.questions[0]!.id],
      );
      const { page, go } = await browsing.visitor(author, options);
      await go('/dashboard/quizzes/new');
      await page.getByLabel('Title').fill(`New ${mode}`);
      await press(page, 'Save, and add from my questions');
      await page.getByRole('searchbox').fill(`VIENNA, ${mode}`);
      await press(page, 'Search');
      await look(page, 'questions-add');
      await page.getByRole('checkbox', { name: /^Select “Which river flows/ }).check();
      await press(page, 'Add to the quiz');
      expect(await notice(page)).toContain(`1 question is added to “New ${mode}”.`);
      await follow(page.locator('a.back'));
      expect(await page.locator('.question h3').allInnerTexts()).toHaveLength(1);

      await follow(page.getByRole('link', { name: 'Questions', exact: true }));
      await look(page, 'questions');
      await page.getByRole('searchbox').fill(`lake is deep, ${mode}`);
      await press(page, 'Search');
      await page.getByRole('checkbox', { name: /^Select “Which lake/ }).check();
      await page.getByLabel('Quiz', { exact: true }).selectOption({ label: `New ${mode}` });
      await press(page, 'Move');
      expect(await notice(page)).toContain(`1 question is moved to “New ${mode}”.`);
      expect(await questionsOf(source)).toHaveLength(2);
    },
  );
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { addQuestions, makeQuiz } from '../support/content';
import { questionBody } from '../support/samples';
import type { TestAccount } from '../support/service';
import { type Browsing, inBrowser, inspect, startBrowsing } from './support/browser';

jest.setTimeout(240_000);

const VECTORS = JSON.parse(
  readFileSync(join(__dirname, '../support/xss-vectors.json'), 'utf8'),
) as { text: string }[];

const executed = (page: Page) => page.evaluate(() => 'xss' in window);

inBrowser('texts in Markdown in a browser', () => {
  let browsing: Browsing;
  let author: TestAccount;
  beforeAll(async () => {
    browsing = await startBrowsing({ MODERATION: 'auto' });
    author = await browsing.member('pro', { email: 'ada@example.com', isAdmin: true });
  });
  afterAll(() => browsing.close());

  test('no attack of the corpus runs on any page, nor what include=html gives in a page without a policy', async () => {
    const { id } = await makeQuiz(author, { title: 'Attacks', published: true });
    const attacks = VECTORS.map(({ text }, number) =>
      questionBody({
        text: `${number}: ${text}\n\n${text}`,
        explanation: text,
        answers: [
          { text, isCorrect: true },
          { text: `${text} `.repeat(2), isCorrect: false },
        ],
      }),
    );
    await addQuestions(author, id, attacks);
    // Also those that cannot be written: an earlier version may have stored them.
    await browsing.service.database.query(
      `UPDATE questions SET format = 'markdown' WHERE quiz_id = $1`,
      [id],
    );
    await browsing.service.database.query(`UPDATE quizzes SET updated_at = now() WHERE id = $1`, [
      id,
    ]);
    const { page, go } = await browsing.visitor(author);
    const pages = Math.ceil(VECTORS.length / 25);
    for (let number = 1; number <= pages; number++) {
      await go(`/dashboard/quizzes/${id}?page=${number}`);
      expect(await executed(page)).toBe(false);
    }
    await go(`/dashboard/quizzes/${id}/print?key=yes`);
    expect(await executed(page)).toBe(false);
    const { body } = await author.get(`/quizzes/${id}?include=html`).expect(200);
    const quiz = body.data as {
      slug: string;
      questions: { html: string; explanationHtml: string; answers: { html: string }[] }[];
    };
    expect(quiz.questions).toHaveLength(VECTORS.length);
    await go(`/play/${quiz.slug}`);
    await page.getByRole('button', { name: /start/i }).first().click();
    await page.waitForURL(/\/1$/);
    expect(await executed(page)).toBe(false);
    await go(new URL(page.url()).pathname.replace(/\/1$/, ''));
    expect(await page.locator('.option').count()).toBe(VECTORS.length);
    expect(await executed(page)).toBe(false);
    await page.getByRole('button', { name: 'Finish now' }).click();
    await page.getByRole('heading', { name: 'Your answers' }).waitFor();
    await page.evaluate(() =>
      document.querySelectorAll('details').forEach((it) => (it.open = true)),
    );
    expect(await executed(page)).toBe(false);
    await page.goto('about:blank');
    const all = quiz.questions.flatMap(({ html, explanationHtml, answers }) => [
      html,
      explanationHtml,
      ...answers.map((answer) => answer.html),
    ]);
    await page.evaluate((parts) => {
      for (const part of parts) {
        const element = document.createElement('div');
        element.innerHTML = part;
        document.body.append(element);
        for (const each of element.querySelectorAll<HTMLElement>('*')) {
          each.focus();
          if (each.tagName !== 'A') each.click();
          each.dispatchEvent(new Event('mouseover', { bubbles: true }));
        }
      }
    }, all);
    await page.waitForTimeout(200);
    expect(await executed(page)).toBe(false);
  });

  test('a question with a formula, code and a table fits into a phone', async () => {
    const { id } = await makeQuiz(author, { title: 'Formulas', published: true }, [
      questionBody({
        format: 'markdown',
        text: 'What is $x$ in $$x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a} + \\sum_{i=0}^{n} \\begin{pmatrix}1&2&3&4&5&6&7&8&9\\\\3&4&5&6&7&8&9&1&2\\end{pmatrix}$$\n\n```python\nfor number in range(100): print("a line that is too wide for a phone", number)\n```\n\n| a | b |\n|---|--:|\n| 1 | $\\frac12$ |',
        answers: [
          { text: '$\\frac{1}{2}$', isCorrect: true },
          { text: '`None`', isCorrect: false },
        ],
      }),
    ]);
    const { body } = await author.get(`/quizzes/${id}`).expect(200);
    const { page, go } = await browsing.visitor(null, { phone: true });
    await go(`/play/${body.data.slug}`);
    await page.getByRole('button', { name: /start/i }).first().click();
    await page.waitForURL(/\/1$/);
    expect(await page.locator('math').count()).toBe(4);
    expect(await page.getByRole('button', { name: '\\frac{1}{2}', exact: true }).count()).toBe(1);
    await inspect(page, 'markdown-question');
    // What is too wide scrolls within itself.
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth),
    ).toBe(true);
  });
});

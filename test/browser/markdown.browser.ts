import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Locator, Page, Request } from 'playwright-core';
import { ReviewService } from '../../src/authoring/review/review.service';
import { ImportPreviewsService } from '../../src/import-export/imports/import-previews.service';
import { eventually } from '../support/clock';
import { addQuestions, makeQuiz } from '../support/content';
import { png } from '../support/pictures';
import { questionBody } from '../support/samples';
import type { TestAccount } from '../support/service';
import {
  type Browsing,
  follow,
  inBrowser,
  inspect,
  layoutShift,
  startBrowsing,
} from './support/browser';

jest.setTimeout(240_000);

interface Vector {
  kind: string;
  text: string;
}
/** Those in TeX are attacks in a formula. */
const sourceOf = ({ kind, text }: Vector) => (kind === 'TeX' ? `$${text}$` : text);
const VECTORS = (
  JSON.parse(readFileSync(join(__dirname, '../support/xss-vectors.json'), 'utf8')) as Vector[]
).map(sourceOf);
/** As many as a question has answers, and as are typed at once. */
const BATCHES = Array.from({ length: Math.ceil(VECTORS.length / 52) }, (_, number) =>
  VECTORS.slice(52 * number, 52 * (number + 1)),
);

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
    const attacks = VECTORS.map((text, number) =>
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
    let shown = 0;
    for (let number = 1; number <= pages; number++) {
      await go(`/dashboard/quizzes/${id}?page=${number}`);
      shown += await page.locator('.question:has(.markdown)').count();
      expect(await executed(page)).toBe(false);
    }
    expect(shown).toBe(VECTORS.length);
    await go(`/dashboard/quizzes/${id}/print?key=yes`);
    expect(await page.locator('math').count()).toBeGreaterThan(0);
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
    await follow(page.getByRole('button', { name: 'Finish now' }));
    await page.getByRole('heading', { name: 'Your answers' }).waitFor();
    await page.evaluate(() =>
      document.querySelectorAll('details').forEach((it) => (it.open = true)),
    );
    expect(await executed(page)).toBe(false);
    // As its author types it.
    await page.clock.install();
    await go('/dashboard/quizzes/new');
    let previews = 0;
    page.on('response', (it) => (previews += it.url().endsWith('/dashboard/markdown') ? 1 : 0));
    await page.getByRole('button', { name: 'Markdown' }).first().click();
    for (const batch of BATCHES) {
      previews = 0;
      await page.evaluate((texts) => {
        for (const [at, text] of texts.entries()) {
          const field = document.querySelectorAll<HTMLInputElement>('.listed .answer')[at]!;
          field.value = text;
          field.dispatchEvent(new Event('input', { bubbles: true }));
        }
      }, batch);
      // A request previews 20 texts, and comes a moment after the last key or response.
      await eventually(async () => {
        await page.clock.fastForward(400);
        expect(previews).toBe(Math.ceil(batch.length / 20));
      }, 30_000);
    }
    await eventually(async () =>
      expect(await page.locator('.shown:not([hidden])').count()).toBeGreaterThan(40),
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
          // An element of MathML has no method for it.
          if (each.tagName !== 'A') each.dispatchEvent(new MouseEvent('click', { bubbles: true }));
          each.dispatchEvent(new Event('mouseover', { bubbles: true }));
        }
      }
    }, all);
    await page.waitForTimeout(200);
    expect(await page.locator('math').count()).toBeGreaterThan(0);
    expect(await executed(page)).toBe(false);
  });

  test('no attack of the corpus runs on pages of results, reviews and imports, nor in a page of another site', async () => {
    const { service } = browsing;
    const { accountId } = author;
    const quiz = await makeQuiz(author, { title: 'Attacks elsewhere', published: true });
    // Attacks as the answers of a few questions, and in their texts and explanations.
    const attacks = BATCHES.map((batch, part) => {
      const texts = batch.map((text, at) => `${at}: ${text}`);
      return questionBody({
        text: `${part}: ${texts[0]}`,
        explanation: texts[1],
        answers: texts.map((text, at) => ({ text, isCorrect: at < 26 })),
      });
    });
    await addQuestions(author, quiz.id, attacks);
    const asMarkdown = () =>
      service.database.query(`UPDATE questions SET format = 'markdown' WHERE quiz_id = $1`, [
        quiz.id,
      ]);
    const reviews = service.app.get(ReviewService);
    await reviews.decide({ accountId, email: author.email }, quiz.id, 'approved', {
      approved: true,
    });
    await asMarkdown();
    const { page, go } = await browsing.visitor(author);
    await go(`/dashboard/admin/review/${quiz.id}`);
    expect(await page.locator('.version .markdown').count()).toBeGreaterThan(200);
    expect(await page.locator('.version math').count()).toBeGreaterThan(0);
    expect(await executed(page)).toBe(false);

    const { body } = await author.get(`/quizzes/${quiz.id}`).expect(200);
    const site = createServer((_, response) => {
      const src = `${service.url}/play/${body.data.slug}`;
      response
        .setHeader('Content-Type', 'text/html; charset=utf-8')
        .end(
          `<!doctype html><html lang="en"><title>A blog</title><script async src="${service.url}/embed.js"></script><quiz-player src="${src}"><a href="${src}">Attacks</a></quiz-player></html>`,
        );
    }).listen(0);
    const { port } = site.address() as AddressInfo;
    const host = new URL(service.url).hostname === 'localhost' ? '127.0.0.1' : 'localhost';
    const blog = (await browsing.visitor()).page;
    await blog.goto(`http://${host}:${port}`);
    await blog.getByLabel('Your name').fill('Ada');
    await blog.getByRole('button', { name: 'Start' }).click();
    for (const [part, batch] of BATCHES.entries()) {
      const asked = new RegExp(`^\\s*${part}: `);
      await blog.locator('quiz-player #question').filter({ hasText: asked }).waitFor();
      const shown = await blog.locator('quiz-player .markdown').count();
      expect(shown).toBeGreaterThanOrEqual(batch.length);
      expect(await executed(blog)).toBe(false);
      await blog.locator('quiz-player [data-skip]').click();
    }
    await blog.getByRole('button', { name: 'Finish now' }).click();
    await blog.getByRole('heading', { name: 'Your answers' }).waitFor();
    site.close();
    expect(await blog.locator('quiz-player .markdown').count()).toBeGreaterThan(200);
    expect(await blog.locator('quiz-player math').count()).toBeGreaterThan(0);
    expect(await executed(blog)).toBe(false);

    await go(`/dashboard/quizzes/${quiz.id}/results`);
    await page.evaluate(() =>
      document.querySelectorAll('details').forEach((it) => (it.open = true)),
    );
    expect(await page.locator('.results .markdown').count()).toBeGreaterThan(200);
    expect(await page.locator('.results math').count()).toBeGreaterThan(0);
    expect(await executed(page)).toBe(false);
    await follow(page.getByRole('link', { name: 'Ada', exact: true }));
    await page.getByRole('heading', { level: 1, name: 'Ada' }).waitFor();
    expect(await page.locator('.markdown').count()).toBeGreaterThan(100);
    expect(await executed(page)).toBe(false);

    const previews = service.app.get(ImportPreviewsService);
    for (let from = 0; from < VECTORS.length; from += 10) {
      const questions = VECTORS.slice(from, from + 10).map((text, at) =>
        questionBody({
          format: 'markdown',
          text: `${from + at}: ${text}`,
          explanation: text,
          answers: [
            { text, isCorrect: true },
            { text: `${text} 2`, isCorrect: false },
          ],
        }),
      );
      const bytes = [Buffer.from(JSON.stringify({ questions }))];
      const options = { dryRun: true, difficulty: 'EASY', published: false } as const;
      const preview = { accountId, fileName: `${from}.json`, bytes, options };
      const { id } = await previews.open(preview);
      await go(`/dashboard/imports/${id}`);
      expect(await page.locator('.question .markdown').count()).toBeGreaterThan(0);
      expect(await executed(page)).toBe(false);
    }
  });

  test('nothing moves when the pictures of a question are there, and they are loaded when they are near', async () => {
    const { page, go } = await browsing.visitor(author);
    const upload = async (seed: number) => {
      const shown = await author
        .post('/media')
        .type('application/octet-stream')
        .send(png({ width: 1_200, height: 900, shade: seed }))
        .expect(201);
      return shown.body.data.id as string;
    };
    const [map, one, two] = [await upload(1), await upload(2), await upload(3)];
    const { id } = await makeQuiz(author, { title: 'With pictures', published: true }, [
      questionBody({
        format: 'markdown',
        text: `Where is $x$?\n\n![A map](media:${map})`,
        explanation: `![Again](media:${map})`,
        answers: [
          { text: `![One](media:${one})`, isCorrect: true },
          { text: `![Two](media:${two})`, isCorrect: false },
        ],
      }),
    ]);
    const { body } = await author.get(`/quizzes/${id}`).expect(200);
    for (const phone of [false, true]) {
      const player = await browsing.visitor(null, { phone });
      await player.go(`/play/${body.data.slug}`);
      await player.page.getByRole('button', { name: /start/i }).first().click();
      await player.page.waitForURL(/\/1$/);
      await player.page.waitForLoadState('networkidle');
      const images = player.page.locator('img.picture');
      expect(await images.count()).toBe(3);
      const loading: (string | null)[] = [];
      for (const image of await images.all()) {
        await image.scrollIntoViewIfNeeded();
        loading.push(await image.getAttribute('loading'));
        expect([await image.getAttribute('width'), await image.getAttribute('height')]).toEqual([
          '1200',
          '900',
        ]);
      }
      // The first one is seen at once.
      expect(loading).toEqual([null, 'lazy', 'lazy']);
      await player.page.waitForLoadState('networkidle');
      expect(await layoutShift(player.page)).toBe(0);
      await inspect(player.page, `picture-question${phone ? '-phone' : ''}`);
    }
    await go(`/dashboard/quizzes/${id}`);
    await page.waitForLoadState('networkidle');
    expect(await layoutShift(page)).toBe(0);
  });

  test('a question with a formula, code and a table fits into a phone, for its player, its author and its reviewer', async () => {
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
    expect(await page.getByRole('button', { name: '1/2', exact: true }).count()).toBe(1);
    await inspect(page, 'markdown-question');
    // What is too wide scrolls within itself.
    const fits = (shown: Page) =>
      shown.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
    expect(await fits(page)).toBe(true);
    await follow(page.getByRole('button', { name: '1/2', exact: true }));
    await page.getByRole('heading', { name: 'Your answers' }).waitFor();
    expect(await fits(page)).toBe(true);
    const teacher = await browsing.visitor(author, { phone: true });
    for (const path of [`quizzes/${id}`, `quizzes/${id}/results`, `admin/review/${id}`]) {
      await teacher.go(`/dashboard/${path}`);
      expect(await teacher.page.locator('math').count()).toBeGreaterThan(0);
      expect([path, await fits(teacher.page)]).toEqual([path, true]);
    }
  });

  /** As a camera makes them: more pixels and bytes than are taken. */
  const photo = async (page: Page): Promise<Buffer> => {
    const url = await page.evaluate<string>(`(() => {
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [2400, 1800];
      const context = canvas.getContext('2d');
      const pixels = context.createImageData(2400, 1800);
      let seed = 1;
      for (let at = 0; at < pixels.data.length; at++)
        pixels.data[at] = at % 4 === 3 ? 255 : ((seed = (seed * 16807) % 2147483647) % 90) + (at / 90_000);
      context.putImageData(pixels, 0, 0);
      return canvas.toDataURL('image/jpeg', 0.95);
    })()`);
    return Buffer.from(url.split(',')[1]!, 'base64');
  };

  test("the tools of a question that is scrolled stay below a phone's bar, where they can be tapped", async () => {
    const { page, go } = await browsing.visitor(author, { phone: true });
    await go('/dashboard/quizzes/new');
    const first = page.getByRole('listitem', { name: 'Question 1', exact: true });
    const question = first.getByLabel('Question', { exact: true });
    await question.fill('Which?');
    await question.selectText();
    const bold = first.getByRole('button', { name: 'Bold' });
    await bold.waitFor();
    await page.evaluate(() => {
      const { top } = document.querySelector('.tools')!.getBoundingClientRect();
      scrollBy({ top: top + 20, behavior: 'instant' });
    });
    const { x, y, width, height } = (await bold.boundingBox())!;
    // Without scrolling to it, as `tap` of a locator would.
    await page.touchscreen.tap(x + width / 2, y + height / 2);
    expect(await question.inputValue()).toBe('**Which?**');
  });

  test('a quiz with a picture is written and published on a phone with 9 taps', async () => {
    const { page, go } = await browsing.visitor(author, { phone: true });
    const buffer = await photo(page);
    expect(buffer.length).toBeGreaterThan(1_048_576);
    await go('/dashboard/quizzes');
    let taps = 0;
    const tap = async (target: Locator) => {
      taps += 1;
      await target.tap();
    };
    await tap(page.getByRole('link', { name: 'New quiz' }));
    await page.waitForURL(/new$/);
    await page.keyboard.type('Mountains');
    const first = page.getByRole('listitem', { name: 'Question 1', exact: true });
    await tap(first.getByLabel('Question', { exact: true }));
    await page.keyboard.type('Which mountain is it?');
    const choosing = page.waitForEvent('filechooser');
    await tap(first.getByRole('button', { name: 'Picture' }));
    // In the chooser of the phone: the photos, one of them, and Done.
    taps += 3;
    await (await choosing).setFiles({ name: 'IMG_1.JPG', mimeType: 'image/jpeg', buffer });
    await page.keyboard.type('A mountain with [two] peaks');
    await first.locator('.shown img').waitFor();
    await first.getByText('Read aloud to players who do not see it.').waitFor();
    expect(await first.getByRole('button', { name: 'Done' }).isVisible()).toBe(true);
    await inspect(page, 'editor-picture');
    await tap(first.getByLabel('Answer 1', { exact: true }));
    await page.keyboard.type('The Zugspitze');
    await page.keyboard.press('Enter');
    await page.keyboard.type('The Ushba');
    await tap(first.getByLabel('Answer 2 is correct'));
    await inspect(page, 'editor-written');
    await tap(page.getByRole('button', { name: 'Publish' }));
    await page.getByText('“Mountains” is live').waitFor();
    const shown = page.getByRole('img', { name: 'A mountain with [two] peaks' });
    await shown.scrollIntoViewIfNeeded();
    expect(await shown.getAttribute('width')).toBe('1600');
    expect(taps).toBe(9);
  });

  test('buttons, keys and a preview write Markdown, and what is wrong is said beside the text', async () => {
    const { page, go } = await browsing.visitor(author);
    const item = (number: number) =>
      page.getByRole('listitem', { name: `Question ${number}`, exact: true });
    const first = item(1);
    const text = first.getByLabel('Question', { exact: true });
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const said = () => page.getByRole('status').textContent();
    await go('/dashboard/quizzes/new');
    expect(await layoutShift(page)).toBeLessThan(0.01);
    await page.keyboard.type('Formulas, written');
    await text.click();
    await page.keyboard.type('Solve it');
    // In plain text the keys of Markdown do nothing.
    await press('Control+Shift+ArrowLeft', 'Control+b');
    expect(await text.inputValue()).toBe('Solve it');
    const bold = first.getByRole('button', { name: 'Bold' });
    await bold.click();
    expect(await text.inputValue()).toBe('Solve **it**');
    expect(await said()).toContain('Now in Markdown');
    expect(await first.getByRole('button', { name: 'Markdown' }).getAttribute('aria-pressed')).toBe(
      'true',
    );
    await first.locator('.shown strong').waitFor();
    await press('Control+b');
    expect(await text.inputValue()).toBe('Solve it');
    await press('Control+i');
    expect(await text.inputValue()).toBe('Solve *it*');
    await press('Control+z');
    await eventually(async () => expect(await text.inputValue()).toBe('Solve it'));
    await press('End', 'Space', 'Alt+F10', 'ArrowRight', 'Enter');
    await page.keyboard.type('\\frac{1}{2');
    expect(await text.inputValue()).toBe('Solve it $\\frac{1}{2$');
    const error = first.getByText('The text has the formula “\\frac{1}{2”, which cannot be read');
    await error.waitFor();
    expect(await text.getAttribute('aria-invalid')).toBe('true');
    await inspect(page, 'editor-formula-refused');
    await page.keyboard.type('}');
    await first.locator('.shown math').waitFor();
    expect(await error.count()).toBe(0);
    expect(await text.getAttribute('aria-invalid')).toBe(null);

    await first.getByLabel('Answer 1', { exact: true }).click();
    await page.keyboard.type('x');
    await press('Control+a');
    await first.getByRole('button', { name: 'Formula' }).click();
    await first.getByLabel('Answer 1 is correct').check();
    await first.getByLabel('Answer 2', { exact: true }).click();
    await page.keyboard.type('return 1');
    await press('Shift+Home');
    await first.getByRole('button', { name: 'Code block' }).click();
    expect(await first.getByLabel('Answer 2', { exact: true }).inputValue()).toBe(
      '```\nreturn 1\n```',
    );
    await first.locator('.answer-row .code-block').waitFor();
    // An answer has a limit of its own.
    await first.getByLabel('Answer 3', { exact: true }).fill('*'.repeat(1_001));
    await first.getByText('The text is longer than 1,000 characters.').waitFor();
    await first.getByLabel('Answer 3', { exact: true }).fill('');

    // From the clipboard, into an answer.
    await first.getByLabel('Answer 3', { exact: true }).click();
    await page.evaluate(`navigator.clipboard.write([new ClipboardItem({ 'image/png':
      new Blob([Uint8Array.from(atob('${png({ width: 64, height: 48 }).toString('base64')}'), (it) => it.charCodeAt(0))], { type: 'image/png' }) })])`);
    await press('Control+v');
    // Only in an answer each line becomes one.
    await page.evaluate(`navigator.clipboard.writeText('A square\\nof nine')`);
    const description = first.getByLabel('What does the picture show?');
    await description.focus();
    await press('Control+v');
    await eventually(async () => expect(await description.inputValue()).not.toBe(''));
    await press('Enter');
    await first.getByRole('img', { name: 'A square of nine' }).waitFor();
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Answer 3');
    expect(await page.locator(':focus').inputValue()).toMatch(
      /^!\[A square of nine\]\(media:[\da-f-]{36}\)$/,
    );

    // Dropped on the explanation.
    await first.getByText('More: explanation').click();
    const explanation = first.getByRole('textbox', { name: 'Explanation' });
    const drop = (on: Locator, name: string, type: string, content: string) =>
      on.evaluate(
        (element, [name, type, content]) => {
          const dataTransfer = new DataTransfer();
          const bytes = Uint8Array.from(atob(content!), (it) => it.charCodeAt(0));
          dataTransfer.items.add(new File([bytes], name!, { type: type! }));
          for (const kind of ['dragover', 'drop'])
            element.dispatchEvent(
              new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }),
            );
        },
        [name, type, content],
      );
    await explanation.fill('Because.');
    await drop(explanation, 'notes.txt', 'text/plain', btoa('no picture'));
    await first.getByText('The file is not a PNG, JPEG, WebP, GIF or AVIF picture').waitFor();
    expect(await explanation.inputValue()).toBe('Because.');
    await drop(
      explanation,
      'a.png',
      'image/png',
      png({ width: 80, height: 60, shade: 99 }).toString('base64'),
    );
    await first.getByRole('button', { name: 'Done' }).click();
    await first.getByText('shows a picture without an alternative text').waitFor();
    expect(await explanation.inputValue()).toMatch(/^Because\.\n\n!\[\]\(media:[\da-f-]{36}\)$/);
    await inspect(page, 'editor-markdown');
    // The next question is written in Markdown, too; leaving the field blank changes nothing.
    await item(2).getByLabel('Question', { exact: true }).click();
    expect(
      await item(2).getByRole('button', { name: 'Markdown' }).getAttribute('aria-pressed'),
    ).toBe('true');
    await page.getByRole('button', { name: 'Save as draft' }).click();
    await page.getByText('is created as a draft').waitFor();

    // Publishing says which question lacks a description, and leads there.
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Question 1 (“Solve it').waitFor();
    await inspect(page, 'quiz-unpublishable');
    await page.getByRole('link', { name: 'Edit question 1', exact: true }).first().click();
    await page.getByRole('button', { name: 'Describe the picture' }).click();
    await page.keyboard.type('A map');
    await press('Enter');
    expect(await page.getByRole('textbox', { name: 'Explanation' }).inputValue()).toContain(
      '![A map](media:',
    );
    await page.getByRole('button', { name: 'Save', exact: true }).last().click();
    await page.getByText('Question 1 is saved.').waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('“Formulas, written” is live').waitFor();
  });

  test('the number of a question is in the line of its first paragraph, on paper and in the result', async () => {
    const text = 'First paragraph.\n\nSecond paragraph.';
    const { id } = await makeQuiz(author, { title: 'Numbered' }, [
      questionBody({ text, format: 'markdown' }),
    ]);
    const { page, go } = await browsing.visitor(author);
    /** How far below the top of its question the first paragraph begins. */
    const gap = (question: Locator) =>
      question.evaluate((element) => {
        const [first] = element.querySelector('p')!.getClientRects();
        return first!.top - element.getBoundingClientRect().top;
      });
    await go(`/dashboard/quizzes/${id}/print`);
    expect(await gap(page.locator('main > ol > li'))).toBeLessThan(8);
    await go('/play/numbered');
    await follow(page.getByRole('button', { name: 'Start' }));
    await follow(page.locator('button.option').first());
    const heading = page.getByRole('heading', { name: /^1\. First paragraph/ });
    expect(await gap(heading)).toBeLessThan(8);
  });

  test('a folded question names its pictures by what they show', async () => {
    const { page, go } = await browsing.visitor(author);
    await go('/dashboard/quizzes/new');
    const item = (number: number) =>
      page.getByRole('listitem', { name: `Question ${number}`, exact: true });
    const picture = '![A red cross](media:3f2b8c1d-9a47-4e0b-8d5c-6b1f0e9a7c24)';
    await item(1).getByLabel('Question', { exact: true }).fill(`Whose flag?\n\n${picture}`);
    await item(1).getByLabel('Answer 1', { exact: true }).fill('England');
    await item(1).getByLabel('Answer 1 is correct').check();
    await item(2).getByLabel('Question', { exact: true }).click();
    const folded = item(1).locator('.folded');
    const texts = ['Whose flag?\n\nA red cross', 'England'];
    expect(await folded.allTextContents()).toEqual(texts);
    await item(2).getByLabel('Question', { exact: true }).fill('Without an answer');
    const refused = page.waitForResponse((it) => it.request().method() === 'POST');
    await page.getByRole('button', { name: 'Save as draft' }).click();
    const html = await (await refused).text();
    expect(html).toMatch(/>Whose flag\?\s+A red cross</);
  });

  test('a picture in a plain question changes nothing else, and Remove takes it back', async () => {
    const { page, go } = await browsing.visitor(author);
    const plain =
      'What is 5*3*2?\n  - Give a_b_c, __init__ and `1*2*3`.\n1. ~x~ in C:\\temp\\*.txt';
    const explanation = '- one\n- two';
    const { id } = await makeQuiz(author, { title: 'Plain' }, [
      questionBody({
        text: plain,
        explanation,
        answers: [
          { text: '\\{1\\}', isCorrect: true },
          { text: '1. x', isCorrect: false },
        ],
      }),
    ]);
    await go(`/dashboard/quizzes/${id}/edit`);
    await page.locator('.fold > summary').first().click();
    const first = page.getByRole('listitem', { name: 'Question 1', exact: true });
    const texts = () =>
      first
        .locator('textarea[name$=".text"], .listed .answer, textarea[name$=".explanation"]')
        .evaluateAll((fields) =>
          fields.map((field) => (field as HTMLInputElement).value).filter(Boolean),
        );
    const format = first.locator('select[name$=".format"]');
    const asBefore = async () => {
      expect(await texts()).toEqual([plain, '\\{1\\}', '1. x', explanation]);
      expect(await format.inputValue()).toBe('plain');
    };
    const choose = async (name: string, mimeType: string, buffer: Buffer) => {
      // Together: of a button that cannot be pressed, Playwright says why.
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        first.getByRole('button', { name: 'Picture', exact: true }).click(),
      ]);
      await chooser.setFiles({ name, mimeType, buffer });
    };
    await first.getByText('More: explanation').click();
    await choose('a.txt', 'text/plain', Buffer.from('no picture'));
    await first.getByText('The file is not a PNG').waitFor();
    await asBefore();

    // The description may have any sign.
    await choose('a.png', 'image/png', png());
    const shown = first.locator('.shown').first();
    await shown.locator('img').waitFor();
    await page.keyboard.type('The ` key & <b>');
    await page.keyboard.press('Tab');
    await first.getByRole('img', { name: 'The ` key & <b>' }).waitFor();
    expect(await shown.locator('p').first().innerText()).toBe(
      'What is 5*3*2?\n\u00a0\u00a0- Give a_b_c, __init__ and 1*2*3.\n1. ~x~ in C:\\temp\\*.txt',
    );
    expect(await texts()).toEqual([
      expect.stringMatching(/\n1\\\. \\~x\\~ in .*\n\n!\[The \\` key \\& \\<b>\]\(media:.*\)$/),
      '\\\\{1\\\\}',
      '1. x',
      '\\- one  \n\\- two',
    ]);
    await first.getByRole('button', { name: 'Remove picture' }).click();
    await asBefore();

    // A picture that is removed on its way does not arrive.
    let arrive = () => {};
    let arrived = new Promise<void>((resolve) => (arrive = resolve));
    let sent = 0;
    await page.route('**/dashboard/media', async (route) => {
      sent += 1;
      await arrived;
      await route.continue().catch(() => {});
    });
    const isUpload = (it: Request) => it.url().endsWith('/dashboard/media');
    const asked = page.waitForRequest(isUpload);
    await choose('a.png', 'image/png', png());
    await asked;
    await Promise.all([
      page.waitForEvent('requestfailed', isUpload),
      first.getByRole('button', { name: 'Remove picture' }).click(),
    ]);
    arrive();
    await asBefore();

    // Saved twice while the picture is on its way, to an answer that becomes one of several lines.
    arrived = new Promise<void>((resolve) => (arrive = resolve));
    const answer = first.getByLabel('Answer 2', { exact: true });
    await answer.click();
    await choose('a.png', 'image/png', png());
    await page.keyboard.type('A late picture');
    await answer.click();
    await first.getByRole('button', { name: 'Code block' }).click();
    await page.getByRole('button', { name: 'Duplicate question 1' }).click();
    const save = page.getByRole('button', { name: 'Save', exact: true }).last();
    let saves = 0;
    page.on('request', (it) => {
      if (it.method() === 'POST' && it.url().endsWith('/edit')) saves += 1;
    });
    await save.click();
    await page.locator('.buttons').getByText('Waiting for the picture').waitFor();
    await save.click();
    arrive();
    await page.getByText('The changes are saved.').waitFor();
    expect(saves).toBe(1);
    // The removed picture, and the late one.
    expect(sent).toBe(2);
    const { body } = await author.get(`/quizzes/${id}`).expect(200);
    const [kept, copied] = (
      body.data as { questions: { text: string; answers: { text: string }[] }[] }
    ).questions;
    expect(kept!.answers[1]!.text).toMatch(/!\[A late picture\]\(media:[\da-f-]{36}\)$/);
    expect([kept!.text, copied!.text]).toEqual([plain, plain]);

    // What was typed and inserted is undone step by step.
    await go('/dashboard/quizzes/new');
    const question = first.getByLabel('Question', { exact: true });
    await question.click();
    await page.keyboard.type('Where is it?');
    await choose('a.png', 'image/png', png());
    await first.getByText('Read aloud to players').waitFor();
    await page.keyboard.type('A map');
    await page.keyboard.press('Enter');
    expect(await question.inputValue()).toMatch(/^Where is it\?\n\n!\[A map\]\(media:.*\)$/);
    for (const before of [/\n\n!\[\]\(media:.*\)$/, /^Where is it\?$/, /^Where is it$/]) {
      await page.keyboard.press('Control+z');
      // The browser process undoes it, and may do so after the key has been handled.
      await eventually(async () => expect(await question.inputValue()).toMatch(before));
    }

    const without = await browsing.visitor(author, { javaScript: false });
    await without.go(`/dashboard/quizzes/${id}/edit`);
    await without.page.locator('.fold > summary').first().click();
    await without.page.getByRole('toolbar').waitFor();
    expect(await without.page.getByRole('toolbar').count()).toBe(1);
    expect(await without.page.getByLabel('Question', { exact: true }).first().inputValue()).toBe(
      kept!.text,
    );
  });
});

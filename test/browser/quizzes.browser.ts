import type { Locator, Page } from 'playwright-core';
import { TaxonomyService } from '../../src/authoring/taxonomy/taxonomy.service';
import { readStarterCatalogue } from '../../src/seed/seed.service';
import { eventually } from '../support/clock';
import { makeQuiz } from '../support/content';
import { questionBodies, questionBody } from '../support/samples';
import type { TestAccount } from '../support/service';
import {
  type Browsing,
  follow,
  inBrowser,
  inspect,
  layoutShift,
  MODES,
  PASSWORD,
  startBrowsing,
  toNextPage,
} from './support/browser';
import { isUsed, onMac } from './support/mac';

const HOSTILE = '"><script>document.title = "taken over"</script>';

// `inspect` audits a page three times: light, dark and 375 px wide.
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

  const button = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).first();
  /** A button that leads to another page. */
  const press = (page: Page, name: string) => follow(button(page, name));
  /** A button that the editor handles in the page, and without a script the server with another one. */
  const editBy = (target: Locator, { javaScript }: { javaScript: boolean }) =>
    javaScript ? target.click() : follow(target);
  /** Opens a question in the editor, whose script then goes into its text. */
  const unfold = async (question: Locator) => {
    await question.locator('.fold > summary').click();
    await question.locator('textarea:focus').waitFor();
  };
  const openMenu = (page: Page, number: number) =>
    page.locator(`summary[aria-label="Actions of question ${number}"]`).click();
  const notice = (page: Page) => page.getByRole('status').textContent();
  const lookOf = (options: { javaScript: boolean }) => (page: Page, name: string) =>
    options.javaScript ? inspect(page, name) : Promise.resolve();
  const questions = async (page: Page) =>
    (await page.locator('.question h3').allTextContents()).map((text) => text.trim());

  test.each(MODES)('%s: a quiz is created, edited and published', async (mode, options) => {
    const look = lookOf(options);
    const title = `Rivers of Europe, ${mode}`;
    const { page, go } = await browsing.visitor(author, options);

    const question = (number: number) =>
      page.getByRole('listitem', { name: `Question ${number}`, exact: true });
    const first = question(1);

    await go('/dashboard/quizzes/new');
    await press(page, 'Save as draft');
    await page.getByText('Title must not be blank.').waitFor();
    await page.getByLabel('Title').fill(title);
    await page.locator('.settings > summary').click();
    await page.getByLabel('Description').fill('From source to sea.\nTen questions, no trick.');
    await page.getByLabel('Category').fill('geography');
    await page.getByLabel('Tags').fill(`rivers, ${'x'.repeat(51)}`);
    await first.getByLabel('Question', { exact: true }).fill('Which river flows through Vienna?');
    await first.getByLabel('Answer 1', { exact: true }).fill('The Rhine');
    await first.getByLabel('Answer 3', { exact: true }).fill('The Danube');
    await press(page, 'Save as draft');
    await page.getByText('Tag 2 is longer than 50 characters.').waitFor();
    expect(await page.getByText('Tick the correct answer.').isVisible()).toBe(true);
    expect(await page.getByLabel('Title').inputValue()).toBe(title);
    expect(await first.getByLabel('Answer 1 is correct').getAttribute('aria-invalid')).toBe('true');
    await look(page, 'quiz-new-refused');
    await page.getByLabel('Tags').fill('rivers, europe');
    await first.getByLabel('Answer 3 is correct').check();
    await editBy(first.getByRole('button', { name: 'Move answer 3 up' }), options);
    await editBy(first.getByRole('button', { name: 'Remove answer 4' }), options);
    if (!options.javaScript)
      await follow(first.getByRole('button', { name: 'Add another answer' }));
    await first.getByLabel('Answer 3', { exact: true }).fill('The Elbe');
    await first.getByText('More: explanation').click();
    await first.getByLabel('Explanation').fill('The Danube flows through ten countries.');
    expect(await first.getByLabel('Answer 2', { exact: true }).inputValue()).toBe('The Danube');
    expect(await first.getByLabel('Answer 2 is correct').isChecked()).toBe(true);
    expect(await page.getByText('Paste a list').isVisible()).toBe(options.javaScript);
    if (!options.javaScript) await press(page, 'Add a question');
    const second = question(2);
    await second.getByLabel('Question', { exact: true }).fill('Italy is an island.');
    await second.getByLabel('True or false').check();
    expect(await second.getByLabel('Answer 1', { exact: true }).isVisible()).toBe(false);
    await second.getByLabel('False is correct').check();
    await look(page, 'quiz-new');
    await press(page, 'Save as draft');
    expect(await notice(page)).toContain('is created as a draft');
    expect(await questions(page)).toEqual([
      '1 Which river flows through Vienna?',
      '2 Italy is an island.',
    ]);
    await look(page, 'quiz-draft');

    await openMenu(page, 2);
    await press(page, 'Move question 2 up');
    await page.locator('[aria-label="Move question 1 down"]:focus').waitFor();
    await follow(page.getByRole('link', { name: 'Edit question 1' }));
    await page.getByLabel('Question', { exact: true }).fill('Italy is a peninsula.');
    await page.getByLabel('True is correct').check();
    await look(page, 'question-edit');
    await press(page, 'Save');
    expect(await questions(page)).toEqual([
      '1 Italy is a peninsula.',
      '2 Which river flows through Vienna?',
    ]);
    await openMenu(page, 1);
    await follow(page.getByRole('link', { name: 'Duplicate question 1' }));
    await page.getByLabel('Question', { exact: true }).fill('');
    await press(page, 'Add question');
    if (options.javaScript)
      expect(await page.locator(':focus').getAttribute('name')).toBe('q.text');
    await look(page, 'question-new-refused');
    await page.getByLabel('Question', { exact: true }).fill('Name the longest river of Europe.');
    await page.getByLabel('Open answer').check();
    await page.getByLabel('Answer 1', { exact: true }).fill('Volga');
    await press(page, 'Add question');
    await follow(page.getByRole('link', { name: 'Edit', exact: true }).first());
    await question(3).locator('.fold > summary').click();
    await editBy(question(3).getByRole('button', { name: 'Move question 3 up' }), options);
    if (options.javaScript) await look(page, 'quiz-edit-open');
    await question(1).locator('.fold > summary').click();
    await editBy(question(1).getByRole('button', { name: 'Duplicate question 1' }), options);
    await editBy(question(2).getByRole('button', { name: 'Remove question 2' }), options);
    await look(page, 'quiz-edit');
    await press(page, 'Publish');
    expect(await notice(page)).toContain('when an administrator approves it');
    expect(await questions(page)).toEqual([
      '1 Italy is a peninsula.',
      '2 Name the longest river of Europe.',
      '3 Which river flows through Vienna?',
    ]);
    // The review queue is empty for the next test.
    await author.delete(`/quizzes/${page.url().split('/').at(-1)}`).expect(204);
  });

  test.each(MODES)('%s: a rejected quiz is resubmitted and approved', async (mode, options) => {
    const look = lookOf(options);
    const title = `Rivers to review, ${mode}`;
    const { id } = await makeQuiz(author, { title, published: true }, questionBodies(3));
    const { page, go } = await browsing.visitor(author, options);
    await go(`/dashboard/quizzes/${id}`);

    const review = await browsing.visitor(administrator, options);
    await review.go('/dashboard/admin/review');
    await look(review.page, 'review-queue');
    await follow(review.page.getByRole('link', { name: title }));
    await press(review.page, 'Reject quiz');
    await review.page.getByText('Say what its owner should change.').waitFor();
    await look(review.page, 'review-refused');
    await review.page.getByLabel('Reason').fill('Name the source of question 1.');
    await press(review.page, 'Reject quiz');
    expect(await notice(review.page)).toContain('is rejected');

    await page.reload();
    expect(await page.getByText('Name the source of question 1.').isVisible()).toBe(true);
    await look(page, 'quiz-rejected');
    await press(page, 'Send to review again');
    await review.go('/dashboard/admin/review');
    await follow(review.page.getByRole('link', { name: title }));
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
    await openMenu(page, 2);
    await second.getByRole('button', { name: 'Delete', exact: true }).click();
    if (options.javaScript) await inspect(page, 'question-delete');
    await button(page, 'Cancel').click();
    await second.getByRole('button', { name: 'Delete', exact: true }).click();
    await follow(second.getByRole('button', { name: 'Delete question' }));
    expect(await questions(page)).toEqual(['1 Question 1?', '2 Question 3?']);
    await page.getByRole('button', { name: 'Unpublish', exact: true }).click();
    await follow(page.getByRole('button', { name: 'Unpublish quiz' }));
    expect(await notice(page)).toContain('is no longer public');
    await page.getByRole('button', { name: 'Delete quiz' }).click();
    if (options.javaScript) await inspect(page, 'quiz-delete');
    await follow(page.getByRole('dialog').getByRole('button', { name: 'Delete quiz' }));
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
      expect(await go(path)).toBe(200);
      if (path.endsWith('/edit')) expect(await page.getByLabel('Title').inputValue()).toBe(HOSTILE);
      else await page.getByText(HOSTILE).locator('visible=true').first().waitFor();
      expect(await page.title()).not.toBe('taken over');
      expect(await page.content()).not.toContain('<script>document.title');
      if (name) await inspect(page, name);
    }
  });

  test('a Free account writes drafts, and is told what needs a plan and how to get one', async () => {
    const { page, go } = await browsing.visitor(await browsing.member('free'));
    await go('/dashboard');
    expect(
      await page.getByText('Public quizzes, imports and the API need a plan.').isVisible(),
    ).toBe(true);
    expect(
      await page.getByRole('button', { name: 'Ask for Starter (25 quizzes)' }).isVisible(),
    ).toBe(true);
    await inspect(page, 'overview-free');
    await go('/dashboard/quizzes');
    // What would be refused is not offered.
    expect(await page.getByText(/import a file/i).count()).toBe(0);
    await inspect(page, 'quizzes-free');
    await follow(page.getByRole('link', { name: 'New quiz' }).first());
    await page.getByLabel('Title').fill('A first draft');
    await page.getByLabel('Question', { exact: true }).first().fill('Where does the Rhine end?');
    await page.getByLabel('Open answer').first().check();
    await page.getByLabel('Answer 1', { exact: true }).first().fill('In the sea');
    expect(await page.getByRole('button', { name: 'Publish' }).count()).toBe(0);
    await inspect(page, 'quiz-new-free');
    await press(page, 'Save as draft');
    expect(await notice(page)).toContain('is created as a draft');
    const said = (await page.getByRole('main').textContent()) ?? '';
    expect(said).toContain('Only you see it.');
    expect(said).not.toContain('Publish it');
    expect(await page.getByRole('link', { name: 'Import a file' }).count()).toBe(0);
    await go('/dashboard/imports/new');
    await follow(page.getByRole('link', { name: 'Ask for a plan' }));
    expect(await page.getByRole('button', { name: 'Ask for Starter' }).isVisible()).toBe(true);
  });

  test('a quiz of five questions of three kinds is written and published with 8 clicks and 2 page loads', async () => {
    const { page, go } = await browsing.visitor(author);
    await go('/dashboard/quizzes');
    let [clicks, loads] = [0, 0];
    const click = async (target: Locator) => {
      clicks += 1;
      await target.click();
    };
    page.on('load', () => (loads += 1));
    await toNextPage(page, () => click(page.getByRole('link', { name: 'New quiz' })));
    await page.keyboard.type('Five rivers');
    for (let number = 1; number <= 5; number++) {
      const item = page.getByRole('listitem', { name: `Question ${number}`, exact: true });
      await page.keyboard.press('Control+Enter');
      await page.keyboard.type(`Where does river ${number} begin?`);
      if (number === 4) {
        await click(item.getByLabel('True or false'));
        await click(item.getByLabel('True is correct'));
        continue;
      }
      if (number === 5) await click(item.getByLabel('Open answer'));
      else await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.type('In the Alps');
      if (number === 5) continue;
      await page.keyboard.press('Enter');
      await page.keyboard.type('In the Harz');
      await click(item.getByLabel('Answer 1 is correct'));
    }
    // The button stays in view wherever the page is scrolled, on a phone too.
    for (const width of [375, 1280]) {
      await page.setViewportSize({ width, height: 720 });
      for (const end of [0, 100_000]) {
        await page.evaluate(`scrollTo(0, ${end})`);
        const { y = -1, height = 0 } =
          (await page.getByRole('button', { name: 'Publish' }).boundingBox()) ?? {};
        expect(y).toBeGreaterThan(0);
        expect(y + height).toBeLessThanOrEqual(720);
      }
    }
    await toNextPage(page, () => click(page.getByRole('button', { name: 'Publish' })));
    await page.getByText('“Five rivers” is published.').waitFor();
    expect(await questions(page)).toHaveLength(5);
    expect({ clicks, loads }).toEqual({ clicks: 8, loads: 2 });
  });

  test('a quiz is written with the keyboard alone, and from the last answer Tab leads to the next question in 5 stops', async () => {
    const { page, go } = await browsing.visitor(author);
    await go('/dashboard/quizzes/new');
    const item = (number: number) =>
      page.getByRole('listitem', { name: `Question ${number}`, exact: true });
    const focused = () =>
      page.evaluate<string>(
        `document.activeElement.getAttribute('aria-label') ?? document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent`,
      );
    const said = () => page.getByRole('status').textContent();
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const paste = async (text: string) => {
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
      await press('Control+v');
    };
    const answers = (number: number) =>
      item(number)
        .locator('.listed .answer')
        .evaluateAll((them) => them.map((it) => (it as unknown as { value: string }).value));

    // What the script changes does not move what is on the page.
    expect(await layoutShift(page)).toBeLessThan(0.01);
    await page.keyboard.type('By keyboard');
    await press('Control+Enter');
    await page.keyboard.type('Which gas do plants take in?');
    await press('Tab', 'Tab');
    expect(await focused()).toBe('Answer 1');
    await paste('a) Oxygen\nb) Carbon dioxide\r\nc) Helium');
    const pasted = ['Oxygen', 'Carbon dioxide', 'Helium', ''];
    // The browser process pastes, and may do so after the key has been handled.
    await eventually(async () => expect(await answers(1)).toEqual(pasted));
    expect(await said()).toBe('3 answers pasted.');
    expect(await focused()).toBe('Answer 3');
    await press('Alt+2');
    expect(await said()).toBe('Answer 2 is correct.');
    expect(await item(1).getByLabel('Answer 2 is correct').isChecked()).toBe(true);

    const stops: string[] = [];
    while (stops.at(-1) !== 'Question' && stops.length < 20) {
      await press('Tab');
      stops.push(await focused());
    }
    expect(stops).toEqual([
      'Answer 3 is correct',
      'Answer 4',
      'More: explanation, difficulty and format',
      'Move question 1 up',
      'Question 2',
      'Question',
    ]);
    // The question that was left is finished: it is folded to its text and its correct answer.
    expect(await item(1).locator('.fold[open]').count()).toBe(0);
    expect(await item(1).locator('.fold > summary').textContent()).toContain('Carbon dioxide');

    await page.keyboard.type('Plants are green.');
    await press('Tab', 'ArrowRight');
    await press('Alt+1', 'Control+Enter');
    expect(await item(2).locator('.fold > summary').textContent()).toMatch(
      /Plants are green\.\s*True/,
    );
    await page.keyboard.type('Name the pigment.');
    await press('Tab', 'ArrowRight', 'ArrowRight', 'Tab');
    // A date is not a list number.
    await paste('3. Mai\n4. Mai');
    await eventually(async () =>
      expect((await answers(3)).slice(0, 3)).toEqual(['3. Mai', '4. Mai', '']),
    );
    await press('Alt+ArrowUp');
    expect((await answers(3)).slice(0, 2)).toEqual(['4. Mai', '3. Mai']);
    // The buttons of an answer are at its end, by arrow keys.
    await press('End', 'ArrowRight', 'ArrowRight');
    expect(await focused()).toBe('Remove answer 1');
    await press('Enter');
    expect((await answers(3))[0]).toBe('3. Mai');
    await press('ArrowDown');
    expect(await focused()).toBe('Answer 2');
    await press('Backspace');
    expect(await focused()).toBe('Answer 1');
    // So are the buttons of a question.
    await press('Tab', 'Tab', 'Tab');
    expect(await focused()).toBe('Move question 3 up');
    await press('ArrowRight', 'ArrowRight');
    expect(await focused()).toBe('Duplicate question 3');
    await press('Shift+Tab', 'Alt+ArrowUp');
    expect(await said()).toBe('Moved up, now number 2.');
    expect(await item(2).locator('.fold > summary').textContent()).toContain('Name the pigment.');
    await page.evaluate('document.activeElement.blur()');
    await inspect(page, 'quiz-by-keyboard');
    await toNextPage(page, () => page.getByRole('button', { name: 'Publish' }).press('Enter'));
    await page.getByText('“By keyboard” is published.').waitFor();
    expect(await questions(page)).toEqual([
      '1 Which gas do plants take in?',
      '2 Name the pigment.',
      '3 Plants are green.',
    ]);
  });

  test('questions are ordered by dragging and by keyboard, and leaving with unsaved text asks first', async () => {
    const { id } = await makeQuiz(author, { title: 'In order' }, questionBodies(3));
    const { page, go } = await browsing.visitor(author);
    await go(`/dashboard/quizzes/${id}/edit`);
    const order = () =>
      page
        .locator('ol.questions textarea[name$=".text"]')
        .evaluateAll((them) => them.map((it) => (it as unknown as { value: string }).value));
    const heading = (number: number) =>
      page.getByRole('heading', { name: `Question ${number}`, exact: true });
    // A page that scrolls between pressing and moving would drag something else.
    await page.setViewportSize({ width: 1280, height: 3000 });
    await heading(3).hover();
    await page.mouse.down();
    // Chromium sends dragover from the second move on.
    const dragToFirst = async () => {
      for (let moves = 0; moves < 3; moves++)
        await heading(1).hover({ position: { x: 5, y: 2 + moves } });
    };
    await dragToFirst();
    expect(await order()).toEqual(['Question 3?', 'Question 1?', 'Question 2?']);
    await page.keyboard.press('Escape');
    await page.mouse.up();
    expect(await order()).toEqual(['Question 1?', 'Question 2?', 'Question 3?']);
    await heading(3).hover();
    await page.mouse.down();
    await dragToFirst();
    await page.mouse.up();
    expect(await order()).toEqual(['Question 3?', 'Question 1?', 'Question 2?']);
    await page.locator('.fold > summary').nth(2).press('Enter');
    await page.locator('.fold[open] textarea:focus').waitFor();
    const up = page.getByRole('button', { name: 'Move question 3 up' });
    await up.focus();
    await page.keyboard.press('Enter');
    expect(await order()).toEqual(['Question 3?', 'Question 2?', 'Question 1?']);
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Move question 2 up');
    const asked = page.waitForEvent('dialog').then(async (dialog) => {
      await dialog.dismiss();
      return dialog.type();
    });
    await page.getByRole('link', { name: 'Cancel' }).click({ noWaitAfter: true });
    expect(await asked).toBe('beforeunload');
    await press(page, 'Save');
    expect(await notice(page)).toBe('The changes are saved.');
    expect(await questions(page)).toEqual(['1 Question 3?', '2 Question 2?', '3 Question 1?']);
  });

  test('going back in the editor, and in a list, ticks nothing by its place', async () => {
    const { id } = await makeQuiz(author, { title: 'Back' }, questionBodies(2));
    const { page, go } = await browsing.visitor(author);
    await go(`/dashboard/quizzes/${id}/edit`);
    await page.locator('.fold > summary').nth(1).press('Enter');
    await page.locator('.fold[open] textarea:focus').waitFor();
    await page.getByLabel('Answer 2 is correct').nth(1).check();
    await page.getByRole('button', { name: 'Move question 2 up' }).click();
    await press(page, 'Save');
    const ticked = () =>
      page
        .locator('.listed .tick')
        .evaluateAll((ticks) => ticks.map((it) => (it as unknown as { checked: boolean }).checked));
    await toNextPage(page, () => page.goBack());
    const afterSave = await ticked();
    await go(`/dashboard/quizzes/${id}/edit`);
    expect(afterSave).toEqual(await ticked());

    await go('/dashboard/quizzes');
    await page.getByRole('checkbox', { name: 'Select “Back”' }).check();
    await go('/dashboard');
    await makeQuiz(author, { title: 'Newer' });
    await toNextPage(page, () => page.goBack());
    expect(await page.getByRole('checkbox', { name: 'Select “Newer”' }).isVisible()).toBe(true);
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0);
  });

  test('a quiz that is saved offline is neither sent nor lost', async () => {
    const { page, context, visit } = await elsewhere();
    await visit('/dashboard/quizzes/new');
    const title = page.getByLabel('Title', { exact: true });
    await title.fill('Tides');
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Save as draft' }).click();
    await page.getByText('You are offline, so nothing was sent.').waitFor();
    expect(await title.inputValue()).toBe('Tides');
    await context.setOffline(false);
    await press(page, 'Save as draft');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Tides');
  });

  test.each(MODES)(
    '%s: what is saved after another tab has deleted it is kept, and becomes a new one',
    async (_, options) => {
      const { id } = await makeQuiz(author, { published: false }, questionBodies(2));
      const { page, go } = await browsing.visitor(author, options);
      await go(`/dashboard/quizzes/${id}`);
      await openMenu(page, 2);
      await follow(page.getByRole('link', { name: 'Edit question 2' }));
      const deleted = page.url().split('/').at(-2)!;
      await page.getByLabel('Question', { exact: true }).fill('Where is Lake Geneva?');
      await author.delete(`/questions/${deleted}`).expect(204);
      await press(page, 'Save');
      expect(await page.getByRole('alert').textContent()).toContain('This question was deleted');
      await press(page, 'Add question');
      expect(await notice(page)).toContain('Question 2 is added');
      expect(await questions(page)).toContainEqual(
        expect.stringContaining('Where is Lake Geneva?'),
      );

      await go(`/dashboard/quizzes/${id}/edit`);
      await page.getByLabel('Title').fill('Written for an hour');
      await author.delete(`/quizzes/${id}`).expect(204);
      await press(page, 'Save as draft');
      expect(await page.getByRole('alert').textContent()).toContain('This quiz was deleted');
      await press(page, 'Save as draft');
      expect(await notice(page)).toContain('Written for an hour');
      expect(await questions(page)).toHaveLength(2);
      const copy = page.url().split('/').at(-1);
      expect(copy).not.toBe(id);
      await author.delete(`/quizzes/${copy}`).expect(204);
    },
  );

  test.each(MODES)(
    '%s: ticked quizzes of which another tab has deleted one stay as they are, and a link leads back to the list',
    async (_, options) => {
      const [kept, gone] = [
        await makeQuiz(author, { title: 'Ticked and kept' }, questionBodies(1)),
        await makeQuiz(author, { title: 'Ticked and gone' }, questionBodies(1)),
      ];
      const { page, go } = await browsing.visitor(author, options);
      await go('/dashboard/quizzes?q=ticked');
      for (const title of ['Ticked and kept', 'Ticked and gone'])
        await page.getByLabel(`Select “${title}”`).check();
      await author.delete(`/quizzes/${gone.id}`).expect(204);
      await press(page, 'Unpublish');
      await page.getByRole('heading', { name: 'Nothing was changed' }).waitFor();
      if (options.javaScript) await inspect(page, 'nothing-changed');
      await follow(page.getByRole('link', { name: 'Back', exact: true }));
      expect(page.url()).toContain('/dashboard/quizzes?q=ticked');
      await page.getByRole('link', { name: 'Ticked and kept', exact: true }).waitFor();
      expect(await page.getByText('Ticked and gone').count()).toBe(0);
      await author.delete(`/quizzes/${kept.id}`).expect(204);
    },
  );

  test('back from the memory of the browser the editor is read again, or has what was not saved', async () => {
    const { id } = await makeQuiz(author, { title: 'Remembered' }, questionBodies(1));
    const { page, go } = await browsing.visitor(author);
    await go(`/dashboard/quizzes/${id}/edit`);
    const title = page.getByLabel('Title', { exact: true });
    const back = () =>
      page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    await title.fill('Typed');
    // The page stays, as it is kept in memory: the response leads nowhere.
    await page.route('**/edit', (route) => route.fulfill({ status: 204 }), { times: 1 });
    const sent = page.waitForResponse((response) => response.status() === 204);
    await button(page, 'Save').click();
    await sent;
    await back();
    expect(await title.inputValue()).toBe('Typed');
    const asked = page.waitForEvent('dialog').then((dialog) => dialog.dismiss());
    await page.getByRole('link', { name: 'Cancel' }).click({ noWaitAfter: true });
    await asked;
    // What a page does that is not the editor.
    await page.evaluate("sessionStorage.removeItem('unanswered-save')");
    page.once('dialog', (dialog) => dialog.accept());
    await toNextPage(page, back);
    expect(await title.inputValue()).toBe('Remembered');
    const unanswered = () => page.evaluate("sessionStorage.getItem('unanswered-save')");
    await press(page, 'Save');
    expect(await unanswered()).toBe(null);
    await go(`/dashboard/quizzes/${id}/questions/new`);
    await press(page, 'Add, and write another');
    expect(await unanswered()).toBe('yes');
    await page.getByLabel('Question', { exact: true }).fill('Which river?');
    await page.getByLabel('Answer 1', { exact: true }).fill('The Danube');
    await page.getByLabel('Answer 1 is correct').check();
    await page.getByLabel('Answer 2', { exact: true }).fill('The Rhine');
    await press(page, 'Add, and write another');
    expect(await unanswered()).toBe(null);
  });

  /** On a host that is not the browser's own, and could be out of reach. */
  const elsewhere = async () => {
    const { page, context, go } = await browsing.visitor(author);
    await go('/dashboard');
    const at = browsing.service.url.replace('127.0.0.1', 'quiz.localhost');
    await context.addCookies(
      (await context.cookies()).map(({ name, value }) => ({ name, value, url: `${at}/dashboard` })),
    );
    return { page, context, visit: (path: string) => page.goto(at + path) };
  };

  test('in German the editor is as narrow as a small phone', async () => {
    const { page, go } = await browsing.visitor(author);
    await page.setExtraHTTPHeaders({ 'Accept-Language': 'de' });
    await page.setViewportSize({ width: 320, height: 720 });
    await go('/dashboard/quizzes/new');
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  });

  test('a duplicated question has every field of the original, with fewer or more answers than a new one', async () => {
    const explanation = 'The Danube does.';
    const longer = ['Rhine', 'Elbe', 'Oder', 'Danube,\nalso Donau', 'Po'].map((text) => ({
      text,
      isCorrect: text.startsWith('Danube'),
    }));
    const truth = ['Yes', 'No'].map((text) => ({ text, isCorrect: text === 'No' }));
    const { id } = await makeQuiz(author, { title: 'Duplicated' }, [
      questionBody({ text: 'Two?', explanation, difficulty: 'HARD', answers: truth }),
      questionBody({ text: 'Five?', explanation, difficulty: 'EASY', answers: longer }),
      questionBody({ text: 'True?', type: 'TRUE_FALSE', explanation, answers: truth }),
    ]);
    const { page, go } = await browsing.visitor(author);
    await go(`/dashboard/quizzes/${id}/edit`);
    const item = (number: number) =>
      page.getByRole('listitem', { name: `Question ${number}`, exact: true });
    const fields = (number: number) =>
      item(number)
        .locator(':is(input, textarea, select):not([type="hidden"])')
        .evaluateAll((them) =>
          them.map((it) => {
            const { name, tagName, value, checked } = it as unknown as Record<string, string>;
            return [name?.replace(/^.*\./, ''), tagName, value, checked];
          }),
        );
    for (const number of [1, 3, 5]) {
      await item(number).locator('.fold > summary').click();
      // The empty rows of a question with two answers.
      if (number === 1)
        for (const row of [4, 3])
          await item(1)
            .getByRole('button', { name: `Remove answer ${row}`, exact: true })
            .click();
      const original = await fields(number);
      await item(number)
        .getByRole('button', { name: `Duplicate question ${number}`, exact: true })
        .click();
      expect(await fields(number + 1)).toEqual(original);
    }
    await press(page, 'Save');
    expect(await notice(page)).toBe('The changes are saved.');
    const { body } = await author.get(`/quizzes/${id}`).expect(200);
    const asked = (
      body.data.questions as { text: string; answers: { text: string; isCorrect: boolean }[] }[]
    ).map(({ answers, ...rest }) => ({
      ...rest,
      id: null,
      order: null,
      answers: answers.map(({ text, isCorrect }) => ({ text, isCorrect })),
    }));
    expect(asked.map(({ text }) => text)).toEqual([
      ...['Two?', 'Two?', 'Five?', 'Five?', 'True?', 'True?'],
    ]);
    for (const at of [0, 2, 4]) expect(asked[at + 1]).toEqual(asked[at]);
  });

  test('on a Mac, Alt and a digit mark an answer, and type what no other key types', async () => {
    const { id } = await makeQuiz(author, { title: 'On a Mac' }, questionBodies(1));
    const { page, go } = await browsing.visitor(author);
    await onMac(page);
    await go(`/dashboard/quizzes/${id}/edit`);
    await page.locator('.fold > summary').first().click();
    const answer = page.getByLabel('Answer 1', { exact: true }).first();
    const tick = page.getByLabel('Answer 2 is correct', { exact: true }).first();
    const before = await tick.isChecked();
    expect(await isUsed(answer, { key: '[', code: 'Digit2', altKey: true })).toBe(false);
    expect(await tick.isChecked()).toBe(before);
    expect(await isUsed(answer, { key: '™', code: 'Digit2', altKey: true })).toBe(true);
    expect(await tick.isChecked()).toBe(!before);
  });

  test('leaving the editor does not ask after a key or a drag that changed nothing', async () => {
    const { id } = await makeQuiz(author, { title: 'Unchanged' }, questionBodies(2));
    const { page, go } = await browsing.visitor(author);
    await go(`/dashboard/quizzes/${id}/edit`);
    let asked = 0;
    page.on('dialog', async (dialog) => {
      asked += 1;
      await dialog.accept();
    });
    const first = page.getByRole('listitem', { name: 'Question 1', exact: true });
    await first.locator('.fold > summary').click();
    const text = first.getByLabel('Question', { exact: true });
    // It has no answer 9, and no question above it.
    for (const key of ['Alt+9', 'Alt+ArrowUp']) await text.press(key);
    await text.evaluate((it) => {
      for (const type of ['dragstart', 'dragend'])
        it.dispatchEvent(new DragEvent(type, { bubbles: true }));
    });
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.waitForURL(new RegExp(`${id}$`));
    expect(asked).toBe(0);

    await go(`/dashboard/quizzes/${id}/edit`);
    await first.locator('.fold > summary').click();
    await text.press('Alt+2');
    expect(await page.locator('[data-count]').textContent()).toBe('2 questions, not saved');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.waitForURL(new RegExp(`${id}$`));
    expect(asked).toBe(1);
  });

  test('the arrow keys lead from the text of an answer to its tick and its buttons, and back', async () => {
    const { id } = await makeQuiz(author, { title: 'Arrows' }, questionBodies(1));
    const { page, go } = await browsing.visitor(author);
    await go(`/dashboard/quizzes/${id}/edit`);
    const question = page.getByRole('listitem', { name: 'Question 1', exact: true });
    await unfold(question);
    await question.getByLabel('Answer 1', { exact: true }).focus();
    await page.keyboard.press('End');
    const stops: (string | null)[] = [];
    const step = async (key: string) => {
      await page.keyboard.press(key);
      stops.push(await page.locator(':focus').getAttribute('aria-label'));
    };
    for (let steps = 0; steps < 3; steps++) await step('ArrowRight');
    for (let steps = 0; steps < 3; steps++) await step('ArrowLeft');
    expect(stops).toEqual([
      ...['Answer 1 is correct', 'Move answer 1 up', 'Remove answer 1'],
      ...['Move answer 1 up', 'Answer 1 is correct', 'Answer 1'],
    ]);
  });

  test('pasting 60 answers into one of 100 questions reads each question a few times, not for each answer', async () => {
    const { id } = await makeQuiz(author, { title: 'Long' }, questionBodies(100));
    const { page, go } = await browsing.visitor(author);
    await go(`/dashboard/quizzes/${id}/edit`);
    const last = page.getByRole('listitem', { name: 'Question 100', exact: true });
    await unfold(last);
    await last.getByLabel('Answer 3', { exact: true }).focus();
    const lines = Array.from({ length: 60 }, (_, at) => `River ${at}`).join('\n');
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(lines)})`);
    await page.evaluate(`(() => {
      globalThis.reads = 0;
      const { querySelector } = Element.prototype;
      Element.prototype.querySelector = function (selector) {
        globalThis.reads += 1;
        return querySelector.call(this, selector);
      };
    })()`);
    await page.keyboard.press('Control+v');
    await page.getByText('58 answers pasted.').waitFor();
    expect(await last.locator('.listed .answer-row').count()).toBe(60);
    // Numbering visits every question: once for each new row, it read 880,000 times.
    expect(await page.evaluate('globalThis.reads')).toBeLessThan(20_000);
  });

  test('a question beyond those that the editor holds is refused, and what was typed stays', async () => {
    const { id } = await makeQuiz(author, { published: false }, questionBodies(99));
    const { page, go } = await browsing.visitor(author);
    await go(`/dashboard/quizzes/${id}/edit`);
    const rows = page.locator('.questions > li');
    await button(page, 'Add a question').click();
    await page.locator('.questions > li:last-child textarea').first().fill('The hundredth?');
    expect(await rows.count()).toBe(100);
    await press(page, 'Add a question');
    await page.getByText('The editor holds at most 100 questions').waitFor();
    expect(await rows.count()).toBe(100);
    const last = page.locator('.questions > li:last-child textarea').first();
    expect(await last.inputValue()).toBe('The hundredth?');
  });

  test.each(MODES)(
    '%s: whoever is signed out while editing signs in in another tab, and reloads to save',
    async (_, options) => {
      const { id } = await makeQuiz(author, {}, questionBodies(8));
      const { page, context, go } = await browsing.visitor(author, options);
      await go(`/dashboard/quizzes/${id}/edit`);
      await page.getByLabel('Title').fill('Typed for an hour');
      await context.clearCookies();
      await press(page, 'Save');
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
      await lookOf(options)(page, 'signed-out');
      const [tab] = await Promise.all([
        context.waitForEvent('page'),
        page.getByRole('link', { name: 'Sign in in a new tab' }).click(),
      ]);
      await tab.getByLabel('E-mail address').fill(author.email);
      await tab.getByLabel('Password').fill(PASSWORD);
      await tab.getByRole('button', { name: 'Sign in' }).click();
      await tab.waitForURL('**/dashboard');
      await page.reload();
      await page.getByRole('heading', { name: 'Typed for an hour' }).waitFor();
    },
  );

  test('a double click on Save creates one quiz', async () => {
    const { page, go } = await browsing.visitor(author);
    await go('/dashboard/quizzes/new');
    await page.getByLabel('Title').fill('Saved once');
    await page.getByRole('button', { name: 'Save as draft' }).dblclick();
    await page.getByRole('heading', { name: 'Saved once' }).waitFor();
    await go('/dashboard/quizzes?q=Saved+once');
    expect(await page.getByRole('link', { name: 'Saved once', exact: true }).count()).toBe(1);
  });

  test('a click on Publish while Save is on its way sends nothing more', async () => {
    const { page, go } = await browsing.visitor(author);
    await go('/dashboard/quizzes/new');
    await page.getByLabel('Title').fill('Clicked twice');
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.postData() ?? '');
    });
    await page.evaluate(`for (const name of ['Save as draft', 'Publish'])
      [...document.querySelectorAll('button.btn')].find((it) => it.textContent === name).click()`);
    await page.getByRole('heading', { name: 'Clicked twice' }).waitFor();
    expect(sent).toEqual([expect.not.stringContaining('then=publish')]);
  });

  test('a category confirmed with Enter and an export leave the other buttons for ticked quizzes in use', async () => {
    await makeQuiz(author, { title: 'Exported first' });
    const { page, go } = await browsing.visitor(author);
    await go('/dashboard/quizzes?q=Exported+first');
    await page.getByLabel('Select “Exported first”').check();
    await page.getByLabel('New category').fill('Rivers');
    await page.getByLabel('New category').press('Enter');
    const download = page.waitForEvent('download');
    await button(page, 'Export').click();
    expect((await download).suggestedFilename()).toBe('quizzes.json');
    await press(page, 'Move');
    expect(await notice(page)).toBe('1 quiz is moved.');
  });

  test('a double click on Export downloads once, and a later click downloads again', async () => {
    await makeQuiz(author, { title: 'Exported twice' });
    const { page, go } = await browsing.visitor(author);
    await go('/dashboard/quizzes?q=Exported+twice');
    await page.getByLabel('Select “Exported twice”').check();
    let exports = 0;
    page.on('request', (request) => void (request.method() === 'POST' && exports++));
    const download = page.waitForEvent('download');
    // As a hand does: Chromium itself joins two clicks without a pause. In the page, where the pause is as long as it says.
    await button(page, 'Export').evaluate((it: HTMLElement) => {
      it.click();
      setTimeout(() => it.click(), 150);
    });
    await download;
    // Longer than a double click takes.
    await page.waitForTimeout(600);
    expect(exports).toBe(1);
    const again = page.waitForEvent('download');
    await button(page, 'Export').click();
    await again;
    expect(exports).toBe(2);
  });

  test('a question that is opened has the focus in its text before the next frame is shown', async () => {
    const { id } = await makeQuiz(author, { title: 'Opened' }, questionBodies(1));
    const { page, go } = await browsing.visitor(author);
    await go(`/dashboard/quizzes/${id}/edit`);
    const focused = await page.evaluate(`new Promise((resolve) => {
      document.querySelector('.fold > summary').click();
      setTimeout(() => resolve(document.activeElement.name));
    })`);
    expect(focused).toBe('q1.text');
  });

  test.each(MODES)(
    '%s: quizzes are searched, ticked and deleted together',
    async (mode, options) => {
      for (const part of ['A', 'B']) await makeQuiz(author, { title: `Bulk ${mode} ${part}` });
      const { page, go } = await browsing.visitor(author, options);
      await go('/dashboard/quizzes');
      await page.getByRole('searchbox').fill(`bulk ${mode}`);
      await press(page, 'Search');
      expect(await page.getByRole('button', { name: 'Unpublish' }).isVisible()).toBe(false);
      await page.getByLabel(`Select “Bulk ${mode} A”`).check();
      if (options.javaScript) {
        await page.getByLabel('All on this page').check();
        await inspect(page, 'quizzes-ticked');
      } else await page.getByLabel(`Select “Bulk ${mode} B”`).check();
      await page.getByLabel(`Select “Bulk ${mode} A”`).press('Enter');
      await page.getByLabel('New category').fill(`Moved ${mode}`);
      await page.getByLabel('New category').press('Enter');
      await press(page, 'Move');
      expect(await notice(page)).toBe('2 quizzes are moved.');
      expect(await page.getByText(`Moved ${mode}, medium`).count()).toBe(2);
      for (const box of await page.getByRole('checkbox', { name: /^Select/ }).all())
        await box.check();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await follow(page.getByRole('button', { name: 'Delete quizzes' }));
      expect(await notice(page)).toBe('2 quizzes are deleted.');
    },
  );

  test.each(MODES)(
    '%s: topics and categories are added, renamed and moved',
    async (mode, options) => {
      const look = lookOf(options);
      const name = `Games ${mode}`;
      const { page, go } = await browsing.visitor(administrator, options);
      await go('/dashboard/admin/topics');
      await look(page, 'topics');
      await follow(page.getByRole('link', { name: 'New topic' }));
      await page.getByLabel('Name').fill('Geography');
      await press(page, 'Add topic');
      expect(await page.locator('.field-error').count()).toBe(1);
      await look(page, 'topic-refused');
      await page.getByLabel('Name').fill(name);
      await page.getByLabel('Icon').fill('🎲');
      await press(page, 'Add topic');
      expect(await notice(page)).toBe(`The topic “${name}” is added.`);
      const actionsOf = (of: string) =>
        page.getByLabel(`Actions of ${of}`, { exact: true }).click();
      const topics = page.locator('.taxonomy > li');
      expect(await topics.last().textContent()).toContain(name);
      await actionsOf(name);
      await press(page, `Move ${name} up`);
      await topics.nth(-2).filter({ hasText: name }).waitFor();
      if (options.javaScript) {
        const last = (await topics.count()) - 1;
        const topic = topics.filter({ hasText: name });
        const grip = topic.locator('.grip').first();
        const before = await topics.allTextContents();
        await grip.hover();
        await page.mouse.down();
        for (let moves = 0; moves < 3; moves++)
          await topics.nth(last).hover({ position: { x: 40, y: 40 + moves } });
        await page.keyboard.press('Escape');
        await page.mouse.up();
        expect(await topics.allTextContents()).toEqual(before);
        await toNextPage(page, () =>
          grip.dragTo(topics.nth(last), { targetPosition: { x: 40, y: 40 } }),
        );
        await topics.nth(last).filter({ hasText: name }).waitFor();
      }

      await follow(page.getByRole('link', { name: `New category in ${name}` }));
      await page.getByLabel('Name').fill(`Chess ${mode}`);
      await look(page, 'category-new');
      await press(page, 'Add category');
      await actionsOf(`Chess ${mode}`);
      await follow(page.getByRole('link', { name: `Edit Chess ${mode}` }));
      await page.getByLabel('Name').fill(`Chess and Go ${mode}`);
      await press(page, 'Save');
      expect(await notice(page)).toBe(`The category “Chess and Go ${mode}” is saved.`);
      await look(page, 'topics-changed');
      const row = page.locator('.taxonomy li li', { hasText: `Chess and Go ${mode}` });
      await actionsOf(`Chess and Go ${mode}`);
      await row.getByRole('button', { name: 'Delete', exact: true }).click();
      await follow(row.getByRole('button', { name: 'Delete category' }));
      expect(await notice(page)).toBe(`The category “Chess and Go ${mode}” is deleted.`);
      expect(await row.count()).toBe(0);
    },
  );
});

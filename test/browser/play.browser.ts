import type { Page } from 'playwright-core';
import { makeQuiz, type MadeQuiz } from '../support/content';
import { questionBody } from '../support/samples';
import { inBrowser, inspect, MODES, startBrowsing, type Browsing } from './support/browser';

const SECRETS = [
  'The Danube flows through ten countries.',
  'Only these two are seas.',
  'It is a peninsula.',
  'The river gave the empire its grain.',
  'isCorrect',
];

const QUESTIONS = [
  questionBody({ explanation: SECRETS[0] }),
  questionBody({
    text: 'Which of these are seas?',
    explanation: SECRETS[1],
    answers: [
      { text: 'The Baltic', isCorrect: true },
      { text: 'The Adriatic', isCorrect: true },
      { text: 'The Balaton', isCorrect: false },
      { text: 'The Ladoga', isCorrect: false },
    ],
  }),
  questionBody({
    text: 'Italy is an island.',
    type: 'TRUE_FALSE',
    explanation: SECRETS[2],
    answers: [
      { text: 'True', isCorrect: false },
      { text: 'False', isCorrect: true },
    ],
  }),
  questionBody({
    text: 'Which river made Egypt?',
    type: 'OPEN_ENDED',
    explanation: SECRETS[3],
    answers: [
      { text: 'Nile', isCorrect: true },
      { text: 'The Nile', isCorrect: true },
    ],
  }),
];

inBrowser('playing in a browser', () => {
  let browsing: Browsing;
  let quiz: MadeQuiz;
  let path: string;

  beforeAll(async () => {
    browsing = await startBrowsing();
    const owner = await browsing.member('pro', { isAdmin: true });
    const { id, ...made } = await makeQuiz(owner, { title: 'Waters of Europe' }, QUESTIONS);
    quiz = { id, ...made };
    path = `/play/waters-of-europe`;
  });
  afterAll(() => browsing.close());

  const press = async (page: Page, name: string) => {
    await page.getByRole('button', { name, exact: true }).click();
    await page.waitForLoadState();
  };
  const silent = async (page: Page) => {
    const html = await page.content();
    for (const secret of SECRETS) expect(html).not.toContain(secret);
  };
  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent();

  test.each(MODES)('%s: a quiz is played to its end', async (mode, options) => {
    const { page, go } = await browsing.visitor(null, options);
    const look = (name: string) => (options.javaScript ? inspect(page, name) : Promise.resolve());
    await go(path);
    expect(await heading(page)).toBe('Waters of Europe');
    await look('play-start');
    await page.getByLabel('Your name').fill(`Ada ${mode}`);
    await press(page, 'Start');

    await silent(page);
    expect(await heading(page)).toBe('Which river flows through Vienna?');
    await press(page, 'Next');
    expect(await page.getByRole('alert').textContent()).toContain('Choose an answer');
    await look('play-refused');
    await page.getByLabel('The Danube').check();
    await look('play-question');
    await press(page, 'Next');

    await silent(page);
    expect(await page.getByText('Choose all that apply.').isVisible()).toBe(true);
    await page.getByLabel('The Baltic').check();
    await page.getByLabel('The Adriatic').check();
    await look('play-several');
    await press(page, 'Next');

    expect(await page.getByRole('radio').evaluateAll(labels)).toEqual(['True', 'False']);
    await page.getByRole('radio', { name: 'True' }).check();
    await press(page, 'Next');

    await silent(page);
    await page.getByRole('textbox').fill('nile');
    await look('play-typing');
    await press(page, 'Finish');

    expect(await heading(page)).toBe('Well played!');
    expect(await page.getByText(`Ada ${mode}, you got 3 of 4 right`).isVisible()).toBe(true);
    expect(await page.getByText('It is a peninsula.').isVisible()).toBe(true);
    const mine = page.getByRole('row', { name: /you/ });
    expect(await mine.textContent()).toContain(`Ada ${mode}`);
    await look('play-result');

    await press(page, 'Play again');
    expect(await heading(page)).toBe('Which river flows through Vienna?');
    expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
  });

  test('a quiz can be played with the keyboard: digits, arrows and Enter', async () => {
    const { page, go } = await browsing.visitor();
    await go(path);
    await press(page, 'Start');
    const next = async (question: string) => {
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: question }).waitFor();
    };
    const checked = () => page.locator('input:checked').evaluateAll(labels);
    const shown = await page.getByRole('radio').evaluateAll(labels);
    await page.keyboard.press('1');
    expect(await checked()).toEqual([shown[0]]);
    await page.keyboard.press('ArrowDown');
    expect(await checked()).toEqual([shown[1]]);
    await page.keyboard.press('3');
    expect(await checked()).toEqual([shown[2]]);
    await next('Which of these are seas?');

    const boxes = await page.getByRole('checkbox').evaluateAll(labels);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await page.keyboard.press('3');
    expect(await checked()).toEqual([boxes[0], boxes[2]]);
    await page.keyboard.press('3');
    await page.keyboard.press('2');
    expect(await checked()).toEqual([boxes[0], boxes[1]]);
    await next('Italy is an island.');

    await page.keyboard.press('2');
    await next('Which river made Egypt?');
    await page.keyboard.type('1 Nile');
    expect(await page.getByRole('textbox').inputValue()).toBe('1 Nile');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Leaderboard' }).waitFor();
    expect(await page.getByRole('row', { name: /you/ }).count()).toBe(1);
  });

  test('a quiz can be played with taps on a phone, and no correct answer is sent before the end', async () => {
    const { page, go } = await browsing.visitor(null, { phone: true });
    const received: Promise<string>[] = [];
    page.on('response', (response) => {
      // A redirect has no body.
      if (response.status() < 300) received.push(response.text());
    });
    const tap = async (name: string, next: string) => {
      const button = page.getByRole('button', { name, exact: true });
      const { y = 0, height = 0 } = (await button.boundingBox()) ?? {};
      // Under the thumb: nobody has to scroll for it.
      expect(y + height).toBeLessThanOrEqual(720);
      expect(height).toBeGreaterThanOrEqual(44);
      await button.tap();
      await page.getByRole('heading', { level: 1, name: next }).waitFor();
    };
    await go(path);
    await page.getByRole('button', { name: 'Start' }).scrollIntoViewIfNeeded();
    await tap('Start', 'Which river flows through Vienna?');
    await page.getByLabel('The Danube').tap();
    await tap('Next', 'Which of these are seas?');
    await page.getByLabel('The Baltic').tap();
    await page.getByLabel('The Ladoga').tap();
    await page.getByLabel('The Ladoga').tap();
    await page.getByLabel('The Adriatic').tap();
    await tap('Next', 'Italy is an island.');
    await page.getByRole('radio', { name: 'False' }).tap();
    await tap('Next', 'Which river made Egypt?');
    const before = await Promise.all(received);
    expect(before.length).toBeGreaterThan(4);
    for (const secret of [...SECRETS, 'Nile'])
      expect(before.filter((text) => text.includes(secret))).toEqual([]);
    await page.getByRole('textbox').fill('the nile');
    await tap('Finish', 'All of them right!');
  });

  test.each(MODES)(
    '%s: a player who chose it sees each correct answer after answering, and not before',
    async (_, options) => {
      const { page, go } = await browsing.visitor(null, options);
      const look = (name: string) => (options.javaScript ? inspect(page, name) : Promise.resolve());
      await go(path);
      await page.getByLabel('Show the answer after each question').check();
      await press(page, 'Start');
      await silent(page);
      await page.getByLabel('The Rhine').check();
      await press(page, 'Next');
      expect(await page.getByRole('status').textContent()).toBe('Not quite.');
      expect(await page.getByText(SECRETS[0] ?? '').isVisible()).toBe(true);
      await look('play-told');
      // Going back does not help: the first answer counts.
      await page.goBack();
      await page.reload();
      expect(await page.getByRole('radio').count()).toBe(0);
      await page.getByRole('link', { name: 'Next' }).click();
      await silent(page);
      for (const question of ['Which of these are seas?', 'Italy is an island.']) {
        expect(await heading(page)).toBe(question);
        await page.getByRole('link', { name: 'Skip' }).click();
      }
      await page.getByRole('textbox').fill('nile');
      await press(page, 'Next');
      expect(await page.getByRole('status').textContent()).toBe('Right!');
      await look('play-told-typed');
      await page.getByRole('link', { name: 'Next' }).click();
      expect(await heading(page)).toBe('2 questions left');
      await look('play-open');
      await silent(page);
      await press(page, 'Finish now');
      expect(await page.getByText('you got 1 of 4 right').isVisible()).toBe(true);
      expect(await page.getByText('You left this one out.').count()).toBe(2);
    },
  );

  test('right-to-left questions and answers are aligned to the right', async () => {
    const owner = await browsing.member('pro', { isAdmin: true });
    const answers = ['باريس', 'لندن'].map((text, n) => ({ text, isCorrect: n === 0 }));
    const question = questionBody({ text: 'ما هي عاصمة فرنسا؟', answers });
    await makeQuiz(owner, { title: 'Right to left' }, [question]);
    const { page, go } = await browsing.visitor();
    await go('/play/right-to-left');
    await press(page, 'Start');
    const gap = await page.evaluate(`(() => {
      const text = document.createRange();
      text.selectNodeContents(document.querySelector('h1'));
      const right = (of) => of.getBoundingClientRect().right;
      return right(document.querySelector('fieldset')) - right(text);
    })()`);
    expect(Math.abs(gap as number)).toBeLessThan(2);
  });

  test('an attempt continues where it was left, in the same browser only', async () => {
    const { page, go, context } = await browsing.visitor();
    await go(path);
    await page.getByLabel('Your name').fill('Grace');
    await press(page, 'Start');
    await page.getByLabel('The Elbe').check();
    await press(page, 'Next');
    const address = page.url();
    await go(path);
    await inspect(page, 'play-go-on');
    await page.getByRole('link', { name: 'Continue where you left off' }).click();
    expect(page.url()).toBe(address);
    await page.getByRole('link', { name: 'Back' }).click();
    expect(await page.locator('input:checked').evaluateAll(labels)).toEqual(['The Elbe']);
    for (const { httpOnly, sameSite, path: scope, value } of await context.cookies()) {
      expect([httpOnly, sameSite, scope.startsWith('/play')]).toEqual([true, 'Lax', true]);
      expect(value).not.toContain('Grace');
    }
    const other = await browsing.visitor();
    await other.page.goto(address);
    expect(other.page.url()).toBe(browsing.service.url + path);
    expect(await other.page.getByText('You have already started this quiz').count()).toBe(0);
    await other.go('/play/no-such-quiz');
    expect(await heading(other.page)).toBe('Page not found');
    await inspect(other.page, 'play-not-found');
  });

  test('plays from one network count once a day', async () => {
    const [{ n }] = await browsing.service.database.query<[{ n: string }]>(
      `SELECT count(*) AS n FROM quiz_attempts WHERE quiz_id = $1 AND submitted_at IS NOT NULL`,
      [quiz.id],
    );
    const { page, go } = await browsing.visitor();
    await go(path);
    expect(Number(n)).toBeGreaterThan(3);
    expect(await page.getByText('played 1 time').isVisible()).toBe(true);
    expect(await page.getByRole('row', { name: /you/ }).count()).toBe(0);
  });
});

/** Runs in the page: the words beside inputs. */
const labels = (inputs: unknown[]): (string | undefined)[] =>
  (inputs as { closest(of: string): { querySelector(of: string): { textContent: string } } }[]).map(
    (input) => input.closest('label').querySelector('span').textContent,
  );

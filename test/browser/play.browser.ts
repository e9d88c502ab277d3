import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/clock';
import { makeQuiz } from '../support/content';
import { questionBodies, questionBody } from '../support/samples';
import {
  type Browsing,
  follow,
  inBrowser,
  inspect,
  layoutShift,
  MODES,
  startBrowsing,
  toNextPage,
} from './support/browser';

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

const opacityOf = (element: Locator) => element.evaluate((it) => getComputedStyle(it).opacity);

inBrowser('playing in a browser', () => {
  let browsing: Browsing;
  const path = '/play/waters-of-europe';

  beforeAll(async () => {
    browsing = await startBrowsing();
    const owner = await browsing.member('pro', { isAdmin: true });
    await makeQuiz(owner, { title: 'Waters of Europe' }, QUESTIONS);
  });
  afterAll(() => browsing.close());

  const press = (page: Page, name: string) =>
    follow(page.getByRole('button', { name, exact: true }));
  const silent = async (page: Page) => {
    const html = await page.content();
    for (const secret of SECRETS) expect(html).not.toContain(secret);
  };
  /** One tap answers a question with one correct answer. */
  const choose = async (page: Page, name: string, next: string) => {
    await press(page, name);
    await page.getByRole('heading', { level: 1, name: next }).waitFor();
  };
  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent();

  test.each(MODES)('%s: a quiz is played to its end', async (mode, options) => {
    const { page, go } = await browsing.visitor(null, options);
    const look = (name: string) => (options.javaScript ? inspect(page, name) : Promise.resolve());
    await go(path);
    expect(await heading(page)).toBe('Waters of Europe');
    await look('play-start');
    await page.getByLabel('Your name').fill(`Ada ${mode}`);
    await page.getByLabel('Show the answer after each question').uncheck();
    await press(page, 'Start');

    await silent(page);
    expect(await heading(page)).toBe('Which river flows through Vienna?');
    await look('play-question');
    await choose(page, 'The Danube', 'Which of these are seas?');

    await silent(page);
    await press(page, 'Next');
    expect(await page.getByRole('alert').textContent()).toContain('Choose an answer');
    expect(await page.title()).toMatch(/^Error: Question 2 of 4/);
    await look('play-refused');
    expect(await page.getByText('Choose all that apply.').isVisible()).toBe(true);
    await page.getByLabel('The Baltic').check();
    await page.getByLabel('The Adriatic').check();
    await look('play-several');
    await press(page, 'Next');

    expect(await page.locator('button.option > span').allTextContents()).toEqual(['True', 'False']);
    await choose(page, 'True', 'Which river made Egypt?');

    await silent(page);
    await page.getByRole('textbox').fill('nile');
    await look('play-typing');
    await press(page, 'Finish');

    expect(await heading(page)).toBe('Well played!');
    expect(await page.getByText(`Ada ${mode}, you got 3 of 4 correct`).isVisible()).toBe(true);
    expect(await page.getByText('It is a peninsula.').isVisible()).toBe(true);
    const mine = page.getByRole('row', { name: /you/ });
    expect(await mine.textContent()).toContain(`Ada ${mode}`);
    await look('play-result');

    await press(page, 'Play again');
    expect(await heading(page)).toBe('Which river flows through Vienna?');
    expect(await page.locator('[aria-pressed]').count()).toBe(0);
    await go(path);
    expect(await page.getByLabel('Your name').inputValue()).toBe(`Ada ${mode}`);
  });

  test('a quiz can be played with the keyboard: digits, arrows and Enter', async () => {
    const { page, go } = await browsing.visitor();
    await go(path);
    await press(page, 'Start');
    const next = async (question: string) => {
      await toNextPage(page, () => page.keyboard.press('Enter'));
      await page.getByRole('heading', { name: question }).waitFor();
    };
    const checked = () => page.locator('input:checked').evaluateAll(labels);
    await page.getByRole('heading', { name: 'Which river flows through Vienna?' }).waitFor();
    const shown = await page.locator('button.option > span').allTextContents();
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const focused = page.locator('button.option:focus > span');
    expect(await focused.textContent()).toBe(shown[1]);
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

    await toNextPage(page, () => page.keyboard.press('2'));
    await page.getByRole('heading', { name: 'Which river made Egypt?' }).waitFor();
    await page.getByRole('textbox').focus();
    await page.keyboard.type('1 Nile');
    expect(await page.getByRole('textbox').inputValue()).toBe('1 Nile');
    await toNextPage(page, () => page.keyboard.press('Enter'));
    await page.getByRole('heading', { name: 'Leaderboard' }).waitFor();
    expect(await page.getByRole('row', { name: /you/ }).count()).toBe(1);
  });

  test('a digit that is held answers one question, and not the next one unread', async () => {
    const { page, go } = await browsing.visitor();
    await go(path);
    await page.getByLabel('Show the answer').uncheck();
    await press(page, 'Start');
    await toNextPage(page, () => page.keyboard.down('1'));
    await page.getByRole('heading', { name: 'Which of these are seas?' }).waitFor();
    const checked = page.locator('input:checked');
    // As long as it is down, it repeats.
    await page.keyboard.down('1');
    expect(await checked.count()).toBe(0);
    await page.keyboard.up('1');
    await page.keyboard.press('1');
    expect(await checked.count()).toBe(1);
  });

  test('an answer that is given offline leads nowhere, and is given again on the same page', async () => {
    for (const isRevealed of [true, false]) {
      const { page, context } = await browsing.visitor(null, { phone: true });
      // Not the browser's own host, which forms of the dashboard are sent to also offline.
      await page.goto(browsing.service.url.replace('127.0.0.1', 'quiz.localhost') + path);
      await page.getByLabel('Show the answer').setChecked(isRevealed);
      await press(page, 'Start');
      await context.setOffline(true);
      await page.getByRole('button', { name: 'The Rhine', exact: true }).click();
      const offline = page.getByText('You are offline. Answer again when you are connected.');
      await offline.waitFor();
      // No answer was judged.
      expect(await offline.getAttribute('data-is')).toBeNull();
      await context.setOffline(false);
      await choose(page, 'The Danube', 'Which of these are seas?');
      expect(await page.locator('.last-verdict').count()).toBe(isRevealed ? 1 : 0);
    }
  });

  test('an answer without a response is not waited for longer than ten seconds, and is given again', async () => {
    for (const isRevealed of [true, false]) {
      const { page, context, go } = await browsing.visitor();
      // Time is real for the first: the signal of a request has no other.
      if (!isRevealed) await page.clock.install();
      await go(path);
      await page.getByLabel('Show the answer').setChecked(isRevealed);
      await press(page, 'Start');
      const sent = page.waitForRequest((request) => request.method() === 'POST');
      const neverAnswered = () => {};
      await page.route(page.url(), neverAnswered, { times: 1 });
      const rhine = page.getByRole('button', { name: 'The Rhine', exact: true });
      await rhine.click({ noWaitAfter: true });
      await sent;
      if (isRevealed) {
        await page.getByText('The quiz cannot be reached.').waitFor({ timeout: 15_000 });
      } else {
        // The browser's button.
        await (await context.newCDPSession(page)).send('Page.stopLoading');
        await page.clock.runFor(10_000);
      }
      await choose(page, 'The Danube', 'Which of these are seas?');
    }
  });

  test('a report is written with the keyboard: arrows choose a reason, and Enter begins a line', async () => {
    const { page, go } = await browsing.visitor();
    await go(path);
    await press(page, 'Start');
    await choose(page, 'The Rhine', 'Which of these are seas?');
    await follow(page.getByRole('link', { name: 'Back' }));
    await page.getByText('Report a problem').click();
    const reason = page.getByLabel('What is wrong?');
    // The browser opens the section after the click: until then nothing in it takes the focus.
    await reason.waitFor();
    const before = await reason.inputValue();
    await reason.focus();
    await page.keyboard.press('ArrowDown');
    await eventually(async () => expect(await reason.inputValue()).not.toBe(before));
    const details = page.getByLabel('Details (optional)');
    await details.focus();
    await page.keyboard.type('One');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Two');
    expect(await details.inputValue()).toBe('One\nTwo');
    await press(page, 'Send report');
    await page.getByText('Thank you. The author sees your report.').waitFor();
  });

  test('a quiz can be played with taps on a phone, and no correct answer is sent before the end', async () => {
    const { page, go } = await browsing.visitor(null, { phone: true });
    const received: Promise<string>[] = [];
    page.on('response', (response) => {
      // A redirect has no body, and the font comes when the next page may already be there.
      const isFont = response.request().resourceType() === 'font';
      if (response.status() < 300 && !isFont) received.push(response.text());
    });
    const tap = async (name: string, next: string) => {
      const button = page.getByRole('button', { name, exact: true });
      const { y = 0, height = 0 } = (await button.boundingBox()) ?? {};
      // Under the thumb: nobody has to scroll for it.
      expect(y + height).toBeLessThanOrEqual(720);
      expect(height).toBeGreaterThanOrEqual(44);
      await toNextPage(page, () => button.tap());
      await page.getByRole('heading', { level: 1, name: next }).waitFor();
    };
    await go(path);
    await page.getByRole('button', { name: 'Start' }).scrollIntoViewIfNeeded();
    await page.getByLabel('Show the answer after each question').uncheck();
    await tap('Start', 'Which river flows through Vienna?');
    await tap('The Danube', 'Which of these are seas?');
    await page.getByLabel('The Baltic').tap();
    await page.getByLabel('The Ladoga').tap();
    await page.getByLabel('The Ladoga').tap();
    await page.getByLabel('The Adriatic').tap();
    await tap('Next', 'Italy is an island.');
    await tap('False', 'Which river made Egypt?');
    const before = await Promise.all(received);
    expect(before.length).toBeGreaterThan(4);
    for (const secret of [...SECRETS, 'Nile'])
      expect(before.filter((text) => text.includes(secret))).toEqual([]);
    await page.getByRole('textbox').fill('the nile');
    await tap('Finish', 'All correct!');
  });

  test.each(MODES)(
    '%s: the page of the next question tells whether the last answer was correct, and nothing else',
    async (_, options) => {
      const { page, go } = await browsing.visitor(null, options);
      const look = (name: string) => (options.javaScript ? inspect(page, name) : Promise.resolve());
      const verdict = page.locator('.last-verdict');
      await go(path);
      await press(page, 'Start');
      await silent(page);
      await page.getByRole('button', { name: 'The Rhine', exact: true }).click();
      if (options.javaScript) {
        // In place first: the chosen option and the correct one.
        // Read at once, since the next page comes soon.
        const shown = page.locator('form:has([data-is=wrong])').evaluate((form) => {
          const marked = ['wrong', 'correct'].map((is) => {
            const option = form.querySelector(`.option[data-is=${is}]`)!;
            const { content } = getComputedStyle(option, '::after');
            return [option.querySelector('span')!.textContent, content];
          });
          return [...marked, form.querySelector('[role=status]')!.textContent];
        });
        expect(await shown).toEqual([['The Rhine', '"✗"'], ['The Danube', '"✓"'], 'Not quite.']);
      }
      await page.getByRole('heading', { level: 1, name: 'Which of these are seas?' }).waitFor();
      await page.waitForLoadState();
      expect(await verdict.textContent()).toContain('Not quite. Correct answer: The Danube');
      expect(await verdict.textContent()).toContain(SECRETS[0]);
      expect(await page.title()).toMatch(/^Not quite. Question 2 of 4/);
      if (options.javaScript) await page.locator('#last-verdict:focus').waitFor();
      for (const secret of SECRETS.slice(1)) expect(await page.content()).not.toContain(secret);
      await look('play-told');
      // An empty answer is refused; the verdict on the question before it does not stand there as if it were its own.
      await press(page, 'Next');
      expect(await page.getByRole('alert').textContent()).toContain('Choose an answer');
      expect(await page.getByText('Not quite.').count()).toBe(0);
      // Going back does not help: the first answer counts.
      await follow(page.getByRole('link', { name: 'Back' }));
      expect(await page.locator('button.option').count()).toBe(0);
      await follow(page.getByRole('link', { name: 'Next' }));
      await silent(page);
      await page.getByLabel('The Baltic').check();
      await page.getByLabel('The Ladoga').check();
      await press(page, 'Next');
      await page.getByRole('heading', { level: 1, name: 'Italy is an island.' }).waitFor();
      expect(await verdict.textContent()).toContain(
        'you chose 1 of 2 correct answers and 1 wrong one',
      );
      await look('play-told-partly');
      await follow(page.getByRole('link', { name: 'Skip' }));
      await page.getByRole('textbox').fill('nile');
      await press(page, 'Next');
      await page.getByRole('heading', { level: 1, name: '1 question left' }).waitFor();
      expect(await verdict.textContent()).toContain('Correct!');
      await look('play-open');
      await press(page, 'Finish now');
      expect(await page.getByText('you got 1 of 4 correct').isVisible()).toBe(true);
      expect(await page.getByText('You left this one out.').count()).toBe(1);
    },
  );

  test.each(MODES)(
    '%s: a quiz of 12 questions with one correct answer each takes 13 taps, feedback included',
    async (mode, options) => {
      const owner = await browsing.member('pro', { isAdmin: true });
      const questions = questionBodies(12);
      await makeQuiz(owner, { title: `Twelve ${mode}` }, questions);
      const { page, go } = await browsing.visitor(null, { ...options, phone: true });
      await page.clock.install();
      await go(`/play/twelve-${mode.toLowerCase().replaceAll(' ', '-')}`);
      let taps = 0;
      const tap = async (button: Locator) => {
        taps++;
        await button.tap();
      };
      await tap(page.getByRole('button', { name: 'Start' }));
      for (const [index] of questions.entries()) {
        await page.getByText(`${index + 1} of 12`, { exact: true }).waitFor();
        await page.waitForLoadState();
        if (index > 0) expect(await page.locator('.last-verdict').isVisible()).toBe(true);
        await tap(page.locator('button.option').nth(index % 2));
        if (!options.javaScript) continue;
        // Longer than the verdict is shown before the next question.
        await page.locator('.option[data-is=correct]').waitFor();
        // The verdict on the question before is no longer seen beside that on this one.
        if (index > 0) expect(await opacityOf(page.locator('.last-verdict'))).toBe('0');
        await page.clock.fastForward(2_000);
      }
      await page.getByText(/you got \d+ of 12 correct/).waitFor();
      expect(taps).toBe(13);
      if (options.javaScript) await inspect(page, 'play-twelve');
    },
  );

  test.each(MODES)(
    '%s: an author has attempts draw questions and accepts typing errors, and a player gets both',
    async (mode, options) => {
      const owner = await browsing.member('pro', { isAdmin: true });
      const answers = [
        { text: 'Canberra', isCorrect: true },
        { text: 'The city of Canberra', isCorrect: true },
      ];
      const title = `Capitals ${mode}`;
      const { id } = await makeQuiz(owner, { title }, [
        questionBody({ text: 'The capital of Australia?', type: 'OPEN_ENDED', answers }),
        questionBody({ text: 'Where is its parliament?', type: 'OPEN_ENDED', answers }),
      ]);
      const writer = await browsing.visitor(owner, options);
      await writer.go(`/dashboard/quizzes/${id}/edit`);
      await writer.page.locator('summary', { hasText: 'Settings' }).click();
      await writer.page.getByLabel('Questions per attempt').fill('3');
      await writer.page.getByLabel(/typing error/i).check();
      await press(writer.page, 'Save');
      await writer.page
        .getByText('Questions per attempt can be at most 2: the quiz has 2 questions.')
        .first()
        .waitFor();
      if (options.javaScript) await inspect(writer.page, 'quiz-edit-draw-refused');
      await writer.page.getByLabel('Questions per attempt').fill('1');
      await press(writer.page, 'Save');
      await writer.page.getByText('1 question per attempt').waitFor();
      await writer.page.getByText('typing errors accepted').waitFor();

      const { page, go } = await browsing.visitor(null, options);
      await go(`/play/${title.toLowerCase().replaceAll(' ', '-')}`);
      await page.getByText('1 question', { exact: true }).waitFor();
      await press(page, 'Start');
      await page.getByRole('textbox').fill('Canbera');
      await page.keyboard.press('Enter');
      await page.getByText(/you got 1 of 1 correct/).waitFor();
      await page.locator('summary', { hasText: '1. ' }).click();
      await page.getByText('Spelling: Canberra').last().waitFor();
      if (options.javaScript) await inspect(page, 'play-typing-error');
    },
  );

  test('the countdown is announced, and at its end sends what is typed and ends the attempt', async () => {
    const owner = await browsing.member('pro', { isAdmin: true });
    await makeQuiz(owner, { title: 'Timed', timeLimit: 360, maxAttempts: 1 }, QUESTIONS);
    const { page, go } = await browsing.visitor();
    await page.clock.install();
    const pass = async (seconds: number) => {
      browsing.service.clock.advance(seconds * 1_000);
      await page.clock.fastForward(seconds * 1_000);
    };
    await go('/play/timed');
    await page.getByText('time limit 6 min').waitFor();
    await page.getByText('1 try', { exact: true }).waitFor();
    await inspect(page, 'play-timed-start');
    await page.getByLabel('Show the answer after each question').uncheck();
    await press(page, 'Start');
    const timer = page.getByRole('timer');
    const said = page.locator('.player-timer [role=status]');
    await expect(timer.textContent()).resolves.toMatch(/^(6:00|5:5\d) left$/);
    await inspect(page, 'play-timed-question');
    expect(await said.textContent()).toBe('');
    await pass(65);
    await page.getByText('5 minutes left').waitFor();
    await choose(page, 'The Danube', 'Which of these are seas?');
    expect(await timer.textContent()).toMatch(/^4:[45]\d left$/);
    await page.getByLabel('The Baltic').check();
    await page.getByLabel('The Adriatic').check();
    await pass(290);
    await page.getByText('you got 2 of 4 correct in 6 min. Your time was up.').waitFor();
    await page.getByText('No tries left.').waitFor();
    await inspect(page, 'play-timed-result');
    await go('/play/timed');
    await page.getByText('Your best result is 2 of 4.').waitFor();
    expect(await page.getByRole('button', { name: 'Start' }).count()).toBe(0);
    await inspect(page, 'play-no-tries');
  });

  test('a question that comes after the end of the time ends the attempt by itself', async () => {
    const owner = await browsing.member('pro', { isAdmin: true });
    await makeQuiz(owner, { title: 'Late', timeLimit: 60 }, QUESTIONS);
    const { page, go } = await browsing.visitor();
    await go('/play/late');
    await press(page, 'Start');
    await page.getByRole('timer').waitFor();
    browsing.service.clock.advance(61_000);
    await page.locator('button.option').first().click();
    await page.getByText('Your time was up.').waitFor();
  });

  test("the first visit to a player's page transfers at most 30 kB and the font, and nothing moves when it is there", async () => {
    const { page, go, context } = await browsing.visitor();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    const fonts = new Set<string>();
    const bytes = { font: 0, other: 0 };
    session.on('Network.responseReceived', ({ requestId, type }) => {
      if (type === 'Font') fonts.add(requestId);
    });
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      bytes[fonts.has(requestId) ? 'font' : 'other'] += encodedDataLength;
    });
    await go(path);
    await page.waitForLoadState('networkidle');
    expect(await page.evaluate("document.fonts.check('1rem Inter Variable')")).toBe(true);
    expect(fonts.size).toBe(1);
    expect(bytes.other).toBeGreaterThan(10_000);
    expect(bytes.other).toBeLessThanOrEqual(30_000);
    expect(bytes.font).toBeGreaterThan(10_000);
    expect(bytes.font + bytes.other).toBeLessThanOrEqual(90_000);
    expect(await layoutShift(page)).toBeLessThan(0.01);
  });

  test('an owner previews a draft and shares it by a link with a QR code that others can play', async () => {
    const owner = await browsing.member('pro');
    const made = await makeQuiz(owner, { title: 'Class test', published: false }, QUESTIONS);
    const { page, go } = await browsing.visitor(owner);
    await go(`/dashboard/quizzes/${made.id}`);
    await follow(page.getByRole('link', { name: 'Preview' }));
    await page.getByRole('heading', { level: 1, name: 'Class test' }).waitFor();
    await page.getByText('This is a preview').waitFor();
    await inspect(page, 'preview-start');
    await press(page, 'Start');
    await choose(page, 'The Danube', 'Which of these are seas?');
    await inspect(page, 'preview-question');
    await follow(page.getByRole('link', { name: 'Back to the quiz' }));
    await follow(page.getByRole('link', { name: 'Share and print' }));
    await page.getByLabel('Closes at (Europe/Vienna)').fill('2099-01-01T12:00');
    await press(page, 'Create a link');
    await page.getByText(': January 1, 2099 at 12:00 PM (Europe/Vienna).').waitFor();
    const [link] = (await owner.get(`/quizzes/${made.id}/links`).expect(200)).body.data;
    expect(link.closesAt).toBe('2099-01-01T11:00:00.000Z');
    await inspect(page, 'share');
    const address = (await page.getByLabel('Unlisted link').locator('code').textContent()) ?? '';
    expect(await page.getByRole('img', { name: `QR code of ${address}` }).isVisible()).toBe(true);
    const pupil = await browsing.visitor(null, { phone: true });
    await pupil.page.goto(address);
    expect(await heading(pupil.page)).toBe('Class test');
    await inspect(pupil.page, 'link-start');
    await follow(page.getByRole('link', { name: 'Answer key A' }));
    await page.getByText('Answer key').waitFor();
    await inspect(page, 'answer-key');
    await follow(page.getByRole('link', { name: 'Back' }));
    await follow(page.getByRole('link', { name: 'Worksheet B' }));
    await page.getByText('Name: ').waitFor();
    await inspect(page, 'worksheet');
    await follow(page.getByRole('link', { name: 'Back' }));
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await press(page, 'Revoke link');
    await pupil.page.goto(address);
    expect(await heading(pupil.page)).toBe('Page not found');

    const attempt = await owner.post(`/quizzes/${made.id}/attempts`, { player: 'Ada' }).expect(201);
    const id = (attempt.body as { data: { id: string } }).data.id;
    const given = {
      questionId: made.questions[0]?.id,
      answerIds: [made.questions[0]?.answers[0]?.id],
    };
    await owner.post(`/attempts/${id}/answers`, given).expect(200);
    await owner.post(`/attempts/${id}/submit`, {}).expect(200);
    await go('/dashboard');
    await follow(page.getByRole('link', { name: 'Class test' }).last());
    await page.getByText('average time').waitFor();
    await inspect(page, 'results');
    await follow(page.getByRole('link', { name: 'Ada' }));
    await inspect(page, 'results-attempt');
  });

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
    await page.getByLabel('Show the answer after each question').uncheck();
    await press(page, 'Start');
    await choose(page, 'The Elbe', 'Which of these are seas?');
    const [address = ''] = page.url().split('?');
    await go(path);
    await inspect(page, 'play-go-on');
    await follow(page.getByRole('link', { name: 'Continue where you left off' }));
    expect(page.url()).toBe(address);
    await follow(page.getByRole('link', { name: 'Back' }));
    expect(await page.locator('[aria-pressed] > span').textContent()).toBe('The Elbe');
    const cookies = await context.cookies();
    expect(cookies.map(({ name }) => name)).toContain('quiz_name');
    for (const { httpOnly, sameSite, path: scope, name, value } of cookies) {
      expect([httpOnly, sameSite, scope.startsWith('/play')]).toEqual([true, 'Lax', true]);
      expect(value.includes('Grace')).toBe(name === 'quiz_name');
    }
    const other = await browsing.visitor();
    await other.page.goto(address);
    expect(other.page.url()).toBe(`${browsing.service.url}${path}?gone=cookies`);
    await other.page.getByText('This attempt was started in another browser').waitFor();
    await inspect(other.page, 'play-led-back');
    expect(await other.page.getByText('Continue where you left off').count()).toBe(0);
    await other.go('/play/no-such-quiz');
    expect(await heading(other.page)).toBe('Page not found');
    await inspect(other.page, 'play-not-found');
  });

  test('two plays from one network within a day count as one', async () => {
    const owner = await browsing.member('pro', { isAdmin: true });
    await makeQuiz(owner, { title: 'Played' }, QUESTIONS.slice(0, 1));
    for (let player = 0; player < 2; player++) {
      const { page, go } = await browsing.visitor();
      await go('/play/played');
      await page.getByLabel('Show the answer after each question').uncheck();
      await press(page, 'Start');
      await choose(page, 'The Danube', 'All correct!');
    }
    const { page, go } = await browsing.visitor();
    await go('/play/played');
    await page.getByText('played 1 time').waitFor();
    expect(await page.getByRole('row', { name: /you/ }).count()).toBe(0);
  });
});

/** Runs in the page: the words beside inputs. */
const labels = (inputs: unknown[]): (string | undefined)[] =>
  (inputs as { closest(of: string): { querySelector(of: string): { textContent: string } } }[]).map(
    (input) => input.closest('label').querySelector('span').textContent,
  );

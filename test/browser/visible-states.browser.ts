import { type MadeQuiz, makeQuiz } from '../support/content';
import { questionBody } from '../support/samples';
import type { TestAccount } from '../support/service';
import { type Browsing, follow, inBrowser, startBrowsing, type Visitor } from './support/browser';
import { pixelsChanged } from './support/pixels';

const QUESTIONS = [
  questionBody(),
  questionBody({
    text: 'Which of these are seas?',
    answers: [
      { text: 'The Baltic', isCorrect: true },
      { text: 'The Adriatic', isCorrect: true },
      { text: 'The Balaton', isCorrect: false },
    ],
  }),
];

/** States that every functional test passes although a person may not see them. */
inBrowser('visible states of controls', () => {
  let browsing: Browsing;
  let author: TestAccount;
  let quiz: MadeQuiz;
  beforeAll(async () => {
    browsing = await startBrowsing();
    author = await browsing.member('pro', { isAdmin: true });
    quiz = await makeQuiz(author, { title: 'Waters of Europe' }, QUESTIONS);
  });
  afterAll(() => browsing.close());

  describe.each(['light', 'dark'] as const)('visible states in the %s theme', (colorScheme) => {
    let visitor: Visitor;
    beforeAll(async () => {
      visitor = await browsing.visitor(author);
      await visitor.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    });
    afterAll(() => visitor.context.close());

    const blur = () =>
      visitor.page
        .evaluate('document.activeElement?.blur()')
        .then(() => visitor.page.mouse.move(0, 0));
    /** Of a box that is first empty. */
    const ticked = async (label: string) => {
      const box = visitor.page.getByLabel(label, { exact: true });
      await blur();
      return pixelsChanged(box, async () => {
        await box.check();
        await blur();
      });
    };

    test('a ticked box of the question form differs from an empty one', async () => {
      await visitor.go(`/dashboard/quizzes/${quiz.id}/questions/new`);
      expect(await ticked('Answer 1 is correct')).toBeGreaterThan(20);
      await visitor.page.getByLabel('True or false').check();
      expect(await ticked('False is correct')).toBeGreaterThan(20);
    });

    test('the correct answer of a stored question is marked in its form and on the page of the quiz', async () => {
      await visitor.go(`/dashboard/quizzes/${quiz.id}/edit`);
      await visitor.page.locator('.fold > summary').first().click();
      // The script goes into the text that it opens, and scrolls there.
      await visitor.page.locator('.fold[open] textarea:focus').waitFor();
      const box = visitor.page.getByLabel('Answer 1 is correct', { exact: true }).first();
      await blur();
      expect(await pixelsChanged(box, () => box.uncheck().then(blur))).toBeGreaterThan(20);
      visitor.page.once('dialog', (dialog) => void dialog.accept());
      await visitor.go(`/dashboard/quizzes/${quiz.id}`);
      const mark = visitor.page.locator('.answers li[data-correct] .icon').first();
      const hide = () => mark.evaluate((it) => it.remove());
      expect(
        await pixelsChanged(visitor.page.locator('.answers li[data-correct]').first(), hide),
      ).toBeGreaterThan(20);
    });

    test('a ticked event of the webhook form differs from an unticked one', async () => {
      await visitor.go('/dashboard/webhooks/new');
      const box = visitor.page.getByRole('checkbox', { checked: false }).last();
      expect(await pixelsChanged(box, () => box.check().then(blur))).toBeGreaterThan(20);
    });

    test('a chosen answer of a quiz differs from the others, with one and with several correct answers', async () => {
      await visitor.go('/play/waters-of-europe');
      await visitor.page.getByLabel('Show the answer after each question').uncheck();
      await follow(visitor.page.getByRole('button', { name: 'Start' }));
      const option = visitor.page.locator('button.option').first();
      await follow(option);
      const box = visitor.page.getByRole('checkbox').first();
      await blur();
      expect(await pixelsChanged(box, () => box.check().then(blur))).toBeGreaterThan(20);
      await follow(visitor.page.getByRole('link', { name: 'Back' }));
      await visitor.page.locator('button[aria-pressed]').waitFor();
      await blur();
      const deselect = () => option.evaluate((it) => it.removeAttribute('aria-pressed'));
      expect(await pixelsChanged(option, deselect, 1.02)).toBeGreaterThan(200);
    });

    test('of several chosen answers the correct ones differ from the wrong ones once the solution is shown', async () => {
      const { page, go } = visitor;
      await go('/play/waters-of-europe');
      await page.getByLabel('Show the answer after each question').check();
      await follow(page.getByRole('button', { name: 'Start' }));
      await follow(page.getByRole('link', { name: 'Skip' }));
      for (const box of await page.getByRole('checkbox').all()) await box.check();
      await page.getByRole('button', { name: 'Next' }).click();
      await page.waitForFunction(() => {
        const [correct, wrong] = ['correct', 'wrong'].map((is) =>
          document.querySelector(`.option[data-is="${is}"]:has(:checked)`),
        );
        const look = (option: Element) => getComputedStyle(option).backgroundColor;
        return correct && wrong && look(correct) !== look(wrong);
      });
    });

    test.each([
      ['a text field', 'textbox'],
      ['a choice', 'combobox'],
      ['a box to tick', 'checkbox'],
      ['a button', 'button'],
      ['a link', 'link'],
    ] as const)('%s with the focus differs from one without', async (_what, role) => {
      await visitor.go(`/dashboard/quizzes/${quiz.id}/questions/new`);
      await visitor.page.locator('main details').evaluateAll((all) => {
        for (const it of all) it.setAttribute('open', '');
      });
      const control = visitor.page.locator('main').getByRole(role).last();
      await visitor.page.keyboard.press('Tab');
      await blur();
      expect(await pixelsChanged(control, () => control.focus())).toBeGreaterThan(20);
    });

    test("the progress of a player's page differs from an empty one, also in forced colours", async () => {
      const { page, go } = visitor;
      await go('/play/waters-of-europe');
      await follow(page.getByRole('button', { name: /Start|Play again|Continue/ }).first());
      const progress = page.getByRole('progressbar');
      const shown = await progress.evaluate((it: HTMLProgressElement) => it.value);
      const show = (value: number) =>
        progress.evaluate((it: HTMLProgressElement, to) => (it.value = to), value);
      for (const forcedColors of ['none', 'active'] as const) {
        await page.emulateMedia({ forcedColors });
        expect(await pixelsChanged(progress, () => show(0), 3)).toBeGreaterThan(200);
        await show(shown);
        // Its whole length is seen, too.
        expect(
          await pixelsChanged(progress, () => progress.evaluate((it) => it.remove()), 1.02),
        ).toBeGreaterThan(200);
        await page.reload();
      }
      await page.emulateMedia({ forcedColors: 'none' });
    });

    test('the current page differs from the others in the side bar', async () => {
      await visitor.go('/dashboard/quizzes');
      const entry = visitor.page.locator('nav [aria-current]').first();
      const deselect = () => entry.evaluate((it) => it.removeAttribute('aria-current'));
      expect(await pixelsChanged(entry, deselect, 1.05)).toBeGreaterThan(200);
    });
  });
});

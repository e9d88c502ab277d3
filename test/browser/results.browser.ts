import type { Page } from 'playwright-core';
import { makeQuiz } from '../support/content';
import { questionBody } from '../support/samples';
import type { TestAccount } from '../support/service';
import { type Browsing, follow, inBrowser, inspect, startBrowsing } from './support/browser';

jest.setTimeout(180_000);

const CAPITALS = [
  ['Spain', 'Madrid', 'Barcelona', 'Seville'],
  ['Italy', 'Rome', 'Milan', 'Turin'],
  ['Norway', 'Oslo', 'Bergen', 'Trondheim'],
  ['Poland', 'Warsaw', 'Kraków', 'Gdańsk'],
  ['Portugal', 'Lisbon', 'Porto', 'Braga'],
  ['Austria', 'Vienna', 'Graz', 'Linz'],
  ['Australia', 'Canberra', 'Sydney', 'Perth'],
];
/** The last key is wrong. */
const QUESTIONS = CAPITALS.map(([country, ...cities], at) =>
  questionBody({
    text: `What is the capital of ${country}?`,
    answers: cities.map((text, city) => ({
      text,
      isCorrect: city === (at === CAPITALS.length - 1 ? 1 : 0),
    })),
  }),
);

inBrowser('results in a browser', () => {
  let browsing: Browsing;
  let teacher: TestAccount;
  beforeAll(async () => {
    browsing = await startBrowsing();
    teacher = await browsing.member('pro', { email: 'ada@example.com' });
  });
  afterAll(() => browsing.close());

  /** A class of 29: the first are the best, 19 know the capital of Australia, and 4 choose Sydney. */
  async function playedQuiz(title: string): Promise<string> {
    const { id, questions } = await makeQuiz(teacher, { title }, QUESTIONS);
    for (let pupil = 0; pupil < 30; pupil++) {
      const player = `Pupil ${pupil + 1}`;
      const { body } = await teacher.post(`/quizzes/${id}/attempts`, { player }).expect(201);
      const attempt = (body as { data: { id: string } }).data.id;
      for (const [at, { id: questionId, answers }] of questions.entries()) {
        if (pupil === 29 && at > 2) break;
        const knows = pupil < 8 + 3 * at;
        const other = 1 + ((pupil + at) % 2);
        const chosen =
          at < 6 ? (knows || pupil % 4 === 0 ? 0 : other) : pupil < 19 ? 0 : pupil < 23 ? 1 : 2;
        await teacher
          .post(`/attempts/${attempt}/answers`, { questionId, answerIds: [answers[chosen]?.id] })
          .expect(200);
      }
      if (pupil < 29) await teacher.post(`/attempts/${attempt}/submit`, {}).expect(200);
    }
    return id;
  }

  test.each([
    ['with a script', true],
    ['without a script', false],
  ])(
    '%s a wrong key is found and every score right in at most 6 clicks from the overview',
    async (_, javaScript) => {
      const title = `Capitals, ${javaScript}`;
      const id = await playedQuiz(title);
      const { page, go } = await browsing.visitor(teacher, { javaScript });
      const look = (name: string) => (javaScript ? inspect(page, name) : Promise.resolve());
      let clicks = 0;
      const clicked = (...of: Parameters<Page['getByRole']>) => {
        clicks++;
        return page.getByRole(...of).last();
      };
      await go('/dashboard');
      await page.getByText('19 of 29 players chose “Canberra”; 4 chose “Sydney”').first().waitFor();
      await look('overview-check-key');

      await follow(clicked('link', { name: title, exact: true }));
      await page.getByRole('heading', { name: 'Check the key of question 7' }).waitFor();
      await look('results-check-key');
      await page.getByText('1 started, not finished: Pupil 30').waitFor();
      await follow(clicked('link', { name: 'Fix and regrade question 7' }));
      const answer = (number: number) =>
        ['checkbox', { name: `Answer ${number} is correct` }] as const;
      await clicked(...answer(1)).click();
      await clicked(...answer(2)).click();
      await follow(clicked('button', { name: 'Save', exact: true }));
      await page.getByText('29 people have answered question 7').waitFor();
      await look('regrade');
      await follow(clicked('button', { name: 'Regrade their attempts' }));
      await page.getByText('29 attempts are scored again: 23 scores changed.').waitFor();
      expect(await page.getByText('Check the key').count()).toBe(0);
      await look('results-regraded');
      expect(clicks).toBeLessThanOrEqual(6);

      const { body } = await teacher.get(`/quizzes/${id}/attempts?limit=50`).expect(200);
      type Attempt = { score: number; answers: { correct: boolean }[] };
      const { data: attempts } = body as { data: Attempt[] };
      expect(attempts).toHaveLength(29);
      for (const { score, answers } of attempts)
        expect(score).toBe(answers.filter(({ correct }) => correct).length);
      const { body: statistics } = await teacher.get(`/quizzes/${id}/statistics`).expect(200);
      expect((statistics as { data: { questions: object[] } }).data.questions[6]).toMatchObject({
        attempts: 29,
        correct: 19,
        checkKey: null,
      });
    },
  );
});

import { newId } from '../../src/platform/text/ids';
import { drawnFor } from '../../src/play/attempts/attempt.rules';
import { addQuestions, type MadeQuiz, makeQuiz } from '../support/content';
import { signIn } from '../support/dashboard';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { cookieOf, hidden, Visitor, wordsOf } from '../support/visitor';
import { createQuiz, errorsIn } from '../support/writing';

interface Attempt {
  id: string;
  questions: { id: string; answers: { id: string }[] }[];
}

interface Statistics {
  attempts: number;
  averagePercent: number;
  questions: { questionId: string; attempts: number; correct: number; unanswered: number }[];
}

/** `questionsPerAttempt`: an attempt draws some of the questions of its quiz (docs/playing.md). */
describe('question pools', () => {
  let service: Service;
  let owner: TestAccount;
  let app: TestAccount;

  beforeAll(async () => {
    service = await startService();
    owner = await service.account('pro', { isAdmin: true });
    app = await service.account('free');
  });
  afterAll(() => service.close());

  const pool = (questions: number, questionsPerAttempt: number | null, more: object = {}) =>
    makeQuiz(owner, { ...more, questionsPerAttempt }, questionBodies(questions));
  const start = async (quiz: { id: string }, player: string, more: object = {}) => {
    const { body } = await app
      .post(`/quizzes/${quiz.id}/attempts`, { player, ...more })
      .expect(201);
    return body.data as Attempt;
  };
  /** Answers the first of the questions of the attempt correctly, the next ones wrongly. */
  const play = async (quiz: MadeQuiz, attempt: Attempt, correct: number, answered: number) => {
    for (const [at, { id }] of attempt.questions.slice(0, answered).entries()) {
      const { answers } = quiz.questions.find((question) => question.id === id)!;
      const answerIds = answers.filter((it) => it.isCorrect === at < correct).map((it) => it.id);
      await app
        .post(`/attempts/${attempt.id}/answers`, { questionId: id, answerIds: [answerIds[0]] })
        .expect(200);
    }
    const { body } = await app.post(`/attempts/${attempt.id}/submit`).expect(200);
    return body.data as { score: number; total: number; results: { questionId: string }[] };
  };
  const statisticsOf = async (quiz: { id: string }) =>
    (await owner.get(`/quizzes/${quiz.id}/statistics`).expect(200)).body.data as Statistics;

  describe('the draw', () => {
    const questions = Array.from({ length: 10 }, () => ({ id: newId() }));

    it('gives each question the same chance, and each pair (chi-squared, 100,000 attempts)', () => {
      const drawn = new Map<string, number>();
      const pairs = new Map<string, number>();
      for (let n = 0; n < 100_000; n++) {
        const ids = drawnFor({ id: newId(), questionsPerAttempt: 3 }, questions).map(
          (question) => question.id,
        );
        for (const [at, id] of ids.entries()) {
          drawn.set(id, (drawn.get(id) ?? 0) + 1);
          for (const other of ids.slice(at + 1))
            pairs.set(`${id} ${other}`, (pairs.get(`${id} ${other}`) ?? 0) + 1);
        }
      }
      const chiSquared = (counts: Map<string, number>, cells: number) => {
        const expected = 300_000 / cells;
        expect(counts.size).toBe(cells);
        return [...counts.values()].reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
      };
      // Exceeded by chance once in a hundred thousand runs: 9 and 44 degrees of freedom.
      expect(chiSquared(drawn, 10)).toBeLessThan(41);
      expect(chiSquared(pairs, 45)).toBeLessThan(98);
    });

    it('is the same whenever it is asked for, keeps the order, and asks all where there are fewer', () => {
      const attempt = { id: newId(), questionsPerAttempt: 4 };
      const drawn = drawnFor(attempt, questions);
      expect(drawn).toHaveLength(4);
      expect(drawnFor(attempt, questions)).toEqual(drawn);
      expect(drawn).toEqual(questions.filter((question) => drawn.includes(question)));
      expect(drawnFor({ ...attempt, questionsPerAttempt: 11 }, questions)).toEqual(questions);
      expect(drawnFor({ ...attempt, questionsPerAttempt: null }, questions)).toEqual(questions);
    });
  });

  it('an attempt has its own questions, whenever it is read, and refuses answers to others', async () => {
    const quiz = await pool(8, 3);
    const attempt = await start(quiz, 'ada', { shuffle: true });
    const ids = attempt.questions.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    const again = await app.get(`/attempts/${attempt.id}`).expect(200);
    expect((again.body.data as Attempt).questions.map(({ id }) => id)).toEqual(ids);
    const other = quiz.questions.find(({ id }) => !ids.includes(id))!;
    const refused = await app
      .post(`/attempts/${attempt.id}/answers`, {
        questionId: other.id,
        answerIds: [other.answers[0]!.id],
      })
      .expect(422);
    expect(errorsIn(refused)).toEqual(['questionId unknown']);
    const result = await play(quiz, attempt, 2, 3);
    expect(result).toMatchObject({ score: 2, total: 3 });
    expect(result.results.map(({ questionId }) => questionId)).toEqual(ids);
  });

  it('different attempts draw differently', async () => {
    const quiz = await pool(20, 5);
    const draws = new Set<string>();
    for (let n = 0; n < 10; n++) {
      const { questions } = await start(quiz, `player ${n}`);
      draws.add(questions.map(({ id }) => id).join());
    }
    // Two of ten draws of 5 of 20 are equal once in three hundred runs.
    expect(draws.size).toBeGreaterThan(8);
  });

  it('results, statistics and events count what was drawn', async () => {
    const quiz = await pool(6, 2);
    const attempts = [];
    for (const player of ['ada', 'grace', 'joan']) {
      const attempt = await start(quiz, player);
      await play(quiz, attempt, 1, player === 'joan' ? 1 : 2);
      attempts.push(attempt);
    }
    const statistics = await statisticsOf(quiz);
    expect(statistics).toMatchObject({ attempts: 3, averagePercent: 50 });
    for (const { questionId, ...figures } of statistics.questions) {
      const of = attempts.filter(({ questions }) => questions.some(({ id }) => id === questionId));
      expect(figures.attempts).toBe(of.length);
      expect(figures.correct).toBe(
        of.filter(({ questions }) => questions[0]!.id === questionId).length,
      );
    }
    const unanswered = statistics.questions.reduce((sum, it) => sum + it.unanswered, 0);
    expect(unanswered).toBe(1);
    const { body } = await owner.get(`/quizzes/${quiz.id}/attempts`).expect(200);
    expect(body.data).toMatchObject(Array(3).fill({ score: 1, total: 2 }));
    const events = await service.database.query<{ name: string; data: object }[]>(
      `SELECT name, body::jsonb -> 'data' AS data FROM outbox_events
       WHERE name IN ('quiz.completed', 'attempt.submitted') AND body::jsonb -> 'data' ->> 'quiz_id' = $1`,
      [quiz.id],
    );
    // Joan has left one out.
    expect(events.map(({ name }) => name).sort()).toEqual([
      ...Array<string>(3).fill('attempt.submitted'),
      ...Array<string>(2).fill('quiz.completed'),
    ]);
    for (const { name, data } of events)
      expect(data).toMatchObject(name === 'quiz.completed' ? { total_questions: 2 } : { score: 1 });
  });

  it('a regrade keeps the draw and the figures of each question', async () => {
    const quiz = await pool(4, 2);
    const attempt = await start(quiz, 'ada');
    await play(quiz, attempt, 2, 2);
    const [first] = attempt.questions;
    const { answers } = quiz.questions.find(({ id }) => id === first!.id)!;
    const other = answers.find(({ isCorrect }) => !isCorrect);
    await owner
      .patch(`/questions/${first!.id}`, {
        answers: answers.map((answer) => ({ text: answer.text, isCorrect: answer === other })),
      })
      .expect(200);
    const window = await signIn(service, owner);
    expect(wordsOf(await window.open(`/quizzes/${quiz.id}/regrade`))).toMatch(
      /1 person has answered question \d before you changed what is correct/,
    );
    await owner.post(`/quizzes/${quiz.id}/regrade`, {}).expect(200);
    const result = await app.get(`/attempts/${attempt.id}`).expect(200);
    expect((result.body.data as Attempt).questions.map(({ id }) => id)).toEqual(
      attempt.questions.map(({ id }) => id),
    );
    const statistics = await statisticsOf(quiz);
    expect(statistics).toMatchObject({ attempts: 1, averagePercent: 50 });
    expect(statistics.questions.reduce((sum, it) => sum + it.attempts, 0)).toBe(2);
    expect(statistics.questions.reduce((sum, it) => sum + it.correct, 0)).toBe(1);
  });

  it('a leaderboard compares attempts of one size', async () => {
    const quiz = await pool(4, null);
    const board = async () =>
      (
        (await owner.get(`/quizzes/${quiz.id}/leaderboard`).expect(200)).body.data as {
          userId: string;
        }[]
      ).map(({ userId }) => userId);
    await play(quiz, await start(quiz, 'all'), 4, 4);
    expect(await board()).toEqual(['all']);
    await owner.patch(`/quizzes/${quiz.id}`, { questionsPerAttempt: 2 }).expect(200);
    expect(await board()).toEqual([]);
    await play(quiz, await start(quiz, 'two'), 1, 2);
    expect(await board()).toEqual(['two']);
    await owner.patch(`/quizzes/${quiz.id}`, { questionsPerAttempt: null }).expect(200);
    expect(await board()).toEqual(['all']);
  });

  it('a number above that of the questions draws all of them, also on the leaderboard', async () => {
    const quiz = await pool(3, 5);
    const board = async () =>
      (await owner.get(`/quizzes/${quiz.id}/leaderboard`).expect(200)).body.data as object[];
    await play(quiz, await start(quiz, 'ada'), 3, 3);
    expect(await board()).toHaveLength(1);
    // A repeated value is no change, and the same questions are asked: the results stay comparable.
    await owner.patch(`/quizzes/${quiz.id}`, { questionsPerAttempt: 5 }).expect(200);
    await owner.patch(`/quizzes/${quiz.id}`, { questionsPerAttempt: null }).expect(200);
    expect(await board()).toHaveLength(1);
    // With four questions more, attempts of two are on another board than those of all.
    await addQuestions(owner, quiz.id, questionBodies(4));
    await owner.patch(`/quizzes/${quiz.id}`, { questionsPerAttempt: 2 }).expect(200);
    expect(await board()).toHaveLength(0);
  });

  it('the editor refuses a number above that of the questions, in words, and keeps a stored one', async () => {
    const window = await signIn(service, owner);
    const quiz = await pool(2, 5, { title: 'Pool in the editor' });
    const at = `/quizzes/${quiz.id}/edit`;
    const save = async (questionsPerAttempt: string) => {
      const { text } = await window.open(at);
      const version = hidden(text, 'version');
      const fields = { title: 'Pool in the editor', difficulty: 'EASY', version };
      return window.send(at, { ...fields, tags: 'kept', questionsPerAttempt });
    };
    expect((await save('5')).status).toBe(303);
    const refused = await save('3');
    expect(refused.status).toBe(422);
    expect(wordsOf(refused)).toContain(
      'Questions per attempt can be at most 2: the quiz has 2 questions.',
    );
    expect((await save('2')).status).toBe(303);
    expect(wordsOf(await window.open(`/quizzes/${quiz.id}`))).toContain('2 questions per attempt');
  });

  it('an attempt keeps its draw when the author changes the number', async () => {
    const quiz = await pool(5, 2);
    const attempt = await start(quiz, 'ada');
    await owner.patch(`/quizzes/${quiz.id}`, { questionsPerAttempt: 4 }).expect(200);
    expect(await play(quiz, attempt, 2, 2)).toMatchObject({ score: 2, total: 2 });
    expect((await start(quiz, 'grace')).questions).toHaveLength(4);
  });

  it('the best result of a player is told out of what was drawn', async () => {
    const quiz = await pool(5, 2, { maxAttempts: 1 });
    await play(quiz, await start(quiz, 'ada'), 1, 2);
    const refused = await app.post(`/quizzes/${quiz.id}/attempts`, { player: 'ada' }).expect(422);
    expect(refused.body.error).toContain('The best result is 1 of 2.');
  });

  describe('setting questionsPerAttempt', () => {
    it('an owner sets, reads, copies and clears it', async () => {
      const quiz = await pool(3, 2, { title: 'Pool to read' });
      const { body } = await owner.get('/quizzes?mine=true&topic=pool%20to%20read').expect(200);
      expect(body.data[0]).toMatchObject({ id: quiz.id, questionsPerAttempt: 2 });
      const copy = await owner.post(`/quizzes/${quiz.id}/copy`, {}).expect(201);
      const patched = await owner.patch(`/quizzes/${copy.body.data.id}`, { tags: ['x'] });
      expect(patched.body.data).toMatchObject({ questionsPerAttempt: 2 });
      const cleared = await owner.patch(`/quizzes/${quiz.id}`, { questionsPerAttempt: null });
      expect(cleared.body.data).toMatchObject({ questionsPerAttempt: null });
      expect((await start(quiz, 'ada')).questions).toHaveLength(3);
    });

    it.each([0, 1_001, 1.5, '2', true])('refuses %j', async (questionsPerAttempt) => {
      const id = await createQuiz(owner);
      const refused = await owner.patch(`/quizzes/${id}`, { questionsPerAttempt }).expect(422);
      expect(errorsIn(refused)).toEqual(['questionsPerAttempt range']);
    });

    it('refuses more than the quiz has; before it has questions any number is fine', async () => {
      const quiz = await pool(3, 3);
      const refused = await owner.patch(`/quizzes/${quiz.id}`, { questionsPerAttempt: 4 });
      expect(refused.status).toBe(422);
      expect(refused.body.error).toContain(
        'questionsPerAttempt can be at most 3: the quiz has 3 questions',
      );
      const { body } = await owner
        .post('/quizzes', { title: 'Empty', difficulty: 'EASY', questionsPerAttempt: 20 })
        .expect(201);
      await owner
        .post(`/quizzes/${body.data.id}/questions/batch`, { questions: questionBodies(2) })
        .expect(201);
      const all = await owner
        .post(`/quizzes/${body.data.id}/attempts`, { player: 'ada' })
        .expect(201);
      expect((all.body.data as Attempt).questions).toHaveLength(2);
    });
  });

  it("the player's page names how many are asked, and asks these", async () => {
    const quiz = await pool(6, 2, { title: 'Drawn on the page' });
    const visitor = new Visitor(service);
    const path = '/play/drawn-on-the-page';
    expect(wordsOf(await visitor.get(path))).toContain('2 questions');
    const begun = await visitor.post(path, { name: 'Ada', reveal: 'yes' }).expect(303);
    visitor.cookie ||= cookieOf(begun) ?? '';
    const question = await visitor.get(String(begun.headers.location)).expect(200);
    expect(wordsOf(question)).toContain('1 of 2');
    const [{ n }] = await service.database.query<[{ n: number }]>(
      'SELECT questions_per_attempt AS n FROM quiz_attempts WHERE quiz_id = $1',
      [quiz.id],
    );
    expect(n).toBe(2);
  });
});

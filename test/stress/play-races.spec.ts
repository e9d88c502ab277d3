import pino from 'pino';
import { PlayCounter } from '../../src/catalog/quizzes/play-counter.service';
import type { TopScore } from '../../src/events/event-map';
import { LIMITS } from '../../src/platform/limits/limits';
import { AttemptRetention } from '../../src/play/submission/attempt-retention.service';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** Many players at once: what is counted, ranked and told afterwards agrees (docs/playing.md). */
describe('concurrent players', () => {
  let service: Service;
  let owner: TestAccount;
  let app: TestAccount;

  beforeAll(async () => {
    service = await startService();
    owner = await service.account('free', { isAdmin: true });
    app = await service.account('free');
  });

  afterAll(() => service.close());

  const start = async (quiz: MadeQuiz, player: string) => {
    const response = await app.post(`/quizzes/${quiz.id}/attempts`, { player }).expect(201);
    return response.body.data.id as string;
  };
  const submit = (attempt: string) => app.post(`/attempts/${attempt}/submit`);
  const answerRight = (attempt: string, question: MadeQuiz['questions'][number] | undefined) =>
    app.post(`/attempts/${attempt}/answers`, {
      questionId: question?.id,
      answerIds: question?.answers.filter((each) => each.isCorrect).map(({ id }) => id),
    });
  const playsOf = async (quiz: MadeQuiz) =>
    (await app.get(`/quizzes/${quiz.id}`).expect(200)).body.data.plays as number;
  /** What was passed over because somebody else had the quiz is counted by a later call. */
  const countAll = async () => {
    const left = () => service.database.query<unknown[]>(`SELECT FROM uncounted_plays`);
    do await service.app.get(PlayCounter).count();
    while ((await left()).length > 0);
  };
  const topOf = async (quiz: MadeQuiz) =>
    (await app.get(`/quizzes/${quiz.id}/leaderboard`).expect(200)).body.data.map(
      (each: { rank: number; userId: string; score: number; timeSpent: number }): TopScore => ({
        rank: each.rank,
        user_id: each.userId,
        score: each.score,
        time_spent: each.timeSpent,
      }),
    ) as TopScore[];
  const eventsOf = async (quiz: MadeQuiz, name: string) => {
    const rows = await service.database.query<{ body: string }[]>(
      `SELECT body FROM outbox_events WHERE name = $1 ORDER BY id`,
      [name],
    );
    return rows
      .map((row) => JSON.parse(row.body).data)
      .filter((data: { quiz_id: string }) => data.quiz_id === quiz.id);
  };
  /** Spreads the start of attempts over time, so that their times differ, and then lets them end together. */
  const startAll = async (quiz: MadeQuiz, players: string[]) => {
    const attempts = new Map<string, string>();
    for (const player of players) {
      attempts.set(await start(quiz, player), player);
      service.clock.advance(1_000);
    }
    return attempts;
  };

  it('fifty concurrent submits of one attempt count once and get the same response', async () => {
    const quiz = await makeQuiz(owner, { title: 'Once' }, questionBodies(2));
    const attempt = await start(quiz, 'racer');
    await answerRight(attempt, quiz.questions[0]).expect(200);
    // Held until they wait for it side by side: one would otherwise be done before the next has connected.
    const sent = await service.database.transaction(async (tx) => {
      await tx.query(`SELECT FROM quiz_attempts WHERE id = $1 FOR UPDATE`, [attempt]);
      const requests = Array.from({ length: 50 }, () => submit(attempt).then(({ text }) => text));
      const waiting = `SELECT count(DISTINCT pid)::int AS n FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE NOT granted AND datname = current_database()`;
      // Within a transaction PostgreSQL goes on showing the sessions that it showed first.
      do await tx.query(`SELECT pg_stat_clear_snapshot()`);
      while ((await tx.query<[{ n: number }]>(waiting))[0].n < LIMITS.requests.underWay.value);
      return requests;
    });
    const bodies = await Promise.all(sent);
    expect(new Set(bodies).size).toBe(1);
    expect(JSON.parse(bodies[0] ?? '').data.score).toBe(1);
    expect(await playsOf(quiz)).toBe(1);
    expect(await eventsOf(quiz, 'attempt.submitted')).toHaveLength(1);
    expect(await eventsOf(quiz, 'leaderboard.updated')).toHaveLength(1);
  });

  it('plays of 120 concurrent players are all counted, with one event per change of the top ten', async () => {
    const quiz = await makeQuiz(owner, { title: 'Crowd' }, questionBodies(3));
    const players = Array.from({ length: 120 }, (_, n) => `player ${n}`);
    const attempts = await startAll(quiz, players);
    await Promise.all(
      [...attempts.keys()].map(async (attempt, n) => {
        for (const question of quiz.questions.slice(0, (n * 7) % 4))
          await answerRight(attempt, question).expect(200);
        await submit(attempt).expect(200);
      }),
    );
    // Thirty of them have answered nothing.
    expect(await playsOf(quiz)).toBe(90);
    const submitted = await eventsOf(quiz, 'attempt.submitted');
    expect(submitted.map(({ attempt_id }) => attempt_id as string).sort()).toEqual(
      [...attempts.keys()].sort(),
    );
    expect(await eventsOf(quiz, 'quiz.completed')).toHaveLength(30);

    const best = await service.database.query<Omit<TopScore, 'rank'>[]>(
      `SELECT player AS user_id, score, time_spent FROM (
         SELECT DISTINCT ON (player) * FROM quiz_attempts WHERE quiz_id = $1 AND score > 0
         ORDER BY player, score DESC, time_spent, submitted_at, id) AS best
       ORDER BY score DESC, time_spent, submitted_at, id LIMIT 10`,
      [quiz.id],
    );
    const top = await topOf(quiz);
    expect(top).toEqual(best.map((entry, index) => ({ rank: index + 1, ...entry })));

    const boards = (await eventsOf(quiz, 'leaderboard.updated')).map(
      (data) => data.top_scores as TopScore[],
    );
    expect(boards.at(-1)).toEqual(top);
    // Each board has something new: changes at the same time share an event, and none is told twice.
    const entriesOf = (board: TopScore[] = []) =>
      new Set(board.map(({ user_id, score, time_spent }) => `${user_id}|${score}|${time_spent}`));
    const news = boards.map(
      (board, n) =>
        [...entriesOf(board)].filter((entry) => !entriesOf(boards[n - 1]).has(entry)).length,
    );
    expect(Math.min(...news)).toBeGreaterThan(0);
  });

  it('concurrent attempts of one player make one leaderboard entry and one event', async () => {
    const quiz = await makeQuiz(owner, { title: 'Alone' }, questionBodies(3));
    const attempts = [...(await startAll(quiz, Array<string>(30).fill('alone'))).keys()];
    await Promise.all(
      attempts.map(async (attempt, n) => {
        for (const question of quiz.questions.slice(0, 1 + (n % 3)))
          await answerRight(attempt, question).expect(200);
        await submit(attempt).expect(200);
      }),
    );
    const top = await topOf(quiz);
    expect(top).toMatchObject([{ rank: 1, user_id: 'alone' }]);
    const events = await eventsOf(quiz, 'leaderboard.updated');
    expect(events.map(({ top_scores }) => top_scores as unknown)).toEqual([top]);
    expect(await playsOf(quiz)).toBe(1);
  });

  it('an accepted answer counts even when the submission follows immediately', async () => {
    const quiz = await makeQuiz(owner, { title: 'Close' }, questionBodies(40));
    const attempt = await start(quiz, 'close');
    const responses = quiz.questions.slice(1).map((question) => answerRight(attempt, question));
    const sent = responses.map(async (response, n) => {
      if (n === 19) await submit(attempt).expect(200);
      return response;
    });
    const taken = (await Promise.all(sent)).filter(({ status }) => status === 200);
    const { body } = await submit(attempt).expect(200);
    expect(body.data.score).toBe(taken.length);
    expect(taken.length).toBeGreaterThan(0);
  });

  it('of concurrent answers to a revealed question one counts, and the others reveal nothing', async () => {
    const quiz = await makeQuiz(owner, { title: 'Oracle' }, questionBodies(1));
    const [question] = quiz.questions;
    const body = { player: 'guesser', reveal: true };
    const started = await app.post(`/quizzes/${quiz.id}/attempts`, body).expect(201);
    const path = `/attempts/${started.body.data.id}/answers`;
    const guesses = Array.from({ length: 30 }, (_, n) => {
      const { id = '' } = question?.answers[n % question.answers.length] ?? {};
      return app.post(path, { questionId: question?.id, answerIds: [id] });
    });
    const responses = await Promise.all(guesses);
    const taken = new Set(responses.filter(({ status }) => status === 200).map(({ text }) => text));
    expect(taken.size).toBe(1);
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(30 - 30 / (question?.answers.length ?? 0));
    for (const { status, text } of refused) {
      expect(status).toBe(422);
      expect(text).not.toMatch(/correct|explanation|Danube/);
    }
    const score = taken.values().next().value?.includes('"correct":true') ? 1 : 0;
    const { body: submitted } = await submit(started.body.data.id).expect(200);
    expect(submitted.data.score).toBe(score);
  });

  it('200 submissions of one player at once are one play, and 200 results', async () => {
    const quiz = await makeQuiz(owner, { title: 'Farmed at once' }, questionBodies(1));
    const attempts = await Promise.all(Array.from({ length: 200 }, () => start(quiz, 'racer')));
    await Promise.all(
      attempts.map((attempt) => answerRight(attempt, quiz.questions[0]).expect(200)),
    );
    await Promise.all(attempts.map((attempt) => submit(attempt).expect(200)));
    await countAll();
    expect(await playsOf(quiz)).toBe(1);
    expect(await eventsOf(quiz, 'attempt.submitted')).toHaveLength(200);
  });

  it('processes that count plays concurrently count each play once', async () => {
    const quizzes = await Promise.all(
      [1, 2, 3].map((n) => makeQuiz(owner, { title: `Counted ${n}` }, questionBodies(1))),
    );
    const attempts = await Promise.all(
      Array.from({ length: 90 }, (_, n) => start(quizzes[n % 3] as MadeQuiz, `player ${n}`)),
    );
    const logger = pino({ level: 'silent' });
    const others = [1, 2, 3].map(() => new PlayCounter(service.database.manager, logger));
    await Promise.all(
      attempts.map(async (attempt, n) => {
        await answerRight(attempt, quizzes[n % 3]?.questions[0]).expect(200);
        await submit(attempt).expect(200);
        await others[n % 3]?.count();
      }),
    );
    await countAll();
    expect(await Promise.all(quizzes.map(playsOf))).toEqual([30, 30, 30]);
    await Promise.all(others.map((other) => other.onModuleDestroy()));
  });

  it('plays of a locked quiz delay nobody and are counted afterwards', async () => {
    const quiz = await makeQuiz(owner, { title: 'Busy' }, questionBodies(1));
    const attempts = [await start(quiz, 'a'), await start(quiz, 'b')];
    for (const attempt of attempts) await answerRight(attempt, quiz.questions[0]).expect(200);
    await service.database.transaction(async (tx) => {
      await tx.query(`UPDATE quizzes SET description = 'New' WHERE id = $1`, [quiz.id]);
      await Promise.all(attempts.map((attempt) => submit(attempt).expect(200)));
      expect(await playsOf(quiz)).toBe(0);
    });
    await countAll();
    expect(await playsOf(quiz)).toBe(2);
  });

  it('plays left by a killed process are counted at the next start', async () => {
    const quiz = await makeQuiz(owner, { title: 'Left' }, questionBodies(1));
    await service.database.query(
      `INSERT INTO uncounted_plays SELECT gen_random_uuid(), $1 FROM generate_series(1, 3)`,
      [quiz.id],
    );
    await new PlayCounter(service.database.manager, pino({ level: 'silent' })).onModuleInit();
    expect(await playsOf(quiz)).toBe(3);
  });

  it('a failed submit stores nothing and can be repeated', async () => {
    const quiz = await makeQuiz(owner, { title: 'Broken' }, questionBodies(1));
    const attempt = await start(quiz, 'again');
    const { database } = service;
    await answerRight(attempt, quiz.questions[0]).expect(200);
    await database.query(`ALTER TABLE leaderboard_entries RENAME TO elsewhere`);
    const { status } = await submit(attempt);
    await database.query(`ALTER TABLE elsewhere RENAME TO leaderboard_entries`);
    expect(status).toBe(500);
    expect(await eventsOf(quiz, 'attempt.submitted')).toEqual([]);
    expect(await playsOf(quiz)).toBe(0);
    expect((await submit(attempt).expect(200)).body.data.score).toBe(1);
    expect(await playsOf(quiz)).toBe(1);
  });

  it('unsubmitted attempts are deleted two days after their start, and no others', async () => {
    const retention = service.app.get(AttemptRetention);
    const quiz = await makeQuiz(owner, { title: 'Pruned' }, questionBodies(1));
    const [left, submitted] = [await start(quiz, 'left'), await start(quiz, 'submitted')];
    await answerRight(left, quiz.questions[0]).expect(200);
    await submit(submitted).expect(200);
    service.clock.advance(48 * 3_600_000 - 60_000);
    const later = await start(quiz, 'later');
    expect(await retention.prune()).toBe(0);
    await submit(left).expect(422);
    service.clock.advance(120_000);
    const deleted = await Promise.all([retention.prune(), retention.prune()]);
    expect(deleted.sort()).toEqual([0, 1]);
    await submit(left).expect(404);
    await submit(submitted).expect(200);
    await submit(later).expect(200);
    const answers = `SELECT FROM quiz_answers WHERE attempt_id = $1`;
    expect(await service.database.query<unknown[]>(answers, [left])).toHaveLength(0);
  });
});

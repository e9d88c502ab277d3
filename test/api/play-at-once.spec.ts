import { DataSource } from 'typeorm';
import { LeaderboardService } from '../../src/play/leaderboard/leaderboard.service';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { keepOpen, waitForLocks } from '../support/locks';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** What playing costs the database, and that sharing statements changes no result (docs/performance.md). */
describe('many players at once', () => {
  let service: Service;
  let owner: TestAccount;
  let app: TestAccount;
  let quiz: MadeQuiz;

  beforeAll(async () => {
    service = await startService();
    owner = await service.account('free', { isAdmin: true });
    app = await service.account('free');
    quiz = await makeQuiz(owner, { title: 'A hall' }, questionBodies(3));
  });

  afterAll(() => service.close());

  const start = async (player: string, at = quiz) => {
    const response = await app.post(`/quizzes/${at.id}/attempts`, { player }).expect(201);
    return response.body.data.id as string;
  };
  const choice = (number: number, isCorrect: boolean) => {
    const question = quiz.questions[number];
    const answer = question?.answers.find((it) => it.isCorrect === isCorrect);
    return { questionId: question?.id, answerIds: [answer?.id] };
  };

  it('an answer takes one statement', async () => {
    const attempt = await start('one');
    // The first request of a process reads the key and the questions.
    await app.post(`/attempts/${attempt}/answers`, choice(0, false)).expect(200);
    const database = service.app.get(DataSource);
    const statements = jest.spyOn(database, 'query');
    const transactions = jest.spyOn(database, 'transaction');
    await app.post(`/attempts/${attempt}/answers`, choice(0, true)).expect(200);
    const counts = [statements.mock.calls.length, transactions.mock.calls.length];
    statements.mockRestore();
    transactions.mockRestore();
    expect(counts).toEqual([1, 0]);
  });

  it('of concurrent answers to one question one is stored with its own verdict, and a later one replaces it', async () => {
    const attempt = await start('hasty');
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        app.post(`/attempts/${attempt}/answers`, choice(0, n % 2 === 0)).expect(200),
      ),
    );
    const stored = await service.database.query<{ ids: string[]; correct: boolean }[]>(
      `SELECT answer_ids AS ids, is_right AS correct FROM quiz_answers WHERE attempt_id = $1`,
      [attempt],
    );
    expect(stored).toHaveLength(1);
    expect(stored[0]?.ids).toEqual(choice(0, stored[0]?.correct === true).answerIds);
    await app.post(`/attempts/${attempt}/answers`, choice(0, true)).expect(200);
    const { body } = await app.post(`/attempts/${attempt}/submit`).expect(200);
    expect(body.data.score).toBe(1);
  });

  it('an answer to an attempt that another transaction has locked waits for it, and the answer of another player does not', async () => {
    const attempts = [await start('held'), await start('free')];
    let held: Promise<unknown> | undefined;
    let isStored = false;
    await service.database.transaction(async (tx) => {
      await keepOpen(tx);
      await tx.query(`SELECT FROM quiz_attempts WHERE id = $1 FOR UPDATE`, [attempts[0]]);
      const response = app.post(`/attempts/${attempts[0]}/answers`, choice(0, true)).expect(200);
      held = response.then(() => (isStored = true));
      await waitForLocks(service.database, 1);
      await app.post(`/attempts/${attempts[1]}/answers`, choice(0, true)).expect(200);
      expect(isStored).toBe(false);
    });
    await held;
    const { body } = await app.post(`/attempts/${attempts[0]}/submit`).expect(200);
    expect(body.data.score).toBe(1);
  });

  it('an answer after the submission is refused, although the attempt is still in memory', async () => {
    const attempt = await start('late');
    await app.post(`/attempts/${attempt}/submit`).expect(200);
    const { body } = await app.post(`/attempts/${attempt}/answers`, choice(0, true)).expect(422);
    expect(body.error).toBe('This attempt has been submitted and accepts no more answers.');
  });

  describe('submissions at the same time', () => {
    const answered = async (player: string, isCorrect = true) => {
      const attempt = await start(player);
      await app.post(`/attempts/${attempt}/answers`, choice(0, isCorrect)).expect(200);
      return attempt;
    };
    const submit = (attempt: string) => app.post(`/attempts/${attempt}/submit`);
    const stored = (attempts: readonly string[]) =>
      service.database.query<{ score: number; counted: boolean }[]>(
        `SELECT score, counted FROM quiz_attempts WHERE id = ANY ($1) ORDER BY array_position($1, id)`,
        [attempts],
      );

    it('share transactions, and each gets its own result', async () => {
      const attempts = await Promise.all(
        Array.from({ length: 24 }, (_, n) => answered(`sharing ${n}`, n % 3 === 0)),
      );
      const transactions = jest.spyOn(service.app.get(DataSource), 'transaction');
      const responses = await Promise.all(attempts.map((attempt) => submit(attempt).expect(200)));
      const count = transactions.mock.calls.length;
      transactions.mockRestore();
      const scores = attempts.map((_, n) => (n % 3 === 0 ? 1 : 0));
      expect(responses.map(({ body }) => body.data.score)).toEqual(scores);
      expect(await stored(attempts)).toEqual(scores.map((score) => ({ score, counted: true })));
      // Also those that announce the leaderboard.
      expect(count).toBeLessThan(attempts.length);
    });

    it('of one player are all scored, and one of them counts', async () => {
      const attempts = await Promise.all(Array.from({ length: 6 }, () => answered('twice')));
      await Promise.all(attempts.map((attempt) => submit(attempt).expect(200)));
      const rows = await stored(attempts);
      expect(rows.filter(({ counted }) => counted)).toHaveLength(1);
      expect(rows.map(({ score }) => score)).toEqual(attempts.map(() => 1));
    });

    it('are not delayed by one that waits for its attempt, nor by one that is refused', async () => {
      const [held, gone, expired, sound] = await Promise.all(
        ['held up', 'deleted', 'expired', 'sound'].map((player) => answered(player)),
      );
      await service.database.query(`DELETE FROM quiz_attempts WHERE id = $1`, [gone]);
      await service.database.query(
        `UPDATE quiz_attempts SET started_at = started_at - interval '25 hours' WHERE id = $1`,
        [expired],
      );
      let waiting: Promise<unknown> | undefined;
      let isDone = false;
      await service.database.transaction(async (tx) => {
        await keepOpen(tx);
        await tx.query(`SELECT FROM quiz_attempts WHERE id = $1 FOR UPDATE`, [held]);
        waiting = submit(held!)
          .expect(200)
          .then(() => (isDone = true));
        await waitForLocks(service.database, 1);
        await Promise.all([
          submit(gone!).expect(404),
          submit(expired!).expect(422),
          submit(sound!).expect(200),
        ]);
        expect(isDone).toBe(false);
      });
      await waiting;
      expect(await stored([held!, sound!])).toEqual([
        { score: 1, counted: true },
        { score: 1, counted: true },
      ]);
    });
  });

  it('an entry that a killed process has left unannounced is announced by the next announcement, and once', async () => {
    const play = async (player: string) => {
      const attempt = await start(player);
      await app.post(`/attempts/${attempt}/answers`, choice(0, true)).expect(200);
      await app.post(`/attempts/${attempt}/submit`).expect(200);
    };
    const updatesOfBoards = async () =>
      (
        await service.database.query<{ n: number }[]>(
          `SELECT count(*)::int AS n FROM outbox_events WHERE name = 'leaderboard.updated'`,
        )
      )[0]?.n;
    await play('before');
    const before = await updatesOfBoards();
    await service.database.query(`UPDATE leaderboard_entries SET announced = false`);
    await service.app.get(LeaderboardService).announce();
    expect(await updatesOfBoards()).toBe((before ?? 0) + 1);
    await service.app.get(LeaderboardService).announce();
    expect(await updatesOfBoards()).toBe((before ?? 0) + 1);
  });

  it('a leaderboard that cannot be announced does not keep another waiting', async () => {
    const other = await makeQuiz(owner, { title: 'Another hall' }, questionBodies(1));
    const attempt = await start('there', other);
    const [question] = other.questions;
    const answerIds = [question?.answers[0]?.id];
    await app
      .post(`/attempts/${attempt}/answers`, { questionId: question?.id, answerIds })
      .expect(200);
    await app.post(`/attempts/${attempt}/submit`).expect(200);
    const waiting = async () =>
      (
        await service.database.query<{ id: string }[]>(
          `SELECT DISTINCT quiz_id AS id FROM leaderboard_entries WHERE NOT announced`,
        )
      ).map(({ id }) => id);
    const leaderboard = service.app.get(LeaderboardService);
    for (const failing of [quiz, other]) {
      await service.database.query(`UPDATE leaderboard_entries SET announced = false`);
      await service.database.query(
        `ALTER TABLE leaderboard_entries ADD CONSTRAINT failing CHECK (NOT announced OR quiz_id <> '${failing.id}') NOT VALID`,
      );
      await leaderboard.announce();
      expect(await waiting()).toEqual([failing.id]);
      await service.database.query(`ALTER TABLE leaderboard_entries DROP CONSTRAINT failing`);
      await leaderboard.announce();
      expect(await waiting()).toEqual([]);
    }
  });

  it('an answer to an attempt that was deleted meanwhile gets 404', async () => {
    const attempt = await start('gone');
    await service.database.query(`DELETE FROM quiz_attempts WHERE id = $1`, [attempt]);
    await app.post(`/attempts/${attempt}/answers`, choice(0, true)).expect(404);
  });
});

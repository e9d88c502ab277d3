import { QuizAuthoringService } from '../../src/authoring/quizzes/quiz-authoring.service';
import { AttemptRetention } from '../../src/play/submission/attempt-retention.service';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { signIn } from '../support/dashboard';
import { leaderboardEvents, play, playersOn } from '../support/leaderboards';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

const DAY = 86_400_000;

let service: Service;
let owner: TestAccount;

beforeAll(async () => {
  service = await startService({ MODERATION: 'auto' });
  owner = await service.account('pro');
});
afterAll(() => service.close());

let titles = 0;
const quizOf = () => makeQuiz(owner, { title: `Board ${++titles}` }, questionBodies(1));

describe('retention of play data', () => {
  const left = async (quiz: MadeQuiz) => {
    const counts: Record<string, number> = {};
    for (const table of ['quiz_snapshots', 'quiz_attempts', 'leaderboard_entries']) {
      const [{ rows }] = await service.database.query<[{ rows: number }]>(
        `SELECT count(*)::int AS rows FROM ${table} WHERE quiz_id = $1`,
        [quiz.id],
      );
      counts[table] = rows;
    }
    return counts;
  };

  it('the play data of a deleted quiz is deleted when no attempt can continue, and that of other quizzes stays', async () => {
    const [gone, kept] = [await quizOf(), await quizOf()];
    for (const quiz of [gone, kept]) await play(owner, quiz, 'Ada');
    await service.app.get(QuizAuthoringService).delete(owner, gone.id);
    const retention = service.app.get(AttemptRetention);
    await retention.prune();
    const whole = { quiz_snapshots: 1, quiz_attempts: 1, leaderboard_entries: 1 };
    expect(await left(gone)).toEqual(whole);

    service.clock.advance(2 * DAY);
    await Promise.all([retention.prune(), retention.prune()]);
    await retention.prune();
    expect(await left(gone)).toEqual({
      quiz_snapshots: 0,
      quiz_attempts: 0,
      leaderboard_entries: 0,
    });
    expect(await left(kept)).toEqual(whole);
  });

  it('a deleted quiz keeps its leaderboard while an attempt is under way', async () => {
    const quiz = await quizOf();
    await play(owner, quiz, 'Early');
    service.clock.advance(2 * DAY);
    const { body } = await owner.post(`/quizzes/${quiz.id}/attempts`, { player: 'Late' });
    await service.app.get(QuizAuthoringService).delete(owner, quiz.id);
    await service.app.get(AttemptRetention).prune();
    const [question] = quiz.questions;
    const answer = { questionId: question?.id, answerIds: [question?.answers[0]?.id] };
    await owner.post(`/attempts/${body.data.id}/answers`, answer).expect(200);
    await owner.post(`/attempts/${body.data.id}/submit`).expect(200);
    const names = (await leaderboardEvents(service.database, quiz))
      .at(-1)
      ?.top_scores.map(({ user_id }) => user_id);
    expect(names).toEqual(['Early', 'Late']);
  });
});

it('a submitted attempt is deleted after 90 days, and its place on the leaderboard stays', async () => {
  const quiz = await quizOf();
  const attempt = await play(owner, quiz, 'Ada');
  const retention = service.app.get(AttemptRetention);
  const submit = () => owner.post(`/attempts/${attempt}/submit`);
  service.clock.advance(90 * DAY - 60_000);
  await retention.prune();
  await submit().expect(200);
  service.clock.advance(120_000);
  await retention.prune();
  await submit().expect(404);
  expect(await playersOn(owner, quiz)).toEqual(['Ada']);
  const window = await signIn(service, owner);
  await window.send(`/quizzes/${quiz.id}/leaderboard/remove`, { attempt }).expect(303);
  expect(await playersOn(owner, quiz)).toEqual([]);
  await service.app.get(QuizAuthoringService).delete(owner, quiz.id);
  await retention.prune();
  const board = `SELECT FROM leaderboard_entries WHERE quiz_id = $1`;
  expect(await service.database.query<unknown[]>(board, [quiz.id])).toHaveLength(0);
});

it('a quiz snapshot without attempts is deleted, and stored again for the next attempt', async () => {
  const quiz = await quizOf();
  const start = () => owner.post(`/quizzes/${quiz.id}/attempts`, { player: 'Ada' });
  await start().expect(201);
  service.clock.advance(2 * DAY + 1_000);
  const retention = service.app.get(AttemptRetention);
  const starts = Array.from({ length: 20 }, () => start().expect(201));
  await Promise.all([...starts, retention.prune(), retention.prune()]);
  const { body } = await start().expect(201);
  await owner.post(`/attempts/${body.data.id}/submit`).expect(200);

  service.clock.advance(2 * DAY + 1_000);
  await service.database.query(`DELETE FROM quiz_attempts WHERE quiz_id = $1`, [quiz.id]);
  await retention.prune();
  const stored = `SELECT FROM quiz_snapshots WHERE quiz_id = $1`;
  expect(await service.database.query<unknown[]>(stored, [quiz.id])).toHaveLength(0);
  await start().expect(201);
  expect(await service.database.query<unknown[]>(stored, [quiz.id])).toHaveLength(1);
});

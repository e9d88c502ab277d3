import { decodeHTML } from 'entities';
import request from 'supertest';
import { AuditLog } from '../../src/access/audit/audit-log';
import { QuizAuthoringService } from '../../src/authoring/quizzes/quiz-authoring.service';
import type { TopScore } from '../../src/events/event-map';
import { AttemptRetention } from '../../src/play/submission/attempt-retention.service';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { signIn, type Window } from '../support/dashboard';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

const DAY = 86_400_000;

let service: Service;
let owner: TestAccount;
let mine: Window;
let administrators: Window;
let neighbours: Window;

beforeAll(async () => {
  service = await startService({ MODERATION: 'auto' });
  owner = await service.account('pro');
  mine = await signIn(service, owner);
  neighbours = await signIn(service, await service.account('pro'));
  administrators = await signIn(
    service,
    await service.account('free', { isAdmin: true, email: 'admin@example.com' }),
  );
});
afterAll(() => service.close());

let titles = 0;
const quizOf = (questions = 1) =>
  makeQuiz(owner, { title: `Board ${++titles}` }, questionBodies(questions));

/** Plays the quiz to its end. @returns the attempt */
async function play(quiz: MadeQuiz, player: string, right = true): Promise<string> {
  const { body } = await owner.post(`/quizzes/${quiz.id}/attempts`, { player }).expect(201);
  const attempt = body.data.id as string;
  for (const question of quiz.questions) {
    const answer = question.answers.find(({ isCorrect }) => isCorrect === right);
    await owner
      .post(`/attempts/${attempt}/answers`, { questionId: question.id, answerIds: [answer?.id] })
      .expect(200);
  }
  await owner.post(`/attempts/${attempt}/submit`).expect(200);
  return attempt;
}

const playersOf = async (quiz: MadeQuiz): Promise<string[]> =>
  (await owner.get(`/quizzes/${quiz.id}/leaderboard`).expect(200)).body.data.map(
    ({ userId }: { userId: string }) => userId,
  );
const eventsOf = async (quiz: MadeQuiz) =>
  (
    await service.database.query<{ body: string }[]>(
      `SELECT body FROM outbox_events WHERE name = 'leaderboard.updated' ORDER BY id`,
    )
  )
    .map(({ body }) => JSON.parse(body).data as { quiz_id: string; top_scores: TopScore[] })
    .filter(({ quiz_id }) => quiz_id === quiz.id);
const remove = (window: Window, quiz: MadeQuiz, attempt: string) =>
  window.send(`/quizzes/${quiz.id}/leaderboard/remove`, { attempt });
const restore = (window: Window, quiz: MadeQuiz, attempt: string) =>
  window.send(`/quizzes/${quiz.id}/leaderboard/restore`, { attempt });

describe('removing names from a leaderboard', () => {
  it("a name removed by the quiz's owner lets the next player move up, with one event", async () => {
    const quiz = await quizOf();
    const offensive = await play(quiz, 'Offensive');
    for (let player = 1; player <= 10; player++) await play(quiz, `player-${player}`, false);
    expect(await playersOf(quiz)).not.toContain('player-10');
    const before = (await eventsOf(quiz)).length;

    await remove(mine, quiz, offensive).expect(303);

    const players = await playersOf(quiz);
    expect(players).toHaveLength(10);
    expect(players).not.toContain('Offensive');
    expect(players).toContain('player-10');
    const events = await eventsOf(quiz);
    expect(events).toHaveLength(before + 1);
    expect(events.at(-1)?.top_scores.map(({ user_id }) => user_id)).toEqual(players);
    const { plays } = (await owner.get(`/quizzes/${quiz.id}`).expect(200)).body.data;
    expect(plays).toBe(11);
  });

  it('a removed name does not return with a better attempt, and no event is sent', async () => {
    const quiz = await quizOf();
    const attempt = await play(quiz, 'Rude', false);
    await play(quiz, 'Polite', false);
    await remove(mine, quiz, attempt).expect(303);
    const before = await eventsOf(quiz);
    await play(quiz, 'Rude');
    await remove(mine, quiz, attempt).expect(303);
    expect(await playersOf(quiz)).toEqual(['Polite']);
    expect(await eventsOf(quiz)).toEqual(before);
  });

  it('a restored name has its earlier result', async () => {
    const quiz = await quizOf();
    const attempt = await play(quiz, 'Misjudged', false);
    await play(quiz, 'Second', false);
    await remove(mine, quiz, attempt).expect(303);
    await play(quiz, 'Misjudged');
    const { text } = await mine.open(`/quizzes/${quiz.id}/leaderboard`).expect(200);
    expect(text).toContain('Put back “Misjudged”');
    await restore(mine, quiz, attempt).expect(303);
    expect(await playersOf(quiz)).toEqual(['Misjudged', 'Second']);
    expect((await eventsOf(quiz)).at(-1)?.top_scores[0]).toMatchObject({
      user_id: 'Misjudged',
      score: 0,
    });
  });

  it('a name removed by an administrator is audited', async () => {
    const quiz = await quizOf();
    const attempt = await play(quiz, 'Offensive');
    await administrators.open(`/quizzes/${quiz.id}/leaderboard`).expect(200, /Offensive/);
    await remove(administrators, quiz, attempt).expect(303);
    expect(await playersOf(quiz)).toEqual([]);
    await restore(administrators, quiz, attempt).expect(303);
    const entries = await service.app.get(AuditLog).about(quiz.id, 10);
    expect(entries).toMatchObject([
      { action: 'leaderboard.player-restored', actorEmail: 'admin@example.com' },
      { action: 'leaderboard.player-removed', objectKind: 'quiz', detail: 'Offensive' },
    ]);
    // What an owner does is not an administrative act.
    await remove(mine, quiz, attempt).expect(303);
    expect(await service.app.get(AuditLog).about(quiz.id, 10)).toHaveLength(2);
  });

  it("removing a name from another account's quiz gets 404", async () => {
    const quiz = await quizOf();
    const attempt = await play(quiz, 'Stays');
    await neighbours.open(`/quizzes/${quiz.id}/leaderboard`).expect(404);
    await remove(neighbours, quiz, attempt).expect(404);
    const elsewhere = await quizOf();
    await remove(mine, elsewhere, attempt).expect(303);
    for (const none of ['', 'x', '\u0000']) await remove(mine, quiz, none).expect(404);
    expect(await playersOf(quiz)).toEqual(['Stays']);
    const draft = await makeQuiz(owner, { title: 'Draft board', published: false });
    await administrators.open(`/quizzes/${draft.id}/leaderboard`).expect(404);
  });

  it('a hostile name is shown as text', async () => {
    const quiz = await quizOf();
    const names = ['<img src=x onerror=alert(1)>', 'أدا 🎲', '<b>evil</b>', 'W'.repeat(100)];
    for (const name of names) await play(quiz, name);
    const { slug } = (await owner.get(`/quizzes/${quiz.id}`).expect(200)).body.data;
    const pages = [
      mine.open(`/quizzes/${quiz.id}/leaderboard`),
      request(service.url).get(`/play/${slug}`),
    ];
    for (const page of pages) {
      const { text } = await page.expect(200);
      expect(text).not.toContain('<img src=x');
      for (const name of names) expect(decodeHTML(text)).toContain(`>${name}</bdi>`);
    }
  });

  it('a removal while others play sends one event per change of the top ten, the last with the current state', async () => {
    const quiz = await quizOf();
    const first = await Promise.all(
      Array.from({ length: 12 }, (_, index) => play(quiz, `before-${index}`, index < 6)),
    );
    await Promise.all([
      ...first.slice(0, 6).map((attempt) => remove(mine, quiz, attempt).expect(303)),
      ...Array.from({ length: 12 }, (_, index) =>
        play(quiz, `meanwhile-${index}`, index % 3 === 0),
      ),
    ]);
    const events = await eventsOf(quiz);
    const boards = events.map(({ top_scores }) => JSON.stringify(top_scores));
    expect(boards.every((board, index) => board !== boards[index - 1])).toBe(true);
    expect(events.at(-1)?.top_scores.map(({ user_id }) => user_id)).toEqual(await playersOf(quiz));
  });
});

describe('a published quiz', () => {
  it('administrators find a published quiz by its URL or id', async () => {
    const quiz = await quizOf();
    const { slug } = (await owner.get(`/quizzes/${quiz.id}`).expect(200)).body.data;
    for (const known of [quiz.id, `/play/${slug}`, `https://quiz.example.com/play/${slug}/?a=b`])
      await administrators
        .open(`/admin/quizzes?q=${encodeURIComponent(known)}`)
        .expect(303)
        .expect('Location', `/dashboard/admin/review/${quiz.id}`);
    const { text } = await administrators.open('/admin/quizzes?q=%3Cb%3Enone/').expect(200);
    expect(text).toContain('No quiz matches');
    expect(text).not.toContain('<b>none');
  });
});

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
    for (const quiz of [gone, kept]) await play(quiz, 'Ada');
    await service.app.get(QuizAuthoringService).delete(owner.accountId, gone.id);
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
    await play(quiz, 'Early');
    service.clock.advance(2 * DAY);
    const { body } = await owner.post(`/quizzes/${quiz.id}/attempts`, { player: 'Late' });
    await service.app.get(QuizAuthoringService).delete(owner.accountId, quiz.id);
    await service.app.get(AttemptRetention).prune();
    const [question] = quiz.questions;
    const answer = { questionId: question?.id, answerIds: [question?.answers[0]?.id] };
    await owner.post(`/attempts/${body.data.id}/answers`, answer).expect(200);
    await owner.post(`/attempts/${body.data.id}/submit`).expect(200);
    const names = (await eventsOf(quiz)).at(-1)?.top_scores.map(({ user_id }) => user_id);
    expect(names).toEqual(['Early', 'Late']);
  });
});

it('a submitted attempt is deleted after 90 days, and its place on the leaderboard stays', async () => {
  const quiz = await quizOf();
  const attempt = await play(quiz, 'Ada');
  const retention = service.app.get(AttemptRetention);
  const submit = () => owner.post(`/attempts/${attempt}/submit`);
  service.clock.advance(90 * DAY - 60_000);
  await retention.prune();
  await submit().expect(200);
  service.clock.advance(120_000);
  await retention.prune();
  await submit().expect(404);
  expect(await playersOf(quiz)).toEqual(['Ada']);
  await remove(await signIn(service, owner), quiz, attempt).expect(303);
  expect(await playersOf(quiz)).toEqual([]);
  await service.app.get(QuizAuthoringService).delete(owner.accountId, quiz.id);
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

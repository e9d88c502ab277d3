import { decodeHTML } from 'entities';
import request from 'supertest';
import { AuditLog } from '../../src/access/audit/audit-log';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { signIn, type Window } from '../support/dashboard';
import { leaderboardEvents, play, playersOn } from '../support/leaderboards';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

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

const remove = (window: Window, quiz: MadeQuiz, attempt: string) =>
  window.send(`/quizzes/${quiz.id}/leaderboard/remove`, { attempt });
const restore = (window: Window, quiz: MadeQuiz, attempt: string) =>
  window.send(`/quizzes/${quiz.id}/leaderboard/restore`, { attempt });

describe('removing names from a leaderboard', () => {
  it("a name removed by the quiz's owner lets the next player move up, with one event", async () => {
    const quiz = await quizOf();
    const offensive = await play(owner, quiz, 'Offensive');
    for (let player = 1; player <= 10; player++) await play(owner, quiz, `player-${player}`, false);
    expect(await playersOn(owner, quiz)).not.toContain('player-10');
    const before = (await leaderboardEvents(service.database, quiz)).length;

    await remove(mine, quiz, offensive).expect(303);

    const players = await playersOn(owner, quiz);
    expect(players).toHaveLength(10);
    expect(players).not.toContain('Offensive');
    expect(players).toContain('player-10');
    const events = await leaderboardEvents(service.database, quiz);
    expect(events).toHaveLength(before + 1);
    expect(events.at(-1)?.top_scores.map(({ user_id }) => user_id)).toEqual(players);
    const { plays } = (await owner.get(`/quizzes/${quiz.id}`).expect(200)).body.data;
    expect(plays).toBe(11);
  });

  it('a removed name does not return with a better attempt, and no event is sent', async () => {
    const quiz = await quizOf();
    const attempt = await play(owner, quiz, 'Rude', false);
    await play(owner, quiz, 'Polite', false);
    await remove(mine, quiz, attempt).expect(303);
    const before = await leaderboardEvents(service.database, quiz);
    await play(owner, quiz, 'Rude');
    await remove(mine, quiz, attempt).expect(303);
    expect(await playersOn(owner, quiz)).toEqual(['Polite']);
    expect(await leaderboardEvents(service.database, quiz)).toEqual(before);
  });

  it('a restored name has its earlier result', async () => {
    const quiz = await quizOf();
    const attempt = await play(owner, quiz, 'Misjudged', false);
    await play(owner, quiz, 'Second', false);
    await remove(mine, quiz, attempt).expect(303);
    await play(owner, quiz, 'Misjudged');
    const { text } = await mine.open(`/quizzes/${quiz.id}/leaderboard`).expect(200);
    expect(text).toContain('Put back “Misjudged”');
    await restore(mine, quiz, attempt).expect(303);
    expect(await playersOn(owner, quiz)).toEqual(['Misjudged', 'Second']);
    expect((await leaderboardEvents(service.database, quiz)).at(-1)?.top_scores[0]).toMatchObject({
      user_id: 'Misjudged',
      score: 0,
    });
  });

  it('a name removed by an administrator is audited without the name', async () => {
    const quiz = await quizOf();
    const attempt = await play(owner, quiz, 'Offensive');
    await administrators.open(`/quizzes/${quiz.id}/leaderboard`).expect(200, /Offensive/);
    await remove(administrators, quiz, attempt).expect(303);
    expect(await playersOn(owner, quiz)).toEqual([]);
    await restore(administrators, quiz, attempt).expect(303);
    const entries = await service.app.get(AuditLog).about(quiz.id, 10);
    expect(entries).toMatchObject([
      { action: 'leaderboard.player-restored', actorEmail: 'admin@example.com' },
      {
        action: 'leaderboard.player-removed',
        objectKind: 'quiz',
        detail: `attempt ${attempt}`,
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain('Offensive');
    // What an owner does is not an administrative act.
    await remove(mine, quiz, attempt).expect(303);
    expect(await service.app.get(AuditLog).about(quiz.id, 10)).toHaveLength(2);
  });

  it("removing a name from another account's quiz gets 404", async () => {
    const quiz = await quizOf();
    const attempt = await play(owner, quiz, 'Stays');
    await neighbours.open(`/quizzes/${quiz.id}/leaderboard`).expect(404);
    await remove(neighbours, quiz, attempt).expect(404);
    expect(await playersOn(owner, quiz)).toEqual(['Stays']);
    const draft = await makeQuiz(owner, { title: 'Draft board', published: false });
    await administrators.open(`/quizzes/${draft.id}/leaderboard`).expect(404);
  });

  it('removing an attempt that is not of the quiz changes nothing, and text that is no id gets 404', async () => {
    const quiz = await quizOf();
    const attempt = await play(owner, quiz, 'Stays');
    await remove(mine, await quizOf(), attempt).expect(303);
    for (const none of ['', 'x', '\u0000']) await remove(mine, quiz, none).expect(404);
    expect(await playersOn(owner, quiz)).toEqual(['Stays']);
  });

  it('a hostile name is shown as text', async () => {
    const quiz = await quizOf();
    const names = ['<img src=x onerror=alert(1)>', 'أدا 🎲', '<b>evil</b>', 'W'.repeat(100)];
    for (const name of names) await play(owner, quiz, name);
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

  it('removals while others play never send the same top ten twice in a row, and the last event has the current one', async () => {
    const quiz = await quizOf();
    const first = await Promise.all(
      Array.from({ length: 12 }, (_, index) => play(owner, quiz, `before-${index}`, index < 6)),
    );
    await Promise.all([
      ...first.slice(0, 6).map((attempt) => remove(mine, quiz, attempt).expect(303)),
      ...Array.from({ length: 12 }, (_, index) =>
        play(owner, quiz, `meanwhile-${index}`, index % 3 === 0),
      ),
    ]);
    const events = await leaderboardEvents(service.database, quiz);
    const boards = events.map(({ top_scores }) => JSON.stringify(top_scores));
    expect(boards.every((board, index) => board !== boards[index - 1])).toBe(true);
    expect(events.at(-1)?.top_scores.map(({ user_id }) => user_id)).toEqual(
      await playersOn(owner, quiz),
    );
  });
});

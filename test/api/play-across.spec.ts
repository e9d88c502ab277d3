import { LIMITS } from '../../src/platform/limits/limits';
import { AttemptRetention } from '../../src/play/submission/attempt-retention.service';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

interface Played {
  id: string;
  quizId: null;
  questions: {
    id: string;
    text: string;
    type: string;
    difficulty: string;
    order: number;
    multiple: boolean;
    answers: { id: string; text: string }[];
  }[];
}

const UNKNOWN = '01990000-0000-7000-8000-000000000000';
const TWO_RIGHT = {
  answers: [
    { text: 'Yes', isCorrect: true },
    { text: 'Also', isCorrect: true },
    { text: 'No', isCorrect: false },
  ],
};
const OPEN = {
  type: 'OPEN_ENDED',
  answers: [
    { text: 'Volga', isCorrect: true },
    { text: 'The Volga', isCorrect: true },
  ],
};

/** POST /attempts and GET /attempts/{id} (docs/playing.md). */
describe('attempts across quizzes', () => {
  let service: Service;
  let author: TestAccount;
  let app: TestAccount;
  let quizzes: MadeQuiz[];

  beforeAll(async () => {
    service = await startService();
    author = await service.account('free', { isAdmin: true });
    app = await service.account('free');
    const hard = (text: string, fields = {}) =>
      questionBody({ text, difficulty: 'HARD', ...fields });
    quizzes = [
      await makeQuiz(author, { title: 'Atoms', category: 'Science', tags: ['atoms'] }, [
        hard('a1'),
        hard('a2', TWO_RIGHT),
        questionBody({ text: 'a3' }),
      ]),
      await makeQuiz(author, { title: 'Bees', category: 'Science', tags: ['bees, wasps'] }, [
        hard('b1'),
        hard('b2', OPEN),
      ]),
      await makeQuiz(author, { title: 'Castles', category: 'History' }, [hard('c1')]),
    ];
  });

  afterAll(() => service.close());

  const request = (fields: object = {}) => ({
    player: 'ada',
    filter: { category: 'science', difficulty: 'HARD' },
    count: 10,
    ...fields,
  });
  const start = async (fields: object = {}, account = app): Promise<Played> =>
    (await account.post('/attempts', request(fields)).expect(201)).body.data as Played;
  const texts = ({ questions }: Played) => questions.map(({ text }) => text);
  const questionOf = (text: string) => {
    const found = quizzes.flatMap(({ questions }) => questions).find((it) => it.text === text);
    if (!found) throw new Error(`no question ${text}`);
    return found;
  };
  const counted = async () =>
    service.database.query<object[]>(
      `SELECT (SELECT count(*) FROM outbox_events) AS events, (SELECT count(*) FROM leaderboard_entries) AS entries,
         (SELECT count(*) FROM uncounted_plays) AS waiting, (SELECT sum(plays) FROM quizzes) AS plays`,
    );

  it('an attempt across quizzes has the matching questions without solutions, and its score once it is submitted', async () => {
    const before = await counted();
    const attempt = await start();
    expect(attempt).toEqual({
      id: expect.any(String),
      quizId: null,
      player: 'ada',
      endsAt: null,
      questions: ['a1', 'a2', 'b1', 'b2'].map((text, index) => ({
        id: questionOf(text).id,
        text,
        format: 'plain',
        language: null,
        html: text,
        type: text === 'b2' ? 'OPEN_ENDED' : 'MULTIPLE_CHOICE',
        difficulty: 'HARD',
        order: index + 1,
        multiple: text === 'a2',
        answers: expect.any(Array),
      })),
    });
    for (const { answers, text } of attempt.questions) {
      const stored = text === 'b2' ? [] : questionOf(text).answers;
      expect(answers.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
        stored
          .map(({ id, text }) => ({ id, text, html: text }))
          .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      );
    }
    const state = await app.get(`/attempts/${attempt.id}`).expect(200);
    expect(state.body).toEqual({
      success: true,
      data: { ...attempt, score: null, total: 4, timeSpent: null },
    });
    await app
      .post(`/attempts/${attempt.id}/answers`, { questionId: questionOf('b2').id, text: 'volga' })
      .expect(200);
    service.clock.advance(7_000);
    const { body } = await app.post(`/attempts/${attempt.id}/submit`).expect(200);
    expect(body.data).toMatchObject({ score: 1, total: 4 });
    expect(body.data.results).toHaveLength(4);
    expect((await app.post(`/attempts/${attempt.id}/submit`).expect(200)).body).toEqual(body);
    const after = await app.get(`/attempts/${attempt.id.toUpperCase()}`).expect(200);
    const { timeSpent } = body.data as { timeSpent: number };
    expect(after.body.data).toEqual({ ...attempt, score: 1, total: 4, timeSpent });
    // No event, no leaderboard, no play.
    expect(await counted()).toEqual(before);
  });

  it.each(['an unknown', 'a malformed', "another account's"])(
    '%s attempt is not found',
    async (which) => {
      const id = { 'an unknown': UNKNOWN, 'a malformed': 'x' }[which] ?? (await start()).id;
      const { body } = await author.get(`/attempts/${id}`).expect(404);
      expect(body).toEqual({ success: false, error: 'Attempt not found.' });
    },
  );

  it('an attempt at a quiz is read as it was started, shuffled and with its quiz', async () => {
    const path = `/quizzes/${quizzes[0]?.id}/attempts`;
    const started = await app.post(path, { player: 'bob', shuffle: true }).expect(201);
    const { body } = await app.get(`/attempts/${started.body.data.id}`).expect(200);
    expect(body.data).toEqual({ ...started.body.data, score: null, total: 3, timeSpent: null });
  });

  it('fewer questions are drawn than match, other ones each time', async () => {
    const drawn = new Set<string>();
    for (let time = 0; time < 40 && drawn.size < 5; time++) {
      const attempt = await start({ filter: { category: 'science' }, count: 2 });
      expect(attempt.questions).toHaveLength(2);
      // In the order of creation.
      expect(texts(attempt).toSorted()).toEqual(texts(attempt));
      texts(attempt).forEach((text) => drawn.add(text));
    }
    expect([...drawn].toSorted()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
  });

  it('shuffled attempts play the same questions in different orders', async () => {
    const orders = new Set<string>();
    for (let time = 0; time < 30 && orders.size < 2; time++)
      orders.add(texts(await start({ shuffle: true })).join());
    expect(orders.size).toBe(2);
  });

  it.each([
    [undefined, ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']],
    [null, ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']],
    [{}, ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']],
    [{ category: ['History', 'SCIENCE'], difficulty: 'hard' }, ['a1', 'a2', 'b1', 'b2', 'c1']],
    [{ category: 'history,none' }, ['c1']],
    [{ tags: 'bees\\, wasps' }, ['b1', 'b2']],
    [{ tags: ['bees, wasps', 'atoms'], type: ['OPEN_ENDED'] }, ['b2']],
    [{ difficulty: 'EASY,EXPERT', type: null, unknown: 1 }, ['a3']],
  ])('the filter %j draws the questions that browsing finds with it', async (filter, expected) => {
    expect(texts(await start({ filter }))).toEqual(expected);
  });

  it('a filter without a matching question gets 422', async () => {
    const { body } = await app.post('/attempts', request({ filter: { tags: 'x' } })).expect(422);
    expect(body).toEqual({
      success: false,
      error: 'No question matches the filter, so there is nothing to play. Choose a wider filter.',
    });
  });

  it('an invalid attempt across quizzes gets 422 with every error and its path', async () => {
    const most = LIMITS.requests.drawnQuestions.value;
    const filter = {
      category: [1, 'a'],
      difficulty: ['HARD', 'IMPOSSIBLE'],
      type: 'open_ended',
      tags: Array.from({ length: 21 }, (_, index) => `tag ${index}`),
    };
    const { body } = await app
      .post('/attempts', { player: ' ', filter, count: most + 1, shuffle: 'no' })
      .expect(422);
    const codes = (details: { path: string; code: string }[]) =>
      details.map(({ path, code }) => `${path}: ${code}`);
    expect(codes(body.details)).toEqual([
      'player: blank',
      'filter.category[0]: type',
      'filter.difficulty[1]: choice',
      'filter.type[0]: choice',
      'filter.tags: too_many',
      'count: range',
      'shuffle: type',
    ]);
    await start({ count: most });
    for (const count of [0, -1, 1.5, '2', null, undefined])
      await app.post('/attempts', request({ count })).expect(422);
    for (const filter of ['x', 1, [], [[]], [{}], true]) {
      const refused = await app.post('/attempts', request({ filter })).expect(422);
      expect(codes(refused.body.details)).toEqual(['filter: type']);
    }
    for (const category of [{}, [[]], [null], 5, true])
      await app.post('/attempts', request({ filter: { category } })).expect(422);
    await app.post('/attempts', '{').expect(400);
    await service.post('/attempts', request()).expect(401);
  });

  it('drafts are drawn for their owner only, and never for a key without the scope read', async () => {
    const filter = { tags: 'secret' };
    const draft = { title: 'Draft', published: false, tags: ['secret'] };
    await makeQuiz(author, draft, [questionBody({ text: 'hidden' })]);
    expect(texts(await start({ filter }, author))).toEqual(['hidden']);
    await app.post('/attempts', request({ filter })).expect(422);
    const player = await service.keyOf(author, { scopes: ['play'] });
    await player.post('/attempts', request({ filter })).expect(422);
    const attempt = await start({}, player);
    await player.get(`/attempts/${attempt.id}`).expect(200);
    const reader = await service.keyOf(author, { scopes: ['read'] });
    await reader.get(`/attempts/${attempt.id}`).expect(403);
    await reader.post('/attempts', request()).expect(403);
  });

  it('a repeated start with the same Idempotency-Key returns the same attempt', async () => {
    const send = () =>
      app
        .post('/attempts', request({ count: 1 }))
        .set('Idempotency-Key', 'draw')
        .expect(201);
    const first = await send();
    const second = await send();
    expect(second.body).toEqual(first.body);
    expect(second.headers['idempotency-replayed']).toBe('true');
  });

  it('an attempt across quizzes continues when its quizzes are deleted, and is deleted after two days', async () => {
    const gone = await makeQuiz(author, { title: 'Gone', tags: ['gone'] }, [questionBody()]);
    const attempt = await start({ filter: { tags: 'gone' } });
    await service.database.query('DELETE FROM quizzes WHERE id = $1', [gone.id]);
    const [question] = gone.questions;
    const answerIds = question?.answers.filter((it) => it.isCorrect).map(({ id }) => id);
    const answer = { questionId: question?.id, answerIds };
    await app.post(`/attempts/${attempt.id}/answers`, answer).expect(200);
    const { body } = await app.post(`/attempts/${attempt.id}/submit`).expect(200);
    expect(body.data).toMatchObject({ score: 1, total: 1 });
    const retention = service.app.get(AttemptRetention);
    service.clock.advance(47 * 3_600_000);
    await retention.prune();
    await app.get(`/attempts/${attempt.id}`).expect(200);
    service.clock.advance(2 * 3_600_000);
    await retention.prune();
    await app.get(`/attempts/${attempt.id}`).expect(404);
    const left = await service.database.query(`SELECT FROM quiz_snapshots WHERE quiz_id IS NULL`);
    expect(left).toEqual([]);
  });

  it("an account's attempts across quizzes store at most 256 MiB: the oldest are deleted for a new one", async () => {
    const busy = await service.account('free');
    const first = await start({ filter: { category: 'history' } }, busy);
    service.clock.advance(1_000);
    const second = await start({}, busy);
    await service.database.query(
      `UPDATE quiz_snapshots s SET bytes = $2 / 2 FROM quiz_attempts a
       WHERE s.quiz_id IS NULL AND s.owner_id = $1 AND a.snapshot_id = s.id AND a.id = ANY ($3)`,
      [busy.accountId, LIMITS.storage.drawnSnapshots.value, [first.id, second.id]],
    );
    const third = await start({ filter: {}, count: 2 }, busy);
    await busy.get(`/attempts/${first.id}`).expect(404);
    for (const { id } of [second, third]) await busy.get(`/attempts/${id}`).expect(200);
  });
});

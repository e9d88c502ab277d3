import { LIMITS } from '../../src/platform/limits/limits';
import { RegradeService } from '../../src/play/regrade/regrade.service';
import { AttemptRetention } from '../../src/play/submission/attempt-retention.service';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { signIn } from '../support/dashboard';
import { keepOpen, waitForLocks } from '../support/locks';
import { questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { wordsOf } from '../support/visitor';

const options = (correct: number, ...texts: string[]) =>
  texts.map((text, at) => ({ text, isCorrect: at === correct }));
const CITIES = ['Canberra', 'Sydney', 'Perth'];

/** The key of the first question is wrong. */
const QUESTIONS = [
  questionBody({ text: 'What is the capital of Australia?', answers: options(1, ...CITIES) }),
  questionBody({ text: 'What is the capital of Italy?', answers: options(0, 'Rome', 'Milan') }),
  questionBody({
    text: 'Which river flows through Cologne?',
    type: 'OPEN_ENDED',
    answers: ['Rhine', 'The Rhine'].map((text) => ({ text, isCorrect: true })),
  }),
];

let service: Service;
let owner: TestAccount;
let app: TestAccount;
beforeAll(async () => {
  service = await startService({ MODERATION: 'auto' });
  owner = await service.account('pro');
  app = await service.account('free');
});
afterAll(() => service.close());

let titles = 0;
const quizOf = () => makeQuiz(owner, { title: `Regrade ${++titles}` }, QUESTIONS);

type Given = number | string | null;

const start = async (quiz: MadeQuiz, player: string): Promise<string> =>
  (await app.post(`/quizzes/${quiz.id}/attempts`, { player }).expect(201)).body.data.id;
async function answer(quiz: MadeQuiz, attempt: string, given: Given[]): Promise<void> {
  for (const [at, each] of given.entries()) {
    const { id, answers } = quiz.questions[at]!;
    if (each === null) continue;
    const of = typeof each === 'string' ? { text: each } : { answerIds: [answers[each]?.id] };
    await app.post(`/attempts/${attempt}/answers`, { questionId: id, ...of }).expect(200);
  }
}
const submit = async (attempt: string) =>
  (await app.post(`/attempts/${attempt}/submit`).expect(200)).body.data as {
    score: number;
    results: { correct: boolean; correctAnswers: { text: string }[] }[];
  };
async function play(quiz: MadeQuiz, player: string, given: Given[]): Promise<string> {
  const attempt = await start(quiz, player);
  await answer(quiz, attempt, given);
  await submit(attempt);
  return attempt;
}

/** The key of the first question is this city. */
const keyTo = (quiz: MadeQuiz, correct: number) =>
  owner
    .patch(`/questions/${quiz.questions[0]?.id}`, { answers: options(correct, ...CITIES) })
    .expect(200);
const regrade = async (quiz: MadeQuiz, body: object = {}) =>
  (await owner.post(`/quizzes/${quiz.id}/regrade`, body).expect(200)).body.data;
/** A request with more attempts than it may score itself. */
const leftToWorker = (quiz: MadeQuiz, body: object = {}) =>
  withoutRegrades(() => owner.post(`/quizzes/${quiz.id}/regrade`, body).expect(202));
async function withoutRegrades<T>(ask: () => PromiseLike<T>): Promise<T> {
  const { regradedAttempts } = LIMITS.requests;
  const before = regradedAttempts.value;
  regradedAttempts.value = 0;
  try {
    return await ask();
  } finally {
    regradedAttempts.value = before;
  }
}
/** What a request has begun whose process died: the worker continues it from now on. */
const leftByDeadRequest = (quiz: MadeQuiz) =>
  service.database.query(
    `INSERT INTO quiz_regrades (quiz_id, snapshot_ids, question_ids, worker_from)
     SELECT quiz_id, array_agg(id), $2::uuid[], $3 FROM quiz_snapshots WHERE quiz_id = $1 GROUP BY quiz_id`,
    [quiz.id, [quiz.questions[0]?.id], service.clock.now()],
  );
const runWorker = async () => {
  while (await service.app.get(RegradeService).runRequested());
};

/** Locks a quiz as somebody else would. @returns releases it */
async function lock(quiz: MadeQuiz) {
  const runner = service.database.createQueryRunner();
  await runner.startTransaction();
  await keepOpen(runner);
  await runner.query('SELECT FROM quizzes WHERE id = $1 FOR UPDATE', [quiz.id]);
  return async () => {
    await runner.commitTransaction();
    await runner.release();
  };
}
const waiting = (n: number) => waitForLocks(service.database, n);

/** Of several versions: each is scored again in a transaction of its own. */
async function playVersions(
  quiz: MadeQuiz,
  versions: number,
  given: Given[] = [0, 0, 'Rhine'],
): Promise<void> {
  for (let version = 1; version <= versions; version++) {
    const text = `Which city is the capital of Italy, version ${version}?`;
    await owner.patch(`/questions/${quiz.questions[1]?.id}`, { text }).expect(200);
    await play(quiz, `p${version}`, given);
  }
}
/** The bytes of all versions of the owner's quizzes. */
async function storedBytes(): Promise<number> {
  const [{ stored }] = await service.database.query<[{ stored: number }]>(
    'SELECT sum(bytes)::int AS stored FROM quiz_snapshots WHERE owner_id = $1',
    [owner.accountId],
  );
  return stored;
}
const auditedOf = async (quiz: MadeQuiz) =>
  (
    await service.database.query<{ detail: string }[]>(
      `SELECT detail FROM audit_entries WHERE action = 'quiz.regraded' AND object_id = $1 ORDER BY id`,
      [quiz.id],
    )
  ).map(({ detail }) => detail);
const noticesOf = (quiz: MadeQuiz) =>
  service.database.query<{ title: string; detail: string }[]>(
    `SELECT title, detail FROM notices WHERE title LIKE '%' || $1 || '%' ORDER BY id`,
    [`“${quiz.title}”`],
  );
const regradedEvents = async (quiz: MadeQuiz) =>
  (
    (await eventsOf(quiz, 'quiz.regraded')) as { data: { attempts: number; changed: number } }[]
  ).map(({ data: { attempts, changed } }) => ({ attempts, changed }));

const attemptsOf = async ({ id }: MadeQuiz) =>
  (await owner.get(`/quizzes/${id}/attempts?limit=50`).expect(200)).body.data as {
    name: string;
    score: number;
  }[];
const scoresOf = async (quiz: MadeQuiz) =>
  Object.fromEntries((await attemptsOf(quiz)).map(({ name, score }) => [name, score]));
const boardOf = async ({ id }: MadeQuiz) =>
  ((await owner.get(`/quizzes/${id}/leaderboard`).expect(200)).body.data as object[]).map((it) => {
    const { userId, score } = it as { userId: string; score: number };
    return [userId, score];
  });
const statisticsOf = async ({ id }: MadeQuiz) =>
  (await owner.get(`/quizzes/${id}/statistics`).expect(200)).body.data;
const eventsOf = (quiz: MadeQuiz, name: string) =>
  service.database.query(
    `SELECT body::jsonb -> 'data' AS data FROM outbox_events
     WHERE name = $1 AND body::jsonb -> 'data' ->> 'quiz_id' = $2 ORDER BY id`,
    [name, quiz.id],
  );

/** The sums as if every stored attempt had been submitted with its present score. */
async function countedAgain(quiz: MadeQuiz) {
  const rows = (table: string) =>
    service.database.query(`SELECT * FROM ${table} WHERE quiz_id = $1`, [quiz.id]);
  const [stored, sums, figures] = [
    await statisticsOf(quiz),
    await rows('quiz_results'),
    await rows('question_results'),
  ];
  expect(figures.every(({ attempts }: { attempts: number }) => attempts > 0)).toBe(true);
  const attempts = await attemptsOf(quiz);
  const total = attempts.reduce((sum, { score }) => sum + score, 0);
  const summed = (sums as { score: number; attempts: number }[]).reduce(
    (sum, row) => sum + row.score * row.attempts,
    0,
  );
  expect(summed).toBe(total);
  expect(stored.attempts).toBe(attempts.length);
  return stored;
}

describe('PATCH /questions/{id}', () => {
  it('counts the submitted attempts that had another key, if answers or type are sent', async () => {
    const quiz = await quizOf();
    const { id, answers } = quiz.questions[0]!;
    const patch = async (fields: object): Promise<number | null> =>
      (await owner.patch(`/questions/${id}`, fields).expect(200)).body.data.earlierAttempts;
    const unchanged = { answers: answers.map(({ text, isCorrect }) => ({ text, isCorrect })) };
    await play(quiz, 'Ada', [0]);
    await play(quiz, 'Bob', [1]);
    await start(quiz, 'Cy');
    expect(await patch(unchanged)).toBe(0);
    expect(await patch({ answers: options(0, ...CITIES) })).toBe(2);
    expect(await patch({ difficulty: 'HARD' })).toBeNull();
    expect(await patch({ type: 'MULTIPLE_CHOICE' })).toBe(2);
    expect(await regrade(quiz, { questionIds: [id] })).toEqual({ attempts: 2, changed: 2 });
    expect(await patch({ type: 'MULTIPLE_CHOICE' })).toBe(0);
  });
});

describe('regrading', () => {
  it('a regrade gives scores, results, leaderboard, CSV, statistics and events by the present key', async () => {
    const quiz = await quizOf();
    const ada = await play(quiz, 'Ada', [0, 0, 'Rhine']);
    await play(quiz, 'Bob', [1, 0, 'Rhine']);
    await play(quiz, 'Cy', [2, 1, 'Rhein']);
    await play(quiz, 'Di', [0, 0, null]);
    expect(await scoresOf(quiz)).toEqual({ Ada: 2, Bob: 3, Cy: 0, Di: 1 });
    const boards = (await eventsOf(quiz, 'leaderboard.updated')).length;

    await keyTo(quiz, 0);
    expect(await scoresOf(quiz)).toEqual({ Ada: 2, Bob: 3, Cy: 0, Di: 1 });
    const chosen = async () =>
      (await statisticsOf(quiz)).questions[0].options.map((it: { chosen: number }) => it.chosen);
    expect(await chosen()).toEqual([2, 1, 1]);

    expect(await regrade(quiz)).toEqual({ attempts: 4, changed: 3 });
    expect(await scoresOf(quiz)).toEqual({ Ada: 3, Bob: 2, Cy: 0, Di: 2 });
    expect((await boardOf(quiz)).sort()).toEqual([
      ['Ada', 3],
      ['Bob', 2],
      ['Cy', 0],
      ['Di', 2],
    ]);
    expect((await boardOf(quiz))[0]).toEqual(['Ada', 3]);
    const repeated = await submit(ada);
    expect(repeated).toMatchObject({
      score: 3,
      results: [{ correct: true, correctAnswers: [{ text: 'Canberra' }] }, {}, {}],
    });
    const { text } = await owner.get(`/quizzes/${quiz.id}/attempts?format=csv`).expect(200);
    expect(text).toMatch(/Ada,3,3,.*,yes,Canberra,1,/);
    expect(text).toMatch(/Bob,2,3,.*,yes,Sydney,0,/);
    const statistics = await countedAgain(quiz);
    expect(statistics).toMatchObject({
      averagePercent: expect.closeTo((100 * 7) / 12, 6),
      questions: [{ correct: 2, attempts: 4 }, { correct: 3 }, { correct: 2, unanswered: 1 }],
    });
    expect(await chosen()).toEqual([2, 1, 1]);
    expect(await eventsOf(quiz, 'leaderboard.updated')).toHaveLength(boards + 1);
    expect(await eventsOf(quiz, 'quiz.regraded')).toEqual([
      {
        data: expect.objectContaining({ quiz_id: quiz.id, attempts: 4, changed: 3 }),
      },
    ]);
    const audited = await service.database.query(
      `SELECT object_name, detail FROM audit_entries WHERE action = 'quiz.regraded' AND object_id = $1`,
      [quiz.id],
    );
    expect(audited).toEqual([{ object_name: quiz.title, detail: '4 attempts, 3 scores changed' }]);
  });

  it('a regrade can be repeated: attempts with the present key stay, and send no event', async () => {
    const quiz = await quizOf();
    await play(quiz, 'Ada', [0, 0, 'Rhine']);
    expect(await regrade(quiz)).toEqual({ attempts: 0, changed: 0 });
    await keyTo(quiz, 0);
    expect(await regrade(quiz)).toEqual({ attempts: 1, changed: 1 });
    expect(await regrade(quiz)).toEqual({ attempts: 0, changed: 0 });
    expect(await eventsOf(quiz, 'quiz.regraded')).toHaveLength(1);
    // The key is changed back, and so are the scores.
    await keyTo(quiz, 1);
    expect(await regrade(quiz)).toEqual({ attempts: 1, changed: 1 });
    expect(await scoresOf(quiz)).toEqual({ Ada: 2 });
    await countedAgain(quiz);
  });

  it('a regrade asks only for the questions whose key has changed since the last one', async () => {
    const quiz = await quizOf();
    const earlier = () => service.app.get(RegradeService).earlierKeys(owner.accountId, quiz.id);
    await play(quiz, 'Ada', [0, 0, 'Rhine']);
    await keyTo(quiz, 0);
    const [question] = quiz.questions;
    const snapshotIds = [expect.any(String)];
    expect(await earlier()).toEqual({ attempts: 1, snapshotIds, questionIds: [question?.id] });
    await regrade(quiz);
    expect(await earlier()).toEqual({ attempts: 0, snapshotIds: [], questionIds: [] });
    const third = quiz.questions[2]?.id;
    const answers = ['Rhein', 'The Rhine'].map((text) => ({ text, isCorrect: true }));
    await owner.patch(`/questions/${third}`, { answers }).expect(200);
    expect(await earlier()).toEqual({ attempts: 1, snapshotIds, questionIds: [third] });
  });

  it('a regrade accepts further texts of a typed question, and only of the questions that are named', async () => {
    const quiz = await quizOf();
    await play(quiz, 'Ada', [0, 0, 'Rhein']);
    await play(quiz, 'Bob', [1, 0, 'Rhine']);
    await keyTo(quiz, 0);
    const answers = ['Rhine', 'The Rhine', 'Rhein'].map((text) => ({ text, isCorrect: true }));
    const [, , river] = quiz.questions;
    await owner.patch(`/questions/${river?.id}`, { answers }).expect(200);
    expect(await regrade(quiz, { questionIds: [river?.id.toUpperCase()] })).toEqual({
      attempts: 2,
      changed: 1,
    });
    expect(await scoresOf(quiz)).toEqual({ Ada: 2, Bob: 3 });
    expect((await countedAgain(quiz)).questions[2]).toMatchObject({ attempts: 2, correct: 2 });
    expect(await regrade(quiz, { questionIds: null })).toEqual({ attempts: 2, changed: 2 });
    expect(await scoresOf(quiz)).toEqual({ Ada: 3, Bob: 2 });
    await countedAgain(quiz);
  });

  it('a regrade leaves attempts whose answers the present key does not name', async () => {
    const quiz = await quizOf();
    await play(quiz, 'Ada', [1, 0, 'Rhine']);
    // A further answer, which nobody could choose, and several answers where one could be chosen.
    for (const correct of [['Hobart'], ['Canberra', 'Sydney']]) {
      const answers = [...CITIES, 'Hobart'].map((text) => ({
        text,
        isCorrect: correct.includes(text),
      }));
      await owner.patch(`/questions/${quiz.questions[0]?.id}`, { answers }).expect(200);
      expect(await regrade(quiz)).toEqual({ attempts: 0, changed: 0 });
    }
    await owner.delete(`/questions/${quiz.questions[1]?.id}`).expect(204);
    expect(await regrade(quiz)).toEqual({ attempts: 0, changed: 0 });
    expect(await scoresOf(quiz)).toEqual({ Ada: 3 });
  });

  it('an attempt in progress is submitted with the corrected key', async () => {
    const quiz = await quizOf();
    const before = await start(quiz, 'Ada');
    await answer(quiz, before, [0]);
    const after = await start(quiz, 'Bob');
    await keyTo(quiz, 0);
    expect(await regrade(quiz)).toEqual({ attempts: 0, changed: 0 });
    await answer(quiz, after, [0]);
    for (const attempt of [before, after]) expect((await submit(attempt)).score).toBe(1);
    await countedAgain(quiz);
  });

  it('an attempt in progress is answered after the version that it began with was deleted', async () => {
    const quiz = await quizOf();
    const attempt = await start(quiz, 'Ada');
    await keyTo(quiz, 0);
    await regrade(quiz);
    // As if another process had started it, and the version were older: nobody plays it any more.
    await service.database.query(
      `UPDATE quiz_snapshots SET created_at = created_at - interval '3 days' WHERE quiz_id = $1`,
      [quiz.id],
    );
    expect(await service.app.get(AttemptRetention).prune()).toBeGreaterThan(0);
    await answer(quiz, attempt, [0]);
    expect((await submit(attempt)).score).toBe(1);
  });

  it('a regrade beside answers and submissions loses none of them', async () => {
    const quiz = await quizOf();
    const attempts = await Promise.all(
      Array.from({ length: 24 }, (_, player) => start(quiz, `p${player}`)),
    );
    await Promise.all(attempts.slice(0, 8).map((id) => answer(quiz, id, [0, 0, 'Rhine'])));
    await Promise.all(attempts.slice(0, 4).map(submit));
    await keyTo(quiz, 0);
    // Four players at a time, and two regrades that may join each other.
    const left = [...attempts.entries()];
    const playing = Array.from({ length: 4 }, async () => {
      for (let next = left.shift(); next; next = left.shift()) {
        const [player, id] = next;
        if (player >= 8) await answer(quiz, id, [0, 0, 'Rhine']);
        await submit(id);
      }
    });
    const regrading = async () => {
      while (left.length > 0) await regrade(quiz);
    };
    await Promise.all([...playing, regrading(), regrading()]);
    expect(Object.values(await scoresOf(quiz))).toEqual(Array(24).fill(3));
    expect(await countedAgain(quiz)).toMatchObject({
      attempts: 24,
      averagePercent: 100,
      questions: [{ correct: 24 }, { correct: 24 }, { correct: 24 }],
    });
    expect(await boardOf(quiz)).toHaveLength(10);
    expect((await boardOf(quiz)).every(([, score]) => score === 3)).toBe(true);
  }, 60_000);

  it('a regrade records its audit entry with the first attempts that it changes: none is changed without one', async () => {
    const quiz = await quizOf();
    await play(quiz, 'Ada', [0]);
    await keyTo(quiz, 0);
    const sql = `ALTER TABLE audit_entries ADD CONSTRAINT broken CHECK (action <> 'quiz.regraded') NOT VALID`;
    await service.database.query(sql);
    try {
      await owner.post(`/quizzes/${quiz.id}/regrade`, {}).expect(500);
    } finally {
      await service.database.query('ALTER TABLE audit_entries DROP CONSTRAINT broken');
    }
    expect(await scoresOf(quiz)).toEqual({ Ada: 0 });
    expect(await regrade(quiz)).toEqual({ attempts: 1, changed: 1 });
    expect(await scoresOf(quiz)).toEqual({ Ada: 1 });
  });

  it('a regrade is for the owner with the scope write, and names ids that are not questions of the quiz', async () => {
    const quiz = await quizOf();
    const at = `/quizzes/${quiz.id}/regrade`;
    await service.post(at, {}).expect(401);
    const { body } = await app.post(at, {}).expect(403);
    expect(body.error).toBe(
      'This quiz belongs to another account. Only its owner scores attempts again.',
    );
    await owner.post('/quizzes/none/regrade', {}).expect(404);
    const reading = await service.keyOf(owner, { scopes: ['read', 'play'] });
    await reading.post(at, {}).expect(403, /scope `write`/);
    const refused = await owner.post(at, { questionIds: ['none'] }).expect(422);
    expect(refused.body.details).toEqual([
      {
        path: 'questionIds[0]',
        message: 'questionIds[0] is not the id of a question of this quiz',
        code: 'unknown',
      },
    ]);
    await owner.post(at, { questionIds: 'all' }).expect(422);
    const { value: most } = LIMITS.content.questionsPerQuiz;
    const same = (count: number) => ({ questionIds: Array(count).fill(quiz.questions[0]?.id) });
    await owner.post(at, same(most)).expect(200);
    await owner.post(at, same(most + 1)).expect(422);
    await owner.post(at, { questionIds: [7] }).expect(422);
  });

  it('above the limit the worker scores the attempts again, and a notice says so', async () => {
    const quiz = await quizOf();
    for (const player of ['Ada', 'Bob', 'Cy']) await play(quiz, player, [0, 0, 'Rhine']);
    await keyTo(quiz, 0);
    const { body } = await leftToWorker(quiz);
    expect(body).toEqual({ success: true, data: { attempts: 3, changed: null } });
    expect(await scoresOf(quiz)).toEqual({ Ada: 2, Bob: 2, Cy: 2 });
    await runWorker();
    expect(await scoresOf(quiz)).toEqual({ Ada: 3, Bob: 3, Cy: 3 });
    const words = wordsOf(await (await signIn(service, owner)).open('/notices'));
    expect(words).toContain(`The attempts at “${quiz.title}” are scored again`);
    expect(words).toContain('Attempts: 3. With another score: 3.');
    expect(await service.app.get(RegradeService).runRequested()).toBe(false);
    await countedAgain(quiz);
  });

  it('the dashboard and the audit log say that one attempt is left to the worker', async () => {
    const quiz = await quizOf();
    await play(quiz, 'Ada', [0]);
    await keyTo(quiz, 0);
    const window = await signIn(service, owner);
    await withoutRegrades(() => window.send(`/quizzes/${quiz.id}/regrade`).expect(303));
    const words = wordsOf(await window.open(`/quizzes/${quiz.id}/results`));
    expect(words).toContain('1 attempt is being scored again.');
    expect(await auditedOf(quiz)).toEqual(['1 attempt, left to the worker']);
    await runWorker();
  });

  it('attempts in progress count towards the limit above which the worker scores the attempts again', async () => {
    const quiz = await quizOf();
    const attempt = await start(quiz, 'Ada');
    await answer(quiz, attempt, [0]);
    await keyTo(quiz, 0);
    const { body } = await leftToWorker(quiz);
    expect(body.data).toEqual({ attempts: 0, changed: null });
    await runWorker();
    expect((await submit(attempt)).score).toBe(1);
  });

  it('the dashboard says that attempts in progress are left to the worker', async () => {
    const quiz = await quizOf();
    await answer(quiz, await start(quiz, 'Ada'), [0]);
    await keyTo(quiz, 0);
    const window = await signIn(service, owner);
    await withoutRegrades(() => window.send(`/quizzes/${quiz.id}/regrade`).expect(303));
    const words = wordsOf(await window.open(`/quizzes/${quiz.id}/results`));
    expect(words).toContain('Attempts in progress are being scored again.');
    await runWorker();
  });

  it('a corrected key needs no room beside the version that it replaces, and a regrade without room says so', async () => {
    const quiz = await quizOf();
    await play(quiz, 'Ada', [0, 0, 'Rhine']);
    const { snapshots } = LIMITS.storage;
    const { regradedAttempts } = LIMITS.requests;
    const before = [snapshots.value, regradedAttempts.value] as const;
    const stored = await storedBytes();
    await keyTo(quiz, 0);
    try {
      snapshots.value = stored + 10;
      expect(await regrade(quiz)).toEqual({ attempts: 1, changed: 1 });
      await keyTo(quiz, 2);
      snapshots.value = 1;
      const { headers } = await owner.post(`/quizzes/${quiz.id}/regrade`, {}).expect(422);
      expect(headers['x-error-code']).toBe('too-many-versions');
      regradedAttempts.value = 0;
      for (let times = 0; times < 3; times++)
        await owner.post(`/quizzes/${quiz.id}/regrade`, {}).expect(202);
      const [{ most }] = await service.database.query<[{ most: number }]>(
        'SELECT max(cardinality(question_ids)) AS most FROM quiz_regrades',
      );
      expect(most).toBe(QUESTIONS.length);
      await runWorker();
    } finally {
      [snapshots.value, regradedAttempts.value] = before;
    }
    expect(await scoresOf(quiz)).toEqual({ Ada: 3 });
    const words = wordsOf(await (await signIn(service, owner)).open('/notices'));
    expect(words).toContain(`The attempts at “${quiz.title}” could not be scored again`);
  });

  it('a key that is corrected again while the worker scores attempts again counts for all of them', async () => {
    const quiz = await quizOf();
    await playVersions(quiz, 2);
    await keyTo(quiz, 0);
    await leftToWorker(quiz);
    // They get the lock one after the other: the worker's first batch, and the edit.
    const release = await lock(quiz);
    const firstBatch = service.app.get(RegradeService).runRequested();
    await waiting(1);
    const edited = keyTo(quiz, 2).then((it) => it);
    await waiting(2);
    await release();
    await Promise.all([firstBatch, edited]);
    // Then the worker's second batch, and a further request.
    const releaseAgain = await lock(quiz);
    const working = runWorker();
    await waiting(1);
    const requested = leftToWorker(quiz);
    await waiting(2);
    await releaseAgain();
    await Promise.all([requested, working]);
    await runWorker();
    // Nobody chose the third city.
    expect(await scoresOf(quiz)).toEqual({ p1: 2, p2: 2 });
    expect(
      await service.app.get(RegradeService).earlierKeys(owner.accountId, quiz.id),
    ).toMatchObject({ attempts: 0 });
    await countedAgain(quiz);
  });

  it('a regrade that joins another also scores the attempts that the other one has moved until then', async () => {
    const quiz = await quizOf();
    await playVersions(quiz, 2, [0, 1, 'Rhine']);
    const [first, second] = quiz.questions.map(({ id }) => id);
    await keyTo(quiz, 0);
    await owner.patch(`/questions/${second}`, { answers: options(1, 'Rome', 'Milan') }).expect(200);
    expect(await scoresOf(quiz)).toEqual({ p1: 1, p2: 1 });
    const release = await lock(quiz);
    const requested = [];
    for (const question of [first, second]) {
      requested.push(regrade(quiz, { questionIds: [question] }));
      await waiting(requested.length);
    }
    await release();
    await Promise.all(requested);
    expect(await scoresOf(quiz)).toEqual({ p1: 3, p2: 3 });
    expect(
      await service.app.get(RegradeService).earlierKeys(owner.accountId, quiz.id),
    ).toMatchObject({ attempts: 0 });
    // How many scores each of them has changed is not known.
    expect(await auditedOf(quiz)).toEqual(['2 attempts', '2 attempts']);
    await countedAgain(quiz);
  });

  it.each([
    ['scores the rest itself', true, 200, [3, 3, 3]],
    ['says so if there is no room for them', false, 422, [2, 2, 3]],
  ])(
    'a regrade whose last attempts were left by another request %s',
    async (_, hasRoom, status, scores) => {
      const quiz = await quizOf();
      await playVersions(quiz, 3);
      await keyTo(quiz, 0);
      const { snapshots } = LIMITS.storage;
      const before = snapshots.value;
      const stored = await storedBytes();
      // The other request ends the regrade when one of the three versions is done.
      await service.database.query(`
      CREATE FUNCTION end_regrade() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN DELETE FROM quiz_regrades WHERE quiz_id = NEW.quiz_id; RETURN NULL; END';
      CREATE TRIGGER ended AFTER UPDATE ON quiz_regrades FOR EACH ROW
        WHEN (cardinality(NEW.snapshot_ids) = 2) EXECUTE FUNCTION end_regrade()`);
      try {
        if (!hasRoom) snapshots.value = stored + 10;
        const { body, headers } = await owner
          .post(`/quizzes/${quiz.id}/regrade`, {})
          .expect(status);
        if (hasRoom) expect(body.data).toEqual({ attempts: 3, changed: 3 });
        else expect(headers['x-error-code']).toBe('too-many-versions');
      } finally {
        snapshots.value = before;
        await service.database.query('DROP FUNCTION end_regrade CASCADE');
      }
      expect(Object.values(await scoresOf(quiz)).sort()).toEqual(scores);
    },
  );

  it('two workers share a regrade, which makes one event and one notice with the totals', async () => {
    const quiz = await quizOf();
    await playVersions(quiz, 4);
    await keyTo(quiz, 0);
    await leftToWorker(quiz);
    await Promise.all([runWorker(), runWorker()]);
    expect(await scoresOf(quiz)).toEqual({ p1: 3, p2: 3, p3: 3, p4: 3 });
    expect(await regradedEvents(quiz)).toEqual([{ attempts: 4, changed: 4 }]);
    expect(await noticesOf(quiz)).toEqual([
      expect.objectContaining({ detail: 'Attempts: 4. With another score: 4.' }),
    ]);
  });

  it.each([
    [
      'a request',
      async (quiz: MadeQuiz) => owner.post(`/quizzes/${quiz.id}/regrade`, {}).expect(500),
    ],
    [
      'the worker',
      async (quiz: MadeQuiz) => {
        await leftToWorker(quiz);
        await expect(runWorker()).rejects.toThrow('broken');
      },
    ],
  ])(
    'that fails half-way in %s is finished by the worker, with one event of all attempts',
    async (_, fail) => {
      const quiz = await quizOf();
      await playVersions(quiz, 2);
      await keyTo(quiz, 0);
      const sql = `ALTER TABLE outbox_events ADD CONSTRAINT broken CHECK (name <> 'quiz.regraded') NOT VALID`;
      await service.database.query(sql);
      try {
        await fail(quiz);
      } finally {
        await service.database.query('ALTER TABLE outbox_events DROP CONSTRAINT broken');
      }
      // The last batch is rolled back with its event.
      expect(Object.values(await scoresOf(quiz)).sort()).toEqual([2, 3]);
      service.clock.advance(11 * 60_000);
      await runWorker();
      expect(await scoresOf(quiz)).toEqual({ p1: 3, p2: 3 });
      expect(await regradedEvents(quiz)).toEqual([{ attempts: 2, changed: 2 }]);
      expect(await noticesOf(quiz)).toHaveLength(1);
      await countedAgain(quiz);
    },
  );

  it.each([
    [
      'a request',
      async (quiz: MadeQuiz) =>
        void (await owner.post(`/quizzes/${quiz.id}/regrade`, {}).expect(422)),
      [],
    ],
    [
      'the worker',
      async (quiz: MadeQuiz) => {
        await leftToWorker(quiz);
        await runWorker();
      },
      [
        {
          title: expect.stringMatching(/^Some attempts at .* could not be scored again$/),
          detail: expect.stringMatching(/ Scored again until then: 1. With another score: 1.$/),
        },
      ],
    ],
  ])(
    'that finds no room for its last attempts announces the others, run by %s',
    async (_, run, notices) => {
      const quiz = await quizOf();
      await playVersions(quiz, 2);
      const { snapshots } = LIMITS.storage;
      const before = snapshots.value;
      const stored = await storedBytes();
      await keyTo(quiz, 0);
      try {
        snapshots.value = stored + 10;
        await run(quiz);
      } finally {
        snapshots.value = before;
      }
      expect(Object.values(await scoresOf(quiz)).sort()).toEqual([2, 3]);
      expect(await regradedEvents(quiz)).toEqual([{ attempts: 1, changed: 1 }]);
      expect(await noticesOf(quiz)).toEqual(notices);
    },
  );

  it('a regrade whose quiz is deleted meanwhile keeps no other one waiting', async () => {
    const [deleted, other] = [await quizOf(), await quizOf()];
    for (const quiz of [deleted, other]) {
      await play(quiz, 'Ada', [0, 0, 'Rhine']);
      await keyTo(quiz, 0);
      await leftToWorker(quiz);
    }
    await owner.delete(`/quizzes/${deleted.id}`).expect(204);
    await runWorker();
    expect(await scoresOf(other)).toEqual({ Ada: 3 });
    await service.app.get(AttemptRetention).prune();
    expect(await service.database.query('SELECT FROM quiz_regrades')).toEqual([]);
  });

  it('a regrade whose key is changed back before the worker begins is announced with 0 attempts, as promised', async () => {
    const quiz = await quizOf();
    await playVersions(quiz, 2);
    await keyTo(quiz, 0);
    await leftToWorker(quiz);
    await keyTo(quiz, 1);
    await runWorker();
    expect(await scoresOf(quiz)).toEqual({ p1: 2, p2: 2 });
    expect(await regradedEvents(quiz)).toEqual([{ attempts: 0, changed: 0 }]);
    expect(await noticesOf(quiz)).toEqual([
      expect.objectContaining({ detail: 'Attempts: 0. With another score: 0.' }),
    ]);
  });

  it('a regrade that the worker finishes because its request has died is not announced if only attempts in progress were left', async () => {
    const quiz = await quizOf();
    const attempt = await start(quiz, 'Ada');
    await answer(quiz, attempt, [0]);
    await keyTo(quiz, 0);
    await play(quiz, 'Bob', [0]);
    await leftByDeadRequest(quiz);
    await runWorker();
    expect(await service.database.query('SELECT FROM quiz_regrades')).toEqual([]);
    expect(await regradedEvents(quiz)).toEqual([]);
    expect(await noticesOf(quiz)).toEqual([]);
    expect((await submit(attempt)).score).toBe(1);
  });

  it('a regrade that the worker finishes because its request has died is announced to a further request, as promised', async () => {
    const quiz = await quizOf();
    await play(quiz, 'Ada', [0]);
    await keyTo(quiz, 0);
    await leftByDeadRequest(quiz);
    const { body } = await owner.post(`/quizzes/${quiz.id}/regrade`, {}).expect(202);
    expect(body.data).toEqual({ attempts: 1, changed: null });
    await keyTo(quiz, 1);
    await runWorker();
    expect(await regradedEvents(quiz)).toEqual([{ attempts: 0, changed: 0 }]);
    expect(await noticesOf(quiz)).toHaveLength(1);
  });

  it('attempts that retention has deleted keep their part of the averages', async () => {
    const quiz = await quizOf();
    await play(quiz, 'Ada', [0, 0, 'Rhine']);
    service.clock.advance(91 * 86_400_000);
    await service.app.get(AttemptRetention).prune();
    await keyTo(quiz, 0);
    expect(await regrade(quiz)).toEqual({ attempts: 0, changed: 0 });
    expect(await statisticsOf(quiz)).toMatchObject({
      attempts: 1,
      questions: [{ correct: 1 }, {}, {}],
    });
  });
});

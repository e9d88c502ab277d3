import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { takeAttemptsUpTo } from '../../src/access/attempt-limits/attempt-limits.queries';
import { migrate, MIGRATION_NAMES } from '../../src/platform/database/migrate';
import { emptyDatabase } from '../support/database';
import { questionBody, quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { createQuiz } from '../support/writing';

/** What holds while many write at once. */

let service: Service;
beforeAll(async () => {
  service = await startService({ QUIZ_QUOTA_STARTER: '5' });
});
afterAll(() => service.close());

interface Question {
  id: string;
  text: string;
  order: number;
}
const times = <T>(count: number, task: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => task(index)));

test('concurrent batches into one quiz are contiguous, complete and counted', async () => {
  const account = await service.account('pro', { isAdmin: true });
  const quizId = await createQuiz(account, { category: 'Crowded' });
  const difficulties = ['EASY', 'MEDIUM', 'HARD', 'EXPERT'];
  const size = (client: number) => 1 + (client % 7);
  const answers = await times(16, async (client) => {
    const own: Question[][] = [];
    for (let round = 0; round < 3; round++) {
      const questions = Array.from({ length: size(client) }, (_, index) =>
        questionBody({ text: `${client}/${round}/${index}`, difficulty: difficulties[client % 4] }),
      );
      const { body } = await account
        .post(`/quizzes/${quizId}/questions/batch`, { questions })
        .expect(201);
      own.push((body as { data: { questions: Question[] } }).data.questions);
    }
    return own;
  });
  const { body } = await account.get(`/quizzes/${quizId}`).expect(200);
  const quiz = (body as { data: { questionCount: number; questions: Question[] } }).data;
  const total = answers.flat(2).length;
  expect(quiz.questionCount).toBe(total);
  expect(quiz.questions.map(({ order }) => order)).toEqual(
    Array.from({ length: total }, (_, index) => index + 1),
  );
  // Every batch stands as one piece, in its own order, where its answer said that it stands.
  for (const batch of answers.flat()) {
    const first = (batch[0] as Question).order;
    expect(quiz.questions.slice(first - 1, first - 1 + batch.length)).toEqual(batch);
    expect(batch.map(({ text }) => text.split('/')[2])).toEqual(
      batch.map((_, index) => `${index}`),
    );
  }
  const counts = await service.database.query<{ difficulty: string; n: number }[]>(
    `SELECT difficulty, sum(n)::int AS n
     FROM catalog_counts, unnest(counts_by_kind) WITH ORDINALITY AS k (n, index) JOIN question_kinds USING (index)
     WHERE tag_key = '' AND category_key = 'crowded' GROUP BY difficulty ORDER BY difficulty`,
  );
  const expected = await service.database.query<{ difficulty: string; n: number }[]>(
    `SELECT difficulty, count(*)::int AS n FROM questions WHERE quiz_id = $1 GROUP BY difficulty ORDER BY difficulty`,
    [quizId],
  );
  expect(counts).toEqual(expected);
  expect(counts).toHaveLength(4);
});

test('of 12 concurrent creations for the last 3 places exactly 3 succeed', async () => {
  const account = await service.account('starter');
  await createQuiz(account);
  await createQuiz(account);
  const statuses = await times(12, async (index) => {
    const response = await account.post('/quizzes', quizBody({ title: `Racer ${index}` }));
    return response.status;
  });
  expect(statuses.filter((status) => status === 201)).toHaveLength(3);
  expect(statuses.filter((status) => status === 403)).toHaveLength(9);
  const [row] = await service.database.query<object[]>(
    `SELECT count(*)::int AS quizzes,
       (SELECT count(*)::int FROM outbox_events WHERE account_id = $1 AND name = 'quiz.created') AS events
     FROM quizzes WHERE owner_id = $1`,
    [account.accountId],
  );
  expect(row).toEqual({ quizzes: 5, events: 5 });
});

test('ten concurrent quizzes of one title get different slugs', async () => {
  const holders = await times(5, () => service.account('pro'));
  const ids = await times(10, (index) =>
    createQuiz(holders[index % 5] as TestAccount, { title: 'Same title' }),
  );
  const slugs = (
    await service.database.query<{ slug: string }[]>(
      'SELECT slug FROM quizzes WHERE id = ANY($1::uuid[])',
      [ids],
    )
  ).map(({ slug }) => slug);
  expect(new Set(slugs).size).toBe(10);
  expect(slugs.filter((slug) => slug === 'same-title')).toHaveLength(1);
  for (const slug of slugs) expect(slug).toMatch(/^same-title(-[0-9a-f]{8})?$/);
});

test('public counters are correct after concurrent changes', async () => {
  const admins = await times(4, () => service.account('free', { isAdmin: true }));
  const tags = ['red', 'green', 'blue', 'white'];
  await times(16, async (index) => {
    const account = admins[index % 4] as TestAccount;
    const turned = [...tags.slice(index % 4), ...tags.slice(0, index % 4)];
    const quizId = await createQuiz(account, { category: `Colours ${index % 2}`, tags: turned });
    await account
      .post(`/quizzes/${quizId}/questions/batch`, { questions: [questionBody()] })
      .expect(201);
  });
  const count = async (tag: string, category: string) =>
    (
      await service.database.query<object[]>(
        `SELECT sum(quizzes)::int AS quizzes, sum(question_count)::int AS questions FROM catalog_counts
         WHERE tag_key = $1 AND category_key LIKE $2`,
        [tag, category],
      )
    )[0];
  for (const tag of ['', ...tags]) {
    expect(await count(tag, 'colours %')).toEqual({ quizzes: 16, questions: 16 });
    expect(await count(tag, 'colours 1')).toEqual({ quizzes: 8, questions: 8 });
  }
  for (const tag of tags) expect(await count(tag, ' ')).toEqual({ quizzes: 16, questions: 16 });
});

test('four concurrent migrations of an empty database succeed and run each migration once', async () => {
  const database = await emptyDatabase();
  try {
    const done = await times(4, () => migrate(database.url));
    expect(await migrate(database.url)).toEqual([]);
    const source = await new DataSource({ type: 'postgres', url: database.url }).initialize();
    try {
      const names = await source.query<{ name: string }[]>(
        'SELECT name FROM schema_migrations ORDER BY run_at',
      );
      expect(names.map(({ name }) => name)).toEqual(MIGRATION_NAMES);
      expect(done.flat().sort()).toEqual([...MIGRATION_NAMES].sort());
    } finally {
      await source.destroy();
    }
  } finally {
    await database.drop();
  }
});

test('attempts under many keys are counted in one order in every transaction, so that none block each other', async () => {
  const keys = Array.from({ length: 60 }, () => randomUUID());
  const [now, ends] = [new Date(), new Date(Date.now() + 60_000)];
  // What is there before decides in which order PostgreSQL would find them.
  for (const some of [keys.slice(0, 20), keys]) {
    const times = new Map(some.map((key) => [key, 1]));
    const rows = await service.database.transaction((tx) =>
      takeAttemptsUpTo(tx, times, 10, now, ends),
    );
    expect(rows.map(({ key }) => key)).toEqual([...some].sort());
  }
});

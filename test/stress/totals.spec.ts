import type { EntityManager } from 'typeorm';
import { BatchImportService } from '../../src/authoring/questions/batch-import.service';
import type { BatchQuestionInput } from '../../src/authoring/questions/questions.dto';
import { ReviewService } from '../../src/authoring/review/review.service';
import { DIFFICULTIES, QUESTION_TYPES } from '../../src/catalog/vocabulary';
import { choices } from '../support/choices';
import { makeQuiz, queryOf } from '../support/content';
import { countersEqualCounts } from '../support/counters';
import { questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** Totals come from counters that the database keeps; here they are held against a plain count(*). */
describe('totals after random changes', () => {
  let service: Service;
  let admin: TestAccount;
  let owner: TestAccount;

  beforeAll(async () => {
    service = await startService({ QUIZ_QUOTA_PRO: '1000' });
    admin = await service.account('pro', { isAdmin: true });
    owner = await service.account('pro');
  });

  afterAll(() => service.close());

  const CATEGORIES = ['Art', 'ART', 'Biology', undefined];
  /** More tags than are looked up one by one; nobody uses them. */
  const MANY = Array.from({ length: 18 }, (_, number) => `unused ${number}`).join(',');
  const TAGS = ['a', 'A', 'b', 'c', 'd'];

  const questions = (pick: ReturnType<typeof choices>) =>
    Array.from({ length: 1 + pick.upTo(6) }, () =>
      questionBody({
        type: pick.of(QUESTION_TYPES),
        difficulty: pick.of(DIFFICULTIES),
        answers: questionBody().answers.slice(0, 2),
      }),
    ) as BatchQuestionInput[];

  /** One change to a random quiz. Whether a service or plain SQL makes it must not matter. */
  async function change(ids: string[], pick: ReturnType<typeof choices>): Promise<void> {
    const review = service.app.get(ReviewService);
    const id = pick.of(ids);
    const run = <T>(sql: string, ...values: unknown[]) =>
      service.database.query<T>(sql, [id, ...values]);
    const kinds: (() => Promise<unknown>)[] = [
      () => review.setPublished(id, true),
      () => review.setPublished(id, false),
      () => review.approve(id),
      () => review.reject(id, 'No.'),
      async () => {
        const [{ owner_id: accountId }] = await run<[{ owner_id: string }]>(
          'SELECT owner_id FROM quizzes WHERE id = $1',
        );
        await service.app.get(BatchImportService).import({ accountId }, id, questions(pick));
      },
      async () => {
        await run('DELETE FROM quizzes WHERE id = $1');
        ids.splice(ids.indexOf(id), 1);
      },
      () => run('UPDATE quizzes SET difficulty = $2 WHERE id = $1', pick.of(DIFFICULTIES)),
      () => {
        const name = pick.of(['Art', 'Chess']);
        return run(
          'UPDATE quizzes SET category = $2, category_key = $3 WHERE id = $1',
          name,
          name.toLowerCase(),
        );
      },
      () =>
        run('UPDATE quizzes SET tags = $2, tag_keys = $2 WHERE id = $1', [
          pick.of(['a', 'b']),
          'z',
        ]),
      // Several versions in one transaction, and one that is never committed.
      () =>
        service.database.transaction(async (tx: EntityManager) => {
          for (const published of [false, true, false, true])
            await tx.query('UPDATE quizzes SET published = $2 WHERE id = $1', [id, published]);
        }),
      () =>
        service.database
          .transaction(async (tx: EntityManager) => {
            await tx.query('DELETE FROM quizzes WHERE id = $1', [id]);
            throw new Error('undone');
          })
          .catch((error: Error) => {
            if (error.message !== 'undone') throw error;
          }),
    ];
    await pick.of(kinds)();
  }

  /** The totals that the API gives to somebody, against count(*) of what they may see. */
  async function totalsEqualCounts(caller: TestAccount): Promise<void> {
    const visible = `((published AND approval = 'approved') OR owner_id = '${caller.accountId}')`;
    const quizzes: [Record<string, string | string[]>, string][] = [
      [{}, 'true'],
      [{ category: 'art' }, `category_key = 'art'`],
      [{ difficulty: 'HARD' }, `difficulty = 'HARD'`],
      [{ category: 'art', difficulty: 'EASY' }, `category_key = 'art' AND difficulty = 'EASY'`],
      [{ category: ['art', 'biology', 'none'] }, `category_key IN ('art', 'biology')`],
      [{ difficulty: ['EASY', 'HARD'] }, `difficulty IN ('EASY', 'HARD')`],
      [
        { tags: 'a,b', category: ['art', 'chess'], difficulty: ['EASY', 'HARD'] },
        `tag_keys && '{a,b}' AND category_key IN ('art', 'chess') AND difficulty IN ('EASY', 'HARD')`,
      ],
      [{ tags: 'a' }, `'a' = ANY (tag_keys)`],
      [{ tags: 'a,b,z' }, `tag_keys && '{a,b,z}'`],
      [{ tags: 'a,b', tags_match: 'all' }, `tag_keys @> '{a,b}'`],
      [{ tags: 'none,b,z', tags_match: 'all' }, `false`],
      [{ tags: `a,b,${MANY}` }, `tag_keys && '{a,b}'`],
      [{ tags: `a,b,${MANY}`, tags_match: 'all' }, `false`],
      [
        { tags: 'a,b', category: 'art', difficulty: 'HARD' },
        `tag_keys && '{a,b}' AND category_key = 'art' AND difficulty = 'HARD'`,
      ],
      [{ topic: 'uiz' }, `title ILIKE '%uiz%'`],
      [{ topic: 'UI' }, `title ILIKE '%ui%'`],
      [{ topic: '%' }, `false`],
      [{ topic: 'z' }, `title ILIKE '%z%'`],
      [{ topic: 'uiz', category: 'art' }, `category_key = 'art'`],
      [{ topic: 'ui', tags: 'a,b' }, `tag_keys && '{a,b}'`],
    ];
    for (const [parameters, condition] of quizzes) {
      const { body } = await caller.get(`/quizzes${queryOf(parameters)}`).expect(200);
      const [{ count }] = await service.database.query<[{ count: string }]>(
        `SELECT count(*) FROM quizzes WHERE ${visible} AND ${condition}`,
      );
      expect([parameters, body.meta.total]).toEqual([parameters, Number(count)]);
    }
    const questionFilters: [Record<string, string>, string][] = [
      [{}, 'true'],
      [{ category: 'art,biology' }, `z.category_key IN ('art', 'biology')`],
      [{ difficulty: 'easy,hard' }, `q.difficulty IN ('EASY', 'HARD')`],
      [{ type: 'OPEN_ENDED' }, `q.type = 'OPEN_ENDED'`],
      [
        { type: 'TRUE_FALSE', difficulty: 'expert', category: 'art' },
        `q.type = 'TRUE_FALSE' AND q.difficulty = 'EXPERT' AND z.category_key = 'art'`,
      ],
      [{ tags: 'b,z' }, `tag_keys && '{b,z}'`],
      [{ tags: 'b' }, `'b' = ANY (tag_keys)`],
      [
        { tags: 'b', category: 'art,chess' },
        `'b' = ANY (tag_keys) AND z.category_key IN ('art', 'chess')`,
      ],
      [{ topic: 'uiz' }, 'true'],
      [{ topic: 'none' }, 'false'],
      [
        { topic: 'a quiz', tags: 'a,b', type: 'OPEN_ENDED', difficulty: 'hard' },
        `tag_keys && '{a,b}' AND q.type = 'OPEN_ENDED' AND q.difficulty = 'HARD'`,
      ],
      [
        { topic: 'z', tags: 'a', category: 'art' },
        `'a' = ANY (tag_keys) AND z.category_key = 'art'`,
      ],
      [{ topic: 'chess' }, 'false'],
      [{ tags: `none,b,${MANY}` }, `'b' = ANY (tag_keys)`],
      [{ tags: `b,a,${MANY}`, tags_match: 'all' }, `false`],
      [
        { tags: 'z,a', category: 'art,chess', type: 'OPEN_ENDED' },
        `tag_keys && '{a,z}' AND z.category_key IN ('art', 'chess') AND q.type = 'OPEN_ENDED'`,
      ],
      [
        { tags: 'a,b', tags_match: 'all', difficulty: 'easy' },
        `tag_keys @> '{a,b}' AND q.difficulty = 'EASY'`,
      ],
    ];
    for (const [parameters, condition] of questionFilters) {
      const { body } = await caller.get(`/questions${queryOf(parameters)}`).expect(200);
      const [{ count }] = await service.database.query<[{ count: string }]>(
        `SELECT count(*) FROM questions q JOIN quizzes z ON z.id = q.quiz_id
         WHERE ${visible.replace('owner_id', 'z.owner_id')} AND ${condition}`,
      );
      expect([parameters, body.meta.total]).toEqual([parameters, Number(count)]);
      await countsEqual(caller, parameters, condition);
      const [some] = body.data as { id: string }[];
      if (some)
        await countsEqual(
          caller,
          { ...parameters, exclude: some.id },
          `${condition} AND q.id <> '${some.id}'`,
        );
    }
  }

  /** GET /questions/counts, against counts of what somebody may see. */
  async function countsEqual(
    caller: TestAccount,
    parameters: Record<string, string>,
    condition: string,
  ): Promise<void> {
    const rows = await service.database.query<{ key: string; [column: string]: unknown }[]>(
      `SELECT z.category_key AS key, q.difficulty, q.type, count(*)::int AS n
       FROM questions q JOIN quizzes z ON z.id = q.quiz_id
       WHERE ((published AND approval = 'approved') OR z.owner_id = '${caller.accountId}') AND ${condition}
       GROUP BY 1, 2, 3`,
    );
    const sumBy = (column: string, zeros: readonly string[] = []) => {
      const sums: Record<string, number> = Object.fromEntries(zeros.map((zero) => [zero, 0]));
      for (const row of rows) {
        const key = row[column] as string;
        sums[key] = (sums[key] ?? 0) + (row.n as number);
      }
      return sums;
    };
    const { body } = await caller.get(`/questions/counts${queryOf(parameters)}`).expect(200);
    const { byCategory, ...data } = body.data as { byCategory: Record<string, number> };
    expect([parameters, data]).toEqual([
      parameters,
      {
        total: rows.reduce((sum, { n }) => sum + (n as number), 0),
        byDifficulty: sumBy('difficulty', DIFFICULTIES),
        byType: sumBy('type', QUESTION_TYPES),
      },
    ]);
    const byKey = Object.entries(byCategory).map(([name, n]) => [name.toLowerCase(), n]);
    expect([parameters, Object.fromEntries(byKey)]).toEqual([parameters, sumBy('key')]);
  }

  it.each([1, 2, 3])('totals equal count(*) after random changes (series %d)', async (seed) => {
    const pick = choices(seed);
    const ids: string[] = [];
    for (let step = 0; step < 90; step++) {
      if (step % 4 === 0 || ids.length === 0) {
        const tags = TAGS.filter(() => pick.upTo(2) === 0);
        const quiz = await makeQuiz(
          pick.of([admin, owner]),
          {
            title: 'A quiz',
            category: pick.of(CATEGORIES),
            difficulty: pick.of(DIFFICULTIES),
            tags,
            published: pick.upTo(3) > 0,
          },
          pick.upTo(2) === 0 ? questions(pick) : [],
        );
        ids.push(quiz.id);
      }
      await change(ids, pick);
      if (step % 15 === 14) await countersEqualCounts(service.database);
    }
    await countersEqualCounts(service.database);
    for (const caller of [admin, owner, await service.account('free')])
      await totalsEqualCounts(caller);
    service.clock.advance(5_000);
    const { stats } = (await service.get('/metadata')).body.data as { stats: object };
    const [truth] = await service.database.query<object[]>(`
      SELECT count(*)::int AS "totalQuizzes", coalesce(sum(question_count), 0)::int AS "totalQuestions"
      FROM quizzes WHERE is_public`);
    expect(stats).toEqual(truth);
  });

  it('totals equal count(*) when many writers change the same categories and tags concurrently', async () => {
    const review = service.app.get(ReviewService);
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        makeQuiz(
          admin,
          {
            title: 'A quiz',
            category: CATEGORIES[index % 3],
            tags: ['b', 'a', 'c'].slice(index % 3),
          },
          [questionBody()],
        ),
      ),
    );
    await Promise.all(
      made.flatMap(({ id }, index) => [
        review.setPublished(id, index % 2 === 0),
        service.app.get(BatchImportService).import(admin, id, questions(choices(index))),
        index % 3 === 0 ? review.reject(id, 'No.') : review.approve(id),
      ]),
    );
    await countersEqualCounts(service.database);
    await totalsEqualCounts(owner);
  });

  it('counts name the 100 categories with the most questions, and the total has all', async () => {
    const many = await service.account('pro', { isAdmin: true });
    for (let number = 0; number <= 100; number++) {
      const fields = { category: `Category ${number}`, tags: ['many'], published: number > 50 };
      await makeQuiz(
        many,
        fields,
        // Of these, one is the last by name, and one the last that was made.
        number >= 99 ? [questionBody(), questionBody({ text: 'Another?' })] : [questionBody()],
      );
    }
    const { body } = await many.get('/questions/counts?tags=many').expect(200);
    const { total, byCategory } = body.data as { total: number; byCategory: object };
    expect(total).toBe(103);
    expect(byCategory).toMatchObject({ 'Category 99': 2, 'Category 100': 2 });
    expect(Object.keys(byCategory)).toHaveLength(100);
  });
});

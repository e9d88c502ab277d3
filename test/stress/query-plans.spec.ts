import type { DataSource, EntityManager } from 'typeorm';
import { findAccountRows } from '../../src/access/administration/account-administration.queries';
import { rebuildCounters } from '../../src/catalog/discovery/counters.queries';
import { type CatalogFilter, readFilter } from '../../src/catalog/filters.queries';
import { findQuestionPage } from '../../src/catalog/questions/browse.queries';
import { countQuestions, findCountsJson } from '../../src/catalog/questions/counts.queries';
import { QuestionFilterQuery } from '../../src/catalog/questions/questions.dto';
import { findShuffledPage } from '../../src/catalog/questions/shuffle.queries';
import { OwnedQuizzesService } from '../../src/catalog/quizzes/owned-quizzes.service';
import {
  countQuizzes,
  findQuizDetail,
  findQuizDetailJson,
  findQuizPage,
} from '../../src/catalog/quizzes/quiz.queries';
import { QUIZ_ORDERS } from '../../src/catalog/vocabulary';
import { findPictureIds } from '../../src/media/archived-pictures.queries';
import type { JsonText } from '../../src/platform/http/server/text-response';
import { findUnfinished } from '../../src/play/results/results.queries';
import { type Service, startService } from '../support/service';

const QUIZZES = 20_000;
const QUESTIONS_EACH = 4;

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Node[];
}

/**
 * How PostgreSQL runs the statements of lists, with some ten thousand rows: no page may read a whole table of content,
 * and the common ones may not read much more than they show.
 */
describe('query plans', () => {
  let service: Service;
  let owner: string;
  let quizId: string;
  let plans: Node[][];
  /** Runs what it is given, and notes how. */
  let watched: EntityManager;

  beforeAll(async () => {
    service = await startService();
    const writer = await service.account('pro', { isAdmin: true });
    owner = (await service.account('pro')).accountId;
    await fill(service, writer.accountId, owner);
    const [row] = await service.database.query<[{ id: string }]>(
      'SELECT id FROM quizzes WHERE is_public LIMIT 1',
    );
    quizId = row.id;
    watched = watching(service.database.manager);
  });

  const watching = (database: EntityManager) =>
    ({
      query: async (asked: string | { text: string }, values: unknown[]) => {
        const sql = typeof asked === 'string' ? asked : asked.text;
        const [explained] = await database.query<[{ 'QUERY PLAN': [{ Plan: Node }] }]>(
          `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
          values,
        );
        plans.push(nodesOf(explained['QUERY PLAN'][0].Plan));
        return database.query<unknown>(sql, values);
      },
    }) as unknown as EntityManager;

  beforeEach(() => {
    plans = [];
  });

  afterAll(() => service.close());

  const everything: CatalogFilter = {
    categories: [],
    difficulties: [],
    types: [],
    tags: [],
    tagsMatch: 'any',
    languages: [],
    exclude: [],
  };

  /** Read from the beginning: no page is past the middle. */
  const quizPage = (filter: CatalogFilter, page: Parameters<typeof findQuizPage>[3]) =>
    findQuizPage(watched, owner, filter, page, Infinity);

  /** Rows that the scans of a statement, or of the last one, took in their hands, kept or not. */
  const touched = (plan = plans.at(-1) ?? []) =>
    plan
      .filter((node) => node['Node Type'].includes('Scan') && node['Relation Name'])
      .reduce(
        (sum, node) =>
          sum +
          (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
        0,
      );
  const indexes = () => (plans.at(-1) ?? []).map((node) => node['Index Name']).filter(Boolean);
  const expectNoSequentialScan = () =>
    expect(
      plans
        .flat()
        .filter(
          (node) =>
            node['Node Type'] === 'Seq Scan' &&
            /^(quizzes|questions|quiz_tags|quiz_search|question_search)$/.test(
              node['Relation Name'] ?? '',
            ),
        ),
    ).toEqual([]);

  it.each(QUIZ_ORDERS)('a quiz list by %s reads its partial index up to the page', async (sort) => {
    const page = { sort, limit: 10, offset: 30 };
    expect(rowsOf(await quizPage(everything, page))).toHaveLength(10);
    expect(indexes()).toContain(`quizzes_${sort}_idx`);
    expect(touched()).toBeLessThan(300);
    for (const categories of [['category 3'], ['category 3', 'category 19', 'category 7']]) {
      const found = await quizPage({ ...everything, categories }, page);
      expect(rowsOf(found)).toHaveLength(10);
      expect(indexes()).toContain(`quizzes_category_${sort}_idx`);
      expect(touched()).toBeLessThan(300);
    }
    const hard = await quizPage({ ...everything, difficulties: ['HARD'] }, page);
    expect(rowsOf(hard)).toHaveLength(10);
    expect(indexes()).toContain(`quizzes_${sort}_idx`);
    expect(touched()).toBeLessThan(1_000);
    expectNoSequentialScan();
  });

  it('a quiz list skips earlier pages by an index-only scan', async () => {
    await quizPage(everything, { sort: 'title', limit: 10, offset: 5_000 });
    const scan = plans[0]?.find((node) => node['Index Name'] === 'quizzes_title_idx');
    expect(scan?.['Node Type']).toBe('Index Only Scan');
  });

  it.each([
    ['common tag', { ...everything, tags: ['tag 1'] }],
    ['rare tag', { ...everything, tags: ['tag 999'] }],
    ['unknown tag', { ...everything, tags: ['none'] }],
    ['any of two tags', { ...everything, tags: ['tag 20', 'tag 999'] }],
    ['all of two tags', { ...everything, tags: ['tag 20', 'rest 20'], tagsMatch: 'all' }],
    ['tag in a category', { ...everything, tags: ['tag 20'], categories: ['category 20'] }],
    ['language of most quizzes', { ...everything, languages: ['en'] }],
    ['rare language', { ...everything, languages: ['eo'] }],
    ['several languages', { ...everything, languages: ['eo', 'de-AT', 'fr'] }],
    ['unknown language', { ...everything, languages: ['zu'] }],
    ['language and category', { ...everything, languages: ['de'], categories: ['category 20'] }],
    ['language and tag', { ...everything, languages: ['de'], tags: ['tag 20'] }],
    ['topic', { ...everything, topic: 'quiz 1234' }],
    ['unknown topic', { ...everything, topic: 'nothing like it' }],
  ] as [string, CatalogFilter][])(
    'a quiz list and its total by %s need no sequential scan',
    async (_, filter) => {
      await quizPage(filter, { sort: 'popular', limit: 10, offset: 0 });
      expect(touched()).toBeLessThan(QUIZZES / 4);
      await countQuizzes(watched, owner, filter);
      expect(touched()).toBeLessThan(QUIZZES / 4);
      expectNoSequentialScan();
    },
  );

  it('a quiz list by any of several tags scans the order once, not once per tag', async () => {
    const tags = Array.from({ length: 8 }, (_, number) => `rest ${number}`);
    const page = { sort: 'popular', limit: 10, offset: 200 } as const;
    const found = await quizPage({ ...everything, tags }, page);
    expect(rowsOf(found)).toHaveLength(10);
    const ofQuizzes = plans.flat().filter((node) => node['Relation Name'] === 'quizzes');
    // The two arms, and the rows of the page.
    expect(ofQuizzes).toHaveLength(3);
  });

  it.each(['ab', '...', 'c++', '😀😀😀'])(
    'a topic without three consecutive letters does not use the trigram index (%s)',
    (topic) =>
      service.database.transaction(async (tx) => {
        // As with a million quizzes: the index looks cheaper than it is.
        await tx.query('SET LOCAL enable_seqscan = off');
        await countQuizzes(watching(tx), owner, { ...everything, topic });
        expect(indexes()).not.toContain('quiz_search_content_idx');
        await countQuizzes(watching(tx), owner, { ...everything, topic: `${topic} 1234` });
        expect(indexes()).toContain('quiz_search_content_idx');
      }),
  );

  it("the total of a filtered list counts only the caller's private quizzes", async () => {
    await countQuizzes(watched, owner, everything);
    expect(touched()).toBeLessThan(200);
    await countQuizzes(watched, owner, {
      ...everything,
      categories: ['category 3'],
      difficulties: ['HARD'],
    });
    expect(touched()).toBeLessThan(200);
    expectNoSequentialScan();
  });

  it("the administrators' list of all quizzes reads the page, and a filter the rows that match", async () => {
    const all = new OwnedQuizzesService(watched as unknown as DataSource);
    const page = { limit: 25, offset: 50 };
    expect(await all.list(null, { sort: 'newest' }, page)).toHaveLength(25);
    expect(touched()).toBeLessThan(150);
    expect(await all.count(null, { search: 'quiz 1234' })).toBe(11);
    expect(touched()).toBeLessThan(150);
    expect(await all.count(null, { category: 'no such' })).toBe(0);
    expect(await all.count(null, { state: 'rejected' })).toBe(0);
    expectNoSequentialScan();
  });

  it('quiz detail reads the quiz and its questions only', async () => {
    expect(await findQuizDetail(watched, owner, quizId)).toMatchObject({ id: quizId });
    expect(touched()).toBe(1 + QUESTIONS_EACH);
    const json = await findQuizDetailJson(watched, owner, quizId);
    expect(JSON.parse(String(json?.text))).toMatchObject({ id: quizId });
    expect(touched()).toBe(1 + QUESTIONS_EACH);
    expectNoSequentialScan();
  });

  it.each([
    ['everything', everything, undefined],
    ['a difficulty', { ...everything, difficulties: ['HARD'] }, undefined],
    ['a category', { ...everything, categories: ['category 3'] }, undefined],
    [
      'a category, difficulty and type',
      { ...everything, categories: ['category 3'], difficulties: ['HARD'], types: ['TRUE_FALSE'] },
      'questions_facets_idx',
    ],
    ['two categories', { ...everything, categories: ['category 3', 'category 19'] }, undefined],
    ['a common tag', { ...everything, tags: ['tag 1'] }, undefined],
    ['a rare tag', { ...everything, tags: ['tag 999'] }, undefined],
    ['an unknown tag', { ...everything, tags: ['none'] }, undefined],
    [
      'all of two tags',
      { ...everything, tags: ['tag 20', 'rest 20'], tagsMatch: 'all' },
      undefined,
    ],
    ['a language of most quizzes', { ...everything, languages: ['en'] }, undefined],
    ['a rare language', { ...everything, languages: ['eo'] }, undefined],
    ['several languages', { ...everything, languages: ['eo', 'de-AT', 'fr'] }, undefined],
    ['an unknown language', { ...everything, languages: ['zu'] }, undefined],
    ['a language and a tag', { ...everything, languages: ['de'], tags: ['tag 20'] }, undefined],
    ['a topic', { ...everything, topic: 'quiz 1234' }, undefined],
    ['an unknown topic', { ...everything, topic: 'nothing like it' }, undefined],
    ['a topic and a tag', { ...everything, topic: 'quiz 12', tags: ['tag 1'] }, undefined],
  ] as [string, CatalogFilter, string | undefined][])(
    'browsing %s needs no sequential scan',
    async (_, filter, index) => {
      await findQuestionPage(watched, owner, filter, { limit: 10, offset: 0 }, TOTAL);
      if (index) expect(indexes()).toContain(index);
      expect(touched()).toBeLessThan((QUIZZES * QUESTIONS_EACH) / 10);
      await countQuestions(watched, owner, filter);
      expect(touched()).toBeLessThan(QUIZZES / 4);
      await findCountsJson(watched, owner, filter);
      expect(touched()).toBeLessThan(QUIZZES / 4);
      expectNoSequentialScan();
    },
  );

  it('several languages are read in the same way, however tags would match', async () => {
    const read: number[] = [];
    for (const tagsMatch of ['any', 'all'] as const) {
      const filter = { ...everything, languages: ['en', 'de'], tagsMatch };
      await findQuestionPage(watched, owner, filter, { limit: 10, offset: 0 }, TOTAL);
      read.push(touched());
    }
    expect(read[1]).toBe(read[0]);
    expect(read[0]).toBeLessThan(1_000);
  });

  const searching = (text: string, category: string[] = []) =>
    readFilter(watched, { ...new QuestionFilterQuery(), category, text });

  it.each([
    ['of one quiz', 'about quiz 1234?', [], 4],
    ['of some quizzes', 'about quiz 123', [], 444],
    ['of no quiz', 'nothing like it', [], 0],
    ['of some quizzes, in a category', 'about quiz 123', ['category 14'], 8],
  ] as [string, string, string[], number][])(
    'questions by a text %s are found in the index, and only theirs are read',
    async (_, text, categories, expected) => {
      const filter = await searching(text, categories);
      expect(indexes()).toContain('question_search_content_idx');
      const totals = await countQuestions(watched, owner, filter);
      expect(totals.ofEverybody + totals.own).toBe(expected);
      const page = { limit: 10, offset: 0 };
      await findQuestionPage(watched, owner, filter, page, expected);
      await findShuffledPage(watched, owner, filter, page, totals, 'seed');
      await findCountsJson(watched, owner, filter);
      for (const plan of plans) expect(touched(plan)).toBeLessThan((QUIZZES * QUESTIONS_EACH) / 20);
      expectNoSequentialScan();
    },
  );

  it.each(['question 2 about', 'ab', '?'])(
    'a page of questions by a frequent text (%s) reads them in order until it is full',
    async (text) => {
      const filter = await searching(text);
      expect(filter.text?.quizIds).toBeNull();
      plans.length = 0;
      const page = await findQuestionPage(watched, owner, filter, { limit: 10, offset: 0 }, TOTAL);
      expect(rowsOf(page.questions)).toHaveLength(10);
      expect(touched()).toBeLessThan(500);
      expectNoSequentialScan();
      plans.length = 0;
      const after = { limit: 10, offset: 10, after: page.last };
      expect(
        rowsOf((await findQuestionPage(watched, owner, filter, after, TOTAL)).questions),
      ).toHaveLength(10);
      expect(touched()).toBeLessThan(500);
    },
  );

  it.each([
    ['everything', everything],
    ['a category', { ...everything, categories: ['category 3'] }],
    ['a difficulty', { ...everything, difficulties: ['HARD'] }],
    ['a tag', { ...everything, tags: ['rest 20'] }],
    ['a language', { ...everything, languages: ['en'] }],
  ] as [string, CatalogFilter][])(
    'a page after a known question of %s reads no earlier page',
    async (_, filter) => {
      const totals = await countQuestions(watched, owner, filter);
      const total = totals.ofEverybody + totals.own;
      const offset = Math.floor(total / 2);
      const half = await findQuestionPage(watched, owner, filter, { limit: 10, offset }, total);
      plans.length = 0;
      const slice = { limit: 10, offset: offset + 10, after: half.last };
      const page = await findQuestionPage(watched, owner, filter, slice, total);
      expect(rowsOf(page.questions)).toHaveLength(10);
      const walked = plans.flat().filter((node) => node['Relation Name'] === 'questions');
      const most = Math.max(...walked.map((node) => node['Actual Rows'] * node['Actual Loops']));
      // The page, and the caller's own behind it.
      expect(most).toBeLessThan(totals.own + 300);
      expectNoSequentialScan();
    },
  );

  it('the last page is read from the end', async () => {
    const totals = await countQuestions(watched, owner, everything);
    const total = totals.ofEverybody + totals.own;
    plans.length = 0;
    const slice = { limit: 10, offset: total - 10 };
    const page = await findQuestionPage(watched, owner, everything, slice, total);
    expect(rowsOf(page.questions)).toHaveLength(10);
    expect(touched()).toBeLessThan(totals.own + 300);
  });

  it.each([
    ['everything', everything],
    [
      'a category and difficulty',
      { ...everything, categories: ['category 3'], difficulties: ['HARD'] },
    ],
    ['a tag', { ...everything, tags: ['tag 1'] }],
    ['all of two tags', { ...everything, tags: ['tag 20', 'rest 20'], tagsMatch: 'all' }],
    ['a rare language', { ...everything, languages: ['eo'] }],
    ['a language of most quizzes', { ...everything, languages: ['en'] }],
  ] as [string, CatalogFilter][])(
    'a random page of %s needs no sequential scan',
    async (_, filter) => {
      const totals = await countQuestions(watched, owner, filter);
      const slice = { limit: 10, offset: 0 };
      const shuffled = await findShuffledPage(watched, owner, filter, slice, totals, 'seed');
      expect(rowsOf(shuffled.questions)).toHaveLength(10);
      expect(touched()).toBeLessThan((QUIZZES * QUESTIONS_EACH) / 10);
      expectNoSequentialScan();
    },
  );

  it('a page of accounts looks up the keys of only the accounts that it shows', async () => {
    await service.database.query(
      `INSERT INTO accounts (id, email, email_key, plan, is_admin, created_at)
       SELECT gen_random_uuid(), n || '@list.test', n || '@list.test', 'free', false, now() - n * interval '1 s'
       FROM generate_series(1, 500) AS n`,
    );
    const page = { limit: 10, offset: 30 };
    const found = await findAccountRows(watched, '@list.test', page, new Date());
    expect(found.map(({ email }) => email)).toEqual(
      Array.from({ length: 10 }, (_, place) => `${31 + place}@list.test`),
    );
    const ofKeys = plans.flat().filter((node) => node['Relation Name'] === 'api_keys');
    expect(ofKeys.map((node) => node['Actual Loops'])).toEqual([10]);
  });

  it("the pictures of an archive are looked up by name without reading the account's others", async () => {
    await service.database.query(
      `INSERT INTO media (id, account_id, sha256, type, width, height, bytes, content, created_at)
       SELECT gen_random_uuid(), $1, sha256(n::text::bytea), 'image/png', 1, 1, 1, 'x', now()
       FROM generate_series(1, 5000) AS n`,
      [owner],
    );
    await service.database.query('ANALYZE media');
    const stored = await service.database.query<{ id: string; name: string }[]>(
      `SELECT id, left(encode(sha256, 'hex'), 32)::uuid AS name FROM media
       WHERE sha256 IN (sha256('7'), sha256('4000'))`,
    );
    const names = stored.map(({ name }) => name);
    const unknown = '3f2b8c1d-9a47-4e0b-8d5c-6b1f0e9a7c24';
    expect(await findPictureIds(watched, owner, [...names, unknown])).toEqual(
      new Map(stored.map(({ id, name }) => [name, id])),
    );
    const ofMedia = plans.flat().filter((node) => node['Relation Name'] === 'media');
    expect(ofMedia).toMatchObject([{ 'Index Name': 'media_content_key', 'Actual Loops': 3 }]);
    expect(ofMedia[0]!['Rows Removed by Filter'] ?? 0).toBe(0);
    expect(plans.flat().some((node) => node['Rows Removed by Join Filter'])).toBe(false);
  });

  it('a hash join of open with submitted attempts compares only those of the same player', () =>
    service.database.transaction(async (tx) => {
      await tx.query(
        `WITH snapshot AS (
           INSERT INTO quiz_snapshots (id, quiz_id, owner_id, bytes, questions, question_count, created_at)
           VALUES (gen_random_uuid(), $1, $2, 2, '{}', 1, now()) RETURNING id
         )
         INSERT INTO quiz_attempts (id, quiz_id, snapshot_id, account_id, owner_id, player, shuffle, reveal, started_at,
           submitted_at, score, time_spent)
         SELECT gen_random_uuid(), $1, id, $2, $2, 'web:' || lpad(n % 1500 || '', 20, 'a') || ':Kim', false, false, now(),
           CASE WHEN n >= 1000 THEN now() END, CASE WHEN n >= 1000 THEN 1 END, CASE WHEN n >= 1000 THEN 1 END
         FROM snapshot, generate_series(0, 1999) AS n`,
        [quizId, owner],
      );
      // What the planner chooses if it expects few attempts.
      await tx.query('SET LOCAL enable_nestloop = off; SET LOCAL enable_mergejoin = off');
      const found = await findUnfinished(watching(tx), quizId, 10);
      expect(found).toMatchObject({ total: 500 });
      expect(found.players).toHaveLength(10);
      const joins = plans.flat().filter((node) => node['Node Type'] === 'Hash Join');
      expect(joins.map((node) => node['Rows Removed by Join Filter'])).toEqual([0]);
    }));
});

/** As a first page is asked for: whatever they are, nothing is skipped. */
const TOTAL = QUIZZES * QUESTIONS_EACH;

const rowsOf = ({ text }: JsonText) => JSON.parse(text) as unknown[];

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Rows by the ten thousand, past the triggers, with what those would have derived. */
async function fill(service: Service, writer: string, owner: string): Promise<void> {
  await service.database.transaction(async (tx) => {
    await tx.query(`ALTER TABLE quizzes DISABLE TRIGGER USER; SET LOCAL statement_timeout = 0`);
    await tx.query(
      `INSERT INTO quizzes (id, owner_id, title, title_sort, category, category_key, difficulty, tags, tag_keys, language,
         slug, published, approval, is_public, featured, plays, question_count, content_bytes, counts_by_kind, created_at, updated_at)
       SELECT gen_random_uuid(), CASE WHEN n % 400 = 0 THEN $2::uuid ELSE $1::uuid END,
         'Quiz ' || n, 'quiz ' || n, 'Category ' || n % 40, 'category ' || n % 40,
         (enum_range(NULL::difficulty))[n % 4 + 1], t.tags, t.tags,
         CASE WHEN l < 700 THEN 'en' WHEN l < 850 THEN 'de' WHEN l < 900 THEN 'de-AT' WHEN l < 998 THEN 'fr' ELSE 'eo' END, 'quiz-' || n, n % 400 <> 0, 'approved', n % 400 <> 0, false,
         (random() * 1000)::int, 4, 4 * (200 + length('Question 1 about Quiz ' || n || '?')), ARRAY(SELECT CASE WHEN difficulty = 'HARD' AND type = 'TRUE_FALSE' THEN 4 ELSE 0 END FROM question_kinds ORDER BY index), now() - n * interval '1 minute', now()
       FROM generate_series(1, $3::int) AS n,
         -- Skewed: tag 1 is on one quiz in fifty, tag 999 on one in a thousand.
         LATERAL (SELECT ARRAY[CASE WHEN n % 50 = 0 THEN 'tag 1' ELSE 'tag ' || n % 1000 END, 'rest ' || n % 50]) AS t (tags),
         -- Seven of ten in English, one in five hundred in Esperanto.
         LATERAL (SELECT n * 7919 % 1000) AS m (l)`,
      [writer, owner, QUIZZES],
    );
    await tx.query(
      `INSERT INTO questions (id, quiz_id, position, text, text_key, type, difficulty, answers, fingerprint, is_public, owner_id, category_key)
       SELECT gen_random_uuid(), z.id, place, text, lower(text), 'TRUE_FALSE', 'HARD', '[]', gen_random_uuid(),
         z.is_public, z.owner_id, z.category_key
       FROM quizzes z, generate_series(1, $1::int) AS place, LATERAL (SELECT 'Question ' || place || ' about ' || z.title || '?') AS t (text)`,
      [QUESTIONS_EACH],
    );
    await tx.query('ALTER INDEX question_search_content_idx SET (gin_pending_list_limit = 65536)');
    await tx.query(
      `INSERT INTO question_search (quiz_id, block, content)
       SELECT quiz_id, 1, string_agg(text_key, E'\x1f') FROM questions GROUP BY quiz_id`,
    );
    await tx.query(
      `INSERT INTO quiz_tags (tag_key, quiz_id, is_public, owner_id, category_key, difficulty)
       SELECT unnest(tag_keys || language_keys(language)), id, is_public, owner_id, category_key, difficulty FROM quizzes`,
    );
    await tx.query(
      `INSERT INTO quiz_search (quiz_id, content, is_public)
       SELECT id, title_sort || E'\\x1f' || array_to_string(tag_keys, E'\\x1f'), is_public FROM quizzes`,
    );
    await rebuildCounters(tx);
  });
  await service.database.query('VACUUM ANALYZE');
}

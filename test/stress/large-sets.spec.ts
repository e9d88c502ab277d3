import { CountersService } from '../../src/catalog/discovery/counters.service';
import { newId } from '../../src/platform/text/ids';
import { queryOf } from '../support/content';
import { countersEqualCounts } from '../support/counters';
import { type Service, startService, type TestAccount } from '../support/service';

const QUIZZES = 1_300;

/** Pages and draws of sets that are too large to be sorted for a draw (shuffle.queries.ts). */
describe('pages and draws of a large set', () => {
  let service: Service;
  let reader: TestAccount;
  let writer: TestAccount;

  beforeAll(async () => {
    service = await startService();
    reader = await service.account();
    writer = await service.account('pro', { isAdmin: true });
    await write(service, writer.accountId, reader.accountId);
    await service.database.query('ANALYZE');
  });

  afterAll(() => service.close());

  const wrong = async () =>
    (await service.app.get(CountersService).verify()).filter((check) => check.wrong > 0);
  /** Ids of the questions that the reader may see, in order. */
  const truth = async (condition: string) =>
    (
      await service.database.query<{ id: string }[]>(
        `SELECT q.id FROM questions q JOIN quizzes z ON z.id = q.quiz_id
         WHERE (z.is_public OR z.owner_id = $1) AND ${condition} ORDER BY z.id, position`,
        [reader.accountId],
      )
    ).map(({ id }) => id);

  const page = async (parameters: Record<string, string | number>) => {
    const { body } = await reader.get(`/questions${queryOf(parameters)}`).expect(200);
    return (body as { data: { id: string }[] }).data.map(({ id }) => id);
  };

  const FILTERS: [Record<string, string>, string][] = [
    [{}, 'true'],
    [{ category: 'art' }, `z.category_key = 'art'`],
    [{ category: 'art,none,chess' }, `z.category_key IN ('art', 'chess')`],
    [
      { difficulty: 'hard,easy', type: 'TRUE_FALSE' },
      `q.difficulty IN ('HARD', 'EASY') AND q.type = 'TRUE_FALSE'`,
    ],
    [{ tags: 'even' }, `'even' = ANY (z.tag_keys)`],
    [{ tags: 'even', difficulty: 'hard' }, `'even' = ANY (z.tag_keys) AND q.difficulty = 'HARD'`],
    [{ tags: 'even,third' }, `z.tag_keys && '{even,third}'`],
    [{ tags: 'nobody,third,even' }, `z.tag_keys && '{even,third}'`],
    [{ tags: 'even,third', tags_match: 'all' }, `z.tag_keys @> '{even,third}'`],
    [
      { tags: 'even,third', category: 'art,chess', difficulty: 'hard,easy' },
      `z.tag_keys && '{even,third}' AND z.category_key IN ('art', 'chess') AND q.difficulty IN ('HARD', 'EASY')`,
    ],
    [{ tags: 'even', category: 'art' }, `'even' = ANY (z.tag_keys) AND z.category_key = 'art'`],
  ];

  const holdsEverywhere = async () => {
    for (const [filter, condition] of FILTERS) {
      const ids = await truth(condition);
      expect(ids.length).toBeGreaterThan(600);
      const offsets = [0, 499, 500, 501, 550, ids.length >> 1, ids.length - 50, ids.length - 1];
      for (const offset of offsets)
        expect([filter, offset, await page({ ...filter, offset, limit: 50 })]).toEqual([
          filter,
          offset,
          ids.slice(offset, offset + 50),
        ]);
    }
  };

  it('the counters count exactly', async () => expect(await wrong()).toEqual([]));

  it('pages at any offset are equal to the ordered set, for every filter', holdsEverywhere);

  it.each(FILTERS)(
    'links.next visits each question once, in order (%j)',
    async (filter, condition) => {
      const walked: string[] = [];
      let next: string | null = `/questions${queryOf({ ...filter, limit: 50 })}`;
      while (next !== null) {
        expect(next.includes('after=')).toBe(walked.length > 0);
        const { body } = await reader.get(next.replace('/api/v1', '')).expect(200);
        const { data, meta } = body as {
          data: { id: string }[];
          meta: { offset: number; links: { next: string | null } };
        };
        expect(meta.offset).toBe(walked.length);
        walked.push(...data.map(({ id }) => id));
        next = meta.links.next;
      }
      expect(walked).toEqual(await truth(condition));
    },
  );

  it('a page whose `after` is no position is the page at its offset', async () => {
    const ids = await truth('true');
    for (const after of ['x', '', 'a'.repeat(200)])
      expect(await page({ offset: 600, limit: 10, after })).toEqual(ids.slice(600, 610));
  });

  it.each(FILTERS)(
    'random pages draw from the whole set without repeats (%j)',
    async (filter, condition) => {
      const all = new Set(await truth(condition));
      const drawn = new Set<string>();
      for (let draw = 0; draw < 8; draw++) {
        const ids = await page({ ...filter, random: 'true', limit: 50 });
        expect(new Set(ids).size).toBe(50);
        for (const id of ids) {
          expect(all.has(id)).toBe(true);
          drawn.add(id);
        }
      }
      // 400 of a thousand and more: hardly half of them are repeats.
      expect(drawn.size).toBeGreaterThan(200);
    },
  );

  it.each(FILTERS)(
    'the pages of a seed visit each question once (%j)',
    async (filter, condition) => {
      const all = await truth(condition);
      const walked: string[] = [];
      for (let offset = 0; offset < all.length; offset += 50)
        walked.push(...(await page({ ...filter, random: 'true', seed: 'x', limit: 50, offset })));
      expect(walked).toHaveLength(all.length);
      expect(new Set(walked)).toEqual(new Set(all));
      expect(walked.slice(0, 50)).not.toEqual(all.slice(0, 50));
    },
  );

  it('pages stay correct when quizzes are hidden, deleted, moved, edited and recounted', async () => {
    const run = (sql: string) => service.database.query(sql);
    await run(`UPDATE quizzes SET published = NOT published WHERE question_count % 7 = 3`);
    await run(`DELETE FROM quizzes WHERE right(id::text, 1) = '7'`);
    await run(
      `UPDATE quizzes SET category = 'Art', category_key = 'art' WHERE right(id::text, 1) = '8'`,
    );
    await run(
      `UPDATE quizzes SET tags = '{even,new}', tag_keys = '{even,new}' WHERE right(id::text, 1) = '9'`,
    );
    expect(await wrong()).toEqual([]);
    await countersEqualCounts(service.database);
    await holdsEverywhere();
    await service.app.get(CountersService).rebuild();
    expect(await wrong()).toEqual([]);
    await holdsEverywhere();
  });

  it('a wrong counter is reported and corrected by the rebuild', async () => {
    await service.database.query(
      `UPDATE catalog_counts SET quizzes = quizzes + 5 WHERE category_key = ' ' AND tag_key = 'even'`,
    );
    expect(await wrong()).toContainEqual(
      expect.objectContaining({
        counter: 'catalog_counts',
        wrong: 1,
        example: {
          key: 'tag even, all categories',
          kept: expect.any(String) as string,
          counted: expect.any(String) as string,
        },
      }),
    );
    await service.database.query(
      `UPDATE quizzes SET question_count = 99 WHERE id = (SELECT id FROM quizzes WHERE is_public LIMIT 1)`,
    );
    expect(await wrong()).toContainEqual(
      expect.objectContaining({ counter: 'counts of quizzes', wrong: 1 }),
    );
    await service.database.query(
      `UPDATE questions SET category_key = 'elsewhere' WHERE id = (SELECT id FROM questions WHERE is_public LIMIT 1)`,
    );
    expect(await wrong()).toContainEqual(
      expect.objectContaining({ counter: 'copies on questions', wrong: 1 }),
    );
    await service.app.get(CountersService).rebuild();
    expect(await wrong()).toEqual([]);
  });
});

/** Every twentieth quiz is the reader's draft, among the others in the order. */
async function write(service: Service, writer: string, reader: string): Promise<void> {
  const ids = Array.from({ length: QUIZZES }, newId);
  await service.database.query(
    `INSERT INTO quizzes (id, owner_id, title, title_sort, category, category_key, difficulty, tags, tag_keys, slug,
       published, approval, featured, question_count, counts_by_kind, created_at, updated_at)
     SELECT id, CASE WHEN n % 20 = 0 THEN $3::uuid ELSE $2::uuid END, 'Quiz', 'quiz', initcap(category), category, 'EASY',
       tags, tags, 'quiz-' || id, n % 20 <> 0, 'approved', false, cardinality(kinds),
       ARRAY(SELECT count(kind)::int FROM question_kinds LEFT JOIN unnest(kinds) AS kind ON kind = index
             GROUP BY index ORDER BY index), now(), now()
     FROM unnest($1::uuid[]) WITH ORDINALITY AS i (id, n),
       LATERAL (SELECT (ARRAY['art', 'chess', 'music'])[1 + n % 3] AS category,
         CASE WHEN n % 2 = 0 THEN ARRAY['even'] ELSE '{}' END || CASE WHEN n % 3 = 0 THEN ARRAY['third'] ELSE '{}' END AS tags,
         ARRAY(SELECT 1 + (n * 5 + i * 7) % 12 FROM generate_series(1, n % 13) AS i) AS kinds) AS made`,
    [ids, writer, reader],
  );
  await service.database.query(
    `INSERT INTO questions (id, quiz_id, position, text, type, difficulty, answers, fingerprint, is_public, owner_id, category_key)
     SELECT gen_random_uuid(), z.id, i, 'Question', k.type, k.difficulty, '[]', gen_random_uuid(), z.is_public, z.owner_id, z.category_key
     FROM unnest($1::uuid[]) WITH ORDINALITY AS ids (id, n) JOIN quizzes z USING (id), generate_series(1, n::int % 13) AS i,
       LATERAL (SELECT type, difficulty FROM question_kinds WHERE index = 1 + (n * 5 + i * 7) % 12) AS k`,
    [ids],
  );
  await service.database.query(
    `INSERT INTO quiz_search (quiz_id, content, is_public) SELECT id, '', is_public FROM quizzes WHERE id = ANY ($1)`,
    [ids],
  );
  // Of a question: 200 bytes and those of "Question" (questionBytes).
  await service.database.query(
    `UPDATE quizzes SET content_bytes = 208 * question_count WHERE id = ANY ($1)`,
    [ids],
  );
}

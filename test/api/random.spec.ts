import { DataSource } from 'typeorm';
import { BatchImportService } from '../../src/authoring/questions/batch-import.service';
import type { BatchQuestionInput } from '../../src/authoring/questions/questions.dto';
import { readFilter } from '../../src/catalog/filters.queries';
import { BrowseQuestionsQuery } from '../../src/catalog/questions/questions.dto';
import { findByRank } from '../../src/catalog/questions/ranks.queries';
import { SORT_UP_TO } from '../../src/catalog/questions/shuffle.queries';
import { makeQuiz, queryOf } from '../support/content';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

interface Page {
  data: { id: string; difficulty: string }[];
  meta: { total: number; pageTotal: number; page: number; links: { next: string | null } };
}

/** random=true (specification 4.6, contract "random=true"), sorted by a hash and by drawn places. */
describe.each([
  ['few questions', 120],
  ['more questions than are sorted', SORT_UP_TO + 200],
])('random order of %s', (_, count) => {
  let service: Service;
  let owner: TestAccount;
  let ordered: string[];
  let hard: string[];

  beforeAll(async () => {
    service = await startService();
    const admin = await service.account('free', { isAdmin: true });
    owner = await service.account();
    // In several quizzes, the last of them the reader's draft: every order draws from both branches of the visibility condition.
    const batches = service.app.get(BatchImportService);
    const shares = [0.5, 0.3, 0.2];
    ordered = [];
    hard = [];
    for (const [index, share] of shares.entries()) {
      const account = index === 2 ? owner : admin;
      const { id } = await makeQuiz(account, { published: index !== 2, tags: ['all'] });
      const questions = questionBodies(Math.round(count * share)).map((question, place) => ({
        ...question,
        difficulty: place % 40 === 0 ? 'HARD' : 'EASY',
      })) as BatchQuestionInput[];
      const rows = await batches.import(account, id, questions);
      ordered.push(...rows.map((row) => row.id));
      hard.push(...rows.filter((row) => row.difficulty === 'HARD').map((row) => row.id));
    }
    await service.database.query('ANALYZE');
  });

  afterAll(() => service.close());

  const page = async (parameters: Record<string, string | number>): Promise<Page> =>
    (await owner.get(`/questions${queryOf({ random: 'true', ...parameters })}`).expect(200))
      .body as Page;
  const draw = async (parameters: Record<string, string | number>) =>
    (await page(parameters)).data.map((question) => question.id);
  const differ = (ids: string[]) => expect(new Set(ids).size).toBe(ids.length);

  /** Follows links.next through all pages. */
  async function walk(parameters: Record<string, string | number>): Promise<string[]> {
    let current = await page(parameters);
    const ids = current.data.map((question) => question.id);
    while (current.meta.links.next) {
      const next = await owner.get(current.meta.links.next.replace('/api/v1', '')).expect(200);
      current = next.body as Page;
      ids.push(...current.data.map((question) => question.id));
    }
    return ids;
  }

  it('a question that was counted and is gone when its rank is looked up is left out', async () => {
    const { manager } = service.app.get(DataSource);
    const filter = await readFilter(manager, new BrowseQuestionsQuery());
    // The reader's own draft has the last fifth.
    const ofEverybody = Math.round(count * 0.5) + Math.round(count * 0.3);
    const ranks = [0, ofEverybody - 1, ofEverybody, ofEverybody + 1];
    expect(await findByRank(manager, filter, ranks)).toHaveLength(2);
  });

  it('a random page has 10 different questions, and the next request gets others', async () => {
    const draws: string[][] = [];
    for (let time = 0; time < 6; time++) {
      const ids = await draw({});
      expect(ids).toHaveLength(10);
      differ(ids);
      draws.push(ids);
    }
    const drawn = new Set(draws.flat());
    expect(drawn.size).toBeGreaterThan(30);
    // Not the first questions in another order: whole quizzes lie between the first page and these.
    const places = [...drawn].map((id) => ordered.indexOf(id));
    expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...places)).toBeGreaterThan(count / 2);
    for (const ids of draws)
      expect(ids.filter((id) => ordered.indexOf(id) < 10).length).toBeLessThan(10);
  });

  it('a random page has the same total and pages as an ordered one', async () => {
    const { data, meta } = await page({ offset: 20, limit: 10 });
    expect(meta).toMatchObject({ total: count, pageTotal: 10, page: 3 });
    expect(data).toHaveLength(10);
    expect(await page({ offset: count - 3 })).toMatchObject({ meta: { pageTotal: 3 } });
    expect(await draw({ offset: count })).toEqual([]);
  });

  it('a random page draws from all of the filtered set', async () => {
    const ids = await draw({ difficulty: 'hard', limit: 50 });
    differ(ids);
    expect(ids).toHaveLength(Math.min(50, hard.length));
    expect(hard).toEqual(expect.arrayContaining(ids));
    const walked = await walk({ difficulty: 'hard', tags: 'all', limit: 50, seed: 'filtered' });
    expect(walked.sort()).toEqual([...hard].sort());
  });

  it.each(['false', 'TRUE', '1', '', 'yes'])('random=%j keeps the order', async (random) => {
    expect(await draw({ random })).toEqual(ordered.slice(0, 10));
  });

  it('the pages of one seed visit every question once', async () => {
    const walked = await walk({ seed: 'one & only', limit: 50 });
    expect(walked).toHaveLength(count);
    expect(walked).not.toEqual(ordered);
    expect([...walked].sort()).toEqual([...ordered].sort());
  });

  it('a seed repeats its order at any page size, and another seed gives another order', async () => {
    const first = await draw({ seed: 'a', limit: 12 });
    expect(await draw({ seed: 'a', limit: 12 })).toEqual(first);
    const halves = [
      ...(await draw({ seed: 'a', limit: 6 })),
      ...(await draw({ seed: 'a', limit: 6, offset: 6 })),
    ];
    expect(halves).toEqual(first);
    for (const seed of ['b', 'A', '', 'a '])
      expect(await draw({ seed, limit: 12 })).not.toEqual(first);
  });

  it('links of a random page without a seed repeat no question, and each walk differs', async () => {
    const walked = await walk({ limit: 50 });
    expect([...walked].sort()).toEqual([...ordered].sort());
    const again = await walk({ limit: 50, seed: '' });
    expect([...again].sort()).toEqual([...ordered].sort());
    expect(again).not.toEqual(walked);
  });

  it('only links of a random page carry a seed', async () => {
    const seedOf = ({ meta }: Page) =>
      new URL(meta.links.next ?? '', 'http://x').searchParams.get('seed');
    const made = seedOf(await page({}));
    expect(made).toMatch(/^[\w-]{12}$/);
    expect(seedOf(await page({}))).not.toBe(made);
    expect(seedOf(await page({ seed: 'mine' }))).toBe('mine');
    expect(seedOf(await page({ random: 'false' }))).toBeNull();
  });

  it('a seed without random=true is ignored', async () => {
    expect(await draw({ random: 'false', seed: 'a' })).toEqual(ordered.slice(0, 10));
  });

  it('a seed of more than 200 characters gets 400', async () => {
    expect(await draw({ seed: '😀'.repeat(200) })).toHaveLength(10);
    await owner.get(`/questions?random=true&seed=${'x'.repeat(201)}`).expect(400);
  });

  it('excluded questions are in no page, ordered or random, and in no total', async () => {
    // From each quiz, the first and the last of all among them.
    const excluded = ordered.filter((_, place) => place % 7 === 0 || place > count - 6).slice(-200);
    const rest = ordered.filter((id) => !excluded.includes(id));
    const exclude = excluded.join(',');
    expect(await page({ exclude, limit: 50 })).toMatchObject({ meta: { total: rest.length } });
    for (const seed of ['a', 'b']) {
      const walked = await walk({ exclude, seed, limit: 50 });
      expect([...walked].sort()).toEqual([...rest].sort());
    }
    expect(await walk({ exclude, random: 'false', limit: 50 })).toEqual(rest);
    const few = { difficulty: 'hard', tags: 'all', exclude: hard.slice(1).join(',') };
    expect(await draw(few)).toEqual(hard.slice(0, 1));
    expect(await page({ difficulty: 'hard', exclude: hard.join(',') })).toMatchObject({
      data: [],
      meta: { total: 0 },
    });
  });

  it("excluding another's draft, an unknown id or a question that does not match changes no total", async () => {
    const stranger = await service.account('free');
    const [last = ''] = ordered.slice(-1);
    for (const [account, exclude, difficulty] of [
      [stranger, last, undefined],
      [owner, last.replace(/^...../, '00000'), undefined],
      [owner, hard[0] ?? '', 'easy'],
    ] as const) {
      const filter = { limit: 50, ...(difficulty && { difficulty }) };
      const without = (await account.get(`/questions${queryOf(filter)}`).expect(200)).body as Page;
      const path = `/questions${queryOf({ ...filter, exclude })}`;
      const { data, meta } = (await account.get(path).expect(200)).body as Page;
      expect([data, meta.total]).toEqual([without.data, without.meta.total]);
    }
  });
});

import { makeQuiz, queryOf } from '../support/content';
import { type Service, startService, type TestAccount } from '../support/service';

/** GET /quizzes (specification 4.3 and 8): orders, ties and pages. */
describe('pages of quizzes', () => {
  let service: Service;
  let admin: TestAccount;
  let owner: TestAccount;

  beforeAll(async () => {
    service = await startService();
    admin = await service.account('free', { isAdmin: true });
    owner = await service.account();
    // Half of them public, half the owner's drafts: both branches of the visibility condition share every page.
    const quizzes: [title: string, plays: number][] = [
      ['delta', 5],
      ['Alpha', 5],
      ['éclair', 0],
      ['Echo', 9],
      ['eclipse', 0],
      ['alpha', 5],
      ['Zulu', 1],
      ['10 things', 0],
    ];
    for (const [index, [title, plays]] of quizzes.entries()) {
      const draft = index % 2 === 1;
      const { id } = await makeQuiz(draft ? owner : admin, { title, published: !draft });
      await service.database.query(`UPDATE quizzes SET plays = $2 WHERE id = $1`, [id, plays]);
      service.clock.advance(1_000);
    }
  });

  afterAll(() => service.close());

  interface Page {
    data: { id: string; title: string }[];
    meta: { total: number; limit: number; offset: number };
  }
  const page = async (parameters: Record<string, string | number>): Promise<Page> =>
    (await owner.get(`/quizzes${queryOf(parameters)}`).expect(200)).body as Page;
  const titles = async (parameters: Record<string, string | number>) =>
    (await page(parameters)).data.map((quiz) => quiz.title);

  const POPULAR = ['Echo', 'alpha', 'Alpha', 'delta', 'Zulu', '10 things', 'eclipse', 'éclair'];
  const NEWEST = ['10 things', 'Zulu', 'alpha', 'eclipse', 'Echo', 'éclair', 'Alpha', 'delta'];
  const TITLE = ['10 things', 'Alpha', 'alpha', 'delta', 'Echo', 'éclair', 'eclipse', 'Zulu'];

  it('quizzes are sorted by plays, then newest, by default', async () => {
    expect(await titles({})).toEqual(POPULAR);
    expect(await titles({ sort: 'popular' })).toEqual(POPULAR);
  });

  it('sort by creation lists the newest quiz first', async () => {
    expect(await titles({ sort: 'newest' })).toEqual(NEWEST);
  });

  it('sort by title ignores case and accents', async () => {
    expect(await titles({ sort: 'title' })).toEqual(TITLE);
  });

  it.each(['Popular', 'plays', ' ', 'title desc'])('sort=%j gets 400', async (sort) => {
    const { body } = await owner.get(`/quizzes${queryOf({ sort })}`).expect(400);
    expect(body).toEqual({
      success: false,
      error: 'sort must be one of: popular, newest, title.',
    });
  });

  it.each(['popular', 'newest', 'title'])('paging by %s visits every quiz once', async (sort) => {
    const whole = await titles({ sort });
    for (const limit of [1, 3, 7]) {
      const walked: string[] = [];
      for (let offset = 0; offset < 8; offset += limit)
        walked.push(...(await titles({ sort, limit, offset })));
      expect(walked).toEqual(whole);
    }
  });

  it('sort by title places letters such as ø and ß beside their base letters', async () => {
    const writer = await service.account();
    const sorted = ['Ærø', 'Afrika', 'Đakovo', 'Danube', 'Łódź', 'London', 'Øresund', 'Paris'];
    sorted.push('Straße', 'Strassen', 'Zürich', 'Ωmega', 'Волга', '東京');
    for (const title of sorted.toReversed())
      await makeQuiz(writer, { title, published: false, category: 'Letters' });
    const { body } = await writer.get('/quizzes?category=letters&sort=title&limit=50').expect(200);
    expect((body as Page).data.map(({ title }) => title)).toEqual(sorted);
  });

  it('quizzes that tie completely are sorted by id, so pages never overlap', async () => {
    const twin = await service.account();
    for (let index = 0; index < 6; index++)
      await makeQuiz(twin, { title: 'Twin', published: false, category: 'Twins' });
    await service.database.query(
      `UPDATE quizzes SET created_at = '2026-01-01' WHERE category_key = 'twins'`,
    );
    for (const sort of ['popular', 'newest', 'title']) {
      const ids: string[] = [];
      for (let offset = 0; offset < 6; offset += 2) {
        const path = `/quizzes${queryOf({ sort, limit: 2, offset, category: 'twins' })}`;
        const { body } = await twin.get(path).expect(200);
        ids.push(...(body as Page).data.map((quiz) => quiz.id));
      }
      const ascending = [...new Set(ids)].sort();
      expect(ascending).toHaveLength(6);
      expect(ids).toEqual(sort === 'title' ? ascending : ascending.reverse());
    }
  });

  it.each([
    ['1', 1],
    ['50', 50],
    ['010', 10],
    ['000000000000007', 7],
  ])('limit=%s is accepted', async (limit, value) => {
    const { data, meta } = await page({ limit });
    expect(meta).toEqual({ total: 8, limit: value, offset: 0 });
    expect(data).toHaveLength(Math.min(8, value));
  });

  const NO_WHOLE_NUMBERS = [
    '-1',
    '+1',
    '1.0',
    '1.5',
    '1e1',
    '0x10',
    ' 1',
    '1 ',
    '١',
    '１',
    'ten',
    'NaN',
    'undefined',
    '1,2',
    '1000000000000000',
    '9007199254740993',
  ];

  it.each(['0', '51', '', 'null', '00', '999999999999999', ...NO_WHOLE_NUMBERS])(
    'limit=%j gets 400',
    async (limit) => {
      const { body } = await owner.get(`/quizzes${queryOf({ limit })}`).expect(400);
      expect(body).toEqual({
        success: false,
        error: 'limit must be an integer from 1 to 50.',
      });
    },
  );

  it.each([
    ['0', 0],
    ['', 0],
    ['null', 0],
    ['2', 2],
    ['007', 7],
  ])('offset=%j is accepted', async (offset, value) => {
    const { data, meta } = await page({ offset, sort: 'title' });
    expect(meta).toEqual({ total: 8, limit: 10, offset: value });
    expect(data.map((quiz) => quiz.title)).toEqual(TITLE.slice(value));
  });

  it.each(['8', '1000', '999999999999999'])(
    'offset=%s past the end gets an empty page with the true total',
    async (offset) => {
      expect(await page({ offset })).toEqual({
        success: true,
        data: [],
        meta: { total: 8, limit: 10, offset: Number(offset) },
      });
    },
  );

  it.each(['NULL', ...NO_WHOLE_NUMBERS])('offset=%j gets 400', async (offset) => {
    const { body } = await owner.get(`/quizzes${queryOf({ offset })}`).expect(400);
    expect(body).toEqual({
      success: false,
      error: 'offset must be an integer, 0 or more, of at most 15 digits.',
    });
  });

  it('a filter without matches gets an empty page', async () => {
    expect(await page({ category: 'none', offset: 3 })).toEqual({
      success: true,
      data: [],
      meta: { total: 0, limit: 10, offset: 3 },
    });
  });
});

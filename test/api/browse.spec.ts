import { type MadeQuiz, makeQuiz, nextLink, queryOf } from '../support/content';
import { questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

const TRUE_FALSE = {
  type: 'TRUE_FALSE',
  answers: [
    { text: 'True', isCorrect: false },
    { text: 'False', isCorrect: true },
  ],
};
const OPEN_ENDED = {
  type: 'OPEN_ENDED',
  answers: [
    { text: '1815', isCorrect: true },
    { text: 'eighteen fifteen', isCorrect: true },
  ],
};

/** GET /questions without quiz_id (specification 4.6, mode 2): the body and the filters. */
describe('browsing questions', () => {
  let service: Service;
  let admin: TestAccount;
  let reader: TestAccount;
  let rivers: MadeQuiz;

  beforeAll(async () => {
    service = await startService();
    admin = await service.account('free', { isAdmin: true });
    reader = await service.account('free');
    rivers = await makeQuiz(admin, { tags: ['Water', 'Europe'] }, [
      questionBody({ text: 'r1' }),
      questionBody({ text: 'r2', difficulty: 'HARD', explanation: undefined, ...TRUE_FALSE }),
    ]);
    await makeQuiz(
      admin,
      { title: 'Waterloo', category: 'Geschichte & Más', difficulty: 'EXPERT', tags: ['europe'] },
      [
        questionBody({ text: 'w1', difficulty: 'HARD', ...OPEN_ENDED }),
        questionBody({ text: 'w2', difficulty: 'EXPERT' }),
      ],
    );
    await makeQuiz(admin, { title: 'Bare', category: undefined, tags: undefined }, [
      questionBody({ text: 'b1', difficulty: 'MEDIUM' }),
    ]);
    await makeQuiz(admin, { title: 'No questions', tags: ['water'] });
  });

  afterAll(() => service.close());

  const ALL = ['r1', 'r2', 'w1', 'w2', 'b1'];
  const texts = async (parameters: Record<string, string> = {}, account = reader) => {
    const { body } = await account.get(`/questions${queryOf(parameters)}`).expect(200);
    const found = (body.data as { text: string }[]).map((question) => question.text);
    expect(body.meta).toMatchObject({ total: found.length, pageTotal: found.length });
    return found;
  };

  it('browsing questions needs a key', async () => {
    const { body } = await service.get('/questions').expect(401);
    expect(body).toEqual({ success: false, error: 'Invalid API key.' });
  });

  it('browsing returns exactly the fields of BrowseQuestion and PaginationMeta, with answers', async () => {
    const { body } = await reader.get('/questions?limit=2&include_answers=false').expect(200);
    const link = (offset: number) => `/api/v1/questions?offset=${offset}&limit=2`;
    expect(body).toEqual({
      success: true,
      data: rivers.questions.map(({ id, text, type, difficulty, explanation, answers }) => ({
        id,
        text,
        type,
        difficulty,
        explanation,
        category: 'Geography',
        tags: ['Water', 'Europe'],
        quizId: rivers.id,
        quizTitle: 'Rivers of Europe',
        answers,
      })),
      meta: {
        total: 5,
        pageTotal: 2,
        page: 1,
        lastPage: 3,
        limit: 2,
        offset: 0,
        links: { first: link(0), last: link(4), next: nextLink(link(2)), prev: null },
      },
    });
    expect(body.data[1]).toMatchObject({ explanation: null });
  });

  it('a question of a quiz without a category has category null', async () => {
    const { body } = await reader.get('/questions?difficulty=medium').expect(200);
    expect(body.data).toMatchObject([
      { text: 'b1', category: null, tags: [], quizTitle: 'Bare', difficulty: 'MEDIUM' },
    ]);
  });

  it('questions are ordered by the creation of their quiz, then by their position', async () => {
    expect(await texts()).toEqual(ALL);
  });

  it.each([
    ['geography', ['r1', 'r2']],
    ['GESCHICHTE & MA\u0301S', ['w1', 'w2']],
    ['geography, geschichte & más ', ['r1', 'r2', 'w1', 'w2']],
    [',,Geography,', ['r1', 'r2']],
    ['geography,none', ['r1', 'r2']],
    ['geo%', []],
    ['none', []],
    ['', ALL],
    [' , ', ALL],
  ])('category=%j matches any of the values, case-insensitively', async (category, expected) => {
    expect(await texts({ category })).toEqual(expected);
  });

  it.each([
    ['HARD', ['r2', 'w1']],
    ['hard', ['r2', 'w1']],
    ['HaRd,eXpErT', ['r2', 'w1', 'w2']],
    [' easy , EASY', ['r1']],
    ['EASY,MEDIUM,HARD,EXPERT', ALL],
  ])('difficulty=%j matches any of the values, case-insensitively', async (value, expected) => {
    expect(await texts({ difficulty: value })).toEqual(expected);
  });

  it.each([
    ['TRUE_FALSE', ['r2']],
    ['OPEN_ENDED, TRUE_FALSE', ['r2', 'w1']],
    ['MULTIPLE_CHOICE,MULTIPLE_CHOICE', ['r1', 'w2', 'b1']],
  ])('type=%j matches any of the values', async (type, expected) => {
    expect(await texts({ type })).toEqual(expected);
  });

  it.each(['SIMPLE', 'EASY,SIMPLE', 'EASY,', 'EASY;HARD', ' '])(
    'difficulty=%j gets 400',
    async (difficulty) => {
      const { body } = await reader.get(`/questions${queryOf({ difficulty })}`).expect(400);
      expect(body).toEqual({
        success: false,
        error: 'difficulty must be one or more of EASY, MEDIUM, HARD, EXPERT, separated by commas.',
      });
    },
  );

  it.each(['true_false', 'True_False', 'TRUE_FALSE,ESSAY', 'OPEN_ENDED,', ' '])(
    'type=%j gets 400',
    async (type) => {
      const { body } = await reader.get(`/questions${queryOf({ type })}`).expect(400);
      expect(body).toEqual({
        success: false,
        error:
          'type must be one or more of MULTIPLE_CHOICE, TRUE_FALSE, OPEN_ENDED, separated by commas.',
      });
    },
  );

  it.each([
    [{ tags: 'WATER' }, ['r1', 'r2']],
    [{ tags: 'water,europe' }, ['r1', 'r2', 'w1', 'w2']],
    [{ tags: ' europe ,,water', tags_match: 'all' }, ['r1', 'r2']],
    [{ tags: 'europe,none', tags_match: 'all' }, []],
    [{ tags: 'europe,none', tags_match: 'any' }, ['r1', 'r2', 'w1', 'w2']],
    [{ tags: 'eur' }, []],
    [{ tags: ' ,' }, ALL],
    [{ tags: '', tags_match: 'all' }, ALL],
  ])('%j matches questions of quizzes with the tags', async (parameters, expected) => {
    expect(await texts(parameters as Record<string, string>)).toEqual(expected);
  });

  it.each([
    [{ category: 'geography', difficulty: 'hard' }, ['r2']],
    [{ category: 'geography', type: 'OPEN_ENDED' }, []],
    [{ difficulty: 'hard,expert', type: 'OPEN_ENDED,MULTIPLE_CHOICE' }, ['w1', 'w2']],
    [{ tags: 'europe', difficulty: 'hard' }, ['r2', 'w1']],
    [{ tags: 'europe', difficulty: 'hard,Hard,HARD', type: 'TRUE_FALSE,TRUE_FALSE' }, ['r2']],
    [{ tags: 'europe', category: 'geography', type: 'MULTIPLE_CHOICE' }, ['r1']],
    [
      {
        tags: 'europe,water',
        tags_match: 'all',
        category: 'geography',
        difficulty: 'hard',
        type: 'TRUE_FALSE',
      },
      ['r2'],
    ],
  ])('the filters %j are combined', async (parameters, expected) => {
    expect(await texts(parameters as unknown as Record<string, string>)).toEqual(expected);
    expect(
      (
        await texts({ ...(parameters as unknown as Record<string, string>), random: 'true' })
      ).sort(),
    ).toEqual([...expected].sort());
  });

  it("filters apply to the caller's own private questions", async () => {
    const owner = await service.account();
    await makeQuiz(owner, { published: false, tags: ['water', 'own'] }, [
      questionBody({ text: 'd1' }),
      questionBody({ text: 'd2', difficulty: 'HARD', ...OPEN_ENDED }),
    ]);
    expect(await texts({}, owner)).toEqual([...ALL, 'd1', 'd2']);
    expect(await texts({ category: 'geography' }, owner)).toEqual(['r1', 'r2', 'd1', 'd2']);
    expect(await texts({ difficulty: 'hard', type: 'OPEN_ENDED' }, owner)).toEqual(['w1', 'd2']);
    expect(await texts({ difficulty: 'hard,HARD', type: 'OPEN_ENDED,OPEN_ENDED' }, owner)).toEqual([
      'w1',
      'd2',
    ]);
    expect(await texts({ tags: 'own' }, owner)).toEqual(['d1', 'd2']);
    expect(await texts({ tags: 'water,own', tags_match: 'all' }, owner)).toEqual(['d1', 'd2']);
    expect(await texts({ tags: 'own,europe', difficulty: 'hard' }, owner)).toEqual([
      'r2',
      'w1',
      'd2',
    ]);
  });

  it('unknown query parameters are ignored when browsing', async () => {
    expect(await texts({ title: 'none', sort: 'wrong', quizId: '', include_answers: 'x' })).toEqual(
      ALL,
    );
  });

  it.each([
    ['water', ['r1', 'r2', 'w1', 'w2']],
    ['RIVERS OF', ['r1', 'r2']],
    ['europe', ['r1', 'r2', 'w1', 'w2']],
    ['From source', ALL],
    ['ba', ['b1']],
    ['_', []],
    ['r1', []],
    [' ', ALL],
  ])(
    "topic=%j is searched in the quiz's title, description and tags, ignoring case",
    async (topic, expected) => {
      const quizzes = (await reader.get(`/quizzes${queryOf({ topic })}`).expect(200)).body.data;
      expect(expected.length > 0).toBe(quizzes.length > 0);
      expect(await texts({ topic })).toEqual(expected);
      expect((await texts({ topic, random: 'true' })).sort()).toEqual([...expected].sort());
    },
  );

  it('topic and exclude apply with other filters, and links repeat them', async () => {
    expect(await texts({ topic: 'water', difficulty: 'hard', tags: 'europe' })).toEqual([
      'r2',
      'w1',
    ]);
    const [first] = rivers.questions;
    const exclude = first?.id ?? '';
    expect(await texts({ topic: 'water', exclude })).toEqual(['r2', 'w1', 'w2']);
    const { body } = await reader.get(`/questions?limit=1&topic=water&exclude=${exclude}`);
    expect(body).toMatchObject({
      meta: {
        links: {
          next: nextLink(`/api/v1/questions?offset=1&limit=1&topic=water&exclude=${exclude}`),
        },
      },
    });
  });

  it('counts have the total of the filter, and its parts by category, difficulty and type', async () => {
    const { body } = await reader.get('/questions/counts').expect(200);
    expect(body).toEqual({
      success: true,
      data: {
        total: 5,
        byCategory: { Geography: 2, 'Geschichte & Más': 2, '': 1 },
        byDifficulty: { EASY: 1, MEDIUM: 1, HARD: 2, EXPERT: 1 },
        byType: { MULTIPLE_CHOICE: 3, TRUE_FALSE: 1, OPEN_ENDED: 1 },
      },
    });
    const none = await reader.get('/questions/counts?tags=none&limit=no').expect(200);
    expect(none.body.data).toMatchObject({ total: 0, byCategory: {}, byType: { OPEN_ENDED: 0 } });
    await reader.get('/questions/counts?difficulty=impossible').expect(400);
    await service.get('/questions/counts').expect(401);
  });

  it("counts include the caller's own drafts and nobody else's", async () => {
    const author = await service.account('starter');
    await makeQuiz(author, { title: 'Draft', published: false, category: 'Own' }, [questionBody()]);
    const { body } = await author.get('/questions/counts?difficulty=easy').expect(200);
    expect(body.data).toMatchObject({ total: 2, byCategory: { Geography: 1, Own: 1 } });
    const other = await reader.get('/questions/counts?difficulty=easy').expect(200);
    expect(other.body.data).toMatchObject({ total: 1, byCategory: { Geography: 1 } });
  });

  it.each(['category', 'difficulty', 'type', 'tags', 'exclude'])(
    'a nested %s gets 400 when browsing',
    async (name) => {
      for (const query of [`${name}[]=1`, `${name}[a]=1`]) {
        const { body } = await reader.get(`/questions?${query}`).expect(400);
        expect(body).toEqual({
          success: false,
          error: `${name} must be plain text, given once or several times: ${name}=…`,
        });
      }
    },
  );

  it.each(['tags_match', 'limit', 'offset', 'random', 'seed', 'topic', 'text'])(
    'a repeated or nested %s gets 400 when browsing',
    async (name) => {
      for (const query of [`${name}=1&${name}=1`, `${name}[]=1`, `${name}[a]=1`]) {
        const { body } = await reader.get(`/questions?${query}`).expect(400);
        expect(body).toEqual({
          success: false,
          error: `${name} must be given once, as plain text: ${name}=…`,
        });
      }
    },
  );

  it.each(['category', 'tags', 'seed', 'topic', 'text', 'exclude'])(
    'NUL in %s gets 400 when browsing',
    async (name) => {
      await reader.get(`/questions?${name}=a%00`).expect(400);
    },
  );
});

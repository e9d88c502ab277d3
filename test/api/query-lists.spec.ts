import { newId } from '../../src/platform/text/ids';
import { makeQuiz, nextLink, queryOf } from '../support/content';
import { questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** List parameters, and parameters without a value (contract, "Tags filter" and "offset"). */
describe('list parameters of the query', () => {
  let service: Service;
  let reader: TestAccount;

  beforeAll(async () => {
    service = await startService();
    const admin = await service.account('free', { isAdmin: true });
    reader = await service.account('free');
    const made = [
      { title: 'Cooking', category: 'Food, Drink', tags: ['salt, pepper', 'food'] },
      { title: 'Paths', category: 'Computing', tags: ['c:\\', 'c:\\dir'], difficulty: 'HARD' },
      { title: 'Salt', category: 'Food', tags: ['salt', 'a\\,b'] },
    ];
    for (const fields of made) await makeQuiz(admin, fields, [questionBody()]);
  });

  afterAll(() => service.close());

  const quizzes = async (query: string): Promise<string[]> => {
    const { body } = await reader.get(`/quizzes?sort=title&${query}`).expect(200);
    return (body as { data: { title: string }[] }).data.map(({ title }) => title);
  };
  const browsed = async (query: string): Promise<string[]> => {
    const { body } = await reader.get(`/questions?${query}`).expect(200);
    return (body as { data: { quizTitle: string }[] }).data.map(({ quizTitle }) => quizTitle);
  };
  const refused = async (path: string): Promise<string> =>
    ((await reader.get(path).expect(400)).body as { error: string }).error;

  it.each([
    ['salt\\, pepper', ['Cooking']],
    ['SALT\\,  pepper', []],
    ['salt\\, pepper,salt', ['Cooking', 'Salt']],
    ['salt, pepper', ['Salt']],
    ['c:\\\\', ['Paths']],
    ['c:\\\\,food', ['Cooking', 'Paths']],
    ['c:\\dir', ['Paths']],
    ['a\\\\\\,b', ['Salt']],
    ['c:\\', ['Paths']],
  ])('tags=%s asks for tags with a comma or a backslash in them', async (tags, found) => {
    expect(await quizzes(queryOf({ tags }).slice(1))).toEqual(found);
    expect((await browsed(queryOf({ tags }).slice(1))).sort()).toEqual(found);
  });

  it('a category with a comma is found in both lists', async () => {
    expect(await quizzes('category=Food\\, Drink')).toEqual(['Cooking']);
    // As the specification has it, where the category of the quiz list is one name.
    expect(await quizzes('category=food, drink')).toEqual(['Cooking', 'Salt']);
    expect(await quizzes('category=food\\, drink,computing')).toEqual(['Cooking', 'Paths']);
    // Seven values of two names each are 14 of the 20 that a list holds.
    const pairs = Array.from({ length: 6 }, (_, index) => `category=a${index},b${index}`).join('&');
    expect(await quizzes(`${pairs}&category=food,computing`)).toEqual(['Paths', 'Salt']);
    expect(await browsed('category=food\\, drink')).toEqual(['Cooking']);
    expect(await browsed('category=food\\, drink,computing')).toEqual(['Cooking', 'Paths']);
  });

  it('a repeated list parameter is one list, and links repeat it', async () => {
    expect(await quizzes('tags=food&tags=salt')).toEqual(['Cooking', 'Salt']);
    expect(await quizzes('tags=food,c:\\&tags=salt&tags=')).toEqual(['Cooking', 'Paths', 'Salt']);
    expect(await browsed('category=food&category=computing')).toEqual(['Paths', 'Salt']);
    for (const query of [
      'difficulty=hard&difficulty=easy',
      'difficulty=easy&difficulty=hard',
      'type=MULTIPLE_CHOICE&type=TRUE_FALSE',
      'type=TRUE_FALSE&type=MULTIPLE_CHOICE',
    ])
      expect(await browsed(query)).toHaveLength(3);
    expect(await browsed('type=OPEN_ENDED&type=TRUE_FALSE')).toEqual([]);
    const { body } = await reader.get('/questions?limit=1&tags=food&tags=c:\\').expect(200);
    expect(body).toMatchObject({
      meta: {
        total: 2,
        links: {
          next: nextLink('/api/v1/questions?offset=1&limit=1&tags=food&tags=c%3A%5C'),
          last: '/api/v1/questions?offset=1&limit=1&tags=food&tags=c%3A%5C',
        },
      },
    });
    expect(await browsed('limit=1&offset=1&tags=food&tags=c%3A%5C')).toEqual(['Paths']);
  });

  it('a repeated parameter that is not a list gets 400', async () => {
    expect(await refused('/quizzes?topic=food&topic=computing')).toBe(
      'topic must be given once, as plain text: topic=…',
    );
  });

  it('the quiz list takes several categories and difficulties, separated by commas or repeated', async () => {
    expect(await quizzes('category=FOOD&category=computing')).toEqual(['Paths', 'Salt']);
    expect(await quizzes('category=food\\, drink&category=&category=food')).toEqual([
      'Cooking',
      'Salt',
    ]);
    expect(await quizzes('category=food,computing')).toEqual(['Paths', 'Salt']);
    expect(await quizzes('difficulty=HARD,MEDIUM')).toHaveLength(3);
    expect(await quizzes('difficulty=HARD,EASY&difficulty=EXPERT')).toEqual(['Paths']);
    expect(await quizzes('difficulty=HARD')).toEqual(['Paths']);
    expect(await quizzes('difficulty=HARD&difficulty=MEDIUM')).toHaveLength(3);
    expect(await quizzes('difficulty=HARD&difficulty=HARD&category=food')).toEqual([]);
    expect(await quizzes('category=food&category=computing&tags=salt')).toEqual(['Salt']);
    const error =
      'difficulty must be one or more of EASY, MEDIUM, HARD, EXPERT, separated by commas.';
    for (const difficulty of ['EASY,hard', 'EASY&difficulty=hard', 'EASY&difficulty=%20'])
      expect(await refused(`/quizzes?difficulty=${difficulty}`)).toBe(error);
    const categories = Array.from({ length: 21 }, (_, index) => `category=food${index}`);
    await reader.get(`/quizzes?${categories.slice(1).join('&')}`).expect(200);
    expect(await refused(`/quizzes?${categories.join('&')}`)).toMatch('at most 20 values');
  });

  it.each(['popular', 'newest', 'title'])(
    'pages of several categories by %s are in one order and have every quiz once',
    async (sort) => {
      const categories = ['food\\, drink', 'computing', 'food', 'none'].map(
        (category) => `category=${category}`,
      );
      const all = await reader.get(`/quizzes?sort=${sort}&limit=50`).expect(200);
      const pages: string[] = [];
      for (let offset = 0; offset < 3; offset++) {
        const query = `sort=${sort}&limit=1&offset=${offset}&${categories.join('&')}`;
        const { body } = await reader.get(`/quizzes?${query}`).expect(200);
        expect(body).toMatchObject({ meta: { total: 3 } });
        pages.push((body as { data: { id: string }[] }).data.map(({ id }) => id).join());
      }
      expect(pages).toEqual((all.body as { data: { id: string }[] }).data.map(({ id }) => id));
    },
  );

  it('lists of 20 different values are read, of 21 refused', async () => {
    const list = (count: number) =>
      Array.from({ length: count }, (_, index) => `${index},,0`).join(',');
    const error = 'must list at most 20 values: ask for the rest in another request.';
    for (const [path, name] of [
      ['/quizzes', 'tags'],
      ['/questions', 'tags'],
      ['/questions', 'category'],
    ]) {
      await reader.get(`${path}?${name}=${list(20)}`).expect(200);
      expect(await refused(`${path}?${name}=${list(21)}`)).toBe(`${name} ${error}`);
      expect(await refused(`${path}?${name}=${list(20)}&${name}=more`)).toBe(`${name} ${error}`);
    }
  });

  it('200 questions can be excluded, and 201 get 400', async () => {
    const ids = Array.from({ length: 201 }, newId);
    const { body } = await reader.get('/questions?limit=1').expect(200);
    const [{ id: known }] = (body as { data: [{ id: string }] }).data;
    for (const path of ['/questions', '/questions/counts']) {
      const excluding = (some: string[]) =>
        `${path}?exclude=${[known.toUpperCase(), ...some].join()}`;
      const found = await reader.get(excluding(ids.slice(2))).expect(200);
      const { data, meta } = found.body as { data: { total?: number }; meta?: { total: number } };
      expect(meta?.total ?? data.total).toBe(2);
      expect(await refused(excluding(ids.slice(1)))).toMatch(
        'exclude must list at most 200 values',
      );
      for (const bad of ['x', `${known}x`, `${known},1`, `${known} ${known}`])
        expect(await refused(`${path}?exclude=${bad}`)).toBe(
          'exclude must list ids as the API returns them, separated by commas.',
        );
    }
    const repeated = ids.slice(0, 200).map((id) => `exclude=${id}`);
    expect(await browsed(repeated.join('&'))).toHaveLength(3);
    expect(await browsed('exclude=')).toHaveLength(3);
  });

  it('an empty enumeration, list, topic or offset counts as absent', async () => {
    expect(await quizzes('difficulty=&tags_match=&tags=&topic=&category=&offset=')).toHaveLength(3);
    const { body } = await reader.get('/quizzes?sort=').expect(200);
    expect(body).toEqual((await reader.get('/quizzes?sort=popular').expect(200)).body);
    expect(await browsed('difficulty=&type=&tags_match=&random=&seed=')).toHaveLength(3);
    const owner = await service.account('pro');
    const { id } = await makeQuiz(owner);
    const file = await owner.get(`/quizzes/${id}/export?format=`).expect(200);
    expect(file.body).toEqual((await owner.get(`/quizzes/${id}/export`).expect(200)).body);
    expect(file.text).toContain('Rivers of Europe');
  });

  it.each(['/quizzes?limit=', '/questions?limit=', '/questions?quiz_id=', '/quizzes?sort=+'])(
    '%s gets 400',
    async (path) => {
      await refused(path);
    },
  );
});

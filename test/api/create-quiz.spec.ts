import { TaxonomyService } from '../../src/authoring/taxonomy/taxonomy.service';
import { quizBody } from '../support/samples';
import { startService, type TestAccount, type Service } from '../support/service';
import { errorsIn } from '../support/writing';

/** Specification 4.4, part 2 (CreateQuizRequest, CreatedQuiz) and part 8. */

let service: Service;
let pro: TestAccount;
let geographyId: string;

beforeAll(async () => {
  service = await startService();
  pro = await service.account('pro');
  await service.app
    .get(TaxonomyService)
    .seed(service.database.manager, { name: 'World', slug: 'world', icon: null, position: 0 }, [
      { name: 'Geography', slug: 'geography' },
    ]);
  const [row] = await service.database.query<{ id: string }[]>('SELECT id FROM categories');
  geographyId = row?.id ?? '';
});
afterAll(() => service.close());

const minimal = (fields: object = {}) => ({ title: 'Minimal', difficulty: 'EASY', ...fields });
const create = (fields: object = {}, account = pro) => account.post('/quizzes', minimal(fields));
const created = async (fields: object = {}, account = pro) => {
  const answer = await create(fields, account).expect(201);
  return (answer.body as { data: Record<string, unknown> }).data;
};
const quizCount = async () =>
  (await service.database.query<{ n: number }[]>('SELECT count(*)::int AS n FROM quizzes'))[0]?.n;

describe('the response to a created quiz', () => {
  test('a created quiz comes back as exactly CreatedQuiz, with its Location', async () => {
    const answer = await pro.post('/quizzes', quizBody({ categoryId: geographyId })).expect(201);
    const id = (answer.body as { data: { id: string } }).data.id;
    expect(answer.body).toEqual({
      success: true,
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        title: 'Rivers of Europe',
        description: 'From source to sea.',
        category: 'Geography',
        categoryId: geographyId,
        difficulty: 'MEDIUM',
        tags: ['rivers', 'europe'],
        published: true,
        featured: false,
      },
    });
    expect(answer.headers).toMatchObject({
      location: `/api/v1/quizzes/${id}`,
      'content-type': 'application/json; charset=utf-8',
    });
    await pro.get(`/quizzes/${id}`).expect(200);
  });

  test('fields that are left out have the specified defaults', async () => {
    expect(await created()).toEqual({
      id: expect.any(String) as string,
      title: 'Minimal',
      description: null,
      category: null,
      categoryId: null,
      difficulty: 'EASY',
      tags: [],
      published: false,
      featured: false,
    });
  });

  test.each(['EASY', 'MEDIUM', 'HARD', 'EXPERT'])(
    'difficulty %s is accepted',
    async (difficulty) => {
      expect(await created({ difficulty })).toMatchObject({ difficulty });
    },
  );

  test('null and blank mean none where the response allows null', async () => {
    const none = { description: null, category: null, categoryId: null, tags: [] };
    const nulls = { description: null, category: null, categoryId: null, tags: null };
    expect(await created(nulls)).toMatchObject(none);
    expect(await created({ description: '  ', category: ' \t' })).toMatchObject(none);
  });

  test('texts are stored trimmed and in NFC', async () => {
    const fields = {
      title: '  Cafe\u0301s \n',
      description: ' A\u030A ',
      category: ' Cafe\u0301 ',
      tags: [' cafe\u0301 '],
    };
    const quiz = await created(fields);
    const composed = {
      title: 'Caf\u00e9s',
      description: '\u00c5',
      category: 'Caf\u00e9',
      tags: ['caf\u00e9'],
    };
    expect(quiz).toMatchObject(composed);
    const read = await pro.get(`/quizzes/${String(quiz.id)}`).expect(200);
    expect((read.body as { data: object }).data).toMatchObject(composed);
  });
});

describe('tags', () => {
  test('repeated tags are stored once, in the first spelling', async () => {
    const tags = ['Rivers', 'europe', ' rivers ', 'EUROPE', 'Sea'];
    expect(await created({ tags })).toMatchObject({ tags: ['Rivers', 'europe', 'Sea'] });
  });

  test('20 tags are accepted, and 21 are refused even if repeated', async () => {
    const tags = Array.from({ length: 20 }, (_, index) => `tag ${index}`);
    expect(await created({ tags })).toMatchObject({ tags });
    for (const many of [
      [...tags, 'one more'],
      [...tags, 'TAG 1'],
    ]) {
      const refused = await create({ tags: many }).expect(422);
      expect(refused.body).toMatchObject({
        details: [{ path: 'tags', message: 'tags must hold at most 20 tags', code: 'too_many' }],
      });
    }
  });

  test('every invalid tag is an error with its own index', async () => {
    const refused = await create({ tags: ['a', ' ', 5, null, ['x'], {}, ''] }).expect(422);
    expect(errorsIn(refused).sort()).toEqual([
      'tags[1] blank',
      'tags[2] type',
      'tags[3] type',
      'tags[4] type',
      'tags[5] type',
      'tags[6] blank',
    ]);
  });

  test.each(['a,b', 5, { 0: 'a' }])('%j is refused as tags', async (tags) => {
    const refused = await create({ tags }).expect(422);
    expect(refused.body).toMatchObject({
      details: [{ path: 'tags', message: 'tags must be an array of texts', code: 'type' }],
    });
  });
});

describe('category', () => {
  test('categoryId wins over a flat name', async () => {
    expect(await created({ categoryId: geographyId, category: 'Something else' })).toMatchObject({
      category: 'Geography',
      categoryId: geographyId,
    });
  });

  test.each(['00000000-0000-7000-8000-000000000000', 'geography', '', "' OR 1=1 --"])(
    'the unknown categoryId %j is refused',
    async (categoryId) => {
      const before = await quizCount();
      const refused = await create({ categoryId, category: 'Geography' }).expect(422);
      expect(refused.body).toEqual({
        success: false,
        error:
          'The body is not valid: categoryId is not the id of a category: take one from GET /api/v1/categories.',
        details: [
          {
            path: 'categoryId',
            message: 'categoryId is not the id of a category: take one from GET /api/v1/categories',
            code: 'unknown',
          },
        ],
      });
      expect(await quizCount()).toBe(before);
    },
  );

  test('a flat name that is a category is linked to it, in any case', async () => {
    expect(await created({ category: ' gEOgraphy ' })).toMatchObject({
      category: 'Geography',
      categoryId: geographyId,
    });
  });

  test('a category name that is no category is stored as it is', async () => {
    expect(await created({ category: 'Pub Trivia' })).toMatchObject({
      category: 'Pub Trivia',
      categoryId: null,
    });
  });
});

describe('slugs', () => {
  const slugOf = async (title: string) => {
    const { id } = await created({ title });
    const read = await pro.get(`/quizzes/${String(id)}`).expect(200);
    return (read.body as { data: { slug: string } }).data.slug;
  };

  test('a slug comes from the title, and a second quiz of the same title gets a suffix', async () => {
    expect(await slugOf('Ünïque Rivers & Seas!')).toBe('unique-rivers-seas');
    expect(await slugOf('Unique rivers, seas')).toMatch(/^unique-rivers-seas-[0-9a-f]{8}$/);
  });

  test('a title without letters gets a slug from the id', async () => {
    expect(await slugOf('\u{1F600}!?')).toMatch(/^quiz-[0-9a-f]{8}$/);
  });
});

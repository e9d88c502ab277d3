import { TaxonomyService } from '../../src/authoring/taxonomy/taxonomy.service';
import { quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { errorsIn } from '../support/writing';

/** Creating a quiz: specification 4.4, parts 2 (CreateQuizRequest, CreatedQuiz) and 8; contract, "details". */

let service: Service;
let pro: TestAccount;
let admin: TestAccount;
let geographyId: string;

beforeAll(async () => {
  service = await startService();
  pro = await service.account('pro');
  admin = await service.account('free', { isAdmin: true });
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
  const response = await create(fields, account).expect(201);
  return (response.body as { data: Record<string, unknown> }).data;
};
const quizCount = async () =>
  (await service.database.query<{ n: number }[]>('SELECT count(*)::int AS n FROM quizzes'))[0]?.n;

describe('the response to a created quiz', () => {
  test('a created quiz comes back as exactly CreatedQuiz, with its Location', async () => {
    const response = await pro.post('/quizzes', quizBody({ categoryId: geographyId })).expect(201);
    const id = (response.body as { data: { id: string } }).data.id;
    expect(response.body).toEqual({
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
    expect(response.headers).toMatchObject({
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

  test('null means none for description, category, categoryId and tags, and so does a blank description or category', async () => {
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
      details: [{ path: 'tags', message: 'tags must be an array of strings', code: 'type' }],
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
          'The body is not valid: categoryId is not the id of a category (GET /api/v1/categories lists them).',
        details: [
          {
            path: 'categoryId',
            message: 'categoryId is not the id of a category (GET /api/v1/categories lists them)',
            code: 'unknown',
          },
        ],
      });
      expect(await quizCount()).toBe(before);
    },
  );

  test('a category name given as text links the quiz to the category, ignoring case', async () => {
    expect(await created({ category: ' gEOgraphy ' })).toMatchObject({
      category: 'Geography',
      categoryId: geographyId,
    });
  });

  test('a category name without a category is stored unchanged', async () => {
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

describe('quiz text lengths', () => {
  const emoji = (count: number) => '\u{1F600}'.repeat(count);

  test.each([
    ['title', 200],
    ['description', 2000],
    ['category', 100],
  ])('%s of %i emoji is accepted, and one more is refused', async (field, most) => {
    expect(await created({ [field]: `  ${emoji(most)} ` })).toMatchObject({ [field]: emoji(most) });
    const refused = await create({ [field]: emoji(most + 1) }).expect(422);
    expect(refused.body).toEqual({
      success: false,
      error: `The body is not valid: ${field} is longer than ${most} characters.`,
      details: [
        { path: field, message: `${field} is longer than ${most} characters`, code: 'too_long' },
      ],
    });
  });

  test('a tag of 50 emoji is accepted, and one more is refused', async () => {
    expect(await created({ tags: [emoji(50)] })).toMatchObject({ tags: [emoji(50)] });
    const refused = await create({ tags: ['fine', emoji(51)] }).expect(422);
    expect(refused.body).toMatchObject({
      details: [
        { path: 'tags[1]', message: 'tags[1] is longer than 50 characters', code: 'too_long' },
      ],
    });
  });

  test('a quiz title of one character is accepted', async () => {
    expect(await created({ title: 'x' })).toMatchObject({ title: 'x' });
  });

  test.each(['', '   ', '\n\t\u00a0', '\u200b', '\u0001', '\u2800 \u3164\ufe0f'])(
    'the blank title %j is refused',
    async (title) => {
      const refused = await create({ title }).expect(422);
      expect(refused.body).toEqual({
        success: false,
        error: 'The body is not valid: title must not be blank.',
        details: [{ path: 'title', message: 'title must not be blank', code: 'blank' }],
      });
    },
  );
});

describe('fields that a client cannot set', () => {
  const storedFeatured = async (id: unknown) => {
    const sql = 'SELECT featured FROM quizzes WHERE id = $1';
    return (await service.database.query<object[]>(sql, [id]))[0];
  };

  test('featured is stored for an administrator', async () => {
    for (const featured of [true, false]) {
      const quiz = await created({ featured }, admin);
      expect(quiz).toMatchObject({ featured });
      expect(await storedFeatured(quiz.id)).toEqual({ featured });
    }
  });

  test('featured is ignored for everybody else', async () => {
    const quiz = await created({ featured: true });
    expect(quiz).toMatchObject({ featured: false });
    expect(await storedFeatured(quiz.id)).toEqual({ featured: false });
  });

  test('unknown fields of a quiz are not stored', async () => {
    const id = '00000000-0000-7000-8000-000000000001';
    const quiz = await created({
      id,
      slug: 'mine',
      ownerId: admin.accountId,
      owner_id: admin.accountId,
      approved: true,
      approval: 'approved',
      isPublic: true,
      published: true,
      plays: 99,
      questionCount: 7,
      questions: [{ text: 'x' }],
      createdAt: '1999-01-01',
      toString: 1,
      hasOwnProperty: 1,
    });
    expect(Object.keys(quiz)).toHaveLength(9);
    expect(quiz.id).not.toBe(id);
    const [row] = await service.database.query<object[]>(
      `SELECT owner_id, approval, is_public, plays, question_count, slug = 'mine' AS slugged,
         created_at > now() - interval '1 hour' AS recent FROM quizzes WHERE id = $1`,
      [quiz.id],
    );
    expect(row).toEqual({
      owner_id: pro.accountId,
      approval: 'pending',
      is_public: false,
      plays: '0',
      question_count: 0,
      slugged: false,
      recent: true,
    });
  });

  test.each([
    '{"title":"T","difficulty":"EASY","__proto__":{"featured":true,"published":true}}',
    '{"title":"T","difficulty":"EASY","constructor":{"prototype":{"published":true}}}',
    '{"title":"T","difficulty":"EASY","evil":{"constructor":"x"},"list":[{"constructor":1}]}',
    '{"title":"T","difficulty":"EASY","then":{"then":1},"__defineGetter__":[]}',
  ])('prototype pollution has no effect: %s', async (body) => {
    const response = await admin.post('/quizzes', body).expect(201);
    expect((response.body as { data: object }).data).toMatchObject({
      featured: false,
      published: false,
    });
    const { featured, published } = {} as { featured?: unknown; published?: unknown };
    expect([featured, published]).toEqual([undefined, undefined]);
  });

  test('values with a key `constructor` are refused, with an error for each field', async () => {
    const body =
      '{"title":{"constructor":"x"},"difficulty":"constructor","tags":[{"constructor":1}]}';
    const refused = await pro.post('/quizzes', body).expect(422);
    expect(errorsIn(refused)).toEqual(['title type', 'difficulty choice', 'tags[0] type']);
  });
});

describe('validation details', () => {
  test('details list every error of the body with path, message and code', async () => {
    const before = await quizCount();
    const refused = await pro
      .post('/quizzes', {
        difficulty: 'easy',
        description: 4,
        category: ['x'],
        categoryId: {},
        tags: ['ok', '\u2060'],
        published: 'yes',
        featured: 1,
      })
      .expect(422);
    expect(refused.body).toEqual({
      success: false,
      error: 'The body is not valid: title is required (and 7 more problems, see "details").',
      details: [
        { path: 'title', message: 'title is required', code: 'required' },
        {
          path: 'difficulty',
          message: 'difficulty must be one of: EASY, MEDIUM, HARD, EXPERT',
          code: 'choice',
        },
        { path: 'description', message: 'description must be a string', code: 'type' },
        { path: 'category', message: 'category must be a string', code: 'type' },
        { path: 'categoryId', message: 'categoryId must be a string', code: 'type' },
        { path: 'tags[1]', message: 'tags[1] must not be blank', code: 'blank' },
        { path: 'published', message: 'published must be true or false', code: 'type' },
        { path: 'featured', message: 'featured must be true or false', code: 'type' },
      ],
    });
    expect(await quizCount()).toBe(before);
  });

  test.each(['title', 'difficulty'])('a quiz without %s is refused', async (field) => {
    const refused = await create({ [field]: undefined }).expect(422);
    expect(refused.body).toEqual({
      success: false,
      error: `The body is not valid: ${field} is required.`,
      details: [{ path: field, message: `${field} is required`, code: 'required' }],
    });
  });

  test('the message for two errors mentions one more problem in the singular', async () => {
    const refused = await pro.post('/quizzes', {}).expect(422);
    expect((refused.body as { error: string }).error).toBe(
      'The body is not valid: title is required (and 1 more problem, see "details").',
    );
  });

  test.each(['title', 'difficulty', 'published', 'featured'])(
    'a quiz with %s null is refused',
    async (field) => {
      expect(errorsIn(await create({ [field]: null }).expect(422))[0]).toMatch(
        new RegExp(`^${field} (type|choice)$`),
      );
    },
  );

  test.each([
    ['title', 'a\\u0000b'],
    ['description', '\\ud83d'],
    ['category', '\\ude00x'],
  ])('NUL or half a surrogate pair in %s is an error of that field', async (field, text) => {
    const body = `{"title":"T","difficulty":"EASY","${field}":"${text}"}`;
    expect(errorsIn(await pro.post('/quizzes', body).expect(422))).toEqual([`${field} characters`]);
  });

  test('NUL in a tag or an unknown field is refused', async () => {
    const refused = await create({ tags: ['ok', 'a\0'], other: { deep: ['\0'] } }).expect(422);
    expect(refused.body).toMatchObject({
      details: [
        {
          path: 'tags[1]',
          message: 'tags[1] contains an invalid character (NUL or an unpaired surrogate)',
          code: 'characters',
        },
        { path: 'other.deep[0]', code: 'characters' },
      ],
    });
  });

  test.each(['[]', 'null', '"text"', '5', 'true'])('%s is refused as a quiz', async (body) => {
    const refused = await pro.post('/quizzes', body).expect(422);
    expect(refused.body).toEqual({
      success: false,
      error: 'The body is not valid: it must be a JSON object, {…}.',
      details: [{ path: '', message: 'it must be a JSON object, {…}', code: 'type' }],
    });
  });
});

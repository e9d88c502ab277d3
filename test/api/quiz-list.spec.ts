import { type MadeQuiz, makeQuiz, queryOf } from '../support/content';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** GET /quizzes (specification 4.3): the body and filters. quiz-list-pages.spec.ts tests orders and paging. */
describe('listing quizzes', () => {
  let service: Service;
  let admin: TestAccount;
  let reader: TestAccount;
  const made: Record<string, MadeQuiz> = {};

  beforeAll(async () => {
    service = await startService();
    admin = await service.account('free', { isAdmin: true });
    reader = await service.account('free');
    const make = async (name: string, fields: object, questions = 0) => {
      made[name] = await makeQuiz(admin, { title: name, ...fields }, questionBodies(questions));
      service.clock.advance(1_000);
    };
    await make('Rivers', { description: 'From source to SEA.', tags: ['Water', 'Europe'] }, 3);
    await make('Café culture', {
      category: 'Food & Drink',
      difficulty: 'EASY',
      description: 'Wer trinkt 100% Arabica?',
      tags: ['cafe\u0301', 'europe', 'snake_case'],
    });
    await make('ΟΔΥΣΣΕΥΣ', {
      category: 'ΜΎΘΟΣ',
      difficulty: 'EXPERT',
      description: undefined,
      tags: ['ΉΡΩΣ'],
    });
    await make('bare', {
      category: undefined,
      difficulty: 'HARD',
      description: undefined,
      tags: undefined,
    });
    await make('Snakes', {
      category: 'geography',
      difficulty: 'EASY',
      description: String.raw`C:\water`,
      tags: ['snakeXcase', 'water', '1000 things'],
    });
  });

  afterAll(() => service.close());

  const titles = async (parameters: Record<string, string | number> = {}, account = reader) => {
    const { body } = await account
      .get(`/quizzes${queryOf({ sort: 'newest', ...parameters })}`)
      .expect(200);
    const found = (body.data as { title: string }[]).map((quiz) => quiz.title);
    expect(body.meta.total).toBe(found.length);
    return found;
  };

  it('listing quizzes needs a key', async () => {
    const { body } = await service.get('/quizzes').expect(401);
    expect(body).toEqual({ success: false, error: 'Invalid API key.' });
  });

  it('listed quizzes have exactly the fields of QuizListItem, with default paging in meta', async () => {
    const { body } = await reader.get('/quizzes?category=GEOGRAPHY&sort=title').expect(200);
    expect(body).toEqual({
      success: true,
      data: [
        {
          id: made['Rivers']?.id,
          title: 'Rivers',
          description: 'From source to SEA.',
          category: 'Geography',
          difficulty: 'MEDIUM',
          tags: ['Water', 'Europe'],
          questionCount: 3,
          plays: 0,
          slug: 'rivers',
        },
        {
          id: made['Snakes']?.id,
          title: 'Snakes',
          description: String.raw`C:\water`,
          category: 'geography',
          difficulty: 'EASY',
          tags: ['snakeXcase', 'water', '1000 things'],
          questionCount: 0,
          plays: 0,
          slug: 'snakes',
        },
      ],
      meta: { total: 2, limit: 10, offset: 0 },
    });
  });

  it('a listed quiz without description and category has ""', async () => {
    const { body } = await reader.get('/quizzes?topic=bare').expect(200);
    expect(body.data).toEqual([
      {
        id: made['bare']?.id,
        title: 'bare',
        description: '',
        category: '',
        difficulty: 'HARD',
        tags: [],
        questionCount: 0,
        plays: 0,
        slug: 'bare',
      },
    ]);
    const { category, ...created } = made['bare'] as MadeQuiz & { description: null };
    expect({ category, description: created.description }).toEqual({
      category: null,
      description: null,
    });
  });

  it('a play count above 32 bits is listed', async () => {
    const plays = 5_000_000_000;
    const set = `UPDATE quizzes SET plays = $1 WHERE id = $2`;
    await service.database.query(set, [plays, made['bare']?.id]);
    const { body } = await reader.get('/quizzes?limit=1').expect(200);
    expect(body.data).toMatchObject([{ title: 'bare', plays }]);
    await service.database.query(set, [0, made['bare']?.id]);
  });

  describe('category', () => {
    it.each([
      ['food & drink', ['Café culture']],
      ['  Food & Drink ', ['Café culture']],
      ['μύθοσ', ['ΟΔΥΣΣΕΥΣ']],
      ['μύθος', ['ΟΔΥΣΣΕΥΣ']],
      ['μυ\u0301θος', ['ΟΔΥΣΣΕΥΣ']],
      ['Geo', []],
      ['Geograph_', []],
      ['Geography,Food & Drink', ['Snakes', 'Café culture', 'Rivers']],
      ['', ['Snakes', 'bare', 'ΟΔΥΣΣΕΥΣ', 'Café culture', 'Rivers']],
    ])(
      'the filter %j matches the whole value, ignoring case and Unicode form',
      async (category, expected) => {
        expect(await titles({ category })).toEqual(expected);
      },
    );
  });

  describe('difficulty', () => {
    it('difficulty filters quizzes', async () => {
      expect(await titles({ difficulty: 'EASY' })).toEqual(['Snakes', 'Café culture']);
      expect(await titles({ difficulty: 'EXPERT' })).toEqual(['ΟΔΥΣΣΕΥΣ']);
    });

    it.each(['easy', 'Easy', 'EASY,hard', 'EASY;HARD', 'SIMPLE', ' '])(
      'the difficulty filter refuses %j',
      async (value) => {
        const { body } = await reader.get(`/quizzes${queryOf({ difficulty: value })}`).expect(400);
        expect(body).toEqual({
          success: false,
          error:
            'difficulty must be one or more of EASY, MEDIUM, HARD, EXPERT, separated by commas.',
        });
      },
    );
  });

  describe('tags', () => {
    it.each([
      ['water', ['Snakes', 'Rivers']],
      ['WATER', ['Snakes', 'Rivers']],
      ['CAF\u00c9', ['Café culture']],
      ['cafe\u0301', ['Café culture']],
      ['ήρως', ['ΟΔΥΣΣΕΥΣ']],
      ['ήρωσ', ['ΟΔΥΣΣΕΥΣ']],
      ['wat', []],
      ['snake_case', ['Café culture']],
      ['snake%case', []],
      ['1000 things', ['Snakes']],
      ['nothing', []],
    ])(
      'the filter %j matches the whole value, ignoring case and Unicode form',
      async (tags, expected) => {
        expect(await titles({ tags })).toEqual(expected);
      },
    );

    it('several tags match any of them, each quiz once', async () => {
      expect(await titles({ tags: 'water,europe' })).toEqual(['Snakes', 'Café culture', 'Rivers']);
      expect(await titles({ tags: 'water,nothing', tags_match: 'any' })).toEqual([
        'Snakes',
        'Rivers',
      ]);
    });

    it('tags_match=all matches all of several tags', async () => {
      expect(await titles({ tags: 'europe,WATER', tags_match: 'all' })).toEqual(['Rivers']);
      expect(await titles({ tags: 'water,Water, water', tags_match: 'all' })).toHaveLength(2);
      expect(await titles({ tags: 'water,nothing', tags_match: 'all' })).toEqual([]);
    });

    it('blank tags in the filter are ignored', async () => {
      expect(await titles({ tags: ' , water ,,' })).toEqual(['Snakes', 'Rivers']);
      expect(await titles({ tags: ',', tags_match: 'all' })).toHaveLength(5);
      expect(await titles({ tags: '' })).toHaveLength(5);
    });

    it('an unknown tags_match gets 400', async () => {
      await reader.get('/quizzes?tags=water&tags_match=some').expect(400);
    });
  });

  describe('topic', () => {
    it.each([
      ['RIVER', ['Rivers'], 'title'],
      ['to sea', ['Rivers'], 'description'],
      ['urop', ['Café culture', 'Rivers'], 'tag'],
      ['wate', ['Snakes', 'Rivers'], 'description or tag'],
      ['a', ['Snakes', 'bare', 'Café culture', 'Rivers'], 'one letter'],
      ['CAF\u00c9', ['Café culture'], 'accent, composed'],
      ['cafe\u0301 cu', ['Café culture'], 'accent, decomposed'],
      ['οδυσσεύς', [], 'another letter'],
      ['οδυσσευς', ['ΟΔΥΣΣΕΥΣ'], 'sigma at the end'],
      ['σσευσ', ['ΟΔΥΣΣΕΥΣ'], 'sigma in the middle'],
      ['100%', ['Café culture'], 'percent sign'],
      ['1%0', [], 'percent sign is no wildcard'],
      ['%', ['Café culture'], 'percent sign alone'],
      ['snake_', ['Café culture'], 'underscore is no wildcard'],
      ['_', ['Café culture'], 'underscore alone'],
      ['\\', ['Snakes'], 'backslash'],
      [String.raw`c:\w`, ['Snakes'], 'backslash before a letter'],
      [String.raw`\%`, [], 'backslash before a percent sign'],
      ['rivers from', [], 'not across fields'],
      ["'; --", [], 'quotation mark'],
      ['geography', [], 'not the category'],
      ['', ['Snakes', 'bare', 'ΟΔΥΣΣΕΥΣ', 'Café culture', 'Rivers'], 'empty'],
      ['  ', ['Snakes', 'bare', 'ΟΔΥΣΣΕΥΣ', 'Café culture', 'Rivers'], 'blank'],
    ])('the topic %j finds %j (%s)', async (topic, expected) => {
      expect(await titles({ topic })).toEqual(expected);
    });

    it('a topic of 200 characters outside the basic plane is accepted', async () => {
      expect(await titles({ topic: '\u{1F40D}'.repeat(200) })).toEqual([]);
    });
  });

  it('the filters of the quiz list are combined', async () => {
    expect(await titles({ category: 'geography', difficulty: 'EASY' })).toEqual(['Snakes']);
    expect(await titles({ tags: 'europe', difficulty: 'EASY' })).toEqual(['Café culture']);
    expect(await titles({ tags: 'europe,water', category: 'Geography' })).toEqual([
      'Snakes',
      'Rivers',
    ]);
    expect(await titles({ topic: 'water', difficulty: 'MEDIUM' })).toEqual(['Rivers']);
    expect(await titles({ topic: 'water', tags: 'europe' })).toEqual(['Rivers']);
    expect(
      await titles({
        topic: 'water',
        tags: 'water,europe',
        tags_match: 'all',
        category: 'geography',
        difficulty: 'MEDIUM',
      }),
    ).toEqual(['Rivers']);
    expect(
      await titles({
        topic: 'water',
        tags: 'water,europe',
        tags_match: 'all',
        category: 'geography',
        difficulty: 'EASY',
      }),
    ).toEqual([]);
  });

  it("filters apply to the caller's own private quizzes", async () => {
    const owner = await service.account();
    await makeQuiz(owner, { title: 'Draft', published: false, tags: ['water', 'own'] });
    await makeQuiz(owner, { title: 'Other', published: false, difficulty: 'HARD', tags: ['own'] });
    expect(await titles({ tags: 'own' }, owner)).toEqual(['Other', 'Draft']);
    expect(await titles({ tags: 'water,own', tags_match: 'all' }, owner)).toEqual(['Draft']);
    expect(await titles({ tags: 'water' }, owner)).toEqual(['Draft', 'Snakes', 'Rivers']);
    expect(await titles({ difficulty: 'HARD' }, owner)).toEqual(['Other', 'bare']);
    expect(await titles({ category: 'geography', topic: 'water' }, owner)).toEqual([
      'Draft',
      'Snakes',
      'Rivers',
    ]);
  });

  it('unknown parameters of the quiz list are ignored', async () => {
    expect(await titles({ owner: 'x', page: 3, quiz_id: '', type: 'NONE' })).toHaveLength(5);
  });

  it.each(['category', 'difficulty', 'tags'])(
    'a nested %s gets 400 when listing quizzes',
    async (name) => {
      for (const query of [`${name}[]=EASY`, `${name}[a]=EASY`, `${name}%5Ba%5D=EASY`])
        await reader.get(`/quizzes?${query}`).expect(400);
    },
  );

  it.each(['tags_match', 'topic', 'sort', 'limit', 'offset'])(
    'a repeated or nested %s gets 400 when listing quizzes',
    async (name) => {
      const value = { sort: 'title', tags_match: 'any' }[name] ?? '1';
      const error = `${name} must be given once, as plain text: ${name}=…`;
      for (const query of [
        `${name}=${value}&${name}=${value}`,
        `${name}[]=${value}`,
        `${name}[a]=${value}`,
        `${name}%5Ba%5D=${value}`,
      ]) {
        const { body } = await reader.get(`/quizzes?${query}`).expect(400);
        expect(body).toEqual({ success: false, error });
      }
    },
  );

  it.each(['category', 'tags', 'topic', 'sort'])(
    'NUL in %s gets 400 when listing quizzes',
    async (name) => {
      await reader.get(`/quizzes?${name}=a%00b`).expect(400);
    },
  );

  it.each(['a%ffb', '%ED%A0%80', '%F0%9F'])(
    'a filter in invalid UTF-8 gets 400: %s',
    async (topic) => {
      const { body } = await reader.get(`/quizzes?topic=${topic}`).expect(400);
      expect(body).toEqual({
        success: false,
        error: 'topic contains invalid characters (NUL or malformed UTF-8).',
      });
    },
  );

  it.each(['100%', '100%25', '%zz', '%EF%BF%BD'])(
    'an unusual filter that is valid text is accepted: %s',
    async (topic) => {
      await reader.get(`/quizzes?topic=${topic}`).expect(200);
    },
  );
});

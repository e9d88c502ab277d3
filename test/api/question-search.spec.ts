import { QuestionIndexService } from '../../src/authoring/questions/question-index.service';
import { newId } from '../../src/platform/text/ids';
import { addQuestions, type MadeQuiz, makeQuiz, queryOf } from '../support/content';
import { questionBodies, questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** `text` of GET /questions and GET /questions/counts, before and after the worker has indexed the questions. */
describe('searching the texts of questions', () => {
  let service: Service;
  let admin: TestAccount;
  let author: TestAccount;
  let reader: TestAccount;
  let rivers: MadeQuiz;

  beforeAll(async () => {
    service = await startService();
    admin = await service.account('free', { isAdmin: true });
    author = await service.account('pro');
    reader = await service.account('free');
    rivers = await makeQuiz(admin, { tags: ['water', 'europe'] }, [
      questionBody({ text: 'Which river flows through Vienna?' }),
      questionBody({ text: 'Which river is 100% within Romania?', difficulty: 'HARD' }),
      questionBody({
        text: 'Is the Οδυσσεύς a ferry? ÄÖÜ',
        difficulty: 'HARD',
        type: 'TRUE_FALSE',
        answers: [
          { text: 'True', isCorrect: true },
          { text: 'False', isCorrect: false },
        ],
      }),
    ]);
    await makeQuiz(admin, { title: 'Signs', category: 'Odd', tags: ['europe'] }, [
      questionBody({ text: 'What does snake_case\\mean in C++?' }),
      questionBody({ text: 'Which river? 😀😀😀' }),
    ]);
    await makeQuiz(author, { title: 'Draft', published: false, category: 'Own' }, [
      questionBody({ text: 'Which river shall I add?' }),
    ]);
  });

  afterAll(() => service.close());

  const index = () => service.app.get(QuestionIndexService).indexChanged();
  const marks = async () => {
    const rows = await service.database.query<object[]>(
      'SELECT quiz_id FROM question_search WHERE block = 0',
    );
    return rows.length;
  };
  const texts = async (parameters: Record<string, string>, account = reader) => {
    const { body } = await account.get(`/questions${queryOf(parameters)}`).expect(200);
    const found = (body.data as { text: string }[]).map(({ text }) => text);
    expect(body.meta).toMatchObject({ total: found.length, pageTotal: found.length });
    return found;
  };
  /** The beginnings of the questions found; a random page and the counts have as many. */
  const search = async (text: string, others: Record<string, string> = {}, account = reader) => {
    const found = await texts({ text, ...others }, account);
    const shuffled = await texts({ text, ...others, random: 'true' }, account);
    expect(shuffled.sort()).toEqual([...found].sort());
    const counts = await account.get(`/questions/counts${queryOf({ text, ...others })}`);
    expect(counts.body.data.total).toBe(found.length);
    return found.map((it) => it.slice(0, 15));
  };

  describe.each(['before', 'after'])('%s they are indexed', (when) => {
    beforeAll(async () => {
      if (when === 'after') await index();
      expect(await marks()).toBe(when === 'after' ? 0 : 3);
    });

    const FLOWS = 'Which river flo';
    const WITHIN = 'Which river is ';
    const FERRY = 'Is the Οδυσσεύς';
    const SNAKE = 'What does snake';
    const SMILE = 'Which river? 😀';

    it.each([
      ['river', [FLOWS, WITHIN, SMILE]],
      ['RIVER FLOWS', [FLOWS]],
      ['ΟΔΥΣΣΕΎΣ', [FERRY]],
      ['äöü', [FERRY]],
      ['100%', [WITHIN]],
      ['1%0', []],
      ['e_c', [SNAKE]],
      ['r_v', []],
      ['\\me', [SNAKE]],
      ['c++', [SNAKE]],
      ['?', [FLOWS, WITHIN, FERRY, SNAKE, SMILE]],
      ['w', [FLOWS, WITHIN, SNAKE, SMILE]],
      ['zx', []],
      ['😀', [SMILE]],
      ['vienna? which', []],
      ['no such text', []],
      // Blank: as without it.
      [' ', [FLOWS, WITHIN, FERRY, SNAKE, SMILE]],
    ])('text=%j finds the questions that contain it', async (text, expected) => {
      expect(await search(text)).toEqual(expected);
    });

    it.each([
      ['the title of a quiz', 'signs'],
      ['its description', 'source to sea'],
      ['its category', 'geography'],
      ['its tags', 'water'],
      ['answers', 'rhine'],
      ['explanations', 'ten countries'],
    ])('text does not search %s', async (_, text) => {
      expect(await search(text)).toEqual([]);
    });

    it('text applies with every other filter', async () => {
      expect(await search('river', { difficulty: 'hard' })).toEqual([WITHIN]);
      expect(await search('river', { category: 'odd' })).toEqual([SMILE]);
      expect(await search('river', { tags: 'water' })).toEqual([FLOWS, WITHIN]);
      expect(await search('river', { tags: 'water,europe' })).toEqual([FLOWS, WITHIN, SMILE]);
      expect(await search('i', { tags: 'water,europe', tags_match: 'all' })).toHaveLength(3);
      expect(await search('river', { topic: 'signs' })).toEqual([SMILE]);
      expect(await search('is', { type: 'TRUE_FALSE' })).toEqual([FERRY]);
      expect(await search('is', { type: 'MULTIPLE_CHOICE' })).toEqual([WITHIN]);
      expect(await search('river', { language: 'fr' })).toEqual([]);
      const exclude = rivers.questions[0]!.id;
      expect(await search('river', { exclude })).toEqual([WITHIN, SMILE]);
      expect(await search('zx', { exclude })).toEqual([]);
    });

    it("an owner's draft is found by its owner and by nobody else", async () => {
      expect(await search('shall', {}, author)).toEqual(['Which river sha']);
      expect(await search('river', {}, author)).toHaveLength(4);
      for (const account of [reader, admin])
        for (const text of ['shall', 'which river shall i add?', 'sh', 'l'])
          expect(await search(text, {}, account)).not.toContain('Which river sha');
    });

    it('counts have the total by category, difficulty and type', async () => {
      const { body } = await author.get('/questions/counts?text=RIVER').expect(200);
      expect(body.data).toEqual({
        total: 4,
        byCategory: { Geography: 2, Odd: 1, Own: 1 },
        byDifficulty: { EASY: 3, MEDIUM: 0, HARD: 1, EXPERT: 0 },
        byType: { MULTIPLE_CHOICE: 4, TRUE_FALSE: 0, OPEN_ENDED: 0 },
      });
    });

    it('links repeat the text, and following them visits each question once', async () => {
      for (const random of ['false', 'true']) {
        const seen: string[] = [];
        let next: string | null = `/questions${queryOf({ text: 'river', limit: 1, random })}`;
        while (next) {
          const { body } = await author.get(next).expect(200);
          const { data, meta } = body as {
            data: { id: string }[];
            meta: { total: number; links: { next: string | null } };
          };
          expect(meta.total).toBe(4);
          seen.push(...data.map(({ id }) => id));
          next = meta.links.next?.replace('/api/v1', '') ?? null;
          if (next) expect(next).toContain('&text=river');
        }
        expect(new Set(seen).size).toBe(4);
        expect(seen).toHaveLength(4);
      }
    });
  });

  it.each([false, true])(
    'a search finds 1,000 questions at most (indexed: %j)',
    async (indexed) => {
      const admins = await service.account('pro', { isAdmin: true });
      const word = indexed ? 'flamingo' : 'pelican';
      const bodies = questionBodies(1_010).map((question, number) => ({
        ...question,
        text: `${word} ${number}.`,
      }));
      // A quiz has at most 1,000 questions.
      const quizzes = [
        await makeQuiz(admins, {}, bodies.slice(0, 505)),
        await makeQuiz(admins, {}, bodies.slice(505)),
      ];
      if (indexed) await index();
      const page = async (parameters: Record<string, string>) => {
        const { body } = await reader.get(`/questions${queryOf({ text: word, ...parameters })}`);
        const { data, meta } = body as { data: { text: string }[]; meta: { total: number } };
        return { texts: data.map(({ text }) => text), total: meta.total };
      };
      expect(await page({ limit: '2' })).toEqual({
        texts: [`${word} 0.`, `${word} 1.`],
        total: 1_000,
      });
      const last = await page({ limit: '10', offset: '995' });
      expect(last.texts).toEqual([995, 996, 997, 998, 999].map((number) => `${word} ${number}.`));
      expect(await page({ offset: '1000' })).toEqual({ texts: [], total: 1_000 });
      const exclude = quizzes[0]!.questions.slice(0, 20).map(({ id }) => id);
      const rest = await page({ limit: '1', exclude: exclude.join() });
      expect(rest).toEqual({ texts: [`${word} 20.`], total: 990 });
      expect((await page({ text: `${word} 10` })).total).toBe(21);
      // Draws and counts are of the same 1,000.
      const drawn: string[] = [];
      for (let offset = 0; offset < 1_000; offset += 50) {
        const { texts, total } = await page({
          random: 'true',
          seed: 'same',
          limit: '50',
          offset: String(offset),
        });
        expect(total).toBe(1_000);
        drawn.push(...texts);
      }
      const first = Array.from({ length: 1_000 }, (_, number) => `${word} ${number}.`);
      expect(drawn).not.toEqual(first);
      expect([...drawn].sort()).toEqual([...first].sort());
      for (const [parameters, total] of [
        [{}, 1_000],
        [{ exclude: exclude.join() }, 990],
      ] as const) {
        const query = queryOf({ text: word, ...parameters });
        const { body } = await reader.get(`/questions/counts${query}`).expect(200);
        expect(body.data).toMatchObject({ total, byCategory: { Geography: total } });
      }
      for (const { id } of quizzes) await admins.delete(`/quizzes/${id}`).expect(204);
      await index();
    },
  );

  it('what is added, edited, moved and deleted is found as it is now, before and after indexing', async () => {
    const quiz = await makeQuiz(
      author,
      { published: false },
      questionBodies(120).map((question, number) => ({ ...question, text: `Zebra ${number}.` })),
    );
    await index();
    const total = async (text: string) => {
      const { body } = await author.get(`/questions/counts${queryOf({ text })}`).expect(200);
      return (body.data as { total: number }).total;
    };
    expect(await total('zebra')).toBe(120);
    expect(await total('zebra 119.')).toBe(1);
    const [first, second] = quiz.questions;
    await author.patch(`/questions/${first!.id}`, { text: 'ZÈBRE' }).expect(200);
    await author.delete(`/questions/${second!.id}`).expect(204);
    await addQuestions(author, quiz.id, [questionBody({ text: 'A quagga' })]);
    for (const indexed of [false, true]) {
      if (indexed) await index();
      expect(await marks()).toBe(indexed ? 0 : 1);
      expect(await total('zebra')).toBe(118);
      expect(await total('zèbre')).toBe(1);
      expect(await total('zebra 1.')).toBe(0);
      expect(await total('quagga')).toBe(1);
    }
    const { body } = await author.get(`/quizzes/${quiz.id}`);
    const ids = (body.data.questions as { id: string }[]).map(({ id }) => id);
    await author.put(`/quizzes/${quiz.id}/questions/order`, { ids: ids.reverse() }).expect(204);
    expect(await total('zebra')).toBe(118);
    await author.patch(`/questions/${first!.id}`, { text: 'zèbre' }).expect(200);
    expect(await total('ZÈBRE')).toBe(1);
    await index();
    const stored = await service.database.query<{ content: string }[]>(
      'SELECT content FROM question_search WHERE quiz_id = $1 ORDER BY block',
      [quiz.id],
    );
    expect(stored.map(({ content }) => content.split('\u001f').length)).toEqual([50, 50, 20]);
    // A text that was deleted is kept nowhere.
    expect(stored.map(({ content }) => content).join(' ')).not.toContain('zebra 1.');
    await author.delete(`/quizzes/${quiz.id}`).expect(204);
    expect(await total('zebra')).toBe(0);
    const left = await service.database.query<unknown[]>(
      'SELECT FROM question_search WHERE quiz_id = $1',
      [quiz.id],
    );
    expect(left).toHaveLength(0);
  });

  it('questions that an earlier version writes are found, and indexed like others', async () => {
    const quiz = await makeQuiz(author, { published: false }, questionBodies(1));
    await index();
    const id = newId();
    await service.database.query(
      `INSERT INTO questions (id, quiz_id, position, text, type, difficulty, answers, fingerprint, is_public, owner_id, category_key)
       SELECT $1, quiz_id, 2, 'An Older Text', type, difficulty, answers, gen_random_uuid(), is_public, owner_id, category_key
       FROM questions WHERE quiz_id = $2`,
      [id, quiz.id],
    );
    await service.database.query('UPDATE quizzes SET question_count = 2 WHERE id = $1', [quiz.id]);
    expect(await search('older text', {}, author)).toEqual(['An Older Text']);
    await index();
    expect(await search('older text', {}, author)).toEqual(['An Older Text']);
    await service.database.query(`UPDATE questions SET text = 'Another Text' WHERE id = $1`, [id]);
    expect(await search('older text', {}, author)).toEqual([]);
    expect(await search('another text', {}, author)).toEqual(['Another Text']);
    await index();
    expect(await search('another text', {}, author)).toEqual(['Another Text']);
    const [row] = await service.database.query<[{ text_key: string }]>(
      'SELECT text_key FROM questions WHERE id = $1',
      [id],
    );
    expect(row.text_key).toBe('another text');
    await author.delete(`/quizzes/${quiz.id}`).expect(204);
  });

  it('searches stay exact while more quizzes wait for the index than a search lists', async () => {
    await index();
    await service.database.query(
      `INSERT INTO quizzes (id, owner_id, title, title_sort, category_key, difficulty, tags, tag_keys, slug, published,
         approval, featured, created_at, updated_at)
       SELECT id, $1, 'Waiting', 'waiting', '', 'EASY', '{}', '{}', id, false, 'pending', false, now(), now()
       FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 5001)) AS ids`,
      [author.accountId],
    );
    await service.database.query(
      `INSERT INTO question_search (quiz_id, block) SELECT id, 0 FROM quizzes WHERE title = 'Waiting'`,
    );
    // It waits behind all of them. The quota of the author is used up.
    const late = await makeQuiz(admin, { published: false }, [
      questionBody({ text: 'Which river waits?' }),
    ]);
    expect(await search('RIVER')).toHaveLength(3);
    expect(await search('river', { tags: 'water' })).toHaveLength(2);
    expect(await search('river', {}, author)).toHaveLength(4);
    expect(await search('river', {}, admin)).toHaveLength(4);
    // With fewer of them, those are read beside the quizzes that the index has.
    await service.database.query(
      `DELETE FROM question_search WHERE quiz_id IN (SELECT id FROM quizzes WHERE title = 'Waiting' LIMIT 4000)`,
    );
    expect(await search('river', {}, author)).toHaveLength(4);
    await index();
    expect(await marks()).toBe(0);
    expect(await search('river')).toHaveLength(3);
    await admin.delete(`/quizzes/${late.id}`).expect(204);
    await service.database.query(`DELETE FROM quizzes WHERE title = 'Waiting'`);
  });

  it('questions that are added or edited during the indexing are all found', async () => {
    const quizzes = await Promise.all(
      [1, 2, 3].map(() => makeQuiz(author, { published: false }, questionBodies(2))),
    );
    let isDone = false;
    const indexing = (async () => {
      while (!isDone) await index();
    })();
    const writing = Promise.all(
      quizzes.map(async ({ id, questions }, number) => {
        for (let round = 0; round < 6; round++) {
          const text = `Okapi ${number} ${round}`;
          await addQuestions(author, id, [questionBody({ text })]);
          expect(await search(text, {}, author)).toEqual([text]);
          await author
            .patch(`/questions/${questions[0]!.id}`, { text: `Edited ${text}` })
            .expect(200);
          expect(await search(`edited ${text}`, {}, author)).toHaveLength(1);
        }
      }),
    );
    await writing.finally(() => (isDone = true));
    await indexing;
    await index();
    expect(await marks()).toBe(0);
    expect(await search('okapi', { limit: '50' }, author)).toHaveLength(21);
    expect(await search('edited okapi', {}, author)).toHaveLength(3);
  });

  it.each([
    ['topic of a quiz list', '/quizzes?topic='],
    ['topic', '/questions?topic='],
    ['text', '/questions?text='],
    ['seed', '/questions?random=true&seed='],
    ['position', '/questions?after='],
  ])('a %s of 200 characters is accepted, and a longer one gets 400', async (_, path) => {
    await reader.get(path + 'x'.repeat(200)).expect(200);
    const { body } = await reader.get(path + 'x'.repeat(201)).expect(400);
    const [, name] = /(\w+)=$/.exec(path) ?? [];
    expect(body.error).toBe(`${name} is longer than 200 characters.`);
  });

  it('a repeated text, or one with NUL, gets 400', async () => {
    await reader.get('/questions?text=a&text=b').expect(400);
    await reader.get('/questions?text=a%00').expect(400);
    await reader.get('/questions/counts?text[]=a').expect(400);
  });
});

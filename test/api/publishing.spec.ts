import { BatchImportService } from '../../src/authoring/questions/batch-import.service';
import { QuizAuthoringService } from '../../src/authoring/quizzes/quiz-authoring.service';
import { ReviewService } from '../../src/authoring/review/review.service';
import { questionBodies, questionBody, quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { createQuiz } from '../support/writing';

/** Publishing and approval decide together what others see, and the events they send (specification, parts 1, 3 and 6). */

let service: Service;
let review: ReviewService;
let owner: TestAccount;
let admin: TestAccount;

beforeAll(async () => {
  service = await startService();
  review = service.app.get(ReviewService);
  owner = await service.account('pro');
  admin = await service.account('free', { isAdmin: true });
});
afterAll(() => service.close());

interface OutboxRow {
  id: string;
  name: string;
  account_id: string;
  body: string;
  created_at: Date;
  relayed_at: Date | null;
}

const create = (fields: object = {}, account = owner) => createQuiz(account, fields);
const stateOf = async (quizId: string) =>
  (
    await service.database.query<object[]>(
      'SELECT published, approval, is_public, first_public_at FROM quizzes WHERE id = $1',
      [quizId],
    )
  )[0];
/** Without the opt-in events, which test/api/quiz-editing.spec.ts is about. */
const rowsOf = (quizId: string, at = service) =>
  at.database.query<OutboxRow[]>(
    `SELECT * FROM outbox_events
     WHERE body::jsonb -> 'data' ->> 'quiz_id' = $1 AND name IN ('quiz.created', 'quiz.published') ORDER BY id`,
    [quizId],
  );
const eventsOf = async (quizId: string, at = service) =>
  (await rowsOf(quizId, at)).map(({ name }) => name);
const outboxSize = async () =>
  (await service.database.query<{ n: number }[]>('SELECT count(*)::int AS n FROM outbox_events'))[0]
    ?.n;

describe('approval', () => {
  test("a new quiz is pending, and an administrator's is approved", async () => {
    expect(await stateOf(await create())).toEqual({
      published: true,
      approval: 'pending',
      is_public: false,
      first_public_at: null,
    });
    expect(await stateOf(await create({ published: false }, admin))).toEqual({
      published: false,
      approval: 'approved',
      is_public: false,
      first_public_at: null,
    });
  });

  test('publishing, review and imports do not change the slug', async () => {
    const quizId = await create({ title: 'Still the same', published: false });
    const slug = async () =>
      ((await owner.get(`/quizzes/${quizId}`)).body as { data: { slug: string } }).data.slug;
    expect(await slug()).toBe('still-the-same');
    await review.setPublished(quizId, true);
    await review.reject(quizId, 'Too short.');
    await review.approve(quizId);
    await owner
      .post(`/quizzes/${quizId}/questions/batch`, { questions: questionBodies(2) })
      .expect(201);
    await create({ title: 'Still the same' });
    expect(await slug()).toBe('still-the-same');
  });

  test('others see a quiz only when it is published and approved', async () => {
    const quizId = await create({ published: true });
    const other = await service.account('free');
    const sees = async (account: TestAccount) =>
      (await account.get(`/quizzes/${quizId}`)).status === 200;
    const seen = async () => [await sees(owner), await sees(other), await sees(admin)];
    expect(await seen()).toEqual([true, false, false]);
    await review.approve(quizId);
    expect(await seen()).toEqual([true, true, true]);
    await review.setPublished(quizId, false);
    expect(await seen()).toEqual([true, false, false]);
    await review.setPublished(quizId, true);
    expect(await seen()).toEqual([true, true, true]);
    await review.reject(quizId, 'Doubtful.');
    expect(await seen()).toEqual([true, false, false]);
  });

  test('a rejection without a reason is refused', async () => {
    const quizId = await create();
    expect(() => review.reject(quizId, '  ')).toThrow(
      'The review is not valid: reason must be a text of 1 to 1,000 characters.',
    );
    expect(await stateOf(quizId)).toMatchObject({ approval: 'pending' });
  });

  test('adding questions neither changes the review status nor publishes the quiz again', async () => {
    const quizzes = {
      pending: await create(),
      approved: await create({}, admin),
      rejected: await create(),
      draft: await create({ published: false }),
    };
    await review.reject(quizzes.rejected, 'Too short.');
    for (const [name, quizId] of Object.entries(quizzes)) {
      const before = [await stateOf(quizId), (await rowsOf(quizId)).length];
      const account = name === 'approved' ? admin : owner;
      await account
        .post(`/quizzes/${quizId}/questions/batch`, { questions: questionBodies(3) })
        .expect(201);
      expect([await stateOf(quizId), (await rowsOf(quizId)).length]).toEqual(before);
    }
  });

  test('questions are visible to others exactly when their quiz is', async () => {
    const quizId = await create({ published: true, category: 'Hide and seek' });
    await service.app
      .get(BatchImportService)
      .import(owner, quizId, [questionBody(), questionBody()] as never);
    const other = await service.account('free');
    const total = async (account: TestAccount) =>
      ((await account.get('/questions?category=hide and seek')).body as { meta: { total: number } })
        .meta.total;
    const seen = async () => [await total(owner), await total(other)];
    expect(await seen()).toEqual([2, 0]);
    await review.approve(quizId);
    expect(await seen()).toEqual([2, 2]);
    await review.setPublished(quizId, false);
    expect(await seen()).toEqual([2, 0]);
  });
});

describe('the events', () => {
  test('the body of quiz.created is stored as it is sent', async () => {
    const quizId = await create({ title: 'Flüsse "quoted"', published: false });
    const [row, ...more] = await rowsOf(quizId);
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      name: 'quiz.created',
      account_id: owner.accountId,
      relayed_at: null,
    });
    expect(row?.body).toBe(
      JSON.stringify({
        id: row?.id,
        event: 'quiz.created',
        created_at: row?.created_at.toISOString(),
        data: {
          quiz_id: quizId,
          title: 'Flüsse "quoted"',
          category: 'Geography',
          created_by: owner.accountId,
        },
      }),
    );
  });

  test('quiz.created has category null for a quiz without one', async () => {
    const quizId = await create({ category: undefined });
    const [row] = await rowsOf(quizId);
    expect(JSON.parse(row?.body ?? '')).toMatchObject({ data: { category: null } });
  });

  test('a quiz that is public from the start sends quiz.created and then quiz.published', async () => {
    const quizId = await create({}, admin);
    const [created, published, ...more] = await rowsOf(quizId);
    expect(more).toEqual([]);
    expect(created?.name).toBe('quiz.created');
    expect(published).toMatchObject({ name: 'quiz.published', account_id: admin.accountId });
    expect(published?.body).toBe(
      JSON.stringify({
        id: published?.id,
        event: 'quiz.published',
        created_at: published?.created_at.toISOString(),
        data: { quiz_id: quizId, title: 'Rivers of Europe', published_by: admin.accountId },
      }),
    );
  });

  test('every event has a unique id', async () => {
    const quizId = await create({}, admin);
    const ids = (await rowsOf(quizId)).map(({ id }) => id);
    expect(new Set([...ids, quizId]).size).toBe(3);
  });
});

describe('quiz.published is sent once, when the quiz first becomes public', () => {
  test('quiz.published is sent when a published quiz is approved', async () => {
    const quizId = await create({ published: true });
    expect(await eventsOf(quizId)).toEqual(['quiz.created']);
    await review.approve(quizId);
    expect(await eventsOf(quizId)).toEqual(['quiz.created', 'quiz.published']);
  });

  test("quiz.published is sent in the owner's name when an approved quiz is published", async () => {
    const quizId = await create({ published: false });
    await review.approve(quizId);
    expect(await eventsOf(quizId)).toEqual(['quiz.created']);
    await review.setPublished(quizId, true);
    const [, published] = await rowsOf(quizId);
    expect(published).toMatchObject({ name: 'quiz.published', account_id: owner.accountId });
    expect(JSON.parse(published?.body ?? '')).toMatchObject({
      data: { published_by: owner.accountId },
    });
  });

  test('quiz.published is not sent again after hiding, rejecting or publishing again', async () => {
    const quizId = await create({ published: true });
    await review.approve(quizId);
    await review.approve(quizId);
    await review.setPublished(quizId, true);
    await review.setPublished(quizId, false);
    await review.setPublished(quizId, true);
    await review.reject(quizId, 'A wrong answer.');
    await review.approve(quizId);
    expect(await eventsOf(quizId)).toEqual(['quiz.created', 'quiz.published']);
    expect(await stateOf(quizId)).toMatchObject({ is_public: true });
  });

  test('quiz.published is sent once when publishing and approving race', async () => {
    for (let round = 0; round < 5; round++) {
      const quizId = await create({ published: false }, admin);
      await service.database.query(`UPDATE quizzes SET approval = 'pending' WHERE id = $1`, [
        quizId,
      ]);
      await Promise.all([
        review.approve(quizId),
        review.setPublished(quizId, true),
        review.approve(quizId),
        review.setPublished(quizId, true),
      ]);
      expect(await eventsOf(quizId)).toEqual(['quiz.created', 'quiz.published']);
    }
  });

  test('quiz.published is not sent for a rejected quiz', async () => {
    const quizId = await create({ published: true });
    await review.reject(quizId, 'No sources.');
    await review.setPublished(quizId, false);
    await review.setPublished(quizId, true);
    expect(await eventsOf(quizId)).toEqual(['quiz.created']);
  });
});

describe('events of failed changes', () => {
  test('a quiz that is rolled back sends no event', async () => {
    const before = await outboxSize();
    const request = {
      title: 'Gone',
      difficulty: 'EASY',
      published: true,
      featured: false,
      acceptTypos: false,
    } as const;
    const attempt = service.database.transaction(async (tx) => {
      await service.app.get(QuizAuthoringService).createIn(tx, admin, request);
      throw new Error('rolled back');
    });
    await expect(attempt).rejects.toThrow('rolled back');
    expect(await outboxSize()).toBe(before);
  });

  test('a creation that fails at its last step leaves neither quiz nor event, and reveals no detail', async () => {
    await service.database.query(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'secret detail'; END $$;
      CREATE TRIGGER fail BEFORE INSERT ON outbox_events FOR EACH ROW
        WHEN (NEW.name = 'quiz.published') EXECUTE FUNCTION fail();`);
    try {
      const before = await outboxSize();
      const response = await admin.post('/quizzes', quizBody({ title: 'Half a quiz' })).expect(500);
      expect(response.body).toEqual({ success: false, error: 'Something went wrong.' });
      expect(response.headers['x-request-id']).toBeTruthy();
      expect(await outboxSize()).toBe(before);
      const left = await service.database.query<object[]>(
        `SELECT 1 FROM quizzes WHERE title = 'Half a quiz'`,
      );
      expect(left).toEqual([]);
    } finally {
      await service.database.query('DROP TRIGGER fail ON outbox_events; DROP FUNCTION fail()');
    }
  });

  test('a refused quiz creation sends no event', async () => {
    const before = await outboxSize();
    await owner.post('/quizzes', quizBody({ title: '' })).expect(422);
    await owner.post('/quizzes', quizBody({ categoryId: 'x' })).expect(422);
    await owner.post('/quizzes', '{').expect(400);
    await service.post('/quizzes', quizBody()).expect(401);
    expect(await outboxSize()).toBe(before);
  });
});

test('MODERATION=auto approves every quiz at its creation', async () => {
  const open = await startService({ MODERATION: 'auto' });
  try {
    const account = await open.account('starter');
    const quizId = await create({}, account);
    expect(await eventsOf(quizId, open)).toEqual(['quiz.created', 'quiz.published']);
    await (await open.account('free')).get(`/quizzes/${quizId}`).expect(200);
    const draft = await create({ published: false }, account);
    expect(await eventsOf(draft, open)).toEqual(['quiz.created']);
    await open.app.get(ReviewService).setPublished(draft, true);
    expect(await eventsOf(draft, open)).toEqual(['quiz.created', 'quiz.published']);
  } finally {
    await open.close();
  }
});

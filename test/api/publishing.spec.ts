import { BatchImportService } from '../../src/authoring/questions/batch-import.service';
import { ReviewService } from '../../src/authoring/review/review.service';
import { questionBodies, questionBody } from '../support/samples';
import { startService, type TestAccount, type Service } from '../support/service';
import { createQuiz } from '../support/writing';

/** States of a quiz: publishing and approval decide together what others see (specification, parts 1 and 3). */

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

const create = (fields: object = {}, account = owner) => createQuiz(account, fields);
const stateOf = async (quizId: string) =>
  (
    await service.database.query<object[]>(
      'SELECT published, approval, is_public, first_public_at FROM quizzes WHERE id = $1',
      [quizId],
    )
  )[0];
const eventCount = async (quizId: string) =>
  (
    await service.database.query<object[]>(
      `SELECT 1 FROM outbox_events WHERE body::jsonb -> 'data' ->> 'quiz_id' = $1`,
      [quizId],
    )
  ).length;

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
      'The review is not valid: reason must be a text of 1 to 1000 characters.',
    );
    expect(await stateOf(quizId)).toMatchObject({ approval: 'pending' });
  });

  test('adding questions changes neither the review status nor sends an event', async () => {
    const quizzes = {
      pending: await create(),
      approved: await create({}, admin),
      rejected: await create(),
      draft: await create({ published: false }),
    };
    await review.reject(quizzes.rejected, 'Too short.');
    for (const [name, quizId] of Object.entries(quizzes)) {
      const before = [await stateOf(quizId), await eventCount(quizId)];
      const account = name === 'approved' ? admin : owner;
      await account
        .post(`/quizzes/${quizId}/questions/batch`, { questions: questionBodies(3) })
        .expect(201);
      expect([await stateOf(quizId), await eventCount(quizId)]).toEqual(before);
    }
  });

  test('questions are visible to others exactly when their quiz is', async () => {
    const quizId = await create({ published: true, category: 'Hide and seek' });
    await service.app
      .get(BatchImportService)
      .import(owner.accountId, quizId, [questionBody(), questionBody()] as never);
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

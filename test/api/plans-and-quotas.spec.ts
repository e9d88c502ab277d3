import { AccountAdministrationService } from '../../src/access/administration/account-administration.service';
import { OPERATOR } from '../../src/access/audit/actor';
import { questionBody, quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** Specification, parts 1 and 4.4, and the contract's "Plan quotas". */

let service: Service;
beforeAll(async () => {
  service = await startService({ QUIZ_QUOTA_STARTER: '2', QUIZ_QUOTA_PRO: '3' });
});
afterAll(() => service.close());

const create = (account: TestAccount, fields: object = {}) =>
  account.post('/quizzes', quizBody(fields));
const createMany = async (account: TestAccount, count: number) => {
  for (let index = 0; index < count; index++) await create(account).expect(201);
};
const refusal = (error: string) => ({ success: false, error });
const owned = async (account: TestAccount) =>
  (
    await service.database.query<{ n: number }[]>(
      'SELECT count(*)::int AS n FROM quizzes WHERE owner_id = $1',
      [account.accountId],
    )
  )[0]?.n;

const NEEDS_PLAN = refusal(
  'Creating quizzes, uploading pictures and importing questions require a Starter or Pro plan. Request one at /dashboard/account.',
);
const STARTER_FULL = refusal(
  'Your Starter plan allows 2 quizzes, and you have reached that limit. Delete a quiz or upgrade your plan.',
);
const PRO_FULL = refusal(
  'Your Pro plan allows 3 quizzes, and you have reached that limit. Delete a quiz to make room.',
);

test('a Free account can read but not create or import', async () => {
  const free = await service.account('free');
  await free.get('/quizzes').expect(200);
  await free.get('/questions').expect(200);
  expect((await create(free).expect(403)).body).toEqual(NEEDS_PLAN);
  const batch = await free.post('/quizzes/x/questions/batch', { questions: [questionBody()] });
  expect([batch.status, batch.body]).toEqual([403, NEEDS_PLAN]);
  expect(await owned(free)).toBe(0);
});

test('a Starter account beyond its quota gets 403 with limit and plan', async () => {
  const starter = await service.account('starter');
  await createMany(starter, 2);
  expect((await create(starter).expect(403)).body).toEqual(STARTER_FULL);
  expect(await owned(starter)).toBe(2);
});

test('a Pro account beyond its quota gets 403 with limit and plan', async () => {
  const pro = await service.account('pro');
  await createMany(pro, 3);
  expect((await create(pro).expect(403)).body).toEqual(PRO_FULL);
});

test.each(['free', 'starter', 'pro'] as const)(
  'an administrator on the %s plan creates and imports without limit',
  async (plan) => {
    const admin = await service.account(plan, { isAdmin: true });
    await createMany(admin, 5);
    const { body } = await create(admin).expect(201);
    const { id } = (body as { data: { id: string } }).data;
    await admin.post(`/quizzes/${id}/questions/batch`, { questions: [questionBody()] }).expect(201);
  },
);

test('deleting a quiz frees its place in the quota', async () => {
  const starter = await service.account('starter');
  await createMany(starter, 2);
  await create(starter).expect(403);
  await service.database.query(
    'DELETE FROM quizzes WHERE id = (SELECT id FROM quizzes WHERE owner_id = $1 LIMIT 1)',
    [starter.accountId],
  );
  await create(starter).expect(201);
  await create(starter).expect(403);
});

test('an invalid body does not count against the quota', async () => {
  const starter = await service.account('starter');
  for (let index = 0; index < 4; index++) await create(starter, { title: '' }).expect(422);
  for (let index = 0; index < 4; index++) await create(starter, { categoryId: 'x' }).expect(422);
  await createMany(starter, 2);
});

test('the quota counts per account', async () => {
  const [first, second] = [await service.account('starter'), await service.account('starter')];
  await createMany(first, 2);
  await createMany(second, 2);
});

test('an account at its quota can still import questions', async () => {
  const starter = await service.account('starter');
  await create(starter).expect(201);
  const { body } = await create(starter).expect(201);
  const { id } = (body as { data: { id: string } }).data;
  await starter.post(`/quizzes/${id}/questions/batch`, { questions: [questionBody()] }).expect(201);
});

test('a change of plan takes effect at once, with the same key', async () => {
  const account = await service.account('free');
  const accounts = service.app.get(AccountAdministrationService);
  await create(account).expect(403);
  await accounts.setPlan(OPERATOR, account.accountId, 'starter');
  await createMany(account, 2);
  expect((await create(account).expect(403)).body).toEqual(STARTER_FULL);
  await accounts.setPlan(OPERATOR, account.accountId, 'pro');
  await createMany(account, 1);
  expect((await create(account).expect(403)).body).toEqual(PRO_FULL);
  await accounts.setPlan(OPERATOR, account.accountId, 'starter');
  expect((await create(account).expect(403)).body).toEqual(STARTER_FULL);
  await accounts.setPlan(OPERATOR, account.accountId, 'free');
  expect((await create(account).expect(403)).body).toEqual(NEEDS_PLAN);
  expect(await owned(account)).toBe(3);
});

test('by default a Starter account owns 25 quizzes and a Pro account 250', async () => {
  const standard = await startService();
  try {
    for (const [plan, limit] of [
      ['starter', 25],
      ['pro', 250],
    ] as const) {
      const account = await standard.account(plan);
      const { body } = await create(account).expect(201);
      const { id } = (body as { data: { id: string } }).data;
      // The rest of them but one, without as many requests.
      await standard.database.query(
        `INSERT INTO quizzes (id, owner_id, title, title_sort, category_key, difficulty, tags, tag_keys, slug,
           published, approval, featured, created_at, updated_at)
         SELECT gen_random_uuid(), owner_id, title, title_sort, category_key, difficulty, tags, tag_keys,
           gen_random_uuid()::text, false, approval, featured, created_at, updated_at
         FROM quizzes, generate_series(1, $2::int) WHERE id = $1`,
        [id, limit - 2],
      );
      await create(account).expect(201);
      const refused = await create(account).expect(403);
      expect((refused.body as { error: string }).error).toContain(`plan allows ${limit} quizzes`);
    }
  } finally {
    await standard.close();
  }
});

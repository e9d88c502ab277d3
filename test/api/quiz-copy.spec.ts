import { ReviewService } from '../../src/authoring/review/review.service';
import { newId } from '../../src/platform/text/ids';
import { makeQuiz } from '../support/content';
import { signIn } from '../support/dashboard';
import { questionBodies, quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** POST /quizzes/{id}/copy and its button: an extension of the specification. */

let service: Service;
let author: TestAccount;
let teacher: TestAccount;

beforeAll(async () => {
  service = await startService({ QUIZ_QUOTA_STARTER: '2' });
  author = await service.account();
  teacher = await service.account();
});
afterAll(() => service.close());

/** A quiz of the author's that an assistant wrote, with every field that a copy keeps but those of Markdown and pictures. */
async function makeFull(fields: object = {}, questions = 4) {
  const quiz = await makeQuiz(
    author,
    {
      title: 'Rivers',
      timeLimit: 600,
      maxAttempts: 2,
      questionsPerAttempt: 3,
      acceptTypos: true,
      language: 'de-AT',
      ...fields,
    },
    questionBodies(questions),
  );
  await service.database.query(
    `UPDATE questions SET source = 'Atlas', licence = 'CC BY-SA 4.0' WHERE quiz_id = $1 AND position = 2`,
    [quiz.id],
  );
  await service.database.query(`UPDATE quizzes SET written_by = 'Robot 1' WHERE id = $1`, [
    quiz.id,
  ]);
  return quiz;
}
const approve = (id: string) => service.app.get(ReviewService).approve(id);
const columnsOf = (id: string) =>
  service.database.query<object[]>(
    `SELECT description, category, category_key, category_id, difficulty, tags, tag_keys, language, time_limit, max_attempts,
       questions_per_attempt, accept_typos,
       question_count, content_bytes, counts_by_kind, written_by FROM quizzes WHERE id = $1`,
    [id],
  );
const questionsOf = (id: string) =>
  service.database.query<object[]>(
    `SELECT position, text, type, difficulty, format, explanation, source, licence, fingerprint,
       (SELECT jsonb_agg(a - 'id' ORDER BY at) FROM jsonb_array_elements(answers) WITH ORDINALITY AS x (a, at)) AS answers
     FROM questions WHERE quiz_id = $1 ORDER BY position`,
    [id],
  );
const ownedBy = async ({ accountId }: TestAccount) =>
  (await service.database.query<unknown[]>('SELECT FROM quizzes WHERE owner_id = $1', [accountId]))
    .length;

it('a copy of a public quiz is a draft of the caller that equals it field by field', async () => {
  const quiz = await makeFull();
  await approve(quiz.id);
  const sent = await teacher.post(`/quizzes/${quiz.id}/copy`, { title: ' Class 7b ' }).expect(201);
  const { id } = sent.body.data as { id: string };
  expect(sent.headers.location).toBe(`/api/v1/quizzes/${id}`);
  expect(sent.body).toEqual({
    success: true,
    data: {
      id,
      title: 'Class 7b',
      description: 'From source to sea.',
      category: 'Geography',
      categoryId: null,
      difficulty: 'MEDIUM',
      tags: ['rivers', 'europe'],
      published: false,
      featured: false,
    },
  });
  expect(await columnsOf(id)).toEqual(await columnsOf(quiz.id));
  const questions = await questionsOf(id);
  expect(questions).toEqual(await questionsOf(quiz.id));
  expect(questions[1]).toMatchObject({ source: 'Atlas', licence: 'CC BY-SA 4.0' });
  // The copy has ids of its own, so a change of one is no change of the other.
  const { body } = await teacher.get(`/quizzes/${id}`).expect(200);
  const ids = body.data.questions.map((it: { id: string }) => it.id) as string[];
  expect(ids.filter((it) => quiz.questions.some((question) => question.id === it))).toEqual([]);
  await teacher.patch(`/questions/${ids[0]}`, { text: 'Which river is short?' }).expect(200);
  expect(await questionsOf(quiz.id)).not.toEqual(await questionsOf(id));
  await author.get(`/quizzes/${id}`).expect(404);
});

it('a copy without a title is marked as one, and a title of 200 characters has room for the mark', async () => {
  const quiz = await makeFull();
  const { body } = await author.post(`/quizzes/${quiz.id}/copy`, {}).expect(201);
  expect(body.data.title).toBe('Rivers (copy)');
  const long = await makeFull({ title: '🌍'.repeat(200) }, 0);
  const copied = await author.post(`/quizzes/${long.id}/copy`, { title: null }).expect(201);
  expect(copied.body.data.title).toBe(`${'🌍'.repeat(193)} (copy)`);
});

it('a copy of what one may not see is 404, also for administrators, and nothing is made', async () => {
  const admin = await service.account('pro', { isAdmin: true });
  const draft = await makeFull({ published: false });
  const pending = await makeFull();
  const reader = await service.account();
  for (const caller of [reader, admin])
    for (const id of [draft.id, pending.id, newId(), 'nothing'])
      await caller.post(`/quizzes/${id}/copy`, {}).expect(404, /Quiz not found/);
  for (const caller of [reader, admin]) expect(await ownedBy(caller)).toBe(0);
  await service.post(`/quizzes/${draft.id}/copy`).expect(401);
  const free = await service.account('free');
  await free.post(`/quizzes/${draft.id}/copy`, {}).expect(403, /Starter or Pro plan/);
  const odd = { title: 'x'.repeat(201) };
  await author.post(`/quizzes/${draft.id}/copy`, odd).expect(422, /title/);
  await author.post(`/quizzes/${draft.id}/copy`, { title: 7 }).expect(422, /title/);
});

it('a copy counts against the quota, and one beyond it leaves nothing', async () => {
  const quiz = await makeFull();
  await approve(quiz.id);
  const starter = await service.account('starter');
  await starter.post('/quizzes', quizBody()).expect(201);
  const copies = await Promise.all(
    [1, 2, 3].map(() => starter.post(`/quizzes/${quiz.id}/copy`, {})),
  );
  expect(copies.map(({ status }) => status).sort()).toEqual([201, 403, 403]);
  expect(await ownedBy(starter)).toBe(2);
});

it('a copy for which the account has no room is refused as a whole', async () => {
  const quiz = await makeFull();
  await approve(quiz.id);
  const full = await service.account('starter');
  await service.database.query('UPDATE accounts SET content_bytes = 67108863 WHERE id = $1', [
    full.accountId,
  ]);
  await full.post(`/quizzes/${quiz.id}/copy`, {}).expect(422, /64 MiB/);
  expect(await ownedBy(full)).toBe(0);
});

it('a repeated copy with the same Idempotency-Key makes one quiz', async () => {
  const quiz = await makeFull();
  const before = await ownedBy(author);
  const key = newId();
  const send = () => author.post(`/quizzes/${quiz.id}/copy`, {}).set('Idempotency-Key', key);
  const [first, second] = [await send().expect(201), await send().expect(201)];
  expect(second.body).toEqual(first.body);
  expect(await ownedBy(author)).toBe(before + 1);
});

it('“Duplicate” copies an own quiz at once, and a public one after a page that asks for its title', async () => {
  const quiz = await makeFull({ title: 'Lakes' });
  const own = await signIn(service, author);
  await own.open(`/quizzes/${quiz.id}`).expect(200, new RegExp(`/quizzes/${quiz.id}/copy`));
  const copied = await own.send(`/quizzes/${quiz.id}/copy`).expect(303);
  await own
    .open(String(copied.headers.location).replace('/dashboard', ''))
    .expect(200, /Lakes \(copy\)/);
  const other = await signIn(service, teacher);
  await other.open(`/quizzes/${quiz.id}/copy`).expect(404);
  await other.send(`/quizzes/${quiz.id}/copy`).expect(404);
  await approve(quiz.id);
  await other.open(`/quizzes/${quiz.id}/copy`).expect(200, /value="Lakes \(copy\)"/);
  await other.send(`/quizzes/${quiz.id}/copy`, { title: 'x'.repeat(201) }).expect(422, /200/);
  const { headers } = await other.send(`/quizzes/${quiz.id}/copy`, { title: 'Seas' }).expect(303);
  await other.open(String(headers.location).replace('/dashboard', '')).expect(200, /Seas/);
});

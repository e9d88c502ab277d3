import { AccountAdministrationService } from '../../src/access/administration/account-administration.service';
import { OPERATOR } from '../../src/access/audit/actor';
import { LIMITS } from '../../src/platform/limits/limits';
import { makeQuiz } from '../support/content';
import { signIn, type Window } from '../support/dashboard';
import { questionBodies, quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { hidden, wordsOf } from '../support/visitor';

/** What an account on the Free plan can do: drafts on the dashboard; nothing public, and nothing by key. */

let service: Service;
let free: TestAccount;
let window: Window;

beforeAll(async () => {
  service = await startService({ MODERATION: 'auto' });
});
beforeEach(async () => {
  free = await service.account('free');
  window = await signIn(service, free);
});
afterAll(() => service.close());

const WHOLE = {
  title: 'Rivers',
  difficulty: 'EASY',
  question: 'q0',
  'q0.text': 'Which river flows through Vienna?',
  'q0.type': 'OPEN_ENDED',
  'q0.difficulty': 'EASY',
  'q0.answer': 'Danube',
};
const write = (fields: object = {}) => window.send('/quizzes', { ...WHOLE, ...fields });
const written = async () => {
  const { headers } = await write().expect(303);
  return String(headers.location).split('/').at(-1) ?? '';
};
const statesOf = async ({ accountId }: TestAccount) =>
  (
    await service.database.query<{ published: boolean }[]>(
      'SELECT published FROM quizzes WHERE owner_id = $1 ORDER BY id',
      [accountId],
    )
  ).map(({ published }) => published);
const questionOf = async (quizId: string) => {
  const read = 'SELECT id FROM questions WHERE quiz_id = $1';
  const [question] = await service.database.query<{ id: string }[]>(read, [quizId]);
  return question?.id ?? '';
};
const setPlan = (plan: 'free' | 'starter') =>
  service.app.get(AccountAdministrationService).setPlan(OPERATOR, free.accountId, plan);

it('a Free account writes three drafts on the dashboard, however many it sends at once', async () => {
  const sent = await Promise.all([1, 2, 3, 4, 5].map(() => write()));
  expect(sent.map(({ status }) => status).sort()).toEqual([303, 303, 303, 403, 403]);
  const refused = sent.find(({ status }) => status === 403);
  expect(refused && wordsOf(refused)).toContain('Your Free plan allows 3 quizzes');
  // What was typed is kept.
  expect(refused?.text).toContain('Which river flows through Vienna?');
  expect(await statesOf(free)).toEqual([false, false, false]);
  const page = wordsOf(await window.open('/quizzes/new').expect(200));
  expect(page).toContain('Your Free plan allows 3 quizzes, and all of them are in use.');
});

it("the played versions of a Free account's quizzes take at most 64 MiB", async () => {
  const [stored, changed] = [await written(), await written()];
  const start = (id: string) => free.post(`/quizzes/${id}/attempts`, { player: 'a' });
  await start(stored).expect(201);
  await service.database.query(`UPDATE quiz_snapshots SET bytes = $2 WHERE quiz_id = $1`, [
    stored,
    LIMITS.storage.freeSnapshots.value - 16,
  ]);
  const { body } = await start(changed).expect(422);
  expect(body.error).toContain('have reached their limit of 64 MiB');
  await start(stored).expect(201);
  await setPlan('starter');
  await start(changed).expect(201);
});

it('a quiz that a deleted account has left is played, though its versions take more than a Free account may store', async () => {
  const author = await service.account('starter');
  const make = (title: string) => makeQuiz(author, { title, published: true }, questionBodies(1));
  const [stored, left] = [await make('Stored'), await make('Left')];
  const start = (id: string) => free.post(`/quizzes/${id}/attempts`, { player: 'a' });
  await start(stored.id).expect(201);
  await service.database.query(`UPDATE quiz_snapshots SET bytes = $2 WHERE quiz_id = $1`, [
    stored.id,
    LIMITS.storage.freeSnapshots.value,
  ]);
  await author.delete('/me').send({ quizzes: 'keep' }).expect(202);
  await start(left.id).expect(201);
});

it('a draft of a Free account is shared by an unlisted link and cannot be published', async () => {
  const id = await written();
  await window.send(`/quizzes/${id}/links`).expect(303);
  const { text } = await window.open(`/quizzes/${id}/share`).expect(200);
  const path = /\/play\/~[\w-]{22}/.exec(text)?.[0] ?? '';
  const player = await fetch(service.url + path);
  expect([player.status, await player.text()]).toEqual([200, expect.stringContaining('Rivers')]);
  for (const refused of [
    await window.send(`/quizzes/${id}/publish`).expect(403),
    await write({ then: 'publish' }).expect(403),
  ])
    expect(wordsOf(refused)).toContain('A public quiz needs a Starter or Pro plan.');
  const { body } = await free.patch(`/quizzes/${id}`, { published: true }).expect(403);
  expect(body.error).toContain('A public quiz needs a Starter or Pro plan.');
  expect(await statesOf(free)).toEqual([false]);
  await setPlan('starter');
  await window.send(`/quizzes/${id}/publish`).expect(303);
  expect(await statesOf(free)).toEqual([true]);
});

it('by key a Free account creates nothing, also while it has room for drafts', async () => {
  await free.post('/quizzes', quizBody()).expect(403, /require a Starter or Pro plan/);
  const id = await written();
  await free.post(`/quizzes/${id}/questions/batch`, { questions: questionBodies(1) }).expect(403);
  await free.post(`/quizzes/${id}/copy`, {}).expect(403);
  const { body } = await free.get('/me').expect(200);
  expect(body.data.quota.quizzes).toEqual({ used: 1, limit: 0 });
  expect(await statesOf(free)).toEqual([false]);
});

it('a Free account duplicates a public quiz into a draft', async () => {
  const author = await service.account();
  const quiz = await makeQuiz(author, { title: 'Lakes' }, questionBodies(2));
  await window.send(`/quizzes/${quiz.id}/copy`, { title: 'Our lakes' }).expect(303);
  const copies = await service.database.query<object[]>(
    'SELECT title, question_count AS questions, published FROM quizzes WHERE owner_id = $1',
    [free.accountId],
  );
  expect(copies).toEqual([{ title: 'Our lakes', questions: 2, published: false }]);
});

it('what is public when a plan ends stays public, and is not added to or published again', async () => {
  const id = await written();
  await setPlan('starter');
  await window.send(`/quizzes/${id}/publish`).expect(303);
  await setPlan('free');
  const question = { 'q.text': 'New?', 'q.type': 'OPEN_ENDED', 'q.difficulty': 'EASY' };
  const add = () => window.send(`/quizzes/${id}/questions`, { ...question, 'q.answer': 'Yes' });
  const refusal = /add questions to a published quiz/;
  await add().expect(403, refusal);

  const editor = `/quizzes/${id}/edit`;
  const { text } = await window.open(editor).expect(200);
  const edited = { ...WHOLE, version: hidden(text, 'version'), 'q0.id': await questionOf(id) };
  const twoQuestions = {
    ...Object.fromEntries(
      Object.entries(WHOLE).map(([name, value]) => [name.replace('q0', 'q1'), value]),
    ),
    ...edited,
    question: ['q0', 'q1'],
  };
  await window.send(editor, twoQuestions).expect(403, refusal);
  await window.send(editor, { ...edited, 'q0.answer': 'The Danube' }).expect(303);

  const draft = await written();
  const at = `/quizzes/${draft}/questions/${await questionOf(draft)}/edit`;
  const version = hidden((await window.open(at).expect(200)).text, 'version');
  const move = { ...question, 'q.answer': 'Yes', version, quiz: id };
  await window.send(at, move).expect(403, refusal);
  await window.send(`/quizzes/${draft}/delete`).expect(303);
  expect(await statesOf(free)).toEqual([true]);
  await window.send(`/quizzes/${id}/unpublish`).expect(303);
  await add().expect(303);
  await window.send(`/quizzes/${id}/publish`).expect(403);
});

it('the questions of a Free account are limited to 4 MiB', async () => {
  await service.database.query('UPDATE accounts SET content_bytes = 4194300 WHERE id = $1', [
    free.accountId,
  ]);
  const refused = await write().expect(422);
  expect(wordsOf(refused)).toContain('Your Free plan allows 4 MiB of questions');
  expect(await statesOf(free)).toEqual([]);
});

it('a request for a plan leads back to the overview, which says what happens next', async () => {
  expect(wordsOf(await window.open('').expect(200))).toContain(
    'Write 3 quizzes and share them by link',
  );
  const sent = await window.send('/account/plan', { plan: 'pro', back: 'overview' }).expect(303);
  expect(sent.headers.location).toBe('/dashboard');
  expect(wordsOf(await window.open('').expect(200))).toContain(
    'You have asked for the Pro plan. An administrator decides, and a notice tells you.',
  );
});

it('an administrator grants or declines the plan, and the account page says how long that takes lately', async () => {
  const asking = await service.account('free');
  const asker = await signIn(service, asking);
  await asker.send('/account/plan', { plan: 'pro' }).expect(303);
  const before = wordsOf(await asker.open('/account').expect(200));
  expect(before).toContain('How long that takes depends on the administrator.');
  const administrators = await signIn(service, await service.account('pro', { isAdmin: true }));
  const at = `/admin/accounts/${asking.accountId}`;
  const page = await administrators.open(at).expect(200);
  expect(page.text).toMatch(/<button class="btn">Grant Pro<\/button>/);
  expect(page.text).toMatch(/<button class="btn" data-variant="outline"[^>]*>Decline<\/button>/);
  service.clock.advance(3 * 3_600_000 - 60_000);
  await administrators.send(`${at}/plan`, { plan: 'pro' }).expect(303);
  const other = await signIn(service, await service.account('free'));
  expect(wordsOf(await other.open('/account').expect(200))).toContain(
    'Lately half of the requests were decided within 3 hours.',
  );
});

import type { Response } from 'supertest';
import { AccountAdministrationService } from '../../src/access/administration/account-administration.service';
import { OPERATOR } from '../../src/access/audit/actor';
import { QuestionCopyingService } from '../../src/authoring/questions/question-copying.service';
import { ReviewService } from '../../src/authoring/review/review.service';
import { PlanRequired } from '../../src/platform/errors/domain-errors';
import { newId } from '../../src/platform/text/ids';
import { Assistant } from '../support/assistant';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { countersEqualCounts } from '../support/counters';
import { png } from '../support/pictures';
import { questionBodies, questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** POST /quizzes/{id}/questions/copy and the tool copy_questions: an extension of the specification. */

let service: Service;
let author: TestAccount;
let teacher: TestAccount;
let admin: TestAccount;

beforeAll(async () => {
  service = await startService();
  author = await service.account();
  teacher = await service.account();
  admin = await service.account('pro', { isAdmin: true });
});
afterAll(() => service.close());

const STATES = ['draft', 'pending', 'live', 'rejected'] as const;

/** A quiz of the author's with questions of every kind; the second names its source, the first shows a picture. */
async function makeSource(state: (typeof STATES)[number] = 'live', by = author): Promise<MadeQuiz> {
  const uploaded = await by.post('/media').set('Content-Type', 'image/png').send(png()).expect(201);
  const { id: picture } = uploaded.body.data as { id: string };
  const quiz = await makeQuiz(by, { title: 'Rivers', published: state !== 'draft' }, [
    questionBody({
      difficulty: 'HARD',
      format: 'markdown',
      explanation: `The Danube: ![A map](media:${picture})`,
    }),
    questionBody({ text: 'Where does it end?', explanation: undefined }),
    questionBody({
      text: 'Is it long?',
      type: 'TRUE_FALSE',
      answers: [
        { text: 'True', isCorrect: true },
        { text: 'False', isCorrect: false },
      ],
    }),
    questionBody({
      text: 'Name one.',
      type: 'OPEN_ENDED',
      difficulty: 'EXPERT',
      answers: [
        { text: 'Danube', isCorrect: true },
        { text: 'Donau', isCorrect: true },
      ],
    }),
  ]);
  await service.database.query(
    `UPDATE questions SET source = 'Atlas', licence = 'CC BY-SA 4.0' WHERE quiz_id = $1 AND position = 2`,
    [quiz.id],
  );
  const review = service.app.get(ReviewService);
  if (state === 'live') await review.approve(quiz.id);
  if (state === 'rejected') await review.reject(quiz.id, 'Too easy.');
  return quiz;
}
const makeTarget = (by: TestAccount, questions = 1) =>
  makeQuiz(by, { title: 'Mine', published: false }, questionBodies(questions));

const copy = (by: TestAccount, quizId: string, ids: unknown, more: object = {}) =>
  by.post(`/quizzes/${quizId}/questions/copy`, { ids, ...more });
const idsOf = ({ questions }: MadeQuiz) => questions.map(({ id }) => id);

/** All that a copy takes over, by position. Another account's copy shows a picture of its own. */
const stored = (quizId: string) =>
  service.database.query<{ position: number }[]>(
    `SELECT position, text, text_key, type, difficulty, format, source, licence, fingerprint,
       regexp_replace(explanation, '\\(media:.*\\)', '(media)') AS explanation, cardinality(media) AS pictures,
       (SELECT jsonb_agg(a - 'id' ORDER BY at) FROM jsonb_array_elements(answers) WITH ORDINALITY AS x (a, at)) AS answers
     FROM questions WHERE quiz_id = $1 ORDER BY position`,
    [quizId],
  );
const withoutPlace = (rows: { position: number }[]) => rows.map(({ position: _, ...row }) => row);
const events = async (name: string) => {
  const rows = await service.database.query<{ body: string }[]>(
    'SELECT body FROM outbox_events WHERE name = $1 ORDER BY id',
    [name],
  );
  return rows.map(({ body }) => (JSON.parse(body) as { data: { quiz_id: string } }).data.quiz_id);
};

it('copies of public questions equal them field by field, are appended in the asked order, and have ids of their own', async () => {
  const source = await makeSource();
  const target = await makeTarget(teacher);
  const ids = idsOf(source).reverse();
  const { body } = await copy(teacher, target.id.toUpperCase(), ids).expect(201);
  const { quizId, questionsCreated, questions } = body.data as {
    quizId: string;
    questionsCreated: number;
    questions: MadeQuiz['questions'];
  };
  expect([quizId, questionsCreated]).toEqual([target.id, 4]);
  expect(questions.map(({ order, text }) => [order, text])).toEqual([
    [2, 'Name one.'],
    [3, 'Is it long?'],
    [4, 'Where does it end?'],
    [5, 'Which river flows through Vienna?'],
  ]);
  const { data } = (await teacher.get(`/quizzes/${target.id}`)).body as { data: MadeQuiz };
  expect(data.questions.slice(1)).toEqual(questions);
  const [, ...copies] = await stored(target.id);
  expect(withoutPlace(copies)).toEqual(withoutPlace((await stored(source.id)).reverse()));
  expect(copies[2]).toMatchObject({ source: 'Atlas', licence: 'CC BY-SA 4.0' });
  expect(copies[3]).toMatchObject({ format: 'markdown', pictures: 1 });
  const answerIds = (of: MadeQuiz['questions']) =>
    of.flatMap(({ id, answers }) => [id, ...answers.map((answer) => answer.id)]);
  const known = new Set(answerIds(source.questions));
  expect(answerIds(questions).filter((id) => known.has(id))).toEqual([]);
  // A change of the copy is no change of the original.
  await teacher.patch(`/questions/${questions[3]!.id}`, { text: 'Changed?' }).expect(200);
  expect((await stored(source.id))[0]).toMatchObject({ text: 'Which river flows through Vienna?' });
  await countersEqualCounts(service.database);
});

it('a moved question leaves its quiz, keeps its content, and both quizzes emit quiz.updated', async () => {
  const [one, two, target] = [
    await makeSource('draft'),
    await makeSource('live'),
    await makeTarget(author),
  ];
  const before = [...(await stored(one.id)), ...(await stored(two.id))];
  const eventsBefore = (await events('quiz.updated')).length;
  const ids = [two.questions[3]!.id, one.questions[1]!.id, one.questions[2]!.id];
  const { body } = await copy(author, target.id, ids, { move: true }).expect(201);
  expect(body.data.questionsCreated).toBe(3);
  const [, ...moved] = await stored(target.id);
  expect(withoutPlace(moved)).toEqual(withoutPlace([before[7]!, before[1]!, before[2]!]));
  expect((await stored(one.id)).map(({ position }) => position)).toEqual([1, 2]);
  expect(withoutPlace(await stored(one.id))).toEqual(withoutPlace([before[0]!, before[3]!]));
  expect(withoutPlace(await stored(two.id))).toEqual(withoutPlace(before.slice(4, 7)));
  expect((await events('quiz.updated')).slice(eventsBefore).sort()).toEqual(
    [one.id, two.id, target.id].sort(),
  );
  for (const { id } of [one, two, target]) {
    const [quiz] = await service.database.query<[{ question_count: number; bytes: number }]>(
      `SELECT question_count, content_bytes - (SELECT sum(question_bytes(text, explanation, answers)) FROM questions
         WHERE quiz_id = quizzes.id) AS bytes FROM quizzes WHERE id = $1`,
      [id],
    );
    expect(quiz).toEqual({ question_count: (await stored(id)).length, bytes: '0' });
  }
  await author.get(`/questions/${ids[0]}`).expect(404);
  await countersEqualCounts(service.database);
});

it('a copy emits quiz.updated for the quiz that grew only, and changes nothing of the original', async () => {
  const source = await makeSource();
  const target = await makeTarget(teacher);
  const before = await author.get(`/quizzes/${source.id}`);
  const eventsBefore = (await events('quiz.updated')).length;
  await copy(teacher, target.id, idsOf(source)).expect(201);
  expect((await events('quiz.updated')).slice(eventsBefore)).toEqual([target.id]);
  const after = await author.get(`/quizzes/${source.id}`);
  expect(after.headers.etag).toBe(before.headers.etag);
});

describe.each(STATES)("questions of the author's quiz that is %s", (state) => {
  it('are copied and moved by their owner', async () => {
    const source = await makeSource(state);
    const target = await makeTarget(author);
    await copy(author, target.id, idsOf(source)).expect(201);
    await copy(author, target.id, idsOf(source), { move: true }).expect(201);
    expect(await stored(target.id)).toHaveLength(9);
    expect(await stored(source.id)).toHaveLength(0);
  });

  it('are copied by others only if they are public, administrators included, and moved by nobody else', async () => {
    const source = await makeSource(state);
    const [first] = idsOf(source);
    for (const caller of [teacher, admin]) {
      const target = await makeTarget(caller);
      const own = target.questions[0]!.id;
      for (const ids of [[first], [own, first]]) {
        const copied = await copy(caller, target.id, ids);
        const moved = await copy(caller, target.id, ids, { move: true });
        if (state === 'live') {
          expect(copied.status).toBe(201);
          expect(moved.status).toBe(403);
          expect(moved.headers['x-error-code']).toBe('not-owner');
          expect(moved.body.error).toBe(
            `Question ${first} belongs to another account. Only its owner moves it: copy it without "move".`,
          );
        } else
          for (const refused of [copied, moved]) {
            expect(refused.status).toBe(404);
            expect(refused.headers['x-error-code']).toBe('question-not-found');
            expect(refused.body.error).toBe(
              `Question not found: "${first}". Send ids of questions that you can see; nothing was copied.`,
            );
          }
      }
      expect(await stored(target.id)).toHaveLength(state === 'live' ? 4 : 1);
    }
    expect(await stored(source.id)).toHaveLength(4);
  });
});

it('a copy is all or nothing: one unknown question, and none is copied or moved', async () => {
  const source = await makeSource('draft');
  const target = await makeTarget(author);
  const unknown = newId();
  for (const move of [false, true])
    for (const bad of [unknown, 'nonsense', '', '\u{1f600}'.repeat(100)]) {
      const { body } = await copy(author, target.id, [...idsOf(source), bad], { move }).expect(404);
      expect(body.error).toContain('Question not found: "');
      expect((body.error as string).length).toBeLessThan(250);
    }
  expect(await stored(target.id)).toHaveLength(1);
  expect(await stored(source.id)).toHaveLength(4);
});

it('the body is refused with a sentence: no ids, none, too many, one twice, or no array', async () => {
  const target = await makeTarget(author, 2);
  const [first] = idsOf(target);
  const refusal = async (sent: unknown, more: object = {}) => {
    const { body } = await copy(author, target.id, sent, more).expect(422);
    return (body as { details: { message: string }[] }).details.map(({ message }) => message);
  };
  expect(await refusal(undefined)).toEqual(['ids is required']);
  expect(await refusal('x')).toContain('ids must be an array of ids');
  expect(await refusal([])).toEqual(['ids must hold at least 1 id']);
  expect(await refusal(Array.from({ length: 51 }, () => newId()))).toEqual([
    'ids must hold at most 50 ids: send the rest in another request',
  ]);
  const twice = await copy(author, target.id, [first, first!.toUpperCase()]).expect(422);
  expect(twice.body.details).toEqual([
    { path: 'ids', message: 'ids must hold each id once', code: 'duplicate' },
  ]);
  expect(await refusal([first, 7])).toEqual(['ids[1] must be a string']);
  expect(await refusal([first], { move: 'yes' })).toEqual(['move must be true or false']);
  expect(await refusal([first], { move: true })).toEqual([
    `ids must hold no question of the quiz that they are moved to, and ${first} is one`,
  ]);
  expect(await stored(target.id)).toHaveLength(2);
  // Copied within its quiz it is a duplicate.
  await copy(author, target.id, [first], { move: false }).expect(201);
});

it('a copy beyond the limit of the quiz is 422 that names it, and a move then removes nothing', async () => {
  const source = await makeQuiz(author, { published: false }, questionBodies(2));
  const target = await makeTarget(author, 0);
  const setCount = (count: number) =>
    service.database.query('UPDATE quizzes SET question_count = $2 WHERE id = $1', [
      target.id,
      count,
    ]);
  await setCount(999);
  for (const move of [false, true]) {
    const { body, headers } = await copy(author, target.id, idsOf(source), { move }).expect(422);
    expect(headers['x-error-code']).toBe('content-limit');
    expect(body.error).toContain('A quiz holds at most 1,000 questions');
  }
  await setCount(0);
  expect(await stored(source.id)).toHaveLength(2);
});

it('a copy into a published quiz of a picture without alternative text is refused with the question and its id', async () => {
  const { id } = (await author.post('/media').set('Content-Type', 'image/png').send(png())).body
    .data as { id: string };
  const { questions } = await makeQuiz(author, { published: false }, [
    questionBody({ text: 'Is it long?' }),
    questionBody({
      text: `Where is this? ![](media:${id})`,
      explanation: `Here: ![](media:${id})`,
      format: 'markdown',
    }),
  ]);
  const ids = questions.map((question) => question.id);
  const live = await makeSource('live');
  const { body } = await copy(author, live.id, ids).expect(422);
  expect(body.details).toEqual([
    {
      path: 'ids[1]',
      message: expect.stringMatching(
        /^“Where is this\?” shows a picture without an alternative text/,
      ),
      code: 'alternative_text',
    },
  ]);
  expect(await stored(live.id)).toHaveLength(4);
  // Who may not change the quiz, or has an old version of it, learns that first.
  const writer = await service.keyOf(author, { scopes: ['read', 'write'] });
  const refused = await copy(writer, live.id, ids).expect(403);
  expect(refused.headers['x-error-code']).toBe('live-quiz-needs-publish');
  await copy(author, live.id, ids).set('If-Match', '"stale"').expect(412);
  const plans = service.app.get(AccountAdministrationService);
  await plans.setPlan(OPERATOR, author.accountId, 'free');
  const copying = service.app.get(QuestionCopyingService).copy(author.accountId, live.id, { ids });
  await expect(copying).rejects.toBeInstanceOf(PlanRequired);
  await plans.setPlan(OPERATOR, author.accountId, 'pro');
  await copy(author, (await makeTarget(author)).id, ids).expect(201);
});

it('the quiz must be an own one, the plan and the key must allow it, and If-Match its version', async () => {
  const source = await makeSource();
  const ids = idsOf(source);
  const target = await makeTarget(teacher);
  const status = async (by: TestAccount, id: string) => (await copy(by, id, ids)).status;
  expect(await status(author, target.id)).toBe(403);
  expect(await status(admin, target.id)).toBe(403);
  const lapsed = await service.account();
  const own = await makeTarget(lapsed);
  await service.app.get(AccountAdministrationService).setPlan(OPERATOR, lapsed.accountId, 'free');
  const refused = await copy(lapsed, own.id, ids).expect(403);
  expect(refused.headers['x-error-code']).toBe('plan-required');
  expect(await status(teacher, newId())).toBe(404);
  await service.post(`/quizzes/${target.id}/questions/copy`, { ids }).expect(401);
  const reader = await service.keyOf(teacher, { scopes: ['read'] });
  expect(await status(reader, target.id)).toBe(403);

  const { etag } = (await teacher.get(`/quizzes/${target.id}`)).headers as { etag: string };
  const since = (tag: string): Promise<Response> =>
    Promise.resolve(copy(teacher, target.id, ids).set('If-Match', tag));
  expect((await since('"stale"')).status).toBe(412);
  expect((await since(etag)).status).toBe(201);
  expect((await since(etag)).status).toBe(412);
});

it('a key without the scope publish moves nothing out of a live quiz or into one', async () => {
  const live = await makeSource('live');
  const draft = await makeTarget(author);
  const writer = await service.keyOf(author, { scopes: ['read', 'write'] });
  for (const [into, ids] of [
    [draft.id, idsOf(live)],
    [live.id, idsOf(draft)],
  ] as const) {
    const refused = await copy(writer, into, ids, { move: true }).expect(403);
    expect(refused.headers['x-error-code']).toBe('live-quiz-needs-publish');
  }
  expect(await stored(live.id)).toHaveLength(4);
  await copy(writer, draft.id, idsOf(live)).expect(201);
});

it('a repeated request with the same Idempotency-Key copies once and gets the same response', async () => {
  const source = await makeSource();
  const target = await makeTarget(teacher);
  const send = () => copy(teacher, target.id, idsOf(source)).set('Idempotency-Key', 'copy-once');
  const first = await send().expect(201);
  const second = await send().expect(201);
  expect(second.body).toEqual(first.body);
  expect(await stored(target.id)).toHaveLength(5);
});

it('two moves of one question at once move it once, and moves between two quizzes both end', async () => {
  const [one, two] = [await makeSource('draft'), await makeSource('draft')];
  const target = await makeTarget(author);
  const [first] = idsOf(one);
  const both = await Promise.all(
    [1, 2].map(() => copy(author, target.id, [first], { move: true })),
  );
  expect(both.map(({ status }) => status).sort()).toEqual([201, 404]);
  const crossed = await Promise.all([
    copy(author, two.id, [one.questions[1]!.id], { move: true }),
    copy(author, one.id, [two.questions[1]!.id], { move: true }),
  ]);
  expect(crossed.map(({ status }) => status)).toEqual([201, 201]);
  expect(await stored(target.id)).toHaveLength(2);
  expect([(await stored(one.id)).length, (await stored(two.id)).length]).toEqual([3, 4]);
});

it('the tool copy_questions copies and moves with the rules of the endpoint', async () => {
  const source = await makeSource();
  const target = await makeTarget(teacher);
  const assistant = await Assistant.connect(service, teacher.key);
  const ids = idsOf(source);
  const copied = await assistant.call('copy_questions', { id: target.id, ids });
  expect(copied.data).toMatchObject({ id: target.id, questionCount: 5, state: 'draft' });
  const other = await makeTarget(teacher);
  const moved = { id: other.id, ids: idsOf(target), move: true };
  expect((await assistant.call('copy_questions', moved)).data.questionCount).toBe(2);
  const refused = async (args: object) => (await assistant.call('copy_questions', args)).error;
  expect(await refused({ id: target.id, ids, move: true })).toContain('another account');
  expect(await refused({ id: source.id, ids })).toContain('another account');
  expect(await refused({ id: target.id, ids: [newId()] })).toContain('Question not found');
  expect(await refused({ id: target.id, ids: [] })).toContain('at least 1 id');
  expect(await refused({ id: target.id })).toContain('ids');
  await assistant.close();
});

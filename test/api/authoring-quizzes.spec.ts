import { scopeMissing } from '../../src/access/accounts/scope.rules';
import { QuestionEditingService } from '../../src/authoring/questions/question-editing.service';
import { QuizAuthoringService } from '../../src/authoring/quizzes/quiz-authoring.service';
import { type BulkAction, QuizBulkService } from '../../src/authoring/quizzes/quiz-bulk.service';
import { QuizDraftingService } from '../../src/authoring/quizzes/quiz-drafting.service';
import { QuizEditorService, wholeVersion } from '../../src/authoring/quizzes/quiz-editor.service';
import { CreateQuizRequest } from '../../src/authoring/quizzes/quizzes.dto';
import { ReviewService } from '../../src/authoring/review/review.service';
import { ReviewQueueService } from '../../src/authoring/review/review-queue.service';
import {
  type OwnedFilter,
  OwnedQuizzesService,
} from '../../src/catalog/quizzes/owned-quizzes.service';
import type { QuizState } from '../../src/catalog/vocabulary';
import { readBody } from '../../src/platform/http/request/validation.pipe';
import { newId } from '../../src/platform/text/ids';
import { makeQuiz } from '../support/content';
import { editsOf } from '../support/edits';
import { keepOpen, waitForLocks } from '../support/locks';
import { questionBodies, quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

describe('editing quizzes', () => {
  let service: Service;
  let editing: QuizAuthoringService;
  let owned: OwnedQuizzesService;
  let review: ReviewService;
  let owner: TestAccount;
  let neighbour: TestAccount;
  let reader: TestAccount;

  beforeAll(async () => {
    service = await startService();
    editing = service.app.get(QuizAuthoringService);
    owned = service.app.get(OwnedQuizzesService);
    review = service.app.get(ReviewService);
    owner = await service.account('pro');
    neighbour = await service.account('pro', { isAdmin: true });
    reader = await service.account('free');
  });

  afterAll(() => service.close());

  const texts = (fields: object = {}) => readBody(CreateQuizRequest, quizBody(fields));
  const versionOf = async (id: string) => (await owned.get(owner.accountId, id)).version;
  const edit = async (id: string, fields: object) =>
    editing.edit(owner, { quizId: id, expected: await versionOf(id), fields: texts(fields) });
  const eventsOf = async (id: string) =>
    (
      await service.database.query<{ name: string }[]>(
        `SELECT name FROM outbox_events
         WHERE body::jsonb -> 'data' ->> 'quiz_id' = $1 AND name <> 'quiz.updated' ORDER BY id`,
        [id],
      )
    ).map(({ name }) => name);

  it('editing a quiz changes all its texts and keeps its slug, plays and questions', async () => {
    const { id } = await makeQuiz(owner, { title: 'Lakes' }, questionBodies(2));
    const { slug } = await owned.get(owner.accountId, id);
    await service.database.query('UPDATE quizzes SET plays = 7 WHERE id = $1', [id]);
    await edit(id, {
      title: 'Lakes of Asia',
      description: '',
      category: 'Nature',
      difficulty: 'HARD',
      tags: ['lakes', 'LAKES', 'asia'],
    });
    const { body } = await owner.get(`/quizzes/${id}`).expect(200);
    expect(body.data).toMatchObject({
      title: 'Lakes of Asia',
      description: '',
      category: 'Nature',
      difficulty: 'HARD',
      tags: ['lakes', 'asia'],
      slug,
      plays: 7,
      questionCount: 2,
    });
  });

  it('an edited quiz is found by its new texts and not by the old ones', async () => {
    const { id } = await makeQuiz(owner, { title: 'Xylophones', tags: ['wood'] });
    await edit(id, { title: 'Zithers', tags: ['strings'], category: 'Music' });
    const total = async (query: string) =>
      ((await owner.get(`/quizzes?${query}`).expect(200)).body as { meta: { total: number } }).meta
        .total;
    expect(await total('topic=zither')).toBe(1);
    expect(await total('topic=xylo')).toBe(0);
    expect(await total('tags=strings')).toBe(1);
    expect(await total('tags=wood')).toBe(0);
    expect(await total('category=music&topic=zither')).toBe(1);
  });

  it('a live quiz stays live when it is edited, and is not published again', async () => {
    const { id } = await makeQuiz(owner);
    await review.approve(id);
    const events = await eventsOf(id);
    expect((await edit(id, { title: 'Streams of Europe' })).state).toBe('live');
    const { body } = await reader.get(`/quizzes/${id}`).expect(200);
    expect(body.data.title).toBe('Streams of Europe');
    expect(await eventsOf(id)).toEqual(events);
  });

  it('a quiz edited in one window is not overwritten by a second window with an older version', async () => {
    const { id } = await makeQuiz(owner);
    const seen = await versionOf(id);
    await editing.edit(owner, { quizId: id, expected: seen, fields: texts({ title: 'First' }) });
    await expect(
      editing.edit(owner, { quizId: id, expected: seen, fields: texts({ title: 'Second' }) }),
    ).rejects.toThrow(/has changed since you opened it/);
    expect((await owned.get(owner.accountId, id)).title).toBe('First');
  });

  it('of many concurrent edits of one version, one succeeds', async () => {
    const { id } = await makeQuiz(owner);
    const seen = await versionOf(id);
    const edits = await Promise.allSettled(
      ['A', 'B', 'C', 'D'].map((title) =>
        editing.edit(owner, { quizId: id, expected: seen, fields: texts({ title }) }),
      ),
    );
    expect(edits.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('adding questions during an edit of the quiz does not make the edit fail', async () => {
    const { id } = await makeQuiz(owner);
    const seen = await versionOf(id);
    await owner.post(`/quizzes/${id}/questions/batch`, { questions: questionBodies(1) });
    const edited = await editing.edit(owner, {
      quizId: id,
      expected: seen,
      fields: texts({ title: 'Still' }),
    });
    expect(edited).toMatchObject({ title: 'Still', questionCount: 1 });
  });

  it('showing and hiding a quiz repeatedly publishes it once', async () => {
    const { id } = await makeQuiz(owner, { published: false }, questionBodies(1));
    expect((await editing.publish(owner, id)).state).toBe('pending');
    await review.approve(id);
    expect((await editing.unpublish(owner, id)).state).toBe('draft');
    await reader.get(`/quizzes/${id}`).expect(404);
    expect((await editing.publish(owner, id)).state).toBe('live');
    await reader.get(`/quizzes/${id}`).expect(200);
    expect(await eventsOf(id)).toEqual(['quiz.created', 'quiz.published']);
  });

  it('a rejected quiz that is submitted again shows the reviewer the earlier reason', async () => {
    const { id } = await makeQuiz(owner, {}, questionBodies(1));
    await review.reject(id, 'The third answer is wrong.');
    expect(await owned.get(owner.accountId, id)).toMatchObject({
      state: 'rejected',
      rejectionReason: 'The third answer is wrong.',
    });
    expect(await editing.resubmit(owner, id)).toMatchObject({
      state: 'pending',
      rejectionReason: 'The third answer is wrong.',
    });
    const waiting = await service.app.get(ReviewQueueService).waiting();
    expect(waiting.quizzes).toContainEqual(
      expect.objectContaining({ id, rejectionReason: 'The third answer is wrong.' }),
    );
    await expect(editing.resubmit(owner, id)).rejects.toThrow(/Only a rejected quiz/);
    await review.approve(id);
    expect(await owned.get(owner.accountId, id)).toMatchObject({
      state: 'live',
      rejectionReason: null,
    });
  });

  it('deleting a quiz deletes its derived data and frees its place in the quota', async () => {
    const small = await startService({ QUIZ_QUOTA_STARTER: '1' });
    try {
      const account = await small.account('starter');
      const { id } = await makeQuiz(account, {}, questionBodies(3));
      await account.post('/quizzes', quizBody()).expect(403);
      await small.app.get(QuizAuthoringService).delete(account, id);
      await account.get(`/quizzes/${id}`).expect(404);
      await account.post('/quizzes', quizBody()).expect(201);
      for (const table of ['questions', 'quiz_tags', 'quiz_search']) {
        const rows = await small.database.query(`SELECT FROM ${table} WHERE quiz_id = $1`, [id]);
        expect(rows).toEqual([]);
      }
    } finally {
      await small.close();
    }
  });

  it('deleting a quiz keeps its events and the attempts at it', async () => {
    const { id } = await makeQuiz(owner, {}, questionBodies(2));
    await review.approve(id);
    const started = await reader.post(`/quizzes/${id}/attempts`, { player: 'Ada' }).expect(201);
    const attempt = (started.body as { data: { id: string } }).data.id;
    const events = await eventsOf(id);
    await editing.delete(owner, id);
    await reader.post(`/attempts/${attempt}/submit`, {}).expect(200);
    expect((await eventsOf(id)).slice(0, events.length)).toEqual(events);
  });

  it('a quiz cannot be edited by another account, administrators included', async () => {
    const { id } = await makeQuiz(owner);
    const seen = await versionOf(id);
    for (const [who, quizId] of [
      [neighbour, id],
      [owner, newId()],
      [owner, 'no-id'],
    ] as const) {
      const acts = [
        () => owned.get(who.accountId, quizId),
        () => editing.edit(who, { quizId, expected: seen, fields: texts() }),
        () => editing.publish(who, quizId),
        () => editing.unpublish(who, quizId),
        () => editing.resubmit(who, quizId),
        () => editing.delete(who, quizId),
      ];
      for (const act of acts) await expect(act()).rejects.toThrow('Quiz not found.');
    }
    await owner.get(`/quizzes/${id}`).expect(200);
  });

  it('publishing a new quiz needs a plan that may write', async () => {
    const editor = service.app.get(QuizEditorService);
    const whole = { ...texts({ title: 'Made here', published: false }), questions: [] };
    const published = { ...whole, published: true };
    await expect(editor.create(reader, published)).rejects.toThrow(/Starter or Pro/);
    const { id } = await editor.create(owner, whole);
    expect((await owned.get(owner.accountId, id)).title).toBe('Made here');
  });

  it('a quiz whose last question is deleted meanwhile is neither published nor resubmitted', async () => {
    const questions = service.app.get(QuestionEditingService);
    const draft = await makeQuiz(owner, { published: false }, questionBodies(1));
    const rejected = await makeQuiz(owner, {}, questionBodies(1));
    await review.reject(rejected.id, 'No.');
    for (const [quiz, act] of [
      [draft, 'publish'],
      [rejected, 'resubmit'],
    ] as const) {
      const published = await service.database.transaction(async (tx) => {
        await keepOpen(tx);
        const questionId = quiz.questions[0]!.id;
        await questions.delete(owner, { quizId: quiz.id, questionId }, tx);
        const refused = editing[act](owner, quiz.id).catch((error: Error) => error.message);
        await waitForLocks(service.database, 1);
        return { refused };
      });
      expect(await published.refused).toContain('This quiz has no questions yet');
    }
    expect((await owned.get(owner.accountId, draft.id)).state).toBe('draft');
    expect((await owned.get(owner.accountId, rejected.id)).state).toBe('rejected');
  });

  it('the editor replaces a question of a quiz that has as many as it may', async () => {
    const { id } = await makeQuiz(owner, { published: false }, questionBodies(3));
    await service.database.query('UPDATE quizzes SET question_count = 1000 WHERE id = $1', [id]);
    const saved = await editsOf(service, owner).saveWhole(id, 'Another one?');
    expect(saved.questionCount).toBe(1_000);
  });

  it('no service publishes, unpublishes or resubmits a quiz for a key without the scope publish', async () => {
    const writer = { accountId: owner.accountId, scopes: ['read', 'write'] as const };
    const editor = service.app.get(QuizEditorService);
    const drafting = service.app.get(QuizDraftingService);
    const { id: draft } = await makeQuiz(owner, { published: false }, questionBodies(1));
    const { id: waiting } = await makeQuiz(owner, {}, questionBodies(1));
    const { id: rejected } = await makeQuiz(owner, {}, questionBodies(1));
    await review.reject(rejected, 'No.');
    const whole = { ...texts({ published: true }), questions: [] };
    const version = wholeVersion(await owned.getDetail(owner.accountId, draft));
    const { total } = (await owner.get('/quizzes?mine=true').expect(200)).body.meta;
    for (const act of [
      () => editing.publish(writer, draft),
      () => editing.publish(writer, waiting),
      () => editing.unpublish(writer, waiting),
      () => editing.resubmit(writer, rejected),
      () => drafting.submit(writer, draft),
      () => drafting.submit(writer, rejected),
      () => editor.create(writer, whole),
      () => editor.save(writer, draft, version, whole, { ids: [], removed: [] }),
    ])
      await expect(act()).rejects.toThrow(scopeMissing(['publish']));
    for (const [id, state] of Object.entries({ [draft]: 'draft', [waiting]: 'pending' }))
      expect((await owned.get(owner.accountId, id)).state).toBe(state);
    expect((await owned.get(owner.accountId, rejected)).state).toBe('rejected');
    const { body } = await owner.get('/quizzes?mine=true').expect(200);
    expect(body.meta.total).toBe(total);
  });

  it("an owner's quizzes are listed by their last change, filtered, sorted and in pages", async () => {
    const lister = await service.account('pro');
    const make = async (title: string, fields: object = {}, questions = 0) => {
      service.clock.advance(1_000);
      return (await makeQuiz(lister, { title, ...fields }, questionBodies(questions))).id;
    };
    const draft = await make('Delta', { published: false, category: 'Rivers' });
    const waiting = await make('Bay', { tags: ['Öl'] }, 2);
    const live = await make('Creek', { category: 'rivers' }, 1);
    const rejected = await make('Atoll', { description: 'A 100 % ring' });
    await review.approve(live);
    await review.reject(rejected, 'No.');
    service.clock.advance(1_000);
    await editing.edit(lister, { quizId: draft, fields: { difficulty: 'HARD' } });
    const ids = async (filter: OwnedFilter, limit = 10, offset = 0) =>
      (await owned.list(lister.accountId, filter, { limit, offset })).map((quiz) => quiz.id);
    expect(await ids({})).toEqual([draft, rejected, live, waiting]);
    expect(await ids({}, 2, 1)).toEqual([rejected, live]);
    expect(await ids({ sort: 'newest' })).toEqual([rejected, live, waiting, draft]);
    expect(await ids({ sort: 'title' })).toEqual([rejected, waiting, live, draft]);
    expect((await ids({ sort: 'questions' })).slice(0, 2)).toEqual([waiting, live]);
    for (const [state, id] of Object.entries({ draft, pending: waiting, live, rejected }))
      expect(await ids({ state: state as QuizState })).toEqual([id]);
    expect(await ids({ category: 'RIVERS' })).toEqual([draft, live]);
    expect(await ids({ search: 'öL' })).toEqual([waiting]);
    expect(await ids({ search: '0 %' })).toEqual([rejected]);
    expect(await owned.count(lister.accountId, { search: 'e', category: 'rivers' })).toBe(2);
  });

  it('several quizzes are published, moved and deleted at once, and each refusal names its quiz', async () => {
    const lister = await service.account('pro');
    const act = (...of: [string[], BulkAction, string?]) =>
      service.app.get(QuizBulkService).act(lister, ...of);
    const titled = (title: string, count: number) =>
      makeQuiz(lister, { title, published: false }, questionBodies(count)).then(({ id }) => id);
    const ids = [await titled('One', 1), await titled('Two', 0), await titled('Three', 1)];
    expect(await act(ids, 'publish')).toEqual({
      done: 2,
      refused: [
        {
          title: 'Two',
          message:
            'This quiz has no questions yet, so nobody could play it. Add one, then publish it',
        },
      ],
    });
    expect(await owned.countByState(lister.accountId)).toMatchObject({ draft: 1, pending: 2 });
    await act(ids, 'move', 'Seas');
    expect(await owned.countByCategory(lister.accountId)).toEqual([
      { category: 'Seas', quizzes: 3 },
    ]);
    const foreign = (await makeQuiz(owner)).id;
    await expect(act([...ids, foreign], 'delete')).rejects.toThrow('Quiz not found.');
    expect(await act(ids, 'delete')).toEqual({ done: 3, refused: [] });
    expect(await owned.count(lister.accountId, {})).toBe(0);
    await owner.get(`/quizzes/${foreign}`).expect(200);
  });
});

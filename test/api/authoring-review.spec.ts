import { AuditLog } from '../../src/access/audit/audit-log';
import { ReviewService } from '../../src/authoring/review/review.service';
import { ReviewQueueService } from '../../src/authoring/review/review-queue.service';
import { OwnedQuizzesService } from '../../src/catalog/quizzes/owned-quizzes.service';
import { newId } from '../../src/platform/text/ids';
import { addQuestions, makeQuiz } from '../support/content';
import { EDITS, type Edits, editsOf } from '../support/edits';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

describe('review', () => {
  let service: Service;
  let queue: ReviewService;
  let owned: OwnedQuizzesService;
  let owner: TestAccount;
  let reader: TestAccount;
  let actor: { accountId: string; email: string };

  beforeAll(async () => {
    service = await startService();
    queue = service.app.get(ReviewService);
    owned = service.app.get(OwnedQuizzesService);
    owner = await service.account('pro');
    reader = await service.account('free');
    actor = await service.account('free', { isAdmin: true });
  });

  // Every test starts with an empty queue.
  beforeEach(() => service.database.query(`DELETE FROM quizzes`));

  afterAll(() => service.close());

  const audited = async (id: string) =>
    (await service.app.get(AuditLog).about(id, 10)).map(
      ({ action, objectName, actorEmail, detail }) => ({ action, objectName, actorEmail, detail }),
    );

  it('the review queue lists pending quizzes in pages, oldest first', async () => {
    const first = await makeQuiz(owner, { title: 'First' });
    await makeQuiz(owner, { title: 'A draft', published: false });
    const second = await makeQuiz(owner, { title: 'Second' });
    const third = await makeQuiz(owner, { title: 'Third' });
    const { quizzes, waiting } = await service.app
      .get(ReviewQueueService)
      .waiting({ limit: 2, offset: 1 });
    expect([quizzes.map(({ title }) => title), waiting]).toEqual([['Second', 'Third'], 3]);
    expect(await service.app.get(ReviewQueueService).next(first.id)).toBe(second.id);
    expect(await service.app.get(ReviewQueueService).next(third.id)).toBe(first.id);
  });

  it('the review queue leads from quiz to quiz until none is pending', async () => {
    const first = await makeQuiz(owner);
    const second = await makeQuiz(owner);
    await queue.decide(actor, first.id, 'pending', { approved: true });
    expect(await service.app.get(ReviewQueueService).next(first.id)).toBe(second.id);
    await queue.decide(actor, second.id, 'pending', { approved: true });
    expect(await service.app.get(ReviewQueueService).next(second.id)).toBeNull();
  });

  it('a reviewer sees all of a published quiz, and no draft', async () => {
    const { id } = await makeQuiz(owner, {}, questionBodies(2));
    const quiz = await owned.getPublished(id);
    expect(quiz.questions.map(({ text }) => text)).toEqual(['Question 1?', 'Question 2?']);
    const draft = await makeQuiz(owner, { published: false });
    await expect(owned.getPublished(draft.id)).rejects.toThrow('Quiz not found.');
    const verdict = { approved: true } as const;
    await expect(queue.decide(actor, draft.id, 'pending', verdict)).rejects.toThrow('not found');
  });

  it('an approved quiz is visible to everybody, and the audit log names the reviewer', async () => {
    const { id, title } = await makeQuiz(owner);
    await reader.get(`/quizzes/${id}`).expect(404);
    await queue.decide(actor, id, 'pending', { approved: true });
    await reader.get(`/quizzes/${id}`).expect(200);
    expect(await audited(id)).toEqual([
      { action: 'quiz.approved', objectName: title, actorEmail: actor.email, detail: '' },
    ]);
    const events = await service.database.query<{ name: string }[]>(
      `SELECT name FROM outbox_events WHERE body LIKE $1 ORDER BY id`,
      [`%${id}%`],
    );
    expect(events.map(({ name }) => name)).toEqual(['quiz.created', 'quiz.published']);
  });

  it.each(['pending', 'approved'] as const)(
    'a quiz that is %s is rejected with a reason, which the audit log keeps',
    async (seen) => {
      const { id, title } = await makeQuiz(owner);
      if (seen === 'approved') await queue.decide(actor, id, 'pending', { approved: true });
      await queue.decide(actor, id, seen, { approved: false, reason: ' Wrong answers. ' });
      expect((await owned.get(owner.accountId, id)).state).toBe('rejected');
      await reader.get(`/quizzes/${id}`).expect(404);
      const [entry] = await audited(id);
      expect(entry).toEqual({
        action: 'quiz.rejected',
        objectName: title,
        actorEmail: actor.email,
        detail: 'Wrong answers.',
      });
    },
  );

  it('a rejection without a reason, or with one of more than 1,000 characters, is refused and not audited', async () => {
    const { id } = await makeQuiz(owner);
    for (const reason of ['', '  ', 'x'.repeat(1_001), 'a\0b'])
      await expect(queue.decide(actor, id, 'pending', { approved: false, reason })).rejects.toThrow(
        /reason must be a text/,
      );
    expect((await owned.getPublished(id)).state).toBe('pending');
    expect(await audited(id)).toEqual([]);
    const longest = { approved: false, reason: '🎲'.repeat(1_000) } as const;
    expect(await queue.decide(actor, id, 'pending', longest)).toMatchObject({
      approval: 'rejected',
    });
  });

  it('a decision does not overwrite a concurrent one of another administrator', async () => {
    const { id } = await makeQuiz(owner);
    const verdicts = await Promise.allSettled([
      queue.decide(actor, id, 'pending', { approved: true }),
      queue.decide(actor, id, 'pending', { approved: false, reason: 'No.' }),
    ]);
    expect(verdicts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await audited(id)).toHaveLength(1);
    await service.app.get(ReviewService).approve(id);
    await expect(
      queue.decide(actor, id, 'pending', { approved: false, reason: 'No.' }),
    ).rejects.toThrow(
      'Someone else approved this quiz while you were reviewing it. Check it again.',
    );
  });

  it('an edit of an approved quiz keeps it live and lists it as changed, with the differences, until it is approved again', async () => {
    const quiz = await makeQuiz(owner, { title: 'Nice rivers' }, questionBodies(2));
    const other = await makeQuiz(owner);
    for (const { id } of [quiz, other])
      await queue.decide(actor, id, 'pending', { approved: true });
    expect((await queue.changed(10)).total).toBe(0);
    await addQuestions(owner, quiz.id, [{ ...questionBodies(1)[0], text: 'BUY CHEAP PILLS?' }]);
    await reader.get(`/quizzes/${quiz.id}`).expect(200);
    const { quizzes, total } = await queue.changed(10);
    expect([quizzes.map(({ id }) => id), total]).toEqual([[quiz.id], 1]);
    const { since } = await queue.changesOf(quiz.id);
    expect(since?.changes).toEqual([
      {
        what: 'Question 3',
        before: null,
        after: expect.objectContaining({ text: 'BUY CHEAP PILLS?' }),
      },
    ]);
    await queue.decide(actor, quiz.id, 'approved', { approved: true });
    expect((await queue.changed(10)).total).toBe(0);
    expect((await queue.changesOf(quiz.id)).since?.changes).toEqual([]);
  });

  it("an operator's approval of an edited quiz is audited, and a repeated one is not", async () => {
    const { id } = await makeQuiz(owner, {}, questionBodies(1));
    const review = service.app.get(ReviewService);
    await review.approve(id);
    await addQuestions(owner, id, questionBodies(1));
    await review.approve(id);
    await review.approve(id);
    expect(await audited(id)).toHaveLength(2);
  });

  describe.each(Object.entries(EDITS))('%s of an approved quiz', (_, { make, undo, shown }) => {
    let id: string;
    let edits: Edits;
    beforeEach(async () => {
      edits = editsOf(service, owner);
      ({ id } = await makeQuiz(owner, {}, questionBodies(3)));
      await queue.decide(actor, id, 'pending', { approved: true });
      service.clock.advance(1_000);
      await make(edits, id, owner);
    });

    it('is public at once, and the quiz is listed as changed with the difference until it is approved again', async () => {
      expect((await queue.changed(10)).quizzes.map((quiz) => quiz.id)).toEqual([id]);
      const { since, version } = await queue.changesOf(id);
      expect(since?.changes.map(({ what }) => what)).toEqual(shown);
      const { title, questions } = await edits.get(id);
      const { body } = await reader.get(`/quizzes/${id}`).expect(200);
      expect([body.data.title, body.data.questions.map((it: { text: string }) => it.text)]).toEqual(
        [title, questions.map(({ text }) => text)],
      );
      await queue.decide(actor, id, 'approved', { approved: true }, version);
      expect((await queue.changed(10)).total).toBe(0);
      expect((await queue.changesOf(id)).since?.changes).toEqual([]);
    });

    it('takes the quiz offline and from the list when an administrator rejects it', async () => {
      const { version } = await queue.changesOf(id);
      const verdict = { approved: false as const, reason: 'No pills.' };
      await queue.decide(actor, id, 'approved', verdict, version);
      expect((await queue.changed(10)).total).toBe(0);
      await reader.get(`/quizzes/${id}`).expect(404);
      expect(await edits.get(id)).toMatchObject({
        state: 'rejected',
        rejectionReason: 'No pills.',
      });
    });

    if (undo)
      it('takes the quiz from the list when the owner undoes it', async () => {
        service.clock.advance(1_000);
        await undo(edits, id);
        expect((await queue.changed(10)).total).toBe(0);
        expect((await queue.changesOf(id)).since?.changes).toEqual([]);
      });
  });

  it('a quiz that was changed after the reviewer opened it is not approved', async () => {
    const { id } = await makeQuiz(owner, {}, questionBodies(1));
    const { version } = await queue.changesOf(id);
    // A short hash would let its owner write a second content with the same one.
    expect(version).toMatch(/^[\da-f]{64}$/);
    await addQuestions(owner, id, [{ ...questionBodies(1)[0], text: 'Something else?' }]);
    await expect(queue.decide(actor, id, 'pending', { approved: true }, version)).rejects.toThrow(
      'The quiz was changed while you were reviewing it. Check it again.',
    );
    await reader.get(`/quizzes/${id}`).expect(404);
  });

  it('reviewing an unknown quiz is refused as not found', async () => {
    for (const id of [newId(), 'no-id']) {
      await expect(owned.getPublished(id)).rejects.toThrow('Quiz not found.');
      await expect(queue.decide(actor, id, 'pending', { approved: true })).rejects.toThrow(
        'Quiz not found.',
      );
    }
  });
});

import type { Actor } from '../../src/access/audit/actor';
import { QuestionEditingService } from '../../src/authoring/questions/question-editing.service';
import { BatchQuestionInput } from '../../src/authoring/questions/questions.dto';
import { QuizAuthoringService } from '../../src/authoring/quizzes/quiz-authoring.service';
import { QuizEditorService } from '../../src/authoring/quizzes/quiz-editor.service';
import { CreateQuizRequest } from '../../src/authoring/quizzes/quizzes.dto';
import { ReviewService } from '../../src/authoring/review/review.service';
import { TaxonomyService } from '../../src/authoring/taxonomy/taxonomy.service';
import { OwnedQuizzesService } from '../../src/catalog/quizzes/owned-quizzes.service';
import { DIFFICULTIES, QUESTION_TYPES } from '../../src/catalog/vocabulary';
import { DomainError } from '../../src/platform/errors/domain-errors';
import { readBody } from '../../src/platform/http/request/validation.pipe';
import { choices } from '../support/choices';
import { countersEqualCounts } from '../support/counters';
import { editsOf } from '../support/edits';
import { questionBody, quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** Everything that the dashboard can do to content, at random; the counters are held against count(*). */
describe('totals after random edits', () => {
  let service: Service;
  let owner: TestAccount;
  let admin: TestAccount;
  let topicId: string;
  let categoryIds: string[];

  beforeAll(async () => {
    service = await startService();
    owner = await service.account('pro');
    admin = await service.account('pro', { isAdmin: true });
    topicId = (await service.app.get(TaxonomyService).saveTopic(admin, null, { name: 'All' })).id;
    categoryIds = [];
    for (const name of ['Art', 'Biology'])
      categoryIds.push(
        (await service.app.get(TaxonomyService).saveCategory(admin, null, { topicId, name })).id,
      );
  });

  afterAll(() => service.close());

  type Pick = ReturnType<typeof choices>;

  const quiz = (pick: Pick) =>
    readBody(
      CreateQuizRequest,
      quizBody({
        title: pick.of(['Rivers', 'Lakes', 'Seas']),
        category: pick.of(['Art', 'Chess', 'Name 1', undefined]),
        categoryId: pick.of([...categoryIds, undefined, undefined]),
        difficulty: pick.of(DIFFICULTIES),
        tags: ['a', 'A', 'b', 'c'].filter(() => pick.upTo(2) === 0),
        published: pick.upTo(3) > 0,
      }),
    );
  const question = (pick: Pick) =>
    readBody(
      BatchQuestionInput,
      questionBody({
        text: `Question ${pick.upTo(1_000)}?`,
        type: pick.of(QUESTION_TYPES),
        difficulty: pick.of(DIFFICULTIES),
        answers: questionBody().answers.slice(0, 2),
      }),
    );

  /** One act on one of the owner's quizzes, or on the hierarchy. */
  async function act(pick: Pick): Promise<unknown> {
    const editing = service.app.get(QuizAuthoringService);
    const editor = service.app.get(QuizEditorService);
    const questions = service.app.get(QuestionEditingService);
    const review = service.app.get(ReviewService);
    const owned = service.app.get(OwnedQuizzesService);
    const me: Actor = { accountId: owner.accountId };
    const mine = await owned.list(me.accountId, {}, { limit: 100, offset: 0 });
    if (mine.length < 4) return editor.create(me, { ...quiz(pick), questions: [question(pick)] });
    const { id } = pick.of(mine);
    const { version, questions: present } = await owned.getDetail(me.accountId, id);
    if (present.length < 2) return questions.add(me, id, question(pick));
    const one = pick.of(present);
    const read = { quizId: id, questionId: one.id, expected: one.version };
    const taxonomy = service.app.get(TaxonomyService);
    const acts = [
      () => editsOf(service, owner).saveWhole(id, `Saved ${pick.upTo(1_000)}?`),
      () => editor.create(me, { ...quiz(pick), questions: [question(pick)] }),
      () => editing.edit(me, { quizId: id, expected: version, fields: quiz(pick) }),
      () => editing.edit(me, { quizId: id, expected: version, fields: quiz(pick) }),
      () => editing.publish(me, id),
      () => editing.unpublish(me, id),
      () => editing.resubmit(me, id),
      () => editing.delete(me, id),
      () => review.approve(id),
      () => review.approve(id),
      () => review.reject(id, 'No.'),
      () => questions.add(me, id, question(pick)),
      () => questions.edit(me, read, question(pick)),
      () => questions.edit(me, read, question(pick)),
      () => questions.delete(me, { quizId: id, questionId: one.id }),
      () => questions.move(me, id, one.id, pick.of(['up', 'down'])),
      () => questions.reorder(me, { quizId: id }, present.map((it) => it.id).reverse()),
      () =>
        taxonomy.saveCategory(admin, pick.of(categoryIds), {
          topicId,
          name: `Name ${pick.upTo(3)}`,
        }),
    ];
    return pick.of(acts)();
  }

  /** What the rules refuse is part of the series; an internal error is not. @returns whether it was done */
  const isDone = (pick: Pick) =>
    act(pick).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof DomainError)) throw error;
        return false;
      },
    );

  const contiguous = async () => {
    const rows = await service.database.query(
      `SELECT quiz_id FROM questions GROUP BY quiz_id HAVING max(position) <> count(*) OR min(position) <> 1`,
    );
    expect(rows).toEqual([]);
  };

  it.each([11, 12])('totals equal count(*) after random edits (series %d)', async (seed) => {
    const pick = choices(seed);
    let done = 0;
    for (let step = 0; step < 120; step++) {
      if (await isDone(pick)) done++;
      if (step % 30 === 29) await countersEqualCounts(service.database);
    }
    expect(done).toBeGreaterThan(60);
    await contiguous();
  });

  it('totals equal count(*) after concurrent edits', async () => {
    const workers = Array.from({ length: 6 }, (_, worker) => choices(100 + worker));
    let done = 0;
    await Promise.all(
      workers.map(async (pick) => {
        for (let step = 0; step < 25; step++) if (await isDone(pick)) done++;
      }),
    );
    expect(done).toBeGreaterThan(50);
    await countersEqualCounts(service.database);
    await contiguous();
  });
});

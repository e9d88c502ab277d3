import { EntityManager } from 'typeorm';
import type { Actor } from '../../src/access/audit/actor';
import { BatchImportService } from '../../src/authoring/questions/batch-import.service';
import { QuestionEditingService } from '../../src/authoring/questions/question-editing.service';
import type { BatchQuestionInput } from '../../src/authoring/questions/questions.dto';
import { QuizAuthoringService } from '../../src/authoring/quizzes/quiz-authoring.service';
import { QuizEditorService } from '../../src/authoring/quizzes/quiz-editor.service';
import { CreateQuizRequest } from '../../src/authoring/quizzes/quizzes.dto';
import { ReviewService } from '../../src/authoring/review/review.service';
import { TaxonomyService } from '../../src/authoring/taxonomy/taxonomy.service';
import { CountersService } from '../../src/catalog/discovery/counters.service';
import type { Category } from '../../src/catalog/discovery/taxonomy.entity';
import { OwnedQuizzesService } from '../../src/catalog/quizzes/owned-quizzes.service';
import { DIFFICULTIES, QUESTION_TYPES } from '../../src/catalog/vocabulary';
import { isDeadlock } from '../../src/platform/database/database-errors';
import { DomainError } from '../../src/platform/errors/domain-errors';
import { readBody } from '../../src/platform/http/request/validation.pipe';
import { choices } from '../support/choices';
import { makeQuiz } from '../support/content';
import { countersEqualCounts } from '../support/counters';
import { questionBodies, questionBody, quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

const WRITERS = 16;
const STEPS = 25;

/** Row C1 of the target table (docs/performance.md). */
describe('counters after 16 concurrent writers', () => {
  let service: Service;
  let owners: TestAccount[];
  let admin: TestAccount;
  let art: Category;
  let errors: string[] = [];
  let succeeded = 0;

  beforeAll(async () => {
    service = await startService({ QUIZ_QUOTA_PRO: '10000' });
    owners = await Promise.all([1, 2, 3].map(() => service.account('pro')));
    admin = await service.account('free', { isAdmin: true });
    const { id: topicId } = await service.app
      .get(TaxonomyService)
      .saveTopic(admin, null, { name: 'Arts' });
    art = await service.app
      .get(TaxonomyService)
      .saveCategory(admin, null, { topicId, name: 'Art' });
    // Nobody writes to it: there is something to count, whatever the others have left.
    const { id } = await makeQuiz(admin, { tags: ['a', 'b'], published: true }, questionBodies(2));
    await service.app.get(ReviewService).approve(id);
  });

  afterAll(() => service.close());

  type Choices = ReturnType<typeof choices>;

  const quiz = (pick: Choices) =>
    readBody(
      CreateQuizRequest,
      quizBody({
        category: pick.of(['Art', 'Chess', undefined]),
        difficulty: pick.of(DIFFICULTIES),
        tags: ['a', 'b', 'c', 'd'].filter(() => pick.upTo(2) === 0),
      }),
    );
  const question = (pick: Choices) =>
    questionBody({
      text: `Question ${pick.upTo(1_000)}?`,
      type: pick.of(QUESTION_TYPES),
      difficulty: pick.of(DIFFICULTIES),
      answers: questionBody().answers.slice(0, 2),
    }) as BatchQuestionInput;

  async function act(pick: Choices): Promise<unknown> {
    const editing = service.app.get(QuizAuthoringService);
    const editor = service.app.get(QuizEditorService);
    const questions = service.app.get(QuestionEditingService);
    const review = service.app.get(ReviewService);
    const owned = service.app.get(OwnedQuizzesService);
    const me: Actor = { accountId: pick.of(owners).accountId };
    const mine = await owned.list(me.accountId, {}, { limit: 100, offset: 0 });
    if (mine.length < 5)
      return editor.create(me, { ...quiz(pick), published: false, questions: [] });
    const { id } = pick.of(mine);
    const { version, questions: present } = await owned.getDetail(me.accountId, id);
    const batch = () =>
      service.app.get(BatchImportService).import(
        me,
        id,
        Array.from({ length: 1 + pick.upTo(8) }, () => question(pick)),
      );
    if (present.length < 2) return batch();
    const one = pick.of(present);
    const read = { quizId: id, questionId: one.id, expected: one.version };
    return pick.of<() => Promise<unknown>>([
      () => editor.create(me, { ...quiz(pick), published: false, questions: [] }),
      () => editing.edit(me, { quizId: id, expected: version, fields: quiz(pick) }),
      () => editing.publish(me, id),
      () => editing.unpublish(me, id),
      () => editing.delete(me, id),
      () => review.approve(id),
      () => review.approve(id),
      () => review.reject(id, 'No.'),
      batch,
      () => questions.edit(me, read, question(pick)),
      () => questions.delete(me, { quizId: id, questionId: one.id }),
      // Many quizzes in one transaction, and the counters in whichever order that makes.
      () =>
        service.database.transaction((tx) =>
          tx.query(
            `WITH mine AS (SELECT id FROM quizzes WHERE owner_id = $1 ORDER BY id FOR NO KEY UPDATE)
             UPDATE quizzes z SET difficulty = 'HARD' FROM mine WHERE z.id = mine.id`,
            [me.accountId],
          ),
        ),
      () =>
        service.app.get(TaxonomyService).saveCategory(admin, art.id, {
          topicId: art.topicId,
          name: pick.of(['Art', 'ART', 'art']),
        }),
    ])();
  }

  /** What the rules refuse is part of it; so is a connection that was cut, while connections are cut. */
  const work = (seed: number, mayBeCut: boolean) => {
    const pick = choices(seed);
    return Array.from({ length: STEPS }).reduce<Promise<unknown>>(
      (before) =>
        before
          .then(() => act(pick))
          .then(() => void succeeded++)
          .catch((error: Error & { code?: string }) => {
            if (error instanceof DomainError) return;
            const cut = /terminat|ECONNRESET|Connection|already released/i.test(error.message);
            if (!(mayBeCut && cut)) errors.push(`${error.code}: ${error.message}`);
          }),
      Promise.resolve(),
    );
  };

  const exact = async () => {
    await countersEqualCounts(service.database);
    const checks = await service.app.get(CountersService).verify();
    expect(checks.find(({ counter }) => counter === 'catalog_counts')?.rows).toBeGreaterThan(0);
  };

  beforeEach(() => {
    succeeded = 0;
    errors = [];
  });

  it('counters equal count(*) after concurrent writes without a deadlock', async () => {
    // The service repeats a transaction that ended in a deadlock, so nobody else sees it.
    const tries = jest.spyOn(EntityManager.prototype, 'transaction');
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => work(writer, false)));
    const results = tries.mock.results.map(({ value }) => value as Promise<unknown>);
    tries.mockRestore();
    expect(results.length).toBeGreaterThan(300);
    const ended = await Promise.allSettled(results);
    const deadlocks = ended.filter((end) => end.status === 'rejected' && isDeadlock(end.reason));
    expect(deadlocks).toEqual([]);
    expect(errors).toEqual([]);
    expect(succeeded).toBeGreaterThan(300);
    await exact();
  });

  it('counters equal count(*) after connections were killed at random', async () => {
    let killed = 0;
    const writers = Promise.all(
      Array.from({ length: WRITERS }, (_, writer) => work(100 + writer, true)),
    ).then(() => 'done');
    const killer = service.database.createQueryRunner();
    try {
      const [{ me }] = (await killer.query('SELECT pg_backend_pid() AS me')) as [{ me: number }];
      while (
        (await Promise.race([writers, new Promise((next) => setImmediate(next))])) !== 'done'
      ) {
        const [{ n }] = (await killer.query(
          `SELECT count(pg_terminate_backend(pid))::int AS n FROM (
             SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> $1
               AND application_name = 'quiz-service' AND state <> 'idle' AND random() < 0.03) AS victims`,
          [me],
        )) as [{ n: number }];
        killed += n;
      }
    } finally {
      await killer.release();
    }
    expect(killed).toBeGreaterThan(0);
    expect(errors).toEqual([]);
    expect(succeeded).toBeGreaterThan(100);
    await exact();
  });
});

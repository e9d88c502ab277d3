import { AccountAdministrationService } from '../../src/access/administration/account-administration.service';
import { OPERATOR } from '../../src/access/audit/actor';
import { QuestionIndexService } from '../../src/authoring/questions/question-index.service';
import { ReviewService } from '../../src/authoring/review/review.service';
import { TaxonomyService } from '../../src/authoring/taxonomy/taxonomy.service';
import { type MadeQuiz, makeQuiz, queryOf } from '../support/content';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** The visibility rule (specification, part 1, and the contract's "Owner's drafts") in every read. */
describe('visibility', () => {
  const STATES = [
    'draft, pending',
    'draft, approved',
    'draft, rejected',
    'published, pending',
    'published, approved',
    'published, rejected',
  ] as const;
  type State = (typeof STATES)[number];
  const PUBLIC: State = 'published, approved';
  /** Every quiz has a category and a tag of its own, so that each read can be asked for it alone. */
  const nameOf = (state: State) => state.replace(', ', ' ');

  let service: Service;
  let review: ReviewService;
  const quizzes = {} as Record<State, MadeQuiz>;
  const callers = {} as Record<
    'owner' | 'other account' | 'free plan' | 'administrator',
    TestAccount
  >;

  beforeAll(async () => {
    service = await startService();
    review = service.app.get(ReviewService);
    callers.owner = await service.account('starter');
    callers['other account'] = await service.account('pro');
    callers['free plan'] = await service.account('free');
    callers.administrator = await service.account('pro', { isAdmin: true });
    await service.database.transaction((tx) =>
      service.app.get(TaxonomyService).seed(
        tx,
        { name: 'States', slug: 'states', icon: null, position: 0 },
        STATES.map((state, index) => ({ name: nameOf(state), slug: `state-${index}` })),
      ),
    );
    for (const state of STATES) {
      const fields = { title: nameOf(state), category: nameOf(state), tags: [nameOf(state)] };
      const quiz = await makeQuiz(
        callers.owner,
        { ...fields, published: state.startsWith('published') },
        questionBodies(2, { text: `What is ${nameOf(state)}?` }),
      );
      if (state.endsWith('approved')) await review.approve(quiz.id);
      if (state.endsWith('rejected')) await review.reject(quiz.id, 'Too easy.');
      quizzes[state] = quiz;
    }
  });

  afterAll(() => service.close());

  /** What each read shows of one quiz: none of it, or all of it. */
  async function reads(caller: TestAccount, state: State) {
    const { id, questions } = quizzes[state];
    const get = async (path: string, parameters: Record<string, string> = {}) =>
      (await caller.get(path + queryOf(parameters))).body as {
        data: { id: string }[];
        meta: { total: number };
      };
    const filters: Record<string, string>[] = [
      { category: nameOf(state) },
      { tags: nameOf(state) },
      { tags: `${nameOf(state)},none` },
    ];
    // Whole, and in a case of its own.
    const texts = [{ text: nameOf(state) }, { text: `IS ${nameOf(state)}?` }];
    const lists: Record<string, string>[] = [...filters, { topic: nameOf(state) }];
    const found = async (path: string, asked: Record<string, string>, ids: string[]) => {
      const { data, meta } = await get(path, asked);
      const shown = data.map((item) => item.id);
      // A total must not betray what a page hides.
      expect([asked, meta.total]).toEqual([asked, shown.length]);
      if (shown.length === 0) return false;
      expect(shown.sort()).toEqual([...ids].sort());
      return true;
    };
    const questionIds = questions.map((question) => question.id);
    return {
      list: await Promise.all(lists.map((asked) => found('/quizzes', asked, [id]))),
      detail: (await caller.get(`/quizzes/${id}`)).status === 200,
      quizMode: await found('/questions', { quiz_id: id }, questionIds),
      browse: await Promise.all(
        [...filters, ...texts].map((asked) => found('/questions', asked, questionIds)),
      ),
      counted: await Promise.all(
        texts.map(async (asked) => {
          const { data } = (await caller.get(`/questions/counts${queryOf(asked)}`)).body as {
            data: { total: number; byCategory: object };
          };
          expect(Object.keys(data.byCategory)).toHaveLength(Math.min(data.total, 1));
          return data.total === 2;
        }),
      ),
      random: await found(
        '/questions',
        { tags: nameOf(state), random: 'true', seed: 'x' },
        questionIds,
      ),
    };
  }

  const all = (visible: boolean) => ({
    list: [visible, visible, visible, visible],
    detail: visible,
    quizMode: visible,
    browse: [visible, visible, visible, visible, visible],
    counted: [visible, visible],
    random: visible,
  });

  it.each(STATES)('a quiz that is %s is visible to its owner in every read', async (state) => {
    expect(await reads(callers.owner, state)).toEqual(all(true));
  });

  const everyTag = STATES.map((state) => nameOf(state)).join();
  it("no text finds another account's quiz that is not public, be its questions indexed or not", async () => {
    const HOW: Record<string, string>[] = [{}, { random: 'true' }, { tags: everyTag }];
    const everyText = async (caller: TestAccount) => {
      const found = new Set<string>();
      for (const text of ['what is', 'draft', 'published', 'pending', 'rejected', '?', 'ed'])
        for (const how of HOW) {
          const { body } = await caller.get(`/questions${queryOf({ text, limit: 50, ...how })}`);
          for (const { quizId } of body.data as { quizId: string }[]) found.add(quizId);
        }
      return [...found];
    };
    for (const isIndexed of [false, true]) {
      if (isIndexed) await service.app.get(QuestionIndexService).indexChanged();
      for (const caller of ['other account', 'free plan', 'administrator'] as const)
        expect(await everyText(callers[caller])).toEqual([quizzes[PUBLIC].id]);
      expect((await everyText(callers.owner)).sort()).toEqual(
        STATES.map((state) => quizzes[state].id).sort(),
      );
    }
  });

  it.each(
    (['other account', 'free plan', 'administrator'] as const).flatMap((caller) =>
      STATES.map((state) => [caller, state] as const),
    ),
  )(
    "%s: another account's quiz that is %s is visible only if it is public",
    async (caller, state) => {
      expect(await reads(callers[caller], state)).toEqual(all(state === PUBLIC));
    },
  );

  it('lists and totals contain visible quizzes only', async () => {
    for (const caller of ['other account', 'free plan', 'administrator'] as const) {
      for (const sort of ['popular', 'newest', 'title']) {
        const list = await callers[caller].get(`/quizzes?sort=${sort}`).expect(200);
        expect(list.body).toMatchObject({ data: [{ id: quizzes[PUBLIC].id }], meta: { total: 1 } });
      }
      const browse = await callers[caller].get('/questions').expect(200);
      expect(browse.body).toMatchObject({
        data: [{ quizId: quizzes[PUBLIC].id }, { quizId: quizzes[PUBLIC].id }],
        meta: { total: 2, pageTotal: 2 },
      });
    }
    expect((await callers.owner.get('/quizzes')).body.meta.total).toBe(6);
    expect((await callers.owner.get('/questions')).body.meta.total).toBe(12);
  });

  it('metadata and categories count public quizzes only', async () => {
    service.clock.advance(60_000);
    const metadata = await service.get('/metadata').expect(200);
    expect(metadata.body.data).toMatchObject({
      categories: [nameOf(PUBLIC)],
      tags: [nameOf(PUBLIC)],
      stats: { totalQuizzes: 1, totalQuestions: 2 },
    });
    const { body } = await service.get('/categories').expect(200);
    const [topic] = body.data as { categories: object[] }[];
    expect(topic?.categories).toEqual(
      STATES.map((state) =>
        expect.objectContaining(
          state === PUBLIC
            ? { name: nameOf(state), quizCount: 1, tags: [nameOf(state)] }
            : { name: nameOf(state), quizCount: 0, tags: [] },
        ),
      ),
    );
  });

  it('visibility follows every change of publication and review at once', async () => {
    const owner = await service.account('pro');
    const other = callers['free plan'];
    const { id } = await makeQuiz(
      owner,
      { published: false, tags: ['changing'] },
      questionBodies(1, { text: 'Changing?' }),
    );
    const seen = async () => {
      const statuses = [
        (await other.get(`/quizzes/${id}`)).status === 200,
        (await other.get('/quizzes?tags=changing')).body.meta.total === 1,
        (await other.get(`/questions?quiz_id=${id}`)).body.meta.total === 1,
        (await other.get('/questions?tags=changing')).body.meta.total === 1,
        (await other.get('/questions?text=changing')).body.meta.total === 1,
      ];
      expect(new Set(statuses).size).toBe(1);
      return statuses[0];
    };
    expect(await seen()).toBe(false);
    await review.setPublished(id, true);
    expect(await seen()).toBe(false);
    await review.approve(id);
    expect(await seen()).toBe(true);
    await review.setPublished(id, false);
    expect(await seen()).toBe(false);
    await review.setPublished(id, true);
    expect(await seen()).toBe(true);
    await review.reject(id, 'Wrong answers.');
    expect(await seen()).toBe(false);
  });

  it('questions added to an approved quiz are visible at once', async () => {
    const before = await callers['free plan'].get(`/questions?quiz_id=${quizzes[PUBLIC].id}`);
    const [question] = questionBodies(1, { text: 'Appended?' });
    await callers.owner
      .post(`/quizzes/${quizzes[PUBLIC].id}/questions/batch`, { questions: [question] })
      .expect(201);
    const after = await callers['free plan'].get(`/questions?quiz_id=${quizzes[PUBLIC].id}`);
    expect(after.body.meta.total).toBe((before.body.meta.total as number) + 1);
  });

  it('an owner whose plan has ended still sees their drafts', async () => {
    const owner = await service.account('starter');
    const { id } = await makeQuiz(owner, { published: false, title: 'Left behind' });
    await service.app.get(AccountAdministrationService).setPlan(OPERATOR, owner.accountId, 'free');
    await owner.get(`/quizzes/${id}`).expect(200);
    const { body } = await owner.get('/quizzes?topic=left%20behind').expect(200);
    expect(body).toMatchObject({ data: [{ id }], meta: { total: 1 } });
  });

  it("an administrator's own quiz is approved at creation, and public once published", async () => {
    const { administrator, 'free plan': reader } = callers;
    const published = await makeQuiz(administrator, { title: 'Official' });
    const draft = await makeQuiz(administrator, { title: 'Not yet', published: false });
    await reader.get(`/quizzes/${published.id}`).expect(200);
    await reader.get(`/quizzes/${draft.id}`).expect(404);
    await administrator.get(`/quizzes/${draft.id}`).expect(200);
  });
});

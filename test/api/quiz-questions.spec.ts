import { type MadeQuiz, makeQuiz, queryOf } from '../support/content';
import { questionBodies, questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** GET /questions?quiz_id=… (specification 4.6, mode 1). */
describe('the questions of one quiz', () => {
  let service: Service;
  let admin: TestAccount;
  let reader: TestAccount;
  let quiz: MadeQuiz;
  let draft: MadeQuiz;

  beforeAll(async () => {
    service = await startService();
    admin = await service.account('free', { isAdmin: true });
    reader = await service.account('free');
    quiz = await makeQuiz(admin, {}, [
      questionBody(),
      questionBody({ text: 'Second?', difficulty: 'HARD', explanation: undefined }),
    ]);
    // Another order than that in which they were created.
    quiz.questions.reverse();
    const ids = quiz.questions.map(({ id }) => id);
    await admin.put(`/quizzes/${quiz.id}/questions/order`, { ids }).expect(204);
    draft = await makeQuiz(admin, { title: 'Draft', published: false }, [questionBody()]);
  });

  afterAll(() => service.close());

  const get = async (parameters: Record<string, string>, account = reader) =>
    (await account.get(`/questions${queryOf(parameters)}`).expect(200)).body as {
      data: Record<string, unknown>[];
      meta: object;
    };

  const expected = () =>
    quiz.questions.map(({ id, text, type, difficulty, explanation }) => ({
      id,
      quizId: quiz.id,
      text,
      type,
      difficulty,
      explanation,
      category: 'Geography',
    }));

  it('the questions of a quiz need a key', async () => {
    const { body } = await service.get(`/questions?quiz_id=${quiz.id}`).expect(401);
    expect(body).toEqual({ success: false, error: 'Invalid API key.' });
  });

  it('the questions of a quiz have exactly the fields of QuizQuestion, in order, without answers', async () => {
    expect(expected().map((question) => question.explanation)).toEqual([
      null,
      'The Danube flows through ten countries.',
    ]);
    expect(await get({ quiz_id: quiz.id })).toEqual({
      success: true,
      data: expected(),
      meta: { total: 2, quizId: quiz.id },
    });
  });

  it('include_answers=true adds the answers', async () => {
    expect(await get({ quiz_id: quiz.id, include_answers: 'true' })).toEqual({
      success: true,
      data: expected().map((question, index) => ({
        ...question,
        answers: quiz.questions[index]?.answers,
      })),
      meta: { total: 2, quizId: quiz.id },
    });
  });

  it.each(['false', 'TRUE', 'True', '1', 'yes', '', ' true', 'true '])(
    'include_answers=%j adds no answers',
    async (include_answers) => {
      const { data } = await get({ quiz_id: quiz.id, include_answers });
      expect(data).toEqual(expected());
    },
  );

  it('questions of a quiz without a category have category null', async () => {
    const bare = await makeQuiz(admin, { category: undefined }, [questionBody()]);
    const { data } = await get({ quiz_id: bare.id });
    expect(data).toMatchObject([{ quizId: bare.id, category: null }]);
  });

  it('quiz_id returns all questions of the quiz, without paging', async () => {
    const long = await makeQuiz(admin, { title: 'Long' }, questionBodies(60));
    const { data, meta } = await get({ quiz_id: long.id, limit: '5', offset: '7' });
    expect(meta).toEqual({ total: 60, quizId: long.id });
    expect(data.map((question) => question.id)).toEqual(long.questions.map(({ id }) => id));
  });

  it('an unknown, malformed or invisible quiz_id returns no questions', async () => {
    for (const id of ['01990000-0000-7000-8000-000000000000', 'none', ' ', draft.id])
      expect(await get({ quiz_id: id })).toEqual({
        success: true,
        data: [],
        meta: { total: 0, quizId: id },
      });
    expect(await get({ quiz_id: draft.id }, admin)).toMatchObject({
      data: [{ quizId: draft.id }],
      meta: { total: 1, quizId: draft.id },
    });
  });

  it('questions have the canonical quiz id, in whatever case it was given', async () => {
    const { data, meta } = await get({ quiz_id: quiz.id.toUpperCase() });
    expect(data).toEqual(expected());
    expect(meta).toEqual({ total: 2, quizId: quiz.id });
  });

  it('quiz_id ignores the browsing parameters, valid or not', async () => {
    const query =
      `quiz_id=${quiz.id}&category=none&category=b&difficulty=WRONG&type=WRONG&tags[a]=b` +
      '&limit=0&offset=-1&random=true&random=true&seed=%00&tags_match=some';
    const { body } = await reader.get(`/questions?${query}`).expect(200);
    expect(body.data).toEqual(expected());
  });

  it('an empty quiz_id gets 400', async () => {
    const { body } = await reader.get('/questions?quiz_id=').expect(400);
    expect(body).toEqual({
      success: false,
      error: 'quiz_id must not be empty: give the id of a quiz, or leave it out to browse.',
    });
  });

  it('a repeated or nested quiz_id or include_answers gets 400', async () => {
    for (const query of [
      'quiz_id=a&quiz_id=b',
      'quiz_id=&quiz_id=',
      'quiz_id[]=a',
      'quiz_id[a]=b',
      'quiz_id=a&quiz_id[a]=b',
      'quiz_id=a&include_answers=true&include_answers=true',
      'quiz_id=a&include_answers[]=true',
    ]) {
      const { body } = await reader.get(`/questions?${query}`).expect(400);
      expect(body).toMatchObject({
        success: false,
        error: expect.stringContaining('must be given once') as unknown,
      });
    }
    await reader.get('/questions?quiz_id=a%00').expect(400);
  });
});

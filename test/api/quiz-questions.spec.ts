import { makeQuiz, queryOf, type MadeQuiz } from '../support/content';
import { questionBodies, questionBody } from '../support/samples';
import { startService, type Holder, type Service } from '../support/service';

/** GET /questions?quiz_id=… (specification 4.6, mode 1). */
describe('the questions of one quiz', () => {
  let service: Service;
  let admin: Holder;
  let reader: Holder;
  let quiz: MadeQuiz;
  let draft: MadeQuiz;

  beforeAll(async () => {
    service = await startService();
    admin = await service.holder('free', { isAdmin: true });
    reader = await service.holder('free');
    quiz = await makeQuiz(admin, {}, [
      questionBody(),
      questionBody({ text: 'Second?', difficulty: 'HARD', explanation: undefined }),
    ]);
    draft = await makeQuiz(admin, { title: 'ParsedQuestion', published: false }, [questionBody()]);
  });

  afterAll(() => service.close());

  const get = async (parameters: Record<string, string>, holder = reader) =>
    (await holder.get(`/questions${queryOf(parameters)}`).expect(200)).body as {
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

  it('needs a key', async () => {
    const { body } = await service.get(`/questions?quiz_id=${quiz.id}`).expect(401);
    expect(body).toEqual({ success: false, error: 'Invalid API key.' });
  });

  it('answers with exactly the fields of QuizQuestion, in order, without answers', async () => {
    expect(expected().map((question) => question.explanation)).toEqual([
      'The Danube flows through ten countries.',
      null,
    ]);
    expect(await get({ quiz_id: quiz.id })).toEqual({
      success: true,
      data: expected(),
      meta: { total: 2, quizId: quiz.id },
    });
  });

  it('adds the answers with include_answers=true', async () => {
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
    'adds no answers with include_answers=%j',
    async (include_answers) => {
      const { data } = await get({ quiz_id: quiz.id, include_answers });
      expect(data).toEqual(expected());
    },
  );

  it('keeps null for the category of a quiz that has none', async () => {
    const bare = await makeQuiz(admin, { category: undefined }, [questionBody()]);
    const { data } = await get({ quiz_id: bare.id });
    expect(data).toMatchObject([{ quizId: bare.id, category: null }]);
  });

  it('returns all questions, more than a page of browsing holds', async () => {
    const long = await makeQuiz(admin, { title: 'Long' }, questionBodies(60));
    const { data, meta } = await get({ quiz_id: long.id, limit: '5', offset: '7' });
    expect(meta).toEqual({ total: 60, quizId: long.id });
    expect(data.map((question) => question.id)).toEqual(long.questions.map(({ id }) => id));
  });

  it('returns nothing for a quiz that is unknown, malformed or not to be seen', async () => {
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

  it('names the quiz by its own id, in whatever case it was asked for', async () => {
    const { data, meta } = await get({ quiz_id: quiz.id.toUpperCase() });
    expect(data).toEqual(expected());
    expect(meta).toEqual({ total: 2, quizId: quiz.id });
  });

  it('ignores the parameters of browsing, valid or not', async () => {
    const query =
      `quiz_id=${quiz.id}&category=none&category=b&difficulty=WRONG&type=WRONG&tags[a]=b` +
      '&limit=0&offset=-1&random=true&random=true&seed=%00&tags_match=some';
    const { body } = await reader.get(`/questions?${query}`).expect(200);
    expect(body.data).toEqual(expected());
  });

  it('refuses an empty quiz_id', async () => {
    const { body } = await reader.get('/questions?quiz_id=').expect(400);
    expect(body).toEqual({
      success: false,
      error: 'quiz_id must not be empty: give the id of a quiz, or leave it out to browse.',
    });
  });

  it('refuses a repeated or nested quiz_id and include_answers', async () => {
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

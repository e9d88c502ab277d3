import { addQuestions, type MadeQuiz, makeQuiz } from '../support/content';
import { questionBodies, questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** GET /quizzes/{id} (specification 4.5). Who sees which quiz: visibility.spec.ts. */
describe('a single quiz', () => {
  let service: Service;
  let admin: TestAccount;
  let reader: TestAccount;
  let quiz: MadeQuiz;

  beforeAll(async () => {
    service = await startService();
    admin = await service.account('free', { isAdmin: true });
    reader = await service.account('free');
    quiz = await makeQuiz(admin, {}, [
      questionBody(),
      questionBody({
        text: 'Does the Rhine flow north?',
        type: 'TRUE_FALSE',
        difficulty: 'EXPERT',
        explanation: undefined,
        answers: [
          { text: 'True', isCorrect: true },
          { text: 'False', isCorrect: false },
        ],
      }),
    ]);
  });

  afterAll(() => service.close());

  const id = expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown;

  it('a quiz has exactly the fields of QuizDetail', async () => {
    const { body } = await reader.get(`/quizzes/${quiz.id}`).expect(200);
    expect(body).toEqual({
      success: true,
      data: {
        id: quiz.id,
        title: 'Rivers of Europe',
        description: 'From source to sea.',
        category: 'Geography',
        difficulty: 'MEDIUM',
        tags: ['rivers', 'europe'],
        questionCount: 2,
        plays: 0,
        slug: 'rivers-of-europe',
        questions: [
          {
            id,
            text: 'Which river flows through Vienna?',
            type: 'MULTIPLE_CHOICE',
            difficulty: 'EASY',
            explanation: 'The Danube flows through ten countries.',
            order: 1,
            answers: [
              { id, text: 'The Danube', isCorrect: true },
              { id, text: 'The Rhine', isCorrect: false },
              { id, text: 'The Elbe', isCorrect: false },
            ],
          },
          {
            id,
            text: 'Does the Rhine flow north?',
            type: 'TRUE_FALSE',
            difficulty: 'EXPERT',
            explanation: null,
            order: 2,
            answers: [
              { id, text: 'True', isCorrect: true },
              { id, text: 'False', isCorrect: false },
            ],
          },
        ],
      },
    });
    expect(body.data.questions).toEqual(quiz.questions);
  });

  it('a quiz without description, category and questions has "", "" and []', async () => {
    const empty = { title: 'Empty', description: undefined, category: undefined, tags: undefined };
    const bare = await makeQuiz(admin, empty);
    const { body } = await reader.get(`/quizzes/${bare.id}`).expect(200);
    expect(body.data).toEqual({
      id: bare.id,
      title: 'Empty',
      description: '',
      category: '',
      difficulty: 'MEDIUM',
      tags: [],
      questionCount: 0,
      plays: 0,
      slug: 'empty',
      questions: [],
    });
  });

  it('a quiz has all its questions in order', async () => {
    const long = await makeQuiz(admin, { title: 'Long' }, questionBodies(60));
    await addQuestions(admin, long.id, [questionBody({ text: 'The last?' })]);
    const texts = [...questionBodies(60).map((question) => question.text), 'The last?'];
    const read = async () => {
      const { body } = await reader.get(`/quizzes/${long.id}`).expect(200);
      const { questionCount, questions } = body.data as {
        questionCount: number;
        questions: MadeQuiz['questions'];
      };
      expect(questionCount).toBe(61);
      expect(questions.map((question) => question.order)).toEqual(
        Array.from({ length: 61 }, (_, index) => index + 1),
      );
      return questions;
    };
    const questions = await read();
    expect(questions.map((question) => question.text)).toEqual(texts);
    // Another order than that in which they were created.
    const ids = questions.map((question) => question.id).reverse();
    await admin.put(`/quizzes/${long.id}/questions/order`, { ids }).expect(204);
    expect((await read()).map((question) => question.text)).toEqual([...texts].reverse());
  });

  it('a quiz needs a key, whether it exists or not', async () => {
    for (const path of [`/quizzes/${quiz.id}`, '/quizzes/none']) {
      const { body } = await service.get(path).expect(401);
      expect(body).toEqual({ success: false, error: 'Invalid API key.' });
    }
  });

  it.each([
    ['an unknown id', '01990000-0000-7000-8000-000000000000'],
    ['a malformed id', 'none'],
    ['a slug', 'rivers-of-europe'],
    ['quotation marks', "'%20OR%20'1'='1"],
    ['NUL', '%00'],
    ['a broken escape', '%zz'],
    ['braces', '%7B01990000-0000-7000-8000-000000000000%7D'],
    ['a very long id', 'x'.repeat(4_000)],
  ])('a quiz is not found by %s', async (_, given) => {
    const { body } = await reader.get(`/quizzes/${given}`).expect(404);
    expect(body).toEqual({ success: false, error: 'Quiz not found.' });
  });
});

import { questionBodies, questionBody } from '../support/samples';
import { startService, type TestAccount, type Service } from '../support/service';
import { createQuiz } from '../support/writing';

/** Specification 4.7, part 2 (BatchQuestionInput) and the contract's "Correct answers in a batch". */

let service: Service;
let pro: TestAccount;
let starter: TestAccount;
let admin: TestAccount;

beforeAll(async () => {
  service = await startService();
  pro = await service.account('pro');
  starter = await service.account('starter');
  admin = await service.account('free', { isAdmin: true });
});
afterAll(() => service.close());

interface Detail {
  id: string;
  text: string;
  order: number;
  answers: { id: string }[];
}

const batch = (quizId: string, questions: unknown, account = pro) =>
  account.post(`/quizzes/${quizId}/questions/batch`, { questions });
const quizOf = async (quizId: string, account = pro) =>
  (
    (await account.get(`/quizzes/${quizId}`).expect(200)).body as {
      data: { questionCount: number; questions: Detail[] };
    }
  ).data;
const answers = (...texts: string[]) =>
  texts.map((text) => ({ text: text.replace('*', ''), isCorrect: text.startsWith('*') }));
const anId = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;

describe('batch import', () => {
  test('the response to a batch has exactly the stored questions', async () => {
    const quizId = await createQuiz(pro);
    const sent = [
      questionBody({ text: '  Cafe\u0301? ', explanation: ' Why not. ' }),
      questionBody({
        type: 'TRUE_FALSE',
        difficulty: 'HARD',
        explanation: null,
        answers: answers('*True', 'False'),
      }),
      questionBody({
        type: 'OPEN_ENDED',
        difficulty: 'EXPERT',
        explanation: undefined,
        answers: answers('*Wien', '* Vienna '),
      }),
    ];
    const answer = await batch(quizId, sent).expect(201);
    expect(answer.body).toEqual({
      success: true,
      data: {
        quizId,
        questionsCreated: 3,
        questions: [
          {
            id: anId,
            text: 'Caf\u00e9?',
            type: 'MULTIPLE_CHOICE',
            difficulty: 'EASY',
            explanation: 'Why not.',
            order: 1,
            answers: [
              { id: anId, text: 'The Danube', isCorrect: true },
              { id: anId, text: 'The Rhine', isCorrect: false },
              { id: anId, text: 'The Elbe', isCorrect: false },
            ],
          },
          {
            id: anId,
            text: 'Which river flows through Vienna?',
            type: 'TRUE_FALSE',
            difficulty: 'HARD',
            explanation: null,
            order: 2,
            answers: [
              { id: anId, text: 'True', isCorrect: true },
              { id: anId, text: 'False', isCorrect: false },
            ],
          },
          {
            id: anId,
            text: 'Which river flows through Vienna?',
            type: 'OPEN_ENDED',
            difficulty: 'EXPERT',
            explanation: null,
            order: 3,
            answers: [
              { id: anId, text: 'Wien', isCorrect: true },
              { id: anId, text: 'Vienna', isCorrect: true },
            ],
          },
        ],
      },
    });
    const quiz = await quizOf(quizId);
    expect(quiz.questions).toEqual(
      (answer.body as { data: { questions: unknown } }).data.questions,
    );
    expect(quiz.questionCount).toBe(3);
  });

  test('the response to a batch has the canonical quiz id, in whatever case the URL spells it', async () => {
    const quizId = await createQuiz(pro);
    const { body } = await batch(quizId.toUpperCase(), questionBodies(1)).expect(201);
    expect((body as { data: unknown }).data).toMatchObject({ quizId, questionsCreated: 1 });
  });

  test('a batch of 50 questions is accepted, and one of 51 or none is refused', async () => {
    const quizId = await createQuiz(pro);
    await batch(quizId, questionBodies(50)).expect(201);
    expect((await batch(quizId, questionBodies(51)).expect(422)).body).toEqual({
      success: false,
      error:
        'The body is not valid: questions must hold at most 50 questions: send the rest in another request.',
      details: [
        {
          path: 'questions',
          message: 'questions must hold at most 50 questions: send the rest in another request',
          code: 'too_many',
        },
      ],
    });
    expect((await batch(quizId, []).expect(422)).body).toEqual({
      success: false,
      error: 'The body is not valid: questions must hold at least 1 question.',
      details: [
        {
          path: 'questions',
          message: 'questions must hold at least 1 question',
          code: 'too_few',
        },
      ],
    });
    expect((await quizOf(quizId)).questionCount).toBe(50);
  });

  test('a batch is appended after the existing questions without a gap', async () => {
    const quizId = await createQuiz(pro);
    for (const size of [2, 1, 3]) await batch(quizId, questionBodies(size)).expect(201);
    const { questions } = await quizOf(quizId);
    expect(questions.map(({ order, text }) => `${order} ${text}`)).toEqual([
      '1 Question 1?',
      '2 Question 2?',
      '3 Question 1?',
      '4 Question 1?',
      '5 Question 2?',
      '6 Question 3?',
    ]);
  });

  test('Starter accounts and administrators may import batches', async () => {
    for (const account of [starter, admin])
      await batch(await createQuiz(account), [questionBody()], account).expect(201);
  });

  test('a batch cannot set ids, order or unspecified fields', async () => {
    const quizId = await createQuiz(pro);
    const id = '00000000-0000-7000-8000-000000000001';
    const sent = {
      ...questionBody({
        answers: [
          { id, text: 'a', isCorrect: true, votes: 9 },
          { text: 'b', isCorrect: false },
        ],
      }),
      id,
      order: 40,
      position: 40,
      quizId: await createQuiz(starter),
      ownerId: starter.accountId,
      isPublic: true,
    };
    const answer = await pro
      .post(`/quizzes/${quizId}/questions/batch`, { questions: [sent], quizId: 'x', order: 7 })
      .expect(201);
    const { data } = answer.body as { data: { quizId: string; questions: Detail[] } };
    const [question] = data.questions;
    expect(data.quizId).toBe(quizId);
    expect(Object.keys(question ?? {})).toEqual([
      'id',
      'text',
      'type',
      'difficulty',
      'explanation',
      'order',
      'answers',
    ]);
    expect(question?.order).toBe(1);
    expect(question?.id).not.toBe(id);
    expect(question?.answers[0]).toEqual({ id: anId, text: 'a', isCorrect: true });
    expect(question?.answers[0]?.id).not.toBe(id);
  });
});

describe('access to the quiz of a batch', () => {
  const others = 'This quiz belongs to another account. Import into a quiz of your own.';

  test.each([
    ['a draft', false, false],
    ['one that waits for review', true, false],
    ['a public one', true, true],
  ])(
    'a batch into %s of another account gets 403 and creates nothing',
    async (_, published, isPublic) => {
      const owner = isPublic ? admin : starter;
      const quizId = await createQuiz(owner, { published });
      expect((await batch(quizId, [questionBody()]).expect(403)).body).toEqual({
        success: false,
        error: others,
      });
      expect((await quizOf(quizId, owner)).questionCount).toBe(0);
    },
  );

  test("an administrator's batch into another account's quiz gets 403", async () => {
    const refused = await batch(await createQuiz(pro), [questionBody()], admin).expect(403);
    expect(refused.body).toEqual({ success: false, error: others });
  });

  test.each([
    '00000000-0000-7000-8000-000000000000',
    'no-id',
    '%00',
    '%zz',
    "1' OR '1'='1",
    '..%2F..',
  ])('a batch into an unknown quiz %s gets 404', async (id) => {
    const refused = await batch(id, [questionBody()]).expect(404);
    expect(refused.body).toEqual({ success: false, error: 'Quiz not found.' });
  });
});

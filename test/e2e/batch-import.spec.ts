import type { Response } from 'supertest';
import { questionBodies, questionBody, quizBody } from '../support/samples';
import { startService, type Holder, type Service } from '../support/service';

/** Specification 4.7, part 2 (BatchQuestionInput) and the contract's "Correct answers in a batch". */

let service: Service;
let pro: Holder;
let starter: Holder;
let admin: Holder;

beforeAll(async () => {
  service = await startService();
  pro = await service.holder('pro');
  starter = await service.holder('starter');
  admin = await service.holder('free', { isAdmin: true });
});
afterAll(() => service.close());

interface Detail {
  id: string;
  text: string;
  order: number;
  answers: { id: string }[];
}

const newQuiz = async (holder = pro, fields: object = {}) =>
  ((await holder.post('/quizzes', quizBody(fields)).expect(201)).body as { data: { id: string } })
    .data.id;
const batch = (quizId: string, questions: unknown, holder = pro) =>
  holder.post(`/quizzes/${quizId}/questions/batch`, { questions });
const quizOf = async (quizId: string, holder = pro) =>
  (
    (await holder.get(`/quizzes/${quizId}`).expect(200)).body as {
      data: { questionCount: number; questions: Detail[] };
    }
  ).data;
const faults = (answer: Response) =>
  (answer.body as { details: { path: string; code: string }[] }).details.map(
    ({ path, code }) => `${path} ${code}`,
  );
const answers = (...texts: string[]) =>
  texts.map((text) => ({ text: text.replace('*', ''), isCorrect: text.startsWith('*') }));
const anId = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;

describe('a batch', () => {
  test('comes back as it was stored, exactly', async () => {
    const quizId = await newQuiz();
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

  test('of 50 is taken, of 51 and of none refused', async () => {
    const quizId = await newQuiz();
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

  test('is appended after what is there, without a gap', async () => {
    const quizId = await newQuiz();
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

  test('of a Starter and of an administrator is taken too', async () => {
    for (const holder of [starter, admin])
      await batch(await newQuiz(holder), [questionBody()], holder).expect(201);
  });

  test('cannot set ids, order, or anything that is not specified', async () => {
    const quizId = await newQuiz();
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
      quizId: await newQuiz(starter),
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

describe('the answers of', () => {
  const check = async (type: string, given: unknown) =>
    batch(await newQuiz(), [questionBody({ type, answers: given })]);

  test.each([
    ['MULTIPLE_CHOICE', ['*a', 'b']],
    ['MULTIPLE_CHOICE', ['*a', '*b', '*c']],
    ['MULTIPLE_CHOICE', ['*a', ...'bcdefghijkl']],
    ['TRUE_FALSE', ['*True', 'False']],
    ['TRUE_FALSE', ['Nein', '*Ja']],
    ['OPEN_ENDED', ['*a', '*b']],
    ['OPEN_ENDED', ['*a', 'b']],
  ])('%s may be %j', async (type, given) => {
    expect((await check(type, answers(...given))).status).toBe(201);
  });

  test.each([
    ['MULTIPLE_CHOICE', [], 'answer_count', 'needs at least 2 answers, and has 0'],
    ['MULTIPLE_CHOICE', ['*a'], 'answer_count', 'needs at least 2 answers, and has 1'],
    ['OPEN_ENDED', ['*a'], 'answer_count', 'needs at least 2 answers, and has 1'],
    ['TRUE_FALSE', ['*a'], 'answer_count', 'needs exactly 2 answers for TRUE_FALSE, and has 1'],
    [
      'TRUE_FALSE',
      ['*a', 'b', 'c'],
      'answer_count',
      'needs exactly 2 answers for TRUE_FALSE, and has 3',
    ],
    [
      'MULTIPLE_CHOICE',
      ['a', 'b'],
      'correct_answers',
      'needs at least one answer with "isCorrect": true',
    ],
    [
      'OPEN_ENDED',
      ['a', 'b'],
      'correct_answers',
      'needs at least one answer with "isCorrect": true',
    ],
    [
      'TRUE_FALSE',
      ['a', 'b'],
      'correct_answers',
      'needs exactly one correct answer for TRUE_FALSE, and has 0',
    ],
    [
      'TRUE_FALSE',
      ['*a', '*b'],
      'correct_answers',
      'needs exactly one correct answer for TRUE_FALSE, and has 2',
    ],
    [
      'MULTIPLE_CHOICE',
      ['*Wien', 'Linz', ' WIEN '],
      'repeated_answer',
      'has the answer "WIEN" more than once',
    ],
    ['TRUE_FALSE', ['*Yes', 'yes'], 'repeated_answer', 'has the answer "yes" more than once'],
    [
      'OPEN_ENDED',
      ['*Cafe\u0301', '*CAF\u00c9'],
      'repeated_answer',
      'has the answer "CAF\u00c9" more than once',
    ],
  ])('%s may not be %j', async (type, given, code, message) => {
    const refused = await check(type, answers(...given));
    expect(refused.status).toBe(422);
    expect(refused.body).toEqual({
      success: false,
      error: `The body is not valid: questions[0].answers ${message}.`,
      details: [{ path: 'questions[0].answers', message: `questions[0].answers ${message}`, code }],
    });
  });

  test('a question have both keys, of the right types, and are not blank', async () => {
    const given = [
      { isCorrect: true },
      { text: 'a' },
      { text: ' ', isCorrect: false },
      { text: 5, isCorrect: 'true' },
      null,
      'b',
      [],
    ];
    expect(faults(await check('MULTIPLE_CHOICE', given)).sort()).toEqual([
      'questions[0].answers[0].text required',
      'questions[0].answers[1].isCorrect required',
      'questions[0].answers[2].text blank',
      'questions[0].answers[3].isCorrect type',
      'questions[0].answers[3].text type',
      'questions[0].answers[4] type',
      'questions[0].answers[5] type',
      'questions[0].answers[6] type',
    ]);
  });

  test.each(['a', 5, { 0: 'a' }, null])('a question may not be %j', async (given) => {
    expect((await check('OPEN_ENDED', given)).body).toMatchObject({
      details: [
        {
          path: 'questions[0].answers',
          message:
            'questions[0].answers must be an array of answers, each {"text": …, "isCorrect": …}',
          code: 'type',
        },
      ],
    });
  });
});

describe('all or nothing', () => {
  test('one faulty question of fifty, and nothing is created and nothing counted', async () => {
    const quizId = await newQuiz();
    await batch(quizId, [questionBody({ text: 'First?' })]).expect(201);
    const state = () =>
      service.database.query<object[]>(
        `SELECT question_count, question_mix, updated_at, approval, published,
           (SELECT count(*) FROM questions) AS questions, (SELECT count(*) FROM outbox_events) AS events,
           (SELECT json_agg(c) FROM question_counts c) AS counts
         FROM quizzes WHERE id = $1`,
        [quizId],
      );
    const before = await state();
    const questions = questionBodies(50);
    questions[49] = questionBody({ text: '' });
    const refused = await batch(quizId, questions).expect(422);
    expect(refused.body).toEqual({
      success: false,
      error: 'The body is not valid: questions[49].text must not be blank.',
      details: [
        {
          path: 'questions[49].text',
          message: 'questions[49].text must not be blank',
          code: 'blank',
        },
      ],
    });
    expect(await state()).toEqual(before);
  });

  test('details name every fault of every question at once', async () => {
    const refused = await batch(await newQuiz(), [
      questionBody({ text: undefined, type: 'ESSAY', difficulty: 'easy' }),
      questionBody(),
      questionBody({ text: 'a\0', explanation: 7, answers: answers('*a', 'A', ' ') }),
      questionBody({ type: undefined, answers: [] }),
      {},
    ]).expect(422);
    expect(faults(refused).sort()).toEqual(
      [
        'questions[0].text required',
        'questions[0].type choice',
        'questions[0].difficulty choice',
        'questions[2].text characters',
        'questions[2].explanation type',
        'questions[2].answers repeated_answer',
        'questions[2].answers[2].text blank',
        'questions[3].type required',
        'questions[3].answers answer_count',
        'questions[4].text required',
        'questions[4].type required',
        'questions[4].difficulty required',
        'questions[4].answers required',
      ].sort(),
    );
    expect((refused.body as { error: string }).error).toMatch(
      /^The body is not valid: questions\[2\]\.text contains .+ \(and 12 more problems, see "details"\)\.$/,
    );
  });

  test.each([
    ['[]', 'it must be a JSON object, {…}'],
    ['null', 'it must be a JSON object, {…}'],
    ['{}', 'questions is required'],
    ['{"questions":null}', 'questions must be an array of questions'],
    ['{"questions":"x"}', 'questions must be an array of questions'],
    ['{"questions":{"text":"x"}}', 'questions must be an array of questions'],
    ['{"questions":[null]}', 'questions[0] must be an object'],
    ['{"questions":[[]]}', 'questions[0] must be an object'],
    ['{"questions":["x"]}', 'questions[0] must be an object'],
  ])('%s is no batch', async (body, message) => {
    const refused = await pro.post(`/quizzes/${await newQuiz()}/questions/batch`, body).expect(422);
    expect(refused.body).toMatchObject({ error: `The body is not valid: ${message}.` });
    expect(faults(refused)).toHaveLength(1);
  });

  test('a valid question inside an array inside the array is no question', async () => {
    const refused = await batch(await newQuiz(), [[questionBody()]]).expect(422);
    expect(faults(refused)).toEqual(['questions[0] type']);
  });

  test('fields that name a class are faults of those fields', async () => {
    const body =
      '{"questions":[{"text":{"constructor":1},"type":"constructor","difficulty":"__proto__","answers":[{"constructor":"x","__proto__":{"text":"a"}},{"text":"b","isCorrect":{"constructor":2}}]}]}';
    const refused = await pro.post(`/quizzes/${await newQuiz()}/questions/batch`, body).expect(422);
    expect(faults(refused).sort()).toEqual([
      'questions[0].answers[0].isCorrect required',
      'questions[0].answers[0].text required',
      'questions[0].answers[1].isCorrect type',
      'questions[0].difficulty choice',
      'questions[0].text type',
      'questions[0].type choice',
    ]);
  });

  test('the longest list of faults is cut, and every fault counted', async () => {
    const given = Array.from({ length: 90 }, () => ({}));
    const refused = await batch(await newQuiz(), questionBodies(50, { answers: given })).expect(
      422,
    );
    const { error, details } = refused.body as { error: string; details: object[] };
    expect(error).toMatch(/\(and 8999 more problems, /);
    expect(details).toHaveLength(2_500);
  });
});

describe('whose quiz it is', () => {
  const others = 'This quiz belongs to another account. Import into a quiz of your own.';

  test.each([
    ['a draft', false, false],
    ['one that waits for review', true, false],
    ['a public one', true, true],
  ])("%s of somebody else's is 403, and nothing is created", async (_, published, isPublic) => {
    const owner = isPublic ? admin : starter;
    const quizId = await newQuiz(owner, { published });
    expect((await batch(quizId, [questionBody()]).expect(403)).body).toEqual({
      success: false,
      error: others,
    });
    expect((await quizOf(quizId, owner)).questionCount).toBe(0);
  });

  test('an administrator owns no more than others', async () => {
    const refused = await batch(await newQuiz(pro), [questionBody()], admin).expect(403);
    expect(refused.body).toEqual({ success: false, error: others });
  });

  test.each([
    '00000000-0000-7000-8000-000000000000',
    'no-id',
    '%00',
    '%zz',
    "1' OR '1'='1",
    '..%2F..',
  ])('there is no quiz %s', async (id) => {
    const refused = await batch(id, [questionBody()]).expect(404);
    expect(refused.body).toEqual({ success: false, error: 'Quiz not found.' });
  });
});

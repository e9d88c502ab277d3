import {
  BatchImportService,
  toNewQuestion,
} from '../../src/authoring/questions/batch-import.service';
import type { QuestionInput } from '../../src/authoring/questions/questions.dto';
import { questionBodies, questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { createQuiz, errorsIn } from '../support/writing';

/** Batch import: specification 4.7, part 2 (BatchQuestionInput) and rule 1; contract, "Correct answers in a batch". */

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

test('a quiz is the same as a file only if it has each question as often', async () => {
  const id = await createQuiz(pro, { title: 'Twice the same' });
  const [one, other] = [questionBody({ text: 'One?' }), questionBody({ text: 'Other?' })];
  await batch(id, [one, one]).expect(201);
  const rows = await service.database.query<{ fingerprint: string }[]>(
    'SELECT fingerprint FROM questions WHERE quiz_id = $1',
    [id],
  );
  const twice = rows.map(({ fingerprint }) => fingerprint);
  const [print = ''] = twice;
  const has = (prints: string[]) =>
    service.app
      .get(BatchImportService)
      .hasQuiz(service.database.manager, pro.accountId, 'Twice the same', prints);
  const { fingerprint } = toNewQuestion(other as QuestionInput);
  expect(await has(twice)).toBe(true);
  expect(await has([print, fingerprint])).toBe(false);
  expect(await has([print])).toBe(false);
});

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
    const response = await batch(quizId, sent).expect(201);
    expect(response.body).toEqual({
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
      (response.body as { data: { questions: unknown } }).data.questions,
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
    const response = await pro
      .post(`/quizzes/${quizId}/questions/batch`, { questions: [sent], quizId: 'x', order: 7 })
      .expect(201);
    const { data } = response.body as { data: { quizId: string; questions: Detail[] } };
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

describe('answers in a batch', () => {
  const check = async (type: string, given: unknown) =>
    batch(await createQuiz(pro), [questionBody({ type, answers: given })]);

  test.each([
    ['MULTIPLE_CHOICE', ['*a', 'b']],
    ['MULTIPLE_CHOICE', ['*a', '*b', '*c']],
    ['MULTIPLE_CHOICE', ['*a', ...'bcdefghijkl']],
    ['TRUE_FALSE', ['*True', 'False']],
    ['TRUE_FALSE', ['Nein', '*Ja']],
    ['OPEN_ENDED', ['*a', '*b']],
    ['OPEN_ENDED', ['*a', 'b']],
    ['MULTIPLE_CHOICE', ['*CO', 'Co', 'co']],
    ['TRUE_FALSE', ['*True', 'true']],
    ['OPEN_ENDED', ['*iPhone', '*Iphone']],
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
      ['*Wien', 'Linz', ' Wien '],
      'repeated_answer',
      'has the answer "Wien" more than once',
    ],
    ['TRUE_FALSE', ['*Yes', 'Yes'], 'repeated_answer', 'has the answer "Yes" more than once'],
    [
      'OPEN_ENDED',
      ['*Cafe\u0301', '*Caf\u00e9'],
      'repeated_answer',
      'has the answer "Caf\u00e9" more than once',
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

  test('an answer needs text and isCorrect of the right types, and a text that is not blank', async () => {
    const given = [
      { isCorrect: true },
      { text: 'a' },
      { text: '\u200b', isCorrect: false },
      { text: 5, isCorrect: 'true' },
      null,
      'b',
      [],
    ];
    expect(errorsIn(await check('MULTIPLE_CHOICE', given)).sort()).toEqual([
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

  test.each(['a', 5, { 0: 'a' }, null])(
    '%j is refused as the answers of a question',
    async (given) => {
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
    },
  );
});

describe('an invalid batch', () => {
  test('a batch with one invalid question of fifty creates and counts nothing', async () => {
    const quizId = await createQuiz(pro);
    await batch(quizId, [questionBody({ text: 'First?' })]).expect(201);
    const state = () =>
      service.database.query<object[]>(
        `SELECT question_count, counts_by_kind, updated_at, approval, published,
           (SELECT count(*) FROM questions) AS questions, (SELECT count(*) FROM outbox_events) AS events,
           (SELECT json_agg(c) FROM catalog_counts c) AS counts
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

  test('details list every error of every question at once', async () => {
    const refused = await batch(await createQuiz(pro), [
      questionBody({ text: undefined, type: 'ESSAY', difficulty: 'easy' }),
      questionBody(),
      questionBody({ text: 'a\0', explanation: 7, answers: answers('*a', 'a', ' ') }),
      questionBody({ type: undefined, answers: [] }),
      {},
    ]).expect(422);
    expect(errorsIn(refused)).toEqual([
      'questions[0].text required',
      'questions[0].type choice',
      'questions[0].difficulty choice',
      'questions[2].text characters',
      'questions[2].explanation type',
      'questions[2].answers repeated_answer',
      'questions[2].answers[2].text blank',
      'questions[3].type required',
      'questions[3].answers answer_count',
      'questions[4].answers required',
      'questions[4].text required',
      'questions[4].type required',
      'questions[4].difficulty required',
    ]);
    expect((refused.body as { error: string }).error).toBe(
      'The body is not valid: questions[0].text is required (and 12 more problems, see "details").',
    );
  });

  test('details of a 422 are in the order of the body', async () => {
    const question = (fields: object) => ({ answers: answers('*a', 'b'), ...fields });
    const refused = await batch(await createQuiz(pro), [
      question({ difficulty: 'no', type: 'no', text: ' ' }),
      question({ text: 'Q?', type: 'TRUE_FALSE', difficulty: 'EASY', explanation: '\ud83d' }),
      ...questionBodies(8),
      question({ type: 'no', difficulty: 'EASY', text: 'Q?' }),
      [],
      question({ text: 5, type: 'OPEN_ENDED', difficulty: 'EASY' }),
    ]).expect(422);
    expect(errorsIn(refused)).toEqual([
      'questions[0].difficulty choice',
      'questions[0].type choice',
      'questions[0].text blank',
      'questions[1].explanation characters',
      'questions[10].type choice',
      'questions[11] type',
      'questions[12].text type',
    ]);
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
  ])('%s is refused as a batch', async (body, message) => {
    const refused = await pro
      .post(`/quizzes/${await createQuiz(pro)}/questions/batch`, body)
      .expect(422);
    expect(refused.body).toMatchObject({ error: `The body is not valid: ${message}.` });
    expect(errorsIn(refused)).toHaveLength(1);
  });

  test('a batch with a question in a nested array is refused', async () => {
    const refused = await batch(await createQuiz(pro), [[questionBody()]]).expect(422);
    expect(errorsIn(refused)).toEqual(['questions[0] type']);
  });

  test('field names such as constructor are errors of those fields', async () => {
    const body =
      '{"questions":[{"text":{"constructor":1},"type":"constructor","difficulty":"__proto__","answers":[{"constructor":"x","__proto__":{"text":"a"}},{"text":"b","isCorrect":{"constructor":2}}]}]}';
    const refused = await pro
      .post(`/quizzes/${await createQuiz(pro)}/questions/batch`, body)
      .expect(422);
    expect(errorsIn(refused).sort()).toEqual([
      'questions[0].answers[0].isCorrect required',
      'questions[0].answers[0].text required',
      'questions[0].answers[1].isCorrect type',
      'questions[0].difficulty choice',
      'questions[0].text type',
      'questions[0].type choice',
    ]);
  });

  test('a long list of errors is truncated, and the message counts all of them', async () => {
    const given = Array.from({ length: 90 }, () => ({}));
    const refused = await batch(
      await createQuiz(pro),
      questionBodies(50, { answers: given }),
    ).expect(422);
    const { error, details } = refused.body as { error: string; details: object[] };
    expect(error).toMatch(/\(and 9049 more problems, /);
    expect(details).toHaveLength(2_500);
  });
});

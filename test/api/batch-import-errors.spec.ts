import { questionBodies, questionBody } from '../support/samples';
import { startService, type TestAccount, type Service } from '../support/service';
import { createQuiz, errorsIn } from '../support/writing';

/** What a batch import refuses, and that it is all or nothing (specification 4.7, rule 1). */

let service: Service;
let pro: TestAccount;

beforeAll(async () => {
  service = await startService();
  pro = await service.account('pro');
});
afterAll(() => service.close());

const batch = (quizId: string, questions: unknown) =>
  pro.post(`/quizzes/${quizId}/questions/batch`, { questions });
const answers = (...texts: string[]) =>
  texts.map((text) => ({ text: text.replace('*', ''), isCorrect: text.startsWith('*') }));

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

  test('details are in the order of the body', async () => {
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

  test('a question in a nested array is refused', async () => {
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

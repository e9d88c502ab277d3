import type { ImportRow } from '../../src/import-export/formats/row';
import { pieces, questions, rowsOf } from '../support/rows';

const QUESTION = {
  text: 'Which?',
  type: 'MULTIPLE_CHOICE',
  difficulty: 'EASY',
  answers: [
    { text: 'a', isCorrect: true },
    { text: 'b', isCorrect: false },
  ],
};
const QUIZ = { title: 'T', category: 'C', difficulty: 'HARD', tags: ['x'], questions: [QUESTION] };
const about = { title: 'T', category: 'C', difficulty: 'HARD', tags: ['x'] };

it.each([
  ['the body of a batch', { questions: [QUESTION] }, 'questions[0]', undefined],
  ['a list of questions', [QUESTION], '[0]', undefined],
  ['a quiz', QUIZ, 'questions[0]', about],
  ['a list of quizzes', [QUIZ], '[0].questions[0]', about],
  ['quizzes by name', { quizzes: [QUIZ] }, 'quizzes[0].questions[0]', about],
  [
    'an answer of the API',
    { success: true, data: { ...QUIZ, id: '1', plays: 3 } },
    'data.questions[0]',
    about,
  ],
  [
    'a page of browsing',
    {
      success: true,
      data: [{ ...QUESTION, id: '1', quizId: '2', quizTitle: 'T', category: 'C', tags: ['x'] }],
    },
    'data[0]',
    { title: 'T', category: 'C', tags: ['x'] },
  ],
])('JSON: %s can be read', async (_name, value, path, quiz) => {
  const rows = questions(await rowsOf(JSON.stringify(value, null, 1)));
  expect(rows).toEqual([
    {
      line: expect.any(Number),
      path,
      question: QUESTION,
      ...(quiz && { quiz: { key: expect.any(String), ...quiz } }),
    },
  ]);
});

it('JSON: each of more correct answers than a question may have must be one of its answers', async () => {
  const correct = [...Array<string>(60).fill('a'), 'zzz'];
  const [row] = await rowsOf(
    JSON.stringify([{ question: 'Q?', options: ['a', 'b'], correct }]),
    'json',
  );
  expect(row).toMatchObject({ error: expect.stringContaining('"zzz" is not one of the answers') });
});

it('JSON: the text of an answer is meant before two letters that would name another one', async () => {
  const options = Array.from({ length: 40 }, (_, n) => (n === 2 ? 'Al' : `x${n}`));
  const read = async (correct: string) => {
    const [row] = questions(
      await rowsOf(JSON.stringify([{ question: 'Q?', options, correct }]), 'json'),
    );
    return row?.question.answers.filter(({ isCorrect }) => isCorrect).map(({ text }) => text);
  };
  expect(await read('Al')).toEqual(['Al']);
  for (const key of ['AK', 'Option AK', 'AK) x36']) expect(await read(key)).toEqual(['x36']);
});

it('JSON: of 30 answers as members, the later ones can be the correct ones', async () => {
  const names = Array.from({ length: 30 }, (_, n) => `answer_${n}`);
  const item = {
    question: 'Which two?',
    answers: Object.fromEntries(names.map((name) => [name, `The ${name}`])),
    correct_answers: Object.fromEntries(
      names.map((name, n) => [`${name}_correct`, String(n === 3 || n === 27)]),
    ),
  };
  const [row] = questions(await rowsOf(JSON.stringify([item]), 'json'));
  const correct = row?.question.answers.filter(({ isCorrect }) => isCorrect);
  expect(correct?.map(({ text }) => text)).toEqual(['The answer_3', 'The answer_27']);
});

it('JSON: quizzes of the same title stay separate', async () => {
  const rows = questions(await rowsOf(JSON.stringify([QUIZ, QUIZ])));
  expect(new Set(rows.map((row) => row.quiz?.key)).size).toBe(2);
});

it.each([
  ['text', { text: 5 }, '"text" must be a string.'],
  [
    'type',
    { type: 'CLOZE' },
    'The type "CLOZE" is unknown: write MULTIPLE_CHOICE, TRUE_FALSE or OPEN_ENDED.',
  ],
  [
    'difficulty',
    { difficulty: 'mad' },
    'The difficulty "mad" is unknown: write EASY, MEDIUM, HARD or EXPERT.',
  ],
  ['answers', { answers: 'a' }, /^"answers" must be a list of answers, \[\{"text": /],
  [
    'answers without a mark',
    { answers: ['a', 'b'] },
    /^The correct answer is missing: give the question the form \{"text": .*"incorrect_answers": .*"options": /,
  ],
  ['an answer', { answers: [{ text: [] }] }, /^Answers\[0\] must have the form/],
  ['a mark', { answers: [{ text: 'a', isCorrect: 'yes' }] }, /^Answers\[0\] must have the form/],
  [
    'a mark too few',
    { answers: [{ text: 'a', isCorrect: true }, 'b'] },
    /^Every one of "answers" must have the form/,
  ],
  ['NUL', { text: 'a\0' }, /^It contains an invalid character/],
  ['half a surrogate', { explanation: '\ud800' }, /^It contains an invalid character/],
  [
    'TRUE_FALSE of three',
    { type: 'TRUE_FALSE', answers: [...QUESTION.answers, { text: 'c', isCorrect: false }] },
    /exactly 2 answers: keep two/,
  ],
  [
    'TRUE_FALSE of one',
    { type: 'TRUE_FALSE', answers: [{ text: 'true', isCorrect: true }] },
    'Give the TRUE_FALSE question two answers, one of them correct.',
  ],
])('JSON: an error has its line and path: %s', async (_name, change, error) => {
  const text = `{"questions": [\n${JSON.stringify(QUESTION)},\n\n${JSON.stringify({ ...QUESTION, ...change })}\n]}`;
  expect(await rowsOf(text)).toEqual([
    { line: 2, path: 'questions[0]', question: QUESTION },
    { line: 4, path: 'questions[1]', error: expect.stringMatching(error) },
  ]);
});

it('JSON: unknown fields are noted, known response fields are not', async () => {
  const row = {
    ...QUESTION,
    id: '1',
    order: 3,
    image: 'x.png',
    answers: QUESTION.answers.map((each) => ({ ...each, id: '2', weight: 3 })),
  };
  expect(questions(await rowsOf(JSON.stringify([row])))[0]?.notes).toEqual([
    'Unsupported fields of the question are ignored: "answers[].weight" and "image".',
  ]);
  expect(await rowsOf(JSON.stringify({ ...QUIZ, questions: [], tags: 'x' }))).toEqual([
    { line: 1, note: 'The content of tags cannot be read and is ignored.' },
    { line: 1, error: 'The quiz "T" has no questions: add one to import it.' },
  ]);
});

it('JSON: a list of texts is a field of the quiz, and a list of objects is named once', async () => {
  const text = `{"authors": ["Ada"], "sections": [{"name": "One"}], "questions": [${JSON.stringify(QUESTION)}]}`;
  expect((await rowsOf(text, 'json')).filter((row) => 'note' in row)).toEqual([
    { line: 1, note: expect.stringMatching(/^The list "sections" \(1\) is not read/) },
    { line: 1, note: 'Unsupported fields of the quiz are ignored: "authors".' },
  ]);
});

it("JSON: the rules of play of a response's quiz are kept", async () => {
  const quiz = { title: 'T', timeLimit: 30, questions: [QUESTION] };
  for (const data of [quiz, [quiz], { quizzes: [quiz] }]) {
    const rows = await rowsOf(JSON.stringify({ success: true, data }), 'json');
    expect(rows).toHaveLength(1);
    expect(questions(rows)[0]?.quiz).toMatchObject({ timeLimit: 30 });
  }
});

it('JSON: quiz fields that are not kept and lists that are not read are noted', async () => {
  const text = `{"image": "x.png", "timeLimit": 30, "questions": [${JSON.stringify(QUESTION)}],\n"results": [{}]}`;
  expect((await rowsOf(text, 'json')).filter((row) => 'note' in row)).toEqual([
    { line: 2, note: expect.stringMatching(/^The list "results" \(1\) is not read/) },
    {
      line: 1,
      note: 'Unsupported fields of the quiz are ignored: "image" and "timeLimit".',
    },
  ]);
});

it('JSON: a file without questions is reported as such', async () => {
  for (const text of ['[]', '{"questions": []}', '{"quizzes": []}'])
    expect(await rowsOf(text)).toEqual([
      { line: 1, error: 'The file holds no questions: choose the file that does.' },
    ]);
});

it.each([
  ['cut off', '{"questions": [\n{"text": "Q', 2, /ends in the middle, in line 2/],
  ['cut off between values', '[\n\n{"text":"Q"},\n', 4, /ends in the middle, in line 4/],
  ['an unterminated string', '[\n{}, {"text": "a, b', 2, /ends in the middle, in line 2/],
  ['a bracket of another kind', '[\n{]', 2, /"\]" found where/],
  ['a comment', '[\n// none\n{}]', 2, /"\/\/ none" is not a value/],
  ['a comma too many', '[\n{},\n]', 3, /"\]" found where a value is expected/],
  ['no comma', '[{}\n{}]', 2, /"\{" found where "," or the end of a list is expected/],
  ['a bare word', '{"a":\nyes}', 2, /"yes" is not a value/],
  ['a bad escape', '{"a":\n"\\x"}', 2, /is not a value/],
  ['a line break in a text', '["a\nb"]', 1, /is not a value/],
  ['more after the end', '{}\n{}', 2, /"\{" found after the end/],
  ['too deep', '['.repeat(40), 1, /nested more than 32 levels deep/],
  ['too deep in a question', `[{},\n${'{"a":'.repeat(40)}`, 2, /nested more than 32 levels deep/],
  ['no questions', '{"a": 1}', 1, /holds no questions/],
  ['only a number', '7', 1, /holds no questions/],
])('JSON: a file that is %s ends with an error and its line', async (_name, text, line, error) => {
  expect((await rowsOf(text, 'json')).at(-1)).toEqual({
    line,
    error: expect.stringMatching(error),
    fatal: true,
  });
});

describe('Open Trivia DB', () => {
  const result = (change: object) => ({
    type: 'multiple',
    difficulty: 'easy',
    category: 'Entertainment: Video Games',
    question: 'Who said &quot;Caf&eacute;&quot; &amp;amp; &#039;x&#039; at ?a=1&copy=2?',
    correct_answer: 'b &lt; c',
    incorrect_answers: ['10', '9'],
    ...change,
  });
  const file = (...results: object[]) => JSON.stringify({ response_code: 0, results });

  it('Open Trivia DB JSON is detected, its entities decoded once and its answers sorted', async () => {
    const [row] = questions(await rowsOf(file(result({}))));
    expect(row).toEqual({
      line: 1,
      path: 'results[0]',
      question: {
        text: 'Who said "Café" &amp; \'x\' at ?a=1&copy=2?',
        type: 'MULTIPLE_CHOICE',
        difficulty: 'EASY',
        answers: [
          { text: '9', isCorrect: false },
          { text: '10', isCorrect: false },
          { text: 'b < c', isCorrect: true },
        ],
      },
      quiz: { key: 'category:Entertainment: Video Games', category: 'Entertainment: Video Games' },
    });
  });

  it('Open Trivia DB JSON is read in its other three encodings', async () => {
    const values = (encode: (text: string) => string) =>
      result({
        question: encode('How? 1+1 Été!'),
        correct_answer: encode('yes'),
        incorrect_answers: [encode('no')],
        category: encode('A & B'),
        difficulty: encode('easy'),
      });
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const legacy = (text: string) => encodeURIComponent(text).replaceAll('%20', '+');
    for (const item of [
      { ...values(base64), type: base64('multiple') },
      values(encodeURIComponent),
      values(legacy),
    ])
      expect(questions(await rowsOf(file(item)))).toMatchObject([
        {
          question: { text: 'How? 1+1 Été!', difficulty: 'EASY' },
          quiz: { category: 'A & B' },
        },
      ]);
  });

  it('an invalid Open Trivia DB result, and a file without results, are reported', async () => {
    expect(
      await rowsOf(file(result({ question: 5 }), result({ incorrect_answers: ['b &lt; c'] }))),
    ).toEqual([
      { line: 1, path: 'results[0]', error: '"question" must be a string.' },
      {
        line: 1,
        path: 'results[1]',
        error: expect.stringContaining('Two of the answers are both'),
      },
    ]);
    expect(await rowsOf('{"response_code":5,"results":[]}')).toEqual([
      { line: 1, error: expect.stringContaining('response code 5') },
    ]);
  });
});

const question = (text: string) => ({ ...QUESTION, text });
const json = (value: unknown) => JSON.stringify(value, null, 1);
const withQuestions = (shape: string) =>
  shape.replaceAll(/Q(\d)/g, (_, number: string) => json(question(number)));
const textsOf = (rows: ImportRow[]) => questions(rows).map((row) => row.question.text);

test('a truncated JSON file returns its error and no row', async () => {
  const text = `{"questions": [\n${Array(1_000)
    .fill(JSON.stringify(question('Q')))
    .join(',\n')},\n{"te`;
  expect(await rowsOf(text)).toEqual([
    {
      line: 1_002,
      error: 'The file ends in the middle, in line 1002: it was cut off. Fetch it again.',
      fatal: true,
    },
  ]);
});

describe('the order of the members of a JSON quiz does not matter', () => {
  const members = [
    '"title": "T"',
    `"questions": [${json(question('A'))}, ${json(question('B'))}]`,
    '"difficulty": "HARD"',
    '"tags": ["x"]',
  ];
  const orders = members.flatMap((_, i) => {
    const turned = [...members.slice(i), ...members.slice(0, i)];
    return [turned, turned.toReversed()];
  });
  const about = { title: 'T', difficulty: 'HARD', tags: ['x'] };
  it.each(
    orders.map((order) => [order.map((member) => member.split(':', 1)[0]).join(), order.join(',')]),
  )('%s', async (_names, text) => {
    for (const file of [`{${text}}`, `[{${text}}]`, `{"success": true, "data": {${text}}}`]) {
      const rows = questions(await rowsOf(file));
      expect(rows.map((row) => [row.question.text, row.quiz])).toEqual([
        ['A', { key: expect.any(String), ...about }],
        ['B', { key: expect.any(String), ...about }],
      ]);
    }
  });
});

it.each([
  ['the last of two lists', '{"questions": [Q1], "questions": [Q2, Q3]}', ['2', '3'], 'questions'],
  [
    'quizzes before questions',
    '{"questions": [Q1], "quizzes": [{"questions": [Q2]}]}',
    ['2'],
    'questions',
  ],
  ['the last of two answers', '{"data": [Q1], "data": {"questions": [Q2]}}', ['2'], 'data'],
])(
  'of several lists in a JSON file %s is read, and a note names the others',
  async (_name, shape, texts, unread) => {
    const [note, ...rows] = await rowsOf(withQuestions(shape));
    expect(note).toEqual({
      line: 1,
      note: expect.stringContaining(`The list "${unread}" (1) is not read`),
    });
    expect(textsOf(rows)).toEqual(texts);
  },
);

it.each([
  ['a list whose name has an escape', '{"q\\u0075estions": [Q1]}', ['1']],
  [
    'an object with a member "__proto__"',
    '{"__proto__": {"questions": [Q1]}, "data": [Q2]}',
    ['2'],
  ],
  ['a list of quizzes and questions', '[Q1, {"questions": [Q2, Q3]}, Q1]', ['1', '2', '3', '1']],
  ['a list with an empty quiz', '{"data": {"quizzes": [{"questions": []}, Q1]}}', ['1']],
])('JSON: the questions of %s are read', async (_name, shape, texts) => {
  expect(textsOf(await rowsOf(withQuestions(shape)))).toEqual(texts);
});

test('each question of a JSON file has the line in which it begins', async () => {
  const text = `[\n{"title": "T",\n"questions": [\n{},\n{}]},\n{"questions": [{},\n\n{}]}]`;
  expect((await rowsOf(text)).map(({ line, path }) => [line, path])).toEqual([
    [4, '[0].questions[0]'],
    [5, '[0].questions[1]'],
    [6, '[1].questions[0]'],
    [8, '[1].questions[1]'],
  ]);
});

describe('the rows of a JSON file do not depend on how it is split into chunks', () => {
  const quiz = { title: 'É', questions: [question('Où?\n\\"{[]}'), question('数')], tags: ['ß'] };
  const results = [
    { type: 'multiple', question: 'É &amp;', correct_answer: 'a', incorrect_answers: ['b'] },
  ];
  it.each([
    ['a quiz', Buffer.from(json(quiz))],
    ['quizzes with a mark', Buffer.from(`\uFEFF${json([quiz, quiz])}`)],
    ['UTF-16', Buffer.from(`\uFEFF${json({ data: [quiz] })}`, 'utf16le')],
    [
      'Windows-1252 in one line',
      Buffer.from(JSON.stringify([question('É'), question('ß')]), 'latin1'),
    ],
    ['Open Trivia DB', Buffer.from(json({ response_code: 0, results }))],
    ['no JSON', Buffer.from(`[${json(quiz)},\n{"a": nul}]`)],
    ['cut off', Buffer.from(json(quiz).slice(0, -9))],
  ])('%s', async (_name, bytes) => {
    const whole = await rowsOf([bytes]);
    expect(whole.length).toBeGreaterThan(0);
    for (let at = 1; at < bytes.length; at += 1)
      expect(await rowsOf([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    expect(await rowsOf(pieces(bytes, 1))).toEqual(whole);
  });
});

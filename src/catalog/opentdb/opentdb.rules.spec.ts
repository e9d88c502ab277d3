import { encoded, openTdbQuestion, type QuestionsRequest, questionsRequest } from './opentdb.rules';

const SENTENCE = "Don't forget that π = 3.14 & doesn't equal 3.";

test.each([
  // The examples of OpenTDB's documentation.
  ['html', 'Don&#039;t forget that &pi; = 3.14 &amp; doesn&#039;t equal 3.'],
  ['urlLegacy', 'Don%27t+forget+that+%CF%80+%3D+3.14+%26+doesn%27t+equal+3.'],
  ['url3986', 'Don%27t%20forget%20that%20%CF%80%20%3D%203.14%20%26%20doesn%27t%20equal%203.'],
  ['base64', 'RG9uJ3QgZm9yZ2V0IHRoYXQgz4AgPSAzLjE0ICYgZG9lc24ndCBlcXVhbCAzLg=='],
] as const)('the encoding %s writes the sentence of the documentation as it does', (name, text) => {
  const question = openTdbQuestion(
    {
      text: SENTENCE,
      type: 'MULTIPLE_CHOICE',
      difficulty: 'EXPERT',
      answers: [
        { text: SENTENCE, isCorrect: false },
        { text: SENTENCE, isCorrect: true },
      ],
    },
    SENTENCE,
  );
  const {
    question: written,
    category,
    correct_answer,
    incorrect_answers,
  } = encoded(question, name);
  expect([written, category, correct_answer, incorrect_answers]).toEqual([
    text,
    text,
    text,
    [text],
  ]);
});

test('named entities are those of HTML 4.01, and other characters stay', () => {
  const write = (text: string) =>
    encoded(
      openTdbQuestion({ text, type: 'TRUE_FALSE', difficulty: 'EASY', answers: [] }, ''),
      'html',
    ).question;
  expect(write('<b>"Ünï" – 東京 ½ €5 ♥ Ž ⅓ ΑΩςφ</b>')).toBe(
    '&lt;b&gt;&quot;&Uuml;n&iuml;&quot; &ndash; 東京 &frac12; &euro;5 &hearts; Ž ⅓ &Alpha;&Omega;&sigmaf;&phi;&lt;/b&gt;',
  );
});

test('urlLegacy and url3986 differ in the space and the tilde', () => {
  const question = openTdbQuestion(
    { text: "~ (a) *b! c-d_e.f'", type: 'TRUE_FALSE', difficulty: 'EASY', answers: [] },
    '',
  );
  expect(encoded(question, 'urlLegacy').question).toBe('%7E+%28a%29+%2Ab%21+c-d_e.f%27');
  expect(encoded(question, 'url3986').question).toBe('~%20%28a%29%20%2Ab%21%20c-d_e.f%27');
});

test('a true or false question has the answers True and False, and an expert one is hard', () => {
  const question = openTdbQuestion(
    {
      text: 'Is it?',
      type: 'TRUE_FALSE',
      difficulty: 'EXPERT',
      answers: [
        { text: 'true', isCorrect: false },
        { text: 'FALSE', isCorrect: true },
      ],
    },
    'Art',
  );
  expect(question).toEqual({
    type: 'boolean',
    difficulty: 'hard',
    category: 'Art',
    question: 'Is it?',
    correct_answer: 'False',
    incorrect_answers: ['True'],
  });
});

test.each<[Record<string, string | string[]>, Partial<QuestionsRequest> | null]>([
  [{ amount: '10' }, { amount: 10 }],
  [{ amount: '51' }, { amount: 50 }],
  [{ amount: ['1', '7'] }, { amount: 7 }],
  [
    { amount: '1', category: '9', type: 'boolean', difficulty: 'hard', token: 'x' },
    { amount: 1, category: 9, type: 'boolean', difficulty: 'hard', token: 'x' },
  ],
  [{ amount: '1', category: '', difficulty: '', type: '', token: '' }, { amount: 1 }],
  [{ amount: '1', category: '0' }, { amount: 1 }],
  [
    { amount: '1', encode: 'base64' },
    { amount: 1, encode: 'base64' },
  ],
  [{}, null],
  [{ amount: 'Five' }, null],
  [{ amount: '0' }, null],
  [{ amount: '-1' }, null],
  [{ amount: '1.5' }, null],
  [{ amount: '1', category: 'art' }, null],
  [{ amount: '1', difficulty: 'expert' }, null],
  [{ amount: '1', difficulty: 'toString' }, null],
  [{ amount: '1', type: 'text' }, null],
  [{ amount: '1', encode: 'url1738' }, null],
])('the parameters %j are read as %j', (query, expected) => {
  const request = questionsRequest(query);
  if (expected === null) expect(request).toBeNull();
  else expect(request).toEqual({ encode: 'html', ...expected });
});

import request from 'supertest';
import { TaxonomyService } from '../../src/authoring/taxonomy/taxonomy.service';
import { LIMITS } from '../../src/platform/limits/limits';
import { makeQuiz } from '../support/content';
import { png } from '../support/pictures';
import { type Service, startService, type TestAccount } from '../support/service';

/** OpenTDB's endpoints: https://opentdb.com/api_config.php is what they are compared with. */

const HOUR = 3_600_000;

let service: Service;
let admin: TestAccount;
let categories: Record<string, number>;

type Result = {
  type: string;
  difficulty: string;
  category: string;
  question: string;
  correct_answer: string;
  incorrect_answers: string[];
};

const call = async (path: string, parameters: Record<string, string | number> = {}) => {
  const { status, body, headers } = await request(service.url)
    .get(`/opentdb/${path}`)
    .query(parameters);
  return { status, body: body as Record<string, unknown>, headers };
};
const ask = async (parameters: Record<string, string | number>) => {
  const { status, body } = await call('api.php', parameters);
  expect(status).toBe(200);
  return body as { response_code: number; results: Result[] };
};
const questionsOf = ({ results }: { results: Result[] }) => results.map((it) => it.question);
const listCategories = async () =>
  (await call('api_category.php')).body.trivia_categories as { id: number; name: string }[];
const newToken = async () =>
  (await call('api_token.php', { command: 'request' })).body.token as string;

const multiple = (text: string, difficulty = 'EASY', correct = 1) => ({
  text,
  type: 'MULTIPLE_CHOICE',
  difficulty,
  answers: ['A & B', 'C', 'D', 'E'].map((answer, index) => ({
    text: answer,
    isCorrect: index < correct,
  })),
});
const boolean = (text: string, answer: boolean) => ({
  text,
  type: 'TRUE_FALSE',
  difficulty: 'MEDIUM',
  answers: [
    { text: 'true', isCorrect: answer },
    { text: 'false', isCorrect: !answer },
  ],
});
const open = (text: string) => ({
  text,
  type: 'OPEN_ENDED',
  difficulty: 'EASY',
  answers: [
    { text: 'a', isCorrect: true },
    { text: 'b', isCorrect: true },
  ],
});

beforeAll(async () => {
  service = await startService();
  admin = await service.account('free', { isAdmin: true });
  const taxonomy = service.app.get(TaxonomyService);
  const topic = await taxonomy.saveTopic(admin, null, { name: 'Knowledge', icon: null });
  for (const name of ['Rivers & Lakes', 'History'])
    await taxonomy.saveCategory(admin, null, { name, topicId: topic.id });
  const upload = admin.post('/media').set('Content-Type', 'image/png');
  const picture = await upload.send(png() as object).expect(201);
  await makeQuiz(admin, { published: true, category: 'History' }, [
    ...Array.from({ length: 20 }, (_, index) => multiple(`History ${index}`)),
    ...Array.from({ length: 10 }, (_, index) => multiple(`Hard history ${index}`, 'EXPERT')),
    multiple('History with two', 'EASY', 2),
    open('History, typed'),
    { ...multiple('History in **Markdown**'), format: 'markdown' },
    { ...boolean(`A ![map](media:${picture.body.data.id})`, true), format: 'markdown' },
  ]);
  await makeQuiz(admin, { published: true, category: 'Rivers & Lakes' }, [
    boolean('Is “Ö” a river?', true),
    boolean('Is a lake a river?', false),
  ]);
  await makeQuiz(admin, { published: true, category: 'Pub quiz' }, [multiple('From a pub')]);
  await makeQuiz(admin, { published: true, category: undefined }, [multiple('From nowhere')]);
  await makeQuiz(await service.account(), { published: true, category: 'History' }, [
    multiple('Not reviewed'),
  ]);
  await makeQuiz(admin, { published: false, category: 'History' }, [multiple('A draft')]);
  service.clock.advance(60_000);
  categories = Object.fromEntries((await listCategories()).map(({ id, name }) => [name, id]));
});
afterAll(() => service.close());

test('categories have OpenTDB’s numbers where it has them, and keep their numbers when they are renamed', async () => {
  const before = await listCategories();
  expect(categories).toEqual({
    'General Knowledge': 9,
    History: 23,
    'Rivers & Lakes': expect.any(Number) as number,
  });
  expect(categories['Rivers & Lakes']).toBeGreaterThanOrEqual(33);
  const taxonomy = service.app.get(TaxonomyService);
  const [{ id, topicId }] = await service.database.query<[{ id: string; topicId: string }]>(
    `SELECT id, topic_id AS "topicId" FROM categories WHERE name = 'Rivers & Lakes'`,
  );
  await taxonomy.saveCategory(admin, id, { name: 'Waters', topicId });
  const other = await taxonomy.saveCategory(admin, null, { name: 'Rivers & Lakes', topicId });
  service.clock.advance(10_000);
  const renamed = await listCategories();
  expect(renamed).toContainEqual({ id: categories['Rivers & Lakes'], name: 'Waters' });
  expect(renamed.find(({ name }) => name === 'Rivers & Lakes')?.id).toBeGreaterThan(
    categories['Rivers & Lakes']!,
  );
  await taxonomy.deleteCategory(admin, other.id);
  await taxonomy.saveCategory(admin, id, { name: 'Rivers & Lakes', topicId });
  service.clock.advance(10_000);
  expect(await listCategories()).toEqual(before);
});

test('a question has OpenTDB’s fields, encoded in each of its four encodings', async () => {
  const lakes = { amount: 2, category: categories['Rivers & Lakes']! };
  const { response_code, results } = await ask(lakes);
  expect(response_code).toBe(0);
  expect(results.find(({ correct_answer }) => correct_answer === 'True')).toEqual({
    type: 'boolean',
    difficulty: 'medium',
    category: 'Rivers &amp; Lakes',
    question: 'Is &ldquo;&Ouml;&rdquo; a river?',
    correct_answer: 'True',
    incorrect_answers: ['False'],
  });
  const encodings: [encode: string, category: string, decode: (text: string) => string][] = [
    ['base64', 'Uml2ZXJzICYgTGFrZXM=', (text) => Buffer.from(text, 'base64').toString()],
    ['url3986', 'Rivers%20%26%20Lakes', decodeURIComponent],
    ['urlLegacy', 'Rivers+%26+Lakes', decodeURIComponent],
  ];
  for (const [encode, category, decode] of encodings) {
    const [first] = (await ask({ ...lakes, encode })).results;
    expect(first!.category).toBe(category);
    expect(decode(first!.type)).toBe('boolean');
    expect(first!.incorrect_answers.map(decode)[0]).toMatch(/^(True|False)$/);
  }
});

test('only public questions with one correct answer are given, by category, difficulty and type', async () => {
  const all = questionsOf(await ask({ amount: 34 }));
  expect(new Set(all).size).toBe(34);
  expect(await ask({ amount: 35 })).toEqual({ response_code: 1, results: [] });
  const absent = /Not reviewed|A draft|with two|typed|Markdown|map/;
  expect(all.filter((question) => absent.test(question))).toEqual([]);
  const hard = await ask({ amount: 10, category: 23, difficulty: 'hard' });
  expect(new Set(hard.results.map(({ difficulty }) => difficulty))).toEqual(new Set(['hard']));
  expect((await ask({ amount: 11, difficulty: 'hard' })).response_code).toBe(1);
  expect((await ask({ amount: 3, type: 'boolean' })).response_code).toBe(1);
  // What is in no category of the taxonomy is general knowledge.
  const general = await ask({ amount: 2, category: 9 });
  expect(new Set(questionsOf(general))).toEqual(new Set(['From a pub', 'From nowhere']));
  expect(new Set(general.results.map(({ category }) => category))).toEqual(
    new Set(['General Knowledge']),
  );
  expect((await ask({ amount: 1, category: 32 })).response_code).toBe(1);
});

test('counts are exact, in all and by category and difficulty', async () => {
  expect((await call('api_count.php', { category: 23 })).body).toEqual({
    category_id: 23,
    category_question_count: {
      total_question_count: 30,
      total_easy_question_count: 20,
      total_medium_question_count: 0,
      total_hard_question_count: 10,
    },
  });
  const of = (total: number) => ({
    total_num_of_questions: total,
    total_num_of_pending_questions: 0,
    total_num_of_verified_questions: total,
    total_num_of_rejected_questions: 0,
  });
  expect((await call('api_count_global.php')).body).toEqual({
    overall: of(34),
    categories: { 9: of(2), 23: of(30), [categories['Rivers & Lakes']!]: of(2) },
  });
  expect((await call('api_count.php', { category: 'art' })).body).toEqual({ response_code: 2 });
});

test.each([
  {},
  { amount: 'Five' },
  { amount: 0 },
  { amount: 1, category: 'art' },
  { amount: 1, difficulty: 'EASY' },
  { amount: 1, type: 'text' },
  { amount: 1, encode: 'rot13' },
  { amount: 1, token: 'x', encode: 'rot13' },
])('the invalid parameters %j are code 2 with status 200', async (parameters) => {
  expect(await ask(parameters as Record<string, string>)).toEqual({
    response_code: 2,
    results: [],
  });
});

test('a token gives each question once under concurrent requests with any filters, then code 4 until it is reset', async () => {
  const token = await newToken();
  expect(token).toMatch(/^[\da-f]{64}$/);
  const drawn = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      ask({ amount: 3, token, ...(index % 3 === 0 && { category: 23 }) }),
    ),
  );
  const given = drawn.flatMap(questionsOf);
  expect(drawn.map(({ response_code }) => response_code).sort()).toEqual([
    ...Array.from({ length: 11 }, () => 0),
    4,
  ]);
  expect(given).toHaveLength(33);
  const [last] = questionsOf(await ask({ amount: 1, token }));
  expect(new Set([...given, last]).size).toBe(34);
  expect(await ask({ amount: 1, token })).toEqual({ response_code: 4, results: [] });
  // The database never has as many, whatever the token was given.
  expect((await ask({ amount: 35, token })).response_code).toBe(1);
  const reset = await call('api_token.php', { command: 'reset', token });
  expect(reset.body).toEqual({ response_code: 0, token });
  expect((await ask({ amount: 34, token })).response_code).toBe(0);
});

test('a question that is added, changed or deleted meanwhile neither repeats another nor is missing', async () => {
  const token = await newToken();
  const waters = { category: categories['Rivers & Lakes']!, token };
  const [first] = questionsOf(await ask({ amount: 1, ...waters }));
  const quiz = await makeQuiz(admin, { published: true, category: 'Rivers & Lakes' }, [
    boolean('A new one', true),
    boolean('Another new one', true),
  ]);
  const change = ({ id }: { id: string }) =>
    admin.patch(`/questions/${id}`, { text: `Changed ${id}` }).expect(200);
  const [changed, other] = quiz.questions;
  await change(changed!);
  const rest = questionsOf(await ask({ amount: 3, ...waters }));
  expect(rest).toEqual(expect.arrayContaining([`Changed ${changed!.id}`, other!.text]));
  expect(new Set([first, ...rest]).size).toBe(4);
  await change(other!);
  expect((await ask({ amount: 1, ...waters })).response_code).toBe(4);
  await admin.delete(`/quizzes/${quiz.id}`).expect(204);
  expect((await ask({ amount: 1, ...waters })).response_code).toBe(4);
});

test('an unknown token is code 3, and so is one that was not used for six hours', async () => {
  const notFound = { response_code: 3, results: [] };
  expect(await ask({ amount: 1, token: 'f'.repeat(64) })).toEqual(notFound);
  expect(await ask({ amount: 1, token: '\u0007; DROP' })).toEqual(notFound);
  const token = await newToken();
  service.clock.advance(5 * HOUR);
  expect((await ask({ amount: 1, token })).response_code).toBe(0);
  service.clock.advance(5 * HOUR);
  expect((await ask({ amount: 1, token })).response_code).toBe(0);
  service.clock.advance(6 * HOUR);
  expect(await ask({ amount: 1, token })).toEqual(notFound);
  const reset = await call('api_token.php', { command: 'reset', token });
  expect([reset.status, reset.body.response_code]).toEqual([200, 3]);
  expect((await call('api_token.php', { command: 'delete' })).body.response_code).toBe(2);
});

test('a token that was given as many questions as it can note is empty until its reset', async () => {
  const token = await newToken();
  await service.database.query('UPDATE attempt_limits SET attempts = $1 WHERE given IS NOT NULL', [
    LIMITS.requests.questionsPerToken.value,
  ]);
  expect((await ask({ amount: 1, token })).response_code).toBe(4);
  await call('api_token.php', { command: 'reset', token });
  expect((await ask({ amount: 1, token })).response_code).toBe(0);
});

test('an address gets 1,000 tokens in six hours', async () => {
  await newToken();
  await service.database.query(
    `UPDATE attempt_limits SET attempts = 999 WHERE key LIKE 'questionTokenByAddress %'`,
  );
  expect((await call('api_token.php', { command: 'request' })).status).toBe(200);
  const { status, body, headers } = await call('api_token.php', { command: 'request' });
  expect([status, body]).toEqual([429, { response_code: 5, results: [] }]);
  // As long as the first token has been there, which is seconds.
  expect(Number(headers['retry-after'])).toBeGreaterThan(5.9 * 3_600);
  service.clock.advance(6 * HOUR);
  expect((await call('api_token.php', { command: 'request' })).status).toBe(200);
});

test('any web page may ask, and the rate limit is that of the API, in OpenTDB’s words', async () => {
  const limited = await startService({ RATE_LIMIT_PER_MINUTE: '3' });
  try {
    const get = (path: string) =>
      request(limited.url).get(path).set('Origin', 'https://game.example');
    const first = await get('/opentdb/api_category.php');
    expect(first.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'ratelimit-remaining': '2',
      'cache-control': 'no-store',
    });
    await get('/api/v1/metadata');
    expect((await get('/opentdb/nothing.php')).status).toBe(404);
    const refused = await get('/opentdb/api.php?amount=1').set('Accept', 'text/html');
    expect([refused.status, refused.body]).toEqual([429, { response_code: 5, results: [] }]);
    expect(refused.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'retry-after': expect.stringMatching(/^\d+$/) as string,
      'x-error-code': 'rate-limit-exceeded',
    });
  } finally {
    await limited.close();
  }
});

test('with OPENTDB=off there is nothing at these URLs', async () => {
  const off = await startService({ OPENTDB: 'off' });
  try {
    for (const path of ['api.php?amount=1', 'api_category.php', 'api_token.php?command=request'])
      expect((await request(off.url).get(`/opentdb/${path}`)).status).toBe(404);
  } finally {
    await off.close();
  }
});

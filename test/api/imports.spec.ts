import { Readable } from 'node:stream';
import type { INestApplicationContext } from '@nestjs/common';
import { ReviewService } from '../../src/authoring/review/review.service';
import { EXPORT_NAMES, exportOf } from '../../src/import-export/formats/formats';
import { ImportRunnerService } from '../../src/import-export/imports/running/import-runner.service';
import { ImportWriteService } from '../../src/import-export/imports/running/import-write.service';
import { eventually } from '../support/clock';
import { makeQuiz } from '../support/content';
import { expectEnvelope } from '../support/envelope';
import { RawConnection } from '../support/raw-http';
import { asBytes } from '../support/rows';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { pauseImports, startWorkerBeside } from '../support/worker-beside';
import { createQuiz } from '../support/writing';

/** POST /imports, its resource, and GET /quizzes/{id}/export: with a worker beside the API. */

let service: Service;
let worker: INestApplicationContext;
let pro: TestAccount;
beforeAll(async () => {
  service = await startService();
  worker = await startWorkerBeside(service);
  pro = await service.account('pro');
});
afterAll(async () => {
  await worker.close();
  await service.close();
});

const CSV = [
  'question,correct_answer,wrong_answer_1,category',
  'Which river flows through Vienna?,Danube,Rhine,Rivers',
  'Which river flows through Cologne?,Rhine,Danube,Rivers',
  'Which river flows through Cologne?,Rhine,Danube,Rivers',
  'Which is blue?,,Sky,Colours',
  'What colour has the sky on a clear day?,Blue,Red,Colours',
  'What colour has the sky on clear days?,Blue,Red,Colours',
].join('\n');

function upload(account: TestAccount, query: string, file: string | Buffer, type = 'text/csv') {
  return account.post(`/imports?${query}`).set('Content-Type', type).send(file);
}

interface ImportBody {
  id: string;
  state: string;
  progress: number;
  error: string | null;
  format: string;
  totals: Record<string, number>;
  groups: object[];
  quizzes: { id: string; title: string; slug: string; questions: number; deleted: boolean }[];
  report: { kind: string; line: number; path: string | null; message: string }[];
}

async function ended(
  account: TestAccount,
  id: string,
  { database } = service,
): Promise<ImportBody> {
  // Its resource takes nine queries.
  await eventually(async () => {
    const [row] = await database.query<[{ state: string }]>(
      `SELECT state FROM imports WHERE id = $1`,
      [id],
    );
    expect(['receiving', 'waiting', 'running']).not.toContain(row.state);
  }, 20_000);
  return (await account.get(`/imports/${id}?limit=50`).expect(200)).body.data as ImportBody;
}

/** The worker of the file takes no import meanwhile. */
async function withoutWorker<T>(work: () => Promise<T>): Promise<T> {
  const resume = await pauseImports(worker);
  try {
    return await work();
  } finally {
    await resume();
  }
}

const quizzesOf = async (account: TestAccount) =>
  service.database.query<{ title: string; question_count: number; published: boolean }[]>(
    `SELECT title, question_count, published FROM quizzes WHERE owner_id = $1 ORDER BY title`,
    [account.accountId],
  );

test('a file is imported into quizzes by category, with a report of every changed or skipped row', async () => {
  const account = await service.account('starter');
  const response = await upload(account, 'filename=mine.csv&source=Mine&licence=CC0', CSV).expect(
    202,
  );
  const { id } = response.body.data;
  expect(response.headers.location).toBe(`/api/v1/imports/${id}`);
  const done = await ended(account, id);
  expect(done).toMatchObject({
    state: 'completed',
    progress: 100,
    error: null,
    format: 'csv',
    totals: {
      rows: 6,
      importable: 4,
      imported: 4,
      quizzes: 2,
      duplicates: 1,
      errors: 1,
      notes: 0,
    },
    groups: [
      { title: null, category: 'Rivers', rows: 2, imported: 2 },
      { title: null, category: 'Colours', rows: 2, imported: 2 },
    ],
    quizzes: [
      { title: 'Rivers', slug: 'rivers', questions: 2, deleted: false },
      { title: 'Colours', slug: 'colours', questions: 2, deleted: false },
    ],
  });
  expect(done.report.map(({ kind, line }) => [kind, line])).toEqual([
    ['error', 5],
    ['duplicate', 4],
  ]);
  expect(await quizzesOf(account)).toEqual([
    { title: 'Colours', question_count: 2, published: false },
    { title: 'Rivers', question_count: 2, published: false },
  ]);

  const again = (await upload(account, 'filename=mine.csv', CSV).expect(202)).body.data;
  expect((await ended(account, again.id)).totals).toMatchObject({ imported: 0, duplicates: 5 });
});

test("a file's name becomes the title of its quizzes but not a category", async () => {
  const account = await service.account('pro');
  const file = (text: string) => `${text} {=yes ~no}\n`;
  // Neither is a part of the file: an import that comes after them takes the number 2.
  for (const title of ['Examples Of Mine (copy)', 'Examples Of Mine (2024 to 2026)'])
    await makeQuiz(account, { title, published: false });
  for (const text of ['First?', 'Another one?']) {
    const { body } = await upload(
      account,
      'filename=examples_of-mine.gift.txt&published=true',
      file(text),
      'text/plain',
    ).expect(202);
    expect(await ended(account, body.data.id)).toMatchObject({
      state: 'completed',
      groups: [{ title: null, category: null, rows: 1 }],
    });
  }
  const { data } = (await account.get('/quizzes?mine=true&sort=title')).body;
  expect(
    data.map((quiz: { title: string; category: unknown }) => [quiz.title, quiz.category]),
  ).toEqual([
    ['Examples Of Mine', ''],
    ['Examples Of Mine (2)', ''],
    ['Examples Of Mine (2024 to 2026)', 'Geography'],
    ['Examples Of Mine (copy)', 'Geography'],
  ]);
});

test('the report of an import is paged and filtered by kind', async () => {
  const account = await service.account('starter');
  const { id } = (await upload(account, 'dry_run=true', CSV).expect(202)).body.data;
  await ended(account, id);
  const page = async (query: string) => {
    const { body } = await account.get(`/imports/${id}?${query}`).expect(200);
    const { data, meta } = body as { data: ImportBody; meta: { total: number } };
    return [meta.total, data.report.map(({ kind }) => kind)];
  };
  expect(await page('')).toEqual([2, ['error', 'duplicate']]);
  expect(await page('limit=1&offset=1')).toEqual([2, ['duplicate']]);
  for (const kind of ['error', 'duplicate'])
    expect(await page(`kind=${kind}`)).toEqual([1, [kind]]);
  expect(await page('kind=note')).toEqual([0, []]);
  expectEnvelope((await account.get(`/imports/${id}?kind=errors`).expect(400)).body);
});

test('many notes do not displace errors from the report of an import', async () => {
  const account = await service.account('pro');
  const listed = async (format: string, rows: string[]) => {
    const query = `dry_run=true&format=${format}`;
    const { id } = (await upload(account, query, rows.join('\n')).expect(202)).body.data;
    const { totals } = await ended(account, id);
    const total = async (kind: string) =>
      (await account.get(`/imports/${id}?kind=${kind}`).expect(200)).body.meta.total;
    return { ...totals, listed: [await total('note'), await total('error')] };
  };
  const titled = [...Array(1_050).keys()].map((i) => `::Title:: Question ${i}? {=yes ~no}\n`);
  expect(await listed('gift', [...titled, 'Write an essay. {}'])).toMatchObject({
    rows: 1_051,
    notes: 1_050,
    errors: 1,
    listed: [1_000, 1],
  });
  const invalid = [...Array(1_050).keys()].map(() => 'Which is best?,A,A,,');
  expect(await listed('csv', ['question,answer_1,answer_2,correct,x', ...invalid])).toMatchObject({
    rows: 1_050,
    notes: 1,
    errors: 1_050,
    listed: [1, 1_000],
  });
});

test('the report of an import is limited in bytes', async () => {
  const account = await service.account('pro');
  const name = 'é'.repeat(190);
  const rows = [...Array(900).keys()].map(() => 'Which is best?,A,A,');
  const file = ['question,answer_1,answer_2,correct', ...rows].join('\n');
  const query = `dry_run=true&filename=${encodeURIComponent(name)}`;
  const { id } = (await upload(account, query, file).expect(202)).body.data;
  expect((await ended(account, id)).totals).toMatchObject({ rows: 900, errors: 900 });
  const [{ bytes, count }] = await service.database.query<[{ bytes: number; count: number }]>(
    `SELECT sum(octet_length(file || coalesce(path, '') || message))::int AS bytes, count(*)::int AS count
     FROM import_report_entries WHERE import_id = $1`,
    [id],
  );
  expect(bytes).toBeLessThanOrEqual(128 * 1024);
  expect(count).toBeGreaterThan(100);
});

test('an import lists every quiz that it created in pages, deleted ones included', async () => {
  const account = await service.account('pro');
  const rows = [...Array(120).keys()].map((i) => `Number ${i * 7919}?,yes ${i},no ${i},Sums`);
  const file = ['question,correct_answer,wrong_answer_1,category', ...rows].join('\n');
  const { id } = (await upload(account, '', file).expect(202)).body.data;
  const { quizzes } = await ended(account, id);
  expect(quizzes).toMatchObject([
    { title: 'Sums (1)', questions: 50 },
    { title: 'Sums (2)', questions: 50 },
    { title: 'Sums (3)', questions: 20 },
  ]);
  expect((await account.get(`/imports/${id}/quizzes?limit=2&offset=1`).expect(200)).body).toEqual({
    success: true,
    data: quizzes.slice(1),
    meta: { total: 3, limit: 2, offset: 1 },
  });
  for (const { id: quizId, slug, title, questions } of quizzes)
    expect((await account.get(`/quizzes/${quizId}`).expect(200)).body.data).toMatchObject({
      slug,
      title,
      questionCount: questions,
    });
  const [first] = quizzes;
  await service.database.query(`DELETE FROM quizzes WHERE id = $1`, [first?.id]);
  expect((await account.get(`/imports/${id}/quizzes?limit=1`).expect(200)).body.data).toEqual([
    { ...first, deleted: true },
  ]);
  const neighbour = await service.account('pro');
  await neighbour.get(`/imports/${id}/quizzes`).expect(404);
  await neighbour.get('/imports/nope/quizzes').expect(404);
});

test('a duplicate row names the quiz that has the question already', async () => {
  const account = await service.account('starter');
  await ended(account, (await upload(account, 'format=csv', CSV).expect(202)).body.data.id);
  const again = (await upload(account, 'format=csv', CSV).expect(202)).body.data;
  const first = (await ended(account, again.id)).report[1];
  expect(first).toMatchObject({ kind: 'duplicate', file: 'upload', line: 2 });
  expect(first?.message).toBe(
    'The account has this question already, with these answers, in the quiz "Rivers".',
  );
});

test('a row with invalid characters is reported and skips no other row', async () => {
  const account = await service.account('starter');
  const answers = [
    { text: 'a', isCorrect: true },
    { text: 'b', isCorrect: false },
  ];
  // A quotation is cut in the middle of the emoji.
  const spaces = `a${' '.repeat(298)}😀`;
  const rows = [
    { text: 'Good?', answers },
    { text: 'NUL?', type: '\0', answers },
    { text: 'Half a pair?', type: '\ud800', answers },
    { text: 'Alike?', answers: [spaces, spaces].map((text) => ({ text, isCorrect: true })) },
    { text: 'A name?', '\0\ud800': 1, answers },
  ];
  const json = JSON.stringify({ questions: rows });
  const { id } = (await upload(account, 'filename=x', json, 'application/json').expect(202)).body
    .data;
  const done = await ended(account, id);
  expect(done).toMatchObject({ state: 'completed', totals: { rows: 5, imported: 2, errors: 3 } });
  expect(done.report.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    expect.stringMatching(/^questions\[1\]: The type "\uFFFD" is unknown: /),
    expect.stringMatching(/^questions\[2\]: The type "\uFFFD" is unknown: /),
    expect.stringMatching(/^questions\[3\]: Two of the answers are both "a \uFFFD"/),
    expect.stringMatching(
      /^questions\[4\]: Unsupported fields of the question are ignored: "\uFFFD\uFFFD"/,
    ),
  ]);
});

test('a dry run reports the same and changes nothing', async () => {
  const account = await service.account('starter');
  const { id } = (await upload(account, 'dry_run=true', CSV).expect(202)).body.data;
  expect(await ended(account, id)).toMatchObject({
    state: 'completed',
    totals: { importable: 4, imported: 0, quizzes: 2, duplicates: 1, errors: 1 },
  });
  expect(await quizzesOf(account)).toEqual([]);
});

test('a key without the scope publish imports nothing into a live quiz, nor into one that goes live meanwhile, and undoes nothing of it', async () => {
  const member = await service.account('pro');
  const writer = await service.keyOf(member, { scopes: ['read', 'write'] });
  const quiz = await makeQuiz(member, {}, questionBodies(2));
  const review = service.app.get(ReviewService);
  const into = () => upload(writer, `quiz_id=${quiz.id}`, CSV);
  const { id } = (await into().expect(202)).body.data;
  expect((await ended(writer, id)).totals.imported).toBe(4);
  // Approved after the file was accepted, and before its questions are written.
  const late = await withoutWorker(async () => {
    const { body } = await upload(writer, `quiz_id=${quiz.id}`, 'question,answer\nLate?,Yes');
    await review.approve(quiz.id);
    return body.data as { id: string };
  });
  const stopped = await ended(writer, late.id);
  expect(stopped).toMatchObject({ state: 'stopped', totals: { imported: 0 } });
  expect(stopped.error).toMatch(/^This quiz is live.+ scope `publish`/);
  await into().expect(403, /scope `publish`/);
  await writer.delete(`/imports/${id}/quizzes`).expect(403, /scope `publish`/);
  const { body } = await member.get(`/quizzes/${quiz.id}`).expect(200);
  expect(body.data.questions).toHaveLength(6);
  await member.delete(`/imports/${id}/quizzes`).expect(200);
});

test('a key without the scope publish undoes nothing of an import if one of its quizzes is live', async () => {
  const member = await service.account('pro');
  const writer = await service.keyOf(member, { scopes: ['read', 'write'] });
  const { id } = (await upload(member, 'published=true', CSV).expect(202)).body.data;
  const { quizzes } = await ended(member, id);
  await service.app.get(ReviewService).approve(quizzes[1]?.id ?? '');
  await writer.delete(`/imports/${id}/quizzes`).expect(403, /scope `publish`/);
  expect(await quizzesOf(member)).toHaveLength(2);
});

test('undoing an import of more than 250 quizzes returns 202 with a link while some are left, then 200', async () => {
  // Without a quota of quizzes.
  const member = await service.account('pro', { isAdmin: true });
  const rows = [...Array(252).keys()].map((i) => `What is the number ${i}?,${i},x`);
  const file = ['question,correct_answer,wrong_answer_1', ...rows].join('\n');
  const id = await withoutWorker(async () => {
    const { body } = await upload(member, 'quiz_size=1', file).expect(202);
    await service.app.get(ImportRunnerService).run(body.data.id as string);
    return body.data.id as string;
  });
  expect((await ended(member, id)).totals.imported).toBe(252);
  const url = `/imports/${id}/quizzes`;
  const first = await member.delete(url).expect(202);
  expect(first.body.data).toEqual({ quizzes: 250, questions: 250, more: true });
  expect(first.headers.link).toBe(`</api/v1${url}>; rel="next"`);
  expect(await quizzesOf(member)).toHaveLength(2);
  const last = await member.delete(url).expect(200);
  expect(last.body.data).toEqual({ quizzes: 2, questions: 2, more: false });
  expect(last.headers.link).toBeUndefined();
  expect(await quizzesOf(member)).toEqual([]);
}, 90_000);

test('an import with quiz_id appends questions in the order of the file', async () => {
  const quizId = await createQuiz(pro);
  await pro.post(`/quizzes/${quizId}/questions/batch`, { questions: questionBodies(1) });
  const { id } = (await upload(pro, `quiz_id=${quizId}`, CSV).expect(202)).body.data;
  expect(await ended(pro, id)).toMatchObject({
    totals: { imported: 4, quizzes: 0 },
    quizzes: [{ id: quizId, questions: 4 }],
  });
  const { questions } = (await pro.get(`/quizzes/${quizId}`)).body.data;
  expect(
    questions.map(({ order, text }: { order: number; text: string }) => [order, text]),
  ).toEqual([
    [1, expect.any(String)],
    [2, 'Which river flows through Vienna?'],
    [3, 'Which river flows through Cologne?'],
    [4, 'What colour has the sky on a clear day?'],
    [5, 'What colour has the sky on clear days?'],
  ]);
});

test('a report keeps the places of rows whose names cannot be stored as they are', async () => {
  const file = JSON.stringify({ 'Riv\0ers \ud800': [{ question: 'Which?', answer: '' }] });
  const response = await upload(pro, 'format=json', file, 'application/octet-stream').expect(202);
  const done = await ended(pro, response.body.data.id);
  expect(done).toMatchObject({ state: 'completed', error: null, totals: { errors: 1 } });
  expect(done.report[0]?.path).toBe('Riv\uFFFDers \uFFFD[0]');
});

test('an import that does not fit into the plan is refused before it starts, and fits as one quiz with a title', async () => {
  const small = await startService({ QUIZ_QUOTA_STARTER: '1' });
  // The process of an import has the environment's settings.
  process.env.QUIZ_QUOTA_STARTER = '1';
  const beside = await startWorkerBeside(small);
  const account = await small.account('starter');
  try {
    const problem =
      'The file makes 2 quizzes, and your Starter plan has room for 1 of them. Append the file to one quiz or upgrade your plan.';
    const { id } = (await upload(account, '', CSV)).body.data;
    expect(await ended(account, id, small)).toMatchObject({
      state: 'failed',
      error: `${problem} Nothing was imported.`,
      totals: { imported: 0, quizzes: 0 },
    });
    const dry = (await upload(account, 'dry_run=true', CSV)).body.data;
    expect(await ended(account, dry.id, small)).toMatchObject({ state: 'completed', problem });
    const all = (await upload(account, 'title=Rivers&category=Maps&quiz_size=4', CSV)).body.data;
    expect(await ended(account, all.id, small)).toMatchObject({
      state: 'completed',
      quizzes: [{ title: 'Rivers', questions: 4 }],
    });
  } finally {
    delete process.env.QUIZ_QUOTA_STARTER;
    await beside.close();
    await small.close();
  }
});

test('a source above 500 characters is cut with a note, and its question is imported', async () => {
  const account = await service.account('pro');
  const csv = `question,correct_answer,wrong_answer_1,source,licence\nQ?,a,b,${'s'.repeat(501)},${'l'.repeat(500)}`;
  const { id } = (await upload(account, '', csv).expect(202)).body.data;
  const { quizzes, report } = await ended(account, id);
  expect(report.map(({ kind, line, message }) => [kind, line, message])).toEqual([
    ['note', 2, 'Only the first 500 characters of the source are kept.'],
  ]);
  const { body } = await account.get(`/quizzes/${quizzes[0]?.id}/export`).expect(200);
  expect(body.questions).toMatchObject([{ source: 's'.repeat(500), licence: 'l'.repeat(500) }]);
});

describe('an unreadable file imports nothing and reports where', () => {
  const LAUGHS = `<?xml version="1.0"?><!DOCTYPE quiz [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><quiz>&b;</quiz>`;
  test.each([
    ['a picture', 'text/csv', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), /:1: The file is a PNG/],
    ['of entities', 'application/xml', LAUGHS, /^upload:1: .*document type/],
    [
      'of two encodings',
      'text/csv',
      Buffer.concat([Buffer.from(`${CSV}\nÄ?,é,x,Y\n`), Buffer.from('\xc4?,\xe9,x,Y', 'latin1')]),
      /mixes encodings/,
    ],
    [
      'with a name of 50,000 letters',
      'application/xml',
      `<quiz><question ${`${'a'.repeat(50_000)}="" `.repeat(2)}/></quiz>`,
      /^upload:1: Line 1 is .{1,990}$/,
    ],
    ['of no format', 'text/plain', 'Dear diary', /format could not be recognised/],
  ])('%s', async (_, type, file, error) => {
    const account = await service.account('pro');
    const { id } = (await upload(account, '', file, type).expect(202)).body.data;
    const done = await ended(account, id);
    expect(done).toMatchObject({ state: 'failed', error: expect.stringMatching(error) });
    expect(done.report.filter(({ kind }) => kind === 'error').at(-1)?.message).toMatch(
      new RegExp(error.source.replace(/^\^upload:\d: |^:1: /, '')),
    );
    expect(await quizzesOf(account)).toEqual([]);
  });
});

describe('access to imports', () => {
  test('imports need a key and a plan that may write', async () => {
    await service.post('/imports').send('x').expect(401);
    const free = await service.account('free');
    for (const response of [await upload(free, '', CSV), await free.get('/imports')]) {
      expect(response.status).toBe(403);
      expectEnvelope(response.body);
    }
  });

  test('an upload with invalid parameters, as a form, empty or too large is refused', async () => {
    for (const query of ['format=xls', 'dry_run=yes', 'quiz_id=', 'difficulty=easy', 'published=1'])
      expectEnvelope((await upload(pro, query, CSV).expect(400)).body);
    expectEnvelope((await upload(pro, '', '').expect(400)).body);
    expectEnvelope(
      (await upload(pro, '', CSV, 'multipart/form-data; boundary=x').expect(400)).body,
    );
    const packed = upload(pro, '', CSV).set('Content-Encoding', 'gzip');
    expectEnvelope((await packed.expect(400)).body);
    const large = await upload(pro, '', Buffer.alloc(64 * 1_048_576 + 1, 'a'));
    expect(large.status).toBe(413);
    expectEnvelope(large.body);
    const { body } = await pro.get('/imports');
    expect(body.data.filter(({ state }: ImportBody) => state === 'receiving')).toEqual([]);
  });

  test.each([
    ['filename', 200],
    ['source', 500],
    ['licence', 500],
    ['columns', 5_000],
  ])('an upload with parameters that are too long is refused: %s', async (name, most) => {
    const { body } = await upload(pro, `${name}=${'a'.repeat(most + 1)}`, CSV).expect(400);
    expect(body.error).toContain(`${most} characters`);
  });

  test('a client that still sends when its upload is refused gets the reason, and the connection stays open', async () => {
    const half = Buffer.alloc(400_000, 'a');
    const connection = RawConnection.open(service.url).send(
      'POST /api/v1/imports?quiz_id=nope HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\n' +
        `Authorization: Bearer ${pro.key}\r\nContent-Length: ${2 * half.length}\r\n\r\n`,
    );
    await connection.sent(half);
    expect(await connection.answer()).toMatchObject({ status: 404 });
    await connection.sent(half);
    connection.send('GET /api/v1/metadata HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await connection.answer()).toMatchObject({ status: 200 });
    connection.close();
  });

  test("importing into another account's quiz gets 403", async () => {
    const quizId = await createQuiz(await service.account('pro'));
    await upload(pro, `quiz_id=${quizId}`, CSV).expect(403);
    await upload(pro, 'quiz_id=nope', CSV).expect(404);
  });

  test("another account's import gets 404", async () => {
    const { id } = (await upload(pro, 'dry_run=true', CSV)).body.data;
    const neighbour = await service.account('pro');
    for (const response of [
      await neighbour.get(`/imports/${id}`),
      await neighbour.post(`/imports/${id}/cancel`),
      await neighbour.get('/imports/nope'),
    ])
      expect([response.status, response.body.error]).toEqual([404, 'Import not found.']);
    expect((await neighbour.get('/imports').expect(200)).body.meta.total).toBe(0);
    await ended(pro, id);
    await pro.post(`/imports/${id}/cancel`).expect(409);
  });
});

test('a cancelled import stays cancelled and writes nothing', async () => {
  const account = await service.account('pro');
  const id = await withoutWorker(async () => {
    const { id } = (await upload(account, '', CSV).expect(202)).body.data;
    for (let times = 0; times < 2; times++) {
      const { body } = await account.post(`/imports/${id}/cancel`).expect(200);
      expect(body.data.state).toBe('cancelled');
    }
    return id as string;
  });
  // The worker that has run a later one has passed it over.
  const later = (await upload(account, 'dry_run=true', CSV).expect(202)).body.data;
  await ended(account, later.id);
  expect((await ended(account, id)).state).toBe('cancelled');
  expect(await quizzesOf(account)).toEqual([]);
});

test('the owner deletes a quiz of a running import: the rest of it is left out with errors, and the others are imported', async () => {
  const account = await service.account('pro');
  const row = (number: number) => `Question ${number}?,Yes,No,${number > 250 ? 'Lakes' : 'Rivers'}`;
  const rows = Array.from({ length: 260 }, (_, index) => row(index + 1));
  const file = ['question,correct_answer,wrong_answer_1,category', ...rows].join('\n');
  const id = await withoutWorker(async () => {
    const { body } = await upload(account, 'quiz_size=150', file).expect(202);
    const runner = service.app.get(ImportRunnerService);
    const job = (await runner.take(body.data.id as string))!;
    const bytes = {
      [Symbol.asyncIterator]: () => Readable.from([Buffer.from(file)])[Symbol.asyncIterator](),
    };
    await runner.check(job, [{ name: 'rivers.csv', bytes }]);
    expect(await service.app.get(ImportWriteService).writeChunk(job)).toBe(200);
    const [begun] = await service.database.query<[{ id: string }]>(
      `SELECT id FROM quizzes WHERE owner_id = $1 AND question_count = 50`,
      [account.accountId],
    );
    await account.delete(`/quizzes/${begun.id}`).expect(204);
    await runner.run(job.id);
    return job.id;
  });
  expect(await ended(account, id)).toMatchObject({
    state: 'completed',
    error: null,
    totals: { rows: 260, importable: 210, imported: 210, errors: 50, duplicates: 0 },
  });
  expect((await quizzesOf(account)).map((quiz) => [quiz.title, quiz.question_count])).toEqual([
    ['Lakes', 10],
    ['Rivers (1)', 150],
  ]);
});

test('an account keeps 100 imports: a further one deletes the oldest that has ended', async () => {
  const account = await service.account('pro');
  const old = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
  await service.database.query(
    `INSERT INTO imports (id, account_id, state, dry_run, file_name, options, stored, created_at)
     SELECT id::uuid, $1, CASE number WHEN 1 THEN 'waiting' ELSE 'completed' END, false, 'x.csv',
       '{"difficulty":"EASY","published":false}', true, now()
     FROM unnest($2::text[]) WITH ORDINALITY AS old (id, number)`,
    [account.accountId, Array.from({ length: 100 }, (_, at) => old(at + 1))],
  );
  await upload(account, '', CSV);
  expect((await account.get('/imports').expect(200)).body.meta.total).toBe(100);
  await account.get(`/imports/${old(1)}`).expect(200);
  await account.get(`/imports/${old(2)}`).expect(404);
  await account.get(`/imports/${old(3)}`).expect(200);
});

test.each([
  ['text/csv', JSON.stringify(CSV)],
  ['application/json', JSON.stringify(CSV)],
  ['application/octet-stream', `\ufeff ${JSON.stringify(CSV)}\n`],
  ['application/json', JSON.stringify(`${CSV}\n`.repeat(300))],
])(
  'a file that arrived as a JSON string (%s) fails with a sentence that says so',
  async (type, file) => {
    const account = await service.account('pro');
    const { state, error } = await ended(
      account,
      (await upload(account, '', file, type)).body.data.id,
    );
    expect([state, error]).toEqual([
      'failed',
      'upload:1: The file arrived as a JSON string: send its bytes.',
    ]);
  },
);

test('a CSV file whose first cells are quoted is no JSON string', async () => {
  const account = await service.account('pro');
  const quoted = CSV.replace('question,correct_answer', '"question","correct_answer"');
  const { state } = await ended(account, (await upload(account, '', quoted)).body.data.id);
  expect(state).toBe('completed');
});

test.each(['application/pdf', 'image/png', 'VIDEO/mp4; codecs=x', 'application/msword'])(
  'a file of type %s is refused at once with 415, and no import is stored',
  async (type) => {
    const account = await service.account('pro');
    const { body, headers } = await upload(account, '', '%PDF-1.7', type).expect(415);
    expect(body.error).toMatch(
      /^Files of this Content-Type cannot be imported\. Send questions as/,
    );
    expect(headers['x-error-code']).toBe('unsupported-media-type');
    expect((await account.get('/imports')).body.meta.total).toBe(0);
    // A file that cannot be read is not worth more than the permission to send it.
    const free = await service.account('free');
    await upload(free, '', '%PDF-1.7', type).expect(403);
  },
);

describe('exports', () => {
  test.each(EXPORT_NAMES)(
    'an export as %s imports as the same quiz, sources included',
    async (format) => {
      const { mediaType, ending, isZip } = exportOf(format);
      const owner = await service.account('pro');
      const quizId = await createQuiz(owner, { title: 'Rivers & lakes', tags: ['a'] });
      const from = `quiz_id=${quizId}&source=Atlas&licence=CC%20BY%204.0`;
      await ended(owner, (await upload(owner, from, CSV)).body.data.id);
      const file = await owner
        .get(`/quizzes/${quizId}/export?format=${format}`)
        .buffer(true)
        .parse(asBytes);
      expect(file.status).toBe(200);
      expect(file.headers['content-type']).toBe(isZip ? mediaType : `${mediaType}; charset=utf-8`);
      expect(file.headers['content-disposition']).toMatch(
        new RegExp(`^attachment; filename="rivers[\\w-]*\\${ending}"`),
      );
      const other = await service.account('pro');
      await ended(other, (await upload(other, '', file.body as Buffer, 'text/plain')).body.data.id);
      const [copy] = (await other.get('/quizzes?topic=rivers')).body.data;
      const again = await other
        .get(`/quizzes/${copy.id}/export?format=${format}`)
        .buffer(true)
        .parse(asBytes);
      expect((again.body as Buffer).equals(file.body as Buffer)).toBe(true);
      const { body } = await other.get(`/quizzes/${copy.id}/export`).expect(200);
      for (const { source, licence } of body.questions as { source: string; licence: string }[])
        expect([source, licence]).toEqual(['Atlas', 'CC BY 4.0']);
      expect(body.questions).toHaveLength(4);
      // The specified bodies know nothing of it.
      expect(JSON.stringify((await other.get(`/quizzes/${copy.id}`)).body)).not.toContain('Atlas');
    },
  );

  test('an export is refused in an unknown format or one that is only imported, and for an invisible quiz', async () => {
    const quizId = await createQuiz(pro);
    await pro.get(`/quizzes/${quizId}/export`).expect(200);
    for (const format of ['docx', 'aiken'])
      expectEnvelope(
        (await pro.get(`/quizzes/${quizId}/export?format=${format}`).expect(400)).body,
      );
    const free = await service.account('free');
    await free.get(`/quizzes/${quizId}/export`).expect(404);
    await service.get(`/quizzes/${quizId}/export`).expect(401);
  });
});

test('an exported question of OpenTriviaQA names its source, in JSON with success', async () => {
  const file = '#Q Which is a fish?\n^ Cod\nA Cod\nB Cow\n';
  const account = await service.account('pro');
  const first = await upload(account, 'filename=animals', file, 'text/plain');
  await ended(account, first.body.data.id);
  const [quiz] = (await account.get('/quizzes')).body.data;
  expect(quiz).toMatchObject({
    title: 'Animals',
    description: 'From OpenTriviaQA, CC BY-SA 4.0.',
    tags: ['opentriviaqa'],
  });
  const { body } = await account.get(`/quizzes/${quiz.id}/export`);
  expect(body.success).toBe(true);
  expect(body.questions[0]).toMatchObject({ source: 'OpenTriviaQA', licence: 'CC BY-SA 4.0' });
});

test('a file name of OpenTriviaQA is a category that it may not spell, and one of another format a title', async () => {
  const account = await service.account('pro');
  const files = {
    'religion-faith': '#Q Which is a book?\n^ Genesis\nA Genesis\nB Cow\n',
    'science-technology': '#Q Which is a fish?\n^ Cod\nA Cod\nB Cow\n',
    'science-technology.csv': 'question,correct,wrong1\nWhich is a bird?,Owl,Cow\n',
  };
  for (const [name, file] of Object.entries(files))
    await ended(
      account,
      (await upload(account, `filename=${name}`, file, 'text/plain').expect(202)).body.data.id,
    );
  const { data } = (await account.get('/quizzes?mine=true&sort=title')).body;
  expect(
    data.map((quiz: { title: string; category: unknown }) => [quiz.title, quiz.category]),
  ).toEqual([
    ['Religion & Faith', 'Religion & Faith'],
    ['Science & Technology', 'Science & Technology'],
    ['Science Technology', ''],
  ]);
});

test.each(['json', 'gift', 'moodle-xml'])(
  'a quiz in %s that would draw more questions than it has is imported with a note',
  async (format) => {
    const { body } = await pro
      .post('/quizzes', { title: 'Draws', difficulty: 'EASY', questionsPerAttempt: 3 })
      .expect(201);
    const { id } = body.data as { id: string };
    await pro.post(`/quizzes/${id}/questions/batch`, { questions: questionBodies(2) }).expect(201);
    const file = await pro.get(`/quizzes/${id}/export?format=${format}`).buffer(true).expect(200);
    const account = await service.account('pro');
    const sent = await upload(account, `format=${format}`, file.text, 'text/plain').expect(202);
    const done = await ended(account, sent.body.data.id);
    expect(done).toMatchObject({ state: 'completed', totals: { imported: 2, notes: 1 } });
    const { body: read } = await account.get(`/imports/${sent.body.data.id}`).expect(200);
    expect(JSON.stringify(read.data.report)).toContain(
      'questionsPerAttempt is 3, but 2 questions of this quiz can be imported: each attempt asks all it has.',
    );
  },
);

test.each(EXPORT_NAMES)(
  'a quiz exported as %s and imported keeps its rules of play and its language',
  async (format) => {
    const rules = {
      timeLimit: 45,
      maxAttempts: 2,
      questionsPerAttempt: 1,
      acceptTypos: true,
      language: 'pt-BR',
    };
    const { body } = await pro
      .post('/quizzes', { title: 'Exam', difficulty: 'EASY', ...rules })
      .expect(201);
    const { id } = body.data as { id: string };
    await pro.post(`/quizzes/${id}/questions/batch`, { questions: questionBodies(2) }).expect(201);
    const file = await pro
      .get(`/quizzes/${id}/export?format=${format}`)
      .buffer(true)
      .parse(asBytes)
      .expect(200);
    const account = await service.account('pro');
    const sent = await upload(account, '', file.body as Buffer, 'text/plain').expect(202);
    expect(await ended(account, sent.body.data.id)).toMatchObject({ totals: { imported: 2 } });
    const list = await account.get('/quizzes?mine=true').expect(200);
    expect(list.body.data).toMatchObject([{ title: 'Exam', ...rules }]);
  },
);

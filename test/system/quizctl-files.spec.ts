import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXPORT_NAMES } from '../../src/import-export/formats/formats';
import { png } from '../support/pictures';
import { quizctlIn } from '../support/quizctl';
import { quizBody } from '../support/samples';
import { type Service, startService } from '../support/service';

/** Files in and out by the operator's tool. */

const folder = mkdtempSync(join(tmpdir(), 'quizctl-files-'));
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const quizctl = (...args: string[]) =>
  quizctlIn({ DATABASE_URL: service.databaseUrl, DATA_DIR: folder }, ...args);

/** Texts that are not much alike. */
const md5 = (number: number) => createHash('md5').update(`${number}`).digest('hex');

const QUESTIONS = [
  {
    text: 'Which is =1+1,\nsaid "plainly"?',
    type: 'MULTIPLE_CHOICE',
    difficulty: 'HARD',
    explanation: 'Count; then {count}.',
    answers: [
      { text: '=2', isCorrect: true },
      { text: '~3', isCorrect: false },
      { text: '<two>', isCorrect: true },
    ],
  },
  {
    text: 'Snow is cold.',
    type: 'TRUE_FALSE',
    difficulty: 'EASY',
    answers: [
      { text: 'Wahr', isCorrect: true },
      { text: 'Falsch', isCorrect: false },
    ],
  },
];

test('a draft that quizctl exports in any format imports as an equal quiz of another account', async () => {
  const owner = await service.account('pro');
  const body = {
    ...quizBody(),
    title: 'Out & in',
    category: 'Sums',
    tags: ['a, b', 'c'],
    published: false,
  };
  const { id } = (await owner.post('/quizzes', body)).body.data;
  expect(
    (await owner.post(`/quizzes/${id}/questions/batch`, { questions: QUESTIONS })).status,
  ).toBe(201);

  const files: string[] = [];
  for (const format of EXPORT_NAMES) {
    const file = join(folder, `quiz.${format}`);
    const run = await quizctl('export', id, '--format', format, '--output', file, '--json');
    expect(run.json).toEqual({ quizId: id, format, questions: 2, file });
    files.push(file);
  }
  const printed = await quizctl('export', id, '--format', 'json');
  expect(printed.out).toBe(readFileSync(join(folder, 'quiz.json'), 'utf8'));

  const other = await service.account('pro', { email: 'other@example.com' });
  const run = await quizctl('import', ...files, '--account', 'other@example.com', '--json');
  expect(run.json).toMatchObject({
    imported: 2,
    quizzes: 1,
    quizList: [{ title: 'Out & in', questions: 2 }],
    duplicates: 2 * EXPORT_NAMES.length - 2,
    skipped: [],
    notes: [],
  });
  const mine = (await other.get('/quizzes?topic=out')).body.data.find(
    (quiz: { id: string }) => quiz.id !== id,
  );
  const detail = (await other.get(`/quizzes/${mine.id}`)).body.data;
  expect(detail).toMatchObject({
    title: 'Out & in',
    category: 'Sums',
    tags: ['a, b', 'c'],
    difficulty: body.difficulty,
  });
  expect(detail.questions).toMatchObject(QUESTIONS);
}, 120_000);

test('quizctl export writes everything of one account or of all as archives, which quizctl import reads', async () => {
  const owner = await service.account('pro', { email: 'leaving@example.com' });
  const { id } = (await owner.post('/quizzes', { ...quizBody(), title: 'Taken along' })).body.data;
  await owner.post(`/quizzes/${id}/questions/batch`, { questions: QUESTIONS }).expect(201);
  const everything = join(folder, 'everything');
  const all = await quizctl('export', '--all', '--output', everything, '--json');
  const written = all.json as { accountId: string; email: string; file: string }[];
  expect([all.code, all.err]).toEqual([0, '']);
  expect(
    readdirSync(everything)
      .map((name) => join(everything, name))
      .sort(),
  ).toEqual(written.map(({ file }) => file).sort());
  const { rows } = await service.database
    .query<{ rows: number }[]>(`SELECT count(*)::int AS rows FROM accounts`)
    .then(([first]) => first!);
  expect(written).toHaveLength(rows);
  const mine = written.find(({ email }) => email === 'leaving@example.com')!;
  expect(mine.accountId).toBe(owner.accountId);
  // Nobody else of the server may read them.
  expect(statSync(mine.file).mode & 0o077).toBe(0);
  const alone = join(folder, 'alone.zip');
  const one = await quizctl('export', '--account', 'leaving@example.com', '--output', alone);
  expect(one.out).toContain(`Wrote everything of leaving@example.com to ${alone}.`);
  expect(readFileSync(alone).equals(readFileSync(mine.file))).toBe(true);

  await service.account('pro', { email: 'arriving@example.com' });
  const run = await quizctl('import', alone, '--account', 'arriving@example.com', '--json');
  expect(run.json).toMatchObject({
    imported: 2,
    quizzes: 1,
    quizList: [{ title: 'Taken along', questions: 2 }],
    skipped: [],
    notes: [],
  });
  for (const wrong of [['--all'], ['--all', '--account', 'x', '--output', 'y'], ['--output', 'y']])
    expect((await quizctl('export', ...wrong)).code).not.toBe(0);
}, 120_000);

test('quizctl import takes a folder with the pictures beside its files', async () => {
  const { accountId } = await service.account('pro', { email: 'folder@example.com' });
  const rivers = join(folder, 'rivers');
  mkdirSync(join(rivers, 'maps'), { recursive: true });
  writeFileSync(join(rivers, 'maps/danube.png'), png());
  const table =
    'question,correct,wrong\nWhich river? ![A river](maps/danube.png),The Danube,The Rhine\n';
  writeFileSync(join(rivers, 'a.csv'), table);
  writeFileSync(join(rivers, 'b.gift'), 'Sky? {=blue ~red ![x](../secret.png)}');
  const run = await quizctl('import', rivers, '--account', 'folder@example.com', '--json');
  const { imported, quizList, skipped } = run.json;
  expect([run.code, imported, skipped]).toEqual([
    0,
    1,
    [
      {
        file: join(rivers, 'b.gift'),
        line: 1,
        path: 'question 1',
        reason:
          'The picture "../secret.png" is not in the folder: write its path from the folder of the question files.',
      },
    ],
  ]);
  const [row] = await service.database.query<{ text: string; format: string }[]>(
    'SELECT text, format FROM questions WHERE quiz_id = $1',
    [quizList[0].id],
  );
  const [medium] = await service.database.query<{ id: string }[]>(
    'SELECT id FROM media WHERE account_id = $1',
    [accountId],
  );
  expect(row).toEqual({
    format: 'markdown',
    text: `Which river? ![A river](media:${medium?.id})`,
  });
  const report = await quizctl('import', rivers, '--account', 'folder@example.com', '--dry-run');
  expect(report.out).toContain('Would import nothing from 2 files.');
});

test('quizctl import of a truncated file reports the line that is cut off, and imports those above', async () => {
  const file = join(folder, 'cut.csv');
  writeFileSync(file, 'question,a,b,correct\nOne?,x,y,x\nTwo?,"x,y,x\n');
  const owner = await service.account('pro', { email: 'cut@example.com' });
  const run = await quizctl('import', file, '--account', 'cut@example.com');
  expect(run).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${file}:3: error: A quotation mark is missing here`),
  });
  const [quiz] = (await owner.get('/quizzes?topic=cut')).body.data;
  expect((await owner.get(`/quizzes/${quiz.id}`)).body.data.questions).toMatchObject([
    { text: 'One?' },
  ]);
}, 60_000);

test('quizctl import reports unsupported content row by row', async () => {
  const file = join(folder, 'notes.gift');
  writeFileSync(file, '::Title:: One?{=x ~y}\n\nTwo?{=a -> b =c -> d}\n');
  await service.account('pro', { email: 'notes@example.com' });
  const run = await quizctl('import', file, '--account', 'notes@example.com', '--dry-run');
  expect(run).toMatchObject({ code: 0, err: '' });
  expect(run.out.split('\n')).toEqual([
    `${file}:1: note: question 1: Titles are not kept.`,
    `${file}:3: error: question 2: Matching questions are not supported yet: write one question for each pair.`,
    '',
    'Would import 1 question in 1 quiz from 1 file.',
    '1 error: rows that were not imported.',
    '1 note: about content that is not kept.',
    '',
  ]);
}, 60_000);

test('the report of quizctl import lists created quizzes and duplicate rows', async () => {
  const file = join(folder, 'sums.csv');
  const rows = [...Array(560).keys()].map((i) => `${md5(i)}?,yes ${i},no ${i},Sums`);
  const header = 'question,correct_answer,wrong_answer_1,category';
  writeFileSync(file, [header, ...rows, rows[0]].join('\n'));
  await service.account('pro', { email: 'sums@example.com' });
  const run = await quizctl('import', file, '--account', 'sums@example.com', '--strict');
  expect(run).toMatchObject({ code: 0, err: '' });
  const lines = run.out.split('\n');
  expect(lines[0]).toBe(`${file}:562: duplicate: Duplicate of the question in line 2.`);
  expect(lines.slice(2, 4)).toEqual([
    'Imported 560 questions in 12 quizzes from 1 file.',
    expect.stringMatching(/^ {2}[0-9a-f-]{36} {2}Sums \(1\) \(50 questions\)$/),
  ]);
  expect(lines).toContain('  and 2 more; --json names them all.');
  expect(lines).toContain(
    '1 duplicate: not imported, as the account or the file has the question already.',
  );

  const again = await quizctl('import', file, '--account', 'sums@example.com');
  expect(again.out).toContain(
    `${file}:2: duplicate: The account has this question already, with these answers, in the quiz "Sums (1)".`,
  );
  expect(again.out).toContain('Imported nothing from 1 file.');
  const { json: report } = await quizctl(
    ...['import', file, '--account', 'sums@example.com', '--json', '--dry-run'],
  );
  expect(report).toMatchObject({ duplicates: 561, quizzes: 0, quizList: [], notListed: 0 });
  expect(report.duplicateRows).toHaveLength(561);
  expect(report.duplicateRows[0]).toMatchObject({ file, line: 2 });
}, 120_000);

test('quizctl import --json lists all categories of a file', async () => {
  const file = join(folder, 'many.csv');
  const rows = [...Array(10_050).keys()].map((i) => `${i},a,b,Category ${i}`);
  writeFileSync(file, ['question,correct_answer,wrong_answer_1,category', ...rows].join('\n'));
  await service.account('pro', { isAdmin: true, email: 'many@example.com' });
  const account = ['--account', 'many@example.com'];
  const { files } = (await quizctl('import', file, ...account, '--dry-run', '--json')).json;
  expect(files.map((it: { category: string }) => it.category)).toEqual(
    rows.map((_, i) => `Category ${i}`),
  );
}, 60_000);

test('quizctl import --strict imports the valid rows and fails for an invalid one', async () => {
  const file = join(folder, 'faulty.csv');
  writeFileSync(file, 'question,a,b,correct\nOne?,x,y,x\nTwo?,x,y,\n');
  await service.account('pro', { email: 'strict@example.com' });
  const options = ['--account', 'strict@example.com'];
  expect((await quizctl('import', file, ...options, '--dry-run')).code).toBe(0);
  const run = await quizctl('import', file, ...options, '--strict', '--json');
  expect(run.code).toBe(1);
  expect(run.json).toMatchObject({ imported: 1, skipped: [{ file, line: 3 }] });
  expect((await quizctl('import', '--help')).out).toContain('Exit codes:');
}, 120_000);

test('quizctl export refuses an unknown quiz and a format it cannot write', async () => {
  const unknown = await quizctl('export', 'nope', '--format', 'csv', '--json');
  expect(unknown).toMatchObject({ code: 1, out: '{"success":false,"error":"Quiz not found."}\n' });
  expect((await quizctl('export', 'nope', '--format', 'aiken')).code).toBe(2);
}, 60_000);

test('quizctl import names, groups and reads flash cards as its options say, and undo-import deletes them', async () => {
  const file = join(folder, 'cards.txt');
  writeFileSync(file, 'Vienna\tDanube\nCologne\tRhine\nHamburg\tElbe\n');
  const owner = await service.account('pro', { email: 'undo@example.com' });
  const account = ['--account', 'undo@example.com'];
  const named = ['--title', 'Rivers', '--category', 'Geography', '--quiz-size', '2', '--draft'];
  const read = ['--format', 'csv', '--columns', 'correct_answer,question', '--cards', 'open'];
  const run = await quizctl('import', file, ...account, ...named, ...read, '--json');
  const { importId, quizList } = run.json;
  expect(quizList).toMatchObject([
    { title: 'Rivers (1)', questions: 2 },
    { title: 'Rivers (2)', questions: 1 },
  ]);
  const first = (await owner.get(`/quizzes/${quizList[0].id}`)).body.data;
  expect(first.category).toBe('Geography');
  expect((await owner.get('/quizzes?mine=true&state=draft')).body.meta.total).toBe(2);
  expect(first.questions[0]).toMatchObject({
    text: 'Danube',
    type: 'OPEN_ENDED',
    answers: [{ text: 'Vienna' }],
  });
  await service.account('pro', { email: 'stranger@example.com' });
  const other = await quizctl('undo-import', importId, '--account', 'stranger@example.com');
  expect(other).toMatchObject({ code: 1, err: expect.stringContaining('not found') });
  const undone = await quizctl('undo-import', importId, ...account, '--json');
  expect(undone.json).toEqual({ quizzes: 2, questions: 3, more: false });
  expect((await owner.get('/quizzes?mine=true')).body.data).toEqual([]);
  const audited = (await quizctl('audit', 'export')).out.trim().split('\n').slice(-2);
  for (const line of audited)
    expect(JSON.parse(line)).toMatchObject({ action: 'quiz.deleted', actorEmail: 'quizctl' });
}, 120_000);

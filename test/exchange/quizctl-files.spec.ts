import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quizBody } from '../support/samples';
import { startService, type Service } from '../support/service';

/** Files in and out by the operator's tool, as a process of its own. */

const folder = mkdtempSync(join(tmpdir(), 'quizctl-files-'));
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

function quizctl(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync('npm', ['run', '-s', 'quizctl', '--', ...args], {
    cwd: join(__dirname, '../..'),
    env: { ...process.env, DATABASE_URL: service.databaseUrl, DATA_DIR: folder },
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}

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

test("a draft is exported by the operator in each format, and imported is another account's equal quiz", async () => {
  const owner = await service.holder('pro');
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

  const files = ['csv', 'gift', 'moodle-xml', 'json'].map((format) => {
    const file = join(folder, `quiz.${format}`);
    const run = quizctl('export', id, '--format', format, '--output', file, '--json');
    expect(JSON.parse(run.out)).toEqual({ quizId: id, format, questions: 2, file });
    return file;
  });
  const printed = quizctl('export', id, '--format', 'json');
  expect(printed.out).toBe(readFileSync(files[3] ?? '', 'utf8'));

  const other = await service.holder('pro', { email: 'other@example.com' });
  const run = quizctl('import', ...files, '--account', 'other@example.com', '--json');
  expect(JSON.parse(run.out)).toMatchObject({
    imported: 2,
    quizzes: 1,
    duplicates: 6,
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

test('a file that cannot be read to its end imports nothing, and says where and why', async () => {
  const file = join(folder, 'cut.csv');
  writeFileSync(file, 'question,a,b,correct\nOne?,x,y,x\nTwo?,"x,y,x\n');
  const owner = await service.holder('pro', { email: 'cut@example.com' });
  const run = quizctl('import', file, '--account', 'cut@example.com');
  expect(run).toMatchObject({
    code: 1,
    err: expect.stringContaining(`${file}:3: A text in quotes begins`),
  });
  expect((await owner.get('/quizzes?topic=cut')).body.meta.total).toBe(0);
}, 60_000);

test('what a file has and we have not is said row by row', async () => {
  const file = join(folder, 'notes.gift');
  writeFileSync(file, '::Title:: One?{=x ~y}\n\nTwo?{=a -> b =c -> d}\n');
  await service.holder('pro', { email: 'notes@example.com' });
  const run = quizctl('import', file, '--account', 'notes@example.com', '--dry-run');
  expect(run.code).toBe(0);
  expect(run.err.split('\n')).toEqual([
    `${file}:3: question 2: A question of pairs: write one question for each pair.`,
    `${file}:1: note: question 1: The question's title "Title" is not kept.`,
    '',
  ]);
  expect(run.out).toContain('Would import 1 question in 1 quiz from 1 file.');
}, 60_000);

test('an unknown quiz and a format without a writer are refused', () => {
  const unknown = quizctl('export', 'nope', '--format', 'csv', '--json');
  expect(unknown).toMatchObject({ code: 1, out: '{"success":false,"error":"Quiz not found."}\n' });
  expect(quizctl('export', 'nope', '--format', 'aiken').code).toBe(2);
}, 60_000);

import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import request from 'supertest';
import { DataSource } from 'typeorm';
import { fromBufferPromise } from 'yauzl';
import { DomainEvents } from '../../src/events/domain-events';
import { backUp } from '../../src/import-export/exports/backup';
import { ExportsService } from '../../src/import-export/exports/exports.service';
import { ARCHIVE_MARK, pictureFile } from '../../src/import-export/formats/archive/archive.reader';
import { writeZip, type ZipEntry } from '../../src/import-export/formats/zip/zip-writer';
import {
  insertImport,
  type RunningImport,
  takeImport,
} from '../../src/import-export/imports/import.queries';
import { ImportRetention } from '../../src/import-export/imports/running/import-retention.service';
import { ImportRunnerService } from '../../src/import-export/imports/running/import-runner.service';
import { ImportWriteService } from '../../src/import-export/imports/running/import-write.service';
import { readPicture } from '../../src/media/media.service';
import { isUpgrade, migrate, readMigrations } from '../../src/platform/database/migrate';
import { LIMITS } from '../../src/platform/limits/limits';
import { MEBIBYTE } from '../../src/platform/sizes';
import { newId } from '../../src/platform/text/ids';
import { importResults } from '../../src/play/archive/results-import';
import type { ArchivedPlayer } from '../../src/play/archive/results-lines.rules';
import { ReportsService } from '../../src/play/results/reports.service';
import { AttemptRetention } from '../../src/play/submission/attempt-retention.service';
import { eventually } from '../support/clock';
import { addQuestions, type MadeQuiz, makeQuiz } from '../support/content';
import { signIn } from '../support/dashboard';
import { emptyDatabase } from '../support/database';
import { keepOpen } from '../support/locks';
import { png } from '../support/pictures';
import { asBytes, rowsOf } from '../support/rows';
import { questionBodies, questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { signedIn, wordsOf } from '../support/visitor';

/** GET /export, and the archive that it sends in POST /imports. */

let source: Service;
let target: Service;
let owner: TestAccount;
let archive: Buffer;
beforeAll(async () => {
  [source, target] = await Promise.all([startService(), startService()]);
  owner = await source.account('free', { isAdmin: true });
  archive = await fill(owner);
});
afterAll(() => Promise.all([source.close(), target.close()]));

const download = async (account: TestAccount): Promise<Buffer> => {
  const { body, headers } = await account.get('/export').buffer().parse(asBytes).expect(200);
  expect(headers['content-type']).toBe('application/zip');
  expect(headers['content-disposition']).toContain('filename="quizzes.zip"');
  return body as Buffer;
};

const upload = async (service: Service, account: TestAccount, file: Buffer, query = '') => {
  const { body } = await account
    .post(`/imports?filename=quizzes.zip&${query}`)
    .set('Content-Type', 'application/zip')
    .send(file)
    .expect(202);
  await service.app.get(ImportRunnerService).run(body.data.id as string);
  return (await account.get(`/imports/${body.data.id}`).expect(200)).body.data;
};

async function filesIn(zip: Buffer): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const opened = await fromBufferPromise(zip, { lazyEntries: true });
  for await (const entry of opened.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await opened.openReadStreamPromise(entry))
      chunks.push(chunk as Buffer);
    files.set(entry.fileName, Buffer.concat(chunks).toString());
  }
  return files;
}

const zipOf = async (...entries: ZipEntry[]): Promise<Buffer> =>
  Buffer.concat(await Readable.from(writeZip(entries)).toArray());

/** Plays with the first answers. @returns the attempt's id */
async function play(app: TestAccount, quiz: MadeQuiz, player: string, most = 99): Promise<string> {
  const { body } = await app.post(`/quizzes/${quiz.id}/attempts`, { player }).expect(201);
  const { id, questions } = body.data as {
    id: string;
    questions: { id: string; type: string; answers: { id: string }[] }[];
  };
  for (const question of questions.slice(0, most)) {
    const given =
      question.type === 'OPEN_ENDED' ? { text: 'Wolga' } : { answerIds: [question.answers[0]!.id] };
    await app.post(`/attempts/${id}/answers`, { questionId: question.id, ...given }).expect(200);
  }
  await app.post(`/attempts/${id}/submit`).expect(200);
  return id;
}

/** Quizzes with all that an account can have. */
async function fill(account: TestAccount): Promise<Buffer> {
  const open = questionBody({
    text: 'What is the **longest** river of Europe?\nIn one word.',
    format: 'markdown',
    type: 'OPEN_ENDED',
    answers: [
      { text: 'Volga', isCorrect: true },
      { text: 'The Volga', isCorrect: true },
    ],
  });
  const rules = { timeLimit: 600, maxAttempts: 3, acceptTypos: true, language: 'de-AT' };
  const rivers = await makeQuiz(
    account,
    { title: 'Flüsse & 河川', tags: ['sun, moon', 'B'], published: true, featured: true, ...rules },
    [...questionBodies(2), open, questionBody({ text: 'Which is removed later?' })],
  );
  const { body: picture } = await account
    .post('/media')
    .set('Content-Type', 'image/png')
    .send(png())
    .expect(201);
  await addQuestions(account, rivers.id, [
    questionBody({
      text: `![A map](media:${picture.data.id}) Where?`,
      // In JSON this reads `\tmedia:`.
      explanation: `![The same](\n\tmedia:${picture.data.id})`,
      format: 'markdown',
    }),
  ]);
  // The same question in another quiz is no duplicate.
  const pool = await makeQuiz(account, { title: 'Pool', published: true, questionsPerAttempt: 2 }, [
    ...questionBodies(6),
  ]);
  await makeQuiz(account, { title: 'Draft without questions', published: false });
  for (const player of ['ann', 'ben', 'cem']) {
    await play(account, rivers, player);
    await play(account, pool, player);
    await play(account, pool, player, 1);
  }
  const [first] = rivers.questions;
  await source.app
    .get(ReportsService)
    .report(
      rivers.id,
      first!.id,
      { token: 'a browser', address: '127.0.0.1' },
      { reason: 'unclear', text: 'What is meant?' },
    );
  await account.patch(`/questions/${first!.id}`, { text: 'A better text?' }).expect(200);
  await account.delete(`/questions/${rivers.questions[3]!.id}`).expect(204);
  await play(account, rivers, 'dora');
  const [hidden] = await source.database.query<[{ attempt_id: string }]>(
    `UPDATE leaderboard_entries SET hidden_at = now() WHERE player = 'ben' AND quiz_id = $1 RETURNING attempt_id`,
    [rivers.id],
  );
  expect(hidden).toBeDefined();
  return download(account);
}

it('an account imported into an empty deployment exports an equal archive', async () => {
  const files = await filesIn(archive);
  expect([...files.keys()].map((name) => name.replace(/^(\w+\/)\d{5}-/, '$1'))).toEqual([
    'manifest.json',
    'quizzes/flusse-he-chuan.json',
    'results/flusse-he-chuan.jsonl',
    'quizzes/pool.json',
    'results/pool.jsonl',
    'quizzes/draft-without-questions.json',
    expect.stringMatching(/^media\/[\da-f-]{36}\.png$/),
  ]);
  const empty = await startService();
  try {
    const account = await empty.account('free', { isAdmin: true });
    const done = await upload(empty, account, archive, 'published=true');
    expect(done).toMatchObject({
      state: 'completed',
      error: null,
      format: 'archive',
      totals: { rows: 10, imported: 10, quizzes: 3, duplicates: 0, errors: 0, notes: 0 },
    });
    const again = await download(account);
    expect(await filesIn(again)).toEqual(files);
    expect(sha(again)).toBe(sha(archive));
    // Importing it once more adds nothing.
    const repeated = await upload(empty, account, archive, 'published=true');
    expect(repeated).toMatchObject({
      state: 'completed',
      totals: { imported: 0, quizzes: 0, duplicates: 10 },
    });
    expect(sha(await download(account))).toBe(sha(archive));
  } finally {
    await empty.close();
  }
});

it('results of a quiz whose questions were deleted are imported with it', async () => {
  const account = await source.account('free', { isAdmin: true });
  const emptied = await makeQuiz(account, { title: 'Emptied', published: true }, questionBodies(1));
  await play(account, emptied, 'ann');
  await account.delete(`/questions/${emptied.questions[0]!.id}`).expect(204);
  const exported = await download(account);
  const importing = await target.account('free', { isAdmin: true });
  for (const quizzes of [1, 0]) {
    const done = await upload(target, importing, exported, 'published=true');
    expect(done).toMatchObject({ state: 'completed', error: null, totals: { quizzes } });
    expect(await quizzesOf(target, importing)).toEqual(['Emptied: published, 1 of 0']);
    expect(sha(await download(importing))).toBe(sha(exported));
  }
});

it('players of several accounts are imported once for each name, with the rest as it was', async () => {
  const account = await source.account('free', { isAdmin: true });
  const questions = [1, 2, 3].map((n) =>
    questionBody({
      text: `What is river ${n}?`,
      type: 'OPEN_ENDED',
      answers: ['Wolga', 'Volga'].map((text) => ({ text, isCorrect: true })),
    }),
  );
  const quiz = await makeQuiz(account, { title: 'Of several apps', published: true }, questions);
  const apps = await Promise.all([1, 2, 3].map(() => source.account('pro')));
  const most = [1, 3, 2];
  for (const [at, app] of apps.entries()) await play(app, quiz, 'ann', most[at]);
  for (const [at, app] of apps.entries()) await play(app, quiz, `p${9 - at}`);
  const exported = await download(account);
  const importing = await target.account('free', { isAdmin: true });
  await upload(target, importing, exported, 'published=true');
  expect(
    await target.database.query(
      `SELECT player, score FROM leaderboard_entries WHERE account_id = $1 ORDER BY player`,
      [importing.accountId],
    ),
  ).toEqual(['ann', 'p7', 'p8', 'p9'].map((player) => ({ player, score: 3 })));
  const [before, after] = await Promise.all(
    [exported, await download(importing)].map(async (zip) => {
      const lines = [...(await filesIn(zip)).values()].flatMap((file) => file.split('\n'));
      const players = lines.filter((line) => line.startsWith('{"player"'));
      return { players, others: lines.filter((line) => !players.includes(line)) };
    }),
  );
  expect(after!.others).toEqual(before!.others);
  expect(before!.players).toHaveLength(6);
  expect(after!.players).toHaveLength(4);
  expect(before!.players).toEqual(expect.arrayContaining(after!.players));
});

it('of entries with the same name, the best one that the leaderboard shows is kept, in whatever order they come', async () => {
  const account = await target.account('pro');
  const { id: quizId } = await makeQuiz(account, { questionsPerAttempt: 2 }, questionBodies(3));
  const at = (days: number) => new Date(Date.now() - days * DAY).toISOString();
  const shown: Omit<ArchivedPlayer, 'player' | 'attempt'> = {
    score: 1,
    timeSpent: 60,
    reachedAt: at(2),
    questionsPerAttempt: 2,
    hiddenAt: null,
  };
  // Out of three questions, it is not comparable.
  const old = { ...shown, score: 3, questionsPerAttempt: 0 };
  const ranked: Record<string, [better: typeof shown, worse: typeof shown]> = {
    'other total': [shown, old],
    hidden: [shown, { ...shown, score: 2, hiddenAt: at(1) }],
    'hidden and other total': [old, { ...shown, score: 2, hiddenAt: at(1) }],
    score: [{ ...shown, score: 2, timeSpent: 90 }, shown],
    time: [{ ...shown, timeSpent: 50, reachedAt: at(1) }, shown],
    earlier: [{ ...shown, reachedAt: at(3) }, shown],
  };
  const pairs = Object.entries(ranked).flatMap(([player, entries]) =>
    ['better first', 'worse first'].map((order) => {
      const pair = entries.map((entry) => ({
        player: { player: `${player}, ${order}`, attempt: newId(), ...entry },
      }));
      const { attempt } = pair[0]!.player;
      return { pair: order === 'better first' ? pair : pair.reverse(), attempt };
    }),
  );
  const others = Array.from({ length: 250 }, (_, n) => ({
    player: { player: `p${n}`, attempt: newId(), ...shown },
  }));
  const store = (lines: unknown[]) =>
    importResults(
      { id: quizId, ownerId: account.accountId, uploadedAt: new Date(), questions: [] },
      Readable.from(lines),
      new Date(),
      (work) => target.database.transaction(work),
      () => Promise.resolve(),
    );
  const stored = () =>
    target.database.query<{ attempt_id: string }[]>(
      `SELECT * FROM leaderboard_entries WHERE quiz_id = $1 AND player LIKE '%first' ORDER BY attempt_id`,
      [quizId],
    );
  const inSeveral = [
    ...pairs.map(({ pair }) => pair[0]),
    ...others,
    ...pairs.map(({ pair }) => pair[1]),
  ];
  const inOne = pairs.flatMap(({ pair }) => pair);
  const best = pairs.map(({ attempt }) => attempt).sort();
  for (const lines of [inSeveral, inOne]) {
    await target.database.query('DELETE FROM leaderboard_entries WHERE quiz_id = $1', [quizId]);
    await store(lines);
    const rows = await stored();
    expect(rows.map((row) => row.attempt_id)).toEqual(best);
    // Once more, it changes nothing.
    await store(lines);
    expect(await stored()).toEqual(rows);
  }
});

it('a player who is hidden while an import is interrupted stays hidden when it goes on', async () => {
  const account = await target.account('pro');
  const { id: quizId } = await makeQuiz(account);
  const reachedAt = yesterday().toISOString();
  const entry = { score: 1, timeSpent: 60, reachedAt, questionsPerAttempt: 0, hiddenAt: null };
  // Two players of other accounts; the second is in a later transaction.
  const [better, worse] = [
    { player: { player: 'ann', attempt: newId(), ...entry, score: 2 } },
    { player: { player: 'ann', attempt: newId(), ...entry } },
  ];
  const store = (line: unknown) =>
    importResults(
      { id: quizId, ownerId: account.accountId, uploadedAt: yesterday(), questions: [] },
      Readable.from([line]),
      new Date(),
      (work) => target.database.transaction(work),
      () => Promise.resolve(),
    );
  const hidden = () =>
    target.database.query(
      `SELECT hidden_at IS NOT NULL AS "isHidden" FROM leaderboard_entries WHERE quiz_id = $1`,
      [quizId],
    );
  await store(better);
  expect(await hidden()).toEqual([{ isHidden: false }]);
  await target.database.query(
    'UPDATE leaderboard_entries SET hidden_at = now() WHERE quiz_id = $1',
    [quizId],
  );
  await store(better);
  await store(worse);
  expect(await hidden()).toEqual([{ isHidden: true }]);
});

it('the longest names of an assistant and its key are kept', async () => {
  const account = await target.account('pro');
  const [writtenBy, slug] = [`${'😀'.repeat(100)} (key “${'😀'.repeat(60)}”)`, 'x'.repeat(117)];
  const zip = await zipOf(MARK, quiz({ writtenBy, slug }));
  expect(await upload(target, account, zip)).toMatchObject({ state: 'completed' });
  const stored = await target.database.query(
    `SELECT written_by AS "writtenBy", slug FROM quizzes WHERE owner_id = $1`,
    [account.accountId],
  );
  expect(stored).toEqual([{ writtenBy, slug }]);
});

it('an archive whose quizzes have no questions is imported, and one without quizzes is refused', async () => {
  const account = await target.account('pro');
  const zip = await zipOf(MARK, quiz({ questions: [] }));
  expect(await upload(target, account, zip)).toMatchObject({
    state: 'completed',
    totals: { quizzes: 1, imported: 0 },
  });
  expect(await upload(target, account, await zipOf(MARK))).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('The file holds no questions: choose the file that does.'),
  });
});

it('quizzes that a full account has already need no room when their archive is imported again', async () => {
  const account = await target.account('starter');
  const zip = await zipOf(MARK, quiz({ questions: questionBodies(3) }));
  expect(await upload(target, account, zip)).toMatchObject({ state: 'completed' });
  await target.database.query(`UPDATE accounts SET content_bytes = $2 WHERE id = $1`, [
    account.accountId,
    LIMITS.content.starterBytes.value,
  ]);
  expect(await upload(target, account, zip)).toMatchObject({
    state: 'completed',
    error: null,
    totals: { imported: 0, duplicates: 3 },
  });
});

it('a quiz of an archive is public once its results are stored, so that no player adds to them before', async () => {
  const account = await target.account('free', { isAdmin: true });
  const player = await target.account('pro');
  // More than one transaction writes.
  const attempts = Array.from({ length: 250 }, () => attemptOf(yesterday()));
  const score = { score: { total: 1, score: 1, attempts: attempts.length, seconds: 120 } };
  const zip = await zipOf(MARK, quiz({ published: true }), results(VERSION, ...attempts, score));
  const writer = target.database.createQueryRunner();
  await writer.startTransaction();
  await keepOpen(writer);
  await writer.query('LOCK TABLE quiz_results IN SHARE MODE');
  const importing = upload(target, account, zip, 'published=true');
  const start = (id: string) => player.post(`/quizzes/${id}/attempts`, { player: 'ann' });
  let id = '';
  try {
    id = await eventually(async () => {
      const [row] = await target.database.query<{ id: string }[]>(
        'SELECT id FROM quizzes WHERE owner_id = $1 AND question_count = 1',
        [account.accountId],
      );
      return row!.id;
    });
    await start(id).expect(404);
    // The account is locked before the snapshots, even for lines that are not the last: an edit of the quiz locks them
    // in this order, and the opposite order could deadlock.
    await eventually(async () => {
      const free = await target.database.query<unknown[]>(
        'SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED',
        [account.accountId],
      );
      expect(free).toHaveLength(0);
    });
  } finally {
    await writer.rollbackTransaction();
    await writer.release();
  }
  expect(await importing).toMatchObject({ state: 'completed', totals: { quizzes: 1 } });
  await start(id).expect(201);
  const { body } = await account.get(`/quizzes/${id}/statistics`).expect(200);
  expect(body.data).toMatchObject({ attempts: 250, averagePercent: 100 });
  const [{ published }] = await target.database.query<[{ published: number }]>(
    `SELECT count(*)::int AS published FROM outbox_events WHERE name = 'quiz.published' AND account_id = $1`,
    [account.accountId],
  );
  expect(published).toBe(1);
});

it('an archive has results of the documented kinds, and no id or secret of the account, its quizzes and questions', async () => {
  const files = await filesIn(archive);
  const results = files.get('results/00001-flusse-he-chuan.jsonl') ?? '';
  const kinds = results.split('\n').map((line) => line.split('"', 2)[1]);
  expect(new Set(kinds)).toEqual(
    new Set(['version', 'attempt', 'score', 'sum', 'player', 'report', undefined]),
  );
  const everything = [...files.values()].join('');
  const owned = await source.database.query<{ id: string }[]>(
    `SELECT id FROM quizzes WHERE owner_id = $1 UNION ALL SELECT id FROM questions WHERE owner_id = $1`,
    [owner.accountId],
  );
  expect(owned).toHaveLength(13);
  for (const secret of [owner.accountId, owner.email, ...owned.map(({ id }) => id)])
    expect(everything).not.toContain(secret);
  expect(everything).not.toMatch(/svc_test_|password|whsec/);
});

it.each([
  ['published=true', ['draft', 'pending', 'pending']],
  ['', ['draft', 'draft', 'draft']],
])(
  'drafts stay drafts, and without published=true all become drafts: ?%s',
  async (query, states) => {
    const account = await target.account('pro');
    const done = await upload(target, account, archive, query);
    expect(done.totals).toMatchObject({ imported: 10, quizzes: 3 });
    const { body } = await account.get('/quizzes?mine=true').expect(200);
    expect(body.data.map(({ state }: { state: string }) => state).sort()).toEqual(states);
  },
);

it('attempts that another quiz of the deployment has stay there, with a note', async () => {
  const account = await source.account('pro');
  const done = await upload(source, account, archive);
  expect(done).toMatchObject({ state: 'completed', totals: { imported: 10, quizzes: 3 } });
  expect(done.report.map(({ message }: { message: string }) => message)).toEqual([
    expect.stringMatching(/^4 attempts at "Flüsse.* are left out/),
    expect.stringMatching(/^6 attempts at "Pool" are left out/),
  ]);
  expect(await quizzesOf(source, account)).toEqual([
    'Draft without questions: draft, 0 of 0',
    'Flüsse & 河川: draft, 0 of 4',
    'Pool: draft, 0 of 6',
  ]);
  expect(await quizzesOf(source, owner)).toEqual([
    'Draft without questions: draft, 0 of 0',
    'Flüsse & 河川: published, 4 of 4',
    'Pool: published, 6 of 6',
  ]);
});

it('an attempt that another quiz of the deployment has stays there, with a note', async () => {
  const zip = await zipOf(MARK, quiz(), results(VERSION, attemptOf(yesterday())));
  const [first, second] = [await source.account('pro'), await source.account('pro')];
  await upload(source, first, zip);
  const { report } = await upload(source, second, zip);
  expect(report).toMatchObject([
    { message: '1 attempt at "A" is left out: another quiz here has it already.' },
  ]);
  expect(await quizzesOf(source, first)).toEqual(['A: draft, 1 of 1']);
  expect(await quizzesOf(source, second)).toEqual(['A: draft, 0 of 1']);
});

const quiz = (fields: object = {}): ZipEntry => ({
  name: 'quizzes/00001-a.json',
  content: [
    JSON.stringify({
      success: true,
      title: 'A',
      difficulty: 'EASY',
      questions: [questionBody()],
      ...fields,
    }),
  ],
});
const results = (...lines: unknown[]): ZipEntry => ({
  name: 'results/00001-a.jsonl',
  content: lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`),
});
const DAY = 86_400_000;
const VERSION = {
  version: {
    question: 1,
    text: 'Q?',
    type: 'TRUE_FALSE',
    difficulty: 'EASY',
    explanation: null,
    answers: [
      { answer: 1, text: 'True', isCorrect: true },
      { answer: 2, text: 'False', isCorrect: false },
    ],
  },
};
const attemptOf = (at: Date) => ({
  attempt: {
    id: newId(),
    player: 'ann',
    shuffle: false,
    reveal: false,
    questionsPerAttempt: null,
    startedAt: at.toISOString(),
    endsAt: null,
    submittedAt: at.toISOString(),
    timeSpent: 60,
    counted: true,
    versions: [1],
    given: [{ version: 1, answers: [1], text: null, correct: true }],
  },
});
/** The entry of another quiz. */
const renamed = (entry: ZipEntry, name: string): ZipEntry => ({
  ...entry,
  name: entry.name.replace('00001-a', name),
});
const pictureEntry = (picture: Buffer): ZipEntry => {
  const content = readPicture(picture).bytes;
  const hash = createHash('sha256').update(content).digest('hex');
  const name = /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(hash)!.slice(1).join('-');
  return { name: pictureFile(name, 'image/png'), content: [content], isStored: true };
};
const yesterday = () => new Date(Date.now() - DAY);
const MARK: ZipEntry = { name: 'manifest.json', content: [ARCHIVE_MARK], isStored: true };

/** With other bytes in place of some, as long as they are. */
const patched = (file: Buffer, from: string, to: string): Buffer =>
  Buffer.from(file.toString('latin1').replaceAll(from, to), 'latin1');

it.each<[string, () => Promise<Buffer>, RegExp]>([
  [
    'cut off',
    async () => (await zipOf(MARK, quiz())).subarray(0, -30),
    /damaged, cut off or unsafe/,
  ],
  [
    'with a path out of it',
    async () => patched(await zipOf(MARK, quiz()), 'quizzes/00001', '../../x/00001'),
    /unsafe \("invalid relative path/,
  ],
  [
    'with an absolute path',
    async () => patched(await zipOf(MARK, quiz()), 'quizzes/00001', '/uizzes/00001'),
    /unsafe \("absolute path/,
  ],
  ['with a file twice', () => zipOf(MARK, quiz(), quiz()), /two files "quizzes\/00001-a.json"/],
  ['with a link', async () => linked(await zipOf(MARK, quiz())), /is a link/],
  [
    'that unpacks to 200 times its size',
    () => zipOf(MARK, { name: 'quizzes/00001-a.json', content: zeros(20) }),
    /too large when it is unpacked/,
  ],
  [
    'of another program',
    () => zipOf({ name: 'manifest.json', content: [`{"x":1}${ARCHIVE_MARK}`], isStored: true }),
    /not the archive of an account/,
  ],
  [
    'of a later version',
    () => {
      const content = [ARCHIVE_MARK.replace('"version":1', '"version":2')];
      return zipOf({ ...MARK, content }, quiz());
    },
    /made by a newer version/,
  ],
  ['whose quiz is no JSON', () => zipOf(MARK, { ...quiz(), content: ['{'] }), /is not JSON/],
  [
    'whose quiz is nested deeply',
    () => zipOf(MARK, { ...quiz(), content: ['['.repeat(100_000)] }),
    /is not JSON|no quiz/,
  ],
  [
    'with an invalid question',
    () => zipOf(MARK, quiz({ questions: [{ text: 'Q?', answers: [] }] })),
    /quizzes\/00001-a.json/,
  ],
  ['with an invalid rule', () => zipOf(MARK, quiz({ slug: '../x' })), /was changed/],
  [
    'with a quiz above 16 MiB',
    () => zipOf(MARK, { ...quiz(), content: [' '.repeat(16 * MEBIBYTE + 1)], isStored: true }),
    /is larger than 16 MiB: split this quiz/,
  ],
  [
    'with a slug that is too long',
    () => zipOf(MARK, quiz({ slug: 'x'.repeat(118) })),
    /was changed/,
  ],
  [
    'with the name of a writer that is too long',
    () => zipOf(MARK, quiz({ writtenBy: 'x'.repeat(170) })),
    /was changed/,
  ],
  ['with a NUL character', () => zipOf(MARK, quiz({ writtenBy: 'me\0' })), /was changed/],
  [
    'with a quiz of the future',
    () => zipOf(MARK, quiz({ createdAt: new Date(Date.now() + 2 * DAY).toISOString() })),
    /created in the future \(.*compare the clocks/,
  ],
  [
    'with an attempt of the future',
    () => zipOf(MARK, quiz(), results(VERSION, attemptOf(new Date(Date.now() + 2 * DAY)))),
    /is in the future/,
  ],
  [
    'with results whose quiz is missing, among files that a Mac adds',
    () =>
      zipOf(MARK, quiz(), renamed(results(VERSION), '00003-c'), {
        name: '__MACOSX/results/._00003-c.jsonl',
        content: ['x'],
      }),
    /"quizzes\/00003-c\.json" is missing in the archive: export the account again/,
  ],
  [
    'with a line of results above 8 MiB',
    () => zipOf(MARK, quiz(), { ...results(' '.repeat(9 * MEBIBYTE)), isStored: true }),
    /"results\/00001-a\.jsonl" in the archive was changed: export the account again/,
  ],
  [
    'whose manifest is above 16 MiB',
    () => zipOf({ ...MARK, content: [ARCHIVE_MARK, ' '.repeat(16 * MEBIBYTE)] }, quiz()),
    /not the archive of an account/,
  ],
  ['with results of no kind', () => zipOf(MARK, quiz(), results({ x: {} })), /of no known kind/],
  ['with results that are no JSON', () => zipOf(MARK, quiz(), results('{')), /is not JSON/],
  [
    'with an attempt at a version that is not there',
    () => zipOf(MARK, quiz(), results({ attempt: { versions: [7] } })),
    /versions? is invalid/,
  ],
  [
    'with a time that no database has',
    () =>
      zipOf(
        MARK,
        quiz(),
        results({
          report: {
            question: 1,
            reporter: 'x',
            reason: 'other',
            text: '',
            createdAt: '+275760-09-13T00:00:00Z',
            closedAt: null,
          },
        }),
      ),
    /createdAt is invalid/,
  ],
])('an archive %s imports nothing and says why', async (_, make, message) => {
  const account = await target.account('pro');
  const done = await upload(target, account, await make(), 'format=archive');
  expect(done).toMatchObject({ state: 'failed', error: expect.stringMatching(message) });
  const { body } = await account.get('/quizzes?mine=true').expect(200);
  expect(body.meta.total).toBe(0);
});

it.each([
  [['notes.txt'], '"notes.txt" is not part of the archive and is ignored.'],
  [
    ['__MACOSX/._manifest.json', '__MACOSX/quizzes/._00001-a.json', 'notes.txt'],
    '"__MACOSX/._manifest.json" and 2 other files are not part of the archive and are ignored.',
  ],
])('an archive with %j is imported, and a note names what is ignored', async (names, message) => {
  const account = await target.account('pro');
  const files = names.map((name) => ({ name, content: ['x'] }));
  const done = await upload(target, account, await zipOf(MARK, quiz(), ...files), 'format=archive');
  expect(done).toMatchObject({ state: 'completed', report: [{ message }] });
});

/** The quizzes of an account by title: whether they are drafts, and how many attempts they have. */
const quizzesOf = async (service: Service, { accountId }: TestAccount) => {
  const rows = await service.database.query<
    { title: string; published: boolean; attempts: number; questions: number }[]
  >(
    `SELECT title, published, question_count AS questions,
       (SELECT count(*)::int FROM quiz_attempts a WHERE a.quiz_id = q.id) AS attempts
     FROM quizzes q WHERE owner_id = $1 ORDER BY title`,
    [accountId],
  );
  return rows.map(
    ({ title, published, attempts, questions }) =>
      `${title}: ${published ? 'published' : 'draft'}, ${attempts} of ${questions}`,
  );
};

/** Reads the file, and writes its questions after something has happened. @returns its id */
const begin = async (
  service: Service,
  account: TestAccount,
  zip: Buffer,
  meanwhile: (job: RunningImport) => Promise<unknown>,
): Promise<string> => {
  const { body } = await account
    .post('/imports?filename=quizzes.zip&published=true')
    .set('Content-Type', 'application/zip')
    .send(zip)
    .expect(202);
  const { id } = body.data as { id: string };
  const runner = service.app.get(ImportRunnerService);
  const job = (await runner.take(id))!;
  await runner.check(job, [
    {
      name: 'quizzes.zip',
      bytes: { [Symbol.asyncIterator]: () => Readable.from([zip])[Symbol.asyncIterator]() },
    },
  ]);
  await meanwhile(job);
  await runner.write(job);
  return id;
};

describe('an import of an archive that stops', () => {
  let small: Service;
  beforeAll(async () => {
    small = await startService({ QUIZ_QUOTA_STARTER: '3' });
  });
  afterAll(() => small.close());

  const importOf = async (account: TestAccount, id: string) =>
    (await account.get(`/imports/${id}`).expect(200)).body.data;

  it('that needs more quizzes than the plan has is refused with advice that holds for an archive', async () => {
    const account = await small.account('starter');
    const zip = await zipOf(
      MARK,
      ...['A', 'B', 'C', 'D'].map((title, at) =>
        renamed(quiz({ title }), `0000${at + 1}-${title}`),
      ),
    );
    const { body } = await account
      .post('/imports?filename=quizzes.zip')
      .set('Content-Type', 'application/zip')
      .send(zip)
      .expect(202);
    const { id } = body.data as { id: string };
    await small.app.get(ImportRunnerService).run(id);
    expect(await importOf(account, id)).toMatchObject({
      state: 'failed',
      error:
        'The file makes 4 quizzes, and your Starter plan has room for 3 of them. Upgrade your plan. Nothing was imported.',
    });
  });

  it('at the quota completes the quizzes that it made, and the next import adds the others', async () => {
    const account = await small.account('starter');
    const zip = await zipOf(
      MARK,
      quiz({ published: true }),
      results(VERSION, attemptOf(yesterday())),
      renamed(quiz({ title: 'B', published: true }), '00002-b'),
      renamed(quiz({ title: 'C', published: true }), '00003-c'),
      renamed(quiz({ title: 'D', questions: [] }), '00004-d'),
    );
    const id = await begin(small, account, zip, async () => {
      await makeQuiz(account, { title: 'Meanwhile', published: false });
    });
    expect(await importOf(account, id)).toMatchObject({ state: 'running', error: null });
    expect(await quizzesOf(small, account)).toEqual([
      'A: draft, 0 of 1',
      'B: draft, 0 of 1',
      'Meanwhile: draft, 0 of 0',
    ]);
    // Another process goes on, as after a kill.
    await small.app.get(ImportRunnerService).run(id);
    expect(await importOf(account, id)).toMatchObject({
      state: 'stopped',
      error: expect.stringMatching(
        /^Your Starter plan allows 3 quizzes.* The rest was not imported: make room and import the file again, which skips/,
      ),
      totals: { imported: 2, quizzes: 2 },
    });
    expect(await quizzesOf(small, account)).toEqual([
      'A: published, 1 of 1',
      'B: published, 0 of 1',
      'Meanwhile: draft, 0 of 0',
    ]);
    await small.database.query(`DELETE FROM quizzes WHERE title = 'Meanwhile'`);
    const again = await upload(small, account, zip, 'published=true');
    expect(again).toMatchObject({ state: 'stopped', totals: { imported: 1, duplicates: 2 } });
    expect(again.error).toContain('The rest was not imported: make room');
    expect(await quizzesOf(small, account)).toEqual([
      'A: published, 1 of 1',
      'B: published, 0 of 1',
      'C: published, 0 of 1',
    ]);
  });

  it('within a quiz leaves that one a draft, and says what to do', async () => {
    const account = await small.account('starter');
    const questions = questionBodies(250);
    const zip = await zipOf(
      MARK,
      quiz({ published: true }),
      results(VERSION, attemptOf(yesterday())),
      renamed(quiz({ title: 'B', published: true, questions }), '00002-b'),
      renamed(results(VERSION, attemptOf(yesterday())), '00002-b'),
    );
    const fill = async (job: RunningImport) => {
      expect(await small.app.get(ImportWriteService).writeChunk(job, 'archive')).toBe(200);
      await small.database.query(`UPDATE accounts SET content_bytes = $2 WHERE id = $1`, [
        account.accountId,
        LIMITS.content.starterBytes.value,
      ]);
    };
    const id = await begin(small, account, zip, fill);
    await small.app.get(ImportRunnerService).run(id);
    expect(await importOf(account, id)).toMatchObject({
      state: 'stopped',
      error: expect.stringMatching(
        /^Your Starter plan allows .* Quizzes whose results are not stored stay drafts: undo this import, then import the archive again\.$/,
      ),
    });
    expect(await quizzesOf(small, account)).toEqual(['A: published, 1 of 1', 'B: draft, 0 of 199']);
  });

  it('before the first questions of a quiz does not leave it empty', async () => {
    const account = await small.account('starter');
    const zip = await zipOf(MARK, quiz({ published: true }));
    const id = await begin(small, account, zip, () =>
      small.database.query(`UPDATE accounts SET content_bytes = $2 WHERE id = $1`, [
        account.accountId,
        LIMITS.content.starterBytes.value,
      ]),
    );
    await small.app.get(ImportRunnerService).run(id);
    expect(await importOf(account, id)).toMatchObject({ totals: { imported: 0, quizzes: 0 } });
    expect(await quizzesOf(small, account)).toEqual([]);
  });

  it('because it is cancelled leaves drafts, and its page says what to do', async () => {
    const account = await small.account('starter');
    const zip = await zipOf(
      MARK,
      quiz({ published: true }),
      results(VERSION, attemptOf(yesterday())),
    );
    const id = await begin(small, account, zip, () => Promise.resolve());
    await account.post(`/imports/${id}/cancel`).expect(200);
    await small.app.get(ImportRunnerService).run(id);
    expect(await quizzesOf(small, account)).toEqual(['A: draft, 0 of 1']);
    const person = await signIn(small, account);
    const { text } = await person.open(`/imports/${id}`).expect(200);
    expect(text).toContain(
      'Quizzes whose results are not stored stay drafts: undo this import, then import the archive again.',
    );
  });

  it('because its account is disabled publishes nothing more', async () => {
    const account = await small.account('starter');
    const zip = await zipOf(MARK, quiz({ published: true }));
    const id = await begin(small, account, zip, () => Promise.resolve());
    await small.database.query(`UPDATE accounts SET disabled_at = now() WHERE id = $1`, [
      account.accountId,
    ]);
    await small.app.get(ImportRunnerService).run(id);
    await small.database.query(`UPDATE accounts SET disabled_at = NULL WHERE id = $1`, [
      account.accountId,
    ]);
    expect(await importOf(account, id)).toMatchObject({
      state: 'stopped',
      error: expect.stringMatching(/^The account is disabled\. Quizzes whose results/),
    });
    expect(await quizzesOf(small, account)).toEqual(['A: draft, 0 of 1']);
  });

  it.each([
    ['is disabled', 'disabled_at = now()', 'The account is disabled.'],
    ['has lost its plan', `plan = 'free'`, 'A Starter or Pro plan is needed to import questions.'],
  ])(
    'because its account %s stores no picture, no results and no quiz without questions',
    async (_, change, reason) => {
      const account = await small.account('starter');
      const set = (fields: string) =>
        small.database.query(`UPDATE accounts SET ${fields} WHERE id = $1`, [account.accountId]);
      const interrupted = async (...more: ZipEntry[]) => {
        const zip = await zipOf(MARK, quiz({ title: `A${more.length}` }), ...more);
        const id = await begin(small, account, zip, () => Promise.resolve());
        await set(change);
        await small.app.get(ImportRunnerService).run(id);
        await set(`disabled_at = NULL, plan = 'starter'`);
        expect(await importOf(account, id)).toMatchObject({
          state: 'stopped',
          error: expect.stringContaining(`${reason} `),
        });
      };
      await interrupted(
        results(VERSION, attemptOf(yesterday())),
        renamed(quiz({ title: 'B', questions: [] }), '00002-b'),
      );
      await interrupted(pictureEntry(png()));
      expect(await quizzesOf(small, account)).toEqual(['A1: draft, 0 of 1', 'A2: draft, 0 of 1']);
      const pictures = `SELECT FROM media WHERE account_id = $1`;
      expect(await small.database.query(pictures, [account.accountId])).toEqual([]);
    },
  );

  it('at a picture for which there is no room any more says what to do with the questions that it has written', async () => {
    const account = await small.account('starter');
    const picture = pictureEntry(png());
    const id = await begin(small, account, await zipOf(MARK, quiz(), picture), () =>
      Promise.resolve(),
    );
    await small.database.query(`UPDATE accounts SET content_bytes = $2 WHERE id = $1`, [
      account.accountId,
      LIMITS.content.starterBytes.value,
    ]);
    await small.app.get(ImportRunnerService).run(id);
    expect(await importOf(account, id)).toMatchObject({
      state: 'stopped',
      error: expect.stringMatching(/ Quizzes whose results are not stored stay drafts: undo/),
      totals: { imported: 1 },
    });
  });

  it('with results that the service cannot store is given up, and says what to do', async () => {
    const account = await small.account('starter');
    const score = { score: { total: 1, score: 1, attempts: 2, seconds: 120 } };
    const zip = await zipOf(MARK, quiz({ published: true }), results(score));
    const id = await begin(small, account, zip, () => Promise.resolve());
    const runner = small.app.get(ImportRunnerService);
    await small.database.query(
      'ALTER TABLE quiz_results ADD CONSTRAINT broken CHECK (total < 0) NOT VALID',
    );
    try {
      for (let tries = 0; tries < 5; tries += 1)
        await expect(runner.runJob(id)).rejects.toThrow('broken');
    } finally {
      await small.database.query('ALTER TABLE quiz_results DROP CONSTRAINT broken');
    }
    const { state, error } = await importOf(account, id);
    expect([state, error]).toEqual([
      'stopped',
      `The service failed 5 times at one place of the import, because of an error of its own, and the import was stopped. Quizzes whose results are not stored stay drafts: undo this import, then import the archive again. If that happens again, report the import's id to the operator: ${id}.`,
    ]);
  });

  it('of quizzes without questions counts as stopped when it is given up after the first', async () => {
    const account = await small.account('starter');
    // It has the only quiz with questions, which is left out.
    await makeQuiz(account, { title: 'C' }, [questionBody()]);
    const zip = await zipOf(
      MARK,
      quiz({ title: 'C' }),
      renamed(quiz({ questions: [] }), '00002-a'),
      renamed(quiz({ title: 'B', questions: [] }), '00003-b'),
    );
    const id = await begin(small, account, zip, () => Promise.resolve());
    const runner = small.app.get(ImportRunnerService);
    await small.database.query(
      `ALTER TABLE quizzes ADD CONSTRAINT broken CHECK (title <> 'B') NOT VALID`,
    );
    try {
      for (let tries = 0; tries < 5; tries += 1)
        await expect(runner.runJob(id)).rejects.toThrow('broken');
    } finally {
      await small.database.query('ALTER TABLE quizzes DROP CONSTRAINT broken');
    }
    expect(await importOf(account, id)).toMatchObject({
      state: 'stopped',
      error: expect.stringContaining('undo this import, then import the archive again'),
      totals: { quizzes: 1, imported: 0 },
    });
  });
});

describe('an import of an archive whose owner deletes a quiz of it meanwhile', () => {
  const deleteQuiz = async (account: TestAccount, title: string) => {
    const [{ id }] = await target.database.query<[{ id: string }]>(
      `SELECT id FROM quizzes WHERE owner_id = $1 AND title = $2`,
      [account.accountId, title],
    );
    await account.delete(`/quizzes/${id}`).expect(204);
    return id;
  };
  const notesOf = async (account: TestAccount, id: string) => {
    const { body } = await account.get(`/imports/${id}?kind=note`).expect(200);
    return (body.data.report as { message: string }[]).map(({ message }) => message);
  };

  it('stores no results of that quiz, says so, and completes the others', async () => {
    const account = await target.account('starter');
    const score = { score: { total: 1, score: 1, attempts: 2, seconds: 120 } };
    const zip = await zipOf(
      MARK,
      quiz({ published: false }),
      results(VERSION, attemptOf(yesterday()), score),
      renamed(quiz({ title: 'B', published: true }), '00002-b'),
    );
    const id = await begin(target, account, zip, () => Promise.resolve());
    const deleted = await deleteQuiz(account, 'A');
    await target.app.get(ImportRunnerService).run(id);
    const { body } = await account.get(`/imports/${id}`).expect(200);
    expect(body.data).toMatchObject({ state: 'completed', error: null });
    expect(await notesOf(account, id)).toEqual([
      '"A" was deleted while the import ran: its results are left out.',
    ]);
    expect(await quizzesOf(target, account)).toEqual(['B: published, 0 of 1']);
    for (const table of ['quiz_attempts', 'quiz_results', 'quiz_snapshots'])
      expect(
        await target.database.query(`SELECT FROM ${table} WHERE quiz_id = $1`, [deleted]),
      ).toEqual([]);
  });

  it('leaves out the rest of its questions, and completes the others', async () => {
    const account = await target.account('starter');
    const zip = await zipOf(
      MARK,
      quiz({ published: true, questions: questionBodies(250) }),
      results(VERSION, attemptOf(yesterday())),
      renamed(quiz({ title: 'B', published: true }), '00002-b'),
      renamed(results(VERSION, attemptOf(yesterday())), '00002-b'),
    );
    const id = await begin(target, account, zip, async (job) => {
      expect(await target.app.get(ImportWriteService).writeChunk(job, 'archive')).toBe(200);
      await deleteQuiz(account, 'A');
    });
    await target.app.get(ImportRunnerService).run(id);
    const { body } = await account.get(`/imports/${id}?limit=1`).expect(200);
    expect(body.data).toMatchObject({
      state: 'completed',
      error: null,
      totals: { rows: 251, importable: 201, imported: 201, errors: 50 },
      report: [
        {
          kind: 'error',
          message:
            'The quiz of this question was deleted while the import ran: import the file again to get the question.',
        },
      ],
    });
    expect(await quizzesOf(target, account)).toEqual(['B: published, 1 of 1']);
  });
});

it('a stop of the worker does not wait for the pictures of an archive, and the import goes on later', async () => {
  const account = await target.account('starter');
  const pictures = [81, 82].map((shade) => pictureEntry(png({ shade })));
  const id = await begin(target, account, await zipOf(MARK, quiz(), ...pictures), () =>
    Promise.resolve(),
  );
  const runner = target.app.get(ImportRunnerService);
  const stored = async () =>
    (
      await target.database.query<object[]>('SELECT FROM media WHERE account_id = $1', [
        account.accountId,
      ])
    ).length;
  expect(await runner.runJob(id, AbortSignal.abort())).toBe('interrupted');
  expect(await stored()).toBe(0);
  expect(await runner.runJob(id)).toBe('ended');
  expect(await stored()).toBe(2);
});

it('a quiz whose results cannot be stored stays a draft, the others are complete, and undoing and importing again repairs it', async () => {
  const account = await target.account('pro');
  const long = (letter: string) => ({
    version: { ...VERSION.version, text: letter.repeat(900) },
  });
  const zip = await zipOf(
    MARK,
    quiz({ published: true }),
    results(long('a'), attemptOf(yesterday())),
    renamed(quiz({ title: 'B', published: true }), '00002-b'),
    renamed(results(long('b'), attemptOf(yesterday())), '00002-b'),
    renamed(quiz({ title: 'C', published: true }), '00003-c'),
  );
  const { snapshots } = LIMITS.storage;
  const before = snapshots.value;
  // Room for the versions of one of the quizzes.
  snapshots.value = 1_800;
  const stopped = await upload(target, account, zip, 'published=true').finally(
    () => (snapshots.value = before),
  );
  expect(stopped).toMatchObject({
    state: 'stopped',
    error: expect.stringMatching(
      / Quizzes whose results are not stored stay drafts: undo this import, then import the archive again\.$/,
    ),
  });
  expect(await quizzesOf(target, account)).toEqual([
    'A: published, 1 of 1',
    'B: draft, 0 of 1',
    'C: published, 0 of 1',
  ]);
  await account.delete(`/imports/${stopped.id}/quizzes`).expect(200);
  const again = await upload(target, account, zip, 'published=true');
  expect(again).toMatchObject({ state: 'completed', error: null });
  expect(await quizzesOf(target, account)).toEqual([
    'A: published, 1 of 1',
    'B: published, 1 of 1',
    'C: published, 0 of 1',
  ]);
});

it('a transaction of results that is rolled back and repeated stores each result once', async () => {
  const account = await target.account('pro');
  const [one, other] = [await makeQuiz(account), await makeQuiz(account)];
  const attempts = Array.from({ length: 250 }, () => attemptOf(yesterday()));
  const store = async (quizId: string, lines: unknown[]) => {
    let counted = -1;
    await importResults(
      { id: quizId, ownerId: account.accountId, uploadedAt: new Date(), questions: [] },
      Readable.from(lines),
      new Date(),
      async (work) => {
        const rolledBack = new Error('as a deadlock');
        const first = target.database.transaction(async (tx) => {
          await work(tx);
          throw rolledBack;
        });
        await expect(first).rejects.toBe(rolledBack);
        return target.database.transaction(work);
      },
      (_, leftOut) => {
        counted = leftOut;
        return Promise.resolve();
      },
    );
    return counted;
  };
  expect(await store(one.id, [VERSION, ...attempts.slice(0, 30)])).toBe(0);
  expect(await store(other.id, [VERSION, ...attempts])).toBe(30);
  const rows = await target.database.query<{ attempts: number }[]>(
    `SELECT count(*)::int AS attempts FROM quiz_attempts WHERE quiz_id = ANY ($1) GROUP BY quiz_id ORDER BY 1`,
    [[one.id, other.id]],
  );
  expect(rows).toEqual([{ attempts: 30 }, { attempts: 220 }]);
});

it('attempts with many typed answers are stored in transactions of some megabytes', async () => {
  const account = await target.account('pro');
  const { id: quizId } = await makeQuiz(account);
  const questions = Array.from({ length: 300 }, (_, n) => n + 1);
  const versions = questions.map((question) => ({
    version: {
      question,
      text: `Q${question}?`,
      type: 'OPEN_ENDED',
      difficulty: 'EASY',
      explanation: null,
      answers: [{ answer: 1, text: 'x', isCorrect: true }],
    },
  }));
  const text = 'x'.repeat(1_000);
  const given = questions.map((version) => ({ version, answers: null, text, correct: false }));
  // 310 KB each.
  const attempts = Array.from({ length: 20 }, () => ({
    attempt: { ...attemptOf(yesterday()).attempt, versions: questions, given },
  }));
  let transactions = 0;
  await importResults(
    { id: quizId, ownerId: account.accountId, uploadedAt: new Date(), questions: [] },
    Readable.from([...versions, ...attempts]),
    new Date(),
    (work) => {
      transactions++;
      return target.database.transaction(work);
    },
    () => Promise.resolve(),
  );
  expect(transactions).toBe(3);
  const [stored] = await target.database.query<[object]>(
    `SELECT count(DISTINCT a.id)::int AS attempts, count(*)::int AS answers
     FROM quiz_attempts a JOIN quiz_answers ON attempt_id = a.id WHERE quiz_id = $1`,
    [quizId],
  );
  expect(stored).toEqual({ attempts: 20, answers: 6_000 });
});

it('an archive of another machine whose process dies while it is stored fails, and nothing of it is left', async () => {
  const account = await target.account('pro');
  const zip = await zipOf(MARK, quiz());
  const options = { dryRun: false, difficulty: 'MEDIUM' as const, published: false };
  const now = target.clock.now();
  const job = await target.database.transaction((tx) =>
    insertImport(tx, account.accountId, 'quizzes.zip', options, now, zip.length),
  );
  const countOf = async (table: string) => {
    const [{ rows }] = await target.database.query<[{ rows: number }]>(
      `SELECT count(*)::int AS rows FROM ${table} WHERE import_id = $1`,
      [job.id],
    );
    return rows;
  };
  const bytes = {
    async *[Symbol.asyncIterator]() {
      yield Buffer.concat([zip.subarray(0, 40)]);
      // Its questions are staged, so this is read to be stored.
      if ((await countOf('import_questions')) > 0) throw new Error('killed');
      yield zip.subarray(40);
    },
  };
  const runner = target.app.get(ImportRunnerService);
  await expect(runner.work(job, [{ name: 'quizzes.zip', bytes }])).rejects.toThrow('killed');
  // No worker continues it, with a part of the file.
  expect(await takeImport(target.database, job.id, now, false)).toBeNull();
  target.clock.advance(61_000);
  const events = target.app.get(DomainEvents, { strict: false });
  await new ImportRetention(target.database, target.clock, events).prune();
  const { body } = await account.get(`/imports/${job.id}`).expect(200);
  expect(body.data).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('stopped before it had read the whole file'),
  });
  expect([await countOf('import_questions'), await countOf('import_chunks')]).toEqual([0, 0]);
  const person = await signIn(target, account);
  expect((await person.open('/notices')).text).toContain('quizzes.zip');
});

it('an archive with more results than can be imported is refused', async () => {
  const { archivedResults } = LIMITS.imports;
  const before = archivedResults.value;
  // As many as are allowed take ten seconds of CPU time to read.
  archivedResults.value = 2_000;
  const lines = (most: number) =>
    Array.from({ length: most }, (_, at) => `{"flag":{"question":${1 + at},"kind":"key"}}\n`);
  const last = async (most: number) => {
    const content = lines(most);
    const zip = await zipOf(MARK, quiz(), { name: 'results/00001-a.jsonl', content });
    return (await rowsOf([zip])).at(-1);
  };
  try {
    expect(await last(2_000)).not.toHaveProperty('fatal');
    expect(await last(2_001)).toEqual({
      line: 1,
      error: expect.stringContaining('more than 2,000 attempts and other results'),
      fatal: true,
    });
  } finally {
    archivedResults.value = before;
  }
});

it('attempts of an archive are deleted when they are 90 days old, as all others, and the leaderboard stays', async () => {
  const account = await target.account('pro');
  const times = [91, 89].map((days) => new Date(Date.now() - days * DAY));
  const attempts = times.map(attemptOf);
  const player = {
    player: {
      player: 'ann',
      score: 1,
      timeSpent: 60,
      reachedAt: times[0]!.toISOString(),
      attempt: attempts[0]!.attempt.id,
      questionsPerAttempt: 0,
      hiddenAt: null,
    },
  };
  const zip = await zipOf(MARK, quiz(), results(VERSION, ...attempts, player));
  const done = await upload(target, account, zip);
  expect(done).toMatchObject({ state: 'completed', totals: { quizzes: 1 } });
  await target.app.get(AttemptRetention).prune();
  const [{ id }] = (await account.get('/quizzes?mine=true').expect(200)).body.data;
  const { body } = await account.get(`/quizzes/${id}/attempts`).expect(200);
  expect(body.data.map((it: { id: string }) => it.id)).toEqual([attempts[1]!.attempt.id]);
  const { body: board } = await account.get(`/quizzes/${id}/leaderboard`).expect(200);
  expect(board.data).toHaveLength(1);
});

it('an archive is refused for one quiz, under another title or in another category', async () => {
  const account = await target.account('pro');
  const { id } = await makeQuiz(account, { title: 'Alone', published: false });
  for (const query of [`quiz_id=${id}`, 'title=X', 'category=X'])
    expect(await upload(target, account, archive, query)).toMatchObject({
      state: 'failed',
      error:
        'quizzes.zip: The archive of an account is imported as it is: leave out the quiz, the title and the category.',
    });
  expect(await quizzesOf(target, account)).toEqual(['Alone: draft, 0 of 0']);
});

it('an account exports once at a time, and anybody only their own', async () => {
  await source.get('/export').expect(401);
  const other = await source.account('free');
  expect([...(await filesIn(await download(other))).keys()]).toEqual(['manifest.json']);
  const exports = source.app.get(ExportsService);
  const first = exports.account(other.accountId);
  const { body } = await other.get('/export').expect(409);
  expect(body.error).toContain('under way');
  first.destroy();
  await eventually(() => other.get('/export').expect(200));
});

it('the page of the account downloads the archive', async () => {
  const person = await signIn(source, owner);
  const page = await person.open('/account');
  expect(page.text).toContain('href="/dashboard/account/export"');
  const file = await person.open('/account/export').buffer().parse(asBytes);
  expect(sha(file.body as Buffer)).toBe(sha(await download(owner)));
});

it('the page of imports shows a preview of an archive, and imports it', async () => {
  const { account, visitor } = await signedIn(target, 'pro');
  const { headers } = await request(target.url)
    .post('/dashboard/imports')
    .set({ Cookie: visitor.cookie, 'Sec-Fetch-Site': 'same-origin' })
    .attach('file', archive, { filename: 'quizzes.zip' })
    .expect(303);
  const page = headers.location!;
  const id = page.split('/').at(-1)!;
  const runner = target.app.get(ImportRunnerService);
  await runner.run(id);
  expect(wordsOf(await visitor.get(page).expect(200))).toContain('Import 10 questions');
  expect(await quizzesOf(target, account)).toEqual([]);
  await visitor.post(`${page}/start`).expect(303);
  await runner.run(id);
  expect(wordsOf(await visitor.get(page).expect(200))).toContain('10 questions imported');
  expect(await quizzesOf(target, account)).toHaveLength(3);
});

it('a backup reads the first schema, keeps the last three, and a failure is reported and stops nothing', async () => {
  const old = await emptyDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'quiz-backup-'));
  try {
    await migrate(old.url, { migrations: readMigrations().slice(0, 1) });
    expect(await isUpgrade(old.url)).toBe(true);
    const database = await new DataSource({ type: 'postgres', url: old.url }).initialize();
    const [account, quiz, question, attempt] = [1, 2, 3, 4].map(() => newId());
    const answers = [
      { id: newId(), text: 'Yes', isCorrect: true },
      { id: newId(), text: 'No', isCorrect: false },
    ];
    const shown = {
      [question!]: {
        place: 1,
        type: 'MULTIPLE_CHOICE',
        text: 'Old?',
        difficulty: 'EASY',
        explanation: null,
        answers,
      },
    };
    await database.query(
      `INSERT INTO accounts (id, email, email_key, plan, is_admin, created_at) VALUES ($1, 'Old/1@example.com', 'x', 'pro', true, now())`,
      [account],
    );
    await database.query(
      `INSERT INTO quizzes (id, owner_id, title, title_sort, category_key, difficulty, tags, tag_keys, slug, published, approval, is_public, featured, created_at, updated_at)
       VALUES ($1, $2, 'Old', 'old', '', 'EASY', '{}', '{}', 'old', true, 'approved', true, false, '2026-01-02T03:04:05Z', now())`,
      [quiz, account],
    );
    await database.query(
      `INSERT INTO questions (id, quiz_id, position, text, type, difficulty, answers, fingerprint, is_public, owner_id, category_key)
       VALUES ($1, $2, 1, 'Old?', 'MULTIPLE_CHOICE', 'EASY', $3, gen_random_uuid(), true, $4, '')`,
      [question, quiz, JSON.stringify(answers), account],
    );
    await database.query(
      `INSERT INTO quiz_snapshots (id, quiz_id, owner_id, bytes, questions, question_count, created_at) VALUES ($1, $2, $3, 9, $4, 1, now())`,
      [attempt, quiz, account, JSON.stringify(shown)],
    );
    await database.query(
      `INSERT INTO quiz_attempts (id, quiz_id, snapshot_id, account_id, owner_id, player, shuffle, reveal, started_at, submitted_at, score, time_spent, counted)
       VALUES ($1, $2, $1, $3, $3, 'ann', false, false, now(), now(), 1, 5, true)`,
      [attempt, quiz, account],
    );
    await database.destroy();
    const reported: string[] = [];
    for (let day = 1; day <= 4; day++)
      await backUp(
        old.url,
        folder,
        (message) => reported.push(message),
        new Date(Date.UTC(2026, 0, day)),
      );
    expect(reported).toHaveLength(4);
    expect(reported[0]).toMatch(
      /^This version changes the schema of the database: everything of 1 account was written to /,
    );
    const kept = readdirSync(join(folder, 'backups')).sort();
    expect(kept.map((name) => name.slice(0, 10))).toEqual([
      '2026-01-02',
      '2026-01-03',
      '2026-01-04',
    ]);
    const [file] = readdirSync(join(folder, 'backups', kept[0]!));
    expect(file).toMatch(/^Old_1@example.com-.*\.zip$/);
    const zip = readFileSync(join(folder, 'backups', kept[0]!, file!));
    const person = await target.account('pro');
    const done = await upload(target, person, zip, 'published=true');
    expect(done).toMatchObject({ state: 'completed', totals: { imported: 1, quizzes: 1 } });
    const [{ id }] = (await person.get('/quizzes?mine=true').expect(200)).body.data;
    const { body } = await person.get(`/quizzes/${id}/attempts`).expect(200);
    expect(body.data).toEqual([
      expect.objectContaining({ player: 'ann', timeSpent: 5, counted: true }),
    ]);
    const files = jest.requireActual<typeof import('node:fs/promises')>('node:fs/promises');
    const rm = jest.spyOn(files, 'rm').mockRejectedValueOnce(new Error('EBUSY'));
    await backUp(old.url, folder, (message) => reported.push(message));
    rm.mockRestore();
    expect(reported.slice(4)).toEqual([
      expect.stringMatching(/everything of 1 account was written to /),
      expect.stringMatching(/^Older backups in .*backups could not be deleted: EBUSY\.$/),
    ]);
    // A file is in the place of the folder.
    rmSync(join(folder, 'backups'), { recursive: true });
    writeFileSync(join(folder, 'backups'), '');
    await backUp(old.url, folder, (message) => reported.push(message));
    expect(reported[6]).toMatch(/the backup in .* failed before: .*\. The start goes on\.$/);
  } finally {
    rmSync(folder, { recursive: true });
    await old.drop();
  }
});

function* zeros(mebibytes: number): Generator<Uint8Array> {
  const zero = Buffer.alloc(1_048_576);
  for (let n = 0; n < mebibytes; n++) yield zero;
}

/** The first file after the manifest becomes a symbolic link. */
function linked(file: Buffer): Buffer {
  const copy = Buffer.from(file);
  const at = copy.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1'));
  copy.writeUInt32LE((0o120777 << 16) >>> 0, at + 38);
  return copy;
}

const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

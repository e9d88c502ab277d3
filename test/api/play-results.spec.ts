import { hash } from 'node:crypto';
import request from 'supertest';
import { OwnedQuizzesService } from '../../src/catalog/quizzes/owned-quizzes.service';
import { readMigrations } from '../../src/platform/database/migrate';
import { LIMITS } from '../../src/platform/limits/limits';
import { versionOf } from '../../src/play/results/item-analysis.rules';
import { ReportsService } from '../../src/play/results/reports.service';
import { ResultsService } from '../../src/play/results/results.service';
import { AttemptRetention } from '../../src/play/submission/attempt-retention.service';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { signIn, type Window } from '../support/dashboard';
import { waitForLocks } from '../support/locks';
import { questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { cookieOf, Visitor, wordsOf } from '../support/visitor';

const DAY = 86_400_000;

const QUESTIONS = [
  questionBody(),
  questionBody({
    text: 'Which of these flow into the Black Sea?',
    answers: [
      { text: 'The Dnieper', isCorrect: true },
      { text: 'The Dniester', isCorrect: true },
      { text: '=The Volga', isCorrect: false },
    ],
  }),
  questionBody({
    text: 'What is the longest river of Europe?',
    type: 'OPEN_ENDED',
    answers: [
      { text: 'Volga', isCorrect: true },
      { text: 'The Volga', isCorrect: true },
    ],
  }),
];

let service: Service;
let owner: TestAccount;
let app: TestAccount;
let administrator: TestAccount;

beforeAll(async () => {
  service = await startService({ MODERATION: 'auto' });
  owner = await service.account('pro');
  app = await service.account('free');
  administrator = await service.account('free', { isAdmin: true });
});
afterAll(() => service.close());

let titles = 0;
const quizOf = (fields: object = {}) =>
  makeQuiz(owner, { title: `Results ${++titles}`, ...fields }, QUESTIONS);

/** What a player gives: positions of answers, a text, or null for none. */
type Given = number[] | string | null;

/** Plays with these answers. @returns the attempt's id */
async function play(quiz: MadeQuiz, player: string, given: Given[]): Promise<string> {
  const { body } = await app.post(`/quizzes/${quiz.id}/attempts`, { player }).expect(201);
  const attempt = body.data.id as string;
  for (const [index, answer] of given.entries()) {
    const question = quiz.questions[index]!;
    if (answer === null) continue;
    const of =
      typeof answer === 'string'
        ? { text: answer }
        : { answerIds: answer.map((position) => question.answers[position]?.id) };
    await app.post(`/attempts/${attempt}/answers`, { questionId: question.id, ...of }).expect(200);
  }
  await app.post(`/attempts/${attempt}/submit`).expect(200);
  return attempt;
}

const statisticsOf = async ({ id }: { id: string }) =>
  (await owner.get(`/quizzes/${id}/statistics`).expect(200)).body.data;
const attemptsOf = async ({ id }: { id: string }, query = '') =>
  (await owner.get(`/quizzes/${id}/attempts${query}`).expect(200)).body;
const correctOf = async (quiz: MadeQuiz) =>
  (await statisticsOf(quiz)).questions.map(
    ({ attempts, correct }: { attempts: number; correct: number }) => [correct, attempts],
  );

describe('access to the results of a quiz', () => {
  let quiz: MadeQuiz;
  let draft: MadeQuiz;
  beforeAll(async () => {
    quiz = await quizOf();
    draft = await quizOf({ published: false });
  });

  it.each(['attempts', 'statistics'])(
    '%s are for the owner and administrators: others get 401, 403 or 404',
    async (what) => {
      await owner.get(`/quizzes/${draft.id}/${what}`).expect(200);
      await administrator.get(`/quizzes/${quiz.id}/${what}`).expect(200);
      await administrator.get(`/quizzes/${draft.id}/${what}`).expect(404);
      const { body } = await app.get(`/quizzes/${quiz.id}/${what}`).expect(403);
      expect(body.error).toBe(
        'This quiz belongs to another account. Only its owner sees its results.',
      );
      await service.get(`/quizzes/${quiz.id}/${what}`).expect(401);
      await owner.get(`/quizzes/none/${what}`).expect(404);
      for (const scope of ['play', 'write', 'publish'] as const)
        await (
          await service.keyOf(owner, { scopes: [scope] })
        )
          .get(`/quizzes/${quiz.id}/${what}`)
          .expect(403, /scope `read`/);
      await owner.get(`/quizzes/${quiz.id}/${what}?format=xml`).expect(400);
    },
  );

  it.each(['limit=51', 'offset=x', 'since=yesterday'])(
    'a list of attempts with %s is refused',
    async (query) => {
      await owner.get(`/quizzes/${quiz.id}/attempts?${query}`).expect(400);
    },
  );

  it('a quiz that nobody played has no attempts and no averages', async () => {
    expect(await attemptsOf(quiz)).toEqual({
      success: true,
      data: [],
      meta: { total: 0, limit: 10, offset: 0 },
    });
    expect(await statisticsOf(quiz)).toMatchObject({
      attempts: 0,
      averagePercent: null,
      averageTime: null,
      questions: [{ attempts: 0, correct: 0, analysis: null, flags: [] }, {}, {}],
    });
  });
});

describe('the attempts at a quiz', () => {
  it('lists submitted attempts, newest first, with the given answers', async () => {
    const quiz = await quizOf();
    const first = await play(quiz, 'Ada', [[0], [0, 1], ' volga ']);
    await play(quiz, 'Ada', [[1], null, null]);
    await app.post(`/quizzes/${quiz.id}/attempts`, { player: 'open' }).expect(201);

    const { data, meta } = await attemptsOf(quiz, '?limit=1&offset=1');
    const [one, several, open] = quiz.questions;
    const ids = (of: typeof one, ...positions: number[]) =>
      positions.map((position) => of?.answers[position]?.id);
    expect(meta).toEqual({ total: 2, limit: 1, offset: 1 });
    expect(data).toEqual([
      {
        id: first,
        player: 'Ada',
        name: 'Ada',
        score: 3,
        total: 3,
        timeSpent: expect.any(Number),
        startedAt: expect.stringMatching(/Z$/),
        submittedAt: expect.stringMatching(/Z$/),
        counted: true,
        answers: [
          { questionId: one?.id, answerIds: ids(one, 0), text: null, correct: true },
          { questionId: several?.id, answerIds: ids(several, 0, 1), text: null, correct: true },
          { questionId: open?.id, answerIds: null, text: 'volga', correct: true },
        ],
      },
    ]);
    const [again] = (await attemptsOf(quiz)).data;
    expect(again).toMatchObject({ score: 0, counted: false, answers: [{ correct: false }] });

    const { submittedAt } = again as { submittedAt: string };
    const later = new Date(Date.parse(submittedAt) + 1).toISOString();
    expect((await attemptsOf(quiz, `?since=${submittedAt}`)).meta.total).toBeGreaterThan(0);
    expect((await attemptsOf(quiz, `?since=${later}`)).meta.total).toBe(0);
  });

  it('as CSV has a line for each attempt, and formulas are guarded', async () => {
    const quiz = await quizOf();
    await play(quiz, '=cmd', [[1], [2], 'The "Po", or so']);
    const { text, headers } = await owner
      .get(`/quizzes/${quiz.id}/attempts?format=csv`)
      .expect(200);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(headers['content-disposition']).toContain(`results-${titles}-attempts.csv`);
    const [head, line] = text.slice(1).split('\r\n');
    expect(head).toBe(
      'player,score,questions,seconds,started,submitted,counted,1. Which river flows through Vienna?,1 correct,' +
        '2. Which of these flow into the Black Sea?,2 correct,3. What is the longest river of Europe?,3 correct',
    );
    expect(line).toMatch(
      /^'=cmd,0,3,\d+,\S+Z,\S+Z,yes,The Rhine,0,'=The Volga,0,"The ""Po"", or so",0$/,
    );
  });

  it('as CSV guards formulas within answers, where Excel splits at ";"', async () => {
    const quiz = await quizOf();
    await play(quiz, 'x', [null, [0, 2], "x;=cmd|' /C calc'!A0"]);
    const { text } = await owner.get(`/quizzes/${quiz.id}/attempts?format=csv`).expect(200);
    expect(text).toContain(`,"The Dnieper;' =The Volga",0,"x;'=cmd|' /C calc'!A0",0\r\n`);
  });

  it('a file of attempts has at most as many cells as its limit', async () => {
    const quiz = await quizOf();
    for (const player of ['a', 'b', 'c']) await play(quiz, player, [[0]]);
    const { resultCells } = LIMITS.requests;
    const before = resultCells.value;
    const linesOf = async (cells: number) => {
      resultCells.value = cells;
      const { text } = await owner.get(`/quizzes/${quiz.id}/attempts?format=csv`).expect(200);
      return text.match(/^[abc],.*/gm) ?? [];
    };
    try {
      const [line = ''] = await linesOf(before);
      const columns = line.split(',').length;
      for (const [cells, players] of [
        [2 * columns, ['c', 'b']],
        [2 * columns - 1, ['c']],
      ] as const)
        expect((await linesOf(cells)).map((each) => each[0])).toEqual(players);
    } finally {
      resultCells.value = before;
    }
  });

  it('a file of attempts has at most as many bytes as its limit', async () => {
    const quiz = await quizOf();
    for (const player of ['a', 'b', 'c']) await play(quiz, player, [[0]]);
    const file = async () =>
      (await owner.get(`/quizzes/${quiz.id}/attempts?format=csv`).expect(200)).text;
    const playersIn = (text: string) => (text.match(/^[abc],.*/gm) ?? []).map((it) => it[0]);
    const { resultBytes } = LIMITS.requests;
    const before = resultBytes.value;
    const whole = (await file()).replace('\ufeff', '');
    expect(playersIn(whole)).toEqual(['c', 'b', 'a']);
    try {
      resultBytes.value = Buffer.byteLength(whole);
      expect(playersIn(await file())).toEqual(['c', 'b', 'a']);
      resultBytes.value--;
      expect(playersIn(await file())).toEqual(['c', 'b']);
    } finally {
      resultBytes.value = before;
    }
  });

  it('a page of attempts has at most as many bytes of answers as its limit', async () => {
    const quiz = await quizOf();
    for (const player of ['a', 'b', 'c']) await play(quiz, player, [null, null, 'é'.repeat(500)]);
    const { resultPageBytes } = LIMITS.requests;
    const before = resultPageBytes.value;
    try {
      // Each answer counts with 1,000 bytes of text and 120 of names.
      resultPageBytes.value = 3_360;
      expect((await attemptsOf(quiz)).data).toHaveLength(3);
      resultPageBytes.value--;
      const { body, headers } = await owner.get(`/quizzes/${quiz.id}/attempts`).expect(400);
      expect(body.error).toMatch(/set limit to 2, or use format=csv\.$/);
      expect(headers['x-error-code']).toBe('page-too-large');
      expect((await attemptsOf(quiz, '?limit=2')).data).toHaveLength(2);
      expect((await attemptsOf(quiz, '?limit=2&offset=2')).data).toHaveLength(1);
      const { text } = await owner.get(`/quizzes/${quiz.id}/attempts?format=csv`).expect(200);
      expect(text.match(/^[abc](?=,)/gm)).toEqual(['c', 'b', 'a']);
      const window = await signIn(service, owner);
      const page = await window.open(`/quizzes/${quiz.id}/results`).expect(200);
      expect(page.text.match(/(?<=title=")[abc](?=">)/g)).toEqual(['c', 'b', 'a']);
    } finally {
      resultPageBytes.value = before;
    }
  });

  it('an attempt with more bytes of answers than a page may have is a page of its own', async () => {
    const quiz = await quizOf();
    for (const player of ['a', 'b', 'c']) await play(quiz, player, [null, null, 'é'.repeat(500)]);
    const { resultPageBytes } = LIMITS.requests;
    const before = resultPageBytes.value;
    try {
      resultPageBytes.value = 1_000;
      const { body } = await owner.get(`/quizzes/${quiz.id}/attempts`).expect(400);
      expect(body.error).toMatch(/set limit to 1, or use format=csv\.$/);
      const [attempt] = (await attemptsOf(quiz, '?limit=1&offset=1')).data;
      expect(attempt).toMatchObject({ player: 'b', answers: [{ text: 'é'.repeat(500) }] });
      const { text } = await owner.get(`/quizzes/${quiz.id}/attempts?format=csv`).expect(200);
      expect(text.match(/^[abc](?=,)/gm)).toEqual(['c', 'b', 'a']);
    } finally {
      resultPageBytes.value = before;
    }
  });

  it('a file of attempts has each of more than a page once, also of those submitted at the same time', async () => {
    const quiz = await quizOf();
    await play(quiz, 'one', [[0]]);
    await service.database.query(
      `INSERT INTO quiz_attempts SELECT (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'player', 'player ' || n))).*
       FROM quiz_attempts a, generate_series(1, 120) n WHERE quiz_id = $1`,
      [quiz.id],
    );
    const { text } = await owner.get(`/quizzes/${quiz.id}/attempts?format=csv`).expect(200);
    const names = (text.match(/^(?:one|player \d+)(?=,)/gm) ?? []) as string[];
    expect(names).toHaveLength(121);
    expect(new Set(names).size).toBe(121);
  });
});

describe('the statistics of a quiz', () => {
  it('count the first attempt of each player with an answer, by question and by option', async () => {
    const quiz = await quizOf();
    await play(quiz, 'Ada', [[0], [0, 1], 'Volga']);
    await play(quiz, 'Ada', [[1], [2], 'Po']);
    await play(quiz, 'Grace', [[1], [0, 2], null]);
    await play(quiz, 'nobody', []);

    const statistics = await statisticsOf(quiz);
    expect(statistics).toMatchObject({
      quizId: quiz.id,
      attempts: 2,
      averagePercent: 50,
      averageTime: expect.any(Number),
    });
    const [one, several, open] = statistics.questions;
    expect(one).toEqual({
      questionId: quiz.questions[0]?.id,
      order: 1,
      text: 'Which river flows through Vienna?',
      type: 'MULTIPLE_CHOICE',
      difficulty: 'EASY',
      attempts: 2,
      correct: 1,
      unanswered: 0,
      options: quiz.questions[0]?.answers.map(({ id, text, isCorrect }, index) => ({
        answerId: id,
        text,
        isCorrect,
        chosen: [1, 1, 0][index],
        discrimination: null,
      })),
      analysis: null,
      checkKey: null,
      flags: [],
      openReports: 0,
    });
    expect(several.options.map(({ chosen }: { chosen: number }) => chosen)).toEqual([2, 1, 1]);
    expect(open).toMatchObject({ attempts: 2, correct: 1, unanswered: 1, options: [] });
    expect((await owner.get(`/quizzes/${quiz.id}/leaderboard`)).body.data).toHaveLength(2);
  });

  it('from 30 attempts on have Moodle’s figures, and a wrong key is flagged with the answer of good players', async () => {
    const quiz = await quizOf();
    // Good players are right, but at the first question they all choose the second answer.
    for (let player = 0; player < 30; player++) {
      const isGood = player % 2 === 0;
      const middle = player % 3 === 0 ? [0] : [0, 1];
      const last = player % 5 < 4 === isGood ? 'Volga' : 'Po';
      await play(quiz, `p${player}`, [[isGood ? 1 : 0], middle, last]);
    }
    const { data } = await attemptsOf(quiz, '?limit=50');
    const statistics = await statisticsOf(quiz);
    const [one, several] = statistics.questions;
    expect(one.flags).toEqual([{ kind: 'key', answerIds: [quiz.questions[0]?.answers[1]?.id] }]);
    expect(one.analysis.discriminationIndex).toBeLessThan(-30);
    expect(one.options[1].discrimination).toBeCloseTo(-one.options[0].discrimination, 6);
    expect(several.flags).toEqual([]);
    expect(several.analysis).toMatchObject({ measuredDifficulty: 'MEDIUM' });
    const page = await (await signIn(service, owner)).open(`/quizzes/${quiz.id}/results`);
    expect(wordsOf(page)).toContain('Item analysis harder than marked: medium');

    const marks = (data as { score: number; answers: { correct: boolean }[] }[]).map(
      ({ score, answers }): [number, number] => {
        const isCorrect = Number(answers[1]!.correct);
        return [isCorrect, score - isCorrect];
      },
    );
    const mean = (of: (mark: [number, number]) => number) =>
      marks.reduce((sum, mark) => sum + of(mark), 0) / marks.length;
    const [x, y] = [mean(([mark]) => mark), mean(([, rest]) => rest)];
    const index =
      mean(([mark, rest]) => (mark - x) * (rest - y)) /
      Math.sqrt(mean(([mark]) => (mark - x) ** 2) * mean(([, rest]) => (rest - y) ** 2));
    expect(several.analysis.facility).toBeCloseTo(100 * x, 6);
    expect(several.analysis.discriminationIndex).toBeCloseTo(100 * index, 6);
    expect(several.analysis.discriminativeEfficiency).toBeLessThanOrEqual(100);

    const { text } = await owner.get(`/quizzes/${quiz.id}/statistics?format=csv`).expect(200);
    const [head, line] = text.slice(1).split('\r\n');
    expect(head).toMatch(/^number,question,type,.*,flags,open reports,answer 1,chosen 1,/);
    expect(line).toMatch(
      /^1,Which river flows through Vienna\?,.*,key,0,The Danube \(correct\),15,/,
    );
    // As a number, not as text behind an apostrophe.
    expect(line).toContain(`,${Number(one.analysis.discriminationIndex.toFixed(2))},`);
  });
});

it('of attempts that a player submits at the same time one counts', async () => {
  const quiz = await quizOf();
  const answer = {
    questionId: quiz.questions[0]?.id,
    answerIds: [quiz.questions[0]?.answers[0]?.id],
  };
  const attempts: string[] = [];
  for (let number = 0; number < 6; number++) {
    const { body } = await app.post(`/quizzes/${quiz.id}/attempts`, { player: 'Ada' }).expect(201);
    await app.post(`/attempts/${body.data.id}/answers`, answer).expect(200);
    attempts.push(body.data.id as string);
  }
  await Promise.all(attempts.map((id) => app.post(`/attempts/${id}/submit`).expect(200)));
  expect((await statisticsOf(quiz)).attempts).toBe(1);
});

describe('the statistics of a changed quiz', () => {
  it('an edited question starts again, an edited explanation or another question changes nothing', async () => {
    const quiz = await quizOf();
    await play(quiz, 'Ada', [[0], [0, 1], 'Volga']);
    const [one, two, three] = quiz.questions;
    await owner.patch(`/questions/${one?.id}`, { text: 'Vienna?' }).expect(200);
    await owner.patch(`/questions/${two?.id}`, { explanation: 'See a map.' }).expect(200);
    expect(await correctOf(quiz)).toEqual([
      [0, 0],
      [1, 1],
      [1, 1],
    ]);
    await owner.delete(`/questions/${three?.id}`).expect(204);
    await play(quiz, 'Grace', [[0], [0]]);
    expect(await correctOf(quiz)).toEqual([
      [1, 1],
      [1, 2],
    ]);
    // The edit is taken back: so is the new start.
    await owner.patch(`/questions/${one?.id}`, { text: one?.text }).expect(200);
    expect((await correctOf(quiz))[0]).toEqual([1, 1]);
    expect(await statisticsOf(quiz)).toMatchObject({ attempts: 2, averagePercent: 75 });
  });

  it('the figures per option survive a change of the key, and the present key decides what is correct', async () => {
    const quiz = await quizOf();
    const [first, , three] = quiz.questions;
    const inMarkdown = {
      format: 'markdown',
      text: 'Is **it** $\\frac12$?',
      answers: ['`a`', '*b*', '$\\frac12$'].map((text, at) => ({ text, isCorrect: at === 0 })),
    };
    const { body } = await owner.patch(`/questions/${first?.id}`, inMarkdown).expect(200);
    const one = body.data as typeof first;
    quiz.questions[0] = one!;
    for (const player of ['Ada', 'Grace', 'Alan']) await play(quiz, player, [[1], [0, 1], 'Volga']);
    await play(quiz, 'Kurt', [[0], [2], 'Po']);
    await play(quiz, 'Emmy', [[2], [2], null]);
    const keyTo = (position: number) =>
      owner
        .patch(`/questions/${one?.id}`, {
          answers: one?.answers.map(({ text }, at) => ({ text, isCorrect: at === position })),
        })
        .expect(200);
    await keyTo(1);
    const added = { answers: ['Volga', 'Wolga'].map((text) => ({ text, isCorrect: true })) };
    await owner.patch(`/questions/${three?.id}`, added).expect(200);
    const { questions } = await statisticsOf(quiz);
    expect(questions[0].options.map(({ chosen }: { chosen: number }) => chosen)).toEqual([1, 3, 1]);
    expect(questions[0]).toMatchObject({ attempts: 5, correct: 3, checkKey: null });
    expect(questions[2]).toMatchObject({ attempts: 5, correct: 3 });
    await keyTo(2);
    const checkKey = { answerId: one?.answers[1]?.id, chosen: 3, keyed: 1 };
    expect((await statisticsOf(quiz)).questions[0]).toMatchObject({ correct: 1, checkKey });
    // In a sentence there is no markup.
    const author = await signIn(service, owner);
    expect(wordsOf(await author.open(`/quizzes/${quiz.id}/results`))).toContain(
      '3 of 5 players chose “b”; 1 chose “1/2”, which is marked correct.',
    );
  });

  it('figures of the version before, which belong to a key, are found after its migration', async () => {
    const quiz = await quizOf();
    const text = 'Who said "Götter\\t\u2028"?\n\tAnd 🎻?';
    await owner.patch(`/questions/${quiz.questions[0]?.id}`, { text }).expect(200);
    await play(quiz, 'Ada', [[0], [0, 1], 'Volga']);
    const found = await statisticsOf(quiz);
    const rows: { answers: { id: string; text: string; isCorrect: boolean }[] }[] =
      await service.database.query('SELECT * FROM questions WHERE quiz_id = $1', [quiz.id]);
    for (const row of rows as ((typeof rows)[number] & Parameters<typeof versionOf>[0])[]) {
      const answers = row.answers.map(({ id, text, isCorrect }) => [id, text, isCorrect]);
      const former = hash('sha256', JSON.stringify([row.id, row.type, row.text, answers]));
      await service.database.query(
        'UPDATE question_results SET version = $1 WHERE quiz_id = $2 AND version = $3',
        [former.slice(0, 32), quiz.id, versionOf(row)],
      );
    }
    expect((await statisticsOf(quiz)).questions[0].attempts).toBe(0);
    const migration = readMigrations().find(({ name }) => name.startsWith('0020_'));
    await service.database.transaction((tx) => tx.query(migration!.sql));
    expect(await statisticsOf(quiz)).toEqual(found);
  });

  it('sums outlive the attempts that retention deletes, and are deleted with the quiz', async () => {
    const quiz = await quizOf();
    await play(quiz, 'Ada', [[0], [0, 1], 'Volga']);
    const retention = service.app.get(AttemptRetention);
    service.clock.advance(91 * DAY);
    await retention.prune();
    expect((await attemptsOf(quiz)).meta.total).toBe(0);
    expect(await statisticsOf(quiz)).toMatchObject({ attempts: 1, averagePercent: 100 });

    await owner.delete(`/quizzes/${quiz.id}`).expect(204);
    await owner.get(`/quizzes/${quiz.id}/statistics`).expect(404);
    await retention.prune();
    for (const table of ['quiz_results', 'question_results'])
      expect(
        await service.database.query(`SELECT FROM ${table} WHERE quiz_id = $1`, [quiz.id]),
      ).toEqual([]);
  });
});

describe('the pages of results', () => {
  let mine: Window;
  let reviewers: Window;
  beforeAll(async () => {
    mine = await signIn(service, owner);
    reviewers = await signIn(service, administrator);
  });

  const SAME = { 'Sec-Fetch-Site': 'same-origin' };
  const post = (path: string, fields: object, cookie: string) =>
    request(service.url).post(path).type('form').set(SAME).set('Cookie', cookie).send(fields);
  /** A visitor's attempt at the quiz's page. */
  async function begin(quiz: MadeQuiz, fields: object = {}) {
    const slug = quiz.title.toLowerCase().replace(' ', '-');
    const response = await post(`/play/${slug}`, fields, '').expect(303);
    const cookies = response.headers['set-cookie'] as unknown as string[];
    const cookie = cookies.map((line) => line.split(';')[0]).join('; ');
    const at = String(response.headers.location).replace(/\/1$/, '');
    const answer = quiz.questions[0]?.answers[1]?.id;
    return { at, cookie, answer: () => post(`${at}/1`, { answer }, cookie).expect(303) };
  }
  const get = (path: string, cookie: string) =>
    request(service.url).get(path).set('Cookie', cookie);

  it('show averages, answers and attempts, and an attempt with its answers, to the owner and not to others', async () => {
    const quiz = await quizOf();
    const attempt = await play(quiz, 'Ada <b>', [[1], [0, 1], 'volga']);
    const at = `/quizzes/${quiz.id}/results`;
    const words = wordsOf(await mine.open(at).expect(200));
    // Turning a page of the attempts keeps the order of the questions.
    const second = await mine.open(`${at}?sort=order&page=2`).expect(200);
    expect(second.text).toContain(`href="/dashboard${at}?sort=order&amp;page=1#attempts"`);
    for (const text of ['67 %', 'The Rhine 1 player', '2 of 3', 'Ada &lt;b>'])
      expect(words).toContain(text);
    expect((await mine.open('/quizzes')).text).toContain(`/dashboard${at}`);
    expect((await mine.open(at)).text).toContain('aria-label="Scores. 65 to 75 %: 1 player"');
    const detail = wordsOf(await mine.open(`${at}/${attempt}`).expect(200));
    expect(detail).toContain('The Rhine Correct: The Danube wrong');
    expect(wordsOf(await mine.open(''))).toContain(`${quiz.title} 1 player, 67 % on average`);
    expect((await mine.open(`${at}/attempts.csv`).expect(200)).text).toContain('Ada <b>,2,3,');
    expect((await mine.open(`${at}/questions.csv`).expect(200)).text).toContain('The Rhine,1');
    await reviewers.open(at).expect(200);
    const other = await signIn(service, app);
    for (const path of [at, `${at}/${attempt}`, `${at}/attempts.csv`, `${at}/questions.csv`])
      await other.open(path).expect(404);
    const another = await quizOf();
    await mine.open(`/quizzes/${another.id}/results/${attempt}`).expect(404);
  });

  it('a quiz that is deleted while the overview is read does not keep it from its owner', async () => {
    const [deleted, kept] = [await quizOf(), await quizOf()];
    for (const quiz of [deleted, kept]) await play(quiz, 'Ada', [[1], [0, 1], 'volga']);
    const results = service.app.get(ResultsService);
    const figures = results.figures.bind(results);
    const deleting = jest.spyOn(results, 'figures').mockImplementationOnce(async (ids) => {
      await owner.delete(`/quizzes/${deleted.id}`).expect(204);
      return figures(ids);
    });
    const overview = await mine.open('').expect(200);
    expect(deleting).toHaveBeenCalled();
    deleting.mockRestore();
    expect(wordsOf(overview)).toContain(`${kept.title} 1 player, 67 % on average`);
  });

  it('a browser that has not finished is listed once, by its last name, until it submits under any name', async () => {
    const quiz = await quizOf();
    const path = `/play/results-${titles}`;
    const shown = async () => (await mine.open(`/quizzes/${quiz.id}/results`)).text;
    const begin = async (visitor: Visitor, name: string) => {
      const started = await visitor.post(path, { name }).expect(303);
      visitor.cookie ||= cookieOf(started) ?? '';
      service.clock.advance(1_000);
      return String(started.headers.location).replace(/\/1$/, '');
    };
    const [ada, grace] = [new Visitor(service), new Visitor(service)];
    for (const name of ['Ad', 'Ada']) await begin(ada, name);
    await begin(grace, 'Grace');
    expect(await shown()).toContain('2 started, not finished: <bdi>Grace</bdi>, <bdi>Ada</bdi>');
    await ada.post(await begin(ada, 'Ada L.')).expect(303);
    expect(await shown()).toContain('1 started, not finished: <bdi>Grace</bdi>');
  });

  it('a player reports a question once its answer is revealed, and the author closes the report', async () => {
    const quiz = await quizOf();
    const inMarkdown = { format: 'markdown', text: '**Who** is $x^2$?' };
    await owner.patch(`/questions/${quiz.questions[0]?.id}`, inMarkdown).expect(200);
    const { at, cookie, answer } = await begin(quiz, { reveal: 'yes' });
    const fields = { reason: 'answer', text: 'It is <the> Rhine.' };
    await post(`${at}/1/report`, fields, cookie).expect(404);
    await answer();
    await post(`${at}/1/report`, fields, 'quiz_player=x').expect(404);
    const { headers } = await post(`${at}/1/report`, fields, cookie).expect(303);
    expect((await get(String(headers.location), cookie)).text).toContain('Thank you.');
    await post(at, {}, cookie).expect(303);
    await post(`${at}/1/report`, { ...fields, reason: 'unclear' }, cookie).expect(303);

    const results = `/quizzes/${quiz.id}/results`;
    const page = await mine.open(results).expect(200);
    const words = wordsOf(page);
    expect(words).toContain('1. Who is x²? The question is unclear It is &lt;the> Rhine.');
    expect(words).not.toContain('The marked answer is wrong');
    expect((await statisticsOf(quiz)).questions[0].openReports).toBe(1);
    const notices = wordsOf(await mine.open('/notices'));
    expect(notices).toContain(`A player reports question 1 of “${quiz.title}”`);
    expect(notices).toContain('The question is unclear.');
    expect(wordsOf(await mine.open(`/quizzes?q=${encodeURIComponent(quiz.title)}`))).toContain(
      '1 report',
    );
    expect(wordsOf(await mine.open(`/quizzes/${quiz.id}`))).toContain('1 report of players');
    const overview = await mine.open('');
    expect(wordsOf(overview)).toContain('1 report of players');
    expect(overview.text).toContain(`/dashboard${results}#reports`);
    expect(wordsOf(await reviewers.open('/admin/review'))).toContain(`${quiz.title} 0 1`);

    const close = /results(\/reports\/[^"]*\/close)/.exec(page.text)?.[1] ?? '';
    await (await signIn(service, app)).send(results + close).expect(404);
    await mine.send(results + close).expect(303);
    expect(wordsOf(await mine.open(''))).not.toContain('of players');
    expect((await statisticsOf(quiz)).questions[0].openReports).toBe(0);
    expect(wordsOf(await reviewers.open('/admin/review'))).not.toContain(quiz.title);
    // The same player's further reports of the question stay closed, and make no notice.
    await service.database.query(`DELETE FROM notices WHERE account_id = $1`, [owner.accountId]);
    await post(`${at}/1/report`, fields, cookie).expect(303);
    expect((await statisticsOf(quiz)).questions[0].openReports).toBe(0);
    expect(wordsOf(await mine.open('/notices'))).not.toContain('A player reports');
  });

  it('a report of a question that was deleted since the attempt began is not stored', async () => {
    const quiz = await quizOf();
    const { at, cookie, answer } = await begin(quiz, { reveal: 'yes' });
    await answer();
    await owner.delete(`/questions/${quiz.questions[0]?.id}`).expect(204);
    await post(`${at}/1/report`, { reason: 'answer', text: '' }, cookie).expect(303);
    const reports = service.app.get(ReportsService);
    expect(await reports.open({ accountId: owner.accountId, isAdmin: false }, quiz.id)).toEqual([]);
  });

  it('the list of quizzes and the page of a quiz show its players, and a draft has no button for its leaderboard', async () => {
    const quiz = await quizOf();
    await play(quiz, 'Ada', [[1]]);
    await play(quiz, 'Ada', [[1]]);
    await play(quiz, 'Ben', [[0]]);
    // Plays are counted by network and day.
    await service.database.query('UPDATE quizzes SET plays = 3 WHERE id = $1', [quiz.id]);
    const list = await mine.open(`/quizzes?q=${encodeURIComponent(quiz.title)}`).expect(200);
    expect(list.text).toContain(`aria-label="Results of “${quiz.title}”: 2 players"`);
    const shown = await mine.open(`/quizzes/${quiz.id}`).expect(200);
    expect(wordsOf(shown)).toContain(' 2 players ');
    expect(wordsOf(shown)).toContain('Plays 3, at most one a day for each network');
    const leaderboard = `href="/dashboard/quizzes/${quiz.id}/leaderboard"`;
    expect(shown.text).toContain(leaderboard);
    await owner.patch(`/quizzes/${quiz.id}`, { published: false }).expect(200);
    const draft = await mine.open(`/quizzes/${quiz.id}`).expect(200);
    expect(wordsOf(draft)).toContain(' 2 players ');
    expect(draft.text).not.toContain(leaderboard);
  });

  it('a report needs a known reason and a short text', async () => {
    const quiz = await quizOf();
    const { at, cookie, answer } = await begin(quiz, { reveal: 'yes' });
    await answer();
    const report = (fields: object) => post(`${at}/1/report`, fields, cookie);
    await report({ reason: 'toString' }).expect(422, /Choose a reason/);
    const long = 'x'.repeat(501);
    await report({ reason: 'other', text: long }).expect(422, /at most 500 characters/);
    await post(at, {}, cookie).expect(303);
    const refused = await report({ reason: 'other', text: long }).expect(422);
    // There is no page at its URL to switch to.
    expect(refused.text).not.toMatch(/\?lang=|action="\/theme"/);
    expect(refused.text).toContain(long);
  });

  it('a quiz takes 200 open reports, and a visitor ten in 15 minutes', async () => {
    const quiz = await quizOf();
    const reports = service.app.get(ReportsService);
    const question = quiz.questions[0]!.id;
    const report = (token: string, address: string, text = '') =>
      reports.report(quiz.id, question, { token, address }, { reason: 'other', text });
    for (let number = 0; number < 10; number++) await report('one', '192.0.2.1');
    await expect(report('one', '192.0.2.2')).rejects.toMatchObject({
      code: 'too-many-attempts',
      message: 'Too many reports. Try again in 15 minutes.',
    });
    for (let number = 0; number < 50; number++) await report(`a${number}`, '192.0.2.1');
    await expect(report('b', '192.0.2.1')).rejects.toThrow(/^Too many reports\./);
    for (let number = 0; number < 149; number++) await report(`c${number}`, `10.0.${number}.1`);
    await expect(report('d', '192.0.2.9')).rejects.toThrow('already has many reports');
    await report('c0', '192.0.2.9', 'The Po');
    const open = await reports.open({ accountId: owner.accountId, isAdmin: false }, quiz.id);
    expect(open.filter(({ text }) => text === 'The Po')).toHaveLength(1);
    expect(open).toHaveLength(200);
  });

  it('players who report a question at the same time make one notice, and no report too many', async () => {
    const quiz = await quizOf();
    const reports = service.app.get(ReportsService);
    const question = quiz.questions[0]!.id;
    const report = (token: string) =>
      reports.report(
        quiz.id,
        question,
        { token, address: '192.0.2.7' },
        { reason: 'other', text: '' },
      );
    await service.database.query(
      `INSERT INTO question_reports (id, quiz_id, question_id, reporter, reason, text, created_at)
       SELECT gen_random_uuid(), $1, $2, 'earlier ' || n, 'other', '', now() FROM generate_series(1, $3) AS n`,
      [quiz.id, question, LIMITS.content.openReports.value - 2],
    );
    await service.database.query(`
      CREATE FUNCTION hold_notice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_advisory_xact_lock_shared(1);
        RETURN NULL;
      END $$;
      CREATE TRIGGER hold_notice AFTER INSERT ON notices FOR EACH ROW EXECUTE FUNCTION hold_notice()`);
    const outcomes = await service.database.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock(1)');
      const made = Promise.allSettled(['first', 'second', 'third'].map(report));
      await waitForLocks(service.database, 3);
      return { made };
    });
    expect((await outcomes.made).map(({ status }) => status).sort()).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
    await service.database.query('DROP FUNCTION hold_notice CASCADE');
    const notices = await service.database.query<unknown[]>(
      'SELECT FROM notices WHERE account_id = $1 AND path = $2',
      [owner.accountId, `/dashboard/quizzes/${quiz.id}/results`],
    );
    expect(notices).toHaveLength(1);
  });

  it('a quiz that is deleted while played questions are analysed is skipped', async () => {
    const [deleted, kept] = [await quizOf(), await quizOf()];
    await play(deleted, 'p1', [[1]]);
    await play(kept, 'p1', [[1]]);
    const results = service.app.get(ResultsService);
    const analysis = results.analysis.bind(results);
    const deleting = jest.spyOn(results, 'analysis').mockImplementation(async (id) => {
      if (id === deleted.id) await owner.delete(`/quizzes/${id}`).expect(204);
      return analysis(id);
    });
    await service.app.get(ReportsService).analyseQuizzes();
    const analysed = deleting.mock.calls.map(([id]) => id);
    deleting.mockRestore();
    expect(analysed).toEqual(expect.arrayContaining([deleted.id, kept.id]));
    await owner.get(`/quizzes/${deleted.id}`).expect(404);
  });

  it('an analysis that read a replica without the last edit keeps the sums of the edited question', async () => {
    const quiz = await quizOf();
    await play(quiz, 'before', [[0]]);
    const results = service.app.get(ResultsService);
    const behind = await results.analysis(quiz.id);
    await owner.patch(`/questions/${quiz.questions[0]?.id}`, { text: 'Edited?' }).expect(200);
    service.clock.advance(1_000);
    await play(quiz, 'after', [[0]]);
    expect((await statisticsOf(quiz)).questions[0].attempts).toBe(1);
    const analysis = results.analysis.bind(results);
    const replica = jest
      .spyOn(results, 'analysis')
      .mockImplementation((id) => (id === quiz.id ? Promise.resolve(behind) : analysis(id)));
    await service.app.get(ReportsService).analyseQuizzes();
    expect(replica).toHaveBeenCalledWith(quiz.id);
    replica.mockRestore();
    expect((await statisticsOf(quiz)).questions[0].attempts).toBe(1);
  });

  it('an analysis keeps the sums of a question that is edited meanwhile by a process whose clock is behind', async () => {
    const quiz = await quizOf();
    await play(quiz, 'before', [[0]]);
    const owned = service.app.get(OwnedQuizzesService);
    const results = service.app.get(ResultsService);
    const questions = owned.questions.bind(owned);
    const analysis = results.analysis.bind(results);
    let edited: Promise<unknown> | undefined;
    jest.spyOn(results, 'analysis').mockImplementation(async (id) => {
      const found = await analysis(id);
      if (id !== quiz.id) return found;
      jest.spyOn(owned, 'questions').mockImplementationOnce(async (tx, quizId) => {
        const present = await questions(tx, quizId);
        service.clock.advance(-1_000);
        edited = owner
          .patch(`/questions/${quiz.questions[0]?.id}`, { text: 'Edited?' })
          .expect(200)
          .then(() => play(quiz, 'after', [[0]]));
        await Promise.race([edited, waitForLocks(service.database, 1)]);
        service.clock.advance(1_000);
        return present;
      });
      return found;
    });
    await service.app.get(ReportsService).analyseQuizzes();
    await edited;
    jest.restoreAllMocks();
    expect((await statisticsOf(quiz)).questions[0].attempts).toBe(1);
  });

  it('a wrong key reaches the review queue with the next analysis, and leaves it with the one after the edit', async () => {
    const quiz = await quizOf();
    for (let player = 0; player < 30; player++) {
      const isGood = player % 2 === 0;
      const others: Given[] = isGood ? [[0, 1], 'Volga'] : [[2], 'Po'];
      await play(quiz, `p${player}`, [[isGood ? 1 : 0], ...others]);
    }
    const queue = async () => wordsOf(await reviewers.open('/admin/review').expect(200));
    expect(await queue()).not.toContain(quiz.title);
    // A quiz that fails does not keep the others from being analysed, whichever comes first.
    const results = service.app.get(ResultsService);
    const other = await quizOf();
    await play(other, 'p1', [[1]]);
    const analysis = results.analysis.bind(results);
    const failing = jest.spyOn(results, 'analysis').mockImplementation((id) => {
      if (id === other.id) throw new Error('not this one');
      return analysis(id);
    });
    await expect(service.app.get(ReportsService).analyseQuizzes()).rejects.toThrow(
      'could not be analysed',
    );
    failing.mockRestore();
    expect(await queue()).toContain(`${quiz.title} 1 0`);
    const notice = `Check the key of question 1 of “${quiz.title}”`;
    const notices = async () => wordsOf(await mine.open('/notices')).split(notice).length - 1;
    expect(await notices()).toBe(1);
    await service.app.get(ReportsService).analyseQuizzes();
    expect(await notices()).toBe(1);
    expect(wordsOf(await mine.open('/quizzes'))).toContain('Check the key');
    expect(wordsOf(await mine.open(`/quizzes/${quiz.id}`))).toContain(
      '15 of 30 players chose “The Rhine”',
    );
    expect(wordsOf(await mine.open(`/quizzes/${quiz.id}/results`))).toContain(
      'Check the key of question 1',
    );
    const [one] = quiz.questions;
    const answers = one?.answers.map(({ text }, index) => ({ text, isCorrect: index === 1 }));
    await owner.patch(`/questions/${one?.id}`, { answers }).expect(200);
    await service.app.get(ReportsService).analyseQuizzes();
    expect(await queue()).not.toContain(quiz.title);
  });
});

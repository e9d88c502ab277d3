import { EXPORT_NAMES } from '../../src/import-export/formats/formats';
import { SnapshotsService } from '../../src/play/attempts/snapshots.service';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { signIn } from '../support/dashboard';
import { asBytes, rowsOf } from '../support/rows';
import { questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { cookieOf, hidden, Visitor, wordsOf } from '../support/visitor';
import { errorsIn } from '../support/writing';

const open = (text: string, ...answers: string[]) =>
  questionBody({
    text,
    type: 'OPEN_ENDED',
    answers: answers.map((it) => ({ text: it.replace('!', ''), isCorrect: !it.startsWith('!') })),
  });
const QUESTIONS = [
  open('What is the capital of Australia?', 'Canberra', 'The city of Canberra', '!Cranberra'),
  open('When did the war end?', '1945', 'in the year 1945'),
  open('Which river flows through Cologne?', 'Rhine', 'The Rhine'),
];

/** `acceptTypos` of a quiz: one typing error in a typed answer (docs/playing.md). */
describe('typing errors in typed answers', () => {
  let service: Service;
  let owner: TestAccount;
  let app: TestAccount;

  beforeAll(async () => {
    service = await startService({ MODERATION: 'auto' });
    owner = await service.account('pro', { isAdmin: true });
    app = await service.account('free');
  });
  afterAll(() => service.close());

  let made = 0;
  const quizWith = (fields: object = {}) =>
    makeQuiz(owner, { title: `Typing ${++made}`, ...fields }, QUESTIONS);
  const start = async (quiz: MadeQuiz, player = 'ada', reveal = false): Promise<string> =>
    (await app.post(`/quizzes/${quiz.id}/attempts`, { player, reveal }).expect(201)).body.data.id;
  const answer = async (attempt: string, { questions }: MadeQuiz, at: number, text: string) =>
    (
      await app
        .post(`/attempts/${attempt}/answers`, { questionId: questions[at]?.id, text })
        .expect(200)
    ).body.data as { correct: boolean; spelling: string | null };
  const submit = async (attempt: string) =>
    (await app.post(`/attempts/${attempt}/submit`).expect(200)).body.data as {
      score: number;
      results: { correct: boolean; spelling: string | null }[];
    };
  const play = async (quiz: MadeQuiz, player: string, texts: string[]) => {
    const attempt = await start(quiz, player);
    for (const [at, text] of texts.entries()) await answer(attempt, quiz, at, text);
    return submit(attempt);
  };
  const listed = async ({ title }: { title: string }) =>
    (await owner.get(`/quizzes?mine=true&topic=${encodeURIComponent(title)}`).expect(200)).body
      .data[0] as { acceptTypos: boolean };

  describe('setting it', () => {
    it('acceptTypos is off by default, its owner sets and reads it, and no specified body shows it', async () => {
      const quiz = await quizWith();
      expect(quiz).not.toHaveProperty('acceptTypos');
      expect(await listed(quiz)).toMatchObject({ acceptTypos: false });
      const patch = async (change: object) =>
        (await owner.patch(`/quizzes/${quiz.id}`, change).expect(200)).body.data as object;
      expect(await patch({ acceptTypos: true })).toMatchObject({ acceptTypos: true });
      expect(await patch({ maxAttempts: 3 })).toMatchObject({ acceptTypos: true, maxAttempts: 3 });
      expect(await listed(quiz)).toMatchObject({ acceptTypos: true });
      const { body } = await app.get(`/quizzes/${quiz.id}`).expect(200);
      expect(JSON.stringify(body)).not.toContain('acceptTypos');
      expect(await listed(await quizWith({ acceptTypos: true }))).toMatchObject({
        acceptTypos: true,
      });
    });

    it.each([null, 'yes', 1])('acceptTypos: %j is refused', async (acceptTypos) => {
      const { id } = await quizWith();
      const refused = await owner.patch(`/quizzes/${id}`, { acceptTypos }).expect(422);
      expect(errorsIn(refused)).toEqual(['acceptTypos type']);
    });

    it('setting acceptTypos changes the ETag of a quiz, and does not list an approved one for review', async () => {
      const quiz = await quizWith();
      await service.database.query(
        `INSERT INTO approved_versions (quiz_id, content, approved_at) VALUES ($1, '{}', now())`,
        [quiz.id],
      );
      const before = (await owner.get(`/quizzes/${quiz.id}`)).headers.etag;
      await owner.patch(`/quizzes/${quiz.id}`, { acceptTypos: true }).expect(200);
      expect((await owner.get(`/quizzes/${quiz.id}`)).headers.etag).not.toBe(before);
      const [{ at }] = await service.database.query<[{ at: Date | null }]>(
        'SELECT changed_since_approval_at AS at FROM quizzes WHERE id = $1',
        [quiz.id],
      );
      expect(at).toBeNull();
    });

    it('a copy of a quiz keeps acceptTypos', async () => {
      const { id } = await quizWith({ acceptTypos: true });
      const { body } = await owner.post(`/quizzes/${id}/copy`, { title: `Copy of ${id}` });
      expect(await listed(body.data as { title: string })).toMatchObject({ acceptTypos: true });
    });

    it('the editor of the dashboard sets acceptTypos and clears it', async () => {
      const window = await signIn(service, owner);
      const quiz = await quizWith();
      const edit = `/quizzes/${quiz.id}/edit`;
      const save = async (fields: object) => {
        const { text } = await window.open(edit);
        const version = hidden(text, 'version');
        return window.send(edit, { title: quiz.title, difficulty: 'EASY', version, ...fields });
      };
      expect((await window.open(edit)).text).not.toMatch(/name="acceptTypos"[^>]* checked/);
      expect((await save({ acceptTypos: 'yes' })).status).toBe(303);
      expect(await listed(quiz)).toMatchObject({ acceptTypos: true });
      expect((await window.open(edit)).text).toMatch(
        /<input[^>]*checked[^>]*name="acceptTypos"|name="acceptTypos"[^>]* checked/,
      );
      expect(wordsOf(await window.open(`/quizzes/${quiz.id}`))).toContain('typing errors accepted');
      expect((await save({})).status).toBe(303);
      expect(await listed(quiz)).toMatchObject({ acceptTypos: false });
    });
  });

  describe('playing', () => {
    it('with acceptTypos one typing error counts as correct, and the accepted spelling is shown', async () => {
      const quiz = await quizWith({ acceptTypos: true });
      const attempt = await start(quiz, 'ada', true);
      expect(await answer(attempt, quiz, 0, 'canbera')).toMatchObject({
        correct: true,
        spelling: 'Canberra',
      });
      expect(await answer(attempt, quiz, 1, 'in the yaer 1945')).toMatchObject({
        correct: true,
        spelling: 'in the year 1945',
      });
      expect(await answer(attempt, quiz, 2, 'The Rhine')).toMatchObject({
        correct: true,
        spelling: null,
      });
      const { score, results } = await submit(attempt);
      expect(score).toBe(3);
      expect(results.map(({ spelling }) => spelling)).toEqual([
        'Canberra',
        'in the year 1945',
        null,
      ]);
    });

    it('with acceptTypos two errors, other digits, short texts and texts that the author lists as wrong stay wrong', async () => {
      const quiz = await quizWith({ acceptTypos: true });
      for (const [player, texts] of [
        ['ada', ['Cannbera', '1946', 'Rhyne']],
        ['bob', ['cranberra!', 'in the year 1946', 'Rhin']],
      ] as const) {
        const { score, results } = await play(quiz, player, [...texts]);
        expect(score).toBe(0);
        expect(results.map(({ spelling }) => spelling)).toEqual([null, null, null]);
      }
    });

    it('without acceptTypos an answer with a typing error is wrong', async () => {
      const quiz = await quizWith();
      const { score, results } = await play(quiz, 'ada', ['Canbera', '1945', 'Rhine']);
      expect(score).toBe(2);
      expect(results[0]).toMatchObject({ correct: false, spelling: null });
    });

    it('an attempt is scored by acceptTypos at its start; the next one by the new setting', async () => {
      const quiz = await quizWith();
      const before = await start(quiz, 'ada');
      await owner.patch(`/quizzes/${quiz.id}`, { acceptTypos: true }).expect(200);
      await answer(before, quiz, 0, 'Canbera');
      expect((await submit(before)).score).toBe(0);
      expect((await play(quiz, 'bob', ['Canbera'])).score).toBe(1);
      await owner.patch(`/quizzes/${quiz.id}`, { acceptTypos: false }).expect(200);
      expect((await play(quiz, 'cy', ['Canbera'])).score).toBe(0);
    });

    it('stored questions name acceptTypos only if it is on, so that earlier ones keep their ids', async () => {
      const idOf = async (attempt: string) => {
        const [{ id }] = await service.database.query<[{ id: string }]>(
          'SELECT snapshot_id AS id FROM quiz_attempts WHERE id = $1',
          [attempt],
        );
        return id;
      };
      const quiz = await quizWith();
      const off = await idOf(await start(quiz));
      await owner.patch(`/quizzes/${quiz.id}`, { acceptTypos: true }).expect(200);
      const on = await idOf(await start(quiz));
      await owner.patch(`/quizzes/${quiz.id}`, { acceptTypos: false }).expect(200);
      expect(await idOf(await start(quiz))).toBe(off);
      expect(on).not.toBe(off);
      const stored = (id: string) =>
        service.app.get(SnapshotsService).questions(service.database.manager, id);
      expect(JSON.stringify(await stored(off))).not.toContain('acceptTypos');
      expect((await stored(on)).map(({ acceptTypos }) => acceptTypos)).toEqual([true, true, true]);
    });

    it('an attempt across quizzes follows acceptTypos of the quiz of each question', async () => {
      const tags = ['across-typing'];
      const [on, off] = [await quizWith({ tags, acceptTypos: true }), await quizWith({ tags })];
      const { body } = await app
        .post('/attempts', { player: 'ada', filter: { tags }, count: 6 })
        .expect(201);
      for (const quiz of [on, off]) await answer(body.data.id as string, quiz, 0, 'Canbera');
      const { score, results } = await submit(body.data.id as string);
      expect(score).toBe(1);
      expect(results.flatMap(({ spelling }) => spelling ?? [])).toEqual(['Canberra']);
    });
  });

  describe('a regrade', () => {
    const regrade = async ({ id }: MadeQuiz) =>
      (await owner.post(`/quizzes/${id}/regrade`, {}).expect(200)).body.data as object;
    const attemptsOf = async ({ id }: MadeQuiz) =>
      (await owner.get(`/quizzes/${id}/attempts`).expect(200)).body.data as {
        player: string;
        score: number;
      }[];
    const scoresOf = async (quiz: MadeQuiz) =>
      Object.fromEntries((await attemptsOf(quiz)).map(({ player, score }) => [player, score]));

    it('a regrade counts typing errors once they are accepted, and no longer once they are not', async () => {
      const quiz = await quizWith();
      await play(quiz, 'Ada', ['Canbera', '1945', 'Rhine']);
      await play(quiz, 'Bob', ['Perth', '1946', 'Rhin']);
      expect(await regrade(quiz)).toEqual({ attempts: 0, changed: 0 });
      await owner.patch(`/quizzes/${quiz.id}`, { acceptTypos: true }).expect(200);
      expect(await regrade(quiz)).toEqual({ attempts: 2, changed: 1 });
      expect(await scoresOf(quiz)).toEqual({ Ada: 3, Bob: 0 });
      expect(await regrade(quiz)).toEqual({ attempts: 0, changed: 0 });
      const statistics = await owner.get(`/quizzes/${quiz.id}/statistics`).expect(200);
      expect(statistics.body.data.questions[0]).toMatchObject({ attempts: 2, correct: 1 });
      await owner.patch(`/quizzes/${quiz.id}`, { acceptTypos: false }).expect(200);
      expect(await regrade(quiz)).toEqual({ attempts: 2, changed: 1 });
      expect(await scoresOf(quiz)).toEqual({ Ada: 2, Bob: 0 });
    });

    it('a regrade is offered when the editor accepts typing errors after attempts', async () => {
      const quiz = await quizWith();
      await play(quiz, 'Ada', ['Canbera']);
      const window = await signIn(service, owner);
      const edit = `/quizzes/${quiz.id}/edit`;
      const { text } = await window.open(edit);
      const version = hidden(text, 'version');
      const saved = await window.send(edit, {
        title: quiz.title,
        difficulty: 'EASY',
        version,
        acceptTypos: 'yes',
      });
      expect(saved.headers.location).toBe(`/dashboard/quizzes/${quiz.id}/regrade`);
      expect(wordsOf(await window.open(`/quizzes/${quiz.id}/regrade`))).toContain(
        '1 person has answered questions 1, 2, and 3',
      );
    });
  });

  it('the page of players and the results of the owner show the accepted spelling', async () => {
    const quiz = await quizWith({ acceptTypos: true });
    const { body } = await app.get(`/quizzes/${quiz.id}`).expect(200);
    const visitor = new Visitor(service);
    const started = await visitor.post(`/play/${body.data.slug}`, { name: 'Ada', reveal: 'yes' });
    visitor.cookie = cookieOf(started) ?? '';
    const attempt = String(started.headers.location).replace(/\/1$/, '');
    const give = (at: number, text: string) =>
      visitor.post(`${attempt}/${at}`, { text }).expect(303);
    const { headers } = await give(1, 'Canbera');
    const next = wordsOf(await visitor.get(String(headers.location)).expect(200));
    expect(next).toContain('Correct! Spelling: Canberra');
    await give(2, '1946');
    await give(3, 'Rhine');
    const result = wordsOf(await visitor.get(attempt).expect(200));
    expect(result.match(/Spelling: \w+/g)).toEqual(['Spelling: Canberra']);
    expect(result).toContain('you got 2 of 3 correct');

    const { body: page } = await owner.get(`/quizzes/${quiz.id}/attempts`).expect(200);
    const window = await signIn(service, owner);
    const answers = await window.open(`/quizzes/${quiz.id}/results/${page.data[0].id}`);
    expect(wordsOf(answers)).toContain('Canbera Spelling: Canberra');
  });

  it('practice accepts typing errors as the attempt did', async () => {
    const quiz = await quizWith({ acceptTypos: true });
    const { body } = await app.get(`/quizzes/${quiz.id}`).expect(200);
    const visitor = new Visitor(service);
    const started = await visitor.post(`/play/${body.data.slug}`, { name: 'Ada', reveal: 'yes' });
    visitor.cookie = cookieOf(started) ?? '';
    const attempt = String(started.headers.location).replace(/\/1$/, '');
    for (const [at, text] of ['Perth', '1945', 'Rhine'].entries())
      await visitor.post(`${attempt}/${at + 1}`, { text }).expect(303);
    // An attempt keeps what was set when it began.
    await owner.patch(`/quizzes/${quiz.id}`, { acceptTypos: false }).expect(200);
    const practice = await visitor.post(`${attempt}/practise`).expect(303);
    const first = String(practice.headers.location);
    await visitor.post(first, { text: 'Canbera' }).expect(303);
    const result = wordsOf(await visitor.get(first.replace(/\/1$/, '')).expect(200));
    expect(result).toContain('All correct!');
    expect(result).toContain('Spelling: Canberra');
  });

  it.each(EXPORT_NAMES)(
    'a quiz exported as %s and read as an import keeps acceptTypos',
    async (format) => {
      const { id } = await quizWith({ acceptTypos: true });
      const file = await owner
        .get(`/quizzes/${id}/export?format=${format}`)
        .buffer(true)
        .parse(asBytes)
        .expect(200);
      const rows = await rowsOf(file.body as Buffer);
      expect(rows[0]).toMatchObject({ quiz: { acceptTypos: true } });
    },
  );

  it('an export of a quiz without acceptTypos does not name it', async () => {
    const { id } = await quizWith();
    const file = await owner.get(`/quizzes/${id}/export`).expect(200);
    expect(file.text).toContain('Canberra');
    expect(file.text).not.toContain('acceptTypos');
  });
});

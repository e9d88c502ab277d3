import { ExportsService } from '../../src/import-export/exports/exports.service';
import { EXPORT_NAMES } from '../../src/import-export/formats/formats';
import { AttemptRetention } from '../../src/play/submission/attempt-retention.service';
import { SubmissionService } from '../../src/play/submission/submission.service';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { signIn } from '../support/dashboard';
import { exported, rowsOf } from '../support/rows';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { cookieOf, hidden, Visitor, wordsOf } from '../support/visitor';
import { createQuiz, errorsIn } from '../support/writing';

/** The time limit of a quiz, and how many attempts each player has (docs/playing.md). */
describe('rules of play', () => {
  let service: Service;
  let owner: TestAccount;
  let app: TestAccount;

  beforeAll(async () => {
    service = await startService();
    // Every end of an attempt is exact, however slow the machine.
    service.clock.stop();
    owner = await service.account('pro', { isAdmin: true });
    app = await service.account('free');
  });
  afterAll(() => service.close());

  const quizWith = (rules: object) => makeQuiz(owner, rules, questionBodies(2));
  const begin = (quiz: { id: string }, player = 'ada') =>
    app.post(`/quizzes/${quiz.id}/attempts`, { player });
  const start = async (quiz: { id: string }, player = 'ada') => {
    const { body } = await begin(quiz, player).expect(201);
    return body.data as { id: string; endsAt: string | null };
  };
  const answer = ({ id }: { id: string }, quiz: MadeQuiz, index: number) => {
    const { id: questionId, answers } = quiz.questions[index]!;
    const answerIds = answers.filter((it) => it.isCorrect).map((it) => it.id);
    return app.post(`/attempts/${id}/answers`, { questionId, answerIds });
  };
  const submit = async ({ id }: { id: string }) =>
    (await app.post(`/attempts/${id}/submit`).expect(200)).body.data as object;
  const eventsOf = (name: string, quiz: { id: string }) =>
    service.database.query<unknown[]>(
      `SELECT FROM outbox_events WHERE name = $1 AND body::jsonb -> 'data' ->> 'quiz_id' = $2`,
      [name, quiz.id],
    );

  it('the typed answers of an attempt above 100 bytes have 16 KiB together, and shorter ones are taken beyond it', async () => {
    const answers = ['yes', 'no'].map((text) => ({ text, isCorrect: true }));
    const quiz = await makeQuiz(owner, {}, questionBodies(6, { type: 'OPEN_ENDED', answers }));
    const attempt = await start(quiz);
    const type = (index: number, text: string) =>
      app.post(`/attempts/${attempt.id}/answers`, { questionId: quiz.questions[index]!.id, text });
    for (const index of [0, 1, 2]) await type(index, '😀'.repeat(1_000)).expect(200);
    // 4,384 bytes are left: enough for one of two that come at once.
    const both = await Promise.all([3, 4].map((index) => type(index, '😀'.repeat(700))));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
    const other = both[0]!.status === 422 ? 3 : 4;
    const refused = await type(other, 'é'.repeat(793)).expect(422);
    expect(refused.body.error).toBe(
      'The answer is not valid: text must have at most 100 bytes now: the longer answers of an attempt may have 16,384 bytes together.',
    );
    await type(other, 'é'.repeat(792)).expect(200);
    await type(5, 'x'.repeat(101)).expect(422);
    await type(5, 'x'.repeat(100)).expect(200);
    // An answer that replaces another one does not count beside it.
    await type(2, '😀'.repeat(999)).expect(200);
    await type(2, 'x').expect(200);
    await type(5, 'x'.repeat(101)).expect(200);
  });

  describe('more time for a player', () => {
    const secondsOf = ({ body }: { body: { data: { endsAt: string } } }) =>
      (Date.parse(body.data.endsAt) - service.clock.now().getTime()) / 1_000;
    const startWith = (account: TestAccount, quiz: { id: string }, timeFactor: unknown) =>
      account.post(`/quizzes/${quiz.id}/attempts`, { player: 'ada', timeFactor });

    it("the owner's key gives it, up to 24 hours", async () => {
      const quiz = await quizWith({ timeLimit: 600 });
      expect(secondsOf(await startWith(owner, quiz, 2.5).expect(201))).toBe(1_500);
      expect(secondsOf(await startWith(owner, quiz, null).expect(201))).toBe(600);
      const long = await quizWith({ timeLimit: 50_000 });
      expect(secondsOf(await startWith(owner, long, 4).expect(201))).toBe(86_400);
      const untimed = await quizWith({});
      expect((await startWith(owner, untimed, 2).expect(201)).body.data.endsAt).toBeNull();
    });

    it('no other account gives it, and no key that stands in a web page', async () => {
      const quiz = await quizWith({ timeLimit: 600 });
      const page = await service.keyOf(owner, { scopes: ['play'] });
      for (const account of [app, page]) {
        const refused = await startWith(account, quiz, 2).expect(403);
        expect(refused.headers['x-error-code']).toBe('time-factor-not-allowed');
        await startWith(account, quiz, 1).expect(201);
      }
    });

    it.each([0, 0.99, 4.01, '2', true])('refuses the factor %j', async (timeFactor) => {
      const quiz = await quizWith({ timeLimit: 600 });
      expect(errorsIn(await startWith(owner, quiz, timeFactor).expect(422))).toEqual([
        'timeFactor range',
      ]);
    });
  });

  describe('setting the rules', () => {
    it('an owner sets, reads and clears a time limit and a number of attempts, and no specified body shows them', async () => {
      const { body } = await owner.post('/quizzes', {
        title: 'Timed',
        difficulty: 'EASY',
        published: true,
        timeLimit: 600,
        maxAttempts: 2,
      });
      const { id } = body.data as { id: string };
      const listed = async () =>
        (await owner.get('/quizzes?mine=true&topic=timed').expect(200)).body.data[0] as object;
      expect(await listed()).toMatchObject({ id, timeLimit: 600, maxAttempts: 2 });
      const everybodys = await app.get('/quizzes?topic=timed').expect(200);
      expect(everybodys.body.data).toMatchObject([{ id }]);
      const detail = await owner.get(`/quizzes/${id}`).expect(200);
      for (const quiz of [body.data, everybodys.body.data[0], detail.body.data] as object[])
        for (const rule of ['timeLimit', 'maxAttempts']) expect(quiz).not.toHaveProperty(rule);
      const patch = async (change: object) =>
        (await owner.patch(`/quizzes/${id}`, change).expect(200)).body.data as object;
      expect(await patch({ title: 'Timed 2' })).toMatchObject({ timeLimit: 600, maxAttempts: 2 });
      expect(await patch({ timeLimit: null })).toMatchObject({ timeLimit: null, maxAttempts: 2 });
      expect(await listed()).toMatchObject({ timeLimit: null, maxAttempts: 2 });
    });

    it('a time limit and a number of attempts outside their bounds are refused with what to send', async () => {
      const id = await createQuiz(owner);
      for (const [timeLimit, maxAttempts] of [
        [9, 0],
        [86_401, 101],
        [10.5, '2'],
      ]) {
        const refused = await owner.patch(`/quizzes/${id}`, { timeLimit, maxAttempts }).expect(422);
        expect(errorsIn(refused)).toEqual(['timeLimit range', 'maxAttempts range']);
        expect(refused.body.error).toContain(
          'timeLimit must be a whole number of seconds from 10 to 86400, or null',
        );
      }
      await owner.patch(`/quizzes/${id}`, { timeLimit: 10, maxAttempts: 1 }).expect(200);
      await owner.patch(`/quizzes/${id}`, { timeLimit: 86_400, maxAttempts: 100 }).expect(200);
    });

    it('a change of the rules gives the quiz another ETag', async () => {
      const quiz = await quizWith({});
      const before = (await owner.get(`/quizzes/${quiz.id}`)).headers.etag;
      await owner.patch(`/quizzes/${quiz.id}`, { timeLimit: 20 }).expect(200);
      expect((await owner.get(`/quizzes/${quiz.id}`)).headers.etag).not.toBe(before);
    });

    it('a change of the rules alone does not list an approved quiz for review', async () => {
      const quiz = await quizWith({});
      await service.database.query(
        `INSERT INTO approved_versions (quiz_id, content, approved_at) VALUES ($1, '{}', now())`,
        [quiz.id],
      );
      const changed = async () =>
        (
          await service.database.query<[{ at: Date | null }]>(
            `SELECT changed_since_approval_at AS at FROM quizzes WHERE id = $1`,
            [quiz.id],
          )
        )[0].at;
      await owner.patch(`/quizzes/${quiz.id}`, { maxAttempts: 3 }).expect(200);
      expect(await changed()).toBeNull();
      expect(await eventsOf('quiz.updated', quiz)).not.toHaveLength(0);
      await owner.patch(`/quizzes/${quiz.id}`, { title: 'Something else' }).expect(200);
      expect(await changed()).not.toBeNull();
    });
  });

  describe('the time limit', () => {
    it('an answer in time counts, a late one is refused, and the submission scores the others', async () => {
      const quiz = await quizWith({ timeLimit: 60 });
      const attempt = await start(quiz);
      const end = new Date(service.clock.now().getTime() + 60_000);
      expect(attempt.endsAt).toBe(end.toISOString());
      const { body: read } = await app.get(`/attempts/${attempt.id}`).expect(200);
      expect(read.data.endsAt).toBe(attempt.endsAt);
      await answer(attempt, quiz, 0).expect(200);
      service.clock.advance(71_000);
      const late = await answer(attempt, quiz, 1).expect(422);
      expect(late.body.error).toMatch(/^The time for this attempt is over\. Submit it/);
      expect(await submit(attempt)).toMatchObject({ score: 1, total: 2, timeSpent: 60 });
      expect(await submit(attempt)).toMatchObject({ score: 1, timeSpent: 60 });
    });

    it('an answer that arrives a few seconds after the end still counts', async () => {
      const quiz = await quizWith({ timeLimit: 60 });
      const attempt = await start(quiz);
      service.clock.advance(65_000);
      await answer(attempt, quiz, 0).expect(200);
      expect(await submit(attempt)).toMatchObject({ score: 1, timeSpent: 60 });
    });

    it('a change of the time limit leaves attempts that have begun as they are', async () => {
      const quiz = await quizWith({ timeLimit: 60 });
      const attempt = await start(quiz);
      await owner.patch(`/quizzes/${quiz.id}`, { timeLimit: null }).expect(200);
      expect((await start(quiz)).endsAt).toBeNull();
      service.clock.advance(71_000);
      await answer(attempt, quiz, 0).expect(422);
    });

    it('an attempt that was not submitted in time is submitted with the answers given by then', async () => {
      const quiz = await quizWith({ timeLimit: 60 });
      const [left, empty] = [await start(quiz), await start(quiz, 'nobody')];
      await answer(left, quiz, 0).expect(200);
      service.clock.advance(60_000);
      const retention = service.app.get(AttemptRetention);
      await retention.prune();
      const stateOf = async ({ id }: { id: string }) =>
        (await app.get(`/attempts/${id}`).expect(200)).body.data as object;
      expect(await stateOf(left)).toMatchObject({ score: null });
      service.clock.advance(11_000);
      await retention.prune();
      expect(await stateOf(left)).toMatchObject({ score: 1, timeSpent: 60 });
      expect(await stateOf(empty)).toMatchObject({ score: null });
      expect(await eventsOf('attempt.submitted', quiz)).toHaveLength(1);
      const { body } = await owner.get(`/quizzes/${quiz.id}/attempts`).expect(200);
      expect(body.data).toMatchObject([{ id: left.id, score: 1 }]);
    });

    it('an attempt that cannot be submitted keeps no other from being submitted', async () => {
      const quiz = await quizWith({ timeLimit: 60 });
      const [broken, whole] = [await start(quiz, 'broken'), await start(quiz, 'whole')];
      for (const attempt of [broken, whole]) await answer(attempt, quiz, 0).expect(200);
      service.clock.advance(71_000);
      const submissions = service.app.get(SubmissionService);
      const submitted = submissions.submit.bind(submissions);
      const failing = jest
        .spyOn(submissions, 'submit')
        .mockImplementation((account, id, isPlay) => {
          if (id === broken.id) throw new Error('not this one');
          return submitted(account, id, isPlay);
        });
      const retention = service.app.get(AttemptRetention);
      await retention.prune();
      failing.mockRestore();
      const scoreOf = async ({ id }: { id: string }) =>
        (await app.get(`/attempts/${id}`).expect(200)).body.data.score as unknown;
      expect(await Promise.all([broken, whole].map(scoreOf))).toEqual([null, 1]);
      await retention.prune();
      expect(await scoreOf(broken)).toBe(1);
    });

    it('an attempt with a limit of a day can be submitted after that day', async () => {
      const quiz = await quizWith({ timeLimit: 86_400 });
      const attempt = await start(quiz);
      await answer(attempt, quiz, 0).expect(200);
      service.clock.advance(25 * 3_600_000);
      expect(await submit(attempt)).toMatchObject({ score: 1, timeSpent: 86_400 });
    });
  });

  describe('the number of attempts', () => {
    it('a player whose attempts are used up is refused with the best result, and others are not', async () => {
      const quiz = await quizWith({ maxAttempts: 2 });
      const first = await start(quiz);
      await answer(first, quiz, 0).expect(200);
      await submit(first);
      await submit(await start(quiz));
      const refused = await begin(quiz).expect(422);
      expect(refused.body.error).toBe(
        'No attempts are left: the author of this quiz allows 2 for each player. The best result is 1 of 2.',
      );
      await start(quiz, 'grace');
      await owner.patch(`/quizzes/${quiz.id}`, { maxAttempts: 3 }).expect(200);
      await start(quiz);
    });

    it('an attempt counts from its start, however many start at once', async () => {
      const quiz = await quizWith({ maxAttempts: 3 });
      const all = await Promise.all(Array.from({ length: 8 }, () => begin(quiz)));
      const statuses = all.map(({ status }) => status).sort();
      expect(statuses).toEqual([201, 201, 201, 422, 422, 422, 422, 422]);
      expect((await begin(quiz)).body.error).toMatch(/for each player\.$/);
    });
  });

  describe("the player's page", () => {
    let n = 0;
    const visit = async (rules: object) => {
      const title = `Paged ${++n}`;
      const quiz = await makeQuiz(owner, { ...rules, title }, questionBodies(2));
      return { quiz, path: `/play/paged-${n}`, visitor: new Visitor(service) };
    };
    const begins = async ({ path, visitor }: { path: string; visitor: Visitor }) => {
      const response = await visitor.post(path, { name: 'Ada', reveal: 'yes' }).expect(303);
      visitor.cookie ||= cookieOf(response) ?? '';
      return String(response.headers.location).replace(/\/1$/, '');
    };
    const rightOf = (quiz: MadeQuiz, index: number) =>
      quiz.questions[index]?.answers.find((it) => it.isCorrect)?.id;

    it('a link with a time factor gives its players more time, and says so', async () => {
      const { quiz } = await visit({ timeLimit: 60 });
      const links = `/quizzes/${quiz.id}/links`;
      const { body } = await owner.post(links, { timeFactor: 1.5 }).expect(201);
      expect(body.data.timeFactor).toBe(1.5);
      const here = { quiz, path: String(body.data.path), visitor: new Visitor(service) };
      expect(wordsOf(await here.visitor.get(here.path))).toContain(
        'time limit 1 min 30 s, 1.5 times the usual',
      );
      const german = await here.visitor.get(here.path).set('Accept-Language', 'de');
      expect(wordsOf(german)).toContain('das 1,5-Fache des üblichen');
      const attempt = await begins(here);
      const question = await here.visitor.get(`${attempt}/1`).expect(200);
      expect(wordsOf(question)).toMatch(/1 min (29|30) s left/);
      const one = `${links}/${body.data.id}`;
      const changed = await owner.patch(one, { timeFactor: null }).expect(200);
      expect(changed.body.data.timeFactor).toBe(1);
      for (const odd of [0.5, 4.1, '2', Number.MAX_VALUE])
        expect(errorsIn(await owner.patch(one, { timeFactor: odd }).expect(422))).toEqual([
          'timeFactor range',
        ]);
    });

    it('the start names the rules, and each question the time that is left and its end', async () => {
      const here = await visit({ timeLimit: 90, maxAttempts: 2 });
      const { visitor, path } = here;
      expect(wordsOf(await visitor.get(path))).toMatch(/time limit 1 min 30 s.*2 tries/);
      const attempt = await begins(here);
      const question = await visitor.get(`${attempt}/1`).expect(200);
      expect(wordsOf(question)).toMatch(/1 min (29|30) s left, until \d\d:\d\d:\d\d UTC/);
      expect(wordsOf(await visitor.get(path))).toContain('1 of 2 tries left');
    });

    it('an attempt without an answer stays as long as its time runs, and with tries after it was submitted', async () => {
      const here = await visit({ timeLimit: 7_200, maxAttempts: 1 });
      const attempt = await begins(here);
      const retention = service.app.get(AttemptRetention);
      service.clock.advance(6_000_000);
      await retention.prune();
      expect(wordsOf(await here.visitor.get(`${attempt}/1`).expect(200))).toContain('left, until');
      await here.visitor.post(`${attempt}/1`, { over: 'yes', answer: '' }).expect(303);
      service.clock.advance(25 * 3_600_000);
      await retention.prune();
      expect(wordsOf(await here.visitor.get(here.path))).toContain('You have no tries left');
    });

    it('an answer after the end leads to the result of what was answered in time', async () => {
      const here = await visit({ timeLimit: 60 });
      const { visitor, quiz } = here;
      const attempt = await begins(here);
      await visitor.post(`${attempt}/1`, { answer: rightOf(quiz, 0) }).expect(303);
      service.clock.advance(71_000);
      await visitor.get(`${attempt}/2`).expect(303).expect('Location', attempt);
      const over = wordsOf(await visitor.get(attempt).expect(200));
      expect(over).toMatch(/Time is up.*See the result/);
      expect(over).not.toContain('Question 2?');
      await visitor.post(`${attempt}/2`, { answer: rightOf(quiz, 1) }).expect(303);
      const result = wordsOf(await visitor.get(attempt).expect(200));
      expect(result).toContain('Ada , you got 1 of 2 correct in 1 min. Your time was up.');
    });

    it('what the countdown sends ends the attempt, with an answer that can be taken or without', async () => {
      for (const [answer, score] of [
        [0, '1 of 2'],
        ['', '0 of 2'],
        ['no id', '0 of 2'],
      ]) {
        const here = await visit({ timeLimit: 60 });
        const attempt = await begins(here);
        const fields = { over: 'yes', answer: answer === 0 ? rightOf(here.quiz, 0) : answer };
        await here.visitor.post(`${attempt}/1`, fields).expect(303);
        expect(wordsOf(await here.visitor.get(attempt))).toContain(`you got ${score} correct`);
      }
    });

    it('without tries the page shows the best result and no form, also under another name', async () => {
      const here = await visit({ maxAttempts: 1 });
      const { visitor, quiz, path } = here;
      const attempt = await begins(here);
      for (const index of [0, 1])
        await visitor.post(`${attempt}/${index + 1}`, { answer: rightOf(quiz, index) }).expect(303);
      const result = await visitor.get(attempt).expect(200);
      expect(wordsOf(result)).toContain('No tries left.');
      expect(result.text).not.toContain('Play again');
      const page = await visitor.get(path).expect(200);
      expect(wordsOf(page)).toContain('no tries left for this quiz. Your best result is 2 of 2.');
      expect(page.text).not.toContain('name="name"');
      const refused = await visitor.post(path, { name: 'Somebody else' }).expect(422);
      expect(wordsOf(refused)).toContain('Your best result is 2 of 2.');
      await new Visitor(service).post(path, { name: 'Ada' }).expect(303);
    });

    it('a try counts for its browser whatever character the name begins with', async () => {
      const { visitor, path } = await visit({ maxAttempts: 1 });
      const started = await visitor.post(path, { name: '\u{10ffff}Ada' }).expect(303);
      visitor.cookie = cookieOf(started) ?? '';
      await visitor.post(path, { name: 'Ada' }).expect(422);
      expect(wordsOf(await visitor.get(path))).toContain('You have no tries left for this quiz.');
    });

    it('a preview has the time limit and any number of tries', async () => {
      const { quiz } = await visit({ timeLimit: 60, maxAttempts: 1 });
      const window = await signIn(service, owner);
      const preview = `/quizzes/${quiz.id}/preview`;
      for (const name of ['One', 'Two']) await window.send(preview, { name }).expect(303);
      expect(wordsOf(await window.open(preview))).toContain('time limit 1 min');
    });
  });

  describe('the dashboard and files', () => {
    it('the editor sets minutes and tries, refuses others beside the field, and clears them', async () => {
      const window = await signIn(service, owner);
      const { id } = await quizWith({ title: 'In the editor' });
      const versionOf = async () =>
        hidden((await window.open(`/quizzes/${id}/edit`)).text, 'version');
      const save = async (timeLimit: string, maxAttempts: string) =>
        window.send(`/quizzes/${id}/edit`, {
          title: 'In the editor',
          difficulty: 'EASY',
          timeLimit,
          maxAttempts,
          version: await versionOf(),
        });
      const rules = async () => {
        const list = await owner.get('/quizzes?mine=true&topic=in%20the%20editor');
        const { timeLimit, maxAttempts } = list.body.data[0];
        return [timeLimit, maxAttempts];
      };
      expect((await save('1.5', '3')).status).toBe(303);
      expect(await rules()).toEqual([90, 3]);
      const page = wordsOf(await window.open(`/quizzes/${id}`));
      expect(page).toMatch(/time limit 1 min 30 s 3 attempts per player/);
      expect((await window.open(`/quizzes/${id}/edit`)).text).toMatch(
        /value="1.5"[^>]*name="timeLimit"/,
      );
      const refused = await save('soon', '0');
      expect(refused.status).toBe(422);
      expect(wordsOf(refused)).toContain(
        'A time limit is from 10 seconds to 24 hours: enter it in minutes',
      );
      expect(wordsOf(refused)).toContain('Enter a number from 1 to 100');
      expect((await save('1,5', '3,5')).status).toBe(422);
      const grouped = await save('1,5', '1,000');
      expect(wordsOf(grouped)).toContain('Enter a number from 1 to 100');
      expect((await save('1,5', '4')).status).toBe(303);
      expect(await rules()).toEqual([90, 4]);
      expect((await save('', ' ')).status).toBe(303);
      expect(await rules()).toEqual([null, null]);
    });

    it.each(EXPORT_NAMES)(
      'a quiz exported as %s and read again has its rules of play',
      async (format) => {
        const rules = { timeLimit: 45, maxAttempts: 2, questionsPerAttempt: 1 };
        const { id } = await quizWith(rules);
        const { quiz } = await service.app.get(ExportsService).visible(owner.accountId, id);
        const rows = await rowsOf(await exported(quiz, format));
        expect(rows[0]).toMatchObject({ quiz: rules });
      },
    );
  });
});

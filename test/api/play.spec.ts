import request from 'supertest';
import { AttemptLimits } from '../../src/access/attempt-limits/attempt-limits.service';
import { LIMITS } from '../../src/platform/limits/limits';
import { type MadeQuiz, makeQuiz } from '../support/content';
import { keepOpen } from '../support/locks';
import { questionBodies, questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

type Question = MadeQuiz['questions'][number];

const QUESTIONS = [
  questionBody(),
  questionBody({
    text: 'Which of these flow into the Black Sea?',
    difficulty: 'HARD',
    explanation: undefined,
    answers: [
      { text: 'The Dnieper', isCorrect: true },
      { text: 'The Dniester', isCorrect: true },
      { text: 'The Volga', isCorrect: false },
      { text: 'The Po', isCorrect: false },
    ],
  }),
  questionBody({
    text: 'The Rhine rises in Switzerland.',
    type: 'TRUE_FALSE',
    answers: [
      { text: 'True', isCorrect: true },
      { text: 'False', isCorrect: false },
    ],
  }),
  questionBody({
    text: 'What is the longest river of Europe?',
    type: 'OPEN_ENDED',
    answers: [
      { text: 'Volga', isCorrect: true },
      { text: 'The Volga', isCorrect: true },
      { text: 'Danube', isCorrect: false },
    ],
  }),
];

const right = (question: Question) => ({
  questionId: question.id,
  ...(question.type === 'OPEN_ENDED'
    ? { text: question.answers.find((answer) => answer.isCorrect)?.text }
    : { answerIds: question.answers.filter((answer) => answer.isCorrect).map(({ id }) => id) }),
});

const wrong = (question: Question) => ({
  questionId: question.id,
  ...(question.type === 'OPEN_ENDED'
    ? { text: 'nothing of the kind' }
    : { answerIds: [question.answers.find((answer) => !answer.isCorrect)?.id] }),
});

/** Playing by the API (docs/playing.md): the bodies, access and the rules. Races have a file of their own. */
describe('playing a quiz', () => {
  let service: Service;
  let owner: TestAccount;
  let app: TestAccount;
  let quiz: MadeQuiz;

  beforeAll(async () => {
    service = await startService();
    service.clock.stop();
    owner = await service.account('free', { isAdmin: true });
    app = await service.account('free');
    quiz = await makeQuiz(owner, {}, QUESTIONS);
  });

  afterAll(() => service.close());

  const question = (index: number, of = quiz): Question => {
    const found = of.questions[index];
    if (!found) throw new Error(`no question ${index}`);
    return found;
  };

  const start = async (fields: object = {}, of = quiz, account = app) => {
    const body = { player: 'player-1', ...fields };
    const response = await account.post(`/quizzes/${of.id}/attempts`, body).expect(201);
    return response.body.data as {
      id: string;
      questions: { id: string; text: string; answers: { id: string; text: string }[] }[];
    };
  };
  const answer = (attempt: { id: string }, body: string | object, account = app) =>
    account.post(`/attempts/${attempt.id}/answers`, body);
  const submit = (attempt: { id: string }, account = app) =>
    account.post(`/attempts/${attempt.id}/submit`);
  const playsOf = async (of: MadeQuiz) =>
    (await app.get(`/quizzes/${of.id}`).expect(200)).body.data.plays as number;
  const eventsOf = async (of: MadeQuiz) => {
    const rows = await service.database.query<{ account_id: string; body: string }[]>(
      `SELECT account_id, body FROM outbox_events WHERE name NOT LIKE 'quiz.%ed' OR name = 'quiz.completed' ORDER BY id`,
    );
    return rows
      .map((row) => ({ account: row.account_id, ...JSON.parse(row.body) }))
      .filter(({ event, data }) => data.quiz_id === of.id && event !== 'quiz.created');
  };
  const refused = async (test: ReturnType<TestAccount['post']>, error: string | RegExp) => {
    const { body } = await test.expect(422);
    expect(body).toMatchObject({ success: false, error: expect.stringMatching(error) });
  };

  describe('starting an attempt', () => {
    it('a started attempt has the questions in order and reveals no correct answer', async () => {
      const path = `/quizzes/${quiz.id}/attempts`;
      const { body } = await app.post(path, { player: '  Ada ' }).expect(201);
      const sorted = <T extends { id: string }>(list: T[]) =>
        [...list].sort((a, b) => (a.id < b.id ? -1 : 1));
      expect({
        ...body,
        data: {
          ...body.data,
          questions: body.data.questions.map((each: Question) => ({
            ...each,
            answers: sorted(each.answers),
          })),
        },
      }).toEqual({
        success: true,
        data: {
          id: expect.any(String),
          quizId: quiz.id,
          player: 'Ada',
          endsAt: null,
          questions: quiz.questions.map((each) => ({
            id: each.id,
            text: each.text,
            format: 'plain',
            language: null,
            html: each.text,
            type: each.type,
            difficulty: each.difficulty,
            order: each.order,
            multiple: each.text === 'Which of these flow into the Black Sea?',
            answers:
              each.type === 'OPEN_ENDED'
                ? []
                : sorted(each.answers.map(({ id, text }) => ({ id, text, html: text }))),
          })),
        },
      });
    });

    it("an attempt shuffles answers, and neither order nor ids reveal the author's order", async () => {
      const long = await makeQuiz(owner, { title: 'Long' }, questionBodies(30));
      const { questions } = await start({}, long);
      const placesOfTheRightOne = (byId: boolean) =>
        new Set(
          questions.map(({ answers }) =>
            (byId ? [...answers].sort((a, b) => (a.id < b.id ? -1 : 1)) : answers).findIndex(
              ({ text }) => text === 'The Danube',
            ),
          ),
        );
      expect(placesOfTheRightOne(false).size).toBe(3);
      expect(placesOfTheRightOne(true).size).toBe(3);
      const another = await start({}, long);
      expect(another.questions.map(({ id }) => id)).toEqual(long.questions.map(({ id }) => id));
      expect(another.questions.map(({ answers }) => answers)).not.toEqual(
        questions.map(({ answers }) => answers),
      );
    });

    it('shuffled questions are listed in the same order in the result', async () => {
      const long = await makeQuiz(owner, { title: 'Shuffled' }, questionBodies(20));
      const attempt = await start({ shuffle: true }, long);
      const ids = attempt.questions.map(({ id }) => id);
      expect(ids).not.toEqual(long.questions.map(({ id }) => id));
      expect([...ids].sort()).toEqual(long.questions.map(({ id }) => id).sort());
      expect(attempt.questions).toMatchObject(ids.map((_, index) => ({ order: index + 1 })));
      const { body } = await submit(attempt).expect(200);
      expect(body.data.results.map((each: { questionId: string }) => each.questionId)).toEqual(ids);
    });

    it('attempts at unchanged questions share one snapshot', async () => {
      const copies = async () => {
        const sql = `SELECT count(*)::int AS n FROM quiz_snapshots WHERE quiz_id = $1`;
        return (await service.database.query<[{ n: number }]>(sql, [fresh.id]))[0].n;
      };
      const fresh = await makeQuiz(owner, { title: 'Fresh' }, QUESTIONS);
      await start({}, fresh);
      await start({}, fresh, owner);
      expect(await copies()).toBe(1);
      await owner.post(`/quizzes/${fresh.id}/questions/batch`, { questions: [questionBody()] });
      await start({}, fresh);
      expect(await copies()).toBe(2);
    });

    it('an attempt starts and takes answers after the stored version of its quiz was deleted', async () => {
      const played = await makeQuiz(owner, { title: 'Played once' }, QUESTIONS);
      await start({}, played);
      await service.database.query(`DELETE FROM quiz_attempts WHERE quiz_id = $1`, [played.id]);
      await service.database.query(`DELETE FROM quiz_snapshots WHERE quiz_id = $1`, [played.id]);
      for (const player of ['a', 'b']) {
        const attempt = await start({ player }, played);
        for (const each of played.questions) await answer(attempt, right(each)).expect(200);
        const { body } = await submit(attempt).expect(200);
        expect(body.data).toMatchObject({ score: 4, total: 4 });
      }
    });

    it("an owner's snapshots take at most 1 GiB, and stored ones can still be played beyond it", async () => {
      const prolific = await service.account('pro');
      const [stored, edited] = [
        await makeQuiz(prolific, { title: 'Stored' }, QUESTIONS),
        await makeQuiz(prolific, { title: 'Edited' }, QUESTIONS),
      ];
      await start({}, stored, prolific);
      await start({}, edited, prolific);
      await service.database.query(
        `UPDATE quiz_snapshots SET bytes = $2 - bytes - 1 WHERE quiz_id = $1`,
        [stored.id, LIMITS.storage.snapshots.value],
      );
      const batch = { questions: [questionBody()] };
      await prolific.post(`/quizzes/${edited.id}/questions/batch`, batch).expect(201);
      const refused = await prolific.post(`/quizzes/${edited.id}/attempts`, { player: 'a' });
      expect([refused.status, refused.body.error]).toEqual([
        422,
        'This quiz was changed, and the stored versions of its owner’s quizzes have reached their limit of 1 GiB, so no attempt can start or be scored again. Versions are deleted when their attempts are: try again later.',
      ]);
      await start({}, stored, prolific);
      const other = await makeQuiz(owner, { title: 'Elsewhere' }, QUESTIONS);
      await start({}, other, owner);
    });

    it('attempts that start at one moment never take more than 1 GiB of snapshots together', async () => {
      const prolific = await service.account('pro');
      const [stored, ...others] = await Promise.all(
        Array.from({ length: 7 }, (_, n) => makeQuiz(prolific, { title: `Quiz ${n}` }, QUESTIONS)),
      );
      await start({}, stored, prolific);
      // There is room for one more of this size.
      await service.database.query(
        `UPDATE quiz_snapshots SET bytes = $2 - bytes - 16 WHERE quiz_id = $1`,
        [stored?.id, LIMITS.storage.snapshots.value],
      );
      const starts = await Promise.all(
        others.map(({ id }) => prolific.post(`/quizzes/${id}/attempts`, { player: 'a' })),
      );
      expect(starts.map(({ status }) => status).toSorted()).toEqual([201, 422, 422, 422, 422, 422]);
    });

    it('an attempt at a quiz without questions is refused', async () => {
      const empty = await makeQuiz(owner, { title: 'Empty' });
      const { body } = await app.post(`/quizzes/${empty.id}/attempts`, { player: 'a' }).expect(422);
      expect(body).toEqual({
        success: false,
        error: 'This quiz has no questions yet, so it cannot be played.',
      });
    });

    it.each(['question_count = 1001', 'content_bytes = 4194305'])(
      'an attempt at a quiz above the limits is refused without reading its questions: %s',
      async (size) => {
        const huge = await makeQuiz(owner, { title: 'Huge' }, questionBodies(1));
        await service.database.query(`UPDATE quizzes SET ${size} WHERE id = $1`, [huge.id]);
        await refused(
          app.post(`/quizzes/${huge.id}/attempts`, { player: 'a' }),
          /^This quiz is too large to be played/,
        );
      },
    );

    it.each([
      ['no player', {}, 'player', 'required'],
      ['a player that is no text', { player: 7 }, 'player', 'type'],
      ['a blank player', { player: ' \n ' }, 'player', 'blank'],
      ['a player of combining marks only', { player: '\u0301 \u0489' }, 'player', 'blank'],
      ['101 characters', { player: '🎲'.repeat(101) }, 'player', 'too_long'],
      ['a player that looks like a visitor', { player: 'web:a:Ada' }, 'player', 'reserved'],
      [
        'a player that looks like a visitor in capitals',
        { player: 'WEB:a:Ada' },
        'player',
        'reserved',
      ],
      ['a zero-width space', { player: 'racer\u200b' }, 'player', 'invisible'],
      ['a zero-width joiner after a letter', { player: 'racer\u200d' }, 'player', 'invisible'],
      ['a variation selector', { player: 'racer\ufe0e' }, 'player', 'invisible'],
      ['a variation selector after a digit', { player: 'user-17\ufe0f' }, 'player', 'invisible'],
      ['a variation selector that changes no emoji', { player: '🎲\ufe0f' }, 'player', 'invisible'],
      ['a zero-width joiner after a digit', { player: '17\u200d🎲' }, 'player', 'invisible'],
      ['a blank braille pattern', { player: 'racer\u2800' }, 'player', 'invisible'],
      ['text that is turned around', { player: '\u202ereversed' }, 'player', 'invisible'],
      ['a NUL character', { player: 'a\0b' }, 'player', 'characters'],
      ['half a surrogate pair', { player: 'a\ud800' }, 'player', 'characters'],
      ['shuffle as text', { player: 'a', shuffle: 'true' }, 'shuffle', 'type'],
      ['shuffle null', { player: 'a', shuffle: null }, 'shuffle', 'type'],
      ['reveal as a number', { player: 'a', reveal: 1 }, 'reveal', 'type'],
    ])('a start of an attempt refuses %s', async (_, sent, path, code) => {
      const { body } = await app.post(`/quizzes/${quiz.id}/attempts`, sent).expect(422);
      expect(body).toEqual({
        success: false,
        error: expect.stringContaining(path),
        details: [{ path, code, message: expect.any(String) }],
      });
    });

    it("a player's name of 100 characters of any script is stored, in Unicode's composed form", async () => {
      const player = `${'🎲'.repeat(98)}e\u0301`;
      const { body } = await app.post(`/quizzes/${quiz.id}/attempts`, { player }).expect(201);
      expect(body.data.player).toBe(player.normalize('NFC'));
    });
  });

  describe('answering', () => {
    it('an answer is recorded without revealing whether it is correct', async () => {
      const attempt = await start();
      const { body } = await answer(attempt, right(question(0))).expect(200);
      expect(body).toEqual({
        success: true,
        data: { ...right(question(0)), text: null },
      });
      const open = await answer(attempt, { questionId: question(3).id, text: ' Volga ' });
      expect(open.body).toEqual({
        success: true,
        data: { questionId: question(3).id, answerIds: null, text: 'Volga' },
      });
    });

    it('of several answers to a question the last counts once', async () => {
      const attempt = await start();
      await answer(attempt, wrong(question(0))).expect(200);
      await answer(attempt, right(question(0))).expect(200);
      await answer(attempt, right(question(0))).expect(200);
      await answer(attempt, right(question(1))).expect(200);
      await answer(attempt, wrong(question(1))).expect(200);
      const { body } = await submit(attempt).expect(200);
      expect(body.data).toMatchObject({ score: 1, total: 4 });
    });

    it('an attempt with reveal returns the solution of the answered question only', async () => {
      const attempt = await start({ reveal: true });
      const first = await answer(attempt, wrong(question(0))).expect(200);
      expect(first.body).toEqual({
        success: true,
        data: {
          ...wrong(question(0)),
          text: null,
          correct: false,
          correctAnswers: [
            { id: question(0).answers[0]?.id, text: 'The Danube', html: 'The Danube' },
          ],
          spelling: null,
          explanation: 'The Danube flows through ten countries.',
          explanationHtml: 'The Danube flows through ten countries.',
        },
      });
      const open = await answer(attempt, { questionId: question(3).id, text: 'volga!' });
      expect(open.body.data).toMatchObject({
        correct: true,
        answerIds: null,
        text: 'volga!',
        correctAnswers: [{ text: 'Volga' }, { text: 'The Volga' }],
      });
    });

    it('a revealed question accepts the same answer again and no other', async () => {
      const attempt = await start({ reveal: true });
      const two = question(1)
        .answers.slice(0, 2)
        .map(({ id }) => id);
      const sent = { questionId: question(1).id, answerIds: two };
      const first = await answer(attempt, sent).expect(200);
      const again = await answer(attempt, { ...sent, answerIds: [...two].reverse() }).expect(200);
      expect(again.body).toEqual(first.body);
      await refused(
        answer(attempt, wrong(question(1))),
        /^This question has been answered and its solution revealed: the first answer counts\.$/,
      );
      const { body } = await submit(attempt).expect(200);
      expect(body.data.score).toBe(1);
    });

    it('answer ids are case-insensitive, and a repeated id counts once', async () => {
      const attempt = await start();
      const { id } = question(0).answers[0] ?? { id: '' };
      const { body } = await answer(attempt, {
        questionId: question(0).id.toUpperCase(),
        answerIds: [id.toUpperCase(), id],
      }).expect(200);
      expect(body.data).toEqual({ ...right(question(0)), text: null });
    });

    describe('invalid answers', () => {
      let attempt: { id: string };
      let other: MadeQuiz;

      beforeAll(async () => {
        attempt = await start({ player: 'refused' });
        other = await makeQuiz(owner, { title: 'Another' }, QUESTIONS);
      });

      it.each<[string, () => object, string, string, string]>([
        [
          'a question of another quiz',
          () => right(question(0, other)),
          'questionId',
          'unknown',
          'questionId is not the id of a question of this attempt',
        ],
        [
          'a question that is none',
          () => ({ questionId: 'x', text: 'y' }),
          'questionId',
          'unknown',
          'questionId is not the id of a question of this attempt',
        ],
        [
          'a question by a name that every object has',
          () => ({ questionId: '__proto__', text: 'y' }),
          'questionId',
          'unknown',
          'questionId is not the id of a question of this attempt',
        ],
        [
          'an answer of another question',
          () => ({ ...right(question(0)), answerIds: [question(1).answers[0]?.id] }),
          'answerIds',
          'unknown',
          'answerIds contains an id that is not an answer of this question',
        ],
        [
          'an unknown answer id beside a right one',
          () => ({
            questionId: question(0).id,
            answerIds: [question(0).answers[0]?.id, 'constructor'],
          }),
          'answerIds',
          'unknown',
          'answerIds contains an id that is not an answer of this question',
        ],
        [
          'text for a choice',
          () => ({ questionId: question(0).id, text: 'The Danube' }),
          'text',
          'kind',
          'text cannot be given to a MULTIPLE_CHOICE question: send answerIds',
        ],
        [
          'both for a choice',
          () => ({ ...right(question(2)), text: 'True' }),
          'text',
          'kind',
          'text cannot be given to a TRUE_FALSE question: send answerIds',
        ],
        [
          'ids for an open question, though they are those of its answers',
          () => ({ questionId: question(3).id, answerIds: [question(3).answers[0]?.id] }),
          'answerIds',
          'kind',
          'answerIds cannot be given to an OPEN_ENDED question: send text',
        ],
        [
          'neither for a choice',
          () => ({ questionId: question(0).id, answerIds: null }),
          'answerIds',
          'required',
          'answerIds is required for a MULTIPLE_CHOICE question',
        ],
        [
          'neither for an open question',
          () => ({ questionId: question(3).id }),
          'text',
          'required',
          'text is required for an OPEN_ENDED question',
        ],
        [
          'true and false at once',
          () => ({
            questionId: question(2).id,
            answerIds: question(2).answers.map(({ id }) => id),
          }),
          'answerIds',
          'too_many',
          'answerIds must hold exactly 1 answer id for a TRUE_FALSE question',
        ],
      ])('%s', async (_, sent, path, code, message) => {
        const { body } = await answer(attempt, sent()).expect(422);
        expect(body).toEqual({
          success: false,
          error: `The answer is not valid: ${message}.`,
          details: [{ path, code, message }],
        });
      });

      it.each<[string, object, string, string]>([
        ['no question', { text: 'a' }, 'questionId', 'required'],
        ['a question that is no text', { questionId: {}, text: 'a' }, 'questionId', 'type'],
        ['ids that are no array', { questionId: 'x', answerIds: 'y' }, 'answerIds', 'type'],
        ['ids that are no texts', { questionId: 'x', answerIds: [1] }, 'answerIds', 'type'],
        ['no ids', { questionId: 'x', answerIds: [] }, 'answerIds', 'too_few'],
        ['a text that is none', { questionId: 'x', text: ['y'] }, 'text', 'type'],
        ['a blank text', { questionId: 'x', text: ' ' }, 'text', 'blank'],
        ['a long text', { questionId: 'x', text: 'é'.repeat(1_001) }, 'text', 'too_long'],
        ['a NUL', { questionId: 'x', text: 'a\0' }, 'text', 'characters'],
        ['half a surrogate pair', { questionId: 'x', text: '\udc00' }, 'text', 'characters'],
        ['a NUL in an id', { questionId: 'x', answerIds: ['\0'] }, 'answerIds[0]', 'characters'],
      ])('%s', async (_, sent, path, code) => {
        const { body } = await answer(attempt, sent).expect(422);
        expect(body).toMatchObject({ success: false, details: [{ path, code }] });
      });

      it('an answer above the size limits gets 413', async () => {
        const ids = { questionId: 'x', answerIds: Array<string>(10_001).fill('y') };
        for (const sent of [ids, { questionId: 'x', text: 'y'.repeat(1_048_577) }]) {
          const { body } = await answer(attempt, sent).expect(413);
          expect(body).toEqual({
            success: false,
            error: expect.stringMatching(/^The body .+\. Send less in one request\.$/),
          });
        }
      });

      it('a refused answer is not recorded', async () => {
        const { body } = await submit(attempt).expect(200);
        expect(body.data).toMatchObject({ score: 0, total: 4 });
        expect(
          body.data.results.map((each: { answerIds: null; text: null }) => [
            each.answerIds,
            each.text,
          ]),
        ).toEqual(Array(4).fill([null, null]));
      });
    });
  });

  describe('submitting', () => {
    it('a submission returns score, time and all correct answers, and a repeated one returns the same', async () => {
      const attempt = await start({ player: 'Grace' });
      await answer(attempt, right(question(0))).expect(200);
      await answer(attempt, {
        questionId: question(1).id,
        answerIds: [question(1).answers[0]?.id],
      }).expect(200);
      await answer(attempt, { questionId: question(3).id, text: 'the  VOLGA' }).expect(200);
      service.clock.advance(90_000);
      const first = await submit(attempt).expect(200);
      const choices = (index: number) =>
        question(index)
          .answers.filter((each) => each.isCorrect)
          .map(({ id, text }) => ({ id, text, html: text }));
      expect(first.body).toEqual({
        success: true,
        data: {
          score: 2,
          total: 4,
          timeSpent: 90,
          results: [
            {
              questionId: question(0).id,
              correct: true,
              answerIds: [question(0).answers[0]?.id],
              text: null,
              correctAnswers: choices(0),
              spelling: null,
              explanation: 'The Danube flows through ten countries.',
              explanationHtml: 'The Danube flows through ten countries.',
            },
            {
              questionId: question(1).id,
              correct: false,
              answerIds: [question(1).answers[0]?.id],
              text: null,
              correctAnswers: choices(1),
              spelling: null,
              explanation: null,
              explanationHtml: null,
            },
            {
              questionId: question(2).id,
              correct: false,
              answerIds: null,
              text: null,
              correctAnswers: choices(2),
              spelling: null,
              explanation: 'The Danube flows through ten countries.',
              explanationHtml: 'The Danube flows through ten countries.',
            },
            {
              questionId: question(3).id,
              correct: true,
              answerIds: null,
              text: 'the  VOLGA',
              correctAnswers: choices(3),
              spelling: null,
              explanation: 'The Danube flows through ten countries.',
              explanationHtml: 'The Danube flows through ten countries.',
            },
          ],
        },
      });
      const before = await eventsOf(quiz);
      service.clock.advance(48 * 3_600_000);
      const again = await submit(attempt).expect(200);
      expect(again.body).toEqual(first.body);
      expect(await eventsOf(quiz)).toEqual(before);
    });

    it('a submission needs no body and no content type', async () => {
      const attempt = await start();
      const response = await fetch(`${service.url}/api/v1/attempts/${attempt.id}/submit`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${app.key}` },
      });
      expect(response.status).toBe(200);
    });

    it('a submission counts as a play at once, also when sorting by popularity', async () => {
      const one = await makeQuiz(owner, { title: 'One', category: 'Counted' }, QUESTIONS);
      const two = await makeQuiz(owner, { title: 'Two', category: 'Counted' }, QUESTIONS);
      const attempt = await start({}, one);
      await start({}, two);
      expect([await playsOf(one), await playsOf(two)]).toEqual([0, 0]);
      await answer(attempt, wrong(question(0, one))).expect(200);
      await submit(attempt).expect(200);
      await submit(attempt).expect(200);
      expect([await playsOf(one), await playsOf(two)]).toEqual([1, 0]);
      const { body } = await app.get('/quizzes?category=counted&sort=popular').expect(200);
      expect(body.data).toMatchObject([
        { title: 'One', plays: 1 },
        { title: 'Two', plays: 0 },
      ]);
    });

    it('names of players are on one line and composed, so that names that look alike are one player', async () => {
      const of = await makeQuiz(owner, { title: 'Named' }, QUESTIONS);
      for (const [given, stored] of [
        [' Ada \t\n Lovelace\u00a0', 'Ada Lovelace'],
        ['Zoe\u0308', 'Zoë'],
        ['👩‍🔬 ❤️', '👩‍🔬 ❤️'],
        ['🏳️‍🌈 👩🏽‍🚀 1️⃣', '🏳️‍🌈 👩🏽‍🚀 1️⃣'],
        ['Ａda', 'Ａda'],
      ])
        expect(await start({ player: given }, of)).toMatchObject({ player: stored });
    });

    it('a quiz counts one play a day per player, however many attempts are submitted at once', async () => {
      const of = await makeQuiz(owner, { title: 'Farmed' }, QUESTIONS);
      const playOnce = async (player: string, account = app) => {
        const attempt = await start({ player }, of, account);
        await answer(attempt, wrong(question(0, of)), account).expect(200);
        await submit(attempt, account).expect(200);
      };
      await Promise.all(Array.from({ length: 20 }, () => playOnce('racer')));
      expect(await playsOf(of)).toBe(1);
      // Every attempt still counts for results and events.
      const events = await eventsOf(of);
      expect(events.filter(({ event }) => event === 'attempt.submitted')).toHaveLength(20);
      await playOnce('another');
      await playOnce('racer', await service.account('free'));
      expect(await playsOf(of)).toBe(3);
      service.clock.advance(24 * 3_600_000 + 1_000);
      await playOnce('racer');
      await playOnce('racer');
      expect(await playsOf(of)).toBe(4);
    });

    it('counting an attempt deletes ended counters, and does not wait for one that another transaction has locked', async () => {
      const limits = service.app.get(AttemptLimits);
      await service.database.query(
        `INSERT INTO attempt_limits VALUES ('ended', 1, '2020-01-01'), ('ended too', 1, '2020-01-01')`,
      );
      await service.database.transaction(async (tx) => {
        await keepOpen(tx);
        await tx.query(`SELECT FROM attempt_limits WHERE key = 'ended' FOR UPDATE`);
        await limits.take('signUpByAddress', { address: '192.0.2.9' });
      });
      const left = await service.database.query<{ key: string }[]>(
        `SELECT key FROM attempt_limits WHERE key LIKE 'ended%'`,
      );
      expect(left).toEqual([{ key: 'ended' }]);
    });

    it('with a play key, which anybody may have, a quiz counts one play a day per network, whatever the players are called', async () => {
      const of = await makeQuiz(owner, { title: 'By page' }, QUESTIONS);
      const other = await makeQuiz(owner, { title: 'By another page' }, QUESTIONS);
      const key = await service.keyOf(app, { scopes: ['play'] });
      const playOnce = async (player: string, account: TestAccount, quizPlayed = of) => {
        const attempt = await start({ player }, quizPlayed, account);
        await answer(attempt, wrong(question(0, quizPlayed)), account).expect(200);
        await submit(attempt, account).expect(200);
      };
      await Promise.all(Array.from({ length: 20 }, (_, at) => playOnce(`bot ${at}`, key)));
      expect(await playsOf(of)).toBe(1);
      await playOnce('bot', key, other);
      expect(await playsOf(other)).toBe(1);
      // A key that is kept secret vouches for its players.
      await playOnce('known', app);
      await playOnce('known too', app);
      expect(await playsOf(of)).toBe(3);
      // The rule of the page, which counts the same network.
      const cookies = await request(service.url)
        .post('/play/by-page')
        .set({ 'Sec-Fetch-Site': 'same-origin' })
        .type('form')
        .send({ name: 'Ada' })
        .expect(303);
      const at = String(cookies.headers.location);
      const cookie = (cookies.headers['set-cookie'] as unknown as string[])
        .map((line) => line.split(';')[0])
        .join('; ');
      const send = (path: string, fields: object) =>
        request(service.url)
          .post(path)
          .set({ Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' })
          .type('form')
          .send(fields)
          .expect(303);
      await send(at, { answer: question(0, of).answers[0]?.id });
      await send(at.replace(/\/1$/, ''), {});
      expect(await playsOf(of)).toBe(3);
    });

    it('a submitted attempt accepts no answer', async () => {
      const attempt = await start();
      await submit(attempt).expect(200);
      await refused(
        answer(attempt, right(question(0))),
        /^This attempt has been submitted and accepts no more answers\.$/,
      );
    });
  });

  describe('attempts over time', () => {
    it('an attempt plays the quiz as it was at its start', async () => {
      const played = await makeQuiz(owner, { title: 'Changing' }, QUESTIONS);
      const attempt = await start({}, played);
      await owner.post(`/quizzes/${played.id}/questions/batch`, { questions: [questionBody()] });
      await service.database.query(
        `UPDATE questions SET text = 'Changed', answers = '[]' WHERE id = $1`,
        [question(0, played).id],
      );
      await service.database.query(`DELETE FROM questions WHERE id = $1`, [question(2, played).id]);
      for (const each of played.questions) await answer(attempt, right(each)).expect(200);
      const { body } = await submit(attempt).expect(200);
      expect(body.data).toMatchObject({ score: 4, total: 4 });
    });

    it('an attempt can be finished after its quiz was hidden or deleted', async () => {
      const played = await makeQuiz(owner, { title: 'Going' }, QUESTIONS);
      const [hidden, gone] = [await start({}, played), await start({}, played)];
      await service.database.query(`UPDATE quizzes SET published = false WHERE id = $1`, [
        played.id,
      ]);
      await answer(hidden, right(question(0, played))).expect(200);
      expect((await submit(hidden).expect(200)).body.data.score).toBe(1);
      await service.database.query(`DELETE FROM quizzes WHERE id = $1`, [played.id]);
      await answer(gone, right(question(1, played))).expect(200);
      expect((await submit(gone).expect(200)).body.data.score).toBe(1);
      const left = await service.database.query<unknown[]>(`SELECT FROM uncounted_plays`);
      expect(left).toHaveLength(0);
    });

    it('an attempt expires after exactly 24 hours', async () => {
      const attempt = await start();
      service.clock.advance(24 * 3_600_000 - 1);
      await answer(attempt, right(question(0))).expect(200);
      service.clock.advance(1);
      const sentence =
        /^This attempt has expired: it could be played for 24 hours\. Start another\.$/;
      await refused(answer(attempt, right(question(1))), sentence);
      await refused(submit(attempt), sentence);
    });
  });

  describe('the leaderboard', () => {
    const leaderboard = async (of: MadeQuiz, account = app) =>
      (await account.get(`/quizzes/${of.id}/leaderboard`).expect(200)).body;

    /** Plays with this many right answers; the clock then shows this many seconds. */
    const play = async (
      of: MadeQuiz,
      player: string,
      score: number,
      seconds = 0,
      account = app,
    ) => {
      const attempt = await start({ player }, of, account);
      for (const each of of.questions.slice(0, score))
        await answer(attempt, right(each), account).expect(200);
      if (score === 0) await answer(attempt, wrong(question(0, of)), account).expect(200);
      service.clock.advance(seconds * 1_000);
      await submit(attempt, account).expect(200);
      return attempt;
    };

    it('a leaderboard is empty at first', async () => {
      const fresh = await makeQuiz(owner, { title: 'Unplayed' }, QUESTIONS);
      expect(await leaderboard(fresh)).toEqual({ success: true, data: [] });
    });

    it("the leaderboard shows each player's first attempt by score, time and submission", async () => {
      const of = await makeQuiz(owner, { title: 'Ranked' }, QUESTIONS);
      await play(of, 'slow', 3, 500);
      await play(of, 'quick', 3, 100);
      await play(of, 'best', 4, 900);
      await play(of, 'worst', 0);
      await play(of, 'slow', 2, 10);
      await play(of, 'quick', 3, 300);
      await play(of, 'late', 3, 200);
      await play(of, 'late', 4, 0);
      const { data } = await leaderboard(of);
      expect(data).toEqual([
        { rank: 1, userId: 'best', score: 4, timeSpent: 900 },
        { rank: 2, userId: 'quick', score: 3, timeSpent: 100 },
        { rank: 3, userId: 'late', score: 3, timeSpent: 200 },
        { rank: 4, userId: 'slow', score: 3, timeSpent: 500 },
        { rank: 5, userId: 'worst', score: 0, timeSpent: 0 },
      ]);
    });

    it('the leaderboard ranks the first of equal results above the others', async () => {
      const of = await makeQuiz(owner, { title: 'Equals' }, QUESTIONS);
      for (const player of ['zoe', 'amy', 'zoe', 'ben']) await play(of, player, 1, 10);
      expect((await leaderboard(of)).data).toEqual(
        ['zoe', 'amy', 'ben'].map((userId, index) => ({
          rank: index + 1,
          userId,
          score: 1,
          timeSpent: 10,
        })),
      );
      const updates = (await eventsOf(of)).filter(({ event }) => event === 'leaderboard.updated');
      expect(updates.map(({ data }) => data.top_scores.length)).toEqual([1, 2, 3]);
    });

    it('the leaderboard shows ten, and players of two accounts are different players', async () => {
      const of = await makeQuiz(owner, { title: 'Crowded' }, QUESTIONS);
      for (let n = 0; n < 9; n++) await play(of, `player ${n}`, 1, 10 * n);
      await play(of, 'player 0', 2, 0, owner);
      await play(of, 'eleventh', 1, 2_000);
      const { data } = await leaderboard(of);
      expect(data.map((each: { userId: string }) => each.userId)).toEqual([
        'player 0',
        ...Array.from({ length: 9 }, (_, n) => `player ${n}`),
      ]);
    });

    it('the leaderboard shows no attempt without an answer and none started after its solutions were seen', async () => {
      const of = await makeQuiz(owner, { title: 'Peeked' }, QUESTIONS);
      const attempt = await start({ player: 'peeks' }, of);
      expect((await submit(attempt).expect(200)).body.data.results).toHaveLength(4);
      expect(await playsOf(of)).toBe(0);
      await play(of, 'peeks', 4);
      expect((await leaderboard(of)).data).toEqual([]);
      expect(await playsOf(of)).toBe(1);
      expect((await eventsOf(of)).map(({ event }) => event)).toEqual([
        'attempt.submitted',
        'attempt.submitted',
        'quiz.completed',
      ]);
    });

    it('the leaderboard shows no player who has seen answers in an attempt with reveal', async () => {
      const of = await makeQuiz(owner, { title: 'Revealed' }, QUESTIONS);
      const attempt = await start({ player: 'peeks', reveal: true }, of);
      await answer(attempt, wrong(question(0, of))).expect(200);
      await play(of, 'peeks', 4);
      await play(of, 'honest', 1);
      expect((await leaderboard(of)).data).toMatchObject([{ userId: 'honest', rank: 1 }]);
    });

    it('leaderboard.updated is sent exactly when the leaderboard changes', async () => {
      const of = await makeQuiz(owner, { title: 'Announced' }, QUESTIONS);
      const boards: unknown[] = [];
      const changed = async (player: string, score: number, seconds: number) => {
        const before = (await eventsOf(of)).filter(({ event }) => event === 'leaderboard.updated');
        await play(of, player, score, seconds);
        const { data } = await leaderboard(of);
        boards.push(data);
        const events = (await eventsOf(of)).filter(({ event }) => event === 'leaderboard.updated');
        if (events.length === before.length) return false;
        expect(events).toHaveLength(before.length + 1);
        expect(events.at(-1)).toEqual({
          account: owner.accountId,
          id: expect.any(String),
          event: 'leaderboard.updated',
          created_at: expect.any(String),
          data: {
            quiz_id: of.id,
            top_scores: data.map((each: { [field: string]: unknown }) => ({
              rank: each.rank,
              user_id: each.userId,
              score: each.score,
              time_spent: each.timeSpent,
            })),
            updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
          },
        });
        return true;
      };
      for (let n = 0; n < 10; n++) expect(await changed(`p${n}`, 2, 100 * (n + 1))).toBe(true);
      // Neither the eleventh, nor a worse attempt of the first, nor one as good but later.
      expect(await changed('p10', 2, 2_000)).toBe(false);
      expect(await changed('p0', 1, 0)).toBe(false);
      expect(await changed('p0', 2, 150)).toBe(false);
      // Somebody new.
      expect(await changed('p11', 3, 0)).toBe(true);
      // The same player again, who has seen the solutions.
      expect(await changed('p11', 4, 0)).toBe(false);
      expect(boards.at(-1)).toHaveLength(10);
    });
  });

  describe('events', () => {
    it("a finished attempt sends its events to the quiz's owner", async () => {
      const of = await makeQuiz(owner, { title: 'Told' }, QUESTIONS);
      const attempt = await start({ player: 'Ada' }, of);
      for (const each of of.questions.slice(0, 3)) await answer(attempt, right(each));
      await answer(attempt, wrong(question(3, of)));
      service.clock.advance(30_000);
      expect(await eventsOf(of)).toEqual([]);
      const { timeSpent } = (await submit(attempt).expect(200)).body.data;
      expect(timeSpent).toBe(30);
      const events = await eventsOf(of);
      expect(events.map(({ account, event, data }) => ({ account, event, data }))).toEqual([
        {
          account: owner.accountId,
          event: 'attempt.submitted',
          data: { attempt_id: attempt.id, quiz_id: of.id, user_id: 'Ada', score: 3 },
        },
        {
          account: owner.accountId,
          event: 'quiz.completed',
          data: {
            quiz_id: of.id,
            user_id: 'Ada',
            score: 3,
            time_spent: timeSpent,
            total_questions: 4,
            completed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
          },
        },
        {
          account: owner.accountId,
          event: 'leaderboard.updated',
          data: {
            quiz_id: of.id,
            top_scores: [{ rank: 1, user_id: 'Ada', score: 3, time_spent: timeSpent }],
            updated_at: expect.any(String),
          },
        },
      ]);
    });

    it('quiz.completed is not sent when a question was left unanswered', async () => {
      const of = await makeQuiz(owner, { title: 'Half' }, QUESTIONS);
      const attempt = await start({}, of);
      for (const each of of.questions.slice(0, 3)) await answer(attempt, right(each)).expect(200);
      await submit(attempt).expect(200);
      expect((await eventsOf(of)).map(({ event }) => event)).toEqual([
        'attempt.submitted',
        'leaderboard.updated',
      ]);
    });
  });

  describe('access to attempts and leaderboards', () => {
    let attempt: { id: string };
    let draft: MadeQuiz;

    beforeAll(async () => {
      attempt = await start();
      draft = await makeQuiz(owner, { title: 'Draft', published: false }, QUESTIONS);
    });

    const paths = () => ({
      attempts: `/quizzes/${quiz.id}/attempts`,
      answers: `/attempts/${attempt.id}/answers`,
      submit: `/attempts/${attempt.id}/submit`,
    });

    it('play endpoints get 401 without a key before the body is read', async () => {
      for (const path of Object.values(paths())) {
        const { body } = await service.post(path, '{').expect(401);
        expect(body).toEqual({ success: false, error: 'Invalid API key.' });
      }
      await service.get(`/quizzes/${quiz.id}/leaderboard`).expect(401);
    });

    it("another account's attempt gets 404 like an unknown one", async () => {
      const notFound = { success: false, error: 'Attempt not found.' };
      const unknown = '019a9f3e-6c00-7000-8000-000000000001';
      // Not even the quiz's owner.
      for (const id of [attempt.id, unknown, 'x', '%00', 'constructor']) {
        const answered = await owner.post(`/attempts/${id}/answers`, { nothing: 1 }).expect(404);
        expect(answered.body).toEqual(notFound);
        expect((await owner.post(`/attempts/${id}/submit`).expect(404)).body).toEqual(notFound);
      }
      await answer(attempt, right(question(0))).expect(200);
    });

    it('playing an invisible quiz gets 404 before the body is read', async () => {
      for (const id of [draft.id, 'x', '019a9f3e-6c00-7000-8000-000000000001']) {
        const started = await app.post(`/quizzes/${id}/attempts`, { player: 1 }).expect(404);
        expect(started.body).toEqual({ success: false, error: 'Quiz not found.' });
        const top = await app.get(`/quizzes/${id}/leaderboard`).expect(404);
        expect(top.body).toEqual({ success: false, error: 'Quiz not found.' });
      }
      await start({}, draft, owner);
      await owner.get(`/quizzes/${draft.id}/leaderboard`).expect(200);
    });

    it('play endpoints accept JSON objects only', async () => {
      for (const path of [paths().attempts, paths().answers]) {
        await app.post(path, '{').expect(400);
        await app.post(path).set('Content-Type', 'text/plain').send('a').expect(400);
        await app.post(path, '[]').expect(422);
      }
      await app.post('/quizzes/x/attempts', '{').expect(400);
      await app.post('/attempts/x/answers', '{').expect(400);
    });
  });
});

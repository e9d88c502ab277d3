import { CountersService } from '../../src/catalog/discovery/counters.service';
import { LIMITS } from '../../src/platform/limits/limits';
import { addQuestions, makeQuiz } from '../support/content';
import { countersEqualCounts } from '../support/counters';
import { signIn, type Window } from '../support/dashboard';
import { questionBodies, questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { hidden } from '../support/visitor';

const MIB = 1_048_576;
const { questionsPerPage } = LIMITS.content;

/** How much a question, a quiz and an account may hold, whichever way the questions come. */
describe('the limits of content', () => {
  let service: Service;
  let owner: TestAccount;
  let window: Window;

  beforeAll(async () => {
    service = await startService();
    owner = await service.account('pro');
    window = await signIn(service, owner);
  });
  afterAll(() => service.close());

  const batch = (quizId: string, questions: object[], account = owner) =>
    account.post(`/quizzes/${quizId}/questions/batch`, { questions });
  const bytesOf = async (table: 'quizzes' | 'accounts', id: string) => {
    const [row] = await service.database.query<[{ bytes: string }]>(
      `SELECT content_bytes AS bytes FROM ${table} WHERE id = $1`,
      [id],
    );
    return Number(row.bytes);
  };
  const setBytes = (table: 'quizzes' | 'accounts', id: string, bytes: number) =>
    service.database.query(`UPDATE ${table} SET content_bytes = $2 WHERE id = $1`, [id, bytes]);
  /** A quiz that says to have so many questions. */
  const withCount = async (count: number) => {
    const { id } = await makeQuiz(owner);
    await service.database.query('UPDATE quizzes SET question_count = $2 WHERE id = $1', [
      id,
      count,
    ]);
    return id;
  };

  it('a question at the limit of every text is accepted, and one character more is refused', async () => {
    const { id } = await makeQuiz(owner);
    const answers = (count: number, text: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => ({ text: text(at), isCorrect: at === 0 }));
    const long = (characters: number) => (at: number) => `${at}`.padEnd(characters, 'x');
    const most = questionBody({
      text: '🎲'.repeat(4_000),
      explanation: '🎲'.repeat(4_000),
      answers: answers(60, (at) => (at < 3 ? `${at}${'🎲'.repeat(999)}` : `${at}`)),
    });
    await batch(id, [most]).expect(201);
    for (const [change, path, message] of [
      [{ text: 'x'.repeat(4_001) }, 'text', 'is longer than 4000 characters'],
      [{ explanation: 'x'.repeat(4_001) }, 'explanation', 'is longer than 4000 characters'],
      [{ answers: answers(2, long(1_001)) }, 'answers[0].text', 'is longer than 1000 characters'],
      [{ answers: answers(61, String) }, 'answers', 'may hold at most 60 answers, and has 61'],
    ] as const) {
      const { body } = await batch(id, [questionBody(change)]).expect(422);
      expect(body.details[0]).toMatchObject({ path: `questions[0].${path}` });
      expect(body.details[0].message).toContain(message);
    }
    const form = {
      'q.text': 'x'.repeat(4_001),
      'q.type': 'MULTIPLE_CHOICE',
      'q.difficulty': 'EASY',
    };
    const { text } = await window.send(`/quizzes/${id}/questions`, form).expect(422);
    expect(text).toContain('longer than 4000 characters');
  });

  it('the database refuses a text above its limit', async () => {
    const { questions } = await makeQuiz(owner, {}, questionBodies(1));
    await expect(
      service.database.query(`UPDATE questions SET text = repeat('x', 4001) WHERE id = $1`, [
        questions[0]?.id,
      ]),
    ).rejects.toMatchObject({ driverError: { code: '23514', constraint: 'questions_limits' } });
  });

  it('a quiz takes its 1,000th question and not the 1,001st', async () => {
    const id = await withCount(998);
    const { body } = await batch(id, questionBodies(3)).expect(422);
    expect(body.error).toBe(
      'A quiz holds at most 1,000 questions, and this one has 998. Put the rest into another quiz.',
    );
    await batch(id, questionBodies(2)).expect(201);
    const form = {
      'q.text': 'One more?',
      'q.type': 'TRUE_FALSE',
      'q.difficulty': 'EASY',
      'q.option': ['True', 'False'],
      'q.truth': '0',
    };
    const { text } = await window.send(`/quizzes/${id}/questions`, form).expect(422);
    expect(text).toContain('A quiz holds at most 1,000 questions');
  });

  it('concurrent batches cannot pass the question limit of a quiz', async () => {
    const id = await withCount(970);
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async () => (await batch(id, questionBodies(10))).status),
    );
    expect(statuses.toSorted()).toEqual([201, 201, 201, 422, 422, 422]);
  });

  it('a quiz holds 2 MiB of questions and not a byte more', async () => {
    const { id, questions } = await makeQuiz(owner, {}, [questionBody({ text: 'Which?' })]);
    const used = await bytesOf('quizzes', id);
    const next = questionBody({ text: 'Whose?' });
    await setBytes('quizzes', id, 2 * MIB - used + 1);
    const { body } = await batch(id, [next]).expect(422);
    expect(body.error).toBe(
      'A quiz holds at most 2 MiB of questions, and this would exceed that limit. Shorten the texts, or put the rest into another quiz.',
    );
    await setBytes('quizzes', id, 2 * MIB - used);
    await batch(id, [next]).expect(201);
    const at = `/quizzes/${id}/questions/${questions[0]?.id}/edit`;
    const page = await window.open(at).expect(200);
    const version = hidden(page.text, 'version');
    const form = {
      version,
      'q.text': 'Which one?',
      'q.type': 'TRUE_FALSE',
      'q.difficulty': 'EASY',
      'q.explanation': 'x'.repeat(500),
      'q.option': ['True', 'False'],
      'q.truth': '0',
    };
    const refused = await window.send(at, form).expect(422);
    expect(refused.text).toContain('A quiz holds at most 2 MiB');
    await window.send(at, { ...form, 'q.explanation': '' }).expect(303);
  });

  it('an account cannot pass the bytes of its plan, however many batches come at once', async () => {
    const starter = await service.account('starter');
    const quizzes = await Promise.all(Array.from({ length: 6 }, () => makeQuiz(starter)));
    const one = await batch(quizzes[0]?.id ?? '', [questionBody()], starter).expect(201);
    expect(one.body.data.questionsCreated).toBe(1);
    const each = await bytesOf('accounts', starter.accountId);
    await setBytes('accounts', starter.accountId, 64 * MIB - 2 * each);
    const responses = await Promise.all(
      quizzes.map(({ id }) => batch(id, [questionBody()], starter)),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([
      201, 201, 422, 422, 422, 422,
    ]);
    expect(await bytesOf('accounts', starter.accountId)).toBe(64 * MIB);
    await setBytes('accounts', starter.accountId, 3 * each);
    expect(responses.find(({ status }) => status === 422)?.body.error).toBe(
      'Your Starter plan allows 64 MiB of questions and pictures in all quizzes, and this would exceed that limit. Delete questions or quizzes to make room, or upgrade your plan.',
    );
  });

  it('the bytes of an account follow edits and deletions, and its limit is that of its plan', async () => {
    const account = await service.account('pro');
    const mine = await signIn(service, account);
    const text = 'Ørsted, naïve 🎲?';
    const { id, questions } = await makeQuiz(account, {}, [
      questionBody({ text, explanation: undefined }),
      questionBody(),
    ]);
    const before = await bytesOf('accounts', account.accountId);
    const texts = [text, 'The Danube', 'The Rhine', 'The Elbe'];
    const first = 200 + 300 + texts.reduce((sum, it) => sum + Buffer.byteLength(it), 0);
    await mine.send(`/quizzes/${id}/questions/${questions[0]?.id}/delete`).expect(303);
    expect(before - (await bytesOf('accounts', account.accountId))).toBe(first);
    await mine.send(`/quizzes/${id}/delete`).expect(303);
    expect(await bytesOf('accounts', account.accountId)).toBe(0);
    const other = await makeQuiz(account);
    await setBytes('accounts', account.accountId, 640 * MIB);
    const { body } = await batch(other.id, [questionBody()], account).expect(422);
    expect(body.error).toContain(
      'Your Pro plan allows 640 MiB of questions and pictures in all quizzes',
    );
    await setBytes('accounts', account.accountId, 0);
  });

  it('the dashboard and the review show a quiz of 1,000 questions page by page', async () => {
    const { id } = await makeQuiz(owner, { title: 'A thousand' });
    const questions = await addQuestions(owner, id, questionBodies(1_000));
    const admin = await signIn(service, await service.account('free', { isAdmin: true }));
    for (const open of [
      (page: number) => window.open(`/quizzes/${id}?page=${page}`),
      (page: number) => admin.open(`/admin/review/${id}?page=${page}`),
    ]) {
      const { text } = await open(40).expect(200);
      expect(text).toContain(`${1_000 - questionsPerPage.value + 1} to 1000 of 1000`);
      expect(text.match(/Question \d+\?/g)).toContain('Question 1000?');
      expect(text).not.toContain('Question 975?');
      expect((await open(1).expect(200)).text).toContain('Question 25?');
    }
    const moved = await window
      .send(`/quizzes/${id}/questions/${questions[25]?.id}/move`, { by: 'up' })
      .expect(303);
    const question = questions[25]?.id;
    expect(moved.headers.location).toBe(`/dashboard/quizzes/${id}?menu=${question}#up-${question}`);
  });

  it('the numbers of questions and bytes of each quiz equal a count', async () => {
    const { questions } = await makeQuiz(owner, {}, questionBodies(3));
    const [edited, deleted] = questions.map(({ id }) => `/questions/${id}`);
    await owner.patch(edited!, { text: 'Ørsted, naïve 🎲?' }).expect(200);
    await owner.delete(deleted!).expect(204);
    // The numbers of these were set by other tests.
    await service.database.query(
      `DELETE FROM quizzes WHERE question_count > 900 OR content_bytes > $1`,
      [2 * MIB - 10_000],
    );
    await countersEqualCounts(service.database);
    const checks = await service.app.get(CountersService).verify();
    expect(checks).toContainEqual(
      expect.objectContaining({ counter: 'counts of quizzes', wrong: 0 }),
    );
  });
});

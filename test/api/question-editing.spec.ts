import { QuestionEditingService } from '../../src/authoring/questions/question-editing.service';
import { ReviewService } from '../../src/authoring/review/review.service';
import { newId } from '../../src/platform/text/ids';
import { eventually } from '../support/clock';
import { makeQuiz } from '../support/content';
import { questionBodies, questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { errorsIn } from '../support/writing';

/** Reading, changing, deleting and ordering single questions through the API (extension of the specification). */

let service: Service;
let owner: TestAccount;
let other: TestAccount;
let admin: TestAccount;

beforeAll(async () => {
  service = await startService();
  owner = await service.account();
  other = await service.account();
  admin = await service.account('pro', { isAdmin: true });
});
afterAll(() => service.close());

const quizOf = (count = 1, fields: object = {}) =>
  makeQuiz(owner, {}, count === 1 ? [questionBody(fields)] : questionBodies(count, fields));
const questionOf = async (fields: object = {}) => {
  const { id: quizId, questions } = await quizOf(1, fields);
  return { quizId, ...(questions[0] as (typeof questions)[0]) };
};
const textsOf = async (quizId: string) => {
  const { body } = await owner.get(`/quizzes/${quizId}`).expect(200);
  return (body.data.questions as { order: number; text: string }[]).map(
    ({ order, text }) => `${order} ${text}`,
  );
};
const eventsOf = async (quizId: string) => {
  const events = await service.database.query<{ name: string }[]>(
    `SELECT name FROM outbox_events WHERE body::jsonb -> 'data' ->> 'quiz_id' = $1 ORDER BY id`,
    [quizId],
  );
  return events.map(({ name }) => name);
};
const etagOf = async (path: string) => (await owner.get(path).expect(200)).headers.etag ?? '';

describe('GET /questions/{id}', () => {
  it('a question is the element of browse with its format, and as visible as its quiz', async () => {
    const { id, quizId } = await questionOf();
    const { body } = await owner.get(`/questions/${id}`).expect(200);
    expect(body.data).toMatchObject({
      id,
      quizId,
      quizTitle: 'Rivers of Europe',
      category: 'Geography',
    });
    await other.get(`/questions/${id}`).expect(404);
    await service.app.get(ReviewService).approve(quizId);
    const published = await other.get(`/questions/${id}`).expect(200);
    const browsed = await other.get('/questions?limit=50').expect(200);
    expect(published.body.data).toEqual({
      ...(browsed.body.data as { id: string }[]).find((it) => it.id === id),
      format: 'plain',
      language: null,
      html: 'Which river flows through Vienna?',
      explanationHtml: 'The Danube flows through ten countries.',
      answers: (
        published.body.data.answers as { id: string; text: string; isCorrect: boolean }[]
      ).map(({ id, text, isCorrect }) => ({ id, text, isCorrect, html: text })),
    });
    await service.get(`/questions/${id}`).expect(401);
  });

  it.each([newId(), 'nothing', '%zz'])('an unknown question, %s, gets 404', async (id) => {
    const { body } = await owner.get(`/questions/${id}`).expect(404);
    expect(body.error).toBe('Question not found.');
  });
});

describe('PATCH /questions/{id}', () => {
  it('the ids of a question’s answers do not show which answer was edited last', async () => {
    const { id, answers } = await questionOf();
    // The ids of another millisecond would begin otherwise.
    await eventually(() => expect(newId().slice(0, 13)).not.toBe(id.slice(0, 13)));
    const [first, ...rest] = answers.map(({ text, isCorrect }) => ({ text, isCorrect }));
    const edited = [{ text: 'The Danube (in Austria)', isCorrect: first?.isCorrect }, ...rest];
    const { body } = await owner.patch(`/questions/${id}`, { answers: edited }).expect(200);
    const ids = (body.data.answers as { id: string }[]).map((answer) => answer.id);
    expect(ids.slice(1)).toEqual(answers.slice(1).map((answer) => answer.id));
    expect(ids[0]).not.toBe(answers[0]?.id);
    expect(new Set(ids.map((it) => it.slice(0, 13)))).toEqual(new Set([id.slice(0, 13)]));
  });

  it('a new answer gets the moment of the others also where that is not the moment of the question', async () => {
    const { id, answers } = await questionOf();
    const moment = '01a20f11-6fa2-7';
    // As an earlier version stored them.
    const stored = answers.map((answer) => ({ ...answer, id: moment + answer.id.slice(15) }));
    await service.database.query(`UPDATE questions SET answers = $2 WHERE id = $1`, [
      id,
      JSON.stringify(stored),
    ]);
    const edited = answers.map(({ text, isCorrect }, at) => ({
      text: at === 0 ? 'Corrected' : text,
      isCorrect,
    }));
    const { body } = await owner.patch(`/questions/${id}`, { answers: edited }).expect(200);
    const ids = (body.data.answers as { id: string }[]).map((answer) => answer.id);
    expect(new Set(ids.map((it) => it.slice(0, 15)))).toEqual(new Set([moment]));
    expect(new Set(ids).size).toBe(answers.length);
  });

  it('a PATCH changes the fields that it sends, and unchanged answers keep their ids', async () => {
    const { id, quizId, answers } = await questionOf();
    const [danube, rhine] = answers;
    const first = await owner
      .patch(`/questions/${id}`, { text: 'Which river?', difficulty: 'HARD' })
      .expect(200);
    expect(first.body.data).toMatchObject({
      id,
      text: 'Which river?',
      difficulty: 'HARD',
      answers,
    });
    const { body } = await owner
      .patch(`/questions/${id}`, {
        explanation: null,
        answers: [
          { text: 'The Rhine', isCorrect: true },
          { text: 'The Po', isCorrect: false },
          { text: 'The Danube', isCorrect: false },
        ],
      })
      .expect(200);
    expect(body.data).toMatchObject({
      text: 'Which river?',
      explanation: null,
      quizId,
      answers: [
        { id: rhine?.id, text: 'The Rhine', isCorrect: true },
        { text: 'The Po' },
        { id: danube?.id, text: 'The Danube', isCorrect: false },
      ],
    });
    const { earlierAttempts, ...question } = body.data;
    expect(earlierAttempts).toBe(0);
    expect((await owner.get(`/questions/${id}`).expect(200)).body.data).toEqual(question);
  });

  it('the changed question must be valid as a whole, and every issue is listed with its path', async () => {
    const { id } = await questionOf();
    const patch = async (change: object) =>
      errorsIn(await owner.patch(`/questions/${id}`, change).expect(422));
    expect(await patch({ type: 'TRUE_FALSE' })).toEqual(['answers answer_count']);
    const many = await patch({ text: '', difficulty: 'easy', type: 'TRUE_FALSE' });
    expect(many.sort()).toEqual(['answers answer_count', 'difficulty choice', 'text blank']);
    expect(await patch({ answers: [{ text: 'A', isCorrect: false }, { text: 7 }] })).toEqual([
      'answers[1].isCorrect required',
      'answers[1].text type',
    ]);
    expect(await patch({ answers: null })).toEqual(['answers type']);
    expect(await patch({ text: 'a\u0000b' })).toEqual(['text characters']);
    expect(await patch({ text: 'a', other: ['\u0000'] })).toEqual(['other[0] characters']);
    expect(await patch({ text: 'a\u0000b', type: 'NONE', other: ['\u0000'] })).toEqual([
      'text characters',
      'type choice',
      'other[0] characters',
    ]);
    expect(await patch({})).toEqual([' empty']);
    expect(await patch({ order: 3, id: newId() })).toEqual([' empty']);
    await owner.patch(`/questions/${id}`, '[]').expect(422);
    await owner.patch(`/questions/${id}`, '{').expect(400);
  });

  it('an open question with one accepted answer can be edited, and new answers must be two', async () => {
    const { id } = await questionOf({
      type: 'OPEN_ENDED',
      answers: [
        { text: 'Danube', isCorrect: true },
        { text: 'The Danube', isCorrect: true },
      ],
    });
    const answers = [{ text: 'Danube', isCorrect: true }];
    const refused = await owner.patch(`/questions/${id}`, { answers }).expect(422);
    expect(errorsIn(refused)).toEqual(['answers answer_count']);
    // As an import or the dashboard stores it.
    await service.database.query(
      `UPDATE questions SET answers = jsonb_path_query_array(answers, '$[0]') WHERE id = $1`,
      [id],
    );
    await owner.patch(`/questions/${id}`, { difficulty: 'HARD' }).expect(200);
  });
});

describe('DELETE /questions/{id}', () => {
  it('the order closes up behind a deleted question', async () => {
    const { id, questions } = await quizOf(3);
    await owner.delete(`/questions/${questions[1]?.id}`).expect(204);
    expect(await textsOf(id)).toEqual(['1 Question 1?', '2 Question 3?']);
    await owner.delete(`/questions/${questions[1]?.id}`).expect(404);
  });
});

describe('PUT /quizzes/{id}/questions/order', () => {
  it('a permutation of the ids is the new order, and anything else gets 422', async () => {
    const { id, questions } = await quizOf(3);
    const ids = questions.map((it) => it.id);
    const put = (body: object) => owner.put(`/quizzes/${id}/questions/order`, body);
    await put({ ids: [...ids].reverse() }).expect(204);
    const wanted = ['1 Question 3?', '2 Question 2?', '3 Question 1?'];
    expect(await textsOf(id)).toEqual(wanted);
    for (const wrong of [
      ids.slice(1),
      [...ids, ids[0]],
      [ids[0], ids[0], ids[1]],
      [...ids.slice(1), 'x'],
      [],
    ])
      expect(errorsIn(await put({ ids: wrong }).expect(422))).toEqual(['ids permutation']);
    expect(errorsIn(await put({}).expect(422))).toEqual(['ids required']);
    expect(errorsIn(await put({ ids: [1] }).expect(422))).toEqual(['ids[0] type']);
    const many = Array.from({ length: 1_001 }, () => 'x');
    expect(errorsIn(await put({ ids: many }).expect(422))).toEqual(['ids too_many']);
    expect(await textsOf(id)).toEqual(wanted);
  });
});

describe('If-Match', () => {
  it('a change of a question with a stale ETag gets 412 and the present one', async () => {
    const { id } = await questionOf();
    const path = `/questions/${id}`;
    const seen = await etagOf(path);
    const patch = (text: string, tag: string) => owner.patch(path, { text }).set('If-Match', tag);
    const { headers } = await patch('First?', seen).expect(200);
    expect(headers.etag).toBe(await etagOf(path));
    const stale = await patch('Second?', seen).expect(412);
    expect(stale.headers.etag).toBe(headers.etag);
    await owner.delete(path).set('If-Match', seen).expect(412);
    await patch('Third?', '*').expect(200);
    await owner
      .delete(path)
      .set('If-Match', await etagOf(path))
      .expect(204);
  });

  it('a new order needs the ETag of the quiz, and makes it stale', async () => {
    const { id, questions } = await quizOf(2);
    const seen = await etagOf(`/quizzes/${id}`);
    const ids = questions.map((it) => it.id).reverse();
    const put = () => owner.put(`/quizzes/${id}/questions/order`, { ids }).set('If-Match', seen);
    await put().expect(204);
    await put().expect(412);
  });
});

describe('who may change a question', () => {
  it('others get 403 for an existing question or quiz, and 404 for an unknown one', async () => {
    const { id, quizId } = await questionOf();
    for (const caller of [other, admin]) {
      await caller.patch(`/questions/${id}`, { text: 'Mine?' }).expect(403);
      await caller.delete(`/questions/${id}`).expect(403);
      await caller.put(`/quizzes/${quizId}/questions/order`, { ids: [id] }).expect(403);
      await caller.patch(`/questions/${newId()}`, { text: 'Mine?' }).expect(404);
      await caller.put(`/quizzes/${newId()}/questions/order`, { ids: [id] }).expect(404);
    }
    const reader = await service.keyOf(owner, { scopes: ['read'] });
    const { body } = await reader.delete(`/questions/${id}`).expect(403);
    expect(body.error).toContain('`write`');
    await owner.get(`/questions/${id}`).expect(200);
  });
});

it('every change of questions records one quiz.updated', async () => {
  const { id, questions } = await quizOf(2);
  const [first, second] = questions.map((it) => it.id);
  await owner.patch(`/questions/${first}`, { text: 'New?' }).expect(200);
  await owner.put(`/quizzes/${id}/questions/order`, { ids: [second, first] }).expect(204);
  await owner.delete(`/questions/${first}`).expect(204);
  // The first of the questions themselves.
  expect(await eventsOf(id)).toEqual(['quiz.created', ...Array<string>(4).fill('quiz.updated')]);
});

it('an order that the questions already have, and a move past either end, change nothing', async () => {
  const { id, questions } = await quizOf(2);
  const [first, second] = questions.map((it) => it.id) as [string, string];
  const editing = service.app.get(QuestionEditingService);
  const [tag, events] = [await etagOf(`/quizzes/${id}`), await eventsOf(id)];
  await owner.put(`/quizzes/${id}/questions/order`, { ids: [first, second] }).expect(204);
  const up = await editing.move(owner, id, first, 'up');
  expect(up).toEqual({ id: first, position: 1, count: 2 });
  const down = await editing.move(owner, id, second, 'down');
  expect(down).toEqual({ id: second, position: 2, count: 2 });
  expect(await eventsOf(id)).toEqual(events);
  expect(await etagOf(`/quizzes/${id}`)).toBe(tag);
  await editing.move(owner, id, second, 'up');
  expect(await eventsOf(id)).toEqual([...events, 'quiz.updated']);
});

it('a PATCH with the values that a question has returns it, and records and changes nothing', async () => {
  const same = questionBody({ explanation: 'Because.' });
  const { id, quizId } = await questionOf(same);
  const paths = [`/questions/${id}`, `/quizzes/${quizId}`];
  const tags = async () => Promise.all(paths.map((path) => etagOf(path)));
  const [before, events] = [await tags(), await eventsOf(quizId)];
  for (const fields of [same, { text: same.text }, { answers: same.answers }]) {
    const response = await owner.patch(`/questions/${id}`, fields).expect(200);
    expect(response.body).toMatchObject({ success: true, data: { id, ...same } });
    expect(response.headers.etag).toBe(before[0]);
  }
  expect(await tags()).toEqual(before);
  expect(await eventsOf(quizId)).toEqual(events);
  const answers = [...same.answers].reverse();
  await owner.patch(`/questions/${id}`, { answers }).expect(200);
  expect(await eventsOf(quizId)).toEqual([...events, 'quiz.updated']);
});

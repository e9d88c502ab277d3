import { QuestionEditingService } from '../../src/authoring/questions/question-editing.service';
import { BatchQuestionInput } from '../../src/authoring/questions/questions.dto';
import { ReviewService } from '../../src/authoring/review/review.service';
import {
  type OwnedQuestion,
  OwnedQuizzesService,
} from '../../src/catalog/quizzes/owned-quizzes.service';
import { readBody } from '../../src/platform/http/request/validation.pipe';
import { newId } from '../../src/platform/text/ids';
import { addQuestions, makeQuiz } from '../support/content';
import { questionBodies, questionBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

describe('editing questions', () => {
  let service: Service;
  let editing: QuestionEditingService;
  let owned: OwnedQuizzesService;
  let owner: TestAccount;
  let neighbour: TestAccount;

  beforeAll(async () => {
    service = await startService();
    editing = service.app.get(QuestionEditingService);
    owned = service.app.get(OwnedQuizzesService);
    owner = await service.account('pro');
    neighbour = await service.account('pro', { isAdmin: true });
  });

  afterAll(() => service.close());

  const asRead = (quizId: string, { id, version }: OwnedQuestion) => ({
    quizId,
    questionId: id,
    expected: version,
  });
  const question = (fields: object = {}) => readBody(BatchQuestionInput, questionBody(fields));
  const questionsOf = async (quizId: string) =>
    (await owned.getDetail(owner.accountId, quizId)).questions;
  const order = async (quizId: string) =>
    (await questionsOf(quizId)).map(({ text, position }) => `${position} ${text}`);

  it('a question that is added goes to the end of the quiz', async () => {
    const { id } = await makeQuiz(owner, {}, questionBodies(2));
    const added = await editing.add(owner, id, question({ text: 'Last?' }));
    expect(added.position).toBe(3);
    expect(await order(id)).toEqual(['1 Question 1?', '2 Question 2?', '3 Last?']);
  });

  it('an edited question keeps its id, its position and the ids of unchanged answers', async () => {
    const { id, questions } = await makeQuiz(owner, {}, questionBodies(3));
    const [, second] = await questionsOf(id);
    if (!second) throw new Error('no second question');
    await editing.edit(
      owner,
      asRead(id, second),
      question({
        text: 'True?',
        type: 'TRUE_FALSE',
        difficulty: 'EXPERT',
        explanation: '',
        answers: [
          { text: 'the rhine', isCorrect: true },
          { text: 'Neither', isCorrect: false },
        ],
      }),
    );
    const { body } = await owner.get(`/quizzes/${id}`).expect(200);
    const edited = body.data.questions[1];
    expect(edited).toMatchObject({
      id: questions[1]?.id,
      text: 'True?',
      type: 'TRUE_FALSE',
      difficulty: 'EXPERT',
      explanation: null,
      order: 2,
    });
    expect(edited.answers[0].id).toBe(questions[1]?.answers[1]?.id);
    expect(questions[1]?.answers.map((answer) => answer.id)).not.toContain(edited.answers[1].id);
  });

  it('an edited question gets the fingerprint of its new text', async () => {
    const { id } = await makeQuiz(owner, {}, [questionBody({ text: 'Before?' })]);
    const [before] = await questionsOf(id);
    if (!before) throw new Error('no question');
    await editing.edit(owner, asRead(id, before), question({ text: 'After?' }));
    const [{ same }] = await service.database.query<[{ same: boolean }]>(
      `SELECT fingerprint = (SELECT fingerprint FROM questions WHERE id = $2) AS same FROM questions WHERE id = $1`,
      [before.id, (await editing.add(owner, id, question({ text: 'after?' }))).id],
    );
    expect(same).toBe(true);
  });

  it('a question edited in one window is not overwritten by a second window with an older version', async () => {
    const { id } = await makeQuiz(owner, {}, questionBodies(1));
    const [seen] = await questionsOf(id);
    if (!seen) throw new Error('no question');
    const edit = (text: string) => editing.edit(owner, asRead(id, seen), question({ text }));
    await edit('First?');
    await expect(edit('Second?')).rejects.toThrow(/has changed since you opened it/);
    expect(await order(id)).toEqual(['1 First?']);
  });

  it('deleting a question moves the questions behind it up', async () => {
    const { id, questions } = await makeQuiz(owner, {}, questionBodies(4));
    await editing.delete(owner, { quizId: id, questionId: questions[1]?.id ?? '' });
    expect(await order(id)).toEqual(['1 Question 1?', '2 Question 3?', '3 Question 4?']);
    const { body } = await owner.get(`/quizzes/${id}`).expect(200);
    expect(body.data.questionCount).toBe(3);
  });

  it('a question keeps its source and licence when it is edited and when it is moved to another quiz', async () => {
    const from = await makeQuiz(owner, {}, questionBodies(1));
    const to = await makeQuiz(owner);
    const origin = { source: 'River almanac', licence: 'CC BY-SA 4.0' };
    await service.database.query(
      'UPDATE questions SET source = $2, licence = $3 WHERE quiz_id = $1',
      [from.id, origin.source, origin.licence],
    );
    const [stored] = (await questionsOf(from.id)) as [OwnedQuestion];
    const edited = await editing.edit(owner, asRead(from.id, stored), question({ text: 'One?' }));
    expect(edited).toMatchObject({ ...origin, text: 'One?' });
    const updated = await editing.update(owner, asRead(from.id, edited), { text: 'Two?' });
    expect(updated).toMatchObject({ ...origin, text: 'Two?' });
    const last = question({ text: 'Three?' });
    await editing.moveTo(owner, asRead(from.id, updated), last, to.id);
    expect(await questionsOf(from.id)).toEqual([]);
    expect(await questionsOf(to.id)).toMatchObject([{ ...origin, text: 'Three?' }]);
  });

  it('a question moves up and down, but not past either end', async () => {
    const { id, questions } = await makeQuiz(owner, {}, questionBodies(3));
    const [first, , third] = questions.map((it) => it.id) as [string, string, string];
    await editing.move(owner, id, third, 'up');
    await editing.move(owner, id, first, 'up');
    expect(await order(id)).toEqual(['1 Question 1?', '2 Question 3?', '3 Question 2?']);
    await editing.move(owner, id, first, 'down');
    expect(await order(id)).toEqual(['1 Question 3?', '2 Question 1?', '3 Question 2?']);
    await editing.move(owner, id, first, 'down');
    const ends = ['1 Question 3?', '2 Question 2?', '3 Question 1?'];
    expect(await order(id)).toEqual(ends);
    await editing.move(owner, id, first, 'down');
    expect(await order(id)).toEqual(ends);
  });

  it('questions can be reordered, and an order that is not a permutation is refused', async () => {
    const { id, questions } = await makeQuiz(owner, {}, questionBodies(3));
    const ids = questions.map((it) => it.id);
    const [a, b, c] = ids as [string, string, string];
    await editing.reorder(owner, { quizId: id }, [c, a.toUpperCase(), b]);
    const wanted = ['1 Question 3?', '2 Question 1?', '3 Question 2?'];
    expect(await order(id)).toEqual(wanted);
    for (const wrong of [[], [a, b], [a, b, b], [a, b, newId()], [a, b, c, newId()], [a, b, 'c']])
      await expect(editing.reorder(owner, { quizId: id }, wrong)).rejects.toThrow(
        /every question of the quiz exactly once/,
      );
    expect(await order(id)).toEqual(wanted);
  });

  it('concurrent appends, moves and deletions keep one contiguous order', async () => {
    const { id, questions } = await makeQuiz(owner, {}, questionBodies(6));
    const ids = questions.map((it) => it.id);
    await Promise.allSettled([
      addQuestions(owner, id, questionBodies(5)),
      editing.reorder(owner, { quizId: id }, [...ids].reverse()),
      addQuestions(owner, id, questionBodies(3)),
      editing.move(owner, id, ids[0] ?? '', 'down'),
      editing.delete(owner, { quizId: id, questionId: ids[3] ?? '' }),
      editing.delete(owner, { quizId: id, questionId: ids[3] ?? '' }),
      editing.add(owner, id, question()),
    ]);
    const positions = (await questionsOf(id)).map(({ position }) => position);
    expect(positions).toEqual(Array.from({ length: 14 }, (_, index) => index + 1));
    const { body } = await owner.get(`/quizzes/${id}`).expect(200);
    expect(body.data.questionCount).toBe(14);
  });

  it('editing the questions of a live quiz keeps it live', async () => {
    const { id, questions } = await makeQuiz(owner, {}, questionBodies(2));
    await service.app.get(ReviewService).approve(id);
    await editing.add(owner, id, question());
    const [first] = await questionsOf(id);
    await editing.edit(owner, asRead(id, first!), question({ text: 'Edited?' }));
    await editing.delete(owner, { quizId: id, questionId: questions[0]?.id ?? '' });
    await editing.move(owner, id, questions[1]?.id ?? '', 'down');
    expect((await owned.get(owner.accountId, id)).state).toBe('live');
  });

  it('a question is not found by another account, nor in another quiz', async () => {
    const { id, questions } = await makeQuiz(owner, {}, questionBodies(2));
    const other = await makeQuiz(owner, {}, questionBodies(1));
    const [first] = await questionsOf(id);
    if (!first) throw new Error('no question');
    const acts = [
      () => editing.add(neighbour, id, question()),
      () => editing.edit(neighbour, asRead(id, first), question()),
      () => editing.update(neighbour, asRead(id, first), { text: 'Mine?' }),
      () => editing.moveTo(neighbour, asRead(id, first), question(), other.id),
      () => editing.moveTo(owner, asRead(id, first), question(), newId()),
      () => editing.delete(neighbour, { quizId: id, questionId: first.id }),
      () => editing.move(neighbour, id, first.id, 'down'),
      () => editing.reorder(neighbour, { quizId: id }, questions.map((it) => it.id).reverse()),
      () => editing.add(owner, 'no-id', question()),
    ];
    for (const act of acts) await expect(act()).rejects.toThrow('Quiz not found.');
    for (const wrong of [newId(), 'no-id', other.questions[0]?.id ?? ''])
      for (const act of [
        () => editing.edit(owner, asRead(id, { ...first, id: wrong }), question()),
        () => editing.update(owner, asRead(id, { ...first, id: wrong }), { text: 'Mine?' }),
        () => editing.moveTo(owner, asRead(id, { ...first, id: wrong }), question(), other.id),
        () => editing.delete(owner, { quizId: id, questionId: wrong }),
        () => editing.move(owner, id, wrong, 'up'),
      ])
        await expect(act()).rejects.toThrow('Question not found.');
    expect(await order(id)).toEqual(['1 Question 1?', '2 Question 2?']);
  });

  it('adding a question to a published quiz needs a plan that may write', async () => {
    const author = await service.account('pro');
    const { id } = await makeQuiz(author, { published: true });
    await service.database.query(`UPDATE accounts SET plan = 'free' WHERE id = $1`, [
      author.accountId,
    ]);
    await expect(editing.add(author, id, question())).rejects.toThrow(/Starter or Pro/);
  });
});

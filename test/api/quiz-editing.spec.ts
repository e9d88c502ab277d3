import request from 'supertest';
import { UpdateQuestionRequest } from '../../src/authoring/questions/questions.dto';
import { UpdateQuizRequest } from '../../src/authoring/quizzes/quizzes.dto';
import { ReviewService } from '../../src/authoring/review/review.service';
import { TaxonomyService } from '../../src/authoring/taxonomy/taxonomy.service';
import { OwnedQuizzesService } from '../../src/catalog/quizzes/owned-quizzes.service';
import { RULE_COLUMNS } from '../../src/catalog/vocabulary';
import { readBody } from '../../src/platform/http/request/validation.pipe';
import { newId } from '../../src/platform/text/ids';
import { makeQuiz } from '../support/content';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { createQuiz, errorsIn } from '../support/writing';

/** Changing and deleting quizzes through the API (extension of the specification). */

let service: Service;
let owner: TestAccount;
let other: TestAccount;
let admin: TestAccount;
let review: ReviewService;

beforeAll(async () => {
  service = await startService();
  review = service.app.get(ReviewService);
  owner = await service.account();
  other = await service.account();
  admin = await service.account('pro', { isAdmin: true });
});
afterAll(() => service.close());

const etagOf = async (id: string, account = owner) =>
  (await account.get(`/quizzes/${id}`).expect(200)).headers.etag ?? '';
const eventsOf = async (id: string) =>
  (
    await service.database.query<{ body: string }[]>(
      `SELECT body FROM outbox_events WHERE body::jsonb -> 'data' ->> 'quiz_id' = $1 ORDER BY id`,
      [id],
    )
  ).map(({ body }) => JSON.parse(body) as { event: string; data: object });

describe('PATCH /quizzes/{id}', () => {
  it('a PATCH changes the fields that it sends and keeps the others', async () => {
    const { id } = await makeQuiz(owner, { title: 'Lakes' }, questionBodies(2));
    const { body } = await owner.patch(`/quizzes/${id}`, { title: ' Lakes of Asia ' }).expect(200);
    expect(body).toEqual({
      success: true,
      data: {
        id,
        title: 'Lakes of Asia',
        description: 'From source to sea.',
        category: 'Geography',
        categoryId: null,
        difficulty: 'MEDIUM',
        tags: ['rivers', 'europe'],
        published: true,
        featured: false,
        state: 'pending',
        rejectionReason: null,
        timeLimit: null,
        maxAttempts: null,
        acceptTypos: false,
        questionsPerAttempt: null,
        language: null,
      },
    });
    const found = await owner.get('/quizzes?topic=lakes%20of%20asia').expect(200);
    expect(found.body.data).toMatchObject([
      { id, questionCount: 2, description: 'From source to sea.' },
    ]);
  });

  it.each([
    ['description', null],
    ['category', null],
    ['tags', []],
    ['language', null],
    ['timeLimit', null],
    ['maxAttempts', null],
    ['questionsPerAttempt', null],
  ])(
    'null clears %s, which may be missing at creation, and nothing else',
    async (name, cleared) => {
      const id = await createQuiz(owner);
      const { body: before } = await owner.patch(`/quizzes/${id}`, EDITS).expect(200);
      expect(before.data).toMatchObject(EDITS);
      const { body } = await owner.patch(`/quizzes/${id}`, { [name]: null }).expect(200);
      expect(body.data).toEqual({ ...before.data, [name]: cleared });
    },
  );

  it('categoryId null clears a category of the service and leaves a name of the owner', async () => {
    const actor = { accountId: admin.accountId };
    const taxonomy = service.app.get(TaxonomyService);
    const { id: topicId } = await taxonomy.saveTopic(actor, null, { name: 'Water' });
    const name = 'Rivers & Lakes';
    const { id: categoryId } = await taxonomy.saveCategory(actor, null, { topicId, name });
    const id = await createQuiz(owner, { category: 'My own' });
    const patch = async (change: object) =>
      (await owner.patch(`/quizzes/${id}`, change).expect(200)).body.data as object;
    expect(await patch({ categoryId: null })).toMatchObject({ category: 'My own' });
    expect(await patch({ categoryId })).toMatchObject({ category: name, categoryId });
    expect(await patch({ title: 'Same' })).toMatchObject({ category: name, categoryId });
    expect(await patch({ categoryId: null })).toMatchObject({ category: null, categoryId: null });
    expect(await patch({ category: name.toUpperCase() })).toMatchObject({
      category: name,
      categoryId,
    });
  });

  it('an invalid PATCH lists every issue with its path and changes nothing', async () => {
    const id = await createQuiz(owner);
    const etag = await etagOf(id);
    const change = {
      title: ' ',
      difficulty: null,
      tags: ['a', ''],
      published: 'yes',
      approval: 'x',
    };
    const response = await owner.patch(`/quizzes/${id}`, change).expect(422);
    expect(errorsIn(response)).toEqual([
      'title blank',
      'difficulty choice',
      'tags[1] blank',
      'published type',
    ]);
    const unknown = await owner.patch(`/quizzes/${id}`, { categoryId: newId() }).expect(422);
    expect(errorsIn(unknown)).toEqual(['categoryId unknown']);
    expect(await etagOf(id)).toBe(etag);
  });

  it.each([[{}], [{ plays: 3, approval: 'approved' }]])(
    'a PATCH without a field that can be changed, %j, gets 422',
    async (change) => {
      const id = await createQuiz(owner);
      expect(errorsIn(await owner.patch(`/quizzes/${id}`, change).expect(422))).toEqual([' empty']);
    },
  );

  it('published shows and hides an approved quiz, and needs the scope publish', async () => {
    const id = await createQuiz(owner, { published: false });
    await review.approve(id);
    const writer = await service.keyOf(owner, { scopes: ['read', 'write'] });
    const refused = await writer.patch(`/quizzes/${id}`, { published: true }).expect(403);
    expect(refused.body.error).toContain('publish');
    await writer.patch(`/quizzes/${id}`, { title: 'Later' }).expect(200);
    const shown = await owner.patch(`/quizzes/${id}`, { published: true }).expect(200);
    expect(shown.body.data).toMatchObject({ state: 'live', published: true });
    await other.get(`/quizzes/${id}`).expect(200);
    await owner.patch(`/quizzes/${id}`, { published: false }).expect(200);
    await other.get(`/quizzes/${id}`).expect(404);
  });

  it('an edit that also hides an approved quiz is on the list of changed quizzes once it is shown', async () => {
    const id = await createQuiz(owner);
    await review.approve(id);
    await owner.patch(`/quizzes/${id}`, { title: 'Buy!', published: false }).expect(200);
    await owner.patch(`/quizzes/${id}`, { published: true }).expect(200);
    const { quizzes } = await review.changed(100);
    expect(quizzes.map((quiz) => quiz.id)).toContain(id);
  });

  it('only an administrator changes featured, also of a public quiz of somebody else', async () => {
    const id = await createQuiz(owner);
    const refused = await owner.patch(`/quizzes/${id}`, { featured: true }).expect(403);
    expect(refused.body.error).toBe('Only administrators can change `featured`. Leave it out.');
    const both = await owner.patch(`/quizzes/${id}`, { featured: true, title: 'Both' }).expect(200);
    expect(both.body.data).toMatchObject({ featured: false, title: 'Both' });
    await admin.patch(`/quizzes/${id}`, { featured: true }).expect(403);
    await review.approve(id);
    const { body } = await admin.patch(`/quizzes/${id}`, { featured: true }).expect(200);
    expect(body.data).toMatchObject({ id, featured: true, state: 'live' });
    await admin.patch(`/quizzes/${id}`, { featured: false, title: 'Mine' }).expect(403);
    await other.patch(`/quizzes/${id}`, { featured: false }).expect(403);
    const entries = await service.database.query(
      `SELECT action, actor_id FROM audit_entries WHERE object_id = $1 AND action LIKE '%featured'`,
      [id],
    );
    expect(entries).toEqual([{ action: 'quiz.featured', actor_id: admin.accountId }]);
    const { quizzes } = await review.changed(100);
    expect(quizzes.map((quiz) => quiz.id)).not.toContain(id);
  });
});

describe('DELETE /quizzes/{id}', () => {
  it('a deleted quiz is gone, and deleting it again gets 404', async () => {
    const { id } = await makeQuiz(owner, {}, questionBodies(2));
    const { text, headers } = await owner.delete(`/quizzes/${id}`).expect(204);
    expect([text, headers['content-type']]).toEqual(['', undefined]);
    await owner.get(`/quizzes/${id}`).expect(404);
    await owner.delete(`/quizzes/${id}`).expect(404);
  });
});

describe('POST /quizzes/{id}/resubmit', () => {
  it('a rejected quiz is pending again, with the reason that it was rejected for', async () => {
    const id = await createQuiz(owner);
    await review.reject(id, 'The third answer is wrong.');
    const patched = await owner.patch(`/quizzes/${id}`, { title: 'Corrected' }).expect(200);
    const rejectionReason = 'The third answer is wrong.';
    expect(patched.body.data).toMatchObject({ state: 'rejected', rejectionReason });
    const again = await owner.post(`/quizzes/${id}/resubmit`).expect(200);
    expect(again.body.data).toMatchObject({ state: 'pending', rejectionReason, published: true });
    await owner.post(`/quizzes/${id}/resubmit`).expect(409);
  });

  it('a resubmission repeated with its Idempotency-Key gets the first response', async () => {
    const id = await createQuiz(owner);
    await review.reject(id, 'No.');
    const send = () => owner.post(`/quizzes/${id}/resubmit`).set('Idempotency-Key', id);
    const first = await send().expect(200);
    const second = await send().expect(200);
    expect(second.body).toEqual(first.body);
    expect(second.headers['idempotency-replayed']).toBe('true');
  });
});

/** Another value of everything that an owner edits: the compiler asks for a new field. */
const EDITS: Required<Omit<UpdateQuizRequest, 'published' | 'featured' | 'categoryId'>> = {
  title: 'Seas',
  description: 'Salt water.',
  category: 'Oceans',
  difficulty: 'HARD',
  tags: ['seas'],
  language: 'de',
  timeLimit: 60,
  maxAttempts: 2,
  questionsPerAttempt: 1,
  acceptTypos: true,
};

it.each(Object.entries(EDITS))(
  'an edit of %s changes the version that forms compare, and is shown to reviewers unless it is a rule of play',
  async (name, value) => {
    const { id } = await makeQuiz(owner, {}, questionBodies(2));
    await review.approve(id);
    const stored = () => service.app.get(OwnedQuizzesService).get(owner.accountId, id);
    const before = await stored();
    await owner.patch(`/quizzes/${id}`, { [name]: value }).expect(200);
    const after = await stored();
    expect(after.version).not.toBe(before.version);
    expect(after.changedSinceApprovalAt === null).toBe(Object.hasOwn(RULE_COLUMNS, name));
  },
);

describe('If-Match', () => {
  it('a change with the present ETag is made, and with an earlier one gets 412 and the present ETag', async () => {
    const id = await createQuiz(owner);
    const seen = await etagOf(id);
    const first = await owner
      .patch(`/quizzes/${id}`, { title: 'First' })
      .set('If-Match', seen)
      .expect(200);
    expect(first.headers.etag).toBe(await etagOf(id));
    expect(first.headers.etag).not.toBe(seen);
    const stale = await owner
      .patch(`/quizzes/${id}`, { title: 'Second' })
      .set('If-Match', seen)
      .expect(412);
    expect(stale.headers.etag).toBe(first.headers.etag);
    await owner.delete(`/quizzes/${id}`).set('If-Match', seen).expect(412);
    await owner.post(`/quizzes/${id}/resubmit`).set('If-Match', seen).expect(412);
    await owner
      .patch(`/quizzes/${id}`, { title: 'Third' })
      .set('If-Match', `"other", ${first.headers.etag}`)
      .expect(200);
    await owner.patch(`/quizzes/${id}`, { title: 'Any' }).set('If-Match', '*').expect(200);
    await owner
      .delete(`/quizzes/${id}`)
      .set('If-Match', await etagOf(id))
      .expect(204);
  });

  it('a change of the questions makes the ETag of the quiz stale, and playing it does not', async () => {
    const id = await createQuiz(owner);
    const empty = await etagOf(id);
    await owner
      .post(`/quizzes/${id}/questions/batch`, { questions: questionBodies(1) })
      .expect(201);
    await owner.patch(`/quizzes/${id}`, { title: 'A' }).set('If-Match', empty).expect(412);
    const batch = () =>
      owner.post(`/quizzes/${id}/questions/batch`, { questions: questionBodies(1) });
    expect((await batch().set('If-Match', empty).expect(412)).headers.etag).toBe(await etagOf(id));
    await batch()
      .set('If-Match', await etagOf(id))
      .expect(201);
    const unplayed = await etagOf(id);
    await service.database.query(`UPDATE quizzes SET plays = plays + 1 WHERE id = $1`, [id]);
    await owner.get(`/quizzes/${id}`).set('If-None-Match', unplayed).expect(200);
    await owner.patch(`/quizzes/${id}`, { title: 'B' }).set('If-Match', unplayed).expect(200);
  });

  it('changes with the same updated_at have different ETags', async () => {
    const id = await createQuiz(owner);
    const tags = new Set<string>();
    const now = new Date();
    for (let edit = 0; edit < 3; edit++) {
      await service.database.query(`UPDATE quizzes SET updated_at = $2 WHERE id = $1`, [id, now]);
      tags.add(await etagOf(id));
    }
    expect(tags.size).toBe(3);
  });
});

describe('who may change a quiz', () => {
  it.each([
    ['patch', '/quizzes/{id}'],
    ['delete', '/quizzes/{id}'],
    ['post', '/quizzes/{id}/resubmit'],
  ] as const)(
    '%s %s of an unknown quiz gets 404, of a quiz of somebody else 403, and without a key 401',
    async (method, path) => {
      const pathOf = (quizId: string) => path.replace('{id}', quizId);
      const id = await createQuiz(owner, { published: false });
      const body = { title: 'Taken' };
      for (const unknown of [newId(), 'nothing'])
        await owner[method](pathOf(unknown), body).expect(404);
      for (const caller of [other, admin]) await caller[method](pathOf(id), body).expect(403);
      await request(service.url)
        [method](`/api/v1${pathOf(id)}`)
        .send(body)
        .expect(401);
      expect((await owner.get(`/quizzes/${id}`).expect(200)).body.data.title).toBe(
        'Rivers of Europe',
      );
    },
  );
});

it('the type of a body of PATCH says that any field may be missing', () => {
  const quiz = readBody(UpdateQuizRequest, { category: 'Rivers' });
  // @ts-expect-error it may be missing
  const title: string = quiz.title;
  const question = readBody(UpdateQuestionRequest, { text: 'New?' });
  // @ts-expect-error it may be missing
  const answers: object[] = question.answers;
  expect([title, answers]).toEqual([undefined, undefined]);
  expect({ ...quiz }).toEqual({ category: 'Rivers' });
});

describe('events', () => {
  it('changing a quiz records quiz.updated, quiz.rejected and quiz.deleted, one for each change', async () => {
    const id = await createQuiz(owner);
    await owner.patch(`/quizzes/${id}`, { title: 'New', published: true }).expect(200);
    await owner
      .post(`/quizzes/${id}/questions/batch`, { questions: questionBodies(2) })
      .expect(201);
    await review.reject(id, 'Too short.');
    await owner.post(`/quizzes/${id}/resubmit`).expect(200);
    await review.approve(id);
    await owner.delete(`/quizzes/${id}`).expect(204);
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string;
    const quiz = { quiz_id: id, title: 'New' };
    const updated = { event: 'quiz.updated', data: { ...quiz, updated_at: at } };
    expect(await eventsOf(id)).toMatchObject([
      { event: 'quiz.created' },
      updated,
      updated,
      { event: 'quiz.rejected', data: { ...quiz, reason: 'Too short.', rejected_at: at } },
      updated,
      { event: 'quiz.published' },
      { event: 'quiz.deleted', data: { ...quiz, deleted_at: at } },
    ]);
  });

  it('a PATCH with the values that a quiz has returns it, and records and changes nothing', async () => {
    const same = {
      title: 'Lakes',
      description: 'From source to sea.',
      category: 'Geography',
      difficulty: 'HARD',
      tags: ['water', 'maps'],
      published: true,
      timeLimit: 60,
    };
    const id = await createQuiz(owner, same);
    const [tag, events] = [await etagOf(id), await eventsOf(id)];
    for (const fields of [same, { title: ' Lakes ' }, { tags: same.tags }, { published: true }]) {
      const response = await owner.patch(`/quizzes/${id}`, fields).expect(200);
      expect(response.body).toMatchObject({ success: true, data: { id, title: 'Lakes' } });
      expect(response.headers.etag).toBe(tag);
    }
    expect(await etagOf(id)).toBe(tag);
    expect(await eventsOf(id)).toEqual(events);
    await owner.patch(`/quizzes/${id}`, { ...same, timeLimit: 90 }).expect(200);
    await owner.patch(`/quizzes/${id}`, { ...same, tags: ['maps', 'water'] }).expect(200);
    expect((await eventsOf(id)).map(({ event }) => event)).toEqual([
      'quiz.created',
      'quiz.updated',
      'quiz.updated',
    ]);
    expect(await etagOf(id)).not.toBe(tag);
  });
});

describe('GET /quizzes?mine=true', () => {
  it('the list has only quizzes of the caller, with their state and the reason of a rejection', async () => {
    const author = await service.account();
    const make = (title: string, fields: object = {}) => createQuiz(author, { title, ...fields });
    const ids = {
      draft: await make('A draft', { published: false }),
      pending: await make('B pending'),
      live: await make('C live', { tags: ['x'] }),
      rejected: await make('D rejected', { tags: ['x', 'y'] }),
    };
    await review.approve(ids.live);
    await review.reject(ids.rejected, 'Too short.');
    const list = async (query: string) => {
      const { body } = await author.get(`/quizzes?sort=title&${query}`).expect(200);
      expect(body.meta.total).toBe((body.data as object[]).length);
      return body.data as { id: string; state?: string; rejectionReason?: string | null }[];
    };
    const mine = await list('mine=true');
    expect(mine.map(({ id, state, rejectionReason }) => [id, state, rejectionReason])).toEqual([
      [ids.draft, 'draft', null],
      [ids.pending, 'pending', null],
      [ids.live, 'live', null],
      [ids.rejected, 'rejected', 'Too short.'],
    ]);
    for (const [state, id] of Object.entries(ids))
      expect((await list(`mine=true&state=${state}`)).map((quiz) => quiz.id)).toEqual([id]);
    for (const query of ['tags=x', 'tags=x,y', 'topic=source&tags=x', 'tags=x&category=Geography'])
      expect((await list(`mine=true&${query}`)).map((quiz) => quiz.id)).toEqual([
        ids.live,
        ids.rejected,
      ]);
    expect(await list('mine=true&tags=x&state=live')).toHaveLength(1);
    const { body } = await author
      .get('/quizzes?mine=true&limit=1&offset=1&sort=newest')
      .expect(200);
    expect(body).toMatchObject({
      data: [{ id: ids.live }],
      meta: { total: 4, limit: 1, offset: 1 },
    });
    const all = await author.get('/quizzes?limit=50').expect(200);
    for (const quiz of all.body.data as object[]) expect(quiz).not.toHaveProperty('state');
  });

  it('state needs mine, and mine needs the scope read', async () => {
    const { body } = await owner.get('/quizzes?state=live').expect(400);
    expect(body.error).toBe('state needs mine=true: it filters your own quizzes only.');
    await owner.get('/quizzes?mine=true&state=waiting').expect(400);
    await owner.get('/quizzes?mine=true&state=').expect(200);
    const player = await service.keyOf(owner, { scopes: ['play'] });
    await player.get('/quizzes').expect(200);
    await player.get('/quizzes?mine=true').expect(403);
  });
});

import { AccountAdministrationService } from '../../src/access/accounts/account-administration.service';
import { TaxonomyService } from '../../src/authoring/taxonomy/taxonomy.service';
import { ReviewService } from '../../src/authoring/review/review.service';
import { CountersService } from '../../src/catalog/discovery/counters.service';
import { addQuestions, makeQuiz } from '../support/content';
import { countersEqualCounts } from '../support/counters';
import { cloneDatabase, type TestDatabase } from '../support/database';
import { signIn } from '../support/dashboard';
import { EDITS, editsOf, type Edits } from '../support/edits';
import { questionBodies, questionBody } from '../support/samples';
import { startService, type Service, type TestAccount } from '../support/service';
import { Visitor } from '../support/visitor';
import { eventually } from '../support/worker';
import { startWorkerBeside } from '../support/worker-beside';

const PILLS = /pill|Pharmacy|EXPERT|Buy now/i;

describe('MODERATION=strict', () => {
  let service: Service;
  let review: ReviewService;
  let owner: TestAccount;
  let reader: TestAccount;
  let actor: { accountId: string; email: string };
  let edits: Edits;
  let id: string;
  let slug: string;

  beforeAll(async () => {
    service = await startService({ MODERATION: 'strict' });
    review = service.app.get(ReviewService);
    owner = await service.account('pro');
    reader = await service.account('free');
    actor = await service.account('free', { isAdmin: true });
    edits = editsOf(service, owner);
  });

  beforeEach(async () => {
    await service.database.query(`DELETE FROM quizzes`);
    ({ id } = await makeQuiz(owner, {}, questionBodies(3)));
    await review.decide(actor, id, 'pending', { approved: true });
    ({ slug } = await edits.get(id));
  });

  afterEach(async () => {
    await countersEqualCounts(service.database);
    const checks = await service.app.get(CountersService).verify();
    expect(checks.filter(({ wrong }) => wrong > 0)).toEqual([]);
  });

  afterAll(() => service.close());

  const decide = async (approved: boolean) => {
    const { version } = await review.changesOf(id);
    const verdict = approved
      ? { approved: true as const }
      : { approved: false as const, reason: 'No pills.' };
    return review.decide(actor, id, 'approved', verdict, version);
  };

  const READS = () => [
    '/quizzes',
    '/quizzes?topic=pill',
    '/quizzes?topic=vienna',
    '/quizzes?tags=pills',
    '/quizzes?tags=rivers&sort=newest',
    '/quizzes?category=Pharmacy',
    '/quizzes?difficulty=EXPERT',
    `/quizzes/${id}`,
    `/quizzes/${id}/export?format=csv`,
    `/questions?quiz_id=${id}`,
    '/questions',
    '/questions?category=Pharmacy',
    '/questions?difficulty=EXPERT',
    '/questions?tags=pills',
    '/questions?tags=rivers',
    '/questions?random=true&seed=s',
    '/questions/counts',
    '/questions/counts?tags=pills',
  ];

  /** Everything that a key may read of it, and what visitors and players get. */
  async function seenBy(account: TestAccount): Promise<string> {
    const bodies: unknown[] = await Promise.all(
      READS().map(async (path) => {
        const { status, text, headers } = await account.get(path);
        return [path, status, text, headers.etag];
      }),
    );
    const started = await account.post(`/quizzes/${id}/attempts`, { player: 'Ada' });
    const questions = started.body.data.questions as { answers: { id: string }[] }[];
    // An attempt shuffles answers.
    for (const { answers } of questions)
      answers.sort((one, other) => one.id.localeCompare(other.id));
    bodies.push(questions);
    const page = await new Visitor(service).get(`/play/${slug}`);
    bodies.push(page.text.replace(/Played \d+ times?|\d+ plays?|nonce-\S+/g, ''));
    return JSON.stringify(bodies, null, 1);
  }

  it('the owner edits questions through the API with If-Match, and others read what is approved', async () => {
    const read = async (path: string) => (await owner.get(path).expect(200)).headers.etag ?? '';
    const { body } = await owner.get(`/quizzes/${id}`).expect(200);
    const [first, second] = body.data.questions as { id: string; text: string }[];
    const path = `/questions/${first!.id}`;
    const before = await read(path);
    const send = (text: string, tag: string) => owner.patch(path, { text }).set('If-Match', tag);
    const edited = await send('Which pill?', before).expect(200);
    expect(edited.body.data).toMatchObject({ id: first!.id, text: 'Which pill?', quizId: id });
    expect(edited.headers.etag).toBe(await read(path));
    await send('Which other pill?', before).expect(412);
    await send('Which other pill?', edited.headers.etag ?? '').expect(200);
    const tag = await read(`/quizzes/${id}`);
    const patch = () => owner.patch(`/quizzes/${id}`, { title: 'Pills' }).set('If-Match', tag);
    const { headers } = await patch().expect(200);
    expect(headers.etag).toBe(await read(`/quizzes/${id}`));
    await patch().expect(412);
    expect((await reader.get(path).expect(200)).body.data).toMatchObject({
      text: first!.text,
      quizTitle: 'Rivers of Europe',
    });
    // A question that is only proposed, and one that is only deleted there.
    const [added] = await addQuestions(owner, id, [questionBody({ text: 'New pill?' })]);
    await reader.get(`/questions/${added!.id}`).expect(404);
    await owner.patch(`/questions/${added!.id}`, { text: 'Newer pill?' }).expect(200);
    await reader.patch(`/questions/${added!.id}`, { text: 'Mine?' }).expect(404);
    await owner.delete(`/questions/${second!.id}`).expect(204);
    await owner.get(`/questions/${second!.id}`).expect(404);
    await reader.get(`/questions/${second!.id}`).expect(200);
    const ids = (await edits.get(id)).questions.map((question) => question.id).reverse();
    await owner.put(`/quizzes/${id}/questions/order`, { ids }).expect(204);
    await decide(true);
    const { data } = (await reader.get(`/quizzes/${id}`).expect(200)).body;
    expect(data.questions.map((it: { id: string }) => it.id)).toEqual(ids);
    expect((await reader.get(`/questions/${added!.id}`).expect(200)).body.data.text).toBe(
      'Newer pill?',
    );
  });

  describe.each(Object.entries(EDITS))('%s of an approved quiz', (_, { make, undo, shown }) => {
    let before: string;
    beforeEach(async () => {
      before = await seenBy(reader);
      service.clock.advance(1_000);
      await make(edits, id, owner);
    });

    it('with strict moderation the edit is seen by its owner and by administrators in review, and by nobody else', async () => {
      expect(await seenBy(reader)).toBe(before);
      const quiz = await edits.get(id);
      expect(quiz).toMatchObject({ state: 'live', changes: 'waiting' });
      const { body } = await owner.get(`/quizzes/${id}`).expect(200);
      const { title, description, category, difficulty, tags, questionCount } = quiz;
      const described = { title, description, category, difficulty, tags, questionCount };
      expect(body.data).toMatchObject(described);
      const questions = quiz.questions.map((it) =>
        expect.objectContaining({
          text: it.text,
          difficulty: it.difficulty,
          answers: it.answers,
          order: it.position,
        }),
      );
      expect(body.data.questions).toEqual(questions);
      const ofQuiz = await owner.get(`/questions?quiz_id=${id}`).expect(200);
      expect(ofQuiz.body.data.map((it: { text: string }) => it.text)).toEqual(
        quiz.questions.map(({ text }) => text),
      );
      const file = await owner.get(`/quizzes/${id}/export`).expect(200);
      for (const { text } of quiz.questions) expect(file.text).toContain(text);
      const reviewed = await edits.owned.getPublished(id);
      expect(reviewed).toEqual(quiz);
      expect((await review.changed(10)).quizzes.map((it) => it.id)).toEqual([id]);
      expect((await review.changesOf(id)).since?.changes.map(({ what }) => what)).toEqual(shown);
    });

    it('with strict moderation the edit is seen by everybody once an administrator has approved it', async () => {
      const proposed = await edits.get(id);
      await decide(true);
      const quiz = await edits.get(id);
      expect(quiz).toMatchObject({ state: 'live', changes: null, rejectionReason: null });
      expect(quiz.version).toBe(proposed.version);
      expect(quiz.questions).toEqual(proposed.questions);
      const mine = await owner.get(`/quizzes/${id}`).expect(200);
      const theirs = await reader.get(`/quizzes/${id}`).expect(200);
      expect(theirs.text).toBe(mine.text);
      expect(theirs.body.data.questions.map((it: { id: string }) => it.id)).toEqual(
        proposed.questions.map((it) => it.id),
      );
      expect(await seenBy(reader)).not.toBe(before);
      expect((await review.changed(10)).total).toBe(0);
    });

    it('with strict moderation a rejected edit stays unseen, and its owner reads the reason', async () => {
      const proposed = await edits.get(id);
      await decide(false);
      expect(await seenBy(reader)).toBe(before);
      const quiz = await edits.get(id);
      expect(quiz).toMatchObject({
        state: 'live',
        changes: 'rejected',
        rejectionReason: 'No pills.',
      });
      expect(quiz.questions).toEqual(proposed.questions);
      expect((await review.changed(10)).total).toBe(0);
    });

    if (undo)
      it('waits no longer when the owner undoes it', async () => {
        await undo(edits, id);
        expect(await edits.get(id)).toMatchObject({ changes: null });
        expect((await review.changed(10)).total).toBe(0);
        expect(await seenBy(reader)).toBe(before);
      });
  });

  it('an administrator features a quiz whose changes wait with the ETag of the version that others read', async () => {
    const admin = await service.account('free', { isAdmin: true });
    const read = async () => (await admin.get(`/quizzes/${id}`).expect(200)).headers.etag ?? '';
    const feature = (featured: boolean, tag: string) =>
      admin.patch(`/quizzes/${id}`, { featured }).set('If-Match', tag);
    await owner.patch(`/quizzes/${id}`, { title: 'Pills' }).expect(200);
    const seen = await read();
    const { headers, body } = await feature(true, seen).expect(200);
    expect(headers.etag).toBe(await read());
    expect(body.data.title).toBe('Rivers of Europe');
    expect((await feature(false, seen).expect(412)).headers.etag).toBe(headers.etag);
  });

  it('GET /quizzes?mine=true says whether an edit waits for review or was rejected', async () => {
    await edits.texts(id, { title: 'Lakes' });
    const mine = async () =>
      (await owner.get('/quizzes?mine=true&sort=newest').expect(200)).body.data as object[];
    const changes = (state: string | null) => expect.objectContaining({ id, changes: state });
    expect(await mine()).toContainEqual(changes('waiting'));
    await decide(false);
    expect(await mine()).toContainEqual(changes('rejected'));
    await edits.texts(id, { title: 'Rivers and lakes' });
    const patched = await owner.patch(`/quizzes/${id}`, { tags: ['lakes'] }).expect(200);
    expect(patched.body.data).toMatchObject({ state: 'live', changes: 'waiting' });
    await decide(true);
    expect(await mine()).toContainEqual(changes(null));
  });

  it('several edits of a live quiz wait as one version and are approved together', async () => {
    const before = await seenBy(reader);
    for (const { make } of Object.values(EDITS)) await make(edits, id, owner);
    expect(await seenBy(reader)).toBe(before);
    const { questions } = await edits.get(id);
    await decide(true);
    expect((await edits.get(id)).questions).toEqual(questions);
    expect(await seenBy(reader)).toMatch(PILLS);
  });

  it('an edit of rejected changes waits for review again, and the reason stays until the next decision', async () => {
    await edits.texts(id, { title: 'Cheap pills' });
    await decide(false);
    await edits.texts(id, { title: 'Rivers of the world' });
    expect(await edits.get(id)).toMatchObject({ changes: 'waiting', rejectionReason: 'No pills.' });
    expect((await review.changed(10)).total).toBe(1);
    await decide(true);
    expect(await edits.get(id)).toMatchObject({ changes: null, rejectionReason: null });
    expect((await reader.get(`/quizzes/${id}`)).body.data.title).toBe('Rivers of the world');
  });

  it('a quiz whose changes are rejected is taken offline by a second rejection, which includes the changes', async () => {
    await edits.texts(id, { title: 'Cheap pills' });
    await decide(false);
    await reader.get(`/quizzes/${id}`).expect(200);
    await decide(false);
    await reader.get(`/quizzes/${id}`).expect(404);
    expect(await edits.get(id)).toMatchObject({
      state: 'rejected',
      changes: null,
      title: 'Cheap pills',
    });
    await edits.texts(id, { title: 'Better rivers' });
    await edits.quizzes.resubmit(owner.accountId, id);
    await review.decide(actor, id, 'pending', { approved: true });
    expect((await reader.get(`/quizzes/${id}`)).body.data.title).toBe('Better rivers');
  });

  it('an edit while the quiz is hidden waits as well: publishing it again shows the approved version', async () => {
    await edits.quizzes.unpublish(owner.accountId, id);
    await edits.texts(id, { title: 'Cheap pills' });
    await edits.quizzes.publish(owner.accountId, id);
    expect((await reader.get(`/quizzes/${id}`)).body.data.title).toBe('Rivers of Europe');
    expect((await review.changed(10)).total).toBe(1);
  });

  it('a file that is imported into an approved quiz waits as well, with the sources of its questions', async () => {
    const worker = await startWorkerBeside(service);
    const file =
      'question,correct_answer,wrong_answer_1\nWhich pill?,Blue,Red\nWhich other pill?,Red,Blue';
    const { body } = await owner
      .post(`/imports?quiz_id=${id}&source=Atlas`)
      .set('Content-Type', 'text/csv')
      .send(file)
      .expect(202);
    await eventually(async () => {
      const { data } = (await owner.get(`/imports/${body.data.id}`).expect(200)).body;
      expect(data.state).toBe('completed');
    }, 20_000);
    await worker.close();
    expect((await edits.get(id)).questionCount).toBe(5);
    const exported = async (account: TestAccount) =>
      (await account.get(`/quizzes/${id}/export`).expect(200)).text;
    expect(await exported(owner)).toMatch(/Which pill.*Atlas.*Which other pill/s);
    expect(await exported(reader)).not.toMatch(/pill|Atlas/);
    await decide(true);
    expect(await exported(reader)).toBe(await exported(owner));
  });

  it('the owner’s key plays the approved version, also across quizzes: the players are others', async () => {
    await edits.question(id, 0, { text: 'Which pill?' });
    const filter = { player: 'Ada', filter: { tags: ['rivers'] }, count: 3 };
    for (const account of [owner, reader]) {
      const one = await account.post(`/quizzes/${id}/attempts`, { player: 'Ada' }).expect(201);
      const across = await account.post('/attempts', filter).expect(201);
      for (const { body } of [one, across])
        expect(body.data.questions.map((it: { text: string }) => it.text).sort()).toEqual([
          'Question 1?',
          'Question 2?',
          'Question 3?',
        ]);
    }
  });

  it('quiz.updated is recorded at the edit and at the approval, and quiz.rejected at the rejection of changes', async () => {
    await service.database.query(`DELETE FROM outbox_events`);
    await edits.texts(id, { title: 'Cheap pills' });
    await decide(false);
    await edits.texts(id, { title: 'Rivers of the world' });
    await decide(true);
    const events = await service.database.query<{ name: string; title: string }[]>(
      `SELECT name, body::jsonb -> 'data' ->> 'title' AS title FROM outbox_events ORDER BY id`,
    );
    expect(events).toEqual([
      { name: 'quiz.updated', title: 'Cheap pills' },
      { name: 'quiz.rejected', title: 'Rivers of Europe' },
      { name: 'quiz.updated', title: 'Rivers of the world' },
      { name: 'quiz.updated', title: 'Rivers of the world' },
    ]);
  });

  it('hiding and deleting act at once', async () => {
    await edits.texts(id, { title: 'Cheap pills' });
    await edits.quizzes.unpublish(owner.accountId, id);
    await reader.get(`/quizzes/${id}`).expect(404);
    await edits.quizzes.publish(owner.accountId, id);
    await edits.quizzes.delete(owner.accountId, id);
    await reader.get(`/quizzes/${id}`).expect(404);
  });

  it('edits of a quiz that no administrator has approved, and of an administrator’s own, need no second approval', async () => {
    const pending = await makeQuiz(owner, { title: 'Pending' });
    await edits.texts(pending.id, { title: 'Still pending' });
    expect(await edits.get(pending.id)).toMatchObject({ changes: null, state: 'pending' });
    const administrator = await service.account('pro', { isAdmin: true });
    const own = editsOf(service, administrator);
    const quiz = await makeQuiz(administrator, { title: 'Ours' });
    await own.texts(quiz.id, { title: 'Ours, better' });
    expect((await reader.get(`/quizzes/${quiz.id}`)).body.data.title).toBe('Ours, better');
  });

  it('a decision on a version that was edited meanwhile is refused', async () => {
    await edits.texts(id, { title: 'Rivers of the world' });
    const { version } = await review.changesOf(id);
    await edits.texts(id, { title: 'Cheap pills' });
    for (const verdict of [{ approved: true } as const, { approved: false, reason: 'x' } as const])
      await expect(review.decide(actor, id, 'approved', verdict, version)).rejects.toThrow(
        'The quiz was changed while you were reviewing it. Check it again.',
      );
    expect((await reader.get(`/quizzes/${id}`)).body.data.title).toBe('Rivers of Europe');
  });

  it('two administrators who reject the same changes do not take the quiz offline', async () => {
    await edits.texts(id, { title: 'Cheap pills' });
    const { version } = await review.changesOf(id);
    const reject = () =>
      review.decide(actor, id, 'approved', { approved: false, reason: 'No.' }, version);
    const verdicts = await Promise.allSettled([reject(), reject()]);
    expect(verdicts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await reader.get(`/quizzes/${id}`).expect(200);
  });

  it('approvals and edits at the same time lose no edit and show nothing that was not approved', async () => {
    for (let round = 0; round < 8; round++) {
      await edits.texts(id, { title: `Approved ${round}` });
      const { version } = await review.changesOf(id);
      const [verdict] = await Promise.allSettled([
        review.decide(actor, id, 'approved', { approved: true }, version),
        addQuestions(owner, id, [questionBody({ text: `Added ${round}?` })]),
        edits.questions.move(owner.accountId, id, (await edits.idsOf(id))[1] ?? '', 'up'),
      ]);
      const { body } = await reader.get(`/quizzes/${id}`).expect(200);
      expect(body.data.questions.map((it: { text: string }) => it.text)).not.toContain(
        `Added ${round}?`,
      );
      if (verdict.status === 'fulfilled') expect(body.data.title).toBe(`Approved ${round}`);
      const { title, questions } = await edits.get(id);
      expect([title, questions.at(-1)?.text]).toEqual([`Approved ${round}`, `Added ${round}?`]);
      expect(questions.map(({ position }) => position)).toEqual(
        questions.map((__, index) => index + 1),
      );
      if ((await edits.get(id)).changes) await decide(true);
    }
  });

  it('batches at the same time all wait, in whole', async () => {
    await Promise.all(
      [1, 2, 3, 4].map((n) => addQuestions(owner, id, questionBodies(5, { explanation: `${n}` }))),
    );
    const { questions, questionCount } = await edits.get(id);
    expect([questions.length, questionCount]).toEqual([23, 23]);
    expect((await reader.get(`/quizzes/${id}`)).body.data.questionCount).toBe(3);
    await decide(true);
    expect((await reader.get(`/quizzes/${id}`)).body.data.questionCount).toBe(23);
  });

  it('a pending version counts against the limits on questions and bytes of the quiz and bytes of the account', async () => {
    const long = (count: number) => questionBodies(count, { explanation: 'x'.repeat(4_000) });
    for (let batch = 0; batch < 9; batch++) await addQuestions(owner, id, long(50));
    const { body } = await owner
      .post(`/quizzes/${id}/questions/batch`, { questions: long(50) })
      .expect(422);
    expect(body.error).toMatch(/^A quiz holds at most 2 MiB of questions/);
    const { contentBytes } = await edits.get(id);
    const stored = () =>
      service.database.query(`SELECT content_bytes::int AS bytes FROM accounts WHERE id = $1`, [
        owner.accountId,
      ]);
    expect(await stored()).toEqual([{ bytes: contentBytes }]);
    await decide(true);
    expect(await stored()).toEqual([{ bytes: contentBytes }]);
    await edits.remove(id, 3);
    expect(await stored()).toEqual([{ bytes: contentBytes }]);
    await decide(true);
    const [{ bytes }] = await stored();
    expect(bytes).toBeLessThan(contentBytes);
    await edits.quizzes.delete(owner.accountId, id);
    expect(await stored()).toEqual([{ bytes: 0 }]);
  });

  it('a category that is renamed, added or deleted while changes wait is so in the changes too', async () => {
    const taxonomy = service.app.get(TaxonomyService);
    const administrator = { accountId: actor.accountId, email: actor.email };
    const topic = await taxonomy.saveTopic(administrator, null, { name: 'Science' });
    const add = (name: string) =>
      taxonomy.saveCategory(administrator, null, { name, topicId: topic.id });
    const category = await add('Chemistry');
    await edits.texts(id, { category: 'chemistry' });
    expect(await edits.get(id)).toMatchObject({ category: 'Chemistry', categoryId: category.id });
    await taxonomy.saveCategory(administrator, category.id, {
      name: 'Molecules',
      topicId: topic.id,
    });
    expect(await edits.get(id)).toMatchObject({ category: 'Molecules', categoryId: category.id });
    await taxonomy.deleteCategory(administrator, category.id);
    expect((await edits.get(id)).categoryId).toBeNull();
    const again = await add('Chemistry');
    await decide(true);
    const { body } = await reader.get(`/quizzes?category=Chemistry`).expect(200);
    expect(body.data).toHaveLength(1);
    expect(await edits.get(id)).toMatchObject({ category: 'Chemistry', categoryId: again.id });
  });

  it('the pages of owner and administrator show pending and rejected changes and the effect of a decision', async () => {
    const author = await signIn(service, owner);
    const administrator = await signIn(service, actor);
    await edits.texts(id, { title: 'Cheap pills' });
    expect((await author.open('/quizzes')).text).toContain('changes wait for review');
    const page = (await author.open(`/quizzes/${id}`)).text;
    expect(page).toContain('Cheap pills');
    expect(page).toContain('Your changes wait for review');
    expect((await administrator.open('/admin/review')).text).toContain('Changed since approval');
    const reviewed = (await administrator.open(`/admin/review/${id}`)).text;
    for (const part of [
      'Approve the changes',
      'Reject the changes',
      'Cheap pills',
      'Rivers of Europe',
    ])
      expect(reviewed).toContain(part);
    const fields = Object.fromEntries(
      [...reviewed.matchAll(/name="(seen|version)" value="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    );
    await administrator
      .send(`/admin/review/${id}/verdict`, { ...fields, verdict: 'reject', reason: 'No pills.' })
      .expect(303);
    const rejected = (await author.open(`/quizzes/${id}`)).text;
    expect(rejected).toContain('Your changes were rejected');
    expect(rejected).toContain('No pills.');
    expect((await reader.get(`/quizzes/${id}`)).body.data.title).toBe('Rivers of Europe');
  });

  it('an account that is disabled and enabled again shows the approved version, and its changes still wait', async () => {
    await edits.texts(id, { title: 'Cheap pills' });
    const accounts = service.app.get(AccountAdministrationService);
    const operator = { accountId: actor.accountId, email: actor.email };
    await accounts.setDisabled(operator, owner.accountId, true);
    await reader.get(`/quizzes/${id}`).expect(404);
    await accounts.setDisabled(operator, owner.accountId, false);
    expect((await reader.get(`/quizzes/${id}`)).body.data.title).toBe('Rivers of Europe');
    expect(await edits.get(id)).toMatchObject({ title: 'Cheap pills', changes: 'waiting' });
  });
});

describe('MODERATION changed on a running database', () => {
  let database: TestDatabase;
  let service: Service | undefined;
  beforeEach(async () => {
    database = await cloneDatabase();
  });
  afterEach(async () => {
    await service?.close();
    await database.drop();
  });

  const restart = async (moderation: string) => {
    await service?.close();
    const kept = { url: database.url, drop: () => Promise.resolve() };
    service = await startService({ MODERATION: moderation }, kept);
    return { service, review: service.app.get(ReviewService) };
  };

  it('changes that wait are not lost without strict: they and later edits wait for the review that is under way', async () => {
    const strict = await restart('strict');
    const owner = await strict.service.account('pro');
    const reader = await strict.service.account('free');
    const actor = await strict.service.account('free', { isAdmin: true });
    const { id } = await makeQuiz(owner, {}, questionBodies(2));
    await strict.review.decide(actor, id, 'pending', { approved: true });
    await editsOf(strict.service, owner).texts(id, { title: 'Rivers, waiting' });

    const manual = await restart('manual');
    const [mine, theirs] = await Promise.all(
      [owner, reader].map((account) => manual.service.keyOf(account, {})),
    );
    const title = async () => (await theirs!.get(`/quizzes/${id}`)).body.data.title as string;
    expect(await title()).toBe('Rivers of Europe');
    const edits = editsOf(manual.service, mine!);
    await edits.question(id, 0, { text: 'Another?' });
    expect(await edits.get(id)).toMatchObject({ title: 'Rivers, waiting', changes: 'waiting' });
    expect(await title()).toBe('Rivers of Europe');
    const { version } = await manual.review.changesOf(id);
    await manual.review.decide(actor, id, 'approved', { approved: true }, version);
    expect(await title()).toBe('Rivers, waiting');
    await edits.texts(id, { title: 'At once' });
    expect(await title()).toBe('At once');
  });

  it('edits from before strict stay visible and listed, and a rejection of later ones does not hide that they were never seen', async () => {
    const manual = await restart('manual');
    const owner = await manual.service.account('pro');
    const reader = await manual.service.account('free');
    const actor = await manual.service.account('free', { isAdmin: true });
    const { id } = await makeQuiz(owner, {}, questionBodies(2));
    await manual.review.decide(actor, id, 'pending', { approved: true });
    await editsOf(manual.service, owner).texts(id, { title: 'Edited before' });

    const strict = await restart('strict');
    const [mine, theirs] = await Promise.all(
      [owner, reader].map((account) => strict.service.keyOf(account, {})),
    );
    const title = async () => (await theirs!.get(`/quizzes/${id}`)).body.data.title as string;
    const edits = editsOf(strict.service, mine!);
    await edits.texts(id, { title: 'Edited after' });
    expect(await title()).toBe('Edited before');
    const { version, since } = await strict.review.changesOf(id);
    expect(since?.changes).toEqual([
      { what: 'Title', before: 'Rivers of Europe', after: 'Edited after' },
    ]);
    const verdict = { approved: false as const, reason: 'No.' };
    await strict.review.decide(actor, id, 'approved', verdict, version);
    expect((await strict.review.changed(10)).total).toBe(1);
    await edits.texts(id, { title: 'Rivers of Europe' });
    const second = await strict.review.changesOf(id);
    await strict.review.decide(actor, id, 'approved', { approved: true }, second.version);
    expect(await title()).toBe('Rivers of Europe');
    expect((await strict.review.changed(10)).total).toBe(0);
  });
});

import { AuditLog } from '../../src/access/audit/audit-log';
import { QuizAuthoringService } from '../../src/authoring/quizzes/quiz-authoring.service';
import { CreateQuizRequest } from '../../src/authoring/quizzes/quizzes.dto';
import { TaxonomyService } from '../../src/authoring/taxonomy/taxonomy.service';
import { Category, Topic } from '../../src/catalog/discovery/taxonomy.entity';
import { readBody } from '../../src/platform/http/request/validation.pipe';
import { newId } from '../../src/platform/text/ids';
import { makeQuiz } from '../support/content';
import { countersEqualCounts } from '../support/counters';
import { keepOpen, waitForLocks } from '../support/locks';
import { questionBodies, quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

describe('editing topics and categories', () => {
  let service: Service;
  let taxonomy: TaxonomyService;
  let owner: TestAccount;
  let actor: { accountId: string; email: string };

  beforeAll(async () => {
    service = await startService({ MODERATION: 'auto' });
    taxonomy = service.app.get(TaxonomyService);
    owner = await service.account('pro');
    actor = await service.account('free', { isAdmin: true });
  });

  beforeEach(() =>
    service.database.query(`DELETE FROM quizzes; DELETE FROM categories; DELETE FROM topics`),
  );

  afterAll(() => service.close());

  interface Shown {
    name: string;
    slug: string;
    icon: string | null;
    categories: { id: string; name: string; slug: string; quizCount: number }[];
  }
  /** GET /categories as a line for each topic: `Name/slug: Category/slug/quizCount, …` */
  const shown = async () => {
    service.clock.advance(60_000);
    const { body } = await service.get('/categories').expect(200);
    return (body.data as Shown[]).map(
      (topic) =>
        `${topic.name}/${topic.slug}: ` +
        topic.categories.map((it) => `${it.name}/${it.slug}/${it.quizCount}`).join(', '),
    );
  };
  const namesInUse = async () => {
    service.clock.advance(60_000);
    const { body } = await service.get('/metadata').expect(200);
    return (body.data as { categories: string[] }).categories;
  };

  it('topics and categories are added with slugs derived from their names', async () => {
    const arts = await taxonomy.saveTopic(actor, null, { name: 'Arts & Letters', icon: '🎨' });
    await taxonomy.saveTopic(actor, null, { name: 'World', slug: 'the-world' });
    await taxonomy.saveCategory(actor, null, { topicId: arts.id, name: 'Fine Art' });
    await taxonomy.saveCategory(actor, null, { topicId: arts.id, name: 'Poetry', slug: 'poems' });
    expect(await shown()).toEqual([
      'Arts & Letters/arts-letters: Fine Art/fine-art/0, Poetry/poems/0',
      'World/the-world: ',
    ]);
  });

  it('renaming a category renames it in quizzes, questions, filters and counters, and can keep its slug', async () => {
    const { id: topicId } = await taxonomy.saveTopic(actor, null, { name: 'Arts' });
    const art = await taxonomy.saveCategory(actor, null, { topicId, name: 'Art' });
    const quiz = await makeQuiz(owner, { category: 'art' }, questionBodies(2));
    const draft = await makeQuiz(owner, { categoryId: art.id, published: false });
    await taxonomy.saveCategory(actor, art.id, { topicId, name: 'Painting', slug: art.slug });
    for (const { id } of [quiz, draft])
      expect((await owner.get(`/quizzes/${id}`)).body.data.category).toBe('Painting');
    const total = async (path: string) =>
      ((await owner.get(path).expect(200)).body as { meta: { total: number } }).meta.total;
    expect(await total('/quizzes?category=painting')).toBe(2);
    expect(await total('/quizzes?category=art')).toBe(0);
    expect(await total('/questions?category=painting')).toBe(2);
    expect(await shown()).toEqual(['Arts/arts: Painting/art/1']);
    expect(await namesInUse()).toEqual(['Painting']);
    await countersEqualCounts(service.database);
  });

  it('a category can be renamed to another spelling of its name', async () => {
    const { id: topicId } = await taxonomy.saveTopic(actor, null, { name: 'Arts' });
    const art = await taxonomy.saveCategory(actor, null, { topicId, name: 'art' });
    const { id } = await makeQuiz(owner, { categoryId: art.id });
    await taxonomy.saveCategory(actor, art.id, { topicId, name: 'Art' });
    expect((await owner.get(`/quizzes/${id}`)).body.data.category).toBe('Art');
    expect(await namesInUse()).toEqual(['Art']);
    await countersEqualCounts(service.database);
  });

  it('a category links the quizzes that have its name already', async () => {
    const flat = await makeQuiz(owner, { category: 'CHESS' });
    const { id: topicId } = await taxonomy.saveTopic(actor, null, { name: 'Games' });
    const chess = await taxonomy.saveCategory(actor, null, { topicId, name: 'Chess' });
    expect((await owner.get(`/quizzes/${flat.id}`)).body.data.category).toBe('Chess');
    await taxonomy.saveCategory(actor, chess.id, { topicId, name: 'Chess and Go' });
    expect((await owner.get(`/quizzes/${flat.id}`)).body.data.category).toBe('Chess and Go');
    await countersEqualCounts(service.database);
  });

  it('a category links a quiz that is being created with its name as text', async () => {
    const { id: topicId } = await taxonomy.saveTopic(actor, null, { name: 'Games' });
    const body = readBody(CreateQuizRequest, quizBody({ category: 'Chess' }));
    const { id, saved } = await service.database.transaction(async (tx) => {
      await keepOpen(tx);
      const { id } = await service.app.get(QuizAuthoringService).createIn(tx, owner, body);
      const saved = taxonomy.saveCategory(actor, null, { topicId, name: 'Chess' });
      await waitForLocks(service.database, 1);
      return { id, saved };
    });
    const chess = await saved;
    await taxonomy.saveCategory(actor, chess.id, { topicId, name: 'Chess and Go' });
    expect((await owner.get(`/quizzes/${id}`)).body.data.category).toBe('Chess and Go');
    await countersEqualCounts(service.database);
  });

  it('a quiz created while its category is renamed gets the new name', async () => {
    const { id: topicId } = await taxonomy.saveTopic(actor, null, { name: 'Arts' });
    const art = await taxonomy.saveCategory(actor, null, { topicId, name: 'Name 0' });
    const made = Array.from({ length: 12 }, () => makeQuiz(owner, { categoryId: art.id }));
    for (const name of ['Name 1', 'Name 2', 'Name 3'])
      await taxonomy.saveCategory(actor, art.id, { topicId, name });
    await Promise.all(made);
    const left = await service.database.query(
      `SELECT category FROM quizzes WHERE category <> 'Name 3' OR category_key <> 'name 3'`,
    );
    expect(left).toEqual([]);
    await countersEqualCounts(service.database);
  });

  it('categories move up, down and to another topic, and topics move up and down', async () => {
    const first = await taxonomy.saveTopic(actor, null, { name: 'First' });
    const second = await taxonomy.saveTopic(actor, null, { name: 'Second' });
    const a = await taxonomy.saveCategory(actor, null, { topicId: first.id, name: 'A' });
    await taxonomy.saveCategory(actor, null, { topicId: first.id, name: 'B' });
    const c = await taxonomy.saveCategory(actor, null, { topicId: second.id, name: 'C' });
    await taxonomy.saveCategory(actor, a.id, { topicId: second.id, name: 'A' });
    expect(await shown()).toEqual(['First/first: B/b/0', 'Second/second: C/c/0, A/a/0']);
    await taxonomy.move(actor, Category, c.id, 'down');
    await taxonomy.move(actor, Topic, second.id, 'up');
    await taxonomy.move(actor, Topic, second.id, 'up');
    expect(await shown()).toEqual(['Second/second: A/a/0, C/c/0', 'First/first: B/b/0']);
    // The second move of the topic had nowhere to go.
    const entries = await service.app.get(AuditLog).about(second.id, 10);
    expect(entries.map(({ action }) => action)).toEqual(['topic.moved', 'topic.added']);
  });

  it('a new topic or category comes last, also after an earlier one was deleted', async () => {
    const gone = await taxonomy.saveTopic(actor, null, { name: 'Gone' });
    const world = await taxonomy.saveTopic(actor, null, { name: 'World' });
    const topicId = world.id;
    const asia = await taxonomy.saveCategory(actor, null, { topicId, name: 'Asia' });
    await taxonomy.saveCategory(actor, null, { topicId, name: 'Oceania' });
    await taxonomy.deleteCategory(actor, asia.id);
    await taxonomy.deleteTopic(actor, gone.id);
    await taxonomy.saveCategory(actor, null, { topicId, name: 'Africa' });
    await taxonomy.saveTopic(actor, null, { name: 'Arts' });
    expect(await shown()).toEqual([
      'World/world: Oceania/oceania/0, Africa/africa/0',
      'Arts/arts: ',
    ]);
  });

  it('a taken name or slug is refused with the name of what has it', async () => {
    const arts = await taxonomy.saveTopic(actor, null, { name: 'Arts' });
    const games = await taxonomy.saveTopic(actor, null, { name: 'Games' });
    const art = await taxonomy.saveCategory(actor, null, { topicId: arts.id, name: 'Art' });
    await taxonomy.saveCategory(actor, null, { topicId: games.id, name: 'Chess' });
    const refused: [() => Promise<unknown>, string, RegExp][] = [
      [
        () => taxonomy.saveTopic(actor, null, { name: 'ARTS' }),
        'name',
        /There is a topic “Arts” already/,
      ],
      [
        () => taxonomy.saveTopic(actor, null, { name: 'Ärts' }),
        'slug',
        /“Arts” has the slug arts already/,
      ],
      [() => taxonomy.saveTopic(actor, games.id, { name: 'Arts' }), 'name', /“Arts” already/],
      [
        () => taxonomy.saveCategory(actor, null, { topicId: games.id, name: 'art' }),
        'name',
        /There is a category “Art” already/,
      ],
      [
        () =>
          taxonomy.saveCategory(actor, art.id, { topicId: arts.id, name: 'Art', slug: 'chess' }),
        'slug',
        /“Chess” has the slug chess already/,
      ],
      [() => taxonomy.saveTopic(actor, null, { name: '!?' }), 'slug', /none can be made/],
    ];
    for (const [act, path, message] of refused)
      await expect(act()).rejects.toMatchObject({
        kind: 'invalid',
        details: [{ path, message: expect.stringMatching(message) as string }],
      });
  });

  it('of many concurrent equal additions, one succeeds', async () => {
    const adds = await Promise.allSettled(
      Array.from({ length: 5 }, () => taxonomy.saveTopic(actor, null, { name: 'Same' })),
    );
    expect(adds.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('deleting a category leaves its name to its quizzes, and only an empty topic can be deleted', async () => {
    const arts = await taxonomy.saveTopic(actor, null, { name: 'Arts' });
    const art = await taxonomy.saveCategory(actor, null, { topicId: arts.id, name: 'Art' });
    const { id } = await makeQuiz(owner, { categoryId: art.id });
    await expect(taxonomy.deleteTopic(actor, arts.id)).rejects.toThrow(/“Arts” has categories/);
    await taxonomy.deleteCategory(actor, art.id);
    await taxonomy.deleteTopic(actor, arts.id);
    expect(await shown()).toEqual([]);
    expect((await owner.get(`/quizzes/${id}`)).body.data.category).toBe('Art');
    await countersEqualCounts(service.database);
  });

  it('every change of a topic or category is audited, and a change of nothing is not', async () => {
    const arts = await taxonomy.saveTopic(actor, null, { name: 'Arts' });
    await taxonomy.saveTopic(actor, arts.id, { name: 'Arts', slug: 'arts' });
    await taxonomy.saveTopic(actor, arts.id, { name: 'The Arts', slug: 'arts', icon: '🎨' });
    const entries = await service.app.get(AuditLog).about(arts.id, 10);
    expect(entries.map(({ action, detail }) => [action, detail])).toEqual([
      ['topic.changed', 'name: Arts → The Arts, icon: none → 🎨'],
      ['topic.added', ''],
    ]);
  });

  it('an unknown topic or category id is not found', async () => {
    const arts = await taxonomy.saveTopic(actor, null, { name: 'Arts' });
    for (const id of [newId(), 'no-id']) {
      await expect(taxonomy.saveTopic(actor, id, { name: 'X' })).rejects.toThrow(
        'Topic not found.',
      );
      await expect(taxonomy.move(actor, Topic, id, 'up')).rejects.toThrow('Topic not found.');
      await expect(taxonomy.deleteTopic(actor, id)).rejects.toThrow('Topic not found.');
      await expect(taxonomy.saveCategory(actor, null, { topicId: id, name: 'X' })).rejects.toThrow(
        'Topic not found.',
      );
      await expect(
        taxonomy.saveCategory(actor, id, { topicId: arts.id, name: 'X' }),
      ).rejects.toThrow('Category not found.');
      await expect(taxonomy.move(actor, Category, id, 'up')).rejects.toThrow('Category not found.');
      await expect(taxonomy.deleteCategory(actor, id)).rejects.toThrow('Category not found.');
    }
  });
});

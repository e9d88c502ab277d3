import { ReviewService } from '../../src/authoring/review/review.service';
import { TaxonomyService } from '../../src/authoring/taxonomy/taxonomy.service';
import { makeQuiz } from '../support/content';
import { type Service, startService, type TestAccount } from '../support/service';

interface Topic {
  id: string;
  name: string;
  categories: { id: string; name: string; quizCount: number; tags: string[] }[];
}

/** GET /categories (specification 4.2). */
describe('categories', () => {
  let service: Service;
  let admin: TestAccount;

  beforeAll(async () => {
    service = await startService();
    admin = await service.account('free', { isAdmin: true });
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    await service.database.query(`DELETE FROM quizzes; DELETE FROM categories; DELETE FROM topics`);
  });

  const add = (
    topic: { name: string; slug: string; icon: string | null; position: number },
    categories: { name: string; slug: string }[],
  ) =>
    service.database.transaction((tx) =>
      service.app.get(TaxonomyService).seed(tx, topic, categories),
    );
  const topics = async () => (await service.get('/categories').expect(200)).body.data as Topic[];
  const id = expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown;

  it('an empty service returns no categories, without a key', async () => {
    const { body } = await service.get('/categories').expect(200);
    expect(body).toEqual({ success: true, data: [] });
  });

  it('GET /categories returns the topics and their categories in their configured order', async () => {
    await add({ name: 'Science', slug: 'science', icon: '🔬', position: 1 }, [
      { name: 'Physics', slug: 'physics' },
      { name: 'Biology', slug: 'biology' },
    ]);
    await add({ name: 'Arts', slug: 'arts', icon: null, position: 0 }, [
      { name: 'Music', slug: 'music' },
    ]);
    await add({ name: 'Empty', slug: 'empty', icon: null, position: 2 }, []);
    await makeQuiz(admin, { category: 'physics', tags: ['waves', 'Light'] });
    await makeQuiz(admin, { category: 'PHYSICS', tags: ['light'], difficulty: 'HARD' });
    await makeQuiz(admin, { category: 'Unlisted', tags: ['light'] });

    const { body } = await service.get('/categories').expect(200);
    expect(body).toEqual({
      success: true,
      data: [
        {
          id,
          name: 'Arts',
          slug: 'arts',
          icon: null,
          categories: [{ id, name: 'Music', slug: 'music', quizCount: 0, tags: [] }],
        },
        {
          id,
          name: 'Science',
          slug: 'science',
          icon: '🔬',
          categories: [
            { id, name: 'Physics', slug: 'physics', quizCount: 2, tags: ['Light', 'waves'] },
            { id, name: 'Biology', slug: 'biology', quizCount: 0, tags: [] },
          ],
        },
        { id, name: 'Empty', slug: 'empty', icon: null, categories: [] },
      ],
    });
  });

  it("a category's id is accepted as categoryId of a quiz", async () => {
    await add({ name: 'Arts', slug: 'arts', icon: null, position: 0 }, [
      { name: 'Music', slug: 'music' },
    ]);
    const [topic] = await topics();
    const categoryId = topic?.categories[0]?.id;
    const quiz = await makeQuiz(admin, { category: 'ignored', categoryId });
    expect(quiz).toMatchObject({ category: 'Music', categoryId });
    expect((await topics())[0]?.categories).toMatchObject([{ id: categoryId, quizCount: 1 }]);
  });

  it('a category lists its 20 most used tags, most used first', async () => {
    await add({ name: 'Arts', slug: 'arts', icon: null, position: 0 }, [
      { name: 'Music', slug: 'music' },
      { name: 'Film', slug: 'film' },
    ]);
    const tags = Array.from({ length: 25 }, (_, index) => `tag ${String(index).padStart(2, '0')}`);
    await makeQuiz(admin, { category: 'Music', tags: tags.slice(0, 20) });
    await makeQuiz(admin, { category: 'Music', tags: tags.slice(5) });
    await makeQuiz(admin, { category: 'Film', tags: tags.slice(0, 2) });
    const [music, film] = (await topics())[0]?.categories ?? [];
    expect(music?.tags).toEqual([...tags.slice(5, 20), ...tags.slice(0, 5)]);
    expect(film?.tags).toEqual(tags.slice(0, 2));
  });

  it('categories show a change at once and count public quizzes only', async () => {
    await add({ name: 'World', slug: 'world', icon: null, position: 0 }, [
      { name: 'Geography', slug: 'geography' },
    ]);
    expect((await topics())[0]?.categories).toMatchObject([{ quizCount: 0, tags: [] }]);
    const { id: quizId } = await makeQuiz(admin);
    await makeQuiz(await service.account());
    expect((await topics())[0]?.categories).toMatchObject([
      { quizCount: 1, tags: ['europe', 'rivers'] },
    ]);
    await service.app.get(ReviewService).setPublished(quizId, false);
    expect((await topics())[0]?.categories).toMatchObject([{ quizCount: 0, tags: [] }]);
  });
});

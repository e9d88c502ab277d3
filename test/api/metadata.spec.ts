import { ReviewService } from '../../src/authoring/review/review.service';
import { DiscoveryService } from '../../src/catalog/discovery/discovery.service';
import { makeQuiz } from '../support/content';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** GET /metadata (specification 4.1): what everybody may see. */
describe('metadata', () => {
  let service: Service;
  let admin: TestAccount;

  beforeAll(async () => {
    service = await startService();
    admin = await service.account('free', { isAdmin: true });
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    await service.database.query('DELETE FROM quizzes');
  });

  const metadata = async () => {
    const { body } = await service.get('/metadata').expect(200);
    return body.data as {
      categories: string[];
      tags: string[];
      stats: { totalQuizzes: number; totalQuestions: number };
    };
  };

  it('the most played quizzes of all categories are read once, also where they stand for those of a category', async () => {
    const discovery = service.app.get(DiscoveryService);
    expect(await discovery.popularIn([])).toBe(await discovery.popular());
  });

  it('metadata of an empty service has the vocabulary only, without a key', async () => {
    const { body } = await service.get('/metadata').expect(200);
    expect(body).toEqual({
      success: true,
      data: {
        difficulties: ['EASY', 'MEDIUM', 'HARD', 'EXPERT'],
        questionTypes: ['MULTIPLE_CHOICE', 'TRUE_FALSE', 'OPEN_ENDED'],
        categories: [],
        tags: [],
        stats: { totalQuizzes: 0, totalQuestions: 0 },
      },
    });
  });

  it('metadata ignores an invalid key and unknown parameters', async () => {
    const call = service.get('/metadata?limit=x&category[a]=b&api_key=wrong');
    await call.set('Authorization', 'Bearer wrong').expect(200);
  });

  it('metadata lists each category and tag once in any spelling, the most used tags first', async () => {
    await makeQuiz(admin, { category: 'zoology', tags: ['Rare', 'Common'] }, questionBodies(3));
    await makeQuiz(admin, { category: 'Art', tags: ['COMMON', 'apt'] }, questionBodies(2));
    await makeQuiz(admin, { category: 'ART', tags: ['common', 'b'], difficulty: 'EXPERT' });
    await makeQuiz(admin, { category: 'biology', tags: ['b'] });
    await makeQuiz(admin, { category: undefined, tags: [] });
    const data = await metadata();
    expect(data).toMatchObject({
      tags: ['Common', 'b', 'apt', 'Rare'],
      stats: { totalQuizzes: 5, totalQuestions: 5 },
    });
    expect(data.categories.map((name) => name.toLowerCase())).toEqual([
      'art',
      'biology',
      'zoology',
    ]);
  });

  it('metadata lists the 100 most used tags', async () => {
    const tags = Array.from({ length: 120 }, (_, index) => `tag ${String(index).padStart(3, '0')}`);
    for (let from = 0; from < 120; from += 20)
      await makeQuiz(admin, { tags: tags.slice(from, from + 20) });
    const favourites = tags.slice(105);
    await makeQuiz(admin, { tags: favourites });
    const found = (await metadata()).tags;
    expect(found).toEqual([...favourites, ...tags.slice(0, 85)]);
  });

  it('metadata shows a change by this process at once', async () => {
    expect((await metadata()).stats.totalQuizzes).toBe(0);
    await makeQuiz(admin, {}, questionBodies(2));
    expect(await metadata()).toMatchObject({
      categories: ['Geography'],
      tags: ['europe', 'rivers'],
      stats: { totalQuizzes: 1, totalQuestions: 2 },
    });
  });

  it('metadata drops categories and tags that are no longer public, spelling included', async () => {
    const review = service.app.get(ReviewService);
    const { id } = await makeQuiz(admin, { category: 'mY cAtEgOrY', tags: ['mY tAg', 'kept'] });
    await makeQuiz(admin, { tags: ['kept'] });
    await review.setPublished(id, false);
    expect(await metadata()).toMatchObject({ categories: ['Geography'], tags: ['kept'] });
    await makeQuiz(admin, { category: 'My category', tags: ['My tag'] });
    expect(await metadata()).toMatchObject({
      categories: ['Geography', 'My category'],
      tags: ['kept', 'My tag'],
    });
  });
});

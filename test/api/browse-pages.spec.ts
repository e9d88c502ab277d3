import request from 'supertest';
import { makeQuiz, nextLink, queryOf } from '../support/content';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

interface Page {
  data: { id: string; text: string }[];
  meta: {
    total: number;
    pageTotal: number;
    page: number;
    lastPage: number;
    limit: number;
    offset: number;
    links: { first: string; last: string; next: string | null; prev: string | null };
  };
}

/** GET /questions, mode 2: pages and links (specification, PaginationMeta). */
describe('pages of questions', () => {
  let service: Service;
  let owner: TestAccount;
  const ids: string[] = [];

  beforeAll(async () => {
    service = await startService();
    const admin = await service.account('free', { isAdmin: true });
    owner = await service.account();
    // Public and own quizzes alternate, so both branches of the visibility condition share each page.
    for (const [index, count] of [6, 5, 7, 5].entries()) {
      const isOwn = index % 2 === 1;
      const fields = { title: `Quiz ${index}`, published: !isOwn, category: 'Art & Más, more' };
      const quiz = await makeQuiz(isOwn ? owner : admin, fields, questionBodies(count));
      ids.push(...quiz.questions.map((question) => question.id));
    }
  });

  afterAll(() => service.close());

  const page = async (parameters: Record<string, string | number>): Promise<Page> =>
    (await owner.get(`/questions${queryOf(parameters)}`).expect(200)).body as Page;
  const follow = async (link: string): Promise<Page> => {
    const call = request(service.url).get(link).set('Authorization', `Bearer ${owner.key}`);
    return (await call.expect(200)).body as Page;
  };
  const link = (offset: number, limit: number) =>
    `/api/v1/questions?offset=${offset}&limit=${limit}`;

  it('a page has 10 questions by default', async () => {
    const { data, meta } = await page({});
    expect(data.map((question) => question.id)).toEqual(ids.slice(0, 10));
    expect(meta).toEqual({
      total: 23,
      pageTotal: 10,
      page: 1,
      lastPage: 3,
      limit: 10,
      offset: 0,
      links: { first: link(0, 10), last: link(20, 10), next: nextLink(link(10, 10)), prev: null },
    });
  });

  it('an offset that is not a multiple of the limit has a page number', async () => {
    const { data, meta } = await page({ limit: 5, offset: 8 });
    expect(data.map((question) => question.id)).toEqual(ids.slice(8, 13));
    expect(meta).toEqual({
      total: 23,
      pageTotal: 5,
      page: 2,
      lastPage: 5,
      limit: 5,
      offset: 8,
      links: {
        first: link(0, 5),
        last: link(20, 5),
        next: nextLink(link(13, 5)),
        prev: link(3, 5),
      },
    });
  });

  it('the last page may be partly filled', async () => {
    const { data, meta } = await page({ limit: 5, offset: 20 });
    expect(data.map((question) => question.id)).toEqual(ids.slice(20));
    expect(meta).toMatchObject({ pageTotal: 3, page: 5, lastPage: 5, links: { next: null } });
  });

  it.each([23, 1_000, 999_999_999_999_999])(
    'offset=%d past the end gets an empty page with the true total',
    async (offset) => {
      const { data, meta } = await page({ offset });
      expect(data).toEqual([]);
      expect(meta).toEqual({
        total: 23,
        pageTotal: 0,
        page: Math.floor(offset / 10) + 1,
        lastPage: 3,
        limit: 10,
        offset,
        links: {
          first: link(0, 10),
          last: link(20, 10),
          next: null,
          prev: link(Math.min(20, offset - 10), 10),
        },
      });
    },
  );

  it('following next while questions come in front, or are deleted behind, repeats and skips none', async () => {
    const author = await service.account('pro');
    const quizOf = (category: string, count: number) =>
      makeQuiz(author, { category }, questionBodies(count));
    const early = await quizOf('Elsewhere', 30);
    const walked = await quizOf('Walked', 15);
    const { id: behind } = await quizOf('Walked', 5);
    const seen: string[] = [];
    let next: string | null = '/api/v1/questions?category=Walked&limit=5';
    for (let pages = 1; next; pages++) {
      const { body } = await author.get(next.replace('/api/v1', '')).expect(200);
      const { data, meta } = body as Page;
      seen.push(...data.map(({ id }) => id));
      next = meta.links.next;
      if (pages === 1) await author.delete(`/quizzes/${behind}`).expect(204);
      if (pages === 2)
        await author.patch(`/quizzes/${early.id}`, { category: 'Walked' }).expect(200);
      expect(pages).toBeLessThan(10);
    }
    expect(seen).toEqual(walked.questions.map(({ id }) => id));
  });

  it('an empty result is page 1 of 1', async () => {
    const { data, meta } = await page({ category: 'none' });
    expect(data).toEqual([]);
    const only = `${link(0, 10)}&category=none`;
    expect(meta).toEqual({
      total: 0,
      pageTotal: 0,
      page: 1,
      lastPage: 1,
      limit: 10,
      offset: 0,
      links: { first: only, last: only, next: null, prev: null },
    });
  });

  it.each([1, 7, 10, 23, 50])(
    'links.next visits every question once at %d per page, and links.prev leads back',
    async (limit) => {
      let current = await page({ limit });
      const walked = current.data.map((question) => question.id);
      const pages = [current.data];
      while (current.meta.links.next) {
        current = await follow(current.meta.links.next);
        expect(current.meta.page).toBe(pages.length + 1);
        walked.push(...current.data.map((question) => question.id));
        pages.push(current.data);
      }
      expect(walked).toEqual(ids);
      expect(current.meta.page).toBe(current.meta.lastPage);
      expect((await follow(current.meta.links.last)).data).toEqual(current.data);
      for (const earlier of pages.reverse().slice(1)) {
        current = await follow(current.meta.links.prev ?? '');
        expect(current.data).toEqual(earlier);
      }
      expect(current.meta.links.prev).toBeNull();
      expect((await follow(current.meta.links.first)).data).toEqual(current.data);
    },
  );

  it.each([0, 5, 20])(
    'links.next with its offset changed to %d is the page at that offset',
    async (offset) => {
      const { next } = (await page({ limit: 10 })).meta.links;
      const { data, meta } = await follow((next ?? '').replace('offset=10', `offset=${offset}`));
      expect(meta.offset).toBe(offset);
      expect(data.map((question) => question.id)).toEqual(ids.slice(offset, offset + 10));
    },
  );

  it('links of a browse page repeat the filters', async () => {
    const sent = { difficulty: 'easy,hard', type: 'MULTIPLE_CHOICE', tags: 'Rivers,é&?=#' };
    let current = await page({ ...sent, limit: 20, unknown: 'x', include_answers: 'true' });
    const filters = '&difficulty=easy%2Chard&type=MULTIPLE_CHOICE&tags=Rivers%2C%C3%A9%26%3F%3D%23';
    expect(current.meta.links).toEqual({
      first: link(0, 20) + filters,
      last: link(20, 20) + filters,
      next: nextLink(link(20, 20) + filters),
      prev: null,
    });
    current = await follow(current.meta.links.next ?? '');
    expect(current.meta).toMatchObject({ total: 23, pageTotal: 3 });
    expect(current.data.map((question) => question.id)).toEqual(ids.slice(20));
  });

  it('links repeat tags_match, random and seed', async () => {
    const { links } = (
      await page({ limit: 20, seed: 'a b', random: 'true', tags_match: 'all', tags: 'rivers' })
    ).meta;
    const parameters = '&tags=rivers&tags_match=all&random=true&seed=a+b';
    expect(links).toEqual({
      first: link(0, 20) + parameters,
      last: link(20, 20) + parameters,
      next: link(20, 20) + parameters,
      prev: null,
    });
  });

  it('links of a browse page never contain the API key', async () => {
    const { key } = owner;
    const calls = [
      owner.get('/questions?limit=5&offset=5'),
      service.get('/questions?limit=5&offset=5').set('X-Api-Key', key),
      service.get(`/questions?limit=5&offset=5&api_key=${key}`),
      service.get(`/questions?apiKey=${key}&limit=5&offset=5`),
      service.get(`/questions?api_key=${key}&apiKey=${key}&limit=5&offset=5`),
      owner.get(`/questions?api_key=other&limit=5&offset=5&API_KEY=${key}`),
    ];
    for (const call of calls) {
      const { body, text } = await call.expect(200);
      expect((body as Page).meta.links).toEqual({
        first: link(0, 5),
        last: link(20, 5),
        next: nextLink(link(10, 5)),
        prev: link(0, 5),
      });
      expect(text).not.toContain('svc_');
    }
  });

  it('links of a request with a trailing slash name the path without it', async () => {
    const { body } = await owner.get('/questions/?limit=20').expect(200);
    expect((body as Page).meta.links.next).toEqual(nextLink(link(20, 20)));
  });

  it.each([
    ['limit', ['0', '51', '', 'null', '-1', '+1', '1.0', '1e1', '0x1', ' 1', '1000000000000000']],
    ['offset', ['-1', '+1', '1.0', '1e1', '0x1', ' 1', 'NULL', '1000000000000000']],
  ])('a %s that is not an integer within its bounds gets 400', async (name, values) => {
    for (const value of values) {
      const { body } = await owner.get(`/questions${queryOf({ [name]: value })}`).expect(400);
      expect(body).toMatchObject({
        success: false,
        error: expect.stringContaining(`${name} must be an integer`) as unknown,
      });
    }
  });

  it.each(['', 'null', '0', '000'])('offset=%j means 0', async (offset) => {
    const { data, meta } = await page({ offset, limit: '01' });
    expect(meta).toMatchObject({ offset: 0, limit: 1, page: 1 });
    expect(data.map((question) => question.id)).toEqual(ids.slice(0, 1));
  });

  it('limit=50 is accepted', async () => {
    const { data, meta } = await page({ limit: 50 });
    expect(meta).toMatchObject({ limit: 50, pageTotal: 23, lastPage: 1 });
    expect(data.map((question) => question.id)).toEqual(ids);
  });
});

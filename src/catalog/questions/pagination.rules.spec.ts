import { getMetadataStorage } from 'class-validator';
import fc from 'fast-check';
import { paginationMeta } from './pagination.rules';
import { BrowseQuestionsQuery } from './questions.dto';

const PATH = '/api/v1/questions';
const meta = (total: number, offset: number, limit: number, query: Record<string, unknown> = {}) =>
  paginationMeta(query, {
    total,
    pageTotal: Math.max(0, Math.min(limit, total - offset)),
    limit,
    offset,
  });
const offsetOf = (url: string) => Number(new URLSearchParams(url.split('?')[1]).get('offset'));
const link = (offset: number, limit: number) => `${PATH}?offset=${offset}&limit=${limit}`;

describe('paginationMeta', () => {
  it('pagination metadata describes a first, a middle and a last page', () => {
    expect(meta(25, 0, 10)).toEqual({
      total: 25,
      pageTotal: 10,
      page: 1,
      lastPage: 3,
      limit: 10,
      offset: 0,
      links: { first: link(0, 10), last: link(20, 10), next: link(10, 10), prev: null },
    });
    expect(meta(25, 10, 10)).toMatchObject({
      page: 2,
      links: { next: link(20, 10), prev: link(0, 10) },
    });
    expect(meta(25, 20, 10)).toMatchObject({
      page: 3,
      pageTotal: 5,
      links: { next: null, prev: link(10, 10) },
    });
  });

  it('pagination metadata has no next page after a full last page', () => {
    expect(meta(20, 10, 10)).toMatchObject({ page: 2, lastPage: 2, links: { next: null } });
  });

  it('pagination metadata of an empty result is page 1 of 1, whatever the offset', () => {
    expect(meta(0, 0, 10)).toMatchObject({
      page: 1,
      lastPage: 1,
      links: { first: link(0, 10), last: link(0, 10), next: null, prev: null },
    });
    expect(meta(0, 40, 10)).toMatchObject({ page: 1, lastPage: 1, links: { prev: link(0, 10) } });
  });

  it('the page number is floor(offset / limit) + 1', () => {
    expect(meta(25, 3, 10)).toMatchObject({
      page: 1,
      lastPage: 3,
      links: { next: link(13, 10), prev: link(0, 10) },
    });
    expect(meta(25, 19, 10)).toMatchObject({
      page: 2,
      links: { next: null, prev: link(9, 10) },
    });
  });

  it('links.prev of a page past the end leads to the last page with results', () => {
    expect(meta(25, 900, 10)).toMatchObject({
      page: 91,
      lastPage: 3,
      pageTotal: 0,
      links: { next: null, prev: link(20, 10), last: link(20, 10) },
    });
  });

  it('links of a browse page repeat the filters encoded and in a fixed order, after offset and limit', () => {
    const { links } = meta(5, 0, 10, { tags: 'a&b,é', category: 'Art, Music', difficulty: 'easy' });
    expect(links.first).toBe(
      `${PATH}?offset=0&limit=10&category=Art%2C+Music&difficulty=easy&tags=a%26b%2C%C3%A9`,
    );
  });

  it('links repeat no API key, no unknown parameter and no other offset', () => {
    const query = {
      api_key: 'a',
      apiKey: 'b',
      'api_key[x]': 'c',
      offset: '7',
      limit: '3',
      foo: 'd',
    };
    expect(meta(5, 0, 10, query).links.first).toBe(link(0, 10));
  });

  it('following links.next from any offset visits every result once', () => {
    const sizes = fc.record({
      total: fc.integer({ min: 0, max: 300 }),
      limit: fc.integer({ min: 1, max: 50 }),
      start: fc.integer({ min: 0, max: 320 }),
    });
    fc.assert(
      fc.property(sizes, ({ total, limit, start }) => {
        const visited: number[] = [];
        let offset: number | null = start;
        // More pages than results would be a circle.
        for (let pages = 0; offset !== null && pages <= total; pages++) {
          const page = meta(total, offset, limit);
          for (let result = 0; result < page.pageTotal; result++) visited.push(offset + result);
          offset = page.links.next === null ? null : offsetOf(page.links.next);
        }
        expect(offset).toBeNull();
        const fromStart = Array.from({ length: total }, (_, result) => result).slice(start);
        expect(visited).toEqual(fromStart);
      }),
    );
  });

  it('pagination links never lead outside the result', () => {
    const sizes = fc.tuple(
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 0, max: 1_000 }),
      fc.integer({ min: 1, max: 50 }),
    );
    fc.assert(
      fc.property(sizes, ([total, offset, limit]) => {
        const { links } = meta(total, offset, limit);
        for (const to of [links.first, links.last, links.next, links.prev]) {
          if (to === null) continue;
          expect(offsetOf(to)).toBeGreaterThanOrEqual(0);
          expect(offsetOf(to)).toBeLessThan(total);
        }
      }),
    );
  });
});

it('links repeat every parameter of GET /questions but the place of the page', () => {
  const fields = getMetadataStorage()
    .getTargetValidationMetadatas(BrowseQuestionsQuery, '', false, false)
    .map(({ propertyName }) => propertyName);
  const names = [...new Set(fields)].filter((it) => !['limit', 'offset', 'after'].includes(it));
  expect(names).toContain('category');
  const query = Object.fromEntries(names.map((name) => [name, 'x']));
  const { links } = paginationMeta(query, { total: 20, pageTotal: 10, limit: 10, offset: 0 });
  const repeated = [...new URL(links.first, 'http://localhost').searchParams.keys()];
  expect(repeated.sort()).toEqual(['offset', 'limit', ...names].sort());
});

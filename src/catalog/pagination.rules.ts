/** PaginationMeta of the specification, part 2, for one page of browsing. */
export interface PaginationMeta {
  total: number;
  pageTotal: number;
  page: number;
  lastPage: number;
  limit: number;
  offset: number;
  links: { first: string; last: string; next: string | null; prev: string | null };
}

/** The caller's own parameters that a link repeats: filters, never an API key. */
const REPEATED = [
  'category',
  'difficulty',
  'type',
  'tags',
  'tags_match',
  'topic',
  'exclude',
  'random',
  'seed',
];

/**
 * @param path the endpoint's path, to which the links are relative
 * @param query the query as it was sent
 */
export function paginationMeta(
  path: string,
  query: Record<string, unknown>,
  result: { total: number; pageTotal: number; limit: number; offset: number },
): PaginationMeta {
  const { total, limit, offset } = result;
  const lastPage = Math.max(1, Math.ceil(total / limit));
  const lastOffset = (lastPage - 1) * limit;
  const link = (to: number): string => {
    const parameters = new URLSearchParams({ offset: String(to), limit: String(limit) });
    for (const name of REPEATED) {
      for (const value of [query[name]].flat())
        if (typeof value === 'string') parameters.append(name, value);
    }
    return `${path}?${parameters.toString()}`;
  };
  return {
    total,
    pageTotal: result.pageTotal,
    page: total === 0 ? 1 : Math.floor(offset / limit) + 1,
    lastPage,
    limit,
    offset,
    links: {
      first: link(0),
      last: link(lastOffset),
      next: offset + limit < total ? link(offset + limit) : null,
      // From past the end, `prev` leads to the last page that has results.
      prev: offset > 0 ? link(Math.min(Math.max(0, offset - limit), lastOffset)) : null,
    },
  };
}

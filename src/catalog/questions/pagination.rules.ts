/** What links are relative to, however the request spelled it (`/api/v1/questions/`). */
const QUESTIONS = '/api/v1/questions';

/** The caller's own parameters that a link repeats: filters, never an API key. */
const REPEATED = [
  'category',
  'difficulty',
  'type',
  'tags',
  'tags_match',
  'language',
  'topic',
  'text',
  'exclude',
  'include',
  'random',
  'seed',
];

/**
 * @param query as it was sent
 * @param result `after` is the position behind the last question of this page, for the next one
 */
export function paginationMeta(
  query: Record<string, unknown>,
  result: { total: number; pageTotal: number; limit: number; offset: number; after?: string },
) {
  const { total, limit, offset } = result;
  const lastPage = Math.max(1, Math.ceil(total / limit));
  const lastOffset = (lastPage - 1) * limit;
  const link = (to: number, after?: string): string => {
    const parameters = new URLSearchParams({ offset: String(to), limit: String(limit) });
    for (const name of REPEATED) {
      for (const value of [query[name]].flat())
        if (typeof value === 'string') parameters.append(name, value);
    }
    if (after !== undefined) parameters.append('after', after);
    return `${QUESTIONS}?${parameters.toString()}`;
  };
  // Nothing is behind an empty page. If questions came in front of one that continues after the page before, the total says
  // otherwise, and a link by the offset alone would repeat what was seen.
  const hasNext = result.pageTotal > 0 && offset + limit < total;
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
      next: hasNext ? link(offset + limit, result.after) : null,
      // From past the end, `prev` leads to the last page that has results.
      prev: offset > 0 ? link(Math.min(Math.max(0, offset - limit), lastOffset)) : null,
    },
  };
}

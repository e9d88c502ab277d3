/** A page of a list: its number from 1, and what that means to a query. */
export interface PageOf {
  number: number;
  limit: number;
  offset: number;
}

/** Reads `?page=`; what is no page of a list is the first one. */
export function pageOf(given: string, limit: number): PageOf {
  const number = /^[1-9]\d{0,5}$/.test(given) ? Number(given) : 1;
  return { number, limit, offset: (number - 1) * limit };
}

/** `26 to 50 of 312`, and the way to the pages beside this one. */
export function Pager({
  page,
  total,
  hrefOf,
}: {
  page: PageOf;
  total: number;
  hrefOf: (page: number) => string;
}) {
  if (total <= page.limit && page.number === 1) return null;
  const last = Math.min(page.offset + page.limit, total);
  return (
    <nav class="pages" aria-label="Pages">
      <span>
        {last > page.offset ? `${page.offset + 1} to ${last} of ${total}` : `0 of ${total}`}
      </span>
      <div>
        {page.number > 1 && (
          <a class="btn" data-variant="outline" data-size="sm" href={hrefOf(page.number - 1)}>
            Previous
          </a>
        )}
        {last < total && (
          <a class="btn" data-variant="outline" data-size="sm" href={hrefOf(page.number + 1)}>
            Next
          </a>
        )}
      </div>
    </nav>
  );
}

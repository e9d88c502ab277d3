/** A page of a list, as the API answers it. */
export interface Page<Item, Meta> {
  data: Item[];
  meta: Meta;
}

export interface IterateOptions {
  /** Items at most; all of them unless it is given. */
  max?: number;
}

/** The most that the API gives at once. */
const PAGE_SIZE = 50;

/**
 * The items of all pages, one after the other. A page is asked for when its first item is: who stops early has
 * asked for no more than was needed.
 */
export async function* itemsOf<Item, Filter extends { limit?: number; offset?: number | null }>(
  list: (filter: Filter) => Promise<Page<Item, { total: number }>>,
  filter: Filter,
  { max = Infinity }: IterateOptions,
): AsyncGenerator<Item, void, undefined> {
  let offset = filter.offset ?? 0;
  for (let left = max; left > 0;) {
    const limit = Math.min(filter.limit ?? PAGE_SIZE, left);
    const { data, meta } = await list({ ...filter, limit, offset });
    yield* data;
    offset += data.length;
    left -= data.length;
    if (data.length === 0 || offset >= meta.total) return;
  }
}

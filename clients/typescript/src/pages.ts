/** A page of a list, as the API returns it. */
export interface Page<Item, Meta> {
  data: Item[];
  meta: Meta;
}

export interface IterateOptions {
  /** The maximum number of items. Defaults to all. */
  max?: number;
}

/** The largest page of the API. */
const PAGE_SIZE = 50;

/** Yields the items of all pages. Each page is requested only when its first item is consumed. */
export async function* itemsOf<Item, Filter extends { limit?: number; offset?: number | null }>(
  list: (filter: Filter & { limit: number }) => Promise<Page<Item, { total: number }>>,
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

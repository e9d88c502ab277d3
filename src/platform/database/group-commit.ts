/** The most items of one run. */
const MAX_BATCH = 100;

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * Runs one statement or transaction for many items: all that arrived while the previous one ran, so a single item does not
 * wait. If a run for several items fails, each is run alone, so that one invalid item cannot fail the others; an item that
 * fails alone rejects its promise. Callers handle items without a row (undefined) one by one.
 */
export class GroupCommit<Item extends { id: string }, Result extends { id: string }> {
  /** The waiting items of each group that has a run in progress. */
  private readonly groups = new Map<string, Waiting<Item, Result>[]>();

  /**
   * @param run the statement: each item at most once, by its `id`; returns the rows that it changed
   * @param groupOf groups run independently of each other; by default all items are one group
   */
  constructor(
    private readonly run: (items: Item[]) => Promise<Result[]>,
    private readonly groupOf: (item: Item) => string = () => '',
  ) {}

  /** @returns the item's row; undefined if the statement did not change it */
  add(item: Item): Promise<Result | undefined> {
    return new Promise((resolve, reject) => {
      const group = this.groupOf(item);
      const waiting = this.groups.get(group);
      const added = { item, resolve, reject };
      if (waiting) waiting.push(added);
      else void this.runAll(group, [added]);
    });
  }

  private async runAll(group: string, waiting: Waiting<Item, Result>[]): Promise<void> {
    this.groups.set(group, waiting);
    while (waiting.length > 0) {
      const batch = takeBatch(waiting);
      // At once, as many as the pool has connections: one after another, a database that hangs would stop the group for
      // as many time limits as it has items.
      if (!(await this.runBatch(batch)))
        await Promise.all(batch.map((one) => this.runBatch([one])));
    }
    this.groups.delete(group);
  }

  /** @returns false if a statement for several has failed */
  private async runBatch(batch: Waiting<Item, Result>[]): Promise<boolean> {
    try {
      const rows = await this.run(batch.map(({ item }) => item));
      const byId = new Map(rows.map((row) => [row.id, row]));
      for (const { item, resolve } of batch) resolve(byId.get(item.id));
    } catch (error) {
      if (batch.length > 1) return false;
      batch[0]?.reject(error);
    }
    return true;
  }
}

/** The next items, up to one whose id is among them already. */
function takeBatch<One extends { item: { id: string } }>(waiting: One[]): One[] {
  const ids = new Set<string>();
  for (const { item } of waiting) {
    if (ids.size === MAX_BATCH || ids.has(item.id)) break;
    ids.add(item.id);
  }
  return waiting.splice(0, ids.size);
}

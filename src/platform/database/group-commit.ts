/** Rows of one statement. */
const MOST = 100;

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * One statement, and one commit, for many items. A statement takes all that have arrived while the one before it ran,
 * so an item that comes alone waits for nothing. The caller repeats an item that has failed; if a statement for
 * several fails, each is tried alone first, so that one of them cannot fail the others.
 */
export class GroupCommit<Item extends { id: string }, Result extends { id: string }> {
  private waiting: Waiting<Item, Result>[] = [];
  private running = false;

  /** @param run the statement: each item at most once, by its `id`; returns the rows that it changed */
  constructor(private readonly run: (items: Item[]) => Promise<Result[]>) {}

  /** @returns the item's row; undefined if the statement did not change it */
  add(item: Item): Promise<Result | undefined> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.running) void this.runAll();
    });
  }

  private async runAll(): Promise<void> {
    this.running = true;
    while (this.waiting.length > 0) {
      const batch = this.takeBatch();
      if (!(await this.runBatch(batch)))
        await Promise.all(batch.map((one) => this.runBatch([one])));
    }
    this.running = false;
  }

  /** The next items, up to one whose id is among them already. */
  private takeBatch(): Waiting<Item, Result>[] {
    const ids = new Set<string>();
    for (const { item } of this.waiting) {
      if (ids.size === MOST || ids.has(item.id)) break;
      ids.add(item.id);
    }
    return this.waiting.splice(0, ids.size);
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

import { within } from '../../platform/process/loop';
import { ABANDON_AFTER } from './sending-limits';

/**
 * Collects items while a statement runs and passes them to the next one. A single caller waits for nobody; under load
 * a hundred deliveries share one round trip. Work that takes too long is abandoned: it fails for its items, and later
 * ones do not wait for it.
 */
export class Batcher<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private running = false;
  private size: number;

  /**
   * @param work returns the results of all items in order, or fails for all of them
   * @param limit items at once
   */
  constructor(
    private readonly work: (items: Item[]) => Promise<Result[]>,
    private readonly limit = 100,
  ) {
    this.size = limit;
  }

  /** @throws what the work of this item's batch throws */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.running) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.running = true;
    // Items of the same turn of the event loop join the batch.
    await new Promise(setImmediate);
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.size);
      try {
        const results = await within(ABANDON_AFTER, this.work(batch.map(({ item }) => item)));
        this.size = Math.min(this.limit, this.size * 2);
        batch.forEach(({ resolve }, place) => resolve(results[place] as Result));
      } catch (error) {
        // One by one until one succeeds: an item that always fails must not affect others.
        this.size = 1;
        for (const { reject } of batch) reject(error);
      }
    }
    this.running = false;
  }
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
}

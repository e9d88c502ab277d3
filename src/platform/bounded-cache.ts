/** Values by key, of which those used longest ago are dropped when all together are too large. */
export class BoundedCache<Value> {
  /** Least recently used first. */
  private readonly entries = new Map<string, { value: Value; size: number }>();
  private total = 0;

  /** @param most the sum of all sizes */
  constructor(private readonly most: number) {}

  get size(): number {
    return this.total;
  }

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: Value, size = 1): void {
    this.delete(key);
    // It would displace all others, and then itself.
    if (size > this.most) return;
    this.entries.set(key, { value, size });
    this.total += size;
    for (const oldest of this.entries.keys()) {
      if (this.total <= this.most) break;
      this.delete(oldest);
    }
  }

  private delete(key: string): void {
    const entry = this.entries.get(key);
    if (entry) this.total -= entry.size;
    this.entries.delete(key);
  }
}

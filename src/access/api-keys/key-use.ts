import type { DataSource } from 'typeorm';
import { writeLastUses } from './api-key.queries';

/** Milliseconds between two writes of last uses. */
const FLUSH_EVERY = 20_000;

/** Collects when keys were last used, and writes them now and then. */
export class KeyUse {
  private readonly lastUsed = new Map<string, Date>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly database: DataSource) {}

  note(keyId: string, at: Date): void {
    this.lastUsed.set(keyId, at);
    // Armed by use and not by an interval: an idle process does nothing.
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_EVERY).unref();
  }

  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const uses = new Map(this.lastUsed);
    this.lastUsed.clear();
    if (uses.size === 0) return;
    // It is only displayed: while the database is away the uses of these seconds are lost, and nothing else.
    await writeLastUses(this.database, uses).catch(() => undefined);
  }
}

import type { DataSource } from 'typeorm';

const FLUSH_EVERY = 20_000;

/**
 * Remembers when keys were last used and writes it down a few times a minute, all keys in one
 * statement: a write for each request would cost more than the request.
 */
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
    const uses = [...this.lastUsed];
    this.lastUsed.clear();
    if (uses.length === 0) return;
    await this.database
      .query(
        `UPDATE api_keys k SET last_used_at = u.at
         FROM unnest($1::uuid[], $2::timestamptz[]) AS u (id, at)
         WHERE k.id = u.id AND (k.last_used_at IS NULL OR k.last_used_at < u.at)`,
        [uses.map(([id]) => id), uses.map(([, at]) => at)],
      )
      // Only a display depends on it: a database that is away loses a minute of it, and nothing else.
      .catch(() => undefined);
  }
}

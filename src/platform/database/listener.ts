import type { DataSource } from 'typeorm';
import type { Logger } from '../observability/logger';
import { listen, type DeadlineClient } from './deadline-client';

/** Milliseconds. */
const [CHECK_EVERY, REPLY_WITHIN] = [2_000, 2_000];

/** Is told of PostgreSQL's notifications on a channel, and connects again when the connection is lost or silent. */
export class Listener {
  /** Null behind a pooler, which drops notifications: whoever listens also looks from time to time. */
  private client: DeadlineClient | null | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** @param on also called after a reconnect, as notifications may have been missed */
  constructor(
    private readonly database: DataSource,
    private readonly logger: Logger,
    private readonly channel: string,
    private readonly on: () => void,
  ) {}

  start(): void {
    void this.check();
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.client?.end().catch(() => undefined);
  }

  private async check(): Promise<void> {
    this.timer = setTimeout(() => void this.check(), CHECK_EVERY).unref();
    try {
      if (this.client) await this.client.query('SELECT');
      else if (this.client === undefined) {
        const name = `quiz-${this.channel}`;
        this.client = await listen(this.database, name, this.channel, REPLY_WITHIN, this.on);
        this.client?.once('end', () => (this.client = undefined));
        if (!this.timer) return void (await this.client?.end());
        this.on();
      }
    } catch (error) {
      this.client = undefined;
      this.logger.debug({ err: error }, `no connection for notifications of ${this.channel}`);
    }
  }
}

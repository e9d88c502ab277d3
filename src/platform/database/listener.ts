import type { DataSource } from 'typeorm';
import type { Logger } from '../observability/logger';
import { StateLog } from '../state-log';
import { type DeadlineClient, listen } from './deadline-client';

/** Milliseconds. */
const [CHECK_EVERY, REPLY_WITHIN] = [1_000, 2_000];

/** A channel of PostgreSQL's notifications. */
export interface Channel {
  /** What it is about, for log lines: `events`. */
  about: string;
  name: string;
}

/**
 * Is told of notifications on a channel, and connects again when the connection is lost or silent. Where some may have
 * been missed it is told null: after each connect and, behind a pooler, which drops notifications, at each check.
 */
export class Listener {
  /** Null behind a pooler. */
  private client: DeadlineClient | null | undefined;
  private timer: NodeJS.Timeout | undefined;
  private checking = Promise.resolve();
  private stopped = false;
  private readonly state: StateLog;

  constructor(
    private readonly database: DataSource,
    private readonly logger: Logger,
    private readonly channel: Channel,
    private readonly on: (payload: string | null) => void,
  ) {
    this.state = new StateLog(logger, `listening for ${channel.about}`);
  }

  start(): void {
    this.checking = this.check();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.client?.end().catch(() => undefined);
    await this.checking;
  }

  /** One at a time: a slow connection must not be joined by a second one, which nobody would close. */
  private async check(): Promise<void> {
    try {
      if (this.client) await this.client.query('SELECT');
      else if (this.client === undefined) await this.connect();
      else this.on(null);
      this.state.works();
    } catch (error) {
      const { client } = this;
      this.client = undefined;
      await client?.end().catch(() => undefined);
      if (!this.stopped) this.state.failed(error);
    }
    if (!this.stopped) this.timer = setTimeout(() => this.start(), CHECK_EVERY).unref();
  }

  private async connect(): Promise<void> {
    const { about, name } = this.channel;
    const client = await listen(this.database, `quiz-${about}`, name, REPLY_WITHIN, this.on);
    if (this.stopped) {
      await client?.end();
      return;
    }
    this.client = client;
    client?.once('end', () => (this.client = undefined));
    if (!client)
      this.logger.info(
        `${about} are noticed up to a second late: DATABASE_URL is a pooler, which drops notifications`,
      );
    this.on(null);
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { listen, type DeadlineClient } from '../../platform/database/deadline-client';
import { LOGGER, type Logger } from '../../platform/observability/logger';

/** Learns at once that events were committed; behind a pooler it only supposes so, at each check. */
@Injectable()
export class EventNotifications {
  /** Null behind a pooler. */
  private client: DeadlineClient | null | undefined;

  constructor(
    private readonly database: DataSource,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Connects, or asks the connection for a reply: one that is silent is closed. To be called again and again. */
  async check(onEvents: () => void): Promise<void> {
    if (this.client) return void (await this.client.query('SELECT'));
    if (this.client === undefined) {
      this.client = await listen(this.database, 'quiz-events', CHANNEL, REPLY_WITHIN, onEvents);
      this.client?.once('end', () => (this.client = undefined));
      if (!this.client)
        this.logger.info(
          'webhooks are up to a second late: DATABASE_URL is a pooler, which drops notifications',
        );
    }
    // Events may have been committed while there was no connection.
    onEvents();
  }

  async close(): Promise<void> {
    await this.client?.end();
  }
}

/** A trigger of `outbox_events` notifies it (`functions.sql`). */
const CHANNEL = 'webhook_events';
/** Milliseconds. */
const REPLY_WITHIN = 2_000;

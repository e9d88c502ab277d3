import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../config/config';
import { type DeadlineClient, listen } from './deadline-client';

/** Milliseconds: how long others' changes may go unnoticed, and how often PostgreSQL is asked for them meanwhile. */
const CURRENT_FOR = 1_000;
const CHECK_EVERY = 400;
/** Milliseconds without a read after which the connection is closed. */
const IDLE_AFTER = 5_000;

/**
 * Knows when quizzes, questions or the taxonomy have changed: PostgreSQL notifies a connection at each commit, and
 * the process itself reports its own changes before it responds. A connection that is silent may be broken, so it is
 * also asked: a reply proves that every notification of commits before the question has arrived.
 */
@Injectable()
export class ContentChanges implements OnApplicationShutdown {
  /** Increases with every change. What was read before an increase may be outdated. */
  revision = 0;
  private client: DeadlineClient | null | undefined;
  private watching: Promise<void> | undefined;
  private checked = Promise.resolve();
  private confirmedAt = -Infinity;
  private usedAt = -Infinity;
  private readonly end = new AbortController();

  constructor(
    private readonly database: DataSource,
    private readonly config: Config,
  ) {}

  /** Whether every change that was committed more than a second ago is in `revision`. */
  get isCurrent(): boolean {
    this.usedAt = performance.now();
    if (this.usedAt - this.confirmedAt < CURRENT_FOR) return true;
    // A replica may respond with what was before a change long after its notification.
    if (!this.end.signal.aborted && this.config.databaseReplicaUrls.length === 0)
      this.watching ??= this.watch().finally(() => (this.watching = undefined));
    return false;
  }

  /** Asks PostgreSQL: afterwards every change that was committed before the call is in `revision`. */
  check(): Promise<void> {
    const ask = async () => {
      const asked = performance.now();
      if (await this.client?.query('SELECT')) this.confirmedAt = asked;
    };
    return (this.checked = this.checked.then(ask, ask));
  }

  async onApplicationShutdown(): Promise<void> {
    this.end.abort();
    await this.watching;
  }

  private async watch(): Promise<void> {
    const { signal } = this.end;
    const change = () => this.revision++;
    try {
      this.client = await listen(
        this.database,
        'quiz-changes',
        'quiz_content',
        CURRENT_FOR,
        change,
      );
      // Through a pooler, which drops notifications, nothing is ever current.
      if (!this.client) return this.end.abort();
      this.client.once('end', () => (this.confirmedAt = -Infinity));
      // Changes while there was no connection.
      change();
      while (!signal.aborted && performance.now() - this.usedAt < IDLE_AFTER) {
        await this.check();
        await sleep(CHECK_EVERY, null, { signal });
      }
    } catch {
      // The connection is lost, or the process ends. The next read opens another.
    } finally {
      await this.client?.end().catch(() => undefined);
    }
  }
}

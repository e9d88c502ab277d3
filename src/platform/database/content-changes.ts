import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../config/config';
import { LOGGER, type Logger } from '../observability/logger';
import { listen, type DeadlineClient } from './deadline-client';

/** Milliseconds: how long others' changes may go unnoticed, and how often PostgreSQL is asked for them meanwhile. */
const CURRENT_FOR = 1_000;
const CHECK_EVERY = 400;
/** Milliseconds after the last use until checks stop, and between two attempts to connect. */
const IDLE_AFTER = 5_000;
const TRY_AGAIN = 1_000;

/** What triggers notify (`functions.sql`): the owner of a new quiz, or nothing. */
const CHANNEL = 'quiz_content';

/**
 * Knows when quizzes, questions or the taxonomy have changed: PostgreSQL notifies a connection at each commit, and
 * the process itself reports its own changes before it responds. A connection that is silent may be broken, so it is
 * also asked: a reply proves that every notification of commits before the question has arrived.
 */
@Injectable()
export class ContentChanges implements OnApplicationShutdown {
  /** Increases with every change. What was read before an increase may be outdated. */
  revision = 0;
  /** Receives the account of a new quiz; null when any account may have one. */
  onOwner: (accountId: string | null) => void = () => undefined;
  private client: DeadlineClient | undefined;
  private connecting: Promise<void> | undefined;
  private checking: Promise<void> | undefined;
  private last: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private confirmedAt = -Infinity;
  private usedAt = -Infinity;
  private ended = false;

  constructor(
    private readonly database: DataSource,
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Whether every change that was committed more than a second ago is in `revision`. Never with replicas: one may
   * respond with what was before a change long after its notification.
   */
  get isCurrent(): boolean {
    const now = performance.now();
    this.usedAt = now;
    if (now - this.confirmedAt < CURRENT_FOR) return true;
    this.watch();
    return false;
  }

  /** Called for a change by this process, after its commit and before its response. */
  note(accountId: string | null): void {
    this.revision++;
    this.onOwner(accountId);
  }

  /**
   * Asks PostgreSQL now; concurrent callers share a question. Afterwards every change that was committed before the
   * call is in `revision`.
   */
  check(): Promise<void> {
    this.next ??= this.last = this.last.then(() => {
      this.next = undefined;
      return this.ask();
    });
    return this.next;
  }

  private async ask(): Promise<void> {
    const { client } = this;
    const asked = performance.now();
    const replied = await client?.query('SELECT').catch(() => undefined);
    // A connection that failed has ended or is being destroyed: `lost` is called.
    if (replied && client === this.client) this.confirmedAt = asked;
  }

  async onApplicationShutdown(): Promise<void> {
    this.ended = true;
    clearTimeout(this.timer);
    await this.connecting;
    await this.client?.end();
  }

  /** Connects if need be, and checks until nobody has asked for a while: an idle process does nothing. */
  private watch(): void {
    if (this.ended || this.timer || this.checking || this.config.databaseReplicaUrls.length > 0)
      return;
    this.checking = (this.client ? this.check() : (this.connecting = this.connect()))
      .catch(() => undefined)
      .finally(() => {
        this.checking = undefined;
        if (this.ended || performance.now() - this.usedAt > IDLE_AFTER) return;
        const next = () => {
          this.timer = undefined;
          this.watch();
        };
        this.timer = setTimeout(next, this.client ? CHECK_EVERY : TRY_AGAIN).unref();
      });
  }

  private async connect(): Promise<void> {
    const client = await listen(this.database, 'quiz-changes', CHANNEL, CURRENT_FOR, (payload) => {
      this.revision++;
      if (payload) this.onOwner(payload);
    });
    if (!client) {
      this.ended = true;
      this.logger.info(
        'responses are not cached: DATABASE_URL is a pooler, which drops notifications',
      );
      return;
    }
    client.once('end', () => this.lost(client));
    // Changes while there was no connection.
    this.note(null);
    this.client = client;
    await this.check();
  }

  private lost(client: DeadlineClient): void {
    if (this.client !== client) return;
    this.client = undefined;
    this.confirmedAt = -Infinity;
  }
}

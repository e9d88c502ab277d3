import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DataSource, type DataSourceOptions, type EntityManager } from 'typeorm';
import { Config } from '../config/config';
import { LOGGER, type Logger } from '../observability/logger';
import { databaseOptions } from './data-source';
import { isTimeOut } from './database-errors';
import { ReadYourWrites } from './read-your-writes';
import { query, sql } from './sql';

/** Milliseconds between two checks of the replicas. */
const CHECK_EVERY = 1_000;

/** Milliseconds: a replica that lacks what the primary had this long ago gets no reads. */
const MAX_LAG = 5_000;

/**
 * The read replicas of DATABASE_REPLICA_URLS. Their positions are checked every second; one that is unreachable,
 * too far behind or not a replica at all gets no reads until it has recovered.
 */
@Injectable()
export class Replicas implements OnModuleInit, OnApplicationShutdown {
  private readonly replicas: Replica[];
  /** Where the primary's log ended at past looks, oldest first. */
  private positions: { at: number; position: number }[] = [];
  private timer?: NodeJS.Timeout;
  private checking?: Promise<void>;
  private turn = 0;

  constructor(
    private readonly primary: DataSource,
    config: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.replicas = config.databaseReplicaUrls.map((url) => new Replica(url, logger));
  }

  async onModuleInit(): Promise<void> {
    if (this.replicas.length === 0) return;
    await this.check();
    this.timer = setInterval(() => void this.check(), CHECK_EVERY).unref();
  }

  /** After the last response. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.checking;
    await Promise.all(this.replicas.map((replica) => replica.close()));
  }

  /** The next healthy one in turn; undefined if there is none. */
  pick(): EntityManager | undefined {
    for (let tries = 0; tries < this.replicas.length; tries++) {
      const replica = this.replicas[this.turn++ % this.replicas.length];
      if (replica?.usable) return replica.manager;
    }
    return undefined;
  }

  /** For the metrics. */
  countByState(): Record<'usable' | 'unusable', number> {
    const usable = this.replicas.filter((replica) => replica.usable).length;
    return { usable, unusable: this.replicas.length - usable };
  }

  private check(): Promise<void> {
    this.checking ??= this.checkAll().finally(() => (this.checking = undefined));
    return this.checking;
  }

  private async checkAll(): Promise<void> {
    await this.notePosition();
    const needed = this.positions[0]?.position;
    // The primary has not responded yet, so the position that replicas need is unknown.
    if (needed === undefined) return;
    await Promise.all(this.replicas.map((replica) => replica.check(needed)));
  }

  /** An unreachable primary takes no writes, so its last known positions still hold. */
  private async notePosition(): Promise<void> {
    const rows = await query<{ position: string }[]>(
      this.primary,
      sql`SELECT pg_current_wal_lsn() - '0/0'::pg_lsn AS position`,
    ).catch(() => []);
    const at = performance.now();
    for (const { position } of rows) this.positions.push({ at, position: Number(position) });
    const recent = this.positions.findIndex((it) => at - it.at <= MAX_LAG);
    if (recent > 0) this.positions = this.positions.slice(recent);
  }
}

/** Milliseconds for a statement. A hanging replica costs this once; then the check excludes it. */
const ANSWERS_WITHIN = 5_000;

/** One read replica and the result of its last check. */
class Replica {
  private readonly database: DataSource;
  private readonly name: string;
  private state: 'unknown' | 'usable' | 'unusable' = 'unknown';

  constructor(
    url: string,
    private readonly logger: Logger,
  ) {
    const options = databaseOptions(url, logger);
    this.database = new DataSource({
      ...options,
      extra: { ...(options.extra as object), responseWithin: ANSWERS_WITHIN },
    } as DataSourceOptions);
    this.name = new URL(url).host;
  }

  get usable(): boolean {
    return this.state === 'usable';
  }

  get manager(): EntityManager {
    return this.database.manager;
  }

  /** @param needed how far it must have come in the primary's log, in bytes */
  async check(needed: number): Promise<void> {
    try {
      if (!this.database.isInitialized) await this.database.initialize();
      const [row] = await query<{ position: string | null }[]>(this.database, POSITION);
      if (!row || row.position === null) this.now('unusable', 'it is not a replica');
      else if (Number(row.position) < needed) this.now('unusable', 'it is too far behind');
      else this.now('usable', '');
    } catch (error) {
      this.now('unusable', (error as Error).message || 'it does not respond');
    }
  }

  async close(): Promise<void> {
    if (this.database.isInitialized) await this.database.destroy();
  }

  /** Logs it once, when it changes. */
  private now(state: 'usable' | 'unusable', reason: string): void {
    if (this.state === state) return;
    this.state = state;
    if (state === 'usable') this.logger.info(`reads go to the replica ${this.name}`);
    else this.logger.warn(`no reads go to the replica ${this.name}: ${reason}`);
  }
}

const POSITION = sql`
SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() - '0/0'::pg_lsn END AS position`;

/**
 * Chooses where reads that may be seconds old are made: on a replica of DATABASE_REPLICA_URLS if there is one, else
 * on the primary. Accounts that have just written read from the primary, as does everybody while no replica is
 * healthy.
 */
@Injectable()
export class ReplicaRouter {
  constructor(
    private readonly primary: DataSource,
    private readonly replicas: Replicas,
    private readonly writes: ReadYourWrites,
  ) {}

  /**
   * @param accountId who reads; null for public content
   * @param work reads only; it is repeated on the primary if the replica fails
   */
  async read<T>(accountId: string | null, work: (db: EntityManager) => Promise<T>): Promise<T> {
    const replica = this.replicas.pick();
    if (!replica || (accountId !== null && (await this.writes.has(accountId))))
      return work(this.primary.manager);
    try {
      return await work(replica);
    } catch (error) {
      // It would take as long on the primary.
      if (isTimeOut(error)) throw error;
      // The connection was lost, or the read conflicted with replication. A bug fails on the primary as well.
      return work(this.primary.manager);
    }
  }
}

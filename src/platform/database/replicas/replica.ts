import { DataSource, type DataSourceOptions, type EntityManager } from 'typeorm';
import type { Logger } from '../../observability/logger';
import { databaseOptions } from '../database-options';

/** Milliseconds for a statement. A replica that hangs costs this once; then the look finds it out. */
const ANSWERS_WITHIN = 5_000;

/** One read replica and what the last look at it found. */
export class Replica {
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
  async look(needed: number): Promise<void> {
    try {
      if (!this.database.isInitialized) await this.database.initialize();
      const [row] = await this.database.query<{ position: string | null }[]>(POSITION);
      if (!row || row.position === null) this.now('unusable', 'it is not a replica');
      else if (Number(row.position) < needed) this.now('unusable', 'it is too far behind');
      else this.now('usable', '');
    } catch (error) {
      this.now('unusable', (error as Error).message || 'it does not answer');
    }
  }

  async close(): Promise<void> {
    if (this.database.isInitialized) await this.database.destroy();
  }

  /** Says it once, when it changes. */
  private now(state: 'usable' | 'unusable', reason: string): void {
    if (this.state === state) return;
    this.state = state;
    if (state === 'usable') this.logger.info(`reads go to the replica ${this.name}`);
    else this.logger.warn(`no reads go to the replica ${this.name}: ${reason}`);
  }
}

const POSITION = `
SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() - '0/0'::pg_lsn END AS position`;

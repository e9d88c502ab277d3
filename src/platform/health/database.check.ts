import { Injectable } from '@nestjs/common';
import { compareSchema } from '../database/migrate';
import { ReservedConnection } from '../database/reserved-connection';
import { sql } from '../database/sql';
import type { HealthCheck, HealthResult } from './readiness.service';

/** The database responds and has every table that this version needs. Without it no request can be served. */
@Injectable()
export class DatabaseCheck implements HealthCheck {
  readonly name = 'database';
  readonly fallback: HealthResult = {
    state: 'down',
    effect: 'unready',
    note: 'The database does not respond.',
  };

  constructor(private readonly database: ReservedConnection) {}

  async checkHealth(): Promise<HealthResult> {
    const done = await this.migrated().catch((error: unknown) => {
      if ((error as { code?: string }).code === UNDEFINED_TABLE) return [];
      throw error;
    });
    // A newer schema is fine: the next version is being rolled out beside this one.
    const { missing } = compareSchema(new Set(done.map(({ name }) => name)));
    if (missing.length > 0) return BEHIND;
    return done.some(({ read_only }) => read_only) ? READ_ONLY : { state: 'up' };
  }

  private migrated(): Promise<Migrated[]> {
    return this.database.query(
      sql`SELECT name, current_setting('transaction_read_only')::boolean AS read_only FROM schema_migrations`,
    );
  }
}

interface Migrated {
  name: string;
  read_only: boolean;
}

const UNDEFINED_TABLE = '42P01';

/** A demoted primary, or a managed database whose disk is full. Reads still work. */
const READ_ONLY: HealthResult = {
  state: 'read-only',
  effect: 'degraded',
  note: 'The database refuses writes: reads are served, everything else gets 503.',
};

/** An older backup was restored under a running process: migrations run at every start. */
const BEHIND: HealthResult = {
  state: 'behind',
  effect: 'unready',
  note: 'The schema of the database is older than this version: start the service again.',
};

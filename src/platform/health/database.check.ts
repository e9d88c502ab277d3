import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Pool, type PoolConfig } from 'pg';
import { DataSource } from 'typeorm';
import { DeadlineClient } from '../database/deadline-client';
import { MIGRATION_NAMES } from '../database/migrate';
import type { Finding, HealthCheck } from './health-check';

/** The database answers, and has every table that this version needs. Without it nothing can be served. */
@Injectable()
export class DatabaseCheck implements HealthCheck, OnModuleDestroy {
  readonly name = 'database';
  readonly otherwise: Finding = {
    state: 'down',
    effect: 'unready',
    note: 'The database does not answer.',
  };

  /** A connection of its own: a pool that requests have used up says nothing of the database. */
  private readonly pool: Pool;

  constructor({ options }: DataSource) {
    const { url } = options as { url: string };
    this.pool = new Pool({
      connectionString: url,
      application_name: 'quiz-readiness',
      max: 1,
      connectionTimeoutMillis: 2_000,
      // Kept while it is idle, so that a server without free connections has one for it.
      idleTimeoutMillis: 0,
      Client: DeadlineClient,
      responseWithin: 2_000,
    } as PoolConfig);
    this.pool.on('error', () => undefined);
  }

  async onModuleDestroy(): Promise<void> {
    await this.pool.end();
  }

  async look(): Promise<Finding> {
    const done = await this.pool.query<{ name: string }>(DONE).catch((error: unknown) => {
      if ((error as { code?: string }).code === UNDEFINED_TABLE) return { rows: [] };
      throw error;
    });
    const names = new Set(done.rows.map(({ name }) => name));
    // More than ours is fine: a newer version is being rolled out beside this one.
    return MIGRATION_NAMES.every((name) => names.has(name)) ? { state: 'up' } : BEHIND;
  }
}

const DONE = `SELECT name FROM migrations`;
const UNDEFINED_TABLE = '42P01';

/** Somebody restored an older backup under a running process: migrations are run at every start. */
const BEHIND: Finding = {
  state: 'behind',
  effect: 'unready',
  note: 'The schema of the database is older than this version: start the service again.',
};

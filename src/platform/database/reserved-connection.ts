import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Pool, type PoolConfig } from 'pg';
import { DataSource } from 'typeorm';
import { DeadlineClient } from './deadline-client';
import type { Sql } from './sql';

/** Milliseconds to get the connection, and as many for the statement. */
const WITHIN = 2_000;

/**
 * One connection beside the pool, for short statements that must not wait behind others: readiness and
 * heartbeats. A pool that is exhausted by requests says nothing about the database or the process.
 */
@Injectable()
export class ReservedConnection implements OnApplicationShutdown {
  private readonly pool: Pool;

  constructor({ options }: DataSource) {
    const { url } = options as { url: string };
    this.pool = new Pool({
      connectionString: url,
      application_name: 'quiz-reserved',
      max: 1,
      connectionTimeoutMillis: WITHIN,
      // Kept while it is idle, so that a server without free connections has one for it.
      idleTimeoutMillis: 0,
      Client: DeadlineClient,
      responseWithin: WITHIN,
      // PostgreSQL does not notice that the client has given up while a statement waits for a lock.
      statement_timeout: WITHIN,
    } as PoolConfig);
    this.pool.on('error', () => undefined);
  }

  async query<Row>({ text, values }: Sql): Promise<Row[]> {
    const { rows } = await this.pool.query(text, [...values]);
    return rows as Row[];
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

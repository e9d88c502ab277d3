import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Socket } from 'node:net';
import { Client, type ClientConfig, Pool, type PoolConfig } from 'pg';
import { DataSource } from 'typeorm';

/** Milliseconds. Longer than the server's `statement_timeout`, whose error says more. */
const RESPONSE_WITHIN = 17_000;

/**
 * A connection that is destroyed when a statement gets no response in time. The server's own timeouts do not help
 * when packets are dropped silently (a firewall that forgot the connection, a failover that moved the address): the
 * kernel gives up after about 16 minutes. pg's `query_timeout` is no alternative: it rejects the statement and leaves
 * the connection in the pool, where the next statement waits behind it.
 */
export class DeadlineClient extends Client {
  /** Keeps no process alive: a statement on a connection that has ended fails without it. */
  private timer: NodeJS.Timeout | undefined;

  /** @param config `responseWithin` in milliseconds, 17 s when absent */
  constructor(config: ClientConfig & { responseWithin?: number } = {}) {
    super({ keepAlive: true, keepAliveInitialDelayMillis: 5_000, ...config });
    const within = config.responseWithin ?? RESPONSE_WITHIN;
    const expire = () => {
      const error = new Error(`PostgreSQL did not respond within ${within} ms`);
      (this.connection as unknown as { stream: Socket }).stream.destroy(error);
    };
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    this.query = ((...args: unknown[]) => {
      clearTimeout(this.timer);
      this.timer = setTimeout(expire, within).unref();
      return query(...args);
    }) as Client['query'];
    this.on('drain', () => clearTimeout(this.timer));
    this.on('end', () => clearTimeout(this.timer));
    // The statement reports the error to its caller; without a listener the process would end.
    this.on('error', () => clearTimeout(this.timer));
  }
}

/** Milliseconds for a statement, its connection included. */
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
    } as PoolConfig);
    this.pool.on('error', () => undefined);
  }

  async query<Row>(statement: string, parameters: unknown[] = []): Promise<Row[]> {
    const { rows } = await this.pool.query(statement, parameters);
    return rows as Row[];
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

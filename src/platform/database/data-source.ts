import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import { Pool, type PoolConfig } from 'pg';
import {
  DataSource,
  type EntityManager,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import type { Logger } from '../observability/logger';
import { DeadlineClient, SESSION } from './deadline-client';
import type { Sql } from './sql';

/** PostgreSQL's code for a cancelled statement. */
const QUERY_CANCELED = '57014';
/** And for a transaction that was aborted so that others could continue. */
const DEADLOCK_DETECTED = '40P01';

/**
 * PostgreSQL cannot be used at the moment: connection errors (class 08), no resources (53: too many connections, disk
 * full), shutting down or starting up (57P), read-only (25006: a demoted primary), a transaction that it ended because this
 * process was too busy to go on (25P03); and the errors of Node's sockets.
 */
const UNAVAILABLE =
  /^(08\w{3}|53\w{3}|57P\w{2}|25006|25P03|ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** What pg and pg-pool report without a code. */
const UNAVAILABLE_TEXT =
  /^(timeout exceeded when trying to connect|Connection terminated|PostgreSQL did not respond within|Client has encountered a connection error)/;

/** TypeORM's, in a transaction whose connection has ended: by a statement, and by a transaction within it. */
const CONNECTION_ENDED = [QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError];

/** PostgreSQL's message to a new connection when a database accepts none. */
const NOT_ACCEPTING = '55000';

/** Whether PostgreSQL cancelled it at the statement timeout: a wide search, or a long wait for a lock. */
export const isTimeOut = (error: unknown): boolean => codeOf(error) === QUERY_CANCELED;

export const isDeadlock = (error: unknown): boolean => codeOf(error) === DEADLOCK_DETECTED;

/** Whether the database was unreachable, had no free connection in time, or is read-only. */
export function isUnavailable(error: unknown): boolean {
  const cause = error instanceof QueryFailedError ? (error.driverError as Error) : error;
  if (!(cause instanceof Error)) return false;
  if (CONNECTION_ENDED.some((it) => cause instanceof it)) return true;
  const { code } = cause as { code?: string };
  if (code === undefined) return UNAVAILABLE_TEXT.test(cause.message);
  return UNAVAILABLE.test(code) || (cause === error && code === NOT_ACCEPTING);
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof QueryFailedError)) return undefined;
  return (error.driverError as { code?: string }).code;
}

/** The connection options of every process of the service. */
export function databaseOptions(url: string, logger: Logger): TypeOrmModuleOptions {
  return {
    type: 'postgres',
    url,
    autoLoadEntities: true,
    // The schema is made by migrations written by hand (generated columns, partial indexes, triggers).
    synchronize: false,
    logging: false,
    applicationName: 'quiz-service',
    poolSize: 10,
    connectTimeoutMS: 5_000,
    // Without a listener a database restart would end the process.
    poolErrorHandler: (error: unknown) =>
      logger.warn({ err: error }, 'a database connection was lost'),
    extra: {
      Client: DeadlineClient,
      ...SESSION,
    },
    // The start has already waited for the database (reachDatabase).
    retryAttempts: 0,
  };
}

type IsolationLevel = Parameters<EntityManager['transaction']>[0];
type Work<T> = (tx: EntityManager) => Promise<T>;

/** PostgreSQL needs a second to detect a deadlock. After three deadlocks the client is asked to retry later. */
const TRIES = 3;

/**
 * A DataSource that repeats a transaction which PostgreSQL aborted to resolve a deadlock, so callers do not notice.
 * A transaction must therefore change things through its manager only, or be safe to repeat.
 */
export class RetryingDataSource extends DataSource {
  override transaction<T>(work: Work<T>): Promise<T>;
  override transaction<T>(isolation: IsolationLevel, work: Work<T>): Promise<T>;
  override async transaction<T>(...args: [Work<T>] | [IsolationLevel, Work<T>]): Promise<T> {
    for (let tries = 1; ; tries++)
      try {
        return await (args.length === 1
          ? super.transaction(args[0])
          : super.transaction(args[0], args[1]));
      } catch (error) {
        if (tries === TRIES || !isDeadlock(error)) throw error;
      }
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

  async query<Row>({ text, values }: Sql): Promise<Row[]> {
    const { rows } = await this.pool.query(text, [...values]);
    return rows as Row[];
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

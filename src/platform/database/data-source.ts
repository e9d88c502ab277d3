import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import { DataSource, EntityManager, type QueryRunner } from 'typeorm';
import type { Logger } from '../observability/logger';
import { isDeadlock, isUnavailable } from './database-errors';
import { DeadlineClient, SESSION } from './deadline-client';
import { CONNECT_TRIES } from './reach';

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
    // The start has already waited for the database (reachDatabase), but a busy machine may miss a connection's limit.
    retryAttempts: CONNECT_TRIES,
    retryDelay: 1_000,
    toRetry: isUnavailable,
    verboseRetryLog: true,
  };
}

type Isolation = Parameters<EntityManager['transaction']>[0];
type Work<T> = (tx: EntityManager) => Promise<T>;

/** PostgreSQL needs a second to detect a deadlock. After three deadlocks the client is asked to retry later. */
const TRIES = 3;

/**
 * Repeats a transaction that PostgreSQL aborted to resolve a deadlock, so callers do not notice: TypeORM has no option for
 * it. A transaction must therefore change things through its manager only, or be safe to repeat.
 */
class RetryingManager extends EntityManager {
  override async transaction<T>(isolation: Isolation | Work<T>, work?: Work<T>): Promise<T> {
    for (let tries = 1; ; tries++)
      try {
        return typeof isolation === 'function'
          ? await super.transaction(isolation)
          : await super.transaction(isolation, work as Work<T>);
      } catch (error) {
        if (tries === TRIES || !isDeadlock(error)) throw error;
      }
  }
}

/** Its own manager, which repositories share, repeats transactions. One with a query runner is within a transaction already. */
export class RetryingDataSource extends DataSource {
  override createEntityManager(queryRunner?: QueryRunner): EntityManager {
    return queryRunner ? super.createEntityManager(queryRunner) : new RetryingManager(this);
  }
}

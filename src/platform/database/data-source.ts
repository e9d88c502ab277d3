import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import type { Logger } from '../observability/logger';
import { isDeadlock } from './database-errors';
import { DeadlineClient, SESSION } from './deadline-client';

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

type Transaction = (...args: unknown[]) => Promise<unknown>;

/** PostgreSQL needs a second to detect a deadlock. After three deadlocks the client is asked to retry later. */
const TRIES = 3;

/**
 * A DataSource that repeats a transaction which PostgreSQL aborted to resolve a deadlock, so callers do not notice.
 * A transaction must therefore change things through its manager only, or be safe to repeat.
 */
export class RetryingDataSource extends DataSource {
  /**
   * A transaction of the data source is one of its manager. A manager with a query runner is within a transaction already:
   * it repeats none.
   */
  override createEntityManager(queryRunner?: QueryRunner): EntityManager {
    const manager = super.createEntityManager(queryRunner);
    if (queryRunner) return manager;
    const transaction = manager.transaction.bind(manager) as Transaction;
    return Object.assign(manager, {
      transaction: async (...args: Parameters<Transaction>) => {
        for (let tries = 1; ; tries++)
          try {
            return await transaction(...args);
          } catch (error) {
            if (tries === TRIES || !isDeadlock(error)) throw error;
          }
      },
    });
  }
}

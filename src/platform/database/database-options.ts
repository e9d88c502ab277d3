import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import type { Logger } from '../observability/logger';
import { DeadlineClient } from './deadline-client';

/** What the service asks of each connection. A pooler may refuse it (docs/scaling.md). */
export const SESSION = {
  statement_timeout: 15_000,
  // A process that has gone silent within a transaction keeps others from its rows for this long.
  idle_in_transaction_session_timeout: 10_000,
  // The default of 4 is for spinning discs: with it PostgreSQL reads all questions for a tag of few.
  options: '-c random_page_cost=1.1',
};

/** How every process of the service talks to its database. */
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

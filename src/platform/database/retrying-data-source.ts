import { DataSource, type EntityManager } from 'typeorm';
import { isDeadlock } from './query-errors';

type IsolationLevel = Parameters<EntityManager['transaction']>[0];
type Work<T> = (tx: EntityManager) => Promise<T>;

/** A deadlock takes PostgreSQL a second to find; who meets three of them is told to come again. */
const TRIES = 3;

/**
 * The database, whose transactions are done again when PostgreSQL has undone them to end a deadlock: somebody had to
 * go back, and it need not be noticed. What a transaction does is therefore done by its manager alone, or bears being
 * done twice.
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

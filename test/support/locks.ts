import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { eventually } from './clock';

/** Until so many transactions of the test's database wait for a lock. */
export const waitForLocks = (database: DataSource, transactions: number): Promise<void> =>
  eventually(async () => {
    const rows = await database.query<unknown[]>(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(rows).toHaveLength(transactions);
  });

/**
 * For a transaction that holds a lock while a test acts: PostgreSQL would end it after 10 idle seconds, which a busy
 * machine may need for a few requests. Until it ends; other transactions keep their timeout.
 */
export const keepOpen = (tx: EntityManager | QueryRunner): Promise<unknown> =>
  tx.query('SET LOCAL idle_in_transaction_session_timeout = 0');

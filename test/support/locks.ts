import type { DataSource } from 'typeorm';
import { eventually } from './worker';

/** Until so many transactions of the test's database wait for a lock. */
export const waitForLocks = (database: DataSource, transactions: number): Promise<void> =>
  eventually(async () => {
    const rows = await database.query<unknown[]>(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(rows).toHaveLength(transactions);
  });

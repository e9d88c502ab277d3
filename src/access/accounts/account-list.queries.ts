import type { EntityManager } from 'typeorm';
import { query, sql } from '../../platform/database/sql';

/** The accounts of this deployment, the oldest first. */
export const findAccounts = (database: EntityManager): Promise<{ id: string; email: string }[]> =>
  query(database, sql`SELECT id, email FROM accounts ORDER BY created_at, id`);

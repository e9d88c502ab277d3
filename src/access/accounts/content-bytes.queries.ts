import type { EntityManager } from 'typeorm';
import { query, sql } from '../../platform/database/sql';

/** Stores the bytes of the questions of these accounts (`key`: the id), as they were counted. */
export async function correctContentBytes(
  tx: EntityManager,
  accounts: readonly { key: string; counted: string }[],
): Promise<void> {
  const ids = accounts.map(({ key }) => key);
  const bytes = accounts.map(({ counted }) => counted);
  await query(
    tx,
    sql`UPDATE accounts SET content_bytes = counted
        FROM unnest(${ids}::uuid[], ${bytes}::bigint[]) AS correct (account_id, counted) WHERE id = account_id`,
  );
}

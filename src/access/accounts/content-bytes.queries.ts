import type { EntityManager } from 'typeorm';
import { query, sql } from '../../platform/database/sql';

/** Stores how many bytes the questions of these accounts have: the catalogue recounts them, and only access writes accounts. */
export async function correctContentBytes(
  tx: EntityManager,
  accounts: readonly { accountId: string; bytes: string }[],
): Promise<void> {
  const ids = accounts.map(({ accountId }) => accountId);
  const bytes = accounts.map((account) => account.bytes);
  await query(
    tx,
    sql`UPDATE accounts SET content_bytes = counted
        FROM unnest(${ids}::uuid[], ${bytes}::bigint[]) AS correct (account_id, counted) WHERE id = account_id`,
  );
}

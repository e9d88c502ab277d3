import type { EntityManager } from 'typeorm';

/** Stores the bytes of the questions of these accounts (`key`: the id), as they were counted. */
export async function correctContentBytes(
  tx: EntityManager,
  accounts: readonly { key: string; counted: string }[],
): Promise<void> {
  await tx.query(
    `UPDATE accounts SET content_bytes = counted
     FROM unnest($1::uuid[], $2::bigint[]) AS correct (account_id, counted) WHERE id = account_id`,
    [accounts.map(({ key }) => key), accounts.map(({ counted }) => counted)],
  );
}

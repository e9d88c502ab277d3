import type { DataSource, EntityManager } from 'typeorm';
import { query, sql } from '../../platform/database/sql';

/** The e-mail address of the account that a link is for, if it was made after `since` and the account is enabled. */
export async function findEmailOfLink(
  database: DataSource,
  tokenHash: Buffer,
  since: Date,
): Promise<string | null> {
  const [row] = await query<{ email: string }[]>(
    database,
    sql`SELECT email FROM one_time_links JOIN accounts ON accounts.id = account_id
        WHERE token_hash = ${tokenHash} AND one_time_links.created_at > ${since} AND disabled_at IS NULL`,
  );
  return row?.email ?? null;
}

/** Uses up a link that was made after `since`. @returns the id of its account */
export async function takePasswordLink(
  tx: EntityManager,
  tokenHash: Buffer,
  since: Date,
): Promise<string | undefined> {
  const [[link]] = await query<[{ accountId: string }[], number]>(
    tx,
    sql`DELETE FROM one_time_links WHERE token_hash = ${tokenHash} AND account_id IS NOT NULL AND created_at > ${since}
        RETURNING account_id AS "accountId"`,
  );
  return link?.accountId;
}

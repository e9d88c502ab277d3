import type { DataSource, EntityManager } from 'typeorm';
import { query, queryPrepared, type Sql, sql } from '../../platform/database/sql';

/** How often something was done under a key, and until when that counts. */
export interface Taken {
  attempts: number;
  endsAt: Date;
}

const counted = (now: Date): Sql => sql`
ON CONFLICT (key) DO UPDATE SET
  attempts = CASE WHEN l.ends_at <= ${now} THEN 1 ELSE l.attempts + 1 END,
  ends_at = CASE WHEN l.ends_at <= ${now} THEN excluded.ends_at ELSE l.ends_at END
RETURNING attempts, ends_at AS "endsAt"`;

/** Counts an attempt, the first of those that end at `ends` or a further one. */
export async function takeAttempt(
  database: DataSource,
  key: string,
  now: Date,
  ends: Date,
): Promise<Taken | undefined> {
  const [row] = await query<Taken[]>(
    database,
    sql`INSERT INTO attempt_limits AS l (key, attempts, ends_at) VALUES (${key}, 1, ${ends}) ${counted(now)}`,
  );
  return row;
}

/**
 * The same in a transaction, unless there are `most` already: then nothing is returned, without waiting for others. It
 * also deletes a few that have ended: not all, since their locks are held until the transaction ends.
 */
export async function takeAttemptUpTo(
  tx: EntityManager,
  key: string,
  most: number,
  now: Date,
  ends: Date,
): Promise<Taken | undefined> {
  const [row] = await queryPrepared<Taken[]>(
    tx,
    sql`
WITH ended AS (
  DELETE FROM attempt_limits WHERE key IN (
    SELECT key FROM attempt_limits WHERE ends_at < ${now} AND key <> ${key} ORDER BY ends_at LIMIT 10 FOR UPDATE SKIP LOCKED)
)
INSERT INTO attempt_limits AS l (key, attempts, ends_at)
SELECT ${key}, 1, ${ends}::timestamptz
WHERE NOT EXISTS (SELECT FROM attempt_limits WHERE key = ${key} AND ends_at > ${now} AND attempts >= ${most}) ${counted(now)}`,
  );
  return row;
}

/** What has ended, except what a transaction takes just now: waiting for several of these could deadlock with it. */
export async function sweepEnded(database: DataSource, now: Date): Promise<void> {
  await query(
    database,
    sql`DELETE FROM attempt_limits WHERE key IN (
          SELECT key FROM attempt_limits WHERE ends_at < ${now} FOR UPDATE SKIP LOCKED)`,
  );
}

export async function forgetAttempts(database: DataSource, key: string): Promise<void> {
  await query(database, sql`DELETE FROM attempt_limits WHERE key = ${key}`);
}

import type { DataSource, EntityManager } from 'typeorm';
import { query, queryPrepared, type Sql, sql } from '../../platform/database/sql';

/** How often something was done under a key, and until when that counts. */
export interface Taken {
  attempts: number;
  endsAt: Date;
}

const onRepetition = (now: Date): Sql => sql`
ON CONFLICT (key) DO UPDATE SET
  attempts = excluded.attempts + CASE WHEN l.ends_at <= ${now} THEN 0 ELSE l.attempts END,
  ends_at = CASE WHEN l.ends_at <= ${now} THEN excluded.ends_at ELSE l.ends_at END
RETURNING attempts, ends_at AS "endsAt"`;

/** Counts an attempt: the first one begins a time that ends at `ends`, further ones are added to it. */
export async function takeAttempt(
  database: DataSource,
  key: string,
  now: Date,
  ends: Date,
): Promise<Taken | undefined> {
  const [row] = await query<Taken[]>(
    database,
    sql`INSERT INTO attempt_limits AS l (key, attempts, ends_at) VALUES (${key}, 1, ${ends}) ${onRepetition(now)}`,
  );
  return row;
}

/**
 * Counts attempts in a transaction, except under keys that have `most` already: for these nothing is returned and nobody is
 * waited for. It also deletes a few that have ended: not all, since their locks are held until the transaction ends.
 * @param times how many attempts under each key
 */
export function takeAttemptsUpTo(
  tx: EntityManager,
  times: ReadonlyMap<string, number>,
  most: number,
  now: Date,
  ends: Date,
): Promise<(Taken & { key: string })[]> {
  const keys = [...times.keys()];
  // In the same order in every transaction, so that no two block each other.
  return queryPrepared(
    tx,
    sql`
WITH ended AS (
  DELETE FROM attempt_limits WHERE key IN (
    SELECT key FROM attempt_limits WHERE ends_at < ${now} AND key <> ALL (${keys}::text[])
    ORDER BY ends_at LIMIT 10 FOR UPDATE SKIP LOCKED)
)
INSERT INTO attempt_limits AS l (key, attempts, ends_at)
SELECT key, n, ${ends}::timestamptz FROM unnest(${keys}::text[], ${keys.map((key) => times.get(key))}::int[]) AS taken (key, n)
WHERE NOT EXISTS (SELECT FROM attempt_limits u WHERE u.key = taken.key AND u.ends_at > ${now} AND u.attempts >= ${most})
ORDER BY taken.key COLLATE "C"
${onRepetition(now)}, key`,
  );
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

import type { DataSource, EntityManager } from 'typeorm';
import { query, type Sql, sql } from '../../platform/database/sql';
import { LIMITS } from '../../platform/limits/limits';
import type { Caller, FoundCaller } from './caller';

/** Whether a key (`api_keys` as k) and its account (`accounts` as a) work at this time. */
const worksAt = (now: Date): Sql => sql`k.revoked_at IS NULL
  AND (k.expires_at IS NULL OR k.expires_at > ${now}) AND a.disabled_at IS NULL`;

/** The account of a key, by the hash of the key; null if the key does not work at this time. */
export async function findCaller(
  database: DataSource,
  hash: Buffer,
  now: Date,
): Promise<FoundCaller | null> {
  const [row] = await query<(Caller & { expiresAt: Date | null })[]>(
    database,
    sql`
SELECT k.id AS "keyId", a.id AS "accountId", a.plan, a.is_admin AS "isAdmin", k.expires_at AS "expiresAt",
  k.scopes, k.origins
FROM api_keys k JOIN accounts a ON a.id = k.account_id
WHERE k.hash = ${hash} AND ${worksAt(now)}`,
  );
  if (!row) return null;
  const { expiresAt, ...caller } = row;
  return { caller, expiresAt };
}

/** A key that has a rate of its own, and this rate. */
export interface KeyRate {
  keyId: string;
  /** As `hashKeyBase64` returns it. */
  hash: string;
  perMinute: number;
}

/** The rates of the keys that have one and work at this time; of too many, those of the newest. */
export function findKeyRates(database: DataSource, now: Date): Promise<KeyRate[]> {
  return query(
    database,
    sql`SELECT k.id AS "keyId", encode(k.hash, 'base64') AS hash, k.requests_per_minute AS "perMinute"
        FROM api_keys k JOIN accounts a ON a.id = k.account_id
        WHERE k.requests_per_minute IS NOT NULL AND ${worksAt(now)}
        ORDER BY k.id DESC LIMIT ${LIMITS.accounts.keysWithRate.value}`,
  );
}

/** An arbitrary number that no other two-part advisory lock in this database uses. */
const RATES_LOCK = 1_790_031;

/** Waits for others that take this lock: until this transaction ends they give no key a rate. */
export async function lockKeyRates(tx: EntityManager): Promise<void> {
  await query(tx, sql`SELECT pg_advisory_xact_lock(${RATES_LOCK}, 0)`);
}

/**
 * Stores when keys were last used, by their ids: all in one statement, because a single write costs more than a request.
 * It locks the keys in the order of their ids, so that two processes cannot deadlock.
 */
export async function writeLastUses(
  database: DataSource,
  uses: ReadonlyMap<string, Date>,
): Promise<void> {
  await query(
    database,
    sql`
WITH used AS (
  SELECT k.id, u.at
  FROM unnest(${[...uses.keys()]}::uuid[], ${[...uses.values()]}::timestamptz[]) AS u (id, at)
    JOIN api_keys k ON k.id = u.id
  WHERE k.last_used_at IS NULL OR k.last_used_at < u.at
  ORDER BY k.id FOR NO KEY UPDATE OF k)
UPDATE api_keys k SET last_used_at = used.at FROM used WHERE k.id = used.id`,
  );
}

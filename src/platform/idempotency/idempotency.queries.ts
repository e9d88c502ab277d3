import type { EntityManager } from 'typeorm';
import { literal, query, sql } from '../database/sql';

export interface StoredResponse {
  fingerprint: Buffer;
  /** What the response is rebuilt from; null: `body` is the response itself. */
  kind: string | null;
  /** null: dropped to make room. */
  body: string | null;
  location: string | null;
}

/** Larger responses are limited by their sum; smaller ones by the rate limit. The index uses the same number. */
export const LARGE = 4_096;

/**
 * Takes the advisory lock of a key until the transaction ends, also by a crash.
 * @param lock 64 bits as PostgreSQL writes them
 * @returns false if another transaction holds it: nobody waits
 */
export async function tryLock(tx: EntityManager, lock: string): Promise<boolean> {
  const [row] = await query<[{ taken: boolean }]>(
    tx,
    sql`SELECT pg_try_advisory_xact_lock(${lock}) AS taken`,
  );
  return row.taken;
}

/** The response that was stored for an account's key after `since`. */
export async function findStored(
  database: EntityManager,
  { accountId, key }: { accountId: string; key: string },
  since: Date,
): Promise<StoredResponse | undefined> {
  const [found] = await query<StoredResponse[]>(
    database,
    sql`SELECT fingerprint, kind, body, location FROM idempotent_responses
        WHERE account_id = ${accountId} AND key = ${key} AND created_at > ${since}`,
  );
  return found;
}

/** Stores a response. Any existing row is older than a day: no younger one was found under the lock. */
export async function store(
  tx: EntityManager,
  { accountId, key }: { accountId: string; key: string },
  { fingerprint, body, location, kind }: StoredResponse,
  now: Date,
): Promise<void> {
  await query(
    tx,
    sql`INSERT INTO idempotent_responses (account_id, key, fingerprint, body, location, created_at, kind)
        VALUES (${accountId}, ${key}, ${fingerprint}, ${body}, ${location}, ${now}, ${kind})
        ON CONFLICT ON CONSTRAINT idempotent_responses_pkey DO UPDATE SET
          fingerprint = excluded.fingerprint, body = excluded.body, location = excluded.location,
          created_at = excluded.created_at, kind = excluded.kind`,
  );
}

/**
 * Drops an account's oldest large responses beyond this many bytes. The newest stay: a client that repeats a request
 * does so soon.
 */
export async function dropOldest(
  tx: EntityManager,
  accountId: string,
  bytes: number,
): Promise<void> {
  await query(
    tx,
    sql`UPDATE idempotent_responses a SET body = NULL FROM (
          SELECT key, sum(bytes) OVER (ORDER BY created_at DESC, key) AS total FROM idempotent_responses
          WHERE account_id = ${accountId} AND bytes > ${literal(LARGE)}) AS large
        WHERE a.account_id = ${accountId} AND a.key = large.key AND large.total > ${bytes}`,
  );
}

/** @returns how many were deleted */
export async function deleteExpired(
  database: EntityManager,
  before: Date,
  limit: number,
): Promise<number> {
  const [, count] = await query<[unknown, number]>(
    database,
    sql`DELETE FROM idempotent_responses WHERE (account_id, key) IN (
          SELECT account_id, key FROM idempotent_responses WHERE created_at <= ${before}
          ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
  );
  return count;
}

/** Forgets the stored responses of an account. */
export async function forgetResponses(tx: EntityManager, accountId: string): Promise<void> {
  await query(tx, sql`DELETE FROM idempotent_responses WHERE account_id = ${accountId}`);
}

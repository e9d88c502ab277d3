import type { EntityManager } from 'typeorm';
import { query, type Sql, sql } from '../../platform/database/sql';

/** A token that was given no question yet. */
export async function insertToken(database: EntityManager, key: string, ends: Date): Promise<void> {
  await query(
    database,
    sql`INSERT INTO attempt_limits (key, attempts, ends_at, given) VALUES (${key}, 0, ${ends}, '{}')`,
  );
}

/**
 * Locks a token until the end of the transaction: concurrent requests with it run one after the other.
 * @returns how many questions it was given; undefined if it is unknown or has expired
 */
export async function lockToken(
  tx: EntityManager,
  key: string,
  now: Date,
): Promise<number | undefined> {
  const [row] = await query<{ attempts: number }[]>(
    tx,
    sql`SELECT attempts FROM attempt_limits
        WHERE key = ${key} AND ends_at > ${now} AND given IS NOT NULL FOR UPDATE`,
  );
  return row?.attempts;
}

/** The ids of the questions that a token was given. */
export const givenUnder = (key: string): Sql =>
  sql`SELECT unnest(given) AS id FROM attempt_limits WHERE key = ${key}`;

export async function addGiven(
  tx: EntityManager,
  key: string,
  ids: readonly string[],
  ends: Date,
): Promise<void> {
  await query(
    tx,
    sql`UPDATE attempt_limits
        SET given = given || ${ids}::uuid[], attempts = attempts + ${ids.length}, ends_at = ${ends} WHERE key = ${key}`,
  );
}

/** @returns whether the token is known and has not expired */
export async function forgetGiven(
  database: EntityManager,
  key: string,
  now: Date,
  ends: Date,
): Promise<boolean> {
  const [, found] = await query<[unknown, number]>(
    database,
    sql`UPDATE attempt_limits SET given = '{}', attempts = 0, ends_at = ${ends}
        WHERE key = ${key} AND ends_at > ${now} AND given IS NOT NULL`,
  );
  return found > 0;
}

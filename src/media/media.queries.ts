import type { DataSource, EntityManager } from 'typeorm';
import { literal, query, queryPrepared, sql } from '../platform/database/sql';
import type { ImageType } from './images/image';

/** The metadata with which a picture is sent. */
export interface StoredPicture {
  id: string;
  type: ImageType;
  bytes: number;
  sha256: Buffer;
}

export async function findPicture(
  database: DataSource | EntityManager,
  id: string,
): Promise<StoredPicture | undefined> {
  const [row] = await queryPrepared<StoredPicture[]>(
    database,
    sql`SELECT id, type, bytes, sha256 FROM media
        WHERE id = ${id} AND NOT EXISTS (SELECT FROM accounts WHERE id = account_id AND disabled_at IS NOT NULL)`,
  );
  return row;
}

/** Some bytes of a picture; none of one that was deleted. @param from the first byte is 0 */
export async function findContent(
  database: DataSource | EntityManager,
  { id, from, count }: { id: string; from: number; count: number },
): Promise<Buffer> {
  const [row] = await queryPrepared<{ part: Buffer }[]>(
    database,
    sql`SELECT substring(content FROM ${from + 1}::integer FOR ${count}::integer) AS part FROM media WHERE id = ${id}`,
  );
  return row?.part ?? Buffer.alloc(0);
}

/**
 * Pictures up to `bytes` bytes in total; the rest are left out, those that take the most first.
 * @param times by id, how often each is written: a picture counts each time
 */
export const findSmallest = (
  database: DataSource | EntityManager,
  times: ReadonlyMap<string, number>,
  bytes: number,
): Promise<Pick<StoredPicture, 'id' | 'type' | 'bytes'>[]> =>
  query(
    database,
    sql`SELECT id, type, bytes FROM (
          SELECT id, type, bytes, sum(bytes * times) OVER (ORDER BY bytes * times, id) AS until
          FROM unnest(${[...times.keys()]}::uuid[], ${[...times.values()]}::bigint[]) AS n (id, times) JOIN media USING (id)) AS m
        WHERE until <= ${bytes}`,
  );

/** Copies these pictures into an account that has none of them. */
export async function copyPictures(
  tx: EntityManager,
  accountId: string,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  await query(
    tx,
    sql`INSERT INTO media (id, account_id, sha256, type, width, height, bytes, content, created_at, unused_since)
        SELECT gen_random_uuid(), ${accountId}, sha256, type, width, height, bytes, content, ${now}::timestamptz, ${now}::timestamptz
        FROM media WHERE id = ANY (${ids}::uuid[])`,
  );
}

/** The bytes that a picture counts for besides its content: the trigger `media_bytes` adds the same. */
export const PICTURE_OVERHEAD = 200;

/** The bytes that the pictures of the account a count towards its plan. */
export const PICTURE_BYTES = sql`coalesce((SELECT sum(m.bytes + ${literal(PICTURE_OVERHEAD)}) FROM media m WHERE m.account_id = a.id), 0)`;

/** Whether a question shows the picture m. */
const IN_QUESTION = sql`EXISTS (SELECT FROM questions q WHERE q.media @> ARRAY[m.id])`;

/**
 * Whether no question, attempt, result or review shows the picture m. Each part is an anti-join by the index; as
 * `NOT (… OR …)` PostgreSQL may read a whole table for each picture.
 */
const NOT_SHOWN = sql`NOT ${IN_QUESTION}
  AND NOT EXISTS (SELECT FROM quiz_snapshots s WHERE s.media @> ARRAY[m.id])
  AND NOT EXISTS (SELECT FROM approved_versions v WHERE v.media @> ARRAY[m.id])`;

/** Sets `unused_since` of pictures that no question shows any more, and clears it for those that one shows again. */
export async function noteUnused(database: EntityManager, now: Date): Promise<void> {
  await query(
    database,
    sql`UPDATE media m SET unused_since = ${now} WHERE unused_since IS NULL AND NOT ${IN_QUESTION}`,
  );
  await query(
    database,
    sql`UPDATE media m SET unused_since = NULL WHERE unused_since IS NOT NULL AND ${IN_QUESTION}`,
  );
}

/** Accounts with pictures that `deleteUnused` would delete. */
export async function findUnused(database: EntityManager, since: Date): Promise<string[]> {
  const rows = await query<{ id: string }[]>(
    database,
    sql`SELECT DISTINCT account_id AS id FROM media m WHERE unused_since < ${since} AND ${NOT_SHOWN} ORDER BY 1`,
  );
  return rows.map(({ id }) => id);
}

/**
 * Deletes pictures that no question has shown since a time, and nothing else shows, in an account that the caller has
 * locked: a question that is being saved shows them only before or after.
 */
export async function deleteUnused(
  tx: EntityManager,
  accountId: string,
  since: Date,
): Promise<void> {
  await query(
    tx,
    sql`DELETE FROM media m WHERE account_id = ${accountId} AND unused_since < ${since} AND ${NOT_SHOWN}`,
  );
}

/**
 * Deletes pictures of an account. Whether one is shown is looked up: `unused_since` may be older than its use.
 * @param quizzes `keep`: those that are shown stay, also by earlier results and by the review
 * @returns how many
 */
export async function deletePicturesOf(
  tx: EntityManager,
  accountId: string,
  quizzes: 'keep' | 'delete',
  limit: number,
): Promise<number> {
  const unused = quizzes === 'keep' ? sql` AND ${NOT_SHOWN}` : sql``;
  const [, count] = await query<[object[], number]>(
    tx,
    sql`DELETE FROM media WHERE id IN (
          SELECT m.id FROM media m WHERE m.account_id = ${accountId}${unused} ORDER BY m.id LIMIT ${limit})`,
  );
  return count;
}

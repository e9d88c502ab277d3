import type { EntityManager } from 'typeorm';
import { query, sql } from '../platform/database/sql';
import type { ImageType } from './images/image';

/**
 * Pictures in the archive of an account. There they are named after their content, in the form of an id: half of its SHA-256.
 */
const PICTURE_NAME = sql`left(encode(sha256, 'hex'), 32)::uuid`;

/** Whether the database has pictures at all: a backup is also made of one that an earlier version left. */
export async function hasMediaTable(database: EntityManager): Promise<boolean> {
  const [row] = await query<[{ has: boolean }]>(
    database,
    sql`SELECT to_regclass('media') IS NOT NULL AS has`,
  );
  return row.has;
}

/** The name of each of these pictures of the account, by id. */
export async function findPictureNames(
  database: EntityManager,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await query<{ id: string; name: string }[]>(
    database,
    sql`SELECT id, ${PICTURE_NAME} AS name FROM media WHERE account_id = ${accountId} AND id = ANY (${ids}::uuid[])`,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The id of each of the account's pictures with these names, by name: a range of its index for each name. */
export async function findPictureIds(
  database: EntityManager,
  accountId: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  const rows = await query<{ id: string; name: string }[]>(
    database,
    sql`SELECT m.id, n.name FROM unnest(${names}::uuid[]) AS n (name)
        JOIN media m ON m.account_id = ${accountId}
          AND m.sha256 BETWEEN decode(replace(n.name::text, '-', ''), 'hex')
            AND decode(rpad(replace(n.name::text, '-', ''), 64, 'f'), 'hex')`,
  );
  return new Map(rows.map(({ id, name }) => [name, id]));
}

export interface ArchivedPicture {
  name: string;
  sha256: Buffer;
  type: ImageType;
  content: Buffer;
}

/** The account's next picture, by its content. */
export async function findNextPicture(
  database: EntityManager,
  accountId: string,
  after: Buffer,
): Promise<ArchivedPicture | null> {
  const [row] = await query<ArchivedPicture[]>(
    database,
    sql`SELECT ${PICTURE_NAME} AS name, sha256, type, content FROM media
        WHERE account_id = ${accountId} AND sha256 > ${after} ORDER BY sha256 LIMIT 1`,
  );
  return row ?? null;
}

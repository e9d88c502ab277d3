import type { DataSource, EntityManager } from 'typeorm';
import { queryPrepared, sql } from '../platform/database/sql';
import type { ImageType } from './images/image';

/** A picture as it is sent. */
export interface StoredPicture {
  type: ImageType;
  content: Buffer;
  sha256: Buffer;
}

export async function findPicture(
  database: DataSource | EntityManager,
  id: string,
): Promise<StoredPicture | undefined> {
  const [row] = await queryPrepared<StoredPicture[]>(
    database,
    sql`SELECT type, content, sha256 FROM media
        WHERE id = ${id} AND NOT EXISTS (SELECT FROM accounts WHERE id = account_id AND disabled_at IS NOT NULL)`,
  );
  return row;
}

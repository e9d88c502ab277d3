import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { EntityManager } from 'typeorm';
import { findAccounts } from '../../access/accounts/account-list.queries';
import { writeArchive } from './archive.writer';

export interface WrittenArchive {
  accountId: string;
  email: string;
  file: string;
}

/**
 * Writes the archive of every account into a folder, which may exist. It reads also the schema of earlier versions.
 * @returns the files, in the order of the accounts
 */
export async function writeArchives(
  database: EntityManager,
  folder: string,
): Promise<WrittenArchive[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const written: WrittenArchive[] = [];
  for (const { id, email } of await findAccounts(database)) {
    // Two addresses may become the same name; ids never do.
    const file = join(
      folder,
      `${email.replace(/[^\w.@+-]/g, '_').slice(0, 100)}-${id.slice(-12)}.zip`,
    );
    await pipeline(
      Readable.from(writeArchive(database, id)),
      createWriteStream(file, { mode: 0o600 }),
    );
    written.push({ accountId: id, email, file });
  }
  return written;
}

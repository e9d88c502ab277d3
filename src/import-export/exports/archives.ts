import { join } from 'node:path';
import type { EntityManager } from 'typeorm';
import { makeFolder } from '#embedded-postgres';
import { findAccounts } from '../../access/accounts/account-list.queries';
import { writeWhole } from '../../platform/whole-file';
import { writeArchive } from './archive.writer';

export interface WrittenArchive {
  accountId: string;
  email: string;
  file: string;
}

/**
 * Writes an archive of every account into a folder, which is created if needed. It can also read the schema of earlier
 * versions. An archive that is not complete has the ending `.part`.
 * @returns the files, in the order of the accounts
 */
export async function writeArchives(
  database: EntityManager,
  folder: string,
): Promise<WrittenArchive[]> {
  makeFolder(folder, 0o700);
  const written: WrittenArchive[] = [];
  for (const { id, email } of await findAccounts(database)) {
    // Two addresses may become the same name; ids never do.
    const file = join(
      folder,
      `${email.replace(/[^\w.@+-]/g, '_').slice(0, 100)}-${id.slice(-12)}.zip`,
    );
    await writeWhole(file, writeArchive(database, id), 0o600);
    written.push({ accountId: id, email, file });
  }
  return written;
}

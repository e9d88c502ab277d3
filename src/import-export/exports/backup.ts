import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { LIMITS } from '../../platform/limits/limits';
import { writeArchives } from './archives';

const FOLDER = 'backups';
/** Until it is complete. */
const UNFINISHED = '.part';

/**
 * Backs up an embedded database before a newer version changes its schema: an archive of each account, in a folder of
 * DATA_DIR. The last few are kept. It has no passwords and keys: a copy of DATA_DIR, made while nothing runs, has them.
 * @param tell called with what was done, or why it could not be; the start goes on either way
 */
export async function backUp(
  url: string,
  dataDir: string,
  tell: (message: string) => void,
  now = new Date(),
): Promise<void> {
  const name = now.toISOString().replace(/[:.]/g, '-');
  const folder = join(dataDir, FOLDER, name);
  const database = new DataSource({ type: 'postgres', url, applicationName: 'quiz-backup' });
  try {
    await database.initialize();
    const archives = await writeArchives(database.manager, folder + UNFINISHED);
    await rename(folder + UNFINISHED, folder);
    tell(
      `This version changes the schema of the database: everything of ${archives.length === 1 ? '1 account' : `${archives.length} accounts`} was written to ${folder} before, as files for quizctl import.`,
    );
    const parent = join(dataDir, FOLDER);
    await keepLast(parent).catch((error: unknown) =>
      tell(`Older backups in ${parent} could not be deleted: ${reasonOf(error)}.`),
    );
  } catch (error) {
    tell(
      `This version changes the schema of the database, and the backup in ${folder} failed before: ${reasonOf(error)}. The start goes on.`,
    );
    await rm(folder + UNFINISHED, { recursive: true, force: true }).catch(() => undefined);
  } finally {
    if (database.isInitialized) await database.destroy();
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Deletes older backups, and what was left behind by a kill. */
async function keepLast(parent: string): Promise<void> {
  const all = (await readdir(parent)).filter((name) => /^\d{4}-\d\d-\d\dT/.test(name)).sort();
  const whole = all.filter((name) => !name.endsWith(UNFINISHED));
  const kept = new Set(whole.slice(-LIMITS.storage.backups.value));
  for (const name of all)
    if (!kept.has(name)) await rm(join(parent, name), { recursive: true, force: true });
}

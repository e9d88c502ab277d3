import { backUp } from '../import-export/exports/backup';
import { configFromEnvironment } from '../platform/config/config';
import { openDatabase } from '../platform/database/open-database';
import { migrateQueue } from '../platform/queue/migrate-queue';
import type { Output } from './output';

/** @param wait how many seconds for the database */
export async function migrate(output: Output, wait: number): Promise<void> {
  const config = configFromEnvironment('migration');
  const database = await openDatabase(config, {
    patience: wait * 1_000,
    onRetry: (reason) => output.note(`Waiting for the database: ${reason}`),
    backUp: (url) => backUp(url, config.dataDir, (message) => output.note(message)),
  });
  try {
    if (!config.redisUrl) await migrateQueue(database.url);
    const { migrations } = database;
    output.result(
      { migrations },
      migrations.length === 0
        ? 'The schema is already up to date.'
        : `The schema is up to date. Migrations that were run: ${migrations.join(', ')}`,
    );
  } finally {
    await database.close();
  }
}

import {
  assertSchemaCompatibility,
  LATEST_SCHEMA_VERSION,
  runMigrations,
  SchemaMigrationRequiredError,
} from 'bullmq';
import type { Client } from 'pg';
import { quizctl } from '../config/command-line';
import { connectForMigrations } from '../database/migrate';
import { StartupError } from '../errors/domain-errors';

/**
 * Brings BullMQ's own schema up to date, in a transaction and under a lock of BullMQ's. Only processes that use the
 * queue in PostgreSQL need it, and they need it first: BullMQ's workers do not create it. If it is up to date it only
 * reads, because a role that cannot change the schema may not even execute CREATE … IF NOT EXISTS.
 * @throws StartupError if this role may not change it
 */
export async function migrateQueue(url: string): Promise<void> {
  const client = await connectForMigrations(url);
  try {
    if ((await versionOf(client)) < LATEST_SCHEMA_VERSION) await runMigrations(client);
  } catch (error) {
    if ((error as { code?: string }).code !== PERMISSION_DENIED) throw error;
    throw new StartupError(
      `The schema bullmq of the queue is missing or older than this version needs, and this role may not change it: run ${quizctl('migrate')} without REDIS_URL, then ops/runtime-role.sql, as the role that owns the database, then start again.`,
      { cause: error },
    );
  } finally {
    await client.end();
  }
}

/** PostgreSQL's code. */
const PERMISSION_DENIED = '42501';

const versionOf = (client: Client): Promise<number> =>
  assertSchemaCompatibility(client).catch((error: unknown) => {
    if (error instanceof SchemaMigrationRequiredError) return 0;
    throw error;
  });

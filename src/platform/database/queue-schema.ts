import {
  assertSchemaCompatibility,
  LATEST_SCHEMA_VERSION,
  runMigrations,
  SchemaMigrationRequiredError,
} from 'bullmq';
import type { Client } from 'pg';
import { connectForMigrations } from './migrate';

/**
 * Brings BullMQ's own schema up to date, in a transaction and under a lock of BullMQ's. Only processes that use the
 * queue in PostgreSQL need it, and they need it first: BullMQ's workers do not create it themselves. Where it is up to
 * date only a read is made, since a role that cannot change the schema may not even say CREATE … IF NOT EXISTS.
 */
export async function migrateQueue(url: string): Promise<void> {
  const client = await connectForMigrations(url);
  try {
    if ((await versionOf(client)) < LATEST_SCHEMA_VERSION) await runMigrations(client);
  } finally {
    await client.end();
  }
}

const versionOf = (client: Client): Promise<number> =>
  assertSchemaCompatibility(client).catch((error: unknown) => {
    if (error instanceof SchemaMigrationRequiredError) return 0;
    throw error;
  });

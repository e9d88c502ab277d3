import { runMigrations } from 'bullmq';
import { Client } from 'pg';
import { MIGRATION_LOCK } from './migrate';

/**
 * Brings BullMQ's own schema up to date, under the same lock as ours. Only processes that work the queue
 * in PostgreSQL need it, and they need it first: BullMQ's workers do not make it themselves.
 */
export async function migrateQueue(url: string): Promise<void> {
  const client = new Client({
    connectionString: url,
    application_name: 'quiz-migrate',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await runMigrations(client);
  } finally {
    await client.end();
  }
}

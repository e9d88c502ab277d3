import { runMigrations } from 'bullmq';
import { Client } from 'pg';

/**
 * Brings BullMQ's own schema up to date, in a transaction and under a lock of BullMQ's. Only processes that work the
 * queue in PostgreSQL need it, and they need it first: BullMQ's workers do not make it themselves.
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
    await runMigrations(client);
  } finally {
    await client.end();
  }
}

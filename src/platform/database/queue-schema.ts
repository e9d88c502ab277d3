import { runMigrations } from 'bullmq';
import { connectForMigrations } from './migrate';

/**
 * Brings BullMQ's own schema up to date, in a transaction and under a lock of BullMQ's. Only processes that work the
 * queue in PostgreSQL need it, and they need it first: BullMQ's workers do not make it themselves.
 */
export async function migrateQueue(url: string): Promise<void> {
  const client = await connectForMigrations(url);
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}

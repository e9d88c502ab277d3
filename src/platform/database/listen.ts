import type { DataSource } from 'typeorm';
import { DeadlineClient } from './deadline-client';

/**
 * Opens a connection that PostgreSQL notifies at commits. One that is silent may be broken: ask it from time to time.
 * @param name what PostgreSQL lists the connection as
 * @param responseWithin milliseconds until it is closed because a statement got no response
 * @returns null if the database's URL is a pooler's (`reach.ts`), which lends a server connection for one transaction:
 *   notifications would get lost
 */
export async function listen(
  { options }: DataSource,
  name: string,
  channel: string,
  responseWithin: number,
  onNotification: (payload: string) => void,
): Promise<DeadlineClient | null> {
  const client = new DeadlineClient({
    connectionString: (options as { url: string }).url,
    application_name: name,
    connectionTimeoutMillis: 2_000,
    responseWithin,
  });
  client.on('notification', ({ payload }) => onNotification(payload ?? ''));
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    if (rows[0]?.pid !== (client as unknown as { processID: number }).processID) {
      await client.end();
      return null;
    }
    await client.query(`LISTEN ${channel}`);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

import { stat } from 'node:fs/promises';
import { Client } from 'pg';
import { DATABASE_NAME, type Layout, readPassword } from './data-directory';

/** The URL of the service's database. */
export async function urlOf(layout: Layout, port: number): Promise<string> {
  const password = await readPassword(layout);
  return `postgres://${DATABASE_NAME}:${password}@127.0.0.1:${port}/${DATABASE_NAME}`;
}

/** Creates the service's database if there is none: a kill may have come between initdb and this. */
export async function ensureDatabase(layout: Layout, port: number): Promise<void> {
  await withClient(layout, port, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [
      DATABASE_NAME,
    ]);
    if (rowCount === 0) await client.query(`create database ${DATABASE_NAME}`);
  });
}

/** Whether the server on this port works on our data directory, and not on a copy. */
export async function servesLayout(layout: Layout, port: number): Promise<boolean> {
  try {
    const path = await withClient(layout, port, async (client) => {
      const { rows } = await client.query<{ path: string }>(
        `select current_setting('data_directory') as path`,
      );
      return rows[0]!.path;
    });
    const [theirs, ours] = await Promise.all([stat(path), stat(layout.cluster)]);
    return theirs.ino === ours.ino && theirs.dev === ours.dev;
  } catch {
    return false;
  }
}

async function withClient<T>(
  layout: Layout,
  port: number,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: DATABASE_NAME,
    password: await readPassword(layout),
    database: 'postgres',
    connectionTimeoutMillis: 5_000,
  });
  // A server that stops is no error here; without a listener it would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

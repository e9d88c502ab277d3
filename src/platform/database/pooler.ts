import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';

/**
 * Whether a pooler stands in between that lends a server connection for one transaction at a time and knows nothing of
 * prepared statements (PgBouncer before 1.21): those of one client then meet those of another.
 * @param client a connection that is not used otherwise
 * @param connect opens another one beside it
 */
export async function losesPreparedStatements(
  client: Client,
  connect: () => Promise<Client>,
): Promise<boolean> {
  const backend = await backendOf(client);
  // A server tells its own process id when it is connected to, a pooler any number.
  if ((client as unknown as { processID: number }).processID === backend) return false;
  const name = `probe_${randomBytes(6).toString('hex')}`;
  await client.query('BEGIN');
  await client.query({ name, text: 'SELECT 1' });
  const { rowCount } = await client.query('SELECT FROM pg_prepared_statements WHERE name = $1', [
    name,
  ]);
  if (rowCount) await client.query(`DEALLOCATE ${name}`);
  await client.query('COMMIT');
  // One that knows them gives them names of its own.
  if (!rowCount) return false;
  const other = await connect();
  try {
    // Of two clients on one server connection, none can keep anything there.
    return (await backendOf(other)) === (await backendOf(client));
  } finally {
    await other.end();
  }
}

async function backendOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

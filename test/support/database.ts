import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.toString();
}

async function onServer(server: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

export function createDatabase(server: string, name: string, template?: string): Promise<void> {
  return onServer(server, async (client) => {
    const { rows } = await client.query<{ isOld: boolean }>(
      `SELECT current_setting('server_version_num')::int < 150000 AS "isOld"`,
    );
    // The default since PostgreSQL 15 writes each page of the template into the log: seven times the CPU time.
    const strategy = rows[0]?.isOld ? '' : ' STRATEGY FILE_COPY';
    const copy = template ? ` TEMPLATE "${template}"${strategy}` : '';
    await client.query(`CREATE DATABASE "${name}"${copy}`);
  });
}

function dropDatabase(server: string, name: string): Promise<void> {
  return onServer(server, (client) =>
    client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`),
  );
}

export interface TestDatabase {
  url: string;
  drop: () => Promise<void>;
}

/** Begins as all names of the run do, so that the run can remove what is left of it. */
const newName = () => `${process.env.TEST_DATABASE_PREFIX}_${randomBytes(6).toString('hex')}`;

/** A migrated database of this test file's own. */
export async function cloneDatabase(): Promise<TestDatabase> {
  const server = process.env.TEST_SERVER_URL ?? '';
  const name = newName();
  await createDatabase(server, name, process.env.TEST_TEMPLATE);
  return { url: urlOf(server, name), drop: () => dropDatabase(server, name) };
}

/** An empty database, without the schema. */
export async function emptyDatabase(): Promise<TestDatabase> {
  const server = process.env.TEST_SERVER_URL ?? '';
  const name = newName();
  await createDatabase(server, name);
  return { url: urlOf(server, name), drop: () => dropDatabase(server, name) };
}

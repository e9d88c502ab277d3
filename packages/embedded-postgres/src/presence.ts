import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { DATABASE_NAME, type Layout } from './layout';

/** Name of the connection every user of the server keeps open. */
const PRESENCE = 'quiz-embedded-presence';
/** Name of the connection that asks whether anybody else is there. */
const RELEASE = 'quiz-embedded-release';

/** Connections of a process that ends this instant are given so many looks, 50 ms apart. */
const LOOKS = 4;

/** The URL of the service's database. */
export function urlFor(port: number, password: string): string {
  return `postgres://${DATABASE_NAME}:${password}@127.0.0.1:${port}/${DATABASE_NAME}`;
}

/**
 * Connects, and stays connected for as long as this process uses the server: the system closes
 * the connection when the process ends, however it ends, so counting connections counts users.
 * It is to the database "postgres", where it is in nobody's way, and keeps no process alive.
 */
export async function openPresence(port: number, password: string, until: number): Promise<Client> {
  for (;;) {
    try {
      const client = await connect(port, password, PRESENCE);
      await createDatabase(client);
      // Missing in @types/pg.
      (client as Client & { unref(): void }).unref();
      return client;
    } catch (error) {
      // 57P03: it recovers from a crash of one of its processes and will be back.
      if ((error as { code?: string }).code !== '57P03' || Date.now() >= until) throw error;
      await sleep(100);
    }
  }
}

/** Whether the server behind the connection works on our data directory and not on a copy. */
export async function isOurs(client: Client, layout: Layout): Promise<boolean> {
  const { rows } = await client.query<{ path: string }>(
    `select current_setting('data_directory') as path`,
  );
  const [theirs, ours] = await Promise.all([
    stat(rows[0]!.path).catch(() => undefined),
    stat(layout.cluster),
  ]);
  return theirs?.ino === ours.ino && theirs.dev === ours.dev;
}

/** Whether no connection is left; false when the server does not answer, as one that has stopped. */
export async function isDeserted(port: number, password: string): Promise<boolean> {
  let client: Client;
  try {
    client = await connect(port, password, RELEASE);
  } catch {
    return false;
  }
  try {
    for (let look = 1; look <= LOOKS; look++) {
      if ((await countOthers(client)) === 0) return true;
      if (look < LOOKS) await sleep(50);
    }
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function countOthers(client: Client): Promise<number> {
  // Others who are asking the same question do not count: of two that leave, both may stop it.
  const { rows } = await client.query<{ others: number }>(
    `select count(*)::int as others from pg_stat_activity
      where backend_type = 'client backend'
        and pid <> pg_backend_pid()
        and application_name <> $1`,
    [RELEASE],
  );
  return rows[0]!.others;
}

async function connect(port: number, password: string, name: string): Promise<Client> {
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: DATABASE_NAME,
    password,
    database: 'postgres',
    application_name: name,
    connectionTimeoutMillis: 5_000,
  });
  // A server that stops is no error here; without a listener it would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

/** At every start, for a kill may have come between initdb and this. */
async function createDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [
    DATABASE_NAME,
  ]);
  if (rowCount === 0) await client.query(`create database ${DATABASE_NAME}`);
}

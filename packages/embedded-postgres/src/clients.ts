import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { DATABASE_NAME, type Layout } from './data-directory';

/** Name of the connection that every user of the server keeps open. */
const REGISTRATION = 'quiz-embedded-client';
/** Name of the connection that asks whether anybody else is there. */
const RELEASE = 'quiz-embedded-release';

/** How often it is asked, 50 ms apart: connections of a process that has just ended take a moment to go. */
const LOOKS = 4;

/** The URL of the service's database. */
export function urlFor(port: number, password: string): string {
  return `postgres://${DATABASE_NAME}:${password}@127.0.0.1:${port}/${DATABASE_NAME}`;
}

/**
 * Connects, and stays connected for as long as this process uses the server: the system closes
 * the connection when the process ends, however it ends, so counting connections counts users.
 * It is to the database "postgres", where it blocks nothing, and keeps no process alive.
 */
export async function register(port: number, password: string, until: number): Promise<Client> {
  for (;;) {
    try {
      const client = await connect(port, password, REGISTRATION);
      // At every start, since a kill may have come between initdb and this.
      const { rowCount } = await client.query('select from pg_database where datname = $1', [
        DATABASE_NAME,
      ]);
      if (rowCount === 0) await client.query(`create database ${DATABASE_NAME}`);
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

/** Whether no connection is left; false when the server does not respond, as one that has stopped. */
export async function hasNoClients(port: number, password: string): Promise<boolean> {
  let client: Client;
  try {
    client = await connect(port, password, RELEASE);
  } catch {
    return false;
  }
  try {
    for (let look = 1; look <= LOOKS; look++) {
      // Others that are asking the same question do not count: of two that leave, both may stop it.
      const { rowCount } = await client.query(
        `select from pg_stat_activity
          where backend_type = 'client backend' and pid <> pg_backend_pid() and application_name <> $1`,
        [RELEASE],
      );
      if (rowCount === 0) return true;
      if (look < LOOKS) await sleep(50);
    }
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
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

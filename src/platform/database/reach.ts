import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, DatabaseError } from 'pg';
import { StartupError } from '../errors/domain-errors';
import { DeadlineClient, SESSION } from './deadline-client';

/** A database that did not respond in time, or refused the connection: one line that says what to do. */
export class DatabaseUnreachable extends StartupError {}

const TOO_MANY_CONNECTIONS = '53300';
/** PostgreSQL's codes for "try again soon": it is starting, stopping, or full. */
const TRANSIENT = new Set(['57P01', '57P02', '57P03', TOO_MANY_CONNECTIONS]);

/** How often a start asks for each further connection to a database that it has reached, for 5 seconds each time. */
export const CONNECT_TRIES = 3;

/** How to wait for a database that does not respond yet. */
export interface Waiting {
  /** How long to keep trying, in milliseconds; default: 30 seconds. */
  patience?: number;
  /** Called when waiting begins, and again when the reason changes. */
  onRetry?: (reason: string) => void;
  /** Ends the waiting with an error. */
  signal?: AbortSignal;
}

/**
 * Waits until the database responds, retrying while it starts.
 * @throws DatabaseUnreachable; at once if retrying cannot help (wrong password, no such database)
 */
export async function reachDatabase(
  url: string,
  { patience = 30_000, onRetry = () => undefined, signal }: Waiting = {},
): Promise<void> {
  const deadline = Date.now() + patience;
  let reported: string | undefined;
  for (let pause = 250; ; pause = Math.min(pause * 2, 3_000)) {
    const client = newClient(url, patience);
    try {
      await client.connect();
      const { rows } = await client.query<{ version: number }>(
        `SELECT current_setting('server_version_num')::int AS version`,
      );
      const version = rows[0]?.version ?? 0;
      if (version < 140_000)
        throw new DatabaseUnreachable(
          `The PostgreSQL server is version ${Math.floor(version / 10_000)}; version 14 or newer is needed.`,
        );
      if (await losesPreparedStatements(client, newClient(url, patience)))
        throw new DatabaseUnreachable(
          `The pooler at ${place(url)} pools connections per transaction and does not support prepared statements. ` +
            'Use PgBouncer 1.21 or newer with max_prepared_statements = 200, or pool_mode = session: see docs/scaling.md.',
        );
      return;
    } catch (error) {
      if (error instanceof DatabaseUnreachable) throw error;
      const reason = reasonOf(error);
      if (/unsupported startup parameter/.test(reason))
        throw new DatabaseUnreachable(
          `The pooler at ${place(url)} refuses a setting of this service (${reason}). Let it ignore the settings ` +
            '(PgBouncer: ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,options) ' +
            'and give them to the role by ALTER ROLE: see docs/scaling.md.',
        );
      const isPermanent = error instanceof DatabaseError && !TRANSIENT.has(error.code ?? '');
      if (isPermanent || Date.now() + pause > deadline)
        throw new DatabaseUnreachable(
          `The database at ${place(url)} cannot be used (${reason}). ${adviceFor(error)}`,
        );
      if (reason !== reported) onRetry((reported = reason));
      await sleep(pause, undefined, { signal });
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** @throws DatabaseUnreachable if it cannot read a file that the URL names, such as `sslrootcert` */
function newClient(url: string, patience: number): DeadlineClient {
  const options = {
    connectionString: url,
    ...SESSION,
    responseWithin: 5_000,
    connectionTimeoutMillis: Math.min(5_000, Math.max(1_000, patience)),
  };
  try {
    return new DeadlineClient(options).on('error', () => undefined);
  } catch (error) {
    throw new DatabaseUnreachable(
      `The database at ${place(url)} cannot be used (${reasonOf(error)}). Check the parameters of DATABASE_URL.`,
    );
  }
}

/** A host with several addresses (localhost has two) fails with one error for each and no message of its own. */
function reasonOf(error: unknown): string {
  const { errors, message } = error as { errors?: unknown[]; message?: string };
  return errors ? errors.map(reasonOf).join(', ') : (message ?? String(error));
}

function adviceFor(error: unknown): string {
  return (error as { code?: string }).code === TOO_MANY_CONNECTIONS
    ? 'Raise max_connections, or run fewer processes: see docs/scaling.md.'
    : 'Check DATABASE_URL, and that the server runs.';
}

/** Host and database of a URL, without its password. */
function place(url: string): string {
  const { host, pathname } = new URL(url);
  return host + pathname;
}

/**
 * Whether there is a pooler that lends a server connection for one transaction at a time and does not track prepared
 * statements (PgBouncer before 1.21): one client's statements then meet another's.
 * @param client a connection that is not used otherwise
 * @param other a client that is not connected yet
 */
async function losesPreparedStatements(client: Client, other: Client): Promise<boolean> {
  const backend = await backendOf(client);
  // A server sends its own process id when a client connects; a pooler sends an arbitrary number.
  if ((client as unknown as { processID: number }).processID === backend) return false;
  const name = `probe_${randomBytes(6).toString('hex')}`;
  await client.query('BEGIN');
  await client.query({ name, text: 'SELECT 1' });
  const { rowCount } = await client.query('SELECT FROM pg_prepared_statements WHERE name = $1', [
    name,
  ]);
  if (rowCount) await client.query(`DEALLOCATE ${client.escapeIdentifier(name)}`);
  await client.query('COMMIT');
  // A pooler that tracks prepared statements gives them names of its own.
  if (!rowCount) return false;
  try {
    await other.connect();
    // If two clients share one server connection, neither can keep state there.
    return (await backendOf(other)) === (await backendOf(client));
  } finally {
    await other.end();
  }
}

async function backendOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

import type { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';

/** The session settings of each connection. A pooler may refuse them (docs/scaling.md). */
export const SESSION = {
  statement_timeout: 15_000,
  // A process that stops responding within a transaction blocks its rows for at most this long.
  idle_in_transaction_session_timeout: 10_000,
  // The default of 4 is for spinning disks: with it PostgreSQL reads all questions for a rare tag.
  options: '-c random_page_cost=1.1',
};

/** Milliseconds. Longer than the server's `statement_timeout`, whose error says more. */
const RESPONSE_WITHIN = 17_000;

/**
 * A connection that is destroyed when a statement gets no response in time. The server's own timeouts do not help
 * when packets are dropped silently (a firewall that forgot the connection, a failover that moved the address): the
 * kernel gives up after about 16 minutes. pg's `query_timeout` is no alternative: it rejects the statement and leaves
 * the connection in the pool, where the next statement waits behind it.
 */
export class DeadlineClient extends Client {
  /** Keeps no process alive: a statement on a connection that has ended fails without it. */
  private timer: NodeJS.Timeout | undefined;
  private isLifted = false;

  /** @param config `responseWithin` in milliseconds, 17 s when absent */
  constructor(config: ClientConfig & { responseWithin?: number } = {}) {
    super({ keepAlive: true, keepAliveInitialDelayMillis: 5_000, ...config });
    const within = config.responseWithin ?? RESPONSE_WITHIN;
    const expire = () => {
      const error = new Error(`PostgreSQL did not respond within ${within} ms`);
      (this.connection as unknown as { stream: Socket }).stream.destroy(error);
    };
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    this.query = ((...args: unknown[]) => {
      clearTimeout(this.timer);
      if (!this.isLifted) this.timer = setTimeout(expire, within).unref();
      // Only now, so that COMMIT itself has no deadline: it runs the deferred triggers of as many rows.
      if (ENDS_TRANSACTION.has(args[0])) this.isLifted = false;
      return query(...args);
    }) as Client['query'];
    this.on('drain', () => clearTimeout(this.timer));
    this.on('end', () => clearTimeout(this.timer));
    // The statement reports the error to its caller; without a listener the process would end.
    this.on('error', () => clearTimeout(this.timer));
  }

  /** Until the transaction ends, its statements may take as long as they need; keep-alive notices a lost connection. */
  liftDeadline(): void {
    this.isLifted = true;
  }
}

/** As TypeORM writes them. */
const ENDS_TRANSACTION = new Set<unknown>(['COMMIT', 'ROLLBACK']);

/**
 * For statements whose number of rows has no limit: until the transaction has ended, PostgreSQL does not cancel them, and
 * their connection does not give up.
 */
export async function liftStatementTimeout(tx: EntityManager): Promise<void> {
  await tx.query('SET LOCAL statement_timeout = 0');
  const client: unknown = await tx.queryRunner?.connect();
  if (client instanceof DeadlineClient) client.liftDeadline();
}

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
    await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

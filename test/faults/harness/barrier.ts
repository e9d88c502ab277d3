import { Client } from 'pg';
import { until } from './until';

/** Where the database makes whoever comes by wait. */
export interface Gate {
  table: 'outbox_events' | 'webhook_deliveries' | 'webhook_attempts';
  on: 'INSERT' | 'UPDATE';
  /** Of the rows that are stopped, for example `NEW.status = 'delivered'`. */
  when?: string;
  /**
   * `statement`: within the statement, whose transaction is then still open. `commit`: when everything has been
   * said and the transaction is about to become true.
   */
  at: 'statement' | 'commit';
}

const KEY = 4_711;

/**
 * Stops a process at an exact point without a word of its code: a trigger makes its statement or its commit wait
 * for a lock that the harness holds.
 */
export class Barrier {
  private client: Client | undefined;
  private gate: Gate | undefined;

  constructor(private readonly url: string) {}

  /** Puts the gate up, closed. */
  async close(gate: Gate): Promise<this> {
    this.client ??= await this.connect();
    this.gate = gate;
    const { table, on, when, at } = gate;
    const kind = at === 'commit' ? 'CONSTRAINT TRIGGER' : 'TRIGGER';
    await this.client.query(`
      SELECT pg_advisory_lock(${KEY});
      CREATE OR REPLACE FUNCTION fault_gate() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_advisory_xact_lock_shared(${KEY}); RETURN NULL; END $$;
      CREATE ${kind} fault_gate AFTER ${on} ON ${table}
        ${at === 'commit' ? 'DEFERRABLE INITIALLY DEFERRED' : ''}
        FOR EACH ROW ${when ? `WHEN (${when})` : ''} EXECUTE FUNCTION fault_gate();`);
    return this;
  }

  /** Waits until so many transactions stand before the gate. */
  async reached(count = 1): Promise<void> {
    await until(
      `${count} transactions at the gate`,
      async () => (await this.waiting()).length >= count,
    );
  }

  /**
   * Ends the sessions that stand before the gate, and those that come meanwhile, as of a worker that is alive: what they
   * were about to do is undone.
   */
  async turnAway(): Promise<void> {
    await until('their end', async () => {
      const waiting = await this.waiting();
      for (const pid of waiting) await this.client?.query('SELECT pg_terminate_backend($1)', [pid]);
      return waiting.length === 0;
    });
    await this.open();
  }

  /** Lets everybody through, and takes the gate away. */
  async open(): Promise<void> {
    if (!this.gate) return;
    const { table } = this.gate;
    this.gate = undefined;
    await this.client?.query(`SELECT pg_advisory_unlock(${KEY})`);
    await this.client?.query(`DROP TRIGGER fault_gate ON ${table}`);
  }

  async end(): Promise<void> {
    await this.client?.end().catch(() => undefined);
  }

  private async waiting(): Promise<number[]> {
    const { rows } = await this.client!.query<{ pid: number }>(
      `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${KEY} AND NOT granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return rows.map(({ pid }) => pid);
  }

  private async connect(): Promise<Client> {
    const client = new Client({ connectionString: this.url });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }
}

import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Client, type QueryResult } from 'pg';
import { DataSource } from 'typeorm';
import { Account } from '../../src/access/accounts/account.entity';
import { RetryingDataSource } from '../../src/platform/database/data-source';
import { SESSION } from '../../src/platform/database/deadline-client';
import { WebhookEndpoint } from '../../src/webhooks/endpoints/endpoint.entity';
import { BEGINNING, currentProcess, real, type SimulatedProcess, type World } from './world';

/** What a process does about a connection that has gone silent (DeadlineClient, ReservedConnection). Milliseconds. */
const DEADLINE = 17_000;
const RESERVED_DEADLINE = 2_000;
const CONNECT_WITHIN = 5_000;

export const ACCOUNTS = [
  '00000000-0000-7000-8000-00000000000a',
  '00000000-0000-7000-8000-00000000000b',
] as const;

interface Statement {
  connection: Connection;
  text: string;
  values: unknown[];
  resolve: (result: QueryResult) => void;
  reject: (error: unknown) => void;
}

interface Running extends Statement {
  session: Client & { processID: number; connection: { stream: Socket } };
  /** Set when PostgreSQL has responded. */
  ended: (() => void) | null;
  done: Promise<void>;
  overdue: boolean;
  failed: boolean;
  /** The backends for which it waits, as PostgreSQL lists them. */
  blockers: string;
}

/** Where the deliveries are. */
export interface Standing {
  /** Something is left to be relayed or delivered. */
  left: boolean;
  unrelayed: boolean;
  leased: boolean;
  /** When the sweep finds something next, in virtual milliseconds; null for never. */
  wake: number | null;
  /** The most that an account has under way in one queue. */
  most: number;
}

/** A connection as a process sees it. The session behind it is one of a few real ones that schedules share. */
class Connection extends EventEmitter {
  session: Running['session'] | null = null;
  inTransaction = false;
  broken = false;
  /** Since the last commit. */
  wrote = false;
  /** Of events, at its next commit. */
  notifies = false;
  idleTimer: object | null = null;

  constructor(
    private readonly database: SimulatedDatabase,
    readonly process: SimulatedProcess | undefined,
    readonly deadline = DEADLINE,
  ) {
    super();
  }

  query(statement: string | { text: string }, values: unknown[] = []): Promise<QueryResult> {
    const text = typeof statement === 'string' ? statement : statement.text;
    return new Promise((resolve, reject) => {
      this.database.send({ connection: this, text, values, resolve, reject });
    });
  }

  /** The process learns that the connection has ended. */
  fail(message: string, statement?: Statement): void {
    this.broken = true;
    this.database.close(this);
    this.process?.deliver(() => {
      const error = new Error(message);
      if (this.listenerCount('error') > 0) this.emit('error', error);
      statement?.reject(error);
    });
  }
}

/**
 * Real PostgreSQL, to which the world sends one statement at a time, in an order that the seed chooses. A statement
 * that waits for a lock stays behind while others go on. Its `now()` is the world's time.
 */
export class SimulatedDatabase {
  world!: World;
  dataSource!: DataSource;
  /** Told of each result that a process gets. */
  onResult: (process: SimulatedProcess, result: QueryResult) => void = () => undefined;
  /** Told of each statement that waits for a lock. */
  onBlocked: (process: SimulatedProcess, text: string) => void = () => undefined;
  /** What processes do when events are committed. */
  readonly listeners = new Map<SimulatedProcess, () => void>();
  private readonly free: Running['session'][] = [];
  private waiting: Statement[] = [];
  private blocked: Running[] = [];
  private closing: Connection[] = [];
  private readonly open = new Set<Connection>();
  private clockIs = -1;
  /** Null once it may have changed. */
  private standing: Standing | null = null;
  private lookedAt = 0;

  private constructor(
    private readonly url: string,
    readonly control: Client,
  ) {}

  static async start(url: string): Promise<SimulatedDatabase> {
    const control = new Client({ connectionString: url });
    await control.connect();
    await control.query(PREPARATION);
    await control.query(PLAN_ONCE);
    const database = new SimulatedDatabase(url, control);
    const pool = class {
      on = () => this;
      connect = (done: Parameters<SimulatedDatabase['connect']>[0]) => database.connect(done);
    };
    database.dataSource = await new RetryingDataSource({
      type: 'postgres',
      url,
      driver: { Pool: pool },
      installExtensions: false,
      entities: [Account, WebhookEndpoint],
    }).initialize();
    return database;
  }

  /** What is left of the schedule before is removed. */
  async reset(world: World): Promise<void> {
    this.world = world;
    this.clockIs = -1;
    this.lookedAt = 0;
    this.standing = null;
    this.listeners.clear();
    // A heartbeat that was sent and not executed would be another living worker in this schedule.
    this.waiting = [];
    for (const connection of [...this.open]) this.close(connection);
    await this.endClosed();
    await this.control.query(
      `TRUNCATE webhook_workers, webhook_attempts, webhook_deliveries, webhook_endpoints, outbox_events, sim.changes`,
    );
  }

  /** Most polls find nothing: those that certainly would are left out, which saves two thirds of a schedule's time. */
  isIdle(task: 'relay' | 'sweep'): boolean {
    if (!this.standing || this.blocked.length > 0) return false;
    const { unrelayed, leased, wake } = this.standing;
    return task === 'relay' ? !unrelayed : !leased && (wake ?? Infinity) > this.world.now;
  }

  async look(): Promise<Standing> {
    this.lookedAt = this.world.now;
    if (this.standing) return this.standing;
    const { rows } = await this.control.query<Standing>(prepared(STANDING, [BEGINNING]));
    return (this.standing = rows[0] as Standing);
  }

  /** A connection beside the pool, for heartbeats. */
  reserved(process: SimulatedProcess) {
    return {
      query: async <Row>(text: string, values?: unknown[]): Promise<Row[]> => {
        if (process.silentUntil > this.world.now)
          await new Promise((resolve) =>
            this.world.after(RESERVED_DEADLINE, () => resolve(0), process),
          );
        const connection = new Connection(this, process, RESERVED_DEADLINE);
        try {
          return (await connection.query(text, values)).rows as Row[];
        } finally {
          this.close(connection);
        }
      },
    };
  }

  send(statement: Statement): void {
    const { connection, text, values, resolve, reject } = statement;
    this.open.add(connection);
    if (connection.process) this.waiting.push(statement);
    // The simulator's own.
    else void this.control.query(text, values).then(resolve, reject);
  }

  close(connection: Connection): void {
    this.closing.push(connection);
  }

  /** The process has died: nothing that it has sent goes on, and its transactions are undone. */
  kill(process: SimulatedProcess): void {
    process.end();
    for (const connection of this.open) if (connection.process === process) this.close(connection);
  }

  /** Executes one statement. @returns false when there is none */
  async step(): Promise<boolean> {
    const before = this.blocked.length;
    const hasClosed = this.closing.length > 0;
    await this.endClosed();
    const overdue = this.blocked.filter((it) => it.overdue);
    for (const running of overdue) {
      await this.control.query('SELECT pg_cancel_backend($1)', [running.session.processID]);
      await running.done;
    }
    if (hasClosed || overdue.length > 0) await this.lookAtBlocked();
    if (this.waiting.length === 0) {
      if (this.world.now - this.lookedAt > 100) await this.look();
      return this.blocked.length < before;
    }
    const [statement] = this.waiting.splice(
      this.world.random.between(0, this.waiting.length - 1),
      1,
    );
    await this.execute(statement as Statement);
    return true;
  }

  private connect(done: (error: unknown, connection?: Connection, release?: () => void) => void) {
    const process = currentProcess();
    const connection = new Connection(this, process);
    if (process && process.silentUntil > this.world.now)
      this.world.after(CONNECT_WITHIN, () => done(new Error('timeout expired')), process);
    else done(null, connection, () => this.close(connection));
  }

  private async execute(statement: Statement): Promise<void> {
    const { connection, text } = statement;
    const process = connection.process as SimulatedProcess;
    const { world } = this;
    world.now++;
    if (connection.broken) return connection.fail('The connection has ended', statement);
    let spring: (() => void) | undefined;
    if (process.trap && process.trap.statements-- === 0) {
      const { trap } = process;
      process.trap = null;
      if (trap.before) {
        world.note(`(the next is just before "${words(text)}")`);
        trap.spring();
        if ((process.state as string) === 'dead') return;
      } else
        spring = () => {
          world.note(`(the next is just after "${words(text)}", before its response)`);
          trap.spring();
        };
    }
    const silent = process.silentUntil > world.now;
    if (silent) {
      world.after(connection.deadline, () =>
        connection.fail('PostgreSQL did not respond', statement),
      );
      // Lost on its way there, or its response on the way back.
      if (world.random.chance(0.5)) return;
    }
    connection.session ??= this.free.pop() ?? (await this.newSession());
    if (connection.idleTimer) world.cancel(connection.idleTimer as never);
    const { session } = connection;
    const running: Running = {
      ...statement,
      session,
      ended: null,
      overdue: false,
      failed: false,
      blockers: NOBODY,
      done: Promise.resolve(),
    };
    const end = (respond: () => void) => {
      running.ended = () => {
        this.noteTransaction(running);
        spring?.();
        if (!silent) process.deliver(respond);
      };
    };
    running.done = this.submit(session, text, statement.values).then(
      (result) => {
        const isRead = /^\s*SELECT|INTO webhook_workers/.test(text);
        if (!isRead && (result.rowCount ?? 0) > 0) connection.wrote = true;
        end(() => {
          this.onResult(process, result);
          statement.resolve(result);
        });
      },
      (error: unknown) => {
        running.failed = true;
        end(() => statement.reject(error));
      },
    );
    if (await this.isDone(running)) {
      running.ended?.();
      // A transaction keeps its locks until it ends or fails.
      if (!connection.inTransaction || running.failed) await this.lookAtBlocked();
      return;
    }
    this.blocked.push(running);
    this.onBlocked(process, text);
    world.after(SESSION.statement_timeout, () => (running.overdue = true));
  }

  /** A transaction's start is sent together with its first statement, and the time with the statement that reads it. */
  private submit(session: Running['session'], text: string, values: unknown[]) {
    const { stream } = session.connection;
    stream.cork();
    if (NEEDS_CLOCK.test(text) && this.clockIs !== this.world.now) {
      this.clockIs = this.world.now;
      void session.query(prepared(SET_CLOCK, [BEGINNING + this.clockIs]));
    }
    const result = session.query(prepared(text, values));
    if (/^START TRANSACTION/.test(text)) return NO_ROWS;
    while (stream.writableCorked > 0) stream.uncork();
    return result;
  }

  /** A notification takes a while, and gets lost where a connection is silent or has just been lost. */
  private notify(): void {
    const { random } = this.world;
    for (const [process, listener] of this.listeners)
      if (process.silentUntil <= this.world.now && random.chance(0.8))
        this.world.after(random.between(0, 20), () => process.deliver(listener));
  }

  /** Idle transactions are ended by the server after a while. */
  private noteTransaction({ connection, text, session }: Running): void {
    if (/^START TRANSACTION/.test(text)) connection.inTransaction = true;
    if (/^(COMMIT|ROLLBACK)$/.test(text)) connection.inTransaction = false;
    if (/INTO outbox_events/.test(text)) connection.notifies = true;
    if (!connection.inTransaction && connection.notifies) {
      if (text !== 'ROLLBACK') this.notify();
      connection.notifies = false;
    }
    if (!connection.inTransaction && connection.wrote) {
      this.standing = null;
      connection.wrote = false;
    }
    if (!connection.inTransaction) return;
    connection.idleTimer = this.world.after(SESSION.idle_in_transaction_session_timeout, () => {
      if (connection.session === session) connection.fail('idle-in-transaction timeout');
    });
  }

  /** Waits until PostgreSQL has responded. @returns false when it waits for a lock instead */
  private async isDone(running: Running): Promise<boolean> {
    for (let pause = 10; ; pause *= 2) {
      let timer;
      const paused = new Promise((resolve) => (timer = real.setTimeout(resolve, pause)));
      await Promise.race([running.done, paused]);
      real.clearTimeout(timer);
      if (running.ended) return true;
      running.blockers = await this.blockersOf(running);
      if (running.blockers !== NOBODY && !(running.ended as unknown)) return false;
    }
  }

  private async blockersOf({ session }: Running): Promise<string> {
    const { rows } = await this.control.query<{ pids: string }>(
      prepared(`SELECT pg_blocking_pids($1)::text AS pids`, [session.processID]),
    );
    return rows[0]?.pids ?? NOBODY;
  }

  private async lookAtBlocked(): Promise<void> {
    for (let changed = true; changed;) {
      changed = false;
      for (const running of this.blocked) {
        const isStillBlocked =
          running.blockers === (await this.blockersOf(running)) && !running.ended;
        if (!isStillBlocked && (await this.isDone(running))) {
          this.blocked = this.blocked.filter((it) => it !== running);
          running.ended?.();
          changed = true;
          break;
        }
      }
    }
  }

  private async endClosed(): Promise<void> {
    for (let one = this.closing.shift(); one; one = this.closing.shift()) {
      const connection = one;
      this.open.delete(connection);
      this.waiting = this.waiting.filter(
        (it) => it.connection !== connection || !it.connection.broken,
      );
      const { session, inTransaction } = connection;
      if (!session) continue;
      const running = this.blocked.find((it) => it.connection === connection);
      if (running) {
        this.blocked = this.blocked.filter((it) => it !== running);
        await this.control.query('SELECT pg_cancel_backend($1)', [session.processID]);
        await running.done;
      }
      if (connection.idleTimer) this.world.cancel(connection.idleTimer as never);
      if (inTransaction) await this.submit(session, 'ROLLBACK', []);
      this.standing = null;
      connection.session = null;
      connection.inTransaction = false;
      this.free.push(session);
    }
  }

  private async newSession(): Promise<Running['session']> {
    const session = new Client({
      connectionString: this.url,
      pipeline: true,
    }) as Running['session'];
    await session.connect();
    // A deadlock is found before a wait is noticed here, so the same transaction always goes back.
    await session.query(
      `SET search_path = sim, pg_catalog, public; SET deadlock_timeout = 1; SET synchronous_commit = off; ${PLAN_ONCE}`,
    );
    return session;
  }
}

const NOBODY = '{}';
const NO_ROWS = Promise.resolve({ rows: [] as unknown[], rowCount: null } as QueryResult);

const PLAN_ONCE = `SET plan_cache_mode = force_generic_plan; SET jit = off`;
const names = new Map<string, string>();

/** Most of a schedule's time would be that of PostgreSQL's planner: each session plans a statement once. */
function prepared(text: string, values: unknown[]) {
  const name = names.get(text) ?? `statement ${names.size}`;
  names.set(text, name);
  return { name, text, values };
}

const SET_CLOCK = `SELECT setval('sim.clock', $1)`;

const words = (text: string) => text.replaceAll(/\s+/g, ' ').trim().slice(0, 60);

/** Statements that read the database's clock, by themselves or by a default. */
const NEEDS_CLOCK =
  /now\(\)|clock_timestamp\(\)|INSERT INTO "?(outbox_events|webhook_endpoints|webhook_workers)/;

const STANDING = `
SELECT EXISTS (SELECT FROM outbox_events WHERE relayed_at IS NULL) AS unrelayed,
  EXISTS (SELECT FROM outbox_events WHERE relayed_at IS NULL)
    OR EXISTS (SELECT FROM webhook_deliveries WHERE state <> 'idle') AS left,
  EXISTS (SELECT FROM webhook_deliveries WHERE state = 'leased') AS leased,
  (SELECT extract(epoch FROM min(next_check_at))::float8 * 1000 - $1 FROM webhook_deliveries) AS wake,
  coalesce((SELECT max(count)::int FROM (
    SELECT count(*) FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
    WHERE d.state IN ('queued', 'leased') GROUP BY e.account_id, d.queue) counts), 0) AS most`;

/** A sequence is not part of a transaction: every session sees the time at once. */
const PREPARATION = `
CREATE SCHEMA sim;
CREATE SEQUENCE sim.clock;
CREATE FUNCTION sim.now() RETURNS timestamptz STABLE LANGUAGE sql
  AS 'SELECT pg_catalog.to_timestamp((last_value / 1000.0)::float8) FROM sim.clock';
CREATE FUNCTION sim.clock_timestamp() RETURNS timestamptz STABLE LANGUAGE sql AS 'SELECT sim.now()';
ALTER TABLE outbox_events ALTER COLUMN stored_at SET DEFAULT sim.now();
ALTER TABLE webhook_endpoints ALTER COLUMN stored_at SET DEFAULT sim.now();
ALTER TABLE webhook_workers ALTER COLUMN steady_since SET DEFAULT sim.now();
CREATE TABLE sim.changes (id text PRIMARY KEY);
INSERT INTO accounts (id, email, email_key, plan, is_admin, created_at)
SELECT id::uuid, id, id, 'pro', false, pg_catalog.now() FROM unnest('{${ACCOUNTS.join()}}'::text[]) AS id;`;

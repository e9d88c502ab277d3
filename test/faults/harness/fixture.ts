import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { AccountsService } from '../../../src/access/accounts/accounts.service';
import { ApiKeysService } from '../../../src/access/api-keys/api-keys.service';
import { CliModule } from '../../../src/cli/cli.module';
import type { EventName } from '../../../src/events/event-map';
import { loadConfig } from '../../../src/platform/config/config';
import { createLogger, NestLogger } from '../../../src/platform/observability/logger';
import { newId } from '../../../src/platform/text/ids';
import { EndpointsService } from '../../../src/webhooks/endpoints/endpoints.service';
import { RedisServer, withRedis } from '../../support/redis-server';
import { quizBody } from '../../support/samples';
import { Barrier, type Gate } from './barrier';
import { atTheEnd } from './cleanup';
import type { PostgresServer } from './postgres-server';
import { Receiver } from './receiver';
import { type Script, ServiceProcess } from './service-process';
import { until } from './until';

/** quiz.created and quiz.published. */
export const EVENTS_OF_A_QUIZ = 2;

/** An account with a key and one endpoint: what it owns happens to it alone. */
export interface Subscriber {
  accountId: string;
  key: string;
  endpointId: string;
  /** Its path at the receiver. */
  path: string;
  /** Where it has moved to, if it has. */
  newPath?: string;
  /** All that its endpoint has had. */
  secrets: string[];
}

/** What a fixture is set with. */
export interface FixtureOptions {
  queue: 'postgres' | 'redis';
  server: PostgresServer;
  /** Name of the migrated database that the fixture's is a copy of. */
  template: string;
  /** Logs, and what servers need. */
  folder: string;
  /** Besides those of every fixture. */
  settings: Record<string, string>;
}

const SETTINGS = {
  NODE_ENV: 'test',
  LOG_LEVEL: 'info',
  PORT: '0',
  ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  RATE_LIMIT_PER_MINUTE: '1000000',
  MODERATION: 'auto',
  WEBHOOK_ALLOW_INSECURE: 'true',
  WEBHOOK_TIMEOUT: '1500ms',
  WEBHOOK_RETRY_DELAYS: '300ms,600ms,1s',
};

let numbers = 0;

interface Parts {
  options: FixtureOptions;
  database: string;
  env: Record<string, string>;
  receiver: Receiver;
  redis: RedisServer | null;
  services: INestApplicationContext;
}

const STATES = {
  made: 'true',
  'in progress': 'attempt_job IS NOT NULL',
  'waiting for a retry': `status = 'pending' AND attempt_job IS NULL AND automatic_attempts > 0`,
  paused: `status = 'paused'`,
  unfinished: `status IN ('pending', 'paused') OR is_manual OR attempt_job IS NOT NULL`,
};

/** A database, a queue, a receiver, and real processes of the service on them. */
export class Fixture {
  /** As an operator or the account pages act: the services themselves, without a process of the service. */
  readonly services: INestApplicationContext;
  readonly receiver: Receiver;
  readonly env: Record<string, string>;
  /** By path, how many POSTs had come when their case was closed. */
  readonly audited = new Map<string, number>();
  private readonly started: ServiceProcess[] = [];
  private readonly sql: Pool;
  private readonly barrier: Barrier;

  private constructor(private readonly parts: Parts) {
    this.services = parts.services;
    this.receiver = parts.receiver;
    this.env = parts.env;
    const url = parts.env.DATABASE_URL ?? '';
    this.sql = new Pool({ connectionString: url, max: 4 });
    // PostgreSQL is stopped under it in some cases.
    this.sql.on('error', () => undefined);
    this.barrier = new Barrier(url);
  }

  static async open(options: FixtureOptions): Promise<Fixture> {
    const { server, template, folder, queue, settings } = options;
    mkdirSync(folder, { recursive: true });
    const database = `fixture_${randomBytes(5).toString('hex')}`;
    await server.query(`CREATE DATABASE ${database} TEMPLATE ${template}`);
    const redis = queue === 'redis' ? await RedisServer.start() : null;
    if (redis) atTheEnd(() => redis.kill());
    const receiver = await Receiver.start();
    const env = {
      ...SETTINGS,
      DATABASE_URL: server.urlOf(database),
      ...(redis && { REDIS_URL: redis.url }),
      ...settings,
    };
    const logger = createLogger('silent');
    const services = await NestFactory.createApplicationContext(
      CliModule.register({ config: loadConfig(env), logger, databaseUrl: env.DATABASE_URL }),
      { logger: new NestLogger(logger), abortOnError: false },
    );
    return new Fixture({ options, database, env, receiver, redis, services });
  }

  get queue(): 'postgres' | 'redis' {
    return this.parts.options.queue;
  }

  /** Milliseconds, by the settings. */
  get timeout(): number {
    return loadConfig(this.env).webhooks.timeout;
  }

  get retryDelays(): readonly number[] {
    return loadConfig(this.env).webhooks.retryDelays;
  }

  /** @throws Error when the queue is not in Redis */
  get redis(): RedisServer {
    if (!this.parts.redis) throw new Error('This fixture has no Redis.');
    return this.parts.redis;
  }

  get server(): PostgresServer {
    return this.parts.options.server;
  }

  /** The worker that runs; a new one when none does. */
  async worker(): Promise<ServiceProcess> {
    return this.running('worker.js')[0] ?? (await this.start('worker.js'));
  }

  /** Two workers that run. */
  async twoWorkers(): Promise<[ServiceProcess, ServiceProcess]> {
    const first = await this.worker();
    return [first, this.running('worker.js')[1] ?? (await this.start('worker.js'))];
  }

  /** The API that runs; a new one when none does. */
  async api(): Promise<ServiceProcess> {
    return this.running('api.js')[0] ?? (await this.start('api.js'));
  }

  /** One more process. */
  async start(
    script: Script,
    env: Record<string, string> = {},
    execArgv: string[] = [],
  ): Promise<ServiceProcess> {
    const log = this.logOf(script);
    const started = await ServiceProcess.start(script, { ...this.env, ...env }, log, execArgv);
    this.started.push(started);
    return started;
  }

  /** The file with what all processes of a script have written. */
  logOf(script: string): string {
    return join(this.parts.options.folder, `${script}.log`);
  }

  private running(script: Script): ServiceProcess[] {
    return this.started.filter((it) => it.script === script && it.runs);
  }

  /** An account with an endpoint that receives what happens to it. */
  async subscriber(options: { url?: string; events?: EventName[] } = {}): Promise<Subscriber> {
    const name = `s${++numbers}`;
    const { manager } = this.services.get(DataSource);
    const input = { email: `${name}@example.com`, plan: 'pro' } as const;
    const { id } = await this.services.get(AccountsService).createIn(manager, input);
    const { key } = await this.services.get(ApiKeysService).issue(id, name);
    const path = `/${name}`;
    const { endpoint, secret } = await this.services.get(EndpointsService).add(id, {
      url: options.url ?? this.receiver.origin + path,
      events: options.events ?? ['quiz.created', 'quiz.published'],
    });
    return { accountId: id, key, endpointId: endpoint.id, path, secrets: [secret] };
  }

  async subscribers(count: number): Promise<Subscriber[]> {
    const all: Subscriber[] = [];
    while (all.length < count) all.push(await this.subscriber());
    return all;
  }

  /**
   * Commits events in the shape that `Outbox.record` gives them, in one transaction, with texts that lose a
   * byte wherever somebody parses and writes them again.
   */
  async emit({ accountId }: Subscriber, count: number): Promise<void> {
    const now = new Date();
    const rows = Array.from({ length: count }, (_, number) => {
      const id = newId();
      const data = {
        quiz_id: newId(),
        title: `Quiz ${number}: "Ünïcødé" 日本 🎉 \\u0041 </script> 1e400`,
        category: number % 2 ? null : 'Geography',
        created_by: accountId,
      };
      const envelope = { id, event: 'quiz.created', created_at: now.toISOString(), data };
      return { id, body: JSON.stringify(envelope) };
    });
    await this.query(
      `INSERT INTO outbox_events (id, name, account_id, body, created_at)
       SELECT id, 'quiz.created', $2, body, $3 FROM json_to_recordset($1::json) AS r (id uuid, body text)`,
      [JSON.stringify(rows), accountId, now],
    );
  }

  /** A quiz made over HTTP: two events, for it is approved at once. Rejects when the API goes away. */
  async createQuiz(
    api: ServiceProcess,
    { key }: Subscriber,
    idempotencyKey?: string,
  ): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${api.port}/api/v1/quizzes`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
      },
      body: JSON.stringify(quizBody({ title: `Rivers ${idempotencyKey ?? ++numbers}` })),
    });
    await response.text();
    return response.status;
  }

  async query<Row>(statement: string, parameters: unknown[] = []): Promise<Row[]> {
    const { rows } = await this.sql.query(statement, parameters);
    return rows as Row[];
  }

  /** Throws away every job of the queue. */
  async emptyQueue(): Promise<void> {
    const { redis } = this.parts;
    if (redis) return void (await withRedis(redis.url, (it) => it.flushall()));
    const tables = await this.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname = 'bullmq' AND tablename NOT LIKE '%migration%'`,
    );
    // A worker may hold one table and wait for another: PostgreSQL then ends one of the two, maybe this one.
    const truncate = `TRUNCATE ${tables.map(({ name }) => name).join()}`;
    await until('an empty queue', () => this.query(truncate));
  }

  /** Deliveries of a subscriber that are in a state. */
  async inState(subscriber: Subscriber, state: keyof typeof STATES): Promise<number> {
    const [row] = await this.query<{ count: number }>(
      `SELECT count(*)::int FROM webhook_deliveries WHERE endpoint_id = $1 AND ${STATES[state]}`,
      [subscriber.endpointId],
    );
    return row?.count ?? 0;
  }

  /** Stops whatever does this to the database, until it is opened. */
  gate(gate: Gate): Promise<Barrier> {
    return this.barrier.close(gate);
  }

  /** Waits until every event of theirs is relayed and nothing is left to be done for any delivery. */
  async settled(subscribers: readonly Subscriber[], within = 90_000): Promise<void> {
    await until('the end of all deliveries', () => this.isSettled(subscribers), within, 50);
  }

  private async isSettled(subscribers: readonly Subscriber[]): Promise<boolean> {
    const [row] = await this.query<{ open: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM outbox_events WHERE account_id = ANY($1) AND relayed_at IS NULL)
           OR EXISTS (SELECT 1 FROM webhook_deliveries WHERE endpoint_id = ANY($2) AND (${STATES.unfinished})) AS open`,
      [subscribers.map((it) => it.accountId), subscribers.map((it) => it.endpointId)],
    );
    return row?.open === false;
  }

  /** POSTs that came after their case was closed: jobs of dead workers must find nothing to do. */
  lateArrivals(): number {
    return [...this.audited].reduce(
      (sum, [path, count]) => sum + this.receiver.at(path).length - count,
      0,
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.started.map((it) => it.kill()));
    this.receiver.close();
    await this.barrier.end();
    await this.services.close();
    await this.sql.end();
    await this.parts.redis?.kill();
    await this.server.query(`DROP DATABASE IF EXISTS ${this.parts.database} WITH (FORCE)`);
  }
}

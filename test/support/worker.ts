import { getQueueToken } from '@nestjs/bullmq';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Queue } from 'bullmq';
import pino from 'pino';
import { DataSource } from 'typeorm';
import { AccountsService } from '../../src/access/accounts/accounts.service';
import { WorkerModule } from '../../src/app/worker.module';
import type { EventName } from '../../src/events/event-map';
import { type AccountEvent, Outbox } from '../../src/events/outbox';
import { loadConfig } from '../../src/platform/config/config';
import { NestLogger } from '../../src/platform/observability/logger';
import { migrateQueue } from '../../src/platform/queue/migrate-queue';
import { DELIVERIES } from '../../src/platform/queue/queue-names';
import type { DeliveryDetail } from '../../src/webhooks/deliveries/deliveries.dto';
import { DeliveriesService } from '../../src/webhooks/deliveries/deliveries.service';
import { EndpointsService } from '../../src/webhooks/endpoints/endpoints.service';
import type { DeliveryJob } from '../../src/webhooks/relay/delivery-queue';
import { RelayService } from '../../src/webhooks/relay/relay.service';
import { eventually, TestClock } from './clock';
import { cloneDatabase } from './database';
import { TEST_ENCRYPTION_KEY } from './service';

/** A database with webhook workers on it, as many as a test starts. */
export interface WebhookFixture {
  database: DataSource;
  databaseUrl: string;
  clock: TestClock;
  log: string[];
  endpoints: EndpointsService;
  deliveries: DeliveriesService;
  /** A service of the first worker's. */
  get: INestApplicationContext['get'];
  /** One more worker process, as far as one process can be two. */
  startWorker(): Promise<INestApplicationContext>;
  account(): Promise<string>;
  endpoint(
    accountId: string,
    url: string,
    events?: EventName[],
  ): Promise<{ id: string; secret: string }>;
  /** Commits events of an account; their ids in order. */
  emit(
    accountId: string,
    count?: number,
    name?: 'quiz.created' | 'quiz.published',
  ): Promise<string[]>;
  /** The deliveries of an endpoint with their attempts, oldest first. */
  logOf(endpointId: string): Promise<DeliveryDetail[]>;
  queue: Queue<DeliveryJob>;
  /** Promotes every job and waits until none is active or waiting; deliveries that are not due stay pending. */
  runJobs(): Promise<void>;
  close(): Promise<void>;
}

let accounts = 0;

/**
 * A real worker, as `npm run start:worker` runs it, on a database of its own. Time is the fixture's clock.
 * @param env `REDIS_URL` puts the queue into Redis
 */
export async function createFixture(env: Record<string, string> = {}): Promise<WebhookFixture> {
  const cloned = await cloneDatabase();
  const log: string[] = [];
  const logger = pino({ level: 'info', base: undefined }, { write: (line) => void log.push(line) });
  const config = loadConfig({
    WEBHOOK_ALLOW_INSECURE: 'true',
    ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
    ...env,
  });
  if (!config.redisUrl) await migrateQueue(cloned.url);
  const clock = new TestClock();
  const workers: INestApplicationContext[] = [];
  const startWorker = async () => {
    const worker = await NestFactory.createApplicationContext(
      WorkerModule.register({ config, logger, databaseUrl: cloned.url }),
      { logger: new NestLogger(logger), abortOnError: false, instrument: clock.instrument },
    );
    workers.push(worker);
    return worker;
  };
  const worker = await startWorker();
  const queue = worker.get<Queue<DeliveryJob>>(getQueueToken(DELIVERIES), { strict: false });
  const following = followClock(clock, queue);
  const database = worker.get(DataSource);
  const outbox = new Outbox(clock);
  const endpoints = worker.get(EndpointsService);
  const deliveries = worker.get(DeliveriesService);

  return {
    database,
    databaseUrl: cloned.url,
    clock,
    log,
    endpoints,
    deliveries,
    get: worker.get.bind(worker),
    startWorker,
    async account() {
      const email = `owner-${++accounts}@example.com`;
      const account = await worker
        .get(AccountsService, { strict: false })
        .createIn(database.manager, { email, plan: 'pro' });
      return account.id;
    },
    async endpoint(accountId, url, events = ['quiz.created']) {
      const { endpoint, secret } = await endpoints.add(accountId, { url, events });
      return { id: endpoint.id, secret };
    },
    async emit(accountId, count = 1, name = 'quiz.created') {
      const [before] = await database.query<{ id: string }[]>(LAST_EVENT);
      await database.transaction(async (tx) => {
        for (let number = 1; number <= count; number++) {
          const quiz = { quiz_id: `quiz-${number}`, title: `Quiz ${number}` };
          const event: AccountEvent =
            name === 'quiz.created'
              ? { name, accountId, data: { ...quiz, category: null, created_by: accountId } }
              : { name, accountId, data: { ...quiz, published_by: accountId } };
          await outbox.record(tx, [event]);
        }
      });
      const rows = await database.query<{ id: string }[]>(
        `SELECT id FROM outbox_events WHERE id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY id`,
        [before?.id ?? null],
      );
      return rows.map(({ id }) => id);
    },
    async logOf(endpointId) {
      const page = await deliveries.list('operator', { endpointId, limit: 200 });
      return Promise.all(page.reverse().map(({ id }) => deliveries.get('operator', id)));
    },
    queue,
    async runJobs() {
      const relay = worker.get(RelayService, { strict: false });
      while ((await relay.relay()) || (await relay.relayRequests()));
      await queue.promoteJobs();
      await eventually(async () => {
        const counts = await queue.getJobCounts('active', 'waiting', 'prioritized');
        expect(counts).toEqual({ active: 0, waiting: 0, prioritized: 0 });
      });
    },
    async close() {
      await following.stop();
      for (const it of workers) await it.close();
      await cloned.drop();
    },
  };
}

/** Milliseconds after the clock was advanced: attempts that end meanwhile are retried too. */
const PROMOTES_FOR = 5_000;

/** BullMQ waits by the real clock: what a test's clock has passed runs now. The delivery's row says what is due. */
export function followClock(clock: TestClock, queue: Queue): { stop(): Promise<void> } {
  const advance = clock.advance.bind(clock);
  let lookUntil = 0;
  let promoted = Promise.resolve();
  clock.advance = (by) => {
    advance(by);
    lookUntil = Date.now() + PROMOTES_FOR;
  };
  const promoting = setInterval(() => {
    if (Date.now() < lookUntil)
      promoted = promoted.then(() => queue.promoteJobs()).catch(() => undefined);
  }, 100);
  return {
    async stop() {
      clearInterval(promoting);
      clock.advance = advance;
      await promoted;
    },
  };
}

const LAST_EVENT = `SELECT id FROM outbox_events ORDER BY id DESC LIMIT 1`;

import './small-limits';
import type { EventEmitter2 } from '@nestjs/event-emitter';
import type { Logger } from '../../src/platform/observability/logger';
import { AccountsService } from '../../src/access/accounts/accounts.service';
import { AuditLog } from '../../src/access/audit/audit-log';
import { NoticesListener } from '../../src/access/notices/notices.listener';
import { DomainEvents } from '../../src/events/domain-events';
import { Outbox } from '../../src/events/outbox';
import { loadConfig } from '../../src/platform/config/config';
import { DatabaseClock, type Clock } from '../../src/platform/clock';
import type { ReservedConnection } from '../../src/platform/database/data-source';
import { Metrics } from '../../src/platform/observability/metrics';
import { QueueState } from '../../src/platform/queue/queue-connection';
import { DeliveriesService } from '../../src/webhooks/deliveries/deliveries.service';
import { EndpointsService } from '../../src/webhooks/endpoints/endpoints.service';
import { SecretBox } from '../../src/webhooks/endpoints/secret-box';
import type { DeliverySender } from '../../src/webhooks/sending/sender';
import { Attempts } from '../../src/webhooks/sending/attempts';
import {
  DELIVERY_QUEUES,
  DeliveryQueues,
  type DeliveryQueue,
} from '../../src/webhooks/worker/delivery-queues';
import { Heartbeat, Progress } from '../../src/webhooks/worker/liveness';
import { Leases, type LeasedDelivery } from '../../src/webhooks/sending/leases';
import { CONCURRENCY } from '../../src/webhooks/sending/sending-limits';
import { EndpointHealth } from '../../src/webhooks/sending/endpoint-health';
import { AttemptRecorder } from '../../src/webhooks/sending/attempt-recorder';
import {
  FirstAttemptsProcessor,
  RetriesProcessor,
  SlowEndpointsProcessor,
  WebhookWorker,
} from '../../src/webhooks/worker/webhook-worker';
import { Relay, type EventNotifications } from '../../src/webhooks/worker/relay';
import { Retention } from '../../src/webhooks/worker/retention';
import { Sweep } from '../../src/webhooks/worker/sweep';
import type { SimulatedDatabase } from './database';
import type { SimulatedQueue } from './queue';
import type { Receivers } from './receivers';
import type { SimulatedProcess } from './world';

export const RETRY_DELAYS = [1_000, 2_000, 4_000];

const config = loadConfig({
  WEBHOOK_RETRY_DELAYS: '1s,2s,4s',
  WEBHOOK_TIMEOUT: '6s',
  WEBHOOK_ALLOW_INSECURE: 'true',
  ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
});
const quiet = () => undefined;
const logger = { info: quiet, warn: quiet, error: quiet, debug: quiet } as unknown as Logger;

/** What all processes of a schedule share. */
export interface Surroundings {
  database: SimulatedDatabase;
  queue: SimulatedQueue;
  receivers: Receivers;
}

/** The part of the API that webhooks have to do with. Called in its process. */
export async function startApi({ database }: Surroundings) {
  const { dataSource } = database;
  const clock = await DatabaseClock.start(dataSource, logger);
  const accounts = new AccountsService(dataSource, config, clock);
  const box = new SecretBox(config);
  const audit = new AuditLog(dataSource, clock);
  const endpoints = new EndpointsService(dataSource, clock, config, accounts, box, audit);
  return {
    dataSource,
    outbox: new Outbox(clock),
    endpoints,
    // Manual requests are few: none reaches a limit.
    deliveries: new DeliveriesService(dataSource, clock, endpoints, { take: quiet } as never, box),
  };
}
export type Api = Awaited<ReturnType<typeof startApi>>;

/** The listeners of what a worker emits. */
function listenersOf(clock: Clock): EventEmitter2 {
  const notices = new NoticesListener(clock);
  const listeners = { 'endpoint.unhealthy': [notices.endpointUnhealthy.bind(notices)] };
  return {
    listeners: (name: string) =>
      new Map<string, unknown>(Object.entries(listeners)).get(name) ?? [],
  } as unknown as EventEmitter2;
}

/** A worker as `webhooks-worker.module.ts` composes it. Called in its process. @returns stops it, as SIGTERM does */
export async function startWorker(
  { database, queue, receivers }: Surroundings,
  process: SimulatedProcess,
  leaseOf: (url: string, eventId: string) => LeasedDelivery | undefined,
): Promise<() => Promise<void>> {
  const { dataSource } = database;
  const clock = await DatabaseClock.start(dataSource, logger);
  const queueState = new QueueState(logger);
  const [first, slow, retries] = DELIVERY_QUEUES.map((name) => queue.producer(name));
  const queues = new DeliveryQueues(first as never, slow as never, retries as never, queueState);
  const heartbeat = new Heartbeat(database.reserved(process) as ReservedConnection, config, queues);
  await heartbeat.onModuleInit();
  const metrics = new Metrics(config);
  const progress = new Progress(metrics);
  const leases = new Leases(dataSource, clock, config, heartbeat);
  const health = new EndpointHealth(
    new DomainEvents(new Outbox(clock), listenersOf(clock)),
    config,
  );
  const outcomes = new AttemptRecorder(
    dataSource,
    clock,
    config,
    leases,
    queues,
    progress,
    health,
    metrics,
  );
  const sender = receivers.sender(process, ({ url, headers }) =>
    leaseOf(url, String(headers['X-Service-Delivery'])),
  ) as unknown as DeliverySender;
  const box = new SecretBox(config);
  const attempts = new Attempts(dataSource, clock, config, box, sender, leases, outcomes, logger);
  const consume = <T extends FirstAttemptsProcessor>(name: DeliveryQueue, processor: T): T => {
    const consumer = queue.consume({
      process,
      queue: name,
      concurrency: CONCURRENCY[name],
      work: (job) => processor.process(job),
    });
    const close = async (force?: boolean) => {
      consumer.closed = true;
      if (!force && consumer.active.size > 0)
        await new Promise<void>((resolve) => {
          consumer.onIdle = () => consumer.active.size === 0 && resolve();
        });
    };
    return Object.defineProperty(processor, 'worker', { value: { close } });
  };
  const relay = new Relay(dataSource, clock, queues, leases, attempts);
  const sweep = new Sweep(dataSource, clock, queues, leases, outcomes);
  const notifications = {
    check: (onEvents: () => void) => Promise.resolve(database.listeners.set(process, onEvents)),
    close: () => Promise.resolve(database.listeners.delete(process)),
  };
  const polls = {
    relay: async () => !database.isIdle('relay') && (await relay.relay()),
    sweep: async () => !database.isIdle('sweep') && (await sweep.sweep()),
    releaseForgotten: () => sweep.releaseForgotten(),
  };
  const worker = new WebhookWorker(
    polls as unknown as Relay,
    polls as unknown as Sweep,
    new Retention(dataSource, clock, config),
    progress,
    notifications as unknown as EventNotifications,
    heartbeat,
    consume('first-attempts', new FirstAttemptsProcessor(attempts, queueState)),
    consume('slow-endpoints', new SlowEndpointsProcessor(attempts, queueState)),
    consume('retries', new RetriesProcessor(attempts, queueState)),
    attempts,
    sender,
    queues,
    clock,
    logger,
  );
  worker.onApplicationBootstrap();
  return async () => {
    await worker.onModuleDestroy();
    await worker.beforeApplicationShutdown();
  };
}

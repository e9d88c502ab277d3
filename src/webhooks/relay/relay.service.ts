import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { newId, NIL_ID } from '../../platform/text/ids';
import { lockEndpoints } from '../endpoints/endpoint.queries';
import {
  DeliveryQueue,
  type QueuedDelivery,
  type UnplacedDelivery,
  withBacklog,
} from './delivery-queue';
import {
  type NewDelivery,
  RELAY_BATCH,
  RELAY_BATCH_OF_ACCOUNT,
  relayEvents,
  type Subscriber,
  subscribers,
  takeRequested,
  type WaitingEvent,
  waitingEvents,
} from './relay.queries';

/**
 * Turns committed events into one delivery for each endpoint that was subscribed when they happened, and adds a job
 * for each delivery.
 */
@Injectable()
export class RelayService {
  /** The account to continue after. */
  private after = NIL_ID;

  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly queue: DeliveryQueue,
  ) {}

  /** Relays a batch. @returns whether more is likely to wait */
  async relay(): Promise<boolean> {
    const now = this.clock.now();
    const { after } = this;
    const { count, deliveries } = await this.database.transaction(async (tx) => {
      const events = await waitingEvents(tx, after);
      this.after = events.length === RELAY_BATCH ? lastAccountOf(events) : NIL_ID;
      if (events.length === 0) return { count: 0, deliveries: [] };
      return { count: events.length, deliveries: await this.fanOut(tx, events, now) };
    });
    // Only after the commit: a job must not begin before its row is visible. A crash between the two leaves
    // deliveries without jobs, which the reconciler finds.
    await this.queue.add(deliveries, now);
    // Accounts before the starting point of this batch are still unread.
    return count >= RELAY_BATCH_OF_ACCOUNT || after !== NIL_ID;
  }

  /**
   * Adds the jobs that the API has asked for: it does not know the queue, so that it needs none.
   * @returns whether more is likely to wait
   */
  async relayRequests(): Promise<boolean> {
    const requested = await takeRequested(this.database, RELAY_BATCH);
    const now = this.clock.now();
    await this.queue.add(withBacklog(requested), now);
    // A retry whose endpoint was disabled meanwhile: its job exists, and waits for a time that has passed.
    const due = requested.filter(
      (it) => it.automaticAttempts > 0 && it.nextAttemptAt && it.nextAttemptAt <= now,
    );
    for (const { jobId } of due) await this.queue.promote(jobId);
    return requested.length === RELAY_BATCH;
  }

  /** Makes a delivery of each event for each of its subscribers. @returns those that need a job */
  private async fanOut(
    tx: EntityManager,
    events: WaitingEvent[],
    now: Date,
  ): Promise<QueuedDelivery[]> {
    const accounts = [...new Set(events.map(({ accountId }) => accountId))];
    const endpoints = await subscribers(tx, accounts, now);
    const wanted = matched(events, endpoints);
    const disabled = await lockDisabled(
      tx,
      wanted.map(({ endpoint }) => endpoint),
    );
    const rows = wanted.map((it) => rowOf(it, disabled.has(it.endpoint.id)));
    const ids = events.map(({ id }) => id);
    const made = new Set((await relayEvents(tx, ids, rows, now)).map(({ id }) => id));
    const due = wanted.filter(({ id, endpoint }) => made.has(id) && !disabled.has(endpoint.id));
    return withBacklog(due.map(firstAttemptOf), waitingByAccount(endpoints));
  }
}

/** An event and an endpoint that is subscribed to it. */
interface WantedDelivery {
  id: string;
  event: WaitingEvent;
  endpoint: Subscriber;
}

const matched = (events: WaitingEvent[], endpoints: Subscriber[]): WantedDelivery[] =>
  events.flatMap((event) =>
    endpoints
      .filter((endpoint) => isSubscribed(endpoint, event))
      .map((endpoint) => ({ id: newId(), event, endpoint })),
  );

const rowOf = ({ id, event, endpoint }: WantedDelivery, isPaused: boolean): NewDelivery => ({
  id,
  eventId: event.id,
  endpointId: endpoint.id,
  event: event.name,
  status: isPaused ? 'paused' : 'pending',
});

const firstAttemptOf = ({ id, endpoint }: WantedDelivery): UnplacedDelivery => ({
  id,
  endpointId: endpoint.id,
  accountId: endpoint.accountId,
  automaticAttempts: 0,
  jobId: id,
  isManual: false,
  isTest: false,
  nextAttemptAt: null,
  isFailing: endpoint.isFailing,
});

function waitingByAccount(endpoints: Subscriber[]): Map<string, number> {
  const waiting = new Map<string, number>();
  for (const it of endpoints)
    waiting.set(it.accountId, (waiting.get(it.accountId) ?? 0) + it.waiting);
  return waiting;
}

/**
 * The endpoints that stay disabled until the transaction ends: enabling one wakes its paused deliveries, so it must not
 * happen between reading `disabled_at` and committing a paused delivery, which nothing would wake. The processor
 * cancels the deliveries of one that was deleted meanwhile, as they are pending.
 */
async function lockDisabled(tx: EntityManager, endpoints: Subscriber[]): Promise<Set<string>> {
  const seen = new Set(endpoints.filter((it) => it.disabledAt).map(({ id }) => id));
  if (seen.size === 0) return seen;
  const locked = [...(await lockEndpoints(tx, [...seen])).values()];
  return new Set(locked.filter((it) => it.disabledAt && !it.deletedAt).map(({ id }) => id));
}

const lastAccountOf = (events: WaitingEvent[]): string =>
  events.reduce((last, it) => (it.accountId > last ? it.accountId : last), NIL_ID);

function isSubscribed(endpoint: Subscriber, event: WaitingEvent): boolean {
  return (
    (endpoint.allAccounts || endpoint.accountId === event.accountId) &&
    endpoint.events.includes(event.name) &&
    endpoint.id !== event.about &&
    endpoint.storedAt <= event.storedAt
  );
}

import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ENDPOINT_EVENTS } from '../../events/event-map';
import { Clock } from '../../platform/clock';
import { queryPrepared } from '../../platform/database/data-source';
import { newId } from '../../platform/text/ids';
import { Attempts } from '../sending/attempts';
import { Leases } from '../sending/leases';
import { RELAY_BATCH } from '../sending/sending-limits';
import { DeliveryQueues, FIRST_ATTEMPTS } from './delivery-queues';
import { chooseReady, queueReady } from './release.queries';
import { listen, type DeadlineClient } from '../../platform/database/deadline-client';
import { LOGGER, type Logger } from '../../platform/observability/logger';

interface OutboxEvent {
  id: string;
  name: string;
  account_id: string;
  stored_at: string;
  /** The endpoint that the event is about, if any. */
  about: string | null;
}

interface Subscriber {
  id: string;
  account_id: string;
  all_accounts: boolean;
  events: string[];
  stored_at: string;
  disabled_at: Date | null;
}

/**
 * Turns committed events into one delivery for each endpoint that was subscribed when they happened, and starts as
 * many of them as this worker has room for; the queue gets the others.
 */
@Injectable()
export class Relay {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly queues: DeliveryQueues,
    private readonly leases: Leases,
    private readonly attempts: Attempts,
  ) {}

  /** Relays a batch. @returns whether more is likely to wait */
  async relay(): Promise<boolean> {
    const { events, leased, queued } = await this.database.transaction(async (tx) => {
      const events = await queryPrepared<OutboxEvent[]>(tx, WAITING_EVENTS, [ENDPOINT_EVENTS]);
      if (events.length === 0) return { events, leased: [], queued: [] };
      return { events, ...(await this.fanOut(tx, events)) };
    });
    // Only after the commit: nothing is sent before its lease is on disk, and a job must not wake a worker before its
    // row is visible. A crash between the two leaves leases without a worker and deliveries without jobs, which the
    // sweep finds.
    for (const delivery of leased) void this.attempts.start(delivery);
    await this.queues.add(queued);
    return events.length === RELAY_BATCH;
  }

  private async fanOut(tx: EntityManager, events: OutboxEvent[]) {
    const now = this.clock.now();
    const accounts = [...new Set(events.map((event) => event.account_id))];
    const subscribers = await queryPrepared<Subscriber[]>(tx, SUBSCRIBERS, [accounts]);
    const deliveries = events.flatMap((event) =>
      subscribers
        .filter((endpoint) => isSubscribed(endpoint, event))
        .map((endpoint) => ({
          id: newId(),
          event_id: event.id,
          endpoint_id: endpoint.id,
          event: event.name,
          state: endpoint.disabled_at ? 'paused' : 'ready',
        })),
    );
    const ids = events.map(({ id }) => id);
    await queryPrepared(tx, RELAY, [JSON.stringify(deliveries), now, ids]);
    const endpointIds = [...new Set(deliveries.map((it) => it.endpoint_id))];
    const chosen = await chooseReady(tx, endpointIds);
    const firsts = chosen.filter(({ queue }) => queue === FIRST_ATTEMPTS);
    const here = new Set(firsts.slice(0, this.attempts.room).map(({ id }) => id));
    const queued = chosen.filter(({ id }) => !here.has(id));
    await queueReady(tx, queued, now);
    return { leased: await this.leases.takeAll(tx, [...here], 'ready'), queued };
  }
}

function isSubscribed(endpoint: Subscriber, event: OutboxEvent): boolean {
  return (
    (endpoint.all_accounts || endpoint.account_id === event.account_id) &&
    endpoint.events.includes(event.name) &&
    endpoint.id !== event.about &&
    endpoint.stored_at <= event.stored_at
  );
}

/** To the microsecond, as text that sorts: a Date would truncate it to milliseconds. */
const STORED_AT = `to_char(e.stored_at AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS') AS stored_at`;

const WAITING_EVENTS = `
SELECT id, name, account_id, ${STORED_AT},
       CASE WHEN name = ANY($1::text[]) THEN body::json -> 'data' ->> 'endpoint_id' END AS about
FROM outbox_events e
WHERE relayed_at IS NULL ORDER BY id LIMIT ${RELAY_BATCH} FOR UPDATE SKIP LOCKED`;

/**
 * Locked in the usual way (endpoint.queries.ts), so that nobody disables one of them, or withdraws its right,
 * meanwhile.
 */
const SUBSCRIBERS = `
SELECT e.id, e.account_id, e.all_accounts AND a.is_admin AND a.disabled_at IS NULL AS all_accounts, e.events,
       ${STORED_AT}, coalesce(e.disabled_at, a.disabled_at) AS disabled_at
FROM webhook_endpoints e JOIN accounts a ON a.id = e.account_id
WHERE e.deleted_at IS NULL AND (e.account_id = ANY($1::uuid[]) OR e.all_accounts)
ORDER BY e.id FOR NO KEY UPDATE OF e`;

const RELAY = `
WITH relayed AS (UPDATE outbox_events SET relayed_at = $2 WHERE id = ANY($3::uuid[]))
INSERT INTO webhook_deliveries (id, event_id, endpoint_id, event, state, next_attempt_at, created_at)
SELECT id, event_id, endpoint_id, event, state, $2, $2
FROM json_to_recordset($1::json) AS d (id uuid, event_id uuid, endpoint_id uuid, event text, state text)
ON CONFLICT ON CONSTRAINT webhook_deliveries_event_endpoint_key DO NOTHING`;

/** Learns at once that events were committed; behind a pooler it only supposes so, at each check. */
@Injectable()
export class EventNotifications {
  /** Null behind a pooler. */
  private client: DeadlineClient | null | undefined;

  constructor(
    private readonly database: DataSource,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Connects, or asks the connection for a reply: one that is silent is closed. To be called again and again.
   * @param on called with `due` when somebody asked for an attempt at once, else when there may be events
   */
  async check(on: (what: string) => void): Promise<void> {
    if (this.client) return void (await this.client.query('SELECT'));
    if (this.client === undefined) {
      this.client = await listen(this.database, 'quiz-events', CHANNEL, REPLY_WITHIN, on);
      this.client?.once('end', () => (this.client = undefined));
      if (!this.client)
        this.logger.info(
          'webhooks are up to a second late: DATABASE_URL is a pooler, which drops notifications',
        );
    }
    // Events may have been committed while there was no connection.
    on('');
  }

  async close(): Promise<void> {
    await this.client?.end();
  }
}

/** A trigger of `outbox_events` notifies it (`functions.sql`), and tests and retries by hand (`WAKE_SWEEP`). */
const CHANNEL = 'webhook_events';
/** Milliseconds. */
const REPLY_WITHIN = 2_000;

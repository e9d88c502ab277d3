import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { queryPrepared } from '../../platform/database/data-source';
import type { DeliveryStatus } from '../deliveries/next-state';
import { Batcher } from './batcher';
import type { DeliveryQueue } from '../worker/delivery-queues';
import { Heartbeat } from '../worker/liveness';
import { HEARD_OF_WITHIN, leaseFor } from './sending-limits';
import { QUEUE_OF } from '../worker/release.queries';

/** The right to make one attempt at a delivery and to record it. */
export interface Lease {
  /** The delivery's id. */
  id: string;
  token: string;
  endpointId: string;
  status: DeliveryStatus;
  isTest: boolean;
  isManual: boolean;
  /** The number of this attempt. */
  number: number;
  /** Automatic attempts before this one. */
  automaticAttempts: number;
  leasedAt: Date;
}

/** A delivery that only this worker may send now, with everything needed to send it. */
export interface LeasedDelivery extends Lease {
  eventId: string;
  event: string;
  /** The envelope as it was stored with the change, byte for byte. */
  body: string;
  url: string;
  secret: Buffer;
  otherSecret: Buffer | null;
  queue: DeliveryQueue;
  /** When the event happened. */
  happenedAt: Date;
  until: Date;
}

/** Leases deliveries: a row has one token at a time, and only its holder may record the outcome. */
@Injectable()
export class Leases {
  private readonly batcher = new Batcher((ids: string[]) => this.takeBatch(ids));

  /** Tokens of the leases that this worker knows it holds. */
  private readonly held = new Set<string>();

  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly heartbeat: Heartbeat,
  ) {}

  /** Null if there is nothing to do: another job was first, or the delivery was stopped meanwhile. */
  async take(id: string): Promise<LeasedDelivery | null> {
    return this.hold(await this.batcher.add(id));
  }

  /** This worker knows that it has the lease, and will end it. */
  hold(delivery: LeasedDelivery | null): LeasedDelivery | null {
    if (delivery) this.held.add(delivery.token);
    return delivery;
  }

  /**
   * Those of the deliveries that can be leased.
   * @param state `queued`, or `ready` for those that got their slot in this transaction (`chooseReady`)
   */
  async takeAll(
    tx: EntityManager,
    ids: readonly string[],
    state: 'queued' | 'ready',
  ): Promise<LeasedDelivery[]> {
    if (ids.length === 0) return [];
    const now = this.clock.now();
    const until = new Date(now.getTime() + leaseFor(this.config.webhooks.timeout));
    const rows = await queryPrepared<Omit<LeasedDelivery, 'until'>[]>(tx, LEASE, [
      ids,
      now,
      until,
      state,
      this.heartbeat.workerId,
    ]);
    return rows.map((row) => ({ ...row, until }));
  }

  /** This worker is done with a delivery, whether or not it could record the outcome. */
  forget({ token }: LeasedDelivery): void {
    this.held.delete(token);
  }

  /**
   * Makes leases due that nobody will end: those of workers whose heartbeat has stopped, and those of this worker
   * that it never received, because the response of the database was lost.
   */
  async expireOrphans(): Promise<void> {
    const now = this.clock.now();
    const unheard = new Date(now.getTime() - HEARD_OF_WITHIN);
    await queryPrepared(this.database.manager, EXPIRE_ORPHANS, [
      this.heartbeat.workerId,
      now,
      [...this.held],
      unheard,
      this.heartbeat.ended,
    ]);
  }

  /** Those of the deliveries whose lease ended without an outcome: their worker is dead. */
  ended(tx: EntityManager, ids: readonly string[], now: Date): Promise<Lease[]> {
    return tx.query<Lease[]>(
      `SELECT ${LEASE_COLUMNS} FROM webhook_deliveries d
       WHERE id = ANY($1::uuid[]) AND state = 'leased' AND next_check_at <= $2 ORDER BY id FOR UPDATE`,
      [ids, now],
    );
  }

  private async takeBatch(ids: string[]): Promise<(LeasedDelivery | null)[]> {
    const taken = await this.takeAll(this.database.manager, ids, 'queued');
    const leased = new Map(taken.map((delivery) => [delivery.id, delivery]));
    return ids.map((id) => {
      const delivery = leased.get(id) ?? null;
      // Two jobs of one delivery in one batch: the second finds nothing to do.
      leased.delete(id);
      return delivery;
    });
  }
}

const LEASE_COLUMNS = `
  d.id, d.lease_token AS token, d.endpoint_id AS "endpointId", d.status, d.is_test AS "isTest",
  d.is_manual AS "isManual", d.attempts AS number, d.automatic_attempts AS "automaticAttempts", d.leased_at AS "leasedAt"`;

const LEASE = `
WITH free AS (
  SELECT id FROM webhook_deliveries WHERE id = ANY($1::uuid[]) AND state = $4 ORDER BY id FOR UPDATE
), leased AS (
  UPDATE webhook_deliveries d
  SET state = 'leased', lease_token = gen_random_uuid(), leased_at = $2, leased_by = $5, next_check_at = $3, requeued = 0,
      queue = CASE WHEN d.state = 'ready' THEN ${QUEUE_OF} ELSE d.queue END,
      attempts = d.attempts + 1
  FROM free, webhook_endpoints e WHERE d.id = free.id AND e.id = d.endpoint_id
  RETURNING d.*, e.url, e.secret, e.other_secret
)
SELECT ${LEASE_COLUMNS}, d.event_id AS "eventId", d.event, o.body, d.url, d.secret, d.other_secret AS "otherSecret",
       d.queue, o.created_at AS "happenedAt"
FROM leased d
JOIN outbox_events o ON o.id = d.event_id`;

/**
 * By the heartbeats' own clock, the database's. A worker that has been unhealthy itself does not judge heartbeats:
 * after an outage of the database all of them are old, and each worker gets time to send another. A process that has
 * exited is dead in any case, so the successor of a single worker takes over at once.
 */
const EXPIRE_ORPHANS = `
UPDATE webhook_deliveries d SET next_check_at = $2
WHERE d.state = 'leased' AND d.next_check_at > $2
  AND CASE WHEN d.leased_by = $1 THEN d.leased_at < $4 AND d.lease_token <> ALL($3::uuid[])
      ELSE d.leased_by = ANY($5::uuid[])
       OR NOT EXISTS (SELECT 1 FROM webhook_workers w
                      WHERE w.id = d.leased_by AND w.seen_at > now() - interval '6 seconds')
       AND EXISTS (SELECT 1 FROM webhook_workers w
                   WHERE w.id = $1 AND w.steady_since < now() - interval '3 seconds'
                     AND w.seen_at > now() - interval '3 seconds') END
  AND d.leased_by IS NOT NULL`;

import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { Batcher } from './batcher';
import { leaseFor } from './limits';

/** A delivery that this worker alone may send now, with what that takes. */
export interface LeasedDelivery {
  id: string;
  token: string;
  eventId: string;
  event: string;
  /** The envelope as it was stored with the change, byte for byte. */
  body: string;
  endpointId: string;
  url: string;
  secret: Buffer;
  otherSecret: Buffer | null;
  status: 'pending' | 'delivered' | 'failed' | 'cancelled';
  isTest: boolean;
  isManual: boolean;
  /** It came by the slow lane. */
  isSlow: boolean;
  /** The number of this attempt. */
  number: number;
  /** Automatic attempts before this one. */
  spent: number;
  leasedAt: Date;
  until: Date;
}

/** Leases deliveries: a row has one token at a time, and only its holder may write the outcome. */
@Injectable()
export class Leases {
  private readonly batcher = new Batcher((ids: string[]) => this.takeBatch(ids));

  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Null when there is nothing to do: another job was first, or the delivery was stopped meanwhile. */
  take(id: string): Promise<LeasedDelivery | null> {
    return this.batcher.add(id);
  }

  /**
   * Those of the deliveries that are to be had.
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
    const rows = await tx.query<Omit<LeasedDelivery, 'until'>[]>(LEASE, [ids, now, until, state]);
    return rows.map((row) => ({ ...row, until }));
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

const LEASE = `
WITH free AS (
  SELECT id FROM webhook_deliveries WHERE id = ANY($1::uuid[]) AND state = $4 ORDER BY id FOR UPDATE
), leased AS (
  UPDATE webhook_deliveries d
  SET state = 'leased', lease_token = gen_random_uuid(), leased_at = $2, wake_at = $3, attempts = d.attempts + 1
  FROM free WHERE d.id = free.id
  RETURNING d.*
)
SELECT d.id, d.lease_token AS token, d.event_id AS "eventId", d.event, o.body,
       d.endpoint_id AS "endpointId", e.url, e.secret, e.other_secret AS "otherSecret",
       d.status, d.is_test AS "isTest", d.is_manual AS "isManual", d.attempts AS number, d.spent,
       d.attempts > 1 OR e.failing_since IS NOT NULL AS "isSlow",
       d.leased_at AS "leasedAt"
FROM leased d
JOIN webhook_endpoints e ON e.id = d.endpoint_id
JOIN outbox_events o ON o.id = d.event_id`;

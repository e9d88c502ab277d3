import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { Scheduled } from '../../platform/queue/scheduled';

/** Rows per statement. */
const PRUNE_BATCH = 500;

/** Deletes what is older than WEBHOOK_RETENTION: finished deliveries with their attempts, and their events. */
@Injectable()
export class DeliveryRetention {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Deletes a batch of each kind, small enough not to hold locks for long. @returns whether more may wait */
  @Scheduled('retention of deliveries', 60_000)
  async prune(): Promise<boolean> {
    const before = this.clock.cutoff(this.config.webhooks.retention);
    let more = false;
    for (const statement of [DELIVERIES, EVENTS, ENDPOINTS]) {
      const [, count] = await this.database.query<[unknown, number]>(statement, [
        before,
        PRUNE_BATCH,
      ]);
      more ||= count === PRUNE_BATCH;
    }
    await this.database.query(GONE_WORKERS);
    return more;
  }
}

/** A killed worker is shown as gone for an hour. */
const GONE_WORKERS = `DELETE FROM webhook_workers WHERE seen_at < now() - interval '1 hour'`;

/** Attempts go with their delivery. */
const DELIVERIES = `
DELETE FROM webhook_deliveries WHERE id IN (
  SELECT id FROM webhook_deliveries WHERE finished_at < $1 AND NOT is_manual AND attempt_job IS NULL
  ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED)`;

/** An event stays as long as one of its deliveries: they share its stored body. */
const EVENTS = `
DELETE FROM outbox_events WHERE id IN (
  SELECT id FROM outbox_events o WHERE relayed_at < $1
    AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.event_id = o.id)
  ORDER BY relayed_at LIMIT $2)`;

const ENDPOINTS = `
DELETE FROM webhook_endpoints WHERE id IN (
  SELECT id FROM webhook_endpoints e WHERE deleted_at < $1
    AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.endpoint_id = e.id)
  LIMIT $2)`;

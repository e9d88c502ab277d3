import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { MINUTE } from '../../platform/durations';
import { Scheduled } from '../../platform/queue/scheduled';
import { pruneBatch, pruneEvents, type RelayedEvent } from './delivery-retention.queries';
import { deleteGoneWorkers } from './workers.queries';

/** Rows per statement. */
const PRUNE_BATCH = 500;
/** Old events that a run looks at. */
export const SEEN_EVENTS = 2_000;

/** Deletes what is older than WEBHOOK_RETENTION: finished deliveries with their attempts, and their events. */
@Injectable()
export class DeliveryRetention {
  /** Where the last run stopped among the old events. */
  private lastSeen: RelayedEvent | null = null;

  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Deletes a batch of each kind, so that no transaction takes long. @returns whether more may wait */
  @Scheduled({ name: 'retention of deliveries', every: MINUTE })
  async prune(): Promise<boolean> {
    const before = this.clock.cutoff(this.config.webhooks.retention);
    const more = await pruneBatch(this.database, before, PRUNE_BATCH);
    const events = await pruneEvents(this.database, before, this.lastSeen, SEEN_EVENTS);
    this.lastSeen = events.last;
    await deleteGoneWorkers(this.database);
    return more || (events.deleted > 0 && events.last !== null);
  }
}

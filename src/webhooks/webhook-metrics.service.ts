import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../platform/clock';
import { Metrics } from '../platform/monitoring/metrics';

/**
 * What waits to be delivered. The API tells it as the worker does: with the worker gone, somebody must. Every process
 * tells the same numbers, so take the maximum of them.
 */
@Injectable()
export class WebhookMetricsService implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.metrics.gauge(
      'quiz_webhook_waiting',
      'Events without deliveries yet, and deliveries that are not finished, by state',
      'state',
      async () => {
        const rows = await this.database.query<{ state: string; count: string }[]>(WAITING);
        return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
      },
    );
    this.metrics.gauge(
      'quiz_webhook_oldest_undelivered_seconds',
      'Age of the oldest event that is not delivered and not given up; 0 when there is none',
      null,
      async () => {
        const [row] = await this.database.query<{ oldest: Date | null }[]>(OLDEST);
        const age = row?.oldest ? this.clock.now().getTime() - row.oldest.getTime() : 0;
        return { '': Math.max(0, age) / 1_000 };
      },
    );
  }
}

/** By the partial indexes: finished deliveries, of which there are most, are not read. */
const WAITING = `
SELECT 'unrelayed' AS state, count(*) FROM outbox_events WHERE relayed_at IS NULL
UNION ALL SELECT 'ready', count(*) FROM webhook_deliveries WHERE state = 'ready'
UNION ALL SELECT state, count(*) FROM webhook_deliveries WHERE wake_at IS NOT NULL GROUP BY state`;

const OLDEST = `
SELECT least(
  (SELECT min(created_at) FROM outbox_events WHERE relayed_at IS NULL),
  (SELECT min(created_at) FROM webhook_deliveries WHERE state = 'ready'),
  (SELECT min(created_at) FROM webhook_deliveries WHERE wake_at IS NOT NULL)) AS oldest`;

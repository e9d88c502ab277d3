import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Metrics } from '../../platform/observability/metrics';
import { SealedSecretsService } from '../endpoints/endpoint-secrets.service';
import { WorkersService } from './workers.service';

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
    private readonly workers: WorkersService,
    private readonly secrets: SealedSecretsService,
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
      'quiz_webhook_stuck_deliveries',
      'Queued deliveries whose job was added again three times or more: the queue or its workers lose jobs',
      null,
      async () => {
        const [row] = await this.database.query<{ count: number }[]>(STUCK);
        return { '': row?.count ?? 0 };
      },
    );
    this.metrics.gauge(
      'quiz_webhook_oldest_unrelayed_seconds',
      'Age of the oldest event without deliveries; 0 when there is none',
      null,
      () => this.ages(OLDEST_UNRELAYED).then(({ age = 0 }) => ({ '': age })),
    );
    this.metrics.gauge(
      'quiz_webhook_oldest_undelivered_seconds',
      'Age of the oldest unfinished delivery, by whether its endpoint is failing; 0 when there is none',
      'endpoint',
      () => this.ages(OLDEST_UNDELIVERED),
    );
    this.metrics.gauge(
      'quiz_webhook_workers',
      'Webhook workers by their heartbeats: delivering, without their queue, or gone within the last hour',
      'state',
      async () => {
        const states = { delivering: 0, queue_away: 0, gone: 0 };
        for (const { alive, queueAnswers } of await this.workers.list())
          states[alive ? (queueAnswers ? 'delivering' : 'queue_away') : 'gone']++;
        return states;
      },
    );
    this.metrics.gauge(
      'quiz_webhook_unreadable_secrets',
      'Signing secrets that this ENCRYPTION_KEY does not open: their deliveries wait',
      null,
      async () => ({ '': (await this.secrets.look()).unreadable }),
    );
  }

  /** Seconds since each time that the statement returns, by its column; 0 for none. */
  private async ages(statement: string): Promise<Record<string, number>> {
    const [row = {}] = await this.database.query<Record<string, Date | null>[]>(statement);
    const now = this.clock.now().getTime();
    const age = (since: Date | null) => (since ? Math.max(0, now - since.getTime()) / 1_000 : 0);
    return Object.fromEntries(Object.entries(row).map(([column, since]) => [column, age(since)]));
  }
}

/** By the partial indexes: finished deliveries, of which there are most, are not read. */
const WAITING = `
SELECT 'unrelayed' AS state, count(*) FROM outbox_events WHERE relayed_at IS NULL
UNION ALL SELECT 'ready', count(*) FROM webhook_deliveries WHERE state = 'ready'
UNION ALL SELECT state, count(*) FROM webhook_deliveries WHERE next_check_at IS NOT NULL GROUP BY state`;

const STUCK = `
SELECT count(*)::int FROM webhook_deliveries WHERE state = 'queued' AND next_check_at IS NOT NULL AND requeued >= 3`;

const OLDEST_UNRELAYED = `SELECT min(created_at) AS age FROM outbox_events WHERE relayed_at IS NULL`;

/** A failing endpoint is its owner's trouble; a healthy one that waits is ours. */
const OLDEST_UNDELIVERED = `
SELECT min(d.created_at) FILTER (WHERE e.failing_since IS NULL) AS healthy,
       min(d.created_at) FILTER (WHERE e.failing_since IS NOT NULL) AS failing
FROM (SELECT endpoint_id, created_at FROM webhook_deliveries WHERE state = 'ready'
      UNION ALL SELECT endpoint_id, created_at FROM webhook_deliveries WHERE next_check_at IS NOT NULL) d
JOIN webhook_endpoints e ON e.id = d.endpoint_id`;

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Metrics } from '../../platform/observability/metrics';
import { SealedSecretsService } from '../endpoints/endpoint-secrets.service';
import { WorkersService } from './workers.service';

/**
 * The backlog of deliveries. The API reports it as well as the worker, because the worker may be gone. Every process
 * reports the same values, so aggregate them with `max`.
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
    for (const { name, help, label, sql } of GAUGES)
      this.metrics.gauge(name, help, label, () => this.valuesOf(sql));
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

  /** Events without deliveries (`unrelayed`) and unfinished deliveries, by state; and the age of the oldest such event. */
  async backlog(): Promise<{ backlog: Record<string, number>; oldestSeconds: number }> {
    const [backlog, oldest] = await Promise.all([
      this.valuesOf(WAITING.sql),
      this.valuesOf(OLDEST_EVENT.sql),
    ]);
    return { backlog, oldestSeconds: oldest[''] ?? 0 };
  }

  /** A time as its age in seconds; 0 for none. */
  private async valuesOf(sql: string): Promise<Record<string, number>> {
    const rows = await this.database.query<{ label: string; value: string | Date | null }[]>(sql);
    const age = (time: Date) => Math.max(0, this.clock.now().getTime() - time.getTime()) / 1_000;
    return Object.fromEntries(
      rows.map(({ label, value }) => [label, value instanceof Date ? age(value) : Number(value)]),
    );
  }
}

const WAITING = {
  name: 'quiz_webhook_waiting',
  help: 'Events without deliveries yet, and deliveries that are not finished, by state',
  label: 'state',
  // Uses the partial indexes: finished deliveries, which are most of them, are not read.
  sql: `
SELECT 'unrelayed' AS label, count(*) AS value FROM outbox_events WHERE relayed_at IS NULL
UNION ALL SELECT 'ready', count(*) FROM webhook_deliveries WHERE state = 'ready'
UNION ALL SELECT state, count(*) FROM webhook_deliveries WHERE next_check_at IS NOT NULL GROUP BY state`,
};

const OLDEST_EVENT = {
  name: 'quiz_webhook_oldest_unrelayed_seconds',
  help: 'Age of the oldest event without deliveries; 0 when there is none',
  label: null,
  sql: `SELECT '' AS label, min(created_at) AS value FROM outbox_events WHERE relayed_at IS NULL`,
};

const GAUGES = [
  WAITING,
  OLDEST_EVENT,
  {
    name: 'quiz_webhook_stuck_deliveries',
    help: 'Queued deliveries whose job was added again three times or more: the queue or its workers lose jobs',
    label: null,
    sql: `
SELECT '' AS label, count(*) AS value FROM webhook_deliveries
WHERE state = 'queued' AND next_check_at IS NOT NULL AND requeued >= 3`,
  },
  {
    // An endpoint that fails, or answers slowly, is its owner's problem; a delay at a healthy one is ours.
    name: 'quiz_webhook_oldest_undelivered_seconds',
    help: 'Age of the oldest unfinished delivery, by whether its endpoint is healthy, slow or failing; 0 when there is none',
    label: 'endpoint',
    sql: `
SELECT label, min(d.created_at) AS value
FROM (VALUES ('healthy'), ('slow'), ('failing')) AS endpoints (label) LEFT JOIN (
  SELECT w.created_at, CASE WHEN e.failing_since IS NOT NULL THEN 'failing'
    WHEN e.slow_until > now() THEN 'slow' ELSE 'healthy' END AS label
  FROM (SELECT endpoint_id, created_at FROM webhook_deliveries WHERE state = 'ready'
        UNION ALL SELECT endpoint_id, created_at FROM webhook_deliveries WHERE next_check_at IS NOT NULL) w
  JOIN webhook_endpoints e ON e.id = w.endpoint_id
) d USING (label) GROUP BY label`,
  },
];

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
  help: 'Events without deliveries yet, and deliveries that are not finished: due, scheduled for later, being sent, paused',
  label: 'state',
  // Uses the partial indexes: finished deliveries, which are most of them, are not read.
  sql: `
SELECT 'unrelayed' AS label, count(*) AS value FROM outbox_events WHERE relayed_at IS NULL
UNION ALL SELECT 'paused', count(*) FROM webhook_deliveries WHERE status = 'paused'
UNION ALL
SELECT label, count(d.state) FROM (VALUES ('due'), ('scheduled'), ('sending')) AS states (label) LEFT JOIN (
  SELECT CASE WHEN attempt_job IS NOT NULL THEN 'sending' WHEN next_attempt_at <= now() THEN 'due' ELSE 'scheduled' END AS state
  FROM webhook_deliveries WHERE status = 'pending'
) d ON d.state = label GROUP BY label`,
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
    help: 'Deliveries that are due for five minutes at endpoints to which nothing is being sent, except failing and slow ones: the queue or its workers lose jobs',
    label: null,
    sql: `
SELECT '' AS label, count(*) AS value FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
WHERE d.status = 'pending' AND d.next_attempt_at < now() - interval '5 minutes' AND d.attempt_job IS NULL
  AND e.failing_since IS NULL
  -- A long backlog of an endpoint moves as long as there are attempts. One that began long ago has lost its worker.
  AND NOT EXISTS (SELECT FROM webhook_deliveries b WHERE b.endpoint_id = e.id AND b.status = 'pending'
                  AND b.attempt_started_at > now() - interval '5 minutes')
  AND NOT EXISTS (SELECT FROM webhook_endpoints s WHERE s.account_id = e.account_id AND s.slow_until > now())`,
  },
  {
    // A failing or slow endpoint is its owner's problem, and delays the others of its account; a delay at others is ours.
    name: 'quiz_webhook_oldest_undelivered_seconds',
    help: 'Age of the oldest unfinished delivery: at failing endpoints, at those of an account with a slow endpoint, at the others; 0 when there is none',
    label: 'endpoint',
    sql: `
SELECT label, min(d.created_at) AS value
FROM (VALUES ('healthy'), ('slow'), ('failing')) AS endpoints (label) LEFT JOIN (
  SELECT w.created_at,
         CASE WHEN e.failing_since IS NOT NULL THEN 'failing'
              WHEN EXISTS (SELECT FROM webhook_endpoints s WHERE s.account_id = e.account_id AND s.slow_until > now()) THEN 'slow'
              ELSE 'healthy' END AS endpoint
  FROM webhook_deliveries w JOIN webhook_endpoints e ON e.id = w.endpoint_id WHERE w.status = 'pending'
) d ON d.endpoint = label GROUP BY label`,
  },
];

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { query, type Sql } from '../../platform/database/sql';
import { Metrics } from '../../platform/observability/metrics';
import { SealedSecretsService } from '../endpoints/sealed-secrets.service';
import { GAUGES, OLDEST_EVENT, WAITING } from './webhook-metrics.queries';
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
    for (const { name, help, label, statement } of GAUGES)
      this.metrics.gauge(name, help, label, () => this.valuesOf(statement));
    this.metrics.gauge(
      'quiz_webhook_workers',
      'Webhook workers by their heartbeats: delivering, without their queue, or gone within the last hour',
      'state',
      async () => {
        const states = { delivering: 0, queue_away: 0, gone: 0 };
        for (const worker of await this.workers.list()) states[stateOf(worker)]++;
        return states;
      },
    );
    this.metrics.gauge(
      'quiz_webhook_unreadable_secrets',
      'Signing secrets that this ENCRYPTION_KEY does not open: their deliveries wait',
      null,
      async () => ({ '': (await this.secrets.check()).unreadable }),
    );
  }

  /** Events without deliveries (`unrelayed`) and unfinished deliveries, by state; and the age of the oldest such event. */
  async backlog(): Promise<{ backlog: Record<string, number>; oldestSeconds: number }> {
    const [backlog, oldest] = await Promise.all([
      this.valuesOf(WAITING.statement),
      this.valuesOf(OLDEST_EVENT.statement),
    ]);
    return { backlog, oldestSeconds: oldest[''] ?? 0 };
  }

  /** The rows of a statement as numbers; a time becomes its age in seconds, 0 if there is none. */
  private async valuesOf(statement: Sql): Promise<Record<string, number>> {
    const rows = await query<{ label: string; value: string | Date | null }[]>(
      this.database,
      statement,
    );
    const age = (time: Date) => Math.max(0, this.clock.now().getTime() - time.getTime()) / 1_000;
    return Object.fromEntries(
      rows.map(({ label, value }) => [label, value instanceof Date ? age(value) : Number(value)]),
    );
  }
}

function stateOf({ alive, queueAnswers }: { alive: boolean; queueAnswers: boolean }) {
  if (!alive) return 'gone';
  return queueAnswers ? 'delivering' : 'queue_away';
}

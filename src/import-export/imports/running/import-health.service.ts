import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { HealthCheck, HealthResult } from '../../../platform/health/readiness.service';
import { Metrics } from '../../../platform/observability/metrics';
import { countImports, type ImportCounts } from '../import.queries';

/** Whether imports make progress. No process runs while there are none, so none is expected. */
@Injectable()
export class ImportHealth implements HealthCheck, OnModuleInit {
  readonly name = 'imports';
  private counting: Promise<ImportCounts> | undefined;

  constructor(
    private readonly database: DataSource,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    this.metrics.gauge(
      'quiz_imports',
      'Imports that wait for a worker, run, and run without progress for a minute',
      'state',
      async () => {
        const { waiting, running, stalled } = await this.count();
        return { waiting, running, stalled };
      },
    );
    this.metrics.gauge(
      'quiz_imports_oldest_waiting_seconds',
      'Since the import that waits the longest arrived; 0 if none waits',
      null,
      async () => ({ '': (await this.count()).oldestSeconds }),
    );
  }

  /** Once for all that ask at the same time, as the metrics of one scrape do. */
  private count(): Promise<ImportCounts> {
    this.counting ??= countImports(this.database).finally(() => (this.counting = undefined));
    return this.counting;
  }

  async checkHealth(): Promise<HealthResult> {
    const { stalled } = await this.count();
    return stalled === 0 ? { state: 'up' } : STALLED;
  }
}

const STALLED: HealthResult = {
  state: 'stalled',
  effect: 'degraded',
  note: 'An import has made no progress for a minute. Read the lines of the process "imports" in the log of the worker.',
};

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Finding, HealthCheck } from '../../../platform/health/readiness.service';
import { Metrics } from '../../../platform/observability/metrics';

/** Seconds without progress. A hostile file may be read for a while without yielding a row. */
const STALLED_AFTER = 60;

/** How many imports wait and run. */
export interface ImportCounts {
  waiting: number;
  running: number;
  /** Those that run and make no progress. */
  stalled: number;
  /** Since the one that waits the longest arrived; 0 if none waits. */
  oldestSeconds: number;
}

/** Whether imports make progress. No process runs while there are none, so none is expected. */
@Injectable()
export class ImportHealth implements HealthCheck, OnModuleInit {
  readonly name = 'imports';

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
        const { waiting, running, stalled } = await countImports(this.database);
        return { waiting, running, stalled };
      },
    );
    this.metrics.gauge(
      'quiz_imports_oldest_waiting_seconds',
      'Since the import that waits the longest arrived; 0 if none waits',
      null,
      async () => ({ '': (await countImports(this.database)).oldestSeconds }),
    );
  }

  async look(): Promise<Finding> {
    const { stalled } = await countImports(this.database);
    return stalled === 0 ? { state: 'up' } : STALLED;
  }
}

export async function countImports(database: DataSource): Promise<ImportCounts> {
  const [counts] = await database.query<[ImportCounts]>(
    `SELECT count(*) FILTER (WHERE state = 'waiting')::int AS waiting,
       count(*) FILTER (WHERE state = 'running')::int AS running,
       count(*) FILTER (WHERE state = 'running' AND progress_at < now() - interval '${STALLED_AFTER} seconds')::int AS stalled,
       coalesce(extract(epoch FROM now() - min(created_at) FILTER (WHERE state = 'waiting')), 0)::float8 AS "oldestSeconds"
     FROM imports WHERE next_check_at IS NOT NULL`,
  );
  return counts;
}

const STALLED: Finding = {
  state: 'stalled',
  effect: 'degraded',
  note: 'An import has made no progress for a minute. Read the lines of the process "imports" in the log of the worker.',
};

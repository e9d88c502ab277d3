import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { Clock } from '../clock';
import { DatabaseClock } from '../database/database-clock';
import { VERSION } from '../version';
import { Metrics } from './metrics';

/** This process's version and connections, and whether the database takes writes. */
@Injectable()
export class DatabaseMetrics implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.metrics.gauge(
      'quiz_database_connections',
      'Connections of the pool, and those who wait for one',
      'state',
      () => {
        const { totalCount, idleCount, waitingCount } = (
          this.database.driver as unknown as { master: Pool }
        ).master;
        return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
      },
    );
    this.metrics.gauge(
      'quiz_database_read_only',
      '1 when the database refuses writes: a demoted primary, or a managed database whose disk is full',
      null,
      async () => {
        const [row] = await this.database.query<{ read_only: boolean }[]>(
          `SELECT current_setting('transaction_read_only')::boolean AS read_only`,
        );
        return { '': Number(row?.read_only) };
      },
    );
    this.metrics.gauge(
      'quiz_clock_skew_seconds',
      "How far this machine's clock is ahead of the database's, measured within the last minute",
      null,
      () => ({ '': this.clock instanceof DatabaseClock ? this.clock.skew / 1_000 : 0 }),
    );
    this.metrics.gauge('quiz_build_info', 'Always 1; the version is the label', 'version', () => ({
      [VERSION]: 1,
    }));
  }
}

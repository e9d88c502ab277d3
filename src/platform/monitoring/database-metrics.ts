import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { VERSION } from '../version';
import { Metrics } from './metrics';

/** This process's version and connections, and whether the database takes writes. */
@Injectable()
export class DatabaseMetrics implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly database: DataSource,
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
    this.metrics.gauge('quiz_build_info', 'Always 1; the version is the label', 'version', () => ({
      [VERSION]: 1,
    }));
  }
}

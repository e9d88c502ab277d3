import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { Metrics } from './metrics';

/** The connections of this process to the database. */
@Injectable()
export class PoolMetrics implements OnModuleInit {
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
  }
}

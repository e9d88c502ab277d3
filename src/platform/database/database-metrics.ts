import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { Clock, DatabaseClock } from '../clock';
import { Metrics } from '../observability/metrics';
import { Replicas } from './replicas';
import { query, sql } from './sql';

/** Connections, replicas, tables and the clock of the database, and whether it takes writes. */
@Injectable()
export class DatabaseMetrics implements OnModuleInit {
  private sampled: { at: number; tables: Promise<TableSize[]> } | undefined;

  constructor(
    private readonly metrics: Metrics,
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly replicas: Replicas,
  ) {}

  onModuleInit(): void {
    this.metrics.gauge(
      'quiz_database_replicas',
      'Read replicas by whether this process sends them reads',
      'state',
      () => this.replicas.countByState(),
    );
    this.metrics.gauge(
      'quiz_database_connections',
      'Connections of the pool, and requests that wait for one',
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
        const [row] = await query<{ read_only: boolean }[]>(
          this.database,
          sql`SELECT current_setting('transaction_read_only')::boolean AS read_only`,
        );
        return { '': Number(row?.read_only) };
      },
    );
    this.metrics.gauge(
      'quiz_clock_skew_seconds',
      "How far this machine's clock is ahead of the database's, at the last measurement",
      null,
      () => ({ '': this.clock instanceof DatabaseClock ? this.clock.skew / 1_000 : 0 }),
    );
    for (const value of ['bytes', 'rows'] as const)
      this.metrics.gauge(
        `quiz_table_${value}`,
        value === 'bytes'
          ? 'Size of each table with its indexes, at most a minute old'
          : 'Rows of each table as PostgreSQL estimates them, at most a minute old',
        'table',
        async () =>
          Object.fromEntries((await this.tables()).map((table) => [table.name, table[value]])),
      );
  }

  /** Reads no rows, and runs at most once a minute, however often it is called. */
  private tables(): Promise<TableSize[]> {
    const now = performance.now();
    if (!this.sampled || now - this.sampled.at > 60_000) {
      const tables = query<TableSize[]>(this.database, TABLES);
      this.sampled = { at: now, tables };
      tables.catch(() => (this.sampled = undefined));
    }
    return this.sampled.tables;
  }
}

interface TableSize {
  name: string;
  rows: number;
  bytes: number;
}

/** Those of BullMQ have their schema in front: `bullmq.job`. */
const TABLES = sql`
SELECT CASE nspname WHEN 'public' THEN relname ELSE nspname || '.' || relname END AS name,
  greatest(reltuples, 0)::float8 AS rows, pg_total_relation_size(c.oid)::float8 AS bytes
FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
WHERE relkind = 'r' AND nspname IN ('public', 'bullmq')`;

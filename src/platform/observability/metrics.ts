import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { Config, VERSION } from '../config/config';
import { Clock, DatabaseClock } from '../clock';
import { Replicas } from '../database/replicas';

/** Milliseconds. Prometheus gives up on a scrape after ten seconds. */
const LOOK_WITHIN = 1_000;

/** The metrics of this process for Prometheus, which reads them if METRICS_PORT is set. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  constructor({ metricsPort }: Config) {
    if (metricsPort !== null) collectDefaultMetrics({ register: this.registry });
  }

  counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** In seconds. */
  histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }

  /**
   * A value that is read when Prometheus asks. If reading fails or takes longer than a second (the pool is full,
   * the database does not respond), it is missing from that response; alerts notice it by `absent()`.
   * @param look its values by the label's value; without a label one under the empty name
   */
  gauge(
    name: string,
    help: string,
    label: string | null,
    look: () => Record<string, number> | Promise<Record<string, number>>,
  ): void {
    this.gaugeBy(name, help, label === null ? [] : [label], async () =>
      Object.entries(await look()).map(([key, value]) => ({
        labels: label === null ? {} : { [label]: key },
        value,
      })),
    );
  }

  /** A value by several labels, read as that of `gauge`. */
  gaugeBy<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    look: () => Promise<GaugeValue<Label>[]>,
  ): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      async collect() {
        this.reset();
        // Without a label, reset() writes a zero, which would be false if the read fails.
        if (labelNames.length === 0) this.remove();
        const values = await Promise.race([
          look().catch(() => []),
          sleep(LOOK_WITHIN, [], { ref: false }),
        ]);
        for (const { labels, value } of values) this.set(labels, value);
      },
    });
  }
}

/** One value of a gauge. */
interface GaugeValue<Label extends string> {
  labels: Partial<Record<Label, string>>;
  value: number;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Seconds. Most responses take one to five milliseconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Counts requests by method, route and status, and measures their duration. The route is the matched pattern, never
 * the path: labels that a client can choose would fill the memory.
 */
export function measureRequests(server: Server, metrics: Metrics): void {
  const requests = metrics.counter('quiz_http_requests_total', 'Requests that got a response', [
    'method',
    'route',
    'status',
  ]);
  const durations = metrics.histogram(
    'quiz_http_request_duration_seconds',
    'From the request to the end of its response',
    ['method', 'route'],
    BUCKETS,
  );
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const begun = performance.now();
    response.once('close', () => {
      const method = METHODS.has(request.method ?? '') ? (request.method ?? '') : 'other';
      const route = routeOf(request);
      // As in the access log: 499 for a client that disconnected before it got a response.
      const status = String(response.headersSent ? response.statusCode : 499);
      requests.inc({ method, route, status });
      durations.observe({ method, route }, (performance.now() - begun) / 1_000);
    });
  });
}

/** Express stores the matched route on the request. */
function routeOf(request: IncomingMessage & { route?: { path?: unknown } }): string {
  const path = request.route?.path;
  // The catch-all at the end matches what nothing else did.
  return typeof path === 'string' && !path.includes('*') ? path : 'unmatched';
}

/** This process's version and connections, and whether the database takes writes. */
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
    this.metrics.gauge('quiz_build_info', 'Always 1; the version is the label', 'version', () => ({
      [VERSION]: 1,
    }));
  }

  /** Reads no rows, and runs at most once a minute, however often it is called. */
  private tables(): Promise<TableSize[]> {
    const now = performance.now();
    if (!this.sampled || now - this.sampled.at > 60_000) {
      const tables = this.database.query<TableSize[]>(TABLES);
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

const TABLES = `
SELECT relname AS name, greatest(reltuples, 0)::float8 AS rows, pg_total_relation_size(oid)::float8 AS bytes
FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`;

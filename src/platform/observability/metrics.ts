import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { Config, VERSION } from '../config/config';

/** Milliseconds. Prometheus gives up on a scrape after ten seconds. */
const READ_WITHIN = 1_000;

/** The metrics of this process for Prometheus, which reads them if METRICS_PORT is set. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  constructor({ metrics }: Config) {
    if (metrics) collectDefaultMetrics({ register: this.registry });
    this.gauge('quiz_build_info', 'Always 1; the version is the label', 'version', () => ({
      [VERSION]: 1,
    }));
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
   * @param read its values by the label's value; without a label one under the empty name
   */
  gauge(
    name: string,
    help: string,
    label: string | null,
    read: () => Record<string, number> | Promise<Record<string, number>>,
  ): void {
    this.gaugeBy(name, help, label === null ? [] : [label], async () =>
      Object.entries(await read()).map(([key, value]) => ({
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
    read: () => Promise<GaugeValue<Label>[]>,
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
          read().catch(() => []),
          sleep(READ_WITHIN, [], { ref: false }),
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

import { Injectable } from '@nestjs/common';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { Config } from '../config/config';

/** Does nothing: for metrics that nobody reads. */
const NOBODY = { add: () => undefined, observe: () => undefined };

/** Milliseconds. Prometheus gives up on a scrape after ten seconds. */
const LOOK_WITHIN = 1_000;

/** By label name. */
type Labels = Record<string, string>;

/** The metrics of this process for Prometheus. Without METRICS_PORT there are none, and counters do nothing. */
@Injectable()
export class Metrics {
  readonly registry: Registry | null = null;

  constructor(config: Config) {
    if (config.metricsPort === null) return;
    this.registry = new Registry();
    collectDefaultMetrics({ register: this.registry });
  }

  counter(name: string, help: string, labelNames: string[]): { add(labels: Labels): void } {
    if (!this.registry) return NOBODY;
    const counter = new Counter({ name, help, labelNames, registers: [this.registry] });
    return { add: (labels) => counter.inc(labels) };
  }

  /** In seconds. */
  histogram(
    name: string,
    help: string,
    labelNames: string[],
    buckets: number[],
  ): { observe(labels: Labels, seconds: number): void } {
    if (!this.registry) return NOBODY;
    const histogram = new Histogram({
      name,
      help,
      labelNames,
      buckets,
      registers: [this.registry],
    });
    return { observe: (labels, seconds) => histogram.observe(labels, seconds) };
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
    if (!this.registry) return;
    new Gauge({
      name,
      help,
      labelNames: label === null ? [] : [label],
      registers: [this.registry],
      async collect() {
        this.reset();
        // Without a label, reset() writes a zero, which would be false if the read fails.
        if (label === null) this.remove();
        const values = await Promise.race([
          Promise.resolve()
            .then(look)
            .catch(() => ({})),
          sleep(LOOK_WITHIN, {}, { ref: false }),
        ]);
        for (const [key, value] of Object.entries(values))
          this.set(label === null ? {} : { [label]: key }, value);
      },
    });
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Seconds. Most responses take one to five milliseconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Counts requests by method, route and status, and measures their duration. The route is the matched pattern, never
 * the path: labels that a client can choose would fill the memory. Costs requests nothing while metrics are off.
 */
export function measureRequests(server: Server, metrics: Metrics): void {
  if (!metrics.registry) return;
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
      requests.add({ method, route, status });
      durations.observe({ method, route }, (performance.now() - begun) / 1_000);
    });
  });
}

/** Express stores the matched route on the request. */
export function routeOf(request: IncomingMessage & { route?: { path?: unknown } }): string {
  const path = request.route?.path;
  // The catch-all at the end matches what nothing else did.
  return typeof path === 'string' && !path.includes('*') ? path : 'unmatched';
}

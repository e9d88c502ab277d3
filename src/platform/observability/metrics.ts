import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { Config } from '../config/config';

/** Nothing happens to numbers that nobody reads. */
const NOBODY = { add: () => undefined, observe: () => undefined };

/** Milliseconds. Prometheus gives up on a scrape after ten seconds. */
const LOOK_WITHIN = 1_000;

/** By label name. */
type Labels = Record<string, string>;

/**
 * The numbers of this process for Prometheus. Where METRICS_PORT is not set there are none, and what counts is told
 * to do nothing.
 */
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
   * A number that is looked up when Prometheus asks. A look that fails, or takes longer than a second (the pool is
   * full, the database is silent), leaves it out of that response; alerts notice it by `absent()`.
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
        // Without a label reset() writes a zero, which would be a lie where the look fails.
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

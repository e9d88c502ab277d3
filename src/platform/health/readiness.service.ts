import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '../observability/logger';
import { within } from '../within';

/** One part of `/health/ready`. Modules implement it; `HealthModule` lists them. */
export interface HealthCheck {
  /** Its field in the response. */
  readonly name: string;
  /** May throw or hang: the response then says so and does not wait. */
  checkHealth(): HealthResult | Promise<HealthResult>;
  /** The result of a check that fails or takes too long; absent: `unknown`, without effect. */
  readonly fallback?: HealthResult;
}

export interface HealthResult {
  /** One word, such as `up`, `down` or `unused`. */
  state: string;
  /** The effect on the readiness of this process: it runs degraded, or cannot serve requests. */
  effect?: 'degraded' | 'unready';
  /** A sentence for people if something is wrong. */
  note?: string;
}

/** Injection token of the list. */
export const HEALTH_CHECKS = Symbol('HEALTH_CHECKS');

/** Milliseconds. Load balancers give up after a few seconds, and our response says more than that. */
const WITHIN = 2_000;

/** The results by the names of the checks. */
export type Findings = Record<string, HealthResult>;

/** Runs all checks at once, in bounded time. */
@Injectable()
export class ReadinessService {
  private readonly underWay = new Map<HealthCheck, Promise<HealthResult>>();
  /** Checks of which a run hangs beside the one under way. */
  private readonly hanging = new Set<HealthCheck>();
  private ready = true;

  constructor(
    @Inject(HEALTH_CHECKS) private readonly checks: readonly HealthCheck[],
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async checkAll(): Promise<Findings> {
    const entries = await Promise.all(
      this.checks.map(async (check) => [check.name, await this.finding(check)] as const),
    );
    const error = entries.find(([, { effect }]) => effect === 'unready')?.[1];
    this.logChange(error);
    return Object.fromEntries(entries);
  }

  private async finding(check: HealthCheck): Promise<HealthResult> {
    const run = this.runOnce(check);
    try {
      return await within(WITHIN, run);
    } catch (error) {
      this.setAside(check, run);
      this.logger.debug({ err: error }, `health: check ${check.name} failed`);
      return check.fallback ?? { state: 'unknown' };
    }
  }

  /**
   * The next request checks again: what hung may have recovered by then. If that hangs too, requests wait for it: each run
   * may occupy a connection of the database.
   */
  private setAside(check: HealthCheck, run: Promise<HealthResult>): void {
    if (this.underWay.get(check) !== run || this.hanging.has(check)) return;
    this.underWay.delete(check);
    this.hanging.add(check);
    const end = () => this.hanging.delete(check);
    run.then(end, end);
  }

  /**
   * However many clients ask, a check begins once, and again only after it has ended, or once more after it has hung for two
   * seconds.
   */
  private runOnce(check: HealthCheck): Promise<HealthResult> {
    let result = this.underWay.get(check);
    if (!result) {
      const begun = Promise.resolve()
        .then(() => check.checkHealth())
        .finally(() => {
          if (this.underWay.get(check) === begun) this.underWay.delete(check);
        });
      this.underWay.set(check, (result = begun));
    }
    return result;
  }

  /** Logged once when it changes: a load balancer asks every few seconds. */
  private logChange(error: HealthResult | undefined): void {
    const isReady = !error;
    if (isReady === this.ready) return;
    this.ready = isReady;
    if (error) this.logger.warn(`not ready: ${error.note ?? error.state}`);
    else this.logger.info('ready again');
  }
}

/**
 * The response of `/health/ready` in every process: 503 with the reason if a check says `unready`. 200 otherwise:
 * `status` is `degraded` if a check says so, else `ready`; then the state of each part by its name, and `notes` about
 * problems, also those that have no effect on the readiness.
 */
export function readinessResponse(findings: Findings): { status: 200 | 503; body: object } {
  const all = Object.entries(findings);
  const of = (effect: HealthResult['effect']) => all.find(([, it]) => it.effect === effect)?.[1];
  const error = of('unready');
  if (error) return { status: 503, body: { success: false, error: error.note ?? 'Not ready.' } };
  return {
    status: 200,
    body: {
      success: true,
      data: {
        status: of('degraded') ? 'degraded' : 'ready',
        ...Object.fromEntries(all.map(([name, { state }]) => [name, state])),
        notes: all.flatMap(([, { note }]) => note ?? []),
      },
    },
  };
}

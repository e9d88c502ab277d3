import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '../observability/logger';
import { within } from '../process/loop';

/** One thing that `/health/ready` looks at. Modules implement it, the API's root puts them together. */
export interface HealthCheck {
  /** Its field in the answer. */
  readonly name: string;
  /** May throw or take as long as it likes: the answer then says so, and does not wait. */
  look(): Finding | Promise<Finding>;
  /** What it means that the look failed or took too long; absent: `unknown`, without effect. */
  readonly otherwise?: Finding;
}

export interface Finding {
  /** One word: `up`, `down`, `unused`. */
  state: string;
  /** On the readiness of this process: it serves with something missing, or cannot serve. */
  effect?: 'degraded' | 'unready';
  /** A sentence for people, where something is wrong. */
  note?: string;
}

/** Injection token of the list. */
export const HEALTH_CHECKS = Symbol('HEALTH_CHECKS');

/** Milliseconds. Load balancers give up after a few seconds, and our answer says more than that. */
const WITHIN = 2_000;

/** What was found, by the names of the checks. */
export type Findings = Record<string, Finding>;

/** Looks at everything at once, in bounded time. */
@Injectable()
export class ReadinessService {
  private readonly underWay = new Map<HealthCheck, Promise<Finding>>();
  private ready = true;

  constructor(
    @Inject(HEALTH_CHECKS) private readonly checks: readonly HealthCheck[],
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async look(): Promise<Findings> {
    const entries = await Promise.all(
      this.checks.map(async (check) => [check.name, await this.finding(check)] as const),
    );
    const error = entries.find(([, { effect }]) => effect === 'unready')?.[1];
    this.say(error);
    return Object.fromEntries(entries);
  }

  private async finding(check: HealthCheck): Promise<Finding> {
    try {
      return await within(WITHIN, this.lookAt(check));
    } catch (error) {
      // The next request looks again: what hung may be gone by then.
      this.underWay.delete(check);
      this.logger.debug({ err: error }, `health: the look at ${check.name} failed`);
      return check.otherwise ?? { state: 'unknown' };
    }
  }

  /** One look at a time, however many ask. */
  private lookAt(check: HealthCheck): Promise<Finding> {
    let look = this.underWay.get(check);
    if (!look) {
      const begun = Promise.resolve()
        .then(() => check.look())
        .finally(() => {
          if (this.underWay.get(check) === begun) this.underWay.delete(check);
        });
      this.underWay.set(check, (look = begun));
    }
    return look;
  }

  /** Once when it changes: a load balancer asks every few seconds. */
  private say(error: Finding | undefined): void {
    if (this.ready === !error) return;
    this.ready = !error;
    if (error) this.logger.warn(`not ready: ${error.note ?? error.state}`);
    else this.logger.info('ready again');
  }
}

/**
 * What `/health/ready` answers, in every process: 503 where something is missing without which it cannot serve,
 * with the reason. 200 otherwise: `status` is `ready`, or `degraded` where something is missing that it can do
 * without; then each part by its name, and `notes` on what is wrong.
 */
export function readinessAnswer(findings: Findings): { status: 200 | 503; body: object } {
  const all = Object.entries(findings);
  const of = (effect: Finding['effect']) => all.find(([, it]) => it.effect === effect)?.[1];
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

/** What `/health/live` answers: the process runs. */
export const LIVE = { success: true, data: { status: 'live' } };

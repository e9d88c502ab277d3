import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '../observability/logger';
import { within } from '../process/within';
import { HEALTH_CHECKS, type Finding, type HealthCheck } from './health-check';

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

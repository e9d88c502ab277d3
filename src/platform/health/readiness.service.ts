import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '../logger';
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
    const fault = entries.find(([, { effect }]) => effect === 'unready')?.[1];
    this.say(fault);
    return Object.fromEntries(entries);
  }

  private finding(check: HealthCheck): Promise<Finding> {
    return new Promise((resolve) => {
      const failed = (error: unknown) => {
        this.logger.debug({ err: error }, `health: the look at ${check.name} failed`);
        resolve(check.otherwise ?? { state: 'unknown' });
      };
      const expire = () => {
        // The next request looks again: what hung may be gone by then.
        this.underWay.delete(check);
        failed(new Error(`no response within ${WITHIN} ms`));
      };
      const timer = setTimeout(expire, WITHIN);
      void this.lookAt(check)
        .then(resolve, failed)
        .finally(() => clearTimeout(timer));
    });
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
  private say(fault: Finding | undefined): void {
    if (this.ready === !fault) return;
    this.ready = !fault;
    if (fault) this.logger.warn(`not ready: ${fault.note ?? fault.state}`);
    else this.logger.info('ready again');
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { LOGGER, type Logger } from '../../platform/observability/logger';
import type { AttemptOutcome } from '../deliveries/attempt-outcome';
import { SecretBox } from '../endpoints/secret-box';
import { DeliverySender } from './sender';
import { deliveryHeaders } from './signature';
import { Leases, type LeasedDelivery } from './leases';
import { POSTPONE, STARTED_BY_RELAY } from './sending-limits';
import { AttemptRecorder } from './attempt-recorder';
import { StateLog } from '../../platform/process/loop';

/** Makes one attempt at a delivery: lease, send, record. */
@Injectable()
export class Attempts {
  private readonly state: StateLog;
  private readonly signing: StateLog;
  private readonly underWay = new Set<Promise<void>>();
  private withoutJob = 0;
  private finishing = false;
  private stopping = false;

  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly box: SecretBox,
    private readonly sender: DeliverySender,
    private readonly leases: Leases,
    private readonly outcomes: AttemptRecorder,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.state = new StateLog(logger, 'the database under a delivery');
    this.signing = new StateLog(logger, 'the signing of deliveries');
  }

  /** Jobs do not continue with further deliveries. */
  finishUp(): void {
    this.finishing = true;
  }

  /** Attempts that wait for the database give up; the sweep of another worker takes over. */
  stop(): void {
    this.stopping = true;
  }

  /**
   * Makes the attempt, and continues with deliveries that wait for the endpoint's slot, for a while: then the queue
   * decides again. Never throws and returns nothing: no text of a receiver reaches the queue, and the job ends
   * whatever the result of its delivery.
   */
  make(deliveryId: string): Promise<void> {
    const far = new Date(this.clock.now().getTime() + PATIENCE);
    return this.startWith(this.persist(far, () => this.leases.take(deliveryId)));
  }

  /** The same without a job, for a delivery that the relay has leased. */
  async start(delivery: LeasedDelivery): Promise<void> {
    this.withoutJob++;
    try {
      await this.startWith(Promise.resolve(this.leases.hold(delivery)));
    } finally {
      this.withoutJob--;
    }
  }

  /** How many deliveries the relay may start. */
  get room(): number {
    // Never negative: a run of the relay that was abandoned goes on, and starts what it has leased.
    return this.finishing ? 0 : Math.max(0, STARTED_BY_RELAY - this.withoutJob);
  }

  /** Resolves when the current attempts have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.underWay);
  }

  private startWith(leased: Promise<LeasedDelivery | null>): Promise<void> {
    const made = this.makeAll(leased).finally(() => this.underWay.delete(made));
    this.underWay.add(made);
    return made;
  }

  private async makeAll(leased: Promise<LeasedDelivery | null>): Promise<void> {
    const begun = Date.now();
    let delivery = await leased;
    while (delivery) {
      const goesOn = !this.finishing && Date.now() - begun < GOES_ON_FOR;
      const one: LeasedDelivery = delivery;
      delivery = await this.makeOne(one, goesOn);
      this.leases.forget(one);
    }
  }

  private async makeOne(delivery: LeasedDelivery, goesOn: boolean): Promise<LeasedDelivery | null> {
    const headers = this.sign(delivery);
    if (!headers) return this.persist(delivery.until, () => this.postpone(delivery));
    const outcome = await this.send(delivery, headers);
    return this.persist(delivery.until, () => this.outcomes.write(delivery, outcome, goesOn));
  }

  private sign(delivery: LeasedDelivery): Record<string, string> | null {
    try {
      const { endpointId, secret, otherSecret } = delivery;
      const headers = deliveryHeaders({
        ...delivery,
        secret: this.box.open(secret, endpointId),
        otherSecret: otherSecret && this.box.open(otherSecret, endpointId),
        // The time that the attempt's row has: its headers can be shown later.
        now: delivery.leasedAt,
      });
      this.signing.works();
      return headers;
    } catch (error) {
      this.signing.failed(error);
      return null;
    }
  }

  private async send(
    { url, body }: LeasedDelivery,
    headers: Record<string, string>,
  ): Promise<AttemptOutcome | 'interrupted'> {
    const request = { url, body, headers, timeoutMs: this.config.webhooks.timeout };
    try {
      return await this.sender.sendDelivery(request);
    } catch {
      // An error of our own, in practice a stop that could not wait longer (DeliverySender).
      return 'interrupted';
    }
  }

  /** No attempt was made and none is recorded: the delivery waits until an operator has fixed the key. */
  private async postpone(delivery: LeasedDelivery): Promise<null> {
    await this.database.query(
      `UPDATE webhook_deliveries
       SET state = 'waiting', next_check_at = $3, attempts = attempts - 1, lease_token = NULL, leased_at = NULL, leased_by = NULL
       WHERE id = $1 AND lease_token = $2`,
      [delivery.id, delivery.token, new Date(this.clock.now().getTime() + POSTPONE)],
    );
    return null;
  }

  /** Retries while the database is unreachable. Null if that took too long; nothing is lost. */
  private async persist<T>(until: Date, work: () => Promise<T>): Promise<T | null> {
    for (;;) {
      try {
        const result = await work();
        this.state.works();
        return result;
      } catch (error) {
        this.state.failed(error);
        if (this.stopping || this.clock.now() >= until) return null;
        await sleep(RETRY_EVERY);
      }
    }
  }
}

/** How long a job tries to lease its delivery before it gives up: the sweep makes another job for it. */
const PATIENCE = 10_000;
/** How long a job continues with what waits for its endpoint. */
const GOES_ON_FOR = 1_000;
const RETRY_EVERY = 500;

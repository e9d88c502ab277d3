import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { GroupCommit } from '../../platform/database/group-commit';
import { MINUTE } from '../../platform/durations';
import { LOGGER, type Logger } from '../../platform/observability/logger';
import { Metrics } from '../../platform/observability/metrics';
import { StateLog } from '../../platform/state-log';
import { type AttemptOutcome, isAcknowledged } from '../deliveries/attempt-outcome';
import { WebhookDelivery } from '../deliveries/delivery.entity';
import { decideNextState, type NextState } from '../deliveries/delivery.rules';
import { deliveryHeaders } from '../deliveries/signature';
import { endpointResponds, lockEndpoints } from '../endpoints/endpoint.queries';
import { SecretBox } from '../endpoints/secret-box';
import { Progress } from '../relay/liveness';
import {
  type AttemptRecord,
  type Claim,
  claimAttempts,
  type ClaimedDelivery,
  lockDelivery,
  postponeAttempt,
  recordAttempt,
  recordUnlocked,
  stopDelivery,
} from './delivery-attempt.queries';
import { DeliverySender } from './delivery-sender';
import { EndpointHealthService } from './endpoint-health.service';
import { POSTPONE, SLOW_SHARE_OF_TIMEOUT } from './sending-limits';

/** What the job does next. */
export type JobEnd = { health: NextState['health'] } & (Done | Later | Failed);

/** There is nothing more to do. */
interface Done {
  end: 'done';
}

/** It runs again after this many milliseconds; no attempt is spent. */
interface Later {
  end: 'later';
  delay: number;
}

/** An automatic attempt has failed with this code; the next is due after so many milliseconds, if there is one. */
interface Failed {
  end: 'failed';
  code: string;
  delay: number | null;
}

const DONE: JobEnd = { end: 'done', health: 'unknown' };
const later = (delay: number): JobEnd => ({
  end: 'later',
  delay: Math.max(0, Math.ceil(delay)),
  health: 'unknown',
});

/**
 * Makes attempts at deliveries: claims the delivery's row, signs, sends, and records the attempt with what follows.
 * The row has one attempt in progress at a time, and only the job that has begun it may record it. A job that finds
 * its own attempt in progress is the second run of a job whose worker has died: that attempt was interrupted.
 */
@Injectable()
export class DeliveryAttemptsService {
  private readonly databaseState: StateLog;
  private readonly signingState: StateLog;
  /** Deliveries that this worker has at hand: a job that was wrongly considered stalled comes a second time. */
  private readonly atHand = new Set<string>();
  private readonly claims = new GroupCommit<Claim, ClaimedDelivery>((claims) =>
    claimAttempts(this.dataSource.manager, claims, this.clock.now()),
  );
  private readonly successes = new GroupCommit<AttemptRecord, { id: string }>((attempts) =>
    recordUnlocked(this.dataSource.manager, attempts),
  );
  private readonly counter: ReturnType<Metrics['counter']>;
  private readonly latency: ReturnType<Metrics['histogram']>;
  private stopping = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly box: SecretBox,
    private readonly sender: DeliverySender,
    private readonly health: EndpointHealthService,
    private readonly progress: Progress,
    metrics: Metrics,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.databaseState = new StateLog(logger, 'the database under a delivery');
    this.signingState = new StateLog(logger, 'the signing of deliveries');
    this.counter = metrics.counter('quiz_webhook_attempts_total', 'Attempts that have ended', [
      'outcome',
    ]);
    this.latency = metrics.histogram(
      'quiz_webhook_delivery_seconds',
      'Time from an event to the response that acknowledged it, by whether the first attempt did',
      ['attempt'],
      [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600],
    );
  }

  /** Attempts that wait for the database give up: they are found interrupted. */
  stop(): void {
    this.stopping = true;
  }

  /** Makes the attempt that a job is for, if it is due. */
  async make(deliveryId: string, job: string): Promise<JobEnd> {
    if (this.atHand.has(deliveryId)) return later(BUSY);
    this.atHand.add(deliveryId);
    try {
      const claimed = await this.persist(CLAIM_WITHIN, () => this.claim(deliveryId, job));
      if (!claimed) return later(AWAY);
      if ('end' in claimed) return claimed;
      return await this.makeClaimed(claimed);
    } finally {
      this.atHand.delete(deliveryId);
    }
  }

  /** Begins the attempt. @returns what the job does instead, if it is not due */
  private async claim(deliveryId: string, job: string): Promise<ClaimedDelivery | JobEnd> {
    for (;;) {
      const claimed = await this.claims.add({ id: deliveryId, job });
      if (claimed) return claimed;
      const instead = await this.dataSource.transaction((tx) =>
        this.reasonNotToSend(tx, deliveryId, job),
      );
      if (instead) return instead;
    }
  }

  /** @returns null if the attempt is due now */
  private async reasonNotToSend(
    tx: EntityManager,
    deliveryId: string,
    job: string,
  ): Promise<JobEnd | null> {
    const seen = await tx.findOne(WebhookDelivery, {
      select: { endpointId: true },
      where: { id: deliveryId },
    });
    if (!seen) return DONE;
    // Whoever changes an endpoint changes its deliveries under its lock.
    await lockEndpoints(tx, [seen.endpointId]);
    const delivery = await lockDelivery(tx, deliveryId);
    if (!delivery) return DONE;
    const now = this.clock.now();
    const { startedAt, isDeleted, isDisabled, isForeign, isManual, status, nextAttemptAt } =
      delivery;
    if (startedAt) {
      if (delivery.job !== job) return later(BUSY);
      await this.recordIn(tx, { ...delivery, startedAt, job }, 'interrupted');
      this.counter.inc({ outcome: 'interrupted' });
      return null;
    }
    if ((isDeleted || isForeign || isDisabled) && (isManual || status === 'pending')) {
      const instead = isDeleted || isForeign ? 'cancelled' : 'paused';
      await stopDelivery(tx, deliveryId, instead, now);
      return DONE;
    }
    if (isManual) return null;
    if (status !== 'pending' || !nextAttemptAt) return DONE;
    const wait = nextAttemptAt.getTime() - now.getTime();
    if (wait <= 0) return null;
    // The job of a manual retry has nothing to do with the automatic one.
    return job === deliveryId ? later(wait) : DONE;
  }

  private async makeClaimed(delivery: ClaimedDelivery): Promise<JobEnd> {
    const patience = this.config.webhooks.timeout + RECORD_WITHIN;
    const headers = this.sign(delivery);
    if (!headers) {
      await this.persist(patience, () => this.postpone(delivery));
      return later(POSTPONE);
    }
    const outcome = await this.send(delivery, headers);
    const recorded = this.persist(patience, () => this.record(delivery, outcome));
    const next = await this.progress.outcome(recorded);
    // Another job has taken over; or the database is away for long, and the attempt will be found interrupted.
    if (!next) return later(AWAY);
    this.count(delivery, next);
    return { ...this.followingJob(delivery, outcome, next), health: next.health };
  }

  private followingJob(
    delivery: ClaimedDelivery,
    outcome: AttemptOutcome | 'interrupted',
    next: NextState,
  ): JobEnd {
    if (outcome === 'interrupted') return next.nextAttemptAt || next.isManual ? later(0) : DONE;
    if (next.health === 'good' || delivery.isTest) return DONE;
    const delay = next.nextAttemptAt && next.nextAttemptAt.getTime() - this.clock.now().getTime();
    const isLast = delay === null || next.status === 'paused';
    if (next.kind === 'automatic')
      return { ...DONE, end: 'failed', code: codeOf(outcome), delay: isLast ? null : delay };
    // A manual retry: the automatic attempts have their own job, or this is it.
    return isLast || delivery.job !== delivery.id ? DONE : later(delay);
  }

  private sign(delivery: ClaimedDelivery): Record<string, string> | null {
    try {
      const { endpointId, secret, otherSecret } = delivery;
      const headers = deliveryHeaders({
        ...delivery,
        secret: this.box.open(secret, endpointId),
        otherSecret: otherSecret && this.box.open(otherSecret, endpointId),
        // The time that the attempt's row has: its headers can be shown later.
        now: delivery.startedAt,
      });
      this.signingState.works();
      return headers;
    } catch (error) {
      this.signingState.failed(error);
      return null;
    }
  }

  private async send(
    { url, body }: ClaimedDelivery,
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
  private async postpone(delivery: ClaimedDelivery): Promise<true> {
    const until = new Date(this.clock.now().getTime() + POSTPONE);
    await postponeAttempt(this.dataSource, delivery, until);
    return true;
  }

  /**
   * Successes share a statement. A failure also changes the endpoint, under its lock; so does a success of a failing
   * endpoint, in one transaction, or the endpoint would stay failing when we stop between the two. A success whose row
   * is locked, or that another job has taken over, takes the same path.
   */
  private async record(
    delivery: ClaimedDelivery,
    outcome: AttemptOutcome | 'interrupted',
  ): Promise<NextState | null> {
    if (outcome !== 'interrupted' && isAcknowledged(outcome)) {
      const now = this.clock.now();
      const next = this.decide(delivery, outcome, { disabled: false, deleted: false }, now);
      if (await this.successes.add(attemptRecord(delivery, outcome, next, now))) {
        await this.noteSuccess(this.dataSource.manager, delivery, outcome, false);
        return next;
      }
    }
    return this.dataSource.transaction((tx) => this.recordIn(tx, delivery, outcome));
  }

  private async recordIn(
    tx: EntityManager,
    delivery: ClaimedDelivery,
    outcome: AttemptOutcome | 'interrupted',
  ): Promise<NextState | null> {
    const endpoint = (await lockEndpoints(tx, [delivery.endpointId])).get(delivery.endpointId);
    const now = this.clock.now();
    const { disabledAt: disabled, deletedAt: deleted } = endpoint ?? {};
    const next = this.decide(delivery, outcome, { disabled: !!disabled, deleted: !!deleted }, now);
    if (!(await recordAttempt(tx, attemptRecord(delivery, outcome, next, now)))) return null;
    if (!endpoint || outcome === 'interrupted') return next;
    if (next.health === 'good')
      await this.noteSuccess(tx, delivery, outcome, endpoint.failingSince !== null);
    else await this.health.noteFailure(tx, { delivery, outcome, next, endpoint }, now);
    return next;
  }

  private async noteSuccess(
    manager: EntityManager,
    { endpointId, url }: ClaimedDelivery,
    { durationMs }: AttemptOutcome,
    wasFailing: boolean,
  ): Promise<void> {
    const isSlow = durationMs >= this.config.webhooks.timeout * SLOW_SHARE_OF_TIMEOUT;
    if (isSlow || wasFailing) await endpointResponds(manager, endpointId, url, isSlow);
  }

  private decide(
    delivery: ClaimedDelivery,
    outcome: AttemptOutcome | 'interrupted',
    endpoint: { disabled: boolean; deleted: boolean },
    now: Date,
  ): NextState {
    const { retryDelays: retryDelaysMs } = this.config.webhooks;
    return decideNextState({ ...delivery, outcome, endpoint, now, retryDelaysMs });
  }

  private count(delivery: ClaimedDelivery, next: NextState): void {
    const { status } = next;
    this.counter.inc({ outcome: countedAs(next) });
    if (status !== 'delivered' || delivery.status !== 'pending' || delivery.isTest) return;
    this.latency.observe(
      { attempt: delivery.number === 1 ? 'first' : 'later' },
      (this.clock.now().getTime() - delivery.happenedAt.getTime()) / 1_000,
    );
  }

  /**
   * Retries while the database is unreachable.
   * @param patience milliseconds
   * @returns null if that took too long; nothing is lost
   */
  private async persist<T>(patience: number, work: () => Promise<T>): Promise<T | null> {
    const until = performance.now() + patience;
    for (;;) {
      try {
        const result = await work();
        this.databaseState.works();
        return result;
      } catch (error) {
        this.databaseState.failed(error);
        if (this.stopping || performance.now() >= until) return null;
        await sleep(RETRY_EVERY);
      }
    }
  }
}

function attemptRecord(
  { id, number, job, startedAt }: ClaimedDelivery,
  outcome: AttemptOutcome | 'interrupted',
  next: NextState,
  now: Date,
): AttemptRecord {
  const known = outcome === 'interrupted' ? null : outcome;
  return {
    id,
    number,
    job,
    ended_at: now,
    status: next.status,
    automatic_attempts: next.automaticAttempts,
    next_attempt_at: next.nextAttemptAt,
    is_manual: next.isManual,
    kind: next.kind,
    started_at: startedAt,
    duration_ms: known?.durationMs ?? null,
    http_status: known?.status ?? null,
    error: known?.error ?? null,
    response: known?.responseSnippet ?? null,
  };
}

/** Of the attempt, not of its delivery: a manual retry that fails leaves a delivered one delivered. */
function countedAs({ kind, health, status }: NextState): CountedOutcome {
  if (kind === 'interrupted') return kind;
  if (health === 'good') return 'delivered';
  if (status === 'pending' || status === 'paused') return 'retried';
  return status === 'cancelled' ? status : 'failed';
}

type CountedOutcome = 'delivered' | 'retried' | 'failed' | 'cancelled' | 'interrupted';

/** The code that BullMQ keeps: never a text of the receiver's. */
const codeOf = ({ error, status }: AttemptOutcome): string => error ?? `http_${status}`;

/** Milliseconds. Another job makes an attempt at the same delivery. */
const BUSY = 500;
/** The database is away. */
const AWAY = 2_000;
const CLAIM_WITHIN = 10_000;
/** Beyond the timeout of an attempt: the database may restart meanwhile. */
const RECORD_WITHIN = MINUTE;
const RETRY_EVERY = 500;

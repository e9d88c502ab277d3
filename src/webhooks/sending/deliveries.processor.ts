import { Processor } from '@nestjs/bullmq';
import { DelayedError, type Job, UnrecoverableError } from 'bullmq';
import { Config } from '../../platform/config/config';
import { DELIVERIES } from '../../platform/queue/queue-names';
import { PROCESSOR_OPTIONS, QueueProcessor } from '../../platform/queue/queue-processor';
import { QueueState } from '../../platform/queue/queue-state';
import { type DeliveryJob, DeliveryQueue, retryPriorityOf } from '../relay/delivery-queue';
import { DeliveryAttemptsService } from './delivery-attempts.service';
import { FairShare } from './fair-share';
import { FETCHED_AT_A_TIME, SLOTS, SLOW_SHARE_OF_TIMEOUT } from './sending-limits';

/** An automatic attempt has failed. The message is a code: no text of a receiver reaches the queue. */
class AttemptFailed extends Error {
  /** @param retryAfter milliseconds until the next attempt, as the delivery's row says */
  constructor(
    code: string,
    readonly retryAfter: number,
  ) {
    super(code);
  }
}

/**
 * The delay of a retry: one of WEBHOOK_RETRY_DELAYS with a little jitter, or what the receiver has asked for by
 * `Retry-After` (decideNextState). Anything else that fails a job is an error of ours.
 */
const backoffStrategy = (_attemptsMade: number, _type?: string, error?: Error): number =>
  error instanceof AttemptFailed ? error.retryAfter : AFTER_AN_ERROR;

const AFTER_AN_ERROR = 5_000;

/**
 * Makes the attempts of deliveries. A job ends when its delivery has no further automatic attempt; BullMQ retries one
 * whose attempt has failed, and gives a job whose worker has died to another worker.
 */
@Processor(DELIVERIES, {
  ...PROCESSOR_OPTIONS,
  concurrency: FETCHED_AT_A_TIME,
  settings: { backoffStrategy },
})
export class DeliveriesProcessor extends QueueProcessor<DeliveryJob> {
  private readonly shares: FairShare;

  constructor(
    private readonly attempts: DeliveryAttemptsService,
    queue: DeliveryQueue,
    config: Config,
    queueState: QueueState,
  ) {
    super(queueState);
    const slowAfter = config.webhooks.timeout * SLOW_SHARE_OF_TIMEOUT;
    this.shares = new FairShare(slowAfter, (id) => void queue.promote(id));
  }

  override process(job: Job<DeliveryJob>, token?: string): Promise<void> {
    const made = super.process(job, token).finally(() => this.setConcurrency());
    this.setConcurrency();
    return made;
  }

  /**
   * BullMQ fetches jobs for all free places, one after another, before it starts any of them. So it has only a few free
   * places at a time, or the first job would wait until all places are taken: for a second on a PostgreSQL queue.
   */
  private setConcurrency(): void {
    this.worker.concurrency = Math.min(SLOTS, this.jobsUnderWay + FETCHED_AT_A_TIME);
  }

  protected async run(job: Job<DeliveryJob>, token?: string): Promise<void> {
    const end = await this.shares.run(job.id ?? '', job.data, () =>
      this.attempts.make(job.data.deliveryId, job.id ?? ''),
    );
    if (typeof end === 'number') return this.delay(job, end, token);
    if (end.end === 'done') return;
    if (end.end === 'later') return this.delay(job, end.delay, token);
    if (end.delay === null) throw new UnrecoverableError(end.code);
    const priority = retryPriorityOf(job.priority);
    if (priority !== job.priority) await job.changePriority({ priority });
    throw new AttemptFailed(end.code, end.delay);
  }

  /** The job runs again later. BullMQ counts no attempt. */
  private async delay(job: Job<DeliveryJob>, milliseconds: number, token?: string): Promise<never> {
    await job.moveToDelayed(Date.now() + milliseconds, token);
    throw new DelayedError();
  }
}

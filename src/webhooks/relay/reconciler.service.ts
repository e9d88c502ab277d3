import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { Metrics } from '../../platform/observability/metrics';
import { Scheduled } from '../../platform/queue/scheduled';
import { NIL_ID } from '../../platform/text/ids';
import { DeliveryQueue, withBacklog } from './delivery-queue';
import { overdueAfter, type OverdueDelivery, stillOverdue } from './relay.queries';

/** Milliseconds. A flushed queue is filled again within 45 s. */
const EVERY = 30_000;
const DUE_FOR = 15_000;
/** A delayed job is due within a minute (FairShare), unless the clock that delayed it was wrong. */
const STUCK_FOR = 120_000;
const BATCH = 1_000;
/** Deliveries whose jobs are looked up at once. The queue has 5 s to respond: a busy machine took that long for a batch. */
const AT_ONCE = 50;
/** Batches of a run that find nothing lost: a long backlog that has its jobs is checked over several runs. */
const BATCHES = 5;

/** Adds the jobs of deliveries that are due and have none: the queue was emptied, or a relay died before adding them. */
@Injectable()
export class ReconcilerService {
  private readonly added: ReturnType<Metrics['counter']>;
  /** The id to continue after. */
  private after = NIL_ID;

  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly deliveries: DeliveryQueue,
    metrics: Metrics,
  ) {
    this.added = metrics.counter(
      'quiz_webhook_jobs_added_again_total',
      'Deliveries that were due without a job: the queue has lost it',
      [],
    );
  }

  @Scheduled({ name: 'reconciliation of deliveries', every: EVERY })
  async reconcile(): Promise<void> {
    const waiting = new Map<string, number>();
    let idle = 0;
    while (idle < BATCHES) {
      const now = this.clock.now();
      const before = (age: number) => new Date(now.getTime() - age);
      // An attempt that began before the second time has ended, or its worker has.
      const times = {
        due: before(DUE_FOR),
        ended: before(this.config.webhooks.timeout + STUCK_FOR / 2),
      };
      const found = await overdueAfter(this.database, times, this.after, BATCH);
      const withoutJob = await this.withoutJob(found);
      // The queue does not respond.
      if (!withoutJob) return;
      // A job can finish while this batch is checked, so look again.
      const ids = withoutJob.map(({ id }) => id);
      const lost = await stillOverdue(this.database, times, ids);
      // A batch whose jobs could not be added is the next run's first.
      if (!(await this.deliveries.add(withBacklog(lost, waiting), now))) return;
      this.added.inc(lost.length);
      this.after = found.length === BATCH ? (found.at(-1)?.id ?? NIL_ID) : NIL_ID;
      if (found.length < BATCH) return;
      if (lost.length === 0) idle += 1;
    }
  }

  /** The deliveries whose job is missing or can never run; undefined when the queue does not respond. */
  private async withoutJob(found: OverdueDelivery[]): Promise<OverdueDelivery[] | undefined> {
    const withoutJob: OverdueDelivery[] = [];
    for (let at = 0; at < found.length; at += AT_ONCE) {
      const some = found.slice(at, at + AT_ONCE);
      const areLost = await this.deliveries.ask(() =>
        Promise.all(some.map((it) => this.isLost(it))),
      );
      if (!areLost) return undefined;
      withoutJob.push(...some.filter((_, place) => areLost[place]));
    }
    return withoutJob;
  }

  private async isLost({ jobId, isLongOverdue }: OverdueDelivery): Promise<boolean> {
    const { queue } = this.deliveries;
    const state = await queue.getJobState(jobId);
    switch (state) {
      case 'active':
      case 'waiting':
      case 'prioritized':
        return false;
      case 'delayed': {
        const job = isLongOverdue ? await queue.getJob(jobId) : undefined;
        // BullMQ counts the delay from the end of the last run. `processedOn` is its start, so this estimate is never too late.
        const runsAt = job && (job.processedOn ?? job.timestamp) + job.delay;
        if (runsAt && runsAt > Date.now() + STUCK_FOR) await this.deliveries.promote(jobId);
        return false;
      }
      default:
        // The job is finished, or its data is left without a place in any list. Remove it, because `add` keeps an existing job.
        await queue.remove(jobId);
        return true;
    }
  }
}

import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type Job, Queue } from 'bullmq';
import { Metrics } from '../observability/metrics';

const STATES = ['waiting', 'prioritized', 'active', 'delayed'] as const;

interface JobsOfState {
  labels: { queue: string; state: string };
  count: number;
  /** Seconds. */
  firstAge: number;
}

/**
 * The jobs of every queue of the process. Each worker reports the same values, so aggregate them with `max`. Ended jobs
 * are not counted: they are removed at once, except for the last scheduled tasks that failed.
 */
@Injectable()
export class QueueMetrics implements OnApplicationBootstrap {
  private queues: Queue[] = [];
  private current: Promise<JobsOfState[]> | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly metrics: Metrics,
  ) {}

  onApplicationBootstrap(): void {
    const instances = this.discovery.getProviders().map(({ instance }) => instance as unknown);
    this.queues = instances.filter((it): it is Queue => it instanceof Queue);
    const labels = ['queue', 'state'] as ('queue' | 'state')[];
    this.metrics.gaugeBy('quiz_queue_jobs', 'Jobs by queue and state', labels, async () =>
      (await this.countJobs()).map(({ labels, count }) => ({ labels, value: count })),
    );
    this.metrics.gaugeBy(
      'quiz_queue_first_job_age_seconds',
      'By queue and state: for how long the job that comes next has been due (a further attempt that is due: since the last one), or the first active one has run; 0 when there is none',
      labels,
      async () =>
        (await this.countJobs()).map(({ labels, firstAge }) => ({ labels, value: firstAge })),
    );
  }

  /** One count for both gauges. While the queue is away, further ones wait for the same response. */
  private countJobs(): Promise<JobsOfState[]> {
    this.current ??= Promise.all(this.queues.map(jobsOf))
      .then((of) => of.flat())
      .finally(() => (this.current = undefined));
    return this.current;
  }
}

async function jobsOf(queue: Queue): Promise<JobsOfState[]> {
  const [counts, ...firsts] = await Promise.all([
    queue.getJobCounts(...STATES),
    ...STATES.map((state) => queue.getJobs([state], 0, 0, true)),
  ]);
  return STATES.map((state, place) => ({
    labels: { queue: queue.name, state },
    count: counts[state] ?? 0,
    firstAge: ageOf(state, firsts[place]?.[0]),
  }));
}

function ageOf(state: (typeof STATES)[number], job: Job | undefined): number {
  if (!job) return 0;
  const { processedOn, timestamp, opts } = job;
  // BullMQ forgets the delay before a further attempt once it is over, but not the one before the first.
  const due = processedOn
    ? processedOn + (state === 'delayed' ? job.delay : 0)
    : timestamp + (opts.delay ?? 0);
  return Math.max(0, Date.now() - due) / 1_000;
}

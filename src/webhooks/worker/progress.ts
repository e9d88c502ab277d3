import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Finding, HealthCheck } from '../../platform/health/readiness.service';
import { Metrics } from '../../platform/observability/metrics';
import { STALLED_AFTER } from '../sending/sending-limits';

/** What a worker does that others wait for. */
export type Task = 'relay' | 'sweep' | 'outcomes';

/**
 * Whether the worker makes progress: the time since the last completed relay and sweep, and since outcomes have
 * waited to be written down. A process whose connections are silent runs and does nothing.
 */
@Injectable()
export class Progress implements HealthCheck, OnModuleInit {
  readonly name = 'progress';
  /** Milliseconds of the monotonic clock; null when there is nothing to do. */
  private readonly since: Record<Task, number | null> = {
    relay: null,
    sweep: null,
    outcomes: null,
  };
  private unwritten = 0;

  constructor(private readonly metrics: Metrics) {}

  onModuleInit(): void {
    this.completed('relay');
    this.completed('sweep');
    this.metrics.gauge(
      'quiz_webhook_progress_age_seconds',
      'Time since this worker last completed a task, or since outcomes wait to be written down',
      'task',
      () => Promise.resolve(this.ages()),
    );
  }

  completed(task: Task): void {
    this.since[task] = performance.now();
  }

  /** An outcome waits to be written down, until the work ends. */
  async outcome<T>(work: Promise<T>): Promise<T> {
    if (this.unwritten++ === 0) this.completed('outcomes');
    try {
      const result = await work;
      this.completed('outcomes');
      return result;
    } finally {
      if (--this.unwritten === 0) this.since.outcomes = null;
    }
  }

  look(): Finding {
    const [stalled] = Object.entries(this.ages()).filter(([, age]) => age * 1_000 > STALLED_AFTER);
    if (!stalled) return { state: 'up' };
    const [task, age] = stalled;
    return {
      state: 'stalled',
      effect: 'unready',
      note: `The worker makes no progress: ${task} not completed for ${Math.round(age)} s.`,
    };
  }

  private ages(): Record<Task, number> {
    const now = performance.now();
    const { relay, sweep, outcomes } = this.since;
    const age = (since: number | null) => (since === null ? 0 : (now - since) / 1_000);
    return { relay: age(relay), sweep: age(sweep), outcomes: age(outcomes) };
  }
}

import { hostname } from 'node:os';
import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { ReservedConnection } from '../../platform/database/reserved-connection';
import type { HealthCheck, HealthResult } from '../../platform/health/readiness.service';
import { Metrics } from '../../platform/observability/metrics';
import { newId } from '../../platform/text/ids';
import { beat, deleteWorker } from '../deliveries/workers.queries';
import { DeliveryQueue } from './delivery-queue';

/** A worker whose relay, or recording of outcomes, has waited for longer makes no progress: it is not ready. */
const STALLED_AFTER = 30_000;

/** A row that shows health checks and tools that this worker is alive. Nothing else depends on it. */
@Injectable()
export class Heartbeat implements OnApplicationBootstrap {
  private readonly workerId = newId();

  constructor(
    private readonly database: ReservedConnection,
    private readonly config: Config,
    private readonly queue: DeliveryQueue,
  ) {}

  /** Not in `onModuleInit`, after which the start may still fail. */
  onApplicationBootstrap(): Promise<void> {
    return this.beat();
  }

  async beat(): Promise<void> {
    await beat(this.database, {
      id: this.workerId,
      host: hostname(),
      pid: process.pid,
      queue: this.config.redisUrl ? 'redis' : 'postgres',
      queueAnswers: this.queue.responds,
    });
  }

  async end(): Promise<void> {
    await deleteWorker(this.database, this.workerId);
  }
}

/** The tasks of a worker that others wait for. */
export type Task = 'relay' | 'outcomes';

/**
 * Whether the worker makes progress: the time since the last completed relay, and since outcomes have waited to be
 * recorded. A process with silent connections runs but makes none.
 */
@Injectable()
export class Progress implements HealthCheck, OnModuleInit {
  readonly name = 'progress';
  /** Milliseconds of the monotonic clock; null if there is nothing to do. */
  private readonly since: Record<Task, number | null> = { relay: null, outcomes: null };
  private unrecorded = 0;

  constructor(private readonly metrics: Metrics) {}

  onModuleInit(): void {
    this.completed('relay');
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

  /** An outcome waits to be recorded, until the work ends. */
  async outcome<T>(work: Promise<T>): Promise<T> {
    if (this.unrecorded++ === 0) this.completed('outcomes');
    try {
      const result = await work;
      this.completed('outcomes');
      return result;
    } finally {
      if (--this.unrecorded === 0) this.since.outcomes = null;
    }
  }

  checkHealth(): HealthResult {
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
    const { relay, outcomes } = this.since;
    const age = (since: number | null) => (since === null ? 0 : (now - since) / 1_000);
    return { relay: age(relay), outcomes: age(outcomes) };
  }
}

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { hostname } from 'node:os';
import { Config } from '../../platform/config/config';
import { ReservedConnection } from '../../platform/database/data-source';
import { newId } from '../../platform/text/ids';
import { DeliveryQueues } from './delivery-queues';
import type { Finding, HealthCheck } from '../../platform/health/readiness.service';
import { Metrics } from '../../platform/observability/metrics';
import { STALLED_AFTER } from '../sending/sending-limits';

/** A row that shows that this worker is alive: its leases last as long as its heartbeat. */
@Injectable()
export class Heartbeat implements OnModuleInit {
  /** Names this worker in the leases that it holds. */
  readonly workerId = newId();
  /** Whether this worker's import process runs; null if unknown. */
  importsRun: () => boolean | null = () => null;
  /** Workers of this host that have missed two heartbeats and whose process has exited: they are known to be dead. */
  ended: string[] = [];

  constructor(
    private readonly database: ReservedConnection,
    private readonly config: Config,
    private readonly queues: DeliveryQueues,
  ) {}

  /** Before the first lease: a worker without a row is considered dead. */
  onModuleInit(): Promise<void> {
    return this.beat();
  }

  async beat(): Promise<void> {
    const queue = this.config.redisUrl ? 'redis' : 'postgres';
    const silent = await this.database.query<{ id: string; pid: number }>(BEAT, [
      this.workerId,
      hostname(),
      process.pid,
      queue,
      this.queues.responds,
      this.importsRun(),
    ]);
    this.ended = silent.filter(({ pid }) => !isRunning(pid)).map(({ id }) => id);
  }

  async end(): Promise<void> {
    await this.database.query(`DELETE FROM webhook_workers WHERE id = $1`, [this.workerId]);
  }
}

/** In a container the successor may have the same pid. A process of another user cannot be signalled, but runs. */
function isRunning(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Returns the workers of this host that have been silent for three seconds. */
const BEAT = `
WITH beat AS (
  INSERT INTO webhook_workers AS w (id, host, pid, queue, queue_answers, imports_run, started_at, seen_at)
  VALUES ($1, $2, $3, $4, $5, $6, now(), now())
  ON CONFLICT (id) DO UPDATE SET
    seen_at = now(), queue_answers = excluded.queue_answers, imports_run = excluded.imports_run,
    steady_since = CASE WHEN w.seen_at < now() - interval '3 seconds' THEN now() ELSE w.steady_since END
)
SELECT id, pid FROM webhook_workers
WHERE host = $2 AND id <> $1 AND seen_at < now() - interval '3 seconds'`;

/** The tasks of a worker that others wait for. */
export type Task = 'relay' | 'sweep' | 'outcomes';

/**
 * Whether the worker makes progress: the time since the last completed relay and sweep, and since outcomes have
 * waited to be recorded. A process with silent connections runs but makes none.
 */
@Injectable()
export class Progress implements HealthCheck, OnModuleInit {
  readonly name = 'progress';
  /** Milliseconds of the monotonic clock; null if there is nothing to do. */
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

  /** An outcome waits to be recorded, until the work ends. */
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

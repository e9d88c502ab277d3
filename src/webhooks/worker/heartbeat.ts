import { Injectable, type OnModuleInit } from '@nestjs/common';
import { hostname } from 'node:os';
import { Config } from '../../platform/config/config';
import { ReservedConnection } from '../../platform/database/connections';
import { newId } from '../../platform/text/ids';
import { DeliveryQueues } from './delivery-queues';

/** A row that says this worker is alive: its leases last as long as its heartbeat. */
@Injectable()
export class Heartbeat implements OnModuleInit {
  /** Names this worker in the leases that it holds. */
  readonly workerId = newId();
  /** Whether this worker's import process runs; null where that is unknown. */
  importsRun: () => boolean | null = () => null;
  /** Workers of this host that have missed two heartbeats and whose process has ended: nobody else has to judge them. */
  ended: string[] = [];

  constructor(
    private readonly database: ReservedConnection,
    private readonly config: Config,
    private readonly queues: DeliveryQueues,
  ) {}

  /** Before the first lease: a worker without a row is taken to be dead. */
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
      this.queues.answers,
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

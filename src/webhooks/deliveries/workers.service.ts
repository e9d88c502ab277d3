import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** A webhook worker by its heartbeat, which comes every second. */
export interface WorkerView {
  id: string;
  host: string;
  pid: number;
  queue: 'redis' | 'postgres';
  /** Whether the queue took the worker's last message. */
  queueAnswers: boolean;
  /** Whether its import process runs; null of a worker that has not said so yet. */
  importsRun: boolean | null;
  startedAt: Date;
  seenAt: Date;
  /** False of one that was killed, or whose database was away, for 15 seconds. */
  alive: boolean;
}

/** Says whether anybody delivers, for health checks, tools and pages. */
@Injectable()
export class WorkersService {
  constructor(private readonly database: DataSource) {}

  list(): Promise<WorkerView[]> {
    return this.database.query<WorkerView[]>(
      `SELECT id, host, pid, queue, queue_answers AS "queueAnswers",
              imports_run AS "importsRun", started_at AS "startedAt",
              seen_at AS "seenAt", seen_at > now() - interval '15 seconds' AS alive
       FROM webhook_workers ORDER BY started_at`,
    );
  }
}

import { Injectable } from '@nestjs/common';
import { hostname } from 'node:os';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { newId } from '../../platform/ids';
import { Lanes } from './lanes';

/** A row that says this worker is there. Nothing depends on it but what people are told. */
@Injectable()
export class Heartbeat {
  private readonly id = newId();
  private readonly startedAt: Date;

  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly lanes: Lanes,
  ) {
    this.startedAt = clock.now();
  }

  async beat(): Promise<void> {
    const now = this.clock.now();
    const queue = this.config.redisUrl ? 'redis' : 'postgres';
    await this.database.query(
      `INSERT INTO webhook_workers (id, host, pid, queue, queue_answers, started_at, seen_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, queue_answers = excluded.queue_answers`,
      [this.id, hostname(), process.pid, queue, this.lanes.answers, this.startedAt, now],
    );
    await this.database.query(`DELETE FROM webhook_workers WHERE seen_at < $1`, [
      new Date(now.getTime() - FORGOTTEN_AFTER),
    ]);
  }

  async end(): Promise<void> {
    await this.database.query(`DELETE FROM webhook_workers WHERE id = $1`, [this.id]);
  }
}

/** A worker that was killed is shown as gone for an hour. */
const FORGOTTEN_AFTER = 3_600_000;

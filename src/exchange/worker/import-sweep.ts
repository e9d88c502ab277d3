import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { LIMITS } from '../../platform/limits';
import { LEASE } from '../imports/import.queries';

const [MINUTE, DAY] = [60_000, 86_400_000];
/** An upload that has not ended by now never will: its request has been cut off. */
const RECEIVING = LIMITS.connections.uploadWithin.value + 10 * MINUTE;
/** How long a preview may be started, and how long a report is kept. */
const PREVIEW_KEPT = DAY;
const REPORT_KEPT = 30 * DAY;

/**
 * Finds imports that no job will wake: new ones, jobs that the queue has lost, and those of workers that died.
 * The rows are the only timetable.
 */
@Injectable()
export class ImportSweep {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Ids of imports that are due; they are due again a little later. */
  async findDue(): Promise<string[]> {
    const now = this.clock.now();
    const [due] = await this.database.query<[{ id: string }[], number]>(
      `UPDATE imports SET wake_at = $2 WHERE id IN (
         SELECT id FROM imports WHERE wake_at <= $1 ORDER BY wake_at LIMIT 100 FOR UPDATE SKIP LOCKED
       ) RETURNING id`,
      [now, new Date(now.getTime() + LEASE)],
    );
    return due.map(({ id }) => id);
  }

  /** Ends what can never end by itself, and forgets what is old. */
  async prune(): Promise<void> {
    const now = this.clock.now();
    const before = (age: number) => new Date(now.getTime() - age);
    await this.database.query(`DELETE FROM imports WHERE state = 'receiving' AND created_at < $1`, [
      before(RECEIVING),
    ]);
    await this.database.query(
      `UPDATE imports SET state = 'failed', token = NULL, wake_at = NULL, finished_at = $1,
         error = 'The program that read the file ended before the file did. Nothing was imported: start it again.'
       WHERE state = 'running' AND NOT stored AND checked_at IS NULL AND leased_until < $1`,
      [now],
    );
    await this.database.query(
      `WITH old AS (
         UPDATE imports SET stored = false
         WHERE dry_run AND state = 'completed' AND stored AND finished_at < $1 RETURNING id
       ) DELETE FROM import_questions q USING old WHERE q.import_id = old.id`,
      [before(PREVIEW_KEPT)],
    );
    await this.database.query(
      `DELETE FROM imports WHERE id IN (
         SELECT id FROM imports WHERE created_at < $1 AND wake_at IS NULL LIMIT 100)`,
      [before(REPORT_KEPT)],
    );
  }
}

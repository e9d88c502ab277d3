import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../../platform/clock';
import { LIMITS } from '../../../platform/limits/limits';
import { Scheduled } from '../../../platform/queue/scheduled';

const { previewDays, reportDays } = LIMITS.imports;
const [MINUTE, DAY] = [60_000, 86_400_000];
/** An upload that is still open after this time never ends: its request has been cut off. */
const RECEIVING = LIMITS.connections.uploadWithin.value + 10 * MINUTE;

/** Ends imports that can never end by themselves, and deletes old ones. */
@Injectable()
export class ImportRetention {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  @Scheduled('the pruning of imports', MINUTE)
  async prune(): Promise<void> {
    const now = this.clock.now();
    const before = (age: number) => new Date(now.getTime() - age);
    await this.database.query(`DELETE FROM imports WHERE state = 'receiving' AND created_at < $1`, [
      before(RECEIVING),
    ]);
    await this.database.query(
      `UPDATE imports SET state = 'failed', token = NULL, next_check_at = NULL, finished_at = $1,
         error = 'The import process stopped before it had read the whole file. Nothing was imported. Start the import again.'
       WHERE state = 'running' AND NOT stored AND checked_at IS NULL AND progress_at < $2`,
      [now, before(MINUTE)],
    );
    await this.database.query(
      `WITH old AS (
         UPDATE imports SET stored = false
         WHERE dry_run AND state IN ('completed', 'failed') AND stored AND finished_at < $1 RETURNING id
       ), files AS (
         DELETE FROM import_chunks c USING old WHERE c.import_id = old.id
       ) DELETE FROM import_questions q USING old WHERE q.import_id = old.id`,
      [before(previewDays.value * DAY)],
    );
    await this.database.query(
      `DELETE FROM imports WHERE id IN (
         SELECT id FROM imports WHERE created_at < $1 AND next_check_at IS NULL LIMIT 100)`,
      [before(reportDays.value * DAY)],
    );
  }
}

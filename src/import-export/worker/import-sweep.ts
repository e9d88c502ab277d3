import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../platform/clock';
import { LIMITS } from '../../platform/limits/limits';
import { LEASE } from '../imports/import.queries';

const [MINUTE, DAY] = [60_000, 86_400_000];
/** An upload that has not ended by now never will: its request has been cut off. */
const RECEIVING = LIMITS.connections.uploadWithin.value + 10 * MINUTE;
/** How long a preview may be started, and how long reports are kept. */
const PREVIEW_KEPT = DAY;
const REPORT_KEPT = 30 * DAY;

/** Finds imports that are due: new ones and those of workers that died. The rows are the queue. */
@Injectable()
export class ImportSweep {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * The next import that is due, of the account that was served longest ago; an account has one at a time. It is
   * due again when the lease that the caller takes has run out.
   * @param largest only files of at most so many bytes
   */
  claimNext(largest: number): Promise<string | null> {
    const now = this.clock.now();
    return this.database.transaction(async (tx) => {
      // Two who claim at one time would both see an account without a running import.
      await tx.query(`SELECT pg_advisory_xact_lock(hashtext('claim an import'))`);
      const [[next]] = await tx.query<[{ id: string }[], number]>(CLAIM, [
        now,
        new Date(now.getTime() + LEASE),
        largest,
      ]);
      return next?.id ?? null;
    });
  }

  /** Ends what can never end by itself, and forgets what is old. */
  async prune(): Promise<void> {
    const now = this.clock.now();
    const before = (age: number) => new Date(now.getTime() - age);
    await this.database.query(`DELETE FROM imports WHERE state = 'receiving' AND created_at < $1`, [
      before(RECEIVING),
    ]);
    await this.database.query(
      `UPDATE imports SET state = 'failed', token = NULL, next_check_at = NULL, finished_at = $1,
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
         SELECT id FROM imports WHERE created_at < $1 AND next_check_at IS NULL LIMIT 100)`,
      [before(REPORT_KEPT)],
    );
  }
}

/** What is claimed or runs has its `next_check_at` ahead. */
const CLAIM = `
UPDATE imports SET next_check_at = $2 WHERE id = (
  SELECT i.id FROM imports i
  WHERE i.next_check_at <= $1 AND i.size <= $3 AND NOT EXISTS (
    SELECT 1 FROM imports r WHERE r.account_id = i.account_id AND r.next_check_at > $1)
  ORDER BY (
    SELECT max(coalesce(s.finished_at, s.started_at)) FROM imports s WHERE s.account_id = i.account_id
  ) NULLS FIRST, i.created_at, i.id
  LIMIT 1 FOR UPDATE OF i SKIP LOCKED
) RETURNING id`;

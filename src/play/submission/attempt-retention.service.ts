import { Inject, Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import { LIMITS } from '../../platform/limits/limits';
import { inBatches } from '../../platform/loop';
import { LOGGER, type Logger } from '../../platform/observability/logger';
import { HOUR, Scheduled } from '../../platform/queue/scheduled';
import { ATTEMPT_LASTS, GRACE } from '../attempts/attempt.rules';
import { RESERVED } from '../attempts/visitor.rules';
import { SubmissionService } from './submission.service';

const { emptyAttempts, submittedAttempts } = LIMITS.storage;

/**
 * Expired attempts are kept as long again: until then a late request gets the error that the attempt has expired
 * (422, not 404).
 */
const OVER = 2 * ATTEMPT_LASTS;

/** Where so many attempts cannot be submitted, probably none can: the database is away. */
const MOST_FAILED = 100;

/**
 * Submits what was answered in time by players who did not submit it, and deletes what nobody can continue or see any
 * more: attempts, and the remains of deleted quizzes and changed questions. Rows that another transaction has
 * locked are left for the next run.
 */
@Injectable()
export class AttemptRetention {
  constructor(
    @InjectEntityManager() private readonly database: EntityManager,
    private readonly submissions: SubmissionService,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Scheduled('retention of attempts', HOUR)
  async prune(): Promise<number> {
    const failed: string[] = [];
    await inBatches((limit) => this.submitOverdue(limit, failed));
    let deleted = 0;
    for (const [age, attempts] of ATTEMPTS)
      deleted += await inBatches((limit) =>
        run(
          this.database,
          `DELETE FROM quiz_attempts
           WHERE id IN (SELECT a.id FROM ${attempts} LIMIT $2 FOR UPDATE OF a SKIP LOCKED)`,
          [this.clock.cutoff(age), limit],
        ),
      );
    for (const table of SUMS)
      deleted += await inBatches((limit) =>
        run(
          this.database,
          `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
             SELECT ctid FROM ${table} e WHERE ${GONE} LIMIT $1 FOR UPDATE SKIP LOCKED))`,
          [limit],
        ),
      );
    deleted += await inBatches((limit) =>
      run(
        this.database,
        `DELETE FROM question_reports WHERE id IN (
           SELECT id FROM question_reports WHERE closed_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
        [this.clock.cutoff(submittedAttempts.value), limit],
      ),
    );
    // Last: the deleted attempts have freed leaderboards and snapshots.
    deleted += await inBatches((limit) => run(this.database, DELETE_BOARDS, [limit]));
    return deleted + (await inBatches((limit) => this.deleteSnapshots(limit)));
  }

  /** Without counting plays: the address, by which some are limited, is not known here. */
  private async submitOverdue(limit: number, failed: string[]): Promise<number> {
    const overdue = await this.database.query<{ id: string; accountId: string }[]>(
      `SELECT id, account_id AS "accountId" FROM quiz_attempts a
       WHERE submitted_at IS NULL AND ends_at < $1 AND id <> ALL ($3::uuid[])
         AND EXISTS (SELECT FROM quiz_answers WHERE attempt_id = a.id) LIMIT $2`,
      [this.clock.cutoff(GRACE), limit, failed],
    );
    for (const { id, accountId } of overdue)
      try {
        await this.submissions.submit(accountId, id, null);
      } catch (error) {
        // One that fails is tried again in an hour, and keeps no other from being submitted or deleted.
        this.logger.warn({ err: error, attempt: id }, 'an attempt could not be submitted');
        if (failed.push(id) >= MOST_FAILED) return 0;
      }
    return overdue.length;
  }

  /**
   * Deletes snapshots that no attempt uses. In two statements: once a snapshot is locked no attempt can start with
   * it, and the second statement sees those that have started until then.
   */
  private deleteSnapshots(limit: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      const locked = await tx.query<{ id: string }[]>(
        `SELECT id FROM quiz_snapshots e WHERE created_at < $1 AND ${UNPLAYED} LIMIT $2 FOR UPDATE SKIP LOCKED`,
        [this.clock.cutoff(OVER), limit],
      );
      const ids = locked.map(({ id }) => id);
      return run(tx, `DELETE FROM quiz_snapshots e WHERE id = ANY ($1) AND ${UNPLAYED}`, [ids]);
    });
  }
}

async function run(database: EntityManager, sql: string, values: unknown[]): Promise<number> {
  const [, deleted] = await database.query<[unknown[], number]>(sql, values);
  return deleted;
}

const GONE = `NOT EXISTS (SELECT FROM quizzes q WHERE q.id = e.quiz_id)`;
/** What is known of a quiz's attempts as long as the quiz exists. */
const SUMS = ['quiz_results', 'question_results', 'question_flags', 'question_reports'];
const UNPLAYED = `NOT EXISTS (SELECT FROM quiz_attempts a WHERE a.snapshot_id = e.id)`;
const EMPTY = `starts_with(player, '${RESERVED}') AND NOT EXISTS (SELECT FROM quiz_answers WHERE attempt_id = a.id)`;

/** The attempts that are deleted, and at which age ($1). */
const ATTEMPTS: [age: number, from: string][] = [
  // Visitors' attempts without an answer: open ones, then submitted ones.
  [
    emptyAttempts.value,
    // Not while its time runs: a player may think for an hour about the first question.
    `quiz_attempts a WHERE submitted_at IS NULL AND started_at < $1 AND (ends_at IS NULL OR ends_at < $1) AND ${EMPTY}`,
  ],
  [
    ATTEMPT_LASTS,
    // They have shown the solutions, and count where the author limits the attempts.
    `quiz_attempts a WHERE submitted_at IS NOT NULL AND submitted_at < $1 AND ${EMPTY}
       AND NOT EXISTS (SELECT FROM quizzes q WHERE q.id = a.quiz_id AND q.max_attempts IS NOT NULL)`,
  ],
  // The leaderboard keeps what it needs of submitted ones.
  [submittedAttempts.value, `quiz_attempts a WHERE submitted_at < $1 ORDER BY submitted_at`],
  [OVER, `quiz_attempts a WHERE submitted_at IS NULL AND started_at < $1 ORDER BY started_at`],
  // Of deleted quizzes, and across quizzes, once nobody can continue them: each of the latter has a snapshot of its own.
  [
    OVER,
    `quiz_snapshots e JOIN quiz_attempts a ON a.snapshot_id = e.id WHERE ${GONE} AND a.started_at < $1`,
  ],
];

/**
 * Leaderboards of deleted quizzes without attempts. Until then they stay: a running attempt is still entered, and its
 * event shows the whole leaderboard. The recursion reads the index once for each leaderboard, however long.
 */
const DELETE_BOARDS = `
WITH RECURSIVE boards AS (
  (SELECT quiz_id FROM leaderboard_entries ORDER BY quiz_id LIMIT 1)
  UNION ALL SELECT (SELECT l.quiz_id FROM leaderboard_entries l WHERE l.quiz_id > b.quiz_id ORDER BY l.quiz_id LIMIT 1)
  FROM boards b WHERE b.quiz_id IS NOT NULL
), over AS (
  SELECT e.quiz_id FROM boards e
  WHERE e.quiz_id IS NOT NULL AND ${GONE} AND NOT EXISTS (SELECT FROM quiz_attempts a WHERE a.quiz_id = e.quiz_id)
)
DELETE FROM leaderboard_entries WHERE (quiz_id, account_id, player) IN (
  SELECT quiz_id, account_id, player FROM leaderboard_entries JOIN over USING (quiz_id)
  LIMIT $1 FOR UPDATE OF leaderboard_entries SKIP LOCKED)`;

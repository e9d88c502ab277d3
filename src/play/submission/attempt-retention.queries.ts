import type { EntityManager } from 'typeorm';
import { query, type Sql, sql } from '../../platform/database/sql';
import { RESERVED } from '../attempts/visitor.rules';

/**
 * Everything here is for `limit` rows at a time. What is deleted or locked does not include rows that another
 * transaction has locked: they are left for the next run. Only `deleteUnplayedSnapshots` is for given ids, and waits.
 */

/** Of a table as e: its quiz was deleted, or it never had one. */
const HAS_NO_QUIZ = sql`NOT EXISTS (SELECT FROM quizzes q WHERE q.id = e.quiz_id)`;
/** Of `quiz_snapshots` as e: no attempt plays it. */
const IS_UNPLAYED = sql`NOT EXISTS (SELECT FROM quiz_attempts a WHERE a.snapshot_id = e.id)`;
/** Of `quiz_attempts` as a: a visitor's, without an answer. */
const IS_EMPTY = sql`starts_with(player, ${RESERVED})
  AND NOT EXISTS (SELECT FROM quiz_answers WHERE attempt_id = a.id)`;

/** Attempts that nobody can continue or needs any more if they were started or submitted before a time. */
const EXPIRED_ATTEMPTS = {
  /**
   * Visitors' open attempts without an answer. Not while their time runs: a player may think for an hour about the
   * first question.
   */
  openEmpty: (before: Date) => sql`quiz_attempts a
    WHERE submitted_at IS NULL AND started_at < ${before} AND (ends_at IS NULL OR ends_at < ${before}) AND ${IS_EMPTY}`,
  /**
   * Visitors' submitted attempts without an answer, unless the author limits the attempts: they have shown the
   * solutions, so they must continue to count.
   */
  submittedEmpty: (before: Date) => sql`quiz_attempts a
    WHERE submitted_at IS NOT NULL AND submitted_at < ${before} AND ${IS_EMPTY}
      AND NOT EXISTS (SELECT FROM quizzes q WHERE q.id = a.quiz_id AND q.max_attempts IS NOT NULL)`,
  /** The leaderboard keeps what it needs of submitted ones. */
  submitted: (before: Date) =>
    sql`quiz_attempts a WHERE submitted_at < ${before} ORDER BY submitted_at`,
  open: (before: Date) =>
    sql`quiz_attempts a WHERE submitted_at IS NULL AND started_at < ${before} ORDER BY started_at`,
  /** All attempts of deleted quizzes, and those that belong to none (drawn across quizzes, previews, practice). */
  ofNoQuiz: (before: Date) => sql`quiz_snapshots e JOIN quiz_attempts a ON a.snapshot_id = e.id
    WHERE ${HAS_NO_QUIZ} AND a.started_at < ${before}`,
};
export type ExpiredAttempts = keyof typeof EXPIRED_ATTEMPTS;

export function deleteAttempts(
  database: EntityManager,
  attempts: ExpiredAttempts,
  before: Date,
  limit: number,
): Promise<number> {
  return run(
    database,
    sql`DELETE FROM quiz_attempts WHERE id IN (
          SELECT a.id FROM ${EXPIRED_ATTEMPTS[attempts](before)} LIMIT ${limit} FOR UPDATE OF a SKIP LOCKED)`,
  );
}

/** Tables whose rows are kept as long as their quiz exists; of reports, only open ones (`deleteClosedReports`). */
export const QUIZ_TABLES = [
  sql`quiz_results`,
  sql`question_results`,
  sql`question_flags`,
  sql`question_reports`,
  sql`quiz_regrades`,
];

export function deleteWithoutQuiz(
  database: EntityManager,
  table: Sql,
  limit: number,
): Promise<number> {
  return run(
    database,
    sql`DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM ${table} e WHERE ${HAS_NO_QUIZ} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
  );
}

export function deleteClosedReports(
  database: EntityManager,
  before: Date,
  limit: number,
): Promise<number> {
  return run(
    database,
    sql`DELETE FROM question_reports WHERE id IN (
          SELECT id FROM question_reports WHERE closed_at < ${before} LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
  );
}

/**
 * Entries of leaderboards whose quiz was deleted and has no attempts any more. Until then they stay: a running attempt
 * is still entered, and its event shows the whole leaderboard. The recursion reads the index once for each leaderboard,
 * however long.
 */
export function deleteLeaderboards(database: EntityManager, limit: number): Promise<number> {
  return run(
    database,
    sql`
WITH RECURSIVE boards AS (
  (SELECT quiz_id FROM leaderboard_entries ORDER BY quiz_id LIMIT 1)
  UNION ALL SELECT (SELECT l.quiz_id FROM leaderboard_entries l WHERE l.quiz_id > b.quiz_id ORDER BY l.quiz_id LIMIT 1)
  FROM boards b WHERE b.quiz_id IS NOT NULL
), over AS (
  SELECT e.quiz_id FROM boards e
  WHERE e.quiz_id IS NOT NULL AND ${HAS_NO_QUIZ} AND NOT EXISTS (SELECT FROM quiz_attempts a WHERE a.quiz_id = e.quiz_id)
)
DELETE FROM leaderboard_entries WHERE (quiz_id, account_id, player) IN (
  SELECT quiz_id, account_id, player FROM leaderboard_entries JOIN over USING (quiz_id)
  LIMIT ${limit} FOR UPDATE OF leaderboard_entries SKIP LOCKED)`,
  );
}

/** Open attempts with an answer whose time was over before this. @param except the ids of those to leave out */
export function findOverdue(
  database: EntityManager,
  before: Date,
  except: readonly string[],
  limit: number,
): Promise<{ id: string; accountId: string }[]> {
  return query(
    database,
    sql`SELECT id, account_id AS "accountId" FROM quiz_attempts a
        WHERE submitted_at IS NULL AND ends_at < ${before} AND id <> ALL (${except}::uuid[])
          AND EXISTS (SELECT FROM quiz_answers WHERE attempt_id = a.id) LIMIT ${limit}`,
  );
}

/** Locks snapshots without attempts that were made before this, until the transaction ends. @returns their ids */
export async function lockUnplayedSnapshots(
  tx: EntityManager,
  before: Date,
  limit: number,
): Promise<string[]> {
  const locked = await query<{ id: string }[]>(
    tx,
    sql`SELECT id FROM quiz_snapshots e WHERE created_at < ${before} AND ${IS_UNPLAYED}
        LIMIT ${limit} FOR UPDATE SKIP LOCKED`,
  );
  return locked.map(({ id }) => id);
}

/** Deletes those of these snapshots that have no attempt. */
export function deleteUnplayedSnapshots(tx: EntityManager, ids: string[]): Promise<number> {
  return run(
    tx,
    sql`DELETE FROM quiz_snapshots e WHERE id = ANY (${ids}::uuid[]) AND ${IS_UNPLAYED}`,
  );
}

/** @returns how many rows it deletes */
async function run(database: EntityManager, statement: Sql): Promise<number> {
  const [, deleted] = await query<[unknown[], number]>(database, statement);
  return deleted;
}

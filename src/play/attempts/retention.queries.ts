import type { EntityManager } from 'typeorm';
import { RESERVED } from '../visitors/visitor.rules';

/** Statements of the sweep. Each deletes at most `limit` rows of those that nobody else has locked. */
type Sweep = (database: EntityManager, before: Date, limit: number) => Promise<number>;

const count = async (database: EntityManager, sql: string, values: unknown[]): Promise<number> => {
  const [, deleted] = await database.query<[unknown[], number]>(sql, values);
  return deleted;
};

const GONE = `NOT EXISTS (SELECT FROM quizzes q WHERE q.id = e.quiz_id)`;

/** Attempts that were started before and never submitted. */
export const deleteUnsubmitted: Sweep = (database, before, limit) =>
  count(
    database,
    `DELETE FROM quiz_attempts WHERE id IN (
       SELECT id FROM quiz_attempts WHERE submitted_at IS NULL AND started_at < $1
       ORDER BY started_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    [before, limit],
  );

/** Attempts of visitors without an answer: of those that are still open, or of those that were submitted. */
const deleteEmpty =
  (which: 'submitted_at IS NULL' | 'submitted_at IS NOT NULL', since: string): Sweep =>
  (database, before, limit) =>
    count(
      database,
      `DELETE FROM quiz_attempts WHERE id IN (
         SELECT id FROM quiz_attempts a WHERE ${which} AND ${since} < $1 AND starts_with(player, '${RESERVED}')
           AND NOT EXISTS (SELECT FROM quiz_answers WHERE attempt_id = a.id)
         LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [before, limit],
    );
export const deleteEmptyOpen = deleteEmpty('submitted_at IS NULL', 'started_at');
export const deleteEmptySubmitted = deleteEmpty('submitted_at IS NOT NULL', 'submitted_at');

/** Attempts that were submitted before; the leaderboard keeps what it needs. */
export const deleteSubmitted: Sweep = (database, before, limit) =>
  count(
    database,
    `DELETE FROM quiz_attempts WHERE id IN (
       SELECT id FROM quiz_attempts WHERE submitted_at < $1
       ORDER BY submitted_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    [before, limit],
  );

/** Attempts at quizzes that are deleted, once nobody can go on with them. */
export const deleteOrphans: Sweep = (database, before, limit) =>
  count(
    database,
    `DELETE FROM quiz_attempts WHERE id IN (
       SELECT a.id FROM quiz_snapshots e JOIN quiz_attempts a ON a.snapshot_id = e.id
       WHERE ${GONE} AND a.started_at < $1 LIMIT $2 FOR UPDATE OF a SKIP LOCKED)`,
    [before, limit],
  );

/**
 * Leaderboards of quizzes that are deleted and have no attempt left. Until then they stay: an attempt that is
 * still under way is entered, and its event shows the whole board.
 */
export const deleteBoards: Sweep = (database, _, limit) =>
  count(
    database,
    `WITH RECURSIVE boards AS (
       -- one look into the index for each board, however long it is
       (SELECT quiz_id FROM leaderboard_entries ORDER BY quiz_id LIMIT 1)
       UNION ALL SELECT (SELECT l.quiz_id FROM leaderboard_entries l WHERE l.quiz_id > b.quiz_id ORDER BY l.quiz_id LIMIT 1)
       FROM boards b WHERE b.quiz_id IS NOT NULL
     ), over AS (
       SELECT e.quiz_id FROM boards e
       WHERE e.quiz_id IS NOT NULL AND ${GONE} AND NOT EXISTS (SELECT FROM quiz_attempts a WHERE a.quiz_id = e.quiz_id)
     )
     DELETE FROM leaderboard_entries WHERE (quiz_id, account_id, player) IN (
       SELECT quiz_id, account_id, player FROM leaderboard_entries JOIN over USING (quiz_id)
       LIMIT $1 FOR UPDATE OF leaderboard_entries SKIP LOCKED)`,
    [limit],
  );

/**
 * Snapshots that no attempt plays. In two statements: once a snapshot is locked no attempt can begin with it, and the second one sees those that have
 * begun until then.
 */
export const deleteSnapshots: Sweep = (database, before, limit) =>
  database.transaction(async (tx) => {
    const locked = await tx.query<{ id: string }[]>(
      `SELECT id FROM quiz_snapshots e
       WHERE created_at < $1 AND NOT EXISTS (SELECT FROM quiz_attempts a WHERE a.snapshot_id = e.id)
       LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [before, limit],
    );
    return count(
      tx,
      `DELETE FROM quiz_snapshots e
       WHERE id = ANY ($1) AND NOT EXISTS (SELECT FROM quiz_attempts a WHERE a.snapshot_id = e.id)`,
      [locked.map(({ id }) => id)],
    );
  });

import type { EntityManager } from 'typeorm';
import { query, queryPrepared, sql } from '../../platform/database/sql';

/** `PlayCounter` adds them to the quiz after the commit. */
export async function insertPlays(
  tx: EntityManager,
  quizId: string,
  attemptIds: readonly string[],
): Promise<void> {
  await queryPrepared(
    tx,
    sql`INSERT INTO uncounted_plays (attempt_id, quiz_id) SELECT id, ${quizId}::uuid FROM unnest(${attemptIds}::uuid[]) AS id`,
  );
}

/**
 * The quiz's row is the lock of its plays: whoever holds it counts all of them, and others skip it. Plays of a
 * deleted quiz are deleted too. PostgreSQL runs the parts in one snapshot, and does not return a row that another
 * process has deleted meanwhile: no play counts twice. The commit need not wait for the disk: a crash would undo all
 * of it, and the plays would be counted again.
 * @returns whether plays are left
 */
export async function countWaitingPlays(database: EntityManager): Promise<boolean> {
  const [row] = await query<[{ left: boolean }]>(
    database,
    sql`
WITH free AS (
  SELECT id FROM quizzes WHERE id IN (SELECT quiz_id FROM uncounted_plays)
  ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
), taken AS (
  DELETE FROM uncounted_plays
  WHERE quiz_id IN (SELECT id FROM free) OR NOT EXISTS (SELECT FROM quizzes WHERE id = quiz_id)
  RETURNING quiz_id
), counted AS (
  UPDATE quizzes SET plays = plays + n
  FROM (SELECT quiz_id, count(*) AS n FROM taken GROUP BY quiz_id) AS played WHERE id = quiz_id
)
SELECT (SELECT count(*) FROM uncounted_plays) > (SELECT count(*) FROM taken) AS "left",
  set_config('synchronous_commit', 'off', true)`,
  );
  return row.left;
}

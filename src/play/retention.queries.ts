import type { EntityManager } from 'typeorm';

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

/** Attempts at quizzes that are deleted, once nobody can go on with them. */
export const deleteOrphans: Sweep = (database, before, limit) =>
  count(
    database,
    `DELETE FROM quiz_attempts WHERE id IN (
       SELECT a.id FROM quiz_editions e JOIN quiz_attempts a ON a.edition_id = e.id
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
    `WITH over AS (
       SELECT DISTINCT e.quiz_id FROM quiz_editions e
       WHERE ${GONE} AND NOT EXISTS (
         SELECT FROM quiz_editions other JOIN quiz_attempts a ON a.edition_id = other.id
         WHERE other.quiz_id = e.quiz_id))
     DELETE FROM leaderboard_entries WHERE (quiz_id, account_id, player) IN (
       SELECT quiz_id, account_id, player FROM leaderboard_entries JOIN over USING (quiz_id)
       LIMIT $1 FOR UPDATE OF leaderboard_entries SKIP LOCKED)`,
    [limit],
  );

/**
 * Editions that no attempt plays; of a deleted quiz not before its leaderboard, which is found by them. In two
 * statements: once an edition is locked no attempt can begin with it, and the second one sees those that have
 * begun until then.
 */
export const deleteEditions: Sweep = (database, before, limit) =>
  database.transaction(async (tx) => {
    const locked = await tx.query<{ id: string }[]>(
      `SELECT id FROM quiz_editions e
       WHERE created_at < $1 AND NOT EXISTS (SELECT FROM quiz_attempts a WHERE a.edition_id = e.id)
         AND (EXISTS (SELECT FROM quizzes q WHERE q.id = e.quiz_id)
           OR NOT EXISTS (SELECT FROM leaderboard_entries l WHERE l.quiz_id = e.quiz_id))
       LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [before, limit],
    );
    return count(
      tx,
      `DELETE FROM quiz_editions e
       WHERE id = ANY ($1) AND NOT EXISTS (SELECT FROM quiz_attempts a WHERE a.edition_id = e.id)`,
      [locked.map(({ id }) => id)],
    );
  });

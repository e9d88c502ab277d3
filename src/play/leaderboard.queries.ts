import type { EntityManager } from 'typeorm';
import { PLACES, type Ranked } from './leaderboard.rules';

/** What a player has reached with one attempt. */
export interface Entry extends Ranked {
  account_id: string;
  player: string;
}

/** The visible top of a board, best first (compareRanked): ten rows of one index, however long the board is. */
export function findTop(database: EntityManager, quizId: string): Promise<Entry[]> {
  return database.query<Entry[]>(
    `SELECT account_id, player, score, time_spent, reached_at, attempt_id FROM leaderboard_entries
     WHERE quiz_id = $1 ORDER BY score DESC, time_spent, reached_at, attempt_id LIMIT ${PLACES}`,
    [quizId],
  );
}

/** Until the transaction ends, nobody else changes the visible top of this board. */
export async function lockTop(tx: EntityManager, quizId: string): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock($1, hashtext($2))`, [TOP_LOCK, quizId]);
}

/** Any number that no other user of two-part advisory locks in this database takes. */
const TOP_LOCK = 1_790_003;

/** Keeps the entry if it is the player's best so far. */
export async function keepBest(tx: EntityManager, quizId: string, entry: Entry): Promise<void> {
  await tx.query(
    `INSERT INTO leaderboard_entries AS e (quiz_id, account_id, player, score, time_spent, reached_at, attempt_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (quiz_id, account_id, player) DO UPDATE
     SET score = excluded.score, time_spent = excluded.time_spent, reached_at = excluded.reached_at,
         attempt_id = excluded.attempt_id
     WHERE (-e.score, e.time_spent, e.reached_at, e.attempt_id)
         > (-excluded.score, excluded.time_spent, excluded.reached_at, excluded.attempt_id)`,
    [
      quizId,
      entry.account_id,
      entry.player,
      entry.score,
      entry.time_spent,
      entry.reached_at,
      entry.attempt_id,
    ],
  );
}

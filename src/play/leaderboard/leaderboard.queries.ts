import type { EntityManager } from 'typeorm';

/** Ranking: best score, then least time, then earliest; the attempt's id breaks remaining ties. */
export interface Ranked {
  score: number;
  /** Whole seconds. */
  timeSpent: number;
  reachedAt: Date;
  attemptId: string;
}

const PLACES = 10;

/** Negative if `a` ranks above `b`. */
export function compareRanked(a: Ranked, b: Ranked): number {
  return (
    b.score - a.score ||
    a.timeSpent - b.timeSpent ||
    a.reachedAt.getTime() - b.reachedAt.getTime() ||
    (a.attemptId < b.attemptId ? -1 : 1)
  );
}

/**
 * Whether an entry would be among the first ten. Entries do not change, so the tenth only improves unless a player is
 * removed from the leaderboard: "no" stays true whatever other players do meanwhile.
 */
export function reachesTop(top: readonly Ranked[], entry: Ranked): boolean {
  const last = top[PLACES - 1];
  return !last || compareRanked(entry, last) < 0;
}

/** A player's result in one attempt. */
export interface Entry extends Ranked {
  accountId: string;
  player: string;
}

const ENTRIES = `
SELECT account_id AS "accountId", player, score, time_spent AS "timeSpent", reached_at AS "reachedAt", attempt_id AS "attemptId"
FROM leaderboard_entries`;
const BEST_FIRST = `ORDER BY score DESC, time_spent, reached_at, attempt_id`;

/**
 * The visible top of a leaderboard, best first (compareRanked): ten rows of one index, however long the leaderboard
 * is.
 */
export function findTop(database: EntityManager, quizId: string): Promise<Entry[]> {
  return database.query<Entry[]>(
    `${ENTRIES} WHERE quiz_id = $1 AND hidden_at IS NULL ${BEST_FIRST} LIMIT ${PLACES}`,
    [quizId],
  );
}

/** Arbitrary numbers that no other two-part advisory lock in this database uses. */
const TOP_LOCK = 1_790_003;
const PLAYERS_LOCK = 1_790_011;

/** The locks of a leaderboard; each is held until the transaction ends. */
const LOCKS = {
  /** No other transaction changes the visible top. */
  top: `pg_advisory_xact_lock(${TOP_LOCK}, hashtext($1))`,
  /** Nobody is removed or restored; players do not wait for one another. */
  players: `pg_advisory_xact_lock_shared(${PLAYERS_LOCK}, hashtext($1))`,
  /** Nothing else changes. Waits until no attempt is being entered. */
  board: `pg_advisory_xact_lock(${PLAYERS_LOCK}, hashtext($1))`,
};

export async function lockBoard(tx: EntityManager, quizId: string, lock: keyof typeof LOCKS) {
  await tx.query(`SELECT ${LOCKS[lock]}`, [quizId]);
}

/** Stores the entry if it is the player's first. */
export async function keepFirst(tx: EntityManager, quizId: string, entry: Entry): Promise<void> {
  await tx.query(
    `INSERT INTO leaderboard_entries (quiz_id, account_id, player, score, time_spent, reached_at, attempt_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (quiz_id, account_id, player) DO NOTHING`,
    [
      quizId,
      entry.accountId,
      entry.player,
      entry.score,
      entry.timeSpent,
      entry.reachedAt,
      entry.attemptId,
    ],
  );
}

/** Players who were removed from a leaderboard, most recent first. */
export function findHidden(database: EntityManager, quizId: string): Promise<Entry[]> {
  return database.query<Entry[]>(
    `${ENTRIES} WHERE quiz_id = $1 AND hidden_at IS NOT NULL ORDER BY hidden_at DESC, attempt_id LIMIT 100`,
    [quizId],
  );
}

/**
 * Hides the player of an attempt, or shows them again (`at` null).
 * @returns the player; null if they have no entry, or were already hidden or shown
 */
export async function setHidden(
  tx: EntityManager,
  quizId: string,
  attemptId: string,
  at: Date | null,
): Promise<string | null> {
  const [rows] = await tx.query<[{ player: string }[]]>(
    `UPDATE leaderboard_entries SET hidden_at = $3
     WHERE quiz_id = $1 AND attempt_id = $2 AND (hidden_at IS NULL) = ($3::timestamptz IS NOT NULL)
     RETURNING player`,
    [quizId, attemptId, at],
  );
  return rows[0]?.player ?? null;
}

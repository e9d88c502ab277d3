import type { EntityManager } from 'typeorm';
import { columnOf, query, queryPrepared, sql } from '../../platform/database/sql';
import { PLACES, type Ranked } from './leaderboard.rules';
import type { LeaderboardPlayer } from './leaderboard-player.entity';

/** A player's result in one attempt. */
export type LeaderboardRow = Ranked &
  Pick<LeaderboardPlayer, 'accountId' | 'player' | 'questionsPerAttempt'>;

const ENTRIES = sql`
SELECT account_id AS "accountId", player, score, time_spent AS "timeSpent", reached_at AS "reachedAt", attempt_id AS "attemptId",
  questions_per_attempt AS "questionsPerAttempt"
FROM leaderboard_entries`;

/** How many questions an attempt at the quiz draws, 0 for all; of a deleted one, as many as any that is ranked. */
export const currentQuestionsPerAttempt = (quizId: string) => sql`coalesce(
  (SELECT CASE WHEN questions_per_attempt < question_count THEN questions_per_attempt ELSE 0 END
   FROM quizzes WHERE id = ${quizId}),
  (SELECT max(questions_per_attempt) FROM leaderboard_entries WHERE quiz_id = ${quizId} AND hidden_at IS NULL))`;

/**
 * The visible top of a leaderboard, best first (compareRanked): ten rows of one index, however long the leaderboard
 * is. Only attempts with the quiz's current number of questions count: scores out of different totals are not comparable.
 * @param announcedOnly leaves out entries whose leaderboard.updated has not been sent yet
 */
export function findTop(
  database: EntityManager,
  quizId: string,
  { announcedOnly = false } = {},
): Promise<LeaderboardRow[]> {
  return queryPrepared<LeaderboardRow[]>(
    database,
    sql`${ENTRIES} WHERE quiz_id = ${quizId}
          AND questions_per_attempt = ${currentQuestionsPerAttempt(quizId)}
          AND hidden_at IS NULL${announcedOnly ? sql` AND announced` : sql``}
        ORDER BY score DESC, time_spent, reached_at, attempt_id LIMIT ${PLACES}`,
  );
}

/** Arbitrary numbers that no other two-part advisory lock in this database uses. */
const TOP_LOCK = 1_790_003;
const PLAYERS_LOCK = 1_790_011;

/** The locks of a leaderboard; each is held until the transaction ends. */
const LOCKS = {
  /** One announcement at a time. Taken after `players`, which keeps out removals and new scores; entries may be added. */
  top: (quizId: string) => sql`pg_advisory_xact_lock(${TOP_LOCK}, hashtext(${quizId}))`,
  /** Nobody is removed, restored or scored again; players do not wait for one another. */
  players: (quizId: string) =>
    sql`pg_advisory_xact_lock_shared(${PLAYERS_LOCK}, hashtext(${quizId}))`,
  /** Nothing else changes. Waits until no attempt is being entered. */
  board: (quizId: string) => sql`pg_advisory_xact_lock(${PLAYERS_LOCK}, hashtext(${quizId}))`,
};

export async function lockBoard(tx: EntityManager, quizId: string, lock: keyof typeof LOCKS) {
  await queryPrepared(tx, sql`SELECT ${LOCKS[lock](quizId)}`);
}

/**
 * Stores the entries of players who have none.
 * @param entries of different players; not `announced`: it may change the visible top
 */
export async function insertMissing(
  tx: EntityManager,
  quizId: string,
  entries: readonly (LeaderboardRow & { announced: boolean })[],
): Promise<void> {
  await queryPrepared(
    tx,
    sql`INSERT INTO leaderboard_entries (quiz_id, account_id, player, score, time_spent, reached_at, attempt_id, announced,
       questions_per_attempt)
     SELECT ${quizId}::uuid, * FROM unnest(${columnOf(entries, 'accountId')}::uuid[], ${columnOf(entries, 'player')}::text[],
       ${columnOf(entries, 'score')}::int[], ${columnOf(entries, 'timeSpent')}::int[],
       ${columnOf(entries, 'reachedAt')}::timestamptz[], ${columnOf(entries, 'attemptId')}::uuid[],
       ${columnOf(entries, 'announced')}::boolean[], ${columnOf(entries, 'questionsPerAttempt')}::int[]) AS entry (account_id, player)
     ORDER BY account_id, player COLLATE "C"
     ON CONFLICT (quiz_id, account_id, player) DO NOTHING`,
  );
}

export async function markAnnounced(tx: EntityManager, quizId: string): Promise<void> {
  await query(
    tx,
    sql`UPDATE leaderboard_entries SET announced = true WHERE quiz_id = ${quizId} AND NOT announced`,
  );
}

/** The quizzes, with their owners, that have entries to announce. */
export function findUnannounced(
  database: EntityManager,
): Promise<{ id: string; ownerId: string }[]> {
  return query(
    database,
    sql`SELECT DISTINCT e.quiz_id AS id, a.owner_id AS "ownerId"
        FROM leaderboard_entries e JOIN quiz_attempts a ON a.id = e.attempt_id WHERE NOT e.announced`,
  );
}

/** Gives the entries of these attempts other scores. */
export async function setScores(
  tx: EntityManager,
  quizId: string,
  scores: readonly { attemptId: string; score: number }[],
): Promise<void> {
  await query(
    tx,
    sql`UPDATE leaderboard_entries e SET score = v.score
     FROM unnest(${columnOf(scores, 'attemptId')}::uuid[], ${columnOf(scores, 'score')}::int[]) AS v (id, score)
     WHERE quiz_id = ${quizId} AND attempt_id = v.id`,
  );
}

/**
 * Hides the player of an attempt, or shows them again (`at` null).
 * @returns false if the player has no entry, or was already hidden or shown
 */
export async function setHidden(
  tx: EntityManager,
  quizId: string,
  attemptId: string,
  at: Date | null,
): Promise<boolean> {
  const [, changed] = await query<[unknown[], number]>(
    tx,
    sql`UPDATE leaderboard_entries SET hidden_at = ${at}
     WHERE quiz_id = ${quizId} AND attempt_id = ${attemptId} AND (hidden_at IS NULL) = ${at !== null}`,
  );
  return changed > 0;
}

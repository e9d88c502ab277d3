import type { DataSource, EntityManager } from 'typeorm';
import { query, queryPrepared, type Sql, sql } from '../../platform/database/sql';
import { LIMITS } from '../../platform/limits/limits';
import type { QuizAttempt } from './attempt.entity';
import type { Best } from './attempt.rules';
import type { AttemptAnswer } from './attempt-answer.entity';
import { namesOf } from './visitor.rules';

const { attemptsPerPlayer } = LIMITS.content;

/** What an attempt has from its start. */
export type StartedAttempt = Omit<QuizAttempt, 'submittedAt' | 'score' | 'timeSpent' | 'counted'>;

/**
 * @returns false, and nothing is written, if the snapshot is not stored. Its lock keeps the sweep of snapshots
 *   without attempts from deleting it meanwhile.
 */
export async function insertAttempt(
  database: EntityManager,
  attempt: StartedAttempt,
): Promise<boolean> {
  const inserted = await queryPrepared<unknown[]>(
    database,
    sql`WITH snapshot AS (SELECT id FROM quiz_snapshots WHERE id = ${attempt.snapshotId} FOR KEY SHARE)
     INSERT INTO quiz_attempts (id, quiz_id, snapshot_id, account_id, owner_id, player, shuffle, reveal, started_at, link_id,
       ends_at)
     SELECT ${attempt.id}::uuid, ${attempt.quizId}::uuid, id, ${attempt.accountId}::uuid, ${attempt.ownerId}::uuid,
       ${attempt.player}::text, ${attempt.shuffle}::boolean, ${attempt.reveal}::boolean,
       ${attempt.startedAt}::timestamptz, ${attempt.linkId}::uuid, ${attempt.endsAt}::timestamptz
     FROM snapshot RETURNING id`,
  );
  return inserted.length > 0;
}

/** A player at a quiz. */
type PlayerAt = Pick<QuizAttempt, 'quizId' | 'accountId' | 'player'>;

/** The attempts of a player at a quiz: a browser is one player under any name. */
function isOfPlayer({ quizId, accountId, player }: PlayerAt): Sql {
  const [first, last] = namesOf(player);
  return sql`quiz_id = ${quizId} AND account_id = ${accountId} AND player BETWEEN ${first} AND ${last}`;
}

const PLAYER_LOCK = sql`pg_advisory_xact_lock(hashtextextended(concat(quiz_id, account_id,
  CASE WHEN player LIKE 'web:%' THEN left(player, 25) ELSE player END), 0))`;

/** Until the transaction ends, the player starts no other attempt at the quiz. */
export async function lockPlayer(tx: EntityManager, of: PlayerAt): Promise<void> {
  await query(
    tx,
    sql`SELECT ${PLAYER_LOCK}
        FROM (SELECT ${of.quizId}::uuid AS quiz_id, ${of.accountId}::uuid AS account_id, ${of.player}::text AS player) AS p`,
  );
}

/** How many attempts the player has begun, of those that are stored, and the best result. */
export async function findTries(
  database: EntityManager,
  of: PlayerAt,
): Promise<{ used: number; best: Best | null }> {
  const [row] = await query<[{ used: number; best: Best | null }]>(
    database,
    sql`SELECT (SELECT count(*)::int FROM (SELECT FROM quiz_attempts
         WHERE ${isOfPlayer(of)} LIMIT ${attemptsPerPlayer.value}) AS begun) AS used,
       (SELECT json_build_object('score', score, 'total', question_count)
       FROM (SELECT score, snapshot_id FROM quiz_attempts WHERE ${isOfPlayer(of)} AND submitted_at IS NOT NULL) AS b
       JOIN quiz_snapshots s ON s.id = b.snapshot_id
       ORDER BY score::float8 / question_count DESC LIMIT 1) AS best`,
  );
  return row;
}

const ATTEMPT = sql`a.id, a.quiz_id AS "quizId", a.snapshot_id AS "snapshotId", a.account_id AS "accountId",
  a.owner_id AS "ownerId", a.player, a.shuffle, a.reveal, a.link_id AS "linkId", a.started_at AS "startedAt",
  a.ends_at AS "endsAt", a.submitted_at AS "submittedAt", a.score, a.time_spent AS "timeSpent", a.counted`;

const ANSWER = sql`attempt_id AS "attemptId", question_id AS "questionId", answer_ids AS "answerIds", text,
  is_right AS "isCorrect"`;

/**
 * The account's attempt, locked until the transaction ends, so that answers and the submission run one after the
 * other.
 * @param withPlayer also the player's other submissions at the quiz: a browser is one player under any name
 */
export async function lockAttempt(
  tx: EntityManager,
  accountId: string,
  id: string,
  withPlayer = false,
): Promise<QuizAttempt | null> {
  const [row] = await queryPrepared<QuizAttempt[]>(
    tx,
    sql`SELECT ${ATTEMPT}${withPlayer ? sql`, ${PLAYER_LOCK}` : sql``} FROM quiz_attempts a
        WHERE id = ${id} AND account_id = ${accountId} FOR NO KEY UPDATE`,
  );
  return row ?? null;
}

/** @param questionId only the answer to this question; null: all of them */
export function findAnswers(
  tx: EntityManager,
  attemptId: string,
  questionId: string | null = null,
): Promise<AttemptAnswer[]> {
  const isAsked = questionId === null ? sql`` : sql` AND question_id = ${questionId}`;
  return queryPrepared<AttemptAnswer[]>(
    tx,
    sql`SELECT ${ANSWER} FROM quiz_answers WHERE attempt_id = ${attemptId}${isAsked}`,
  );
}

/** An answer to an attempt that was open when it was last read. */
export interface GivenAnswer extends AttemptAnswer {
  /** Of the attempt and the question: only one answer at a time may have it. */
  id: string;
  accountId: string;
  /** That the answer was graded by. */
  snapshotId: string;
}

/**
 * Stores answers to open attempts of many players, replacing earlier ones. It waits for nobody: an attempt that is
 * locked, submitted or gone, has another snapshot by now, or has revealed the solution is left out. Each row is found by
 * its key, whatever the plan was made for.
 * @returns the ids of those that are stored
 */
export function saveAnswers(
  database: DataSource | EntityManager,
  answers: readonly GivenAnswer[],
): Promise<{ id: string }[]> {
  return queryPrepared(
    database,
    sql`
WITH stored AS (
  INSERT INTO quiz_answers AS a (attempt_id, question_id, answer_ids, text, is_right)
  SELECT "attemptId", "questionId", "answerIds", text, "isCorrect"
  FROM json_to_recordset(${JSON.stringify(answers)}) AS given ("attemptId" uuid, "questionId" uuid, "answerIds" uuid[],
    text text, "isCorrect" boolean, "accountId" uuid, "snapshotId" uuid),
  LATERAL (SELECT FROM quiz_attempts
    WHERE id = "attemptId" AND account_id = "accountId" AND snapshot_id = "snapshotId" AND submitted_at IS NULL
    FOR NO KEY UPDATE SKIP LOCKED) AS open
  ON CONFLICT (attempt_id, question_id) DO UPDATE
  SET answer_ids = excluded.answer_ids, text = excluded.text, is_right = excluded.is_right
  WHERE NOT (SELECT reveal FROM quiz_attempts WHERE id = a.attempt_id)
  RETURNING attempt_id, question_id
)
SELECT concat(attempt_id, question_id) AS id FROM stored`,
  );
}

/**
 * Whether the player has seen solutions of this quiz in another attempt: a submitted one, or one that reveals after
 * each answer.
 */
export async function hasSeenSolutions(tx: EntityManager, attempt: QuizAttempt): Promise<boolean> {
  const rows = await queryPrepared<unknown[]>(
    tx,
    sql`SELECT FROM quiz_attempts a
     WHERE ${isOfPlayer(attempt)} AND id <> ${attempt.id} AND (submitted_at IS NOT NULL
       OR reveal AND EXISTS (SELECT FROM quiz_answers WHERE attempt_id = a.id)) LIMIT 1`,
  );
  return rows.length > 0;
}

/** An attempt with the present title and slug of its quiz; both null if the quiz was deleted. */
export type NamedAttempt = QuizAttempt & { slug: string | null; title: string | null };

export async function findNamedAttempt(
  database: EntityManager,
  id: string,
): Promise<NamedAttempt | null> {
  const [row] = await queryPrepared<NamedAttempt[]>(
    database,
    sql`SELECT ${ATTEMPT}, q.slug, q.title
        FROM quiz_attempts a LEFT JOIN quizzes q ON q.id = a.quiz_id WHERE a.id = ${id}`,
  );
  return row ?? null;
}

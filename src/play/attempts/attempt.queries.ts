import type { EntityManager } from 'typeorm';
import { LIMITS } from '../../platform/limits/limits';
import type { Best, Given } from './attempt.rules';
import type { PlayedQuestion } from './snapshot.queries';
import { namesOf } from './visitor.rules';

const { attemptsPerPlayer } = LIMITS.content;

/** A stored attempt. `score` and `time_spent` (seconds) are set when it is submitted. */
export interface AttemptRow {
  id: string;
  /** Null: its questions were drawn across quizzes. */
  quiz_id: string | null;
  snapshot_id: string;
  account_id: string;
  owner_id: string;
  player: string;
  shuffle: boolean;
  reveal: boolean;
  /** The unlisted link it was started by. */
  link_id: string | null;
  started_at: Date;
  /** When its time limit is over; null: it has none. */
  ends_at: Date | null;
  submitted_at: Date | null;
  score: number | null;
  time_spent: number | null;
}

/** The answer to a question: one of `answer_ids` and `text`, and the other null. */
export interface AnswerRow {
  question_id: string;
  answer_ids: string[] | null;
  text: string | null;
  is_right: boolean;
}

const COLUMNS = `id, quiz_id, snapshot_id, account_id, owner_id, player, shuffle, reveal, link_id, started_at,
  ends_at, submitted_at, score, time_spent`;

/**
 * @returns false, and nothing is written, if the snapshot is not stored. Its lock keeps the sweep of snapshots
 *   without attempts from deleting it meanwhile.
 */
export async function insertAttempt(
  database: EntityManager,
  attempt: Omit<AttemptRow, 'submitted_at' | 'score' | 'time_spent'>,
): Promise<boolean> {
  const inserted = await database.query<unknown[]>(
    `WITH snapshot AS (SELECT id FROM quiz_snapshots WHERE id = $3 FOR KEY SHARE)
     INSERT INTO quiz_attempts (id, quiz_id, snapshot_id, account_id, owner_id, player, shuffle, reveal, started_at, link_id,
       ends_at)
     SELECT $1::uuid, $2::uuid, id, $4::uuid, $5::uuid, $6::text, $7::boolean, $8::boolean, $9::timestamptz, $10::uuid,
       $11::timestamptz
     FROM snapshot RETURNING id`,
    [
      attempt.id,
      attempt.quiz_id,
      attempt.snapshot_id,
      attempt.account_id,
      attempt.owner_id,
      attempt.player,
      attempt.shuffle,
      attempt.reveal,
      attempt.started_at,
      attempt.link_id,
      attempt.ends_at,
    ],
  );
  return inserted.length > 0;
}

/** A player at a quiz. */
type PlayerAt = Pick<AttemptRow, 'quiz_id' | 'account_id' | 'player'>;

/** Until the transaction ends, the player starts no other attempt at the quiz. */
export async function lockPlayer(tx: EntityManager, of: PlayerAt): Promise<void> {
  await tx.query(
    `SELECT ${PLAYER_LOCK} FROM (SELECT $1::uuid AS quiz_id, $2::uuid AS account_id, $3::text AS player) AS p`,
    [of.quiz_id, of.account_id, of.player],
  );
}

/** How many attempts the player has begun, of those that are stored, and the best result. */
export async function findTries(
  database: EntityManager,
  of: PlayerAt,
): Promise<{ used: number; best: Best | null }> {
  const [row] = await database.query<[{ used: number; best: Best | null }]>(
    `SELECT (SELECT count(*)::int FROM (SELECT FROM quiz_attempts
         WHERE quiz_id = $1 AND account_id = $2 AND player BETWEEN $3 AND $4 LIMIT ${attemptsPerPlayer.value}) AS begun) AS used,
       (SELECT json_build_object('score', score, 'total', question_count)
       FROM quiz_attempts b JOIN quiz_snapshots s ON s.id = b.snapshot_id
       WHERE b.quiz_id = $1 AND account_id = $2 AND player BETWEEN $3 AND $4 AND submitted_at IS NOT NULL
       ORDER BY score::float8 / question_count DESC LIMIT 1) AS best`,
    [of.quiz_id, of.account_id, ...namesOf(of.player)],
  );
  return row;
}

const PLAYER_LOCK = `pg_advisory_xact_lock(hashtextextended(concat(quiz_id, account_id,
  CASE WHEN player LIKE 'web:%' THEN left(player, 25) ELSE player END), 0))`;

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
): Promise<AttemptRow | null> {
  const [row] = await tx.query<AttemptRow[]>(
    `SELECT ${COLUMNS}${withPlayer ? `, ${PLAYER_LOCK}` : ''} FROM quiz_attempts
     WHERE id = $1 AND account_id = $2 FOR NO KEY UPDATE`,
    [id, accountId],
  );
  return row ?? null;
}

/** One question of a snapshot; null if it has no such question. */
export async function findQuestion(
  tx: EntityManager,
  snapshotId: string,
  questionId: string,
): Promise<PlayedQuestion | null> {
  const [row] = await tx.query<[{ question: Omit<PlayedQuestion, 'id'> | null }]>(
    `SELECT questions -> $2::text AS question FROM quiz_snapshots WHERE id = $1`,
    [snapshotId, questionId],
  );
  return row.question && { id: questionId, ...row.question };
}

/** @param questionId only the answer to this question; null: all of them */
export function findAnswers(
  tx: EntityManager,
  attemptId: string,
  questionId: string | null = null,
): Promise<AnswerRow[]> {
  return tx.query<AnswerRow[]>(
    `SELECT question_id, answer_ids, text, is_right FROM quiz_answers
     WHERE attempt_id = $1 AND ($2::uuid IS NULL OR question_id = $2)`,
    [attemptId, questionId],
  );
}

/** Stores an answer, replacing an earlier one. */
export async function saveAnswer(
  tx: EntityManager,
  attemptId: string,
  questionId: string,
  given: Given,
  isRight: boolean,
): Promise<AnswerRow> {
  const [row] = await tx.query<[AnswerRow]>(
    `INSERT INTO quiz_answers AS a (attempt_id, question_id, answer_ids, text, is_right) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (attempt_id, question_id) DO UPDATE
     SET answer_ids = excluded.answer_ids, text = excluded.text, is_right = excluded.is_right
     RETURNING question_id, answer_ids, text, is_right`,
    [
      attemptId,
      questionId,
      'answerIds' in given ? given.answerIds : null,
      'text' in given ? given.text : null,
      isRight,
    ],
  );
  return row;
}

/**
 * Whether the player has seen solutions of this quiz in another attempt: a submitted one, or one that reveals after
 * each answer.
 * @param players the first and the last of the player's possible ids
 */
export async function hasSeenSolutions(
  tx: EntityManager,
  attempt: AttemptRow,
  players: readonly [string, string],
): Promise<boolean> {
  const rows = await tx.query<unknown[]>(
    `SELECT FROM quiz_attempts a
     WHERE quiz_id = $1 AND account_id = $2 AND player BETWEEN $3 AND $4 AND id <> $5 AND (submitted_at IS NOT NULL
       OR reveal AND EXISTS (SELECT FROM quiz_answers WHERE attempt_id = a.id)) LIMIT 1`,
    [attempt.quiz_id, attempt.account_id, ...players, attempt.id],
  );
  return rows.length > 0;
}

/** Ends an attempt. */
export async function markSubmitted(
  tx: EntityManager,
  attempt: AttemptRow,
  result: { score: number; timeSpent: number; at: Date; isCounted: boolean },
): Promise<void> {
  await tx.query(
    `UPDATE quiz_attempts SET submitted_at = $2, score = $3, time_spent = $4, counted = $5 WHERE id = $1`,
    [attempt.id, result.at, result.score, result.timeSpent, result.isCounted],
  );
}

/** An attempt with the present title and slug of its quiz; both null if the quiz was deleted. */
export type NamedAttempt = AttemptRow & { slug: string | null; title: string | null };

export async function findAttempt(
  database: EntityManager,
  id: string,
): Promise<NamedAttempt | null> {
  const [row] = await database.query<NamedAttempt[]>(
    `SELECT a.*, q.slug, q.title FROM quiz_attempts a LEFT JOIN quizzes q ON q.id = a.quiz_id WHERE a.id = $1`,
    [id],
  );
  return row ?? null;
}

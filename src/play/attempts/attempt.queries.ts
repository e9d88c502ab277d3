import type { DataSource, EntityManager } from 'typeorm';
import { columnOf, query, queryPrepared, type Sql, sql } from '../../platform/database/sql';
import { LIMITS } from '../../platform/limits/limits';
import type { QuizAttempt } from './attempt.entity';
import type { Best } from './attempt.rules';
import type { AttemptAnswer } from './attempt-answer.entity';
import { AFTER_COLON, LENGTH_OF_BROWSER, namesOf, RESERVED } from './visitor.rules';

const { attemptsPerPlayer } = LIMITS.content;

/** What an attempt has from its start. */
export type StartedAttempt = Omit<QuizAttempt, 'submittedAt' | 'score' | 'timeSpent' | 'counted'>;

/** A submitted attempt. */
export interface ScoredAttempt extends StartedAttempt {
  submittedAt: Date;
  score: number;
  /** Seconds. */
  timeSpent: number;
  counted: boolean;
}

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
       ends_at, questions_per_attempt)
     SELECT ${attempt.id}::uuid, ${attempt.quizId}::uuid, id, ${attempt.accountId}::uuid, ${attempt.ownerId}::uuid,
       ${attempt.player}::text, ${attempt.shuffle}::boolean, ${attempt.reveal}::boolean,
       ${attempt.startedAt}::timestamptz, ${attempt.linkId}::uuid, ${attempt.endsAt}::timestamptz,
       ${attempt.questionsPerAttempt}::int
     FROM snapshot RETURNING id`,
  );
  return inserted.length > 0;
}

/** A player at a quiz. */
type PlayerAt = Pick<QuizAttempt, 'quizId' | 'accountId' | 'player'>;

/** The attempts of a player at a quiz: a browser is one player under any name. */
function isOfPlayer({ quizId, accountId, player }: PlayerAt): Sql {
  const [first, last] = namesOf(player);
  return sql`a.quiz_id = ${quizId} AND account_id = ${accountId} AND player BETWEEN ${first} AND ${last}`;
}

const isVisitor = (attempt: Sql): Sql => sql`starts_with(${attempt}.player, ${RESERVED})`;
const browserOf = (attempt: Sql): Sql => sql`left(${attempt}.player, ${LENGTH_OF_BROWSER})`;
const playerOf = (attempt: Sql): Sql =>
  sql`CASE WHEN ${isVisitor(attempt)} THEN ${browserOf(attempt)} || ':' ELSE ${attempt}.player END`;
const A = sql`a`;
/** The player of an attempt a: a browser is one player under any name. */
export const PLAYER = playerOf(A);
/**
 * Whether an attempt b at the same quiz has the player of an attempt a; `namesOf` in SQL. The bounds are for the index.
 * The equality says no more than they do, but can be hashed: a hash join on the account alone would compare each attempt
 * of an app's account with all others.
 */
export const HAS_SAME_PLAYER = sql`b.account_id = a.account_id AND ${playerOf(sql`b`)} = ${PLAYER}
  AND b.player BETWEEN ${PLAYER} AND CASE WHEN ${isVisitor(A)} THEN ${browserOf(A)} || ${AFTER_COLON} ELSE a.player END`;

const PLAYER_KEY = sql`hashtextextended(concat(a.quiz_id, a.account_id, ${PLAYER}), 0)`;
const PLAYER_LOCK = sql`pg_advisory_xact_lock(${PLAYER_KEY})`;
const TRY_PLAYER_LOCK = sql`pg_try_advisory_xact_lock(${PLAYER_KEY})`;

/** Until the transaction ends, the player starts no other attempt at the quiz. */
export async function lockPlayer(tx: EntityManager, of: PlayerAt): Promise<void> {
  await query(
    tx,
    sql`SELECT ${PLAYER_LOCK}
        FROM (SELECT ${of.quizId}::uuid AS quiz_id, ${of.accountId}::uuid AS account_id, ${of.player}::text AS player) AS a`,
  );
}

/** How many questions an attempt has. Of quiz_attempts as a and its snapshot as s. */
export const TOTAL = sql`least(a.questions_per_attempt, s.question_count)`;

/** How many attempts the player has begun, of those that are stored, and the best result. */
export async function findTries(
  database: EntityManager,
  of: PlayerAt,
): Promise<{ used: number; best: Best | null }> {
  const [row] = await query<[{ used: number; best: Best | null }]>(
    database,
    sql`SELECT (SELECT count(*)::int FROM (SELECT FROM quiz_attempts a
         WHERE ${isOfPlayer(of)} LIMIT ${attemptsPerPlayer.value}) AS begun) AS used,
       (SELECT json_build_object('score', score, 'total', total)
       FROM (SELECT score, ${TOTAL} AS total
             FROM quiz_attempts a JOIN quiz_snapshots s ON s.id = a.snapshot_id
             WHERE ${isOfPlayer(of)} AND submitted_at IS NOT NULL) AS submitted
       ORDER BY score::float8 / total DESC LIMIT 1) AS best`,
  );
  return row;
}

const ATTEMPT = sql`a.id, a.quiz_id AS "quizId", a.snapshot_id AS "snapshotId", a.account_id AS "accountId",
  a.owner_id AS "ownerId", a.player, a.shuffle, a.reveal, a.link_id AS "linkId", a.started_at AS "startedAt",
  a.ends_at AS "endsAt", a.questions_per_attempt AS "questionsPerAttempt", a.submitted_at AS "submittedAt", a.score, a.time_spent AS "timeSpent", a.counted`;

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

/**
 * Those of the attempts that are open and that nothing else has locked, with their players, each locked until the transaction ends.
 * It waits for nobody.
 */
export function lockOpenAttempts(
  tx: EntityManager,
  attempts: readonly { id: string; accountId: string }[],
): Promise<QuizAttempt[]> {
  return queryPrepared<QuizAttempt[]>(
    tx,
    sql`SELECT open.*
        FROM unnest(${columnOf(attempts, 'id')}::uuid[], ${columnOf(attempts, 'accountId')}::uuid[]) AS it (id, account_id),
        LATERAL (SELECT ${ATTEMPT}, ${TRY_PLAYER_LOCK} AS "isPlayerLocked" FROM quiz_attempts a
          WHERE a.id = it.id AND a.account_id = it.account_id AND submitted_at IS NULL
          FOR NO KEY UPDATE SKIP LOCKED) AS open
        WHERE "isPlayerLocked"`,
  );
}

/** @param questionId only answers to this question; null: all of them */
export function findAnswers(
  tx: EntityManager,
  attemptIds: readonly string[],
  questionId: string | null = null,
): Promise<AttemptAnswer[]> {
  const ofQuestion = questionId === null ? sql`` : sql` AND question_id = ${questionId}`;
  return queryPrepared<AttemptAnswer[]>(
    tx,
    sql`SELECT ${ANSWER} FROM quiz_answers WHERE attempt_id = ANY (${attemptIds}::uuid[])${ofQuestion}`,
  );
}

/** The answers of each of these attempts. */
export async function findAnswersByAttempt(
  tx: EntityManager,
  attempts: readonly { id: string }[],
): Promise<ReadonlyMap<string, AttemptAnswer[]>> {
  const byAttempt = new Map<string, AttemptAnswer[]>(attempts.map(({ id }) => [id, []]));
  for (const answer of await findAnswers(tx, columnOf(attempts, 'id')))
    byAttempt.get(answer.attemptId)?.push(answer);
  return byAttempt;
}

/** An answer to an attempt that was open when it was read. */
export interface AnswerToSave extends AttemptAnswer {
  /** The ids of the attempt and of the question: one statement can save one answer with it. */
  id: string;
  accountId: string;
  /** The snapshot that the answer was graded by. */
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
  answers: readonly AnswerToSave[],
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
 * Those of the attempts whose player has seen solutions of the quiz in another one: a submitted one, or one that reveals
 * after each answer.
 */
export function findWithSeenSolutions(
  tx: EntityManager,
  attempts: readonly QuizAttempt[],
): Promise<{ id: string }[]> {
  const names = attempts.map(({ player }) => namesOf(player));
  return queryPrepared<{ id: string }[]>(
    tx,
    // With LIMIT, so that each is found by the index, whatever the plan was made for.
    sql`SELECT it.id FROM unnest(${columnOf(attempts, 'id')}::uuid[], ${columnOf(attempts, 'quizId')}::uuid[],
       ${columnOf(attempts, 'accountId')}::uuid[], ${columnOf(names, 0)}::text[], ${columnOf(names, 1)}::text[])
       AS it (id, quiz_id, account_id, first_name, last_name)
     , LATERAL (SELECT FROM quiz_attempts a
       WHERE a.quiz_id = it.quiz_id AND a.account_id = it.account_id
         AND player BETWEEN first_name AND last_name AND a.id <> it.id AND (submitted_at IS NOT NULL
           OR reveal AND EXISTS (SELECT FROM quiz_answers WHERE attempt_id = a.id)) LIMIT 1) AS seen`,
  );
}

/** Ends attempts. */
export async function storeOutcomes(
  tx: EntityManager,
  attempts: readonly ScoredAttempt[],
): Promise<void> {
  // Planned each time: a plan from when the table was small would read all of it.
  await query(
    tx,
    sql`UPDATE quiz_attempts a
        SET submitted_at = it.submitted_at, score = it.score, time_spent = it.time_spent, counted = it.counted
        FROM unnest(${columnOf(attempts, 'id')}::uuid[], ${columnOf(attempts, 'submittedAt')}::timestamptz[],
          ${columnOf(attempts, 'score')}::int[], ${columnOf(attempts, 'timeSpent')}::int[],
          ${columnOf(attempts, 'counted')}::boolean[]) AS it (id, submitted_at, score, time_spent, counted)
        WHERE a.id = it.id`,
  );
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

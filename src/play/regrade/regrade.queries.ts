import type { EntityManager } from 'typeorm';
import { query, sql } from '../../platform/database/sql';
import type { AttemptAnswer } from '../attempts/attempt-answer.entity';
import type { SumsChange } from './regrade.rules';

/** The snapshots of a quiz. */
export async function findSnapshots(
  database: EntityManager,
  quiz: { id: string; ownerId: string },
): Promise<string[]> {
  const rows = await query<{ id: string }[]>(
    database,
    sql`SELECT id FROM quiz_snapshots WHERE owner_id = ${quiz.ownerId} AND quiz_id = ${quiz.id} ORDER BY id`,
  );
  return rows.map(({ id }) => id);
}

/** Submitted attempts of these snapshots. */
export async function countSubmitted(
  database: EntityManager,
  snapshotIds: readonly string[],
): Promise<number> {
  if (snapshotIds.length === 0) return 0;
  const [row] = await query<[{ n: number }]>(
    database,
    sql`SELECT count(*)::int AS n FROM quiz_attempts
        WHERE snapshot_id = ANY (${snapshotIds}::uuid[]) AND submitted_at IS NOT NULL`,
  );
  return row.n;
}

/** An attempt that is scored again. */
export interface AttemptToRegrade {
  id: string;
  /** Null: it is open. */
  score: number | null;
  timeSpent: number | null;
  counted: boolean;
}

/**
 * Some attempts of a snapshot, open and submitted ones, locked until the transaction ends: answers and submissions wait,
 * and go on with the snapshot that the attempt has then.
 */
export function lockAttempts(
  tx: EntityManager,
  snapshotId: string,
  limit: number,
): Promise<AttemptToRegrade[]> {
  return query<AttemptToRegrade[]>(
    tx,
    sql`SELECT id, score, time_spent AS "timeSpent", counted FROM quiz_attempts
        WHERE snapshot_id = ${snapshotId} ORDER BY id LIMIT ${limit} FOR NO KEY UPDATE`,
  );
}

export function findAnswersOf(
  tx: EntityManager,
  attemptIds: readonly string[],
): Promise<AttemptAnswer[]> {
  return query<AttemptAnswer[]>(
    tx,
    sql`SELECT attempt_id AS "attemptId", question_id AS "questionId", answer_ids AS "answerIds", text,
          is_right AS "isCorrect"
        FROM quiz_answers WHERE attempt_id = ANY (${attemptIds}::uuid[])`,
  );
}

/** Whether answers are correct. */
export async function writeVerdicts(
  tx: EntityManager,
  answers: readonly AttemptAnswer[],
): Promise<void> {
  if (answers.length === 0) return;
  const column = <K extends keyof AttemptAnswer>(name: K) => answers.map((answer) => answer[name]);
  await query(
    tx,
    sql`UPDATE quiz_answers a SET is_right = v.is_right
        FROM unnest(${column('attemptId')}::uuid[], ${column('questionId')}::uuid[], ${column('isCorrect')}::boolean[])
          AS v (attempt_id, question_id, is_right)
        WHERE a.attempt_id = v.attempt_id AND a.question_id = v.question_id`,
  );
}

/** The attempts belong to another snapshot, with these scores; null for those that are open. */
export async function writeScores(
  tx: EntityManager,
  snapshotId: string,
  attempts: readonly Pick<AttemptToRegrade, 'id' | 'score'>[],
): Promise<void> {
  await query(
    tx,
    sql`UPDATE quiz_attempts a SET snapshot_id = ${snapshotId}, score = v.score
        FROM unnest(${attempts.map(({ id }) => id)}::uuid[], ${attempts.map(({ score }) => score)}::int[]) AS v (id, score)
        WHERE a.id = v.id`,
  );
}

/**
 * Changes the sums of a quiz. Rows are locked in the order of submissions. What was taken away from rows that are gone
 * (of former texts) is left out.
 * @param total how many questions the attempts have
 */
export async function changeSums(
  tx: EntityManager,
  quizId: string,
  total: number,
  change: SumsChange,
): Promise<void> {
  const { questions, quiz } = change;
  const column = <K extends keyof (typeof questions)[number]>(name: K) =>
    questions.map((row) => row[name]);
  await query(
    tx,
    sql`
INSERT INTO question_results AS r (quiz_id, version, chosen, rest, is_right, attempts)
SELECT ${quizId}::uuid, version, chosen, rest, is_right, attempts
FROM unnest(${column('version')}::uuid[], ${column('chosen')}::text[], ${column('rest')}::int[],
  ${column('isCorrect')}::boolean[], ${column('attempts')}::int[]) AS v (version, chosen, rest, is_right, attempts)
WHERE attempts > 0 OR EXISTS (SELECT FROM question_results o
  WHERE o.quiz_id = ${quizId} AND (o.version, o.chosen, o.rest) = (v.version, v.chosen, v.rest))
ORDER BY version, chosen COLLATE "C", rest
ON CONFLICT (quiz_id, version, chosen, rest) DO UPDATE SET attempts = r.attempts + excluded.attempts`,
  );
  await query(
    tx,
    sql`DELETE FROM question_results WHERE quiz_id = ${quizId} AND version = ANY (${column('version')}::uuid[]) AND attempts <= 0`,
  );
  await query(
    tx,
    sql`
INSERT INTO quiz_results AS r (quiz_id, total, score, attempts, seconds)
SELECT ${quizId}::uuid, ${total}::int, score, attempts, seconds
FROM unnest(${quiz.map(({ score }) => score)}::int[], ${quiz.map(({ attempts }) => attempts)}::int[],
  ${quiz.map(({ seconds }) => seconds)}::bigint[]) AS v (score, attempts, seconds)
ORDER BY score
ON CONFLICT (quiz_id, total, score) DO UPDATE SET attempts = r.attempts + excluded.attempts, seconds = r.seconds + excluded.seconds`,
  );
  await query(
    tx,
    sql`DELETE FROM quiz_results WHERE quiz_id = ${quizId} AND total = ${total} AND attempts <= 0`,
  );
}

/** Leaves these snapshots' attempts to the worker. @param questionIds those to score again */
export async function requestRegrade(
  tx: EntityManager,
  snapshotIds: readonly string[],
  questionIds: readonly string[],
): Promise<void> {
  await query(
    tx,
    sql`UPDATE quiz_snapshots SET regrade = ARRAY(
          SELECT DISTINCT unnest(coalesce(regrade, '{}') || ${questionIds}::uuid[])) WHERE id = ANY (${snapshotIds}::uuid[])`,
  );
}

/** A quiz whose regrade was left to the worker. */
export interface RequestedRegrade {
  quizId: string;
  ownerId: string;
  questionIds: string[];
}

/** Any of them: one that fails again and again must not keep the others waiting. */
export async function findRequestedRegrade(
  database: EntityManager,
): Promise<RequestedRegrade | null> {
  const [row] = await query<RequestedRegrade[]>(
    database,
    sql`SELECT quiz_id AS "quizId", owner_id AS "ownerId",
          array(SELECT DISTINCT unnest(regrade) FROM quiz_snapshots o WHERE o.quiz_id = s.quiz_id AND regrade IS NOT NULL) AS "questionIds"
        FROM quiz_snapshots s WHERE regrade IS NOT NULL ORDER BY random() LIMIT 1`,
  );
  return row ?? null;
}

/** @param questionIds those that are done: others may have been asked for meanwhile */
export async function endRegrade(
  tx: EntityManager,
  quizId: string,
  questionIds: readonly string[],
): Promise<void> {
  await query(
    tx,
    sql`UPDATE quiz_snapshots SET regrade = NULL WHERE quiz_id = ${quizId} AND regrade <@ ${questionIds}::uuid[]`,
  );
}

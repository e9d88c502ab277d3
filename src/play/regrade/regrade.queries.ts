import type { EntityManager } from 'typeorm';
import { columnOf, query, sql } from '../../platform/database/sql';
import type { AttemptAnswer } from '../attempts/attempt-answer.entity';
import { LEFT_TO_WORKER, type QuizRegrade } from './quiz-regrade.entity';

/** The snapshots of a quiz that an attempt plays: an earlier regrade leaves some without. */
export async function findSnapshots(
  database: EntityManager,
  quiz: { id: string; ownerId: string },
): Promise<string[]> {
  const rows = await query<{ id: string }[]>(
    database,
    sql`SELECT id FROM quiz_snapshots s WHERE owner_id = ${quiz.ownerId} AND quiz_id = ${quiz.id}
          AND EXISTS (SELECT FROM quiz_attempts WHERE snapshot_id = s.id) ORDER BY id`,
  );
  return rows.map(({ id }) => id);
}

/** How many submitted attempts these snapshots have; those without any are absent. */
export async function countSubmitted(
  database: EntityManager,
  snapshotIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (snapshotIds.length === 0) return new Map();
  const rows = await query<{ id: string; n: number }[]>(
    database,
    sql`SELECT snapshot_id AS id, count(*)::int AS n FROM quiz_attempts
        WHERE snapshot_id = ANY (${snapshotIds}::uuid[]) AND submitted_at IS NOT NULL GROUP BY snapshot_id`,
  );
  return new Map(rows.map(({ id, n }) => [id, n]));
}

/** How many attempts these snapshots have, open and submitted ones. */
export async function countAttempts(
  tx: EntityManager,
  snapshotIds: readonly string[],
): Promise<number> {
  const [row] = await query<[{ n: number }]>(
    tx,
    sql`SELECT count(*)::int AS n FROM quiz_attempts WHERE snapshot_id = ANY (${snapshotIds}::uuid[])`,
  );
  return row.n;
}

/** How many submitted attempts at these snapshots have answered one of the questions. */
export async function countAnswered(
  database: EntityManager,
  snapshotIds: readonly string[],
  questionIds: readonly string[],
): Promise<number> {
  const [row] = await query<[{ n: number }]>(
    database,
    sql`SELECT count(*)::int AS n FROM quiz_attempts a
        WHERE snapshot_id = ANY (${snapshotIds}::uuid[]) AND submitted_at IS NOT NULL
          AND EXISTS (SELECT FROM quiz_answers WHERE attempt_id = a.id AND question_id = ANY (${questionIds}::uuid[]))`,
  );
  return row.n;
}

/** An attempt that is scored again. */
export interface AttemptToRegrade {
  id: string;
  questionsPerAttempt: number | null;
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
    sql`SELECT id, score, time_spent AS "timeSpent", counted, questions_per_attempt AS "questionsPerAttempt"
        FROM quiz_attempts WHERE snapshot_id = ${snapshotId} ORDER BY id LIMIT ${limit} FOR NO KEY UPDATE`,
  );
}

/** Whether an attempt plays a snapshot. */
export async function isPlayed(tx: EntityManager, snapshotId: string): Promise<boolean> {
  const [row] = await query<[{ isPlayed: boolean }]>(
    tx,
    sql`SELECT EXISTS (SELECT FROM quiz_attempts WHERE snapshot_id = ${snapshotId}) AS "isPlayed"`,
  );
  return row.isPlayed;
}

/** Stores which answers are correct. */
export async function writeVerdicts(
  tx: EntityManager,
  answers: readonly AttemptAnswer[],
): Promise<void> {
  if (answers.length === 0) return;
  await query(
    tx,
    sql`UPDATE quiz_answers a SET is_right = v.is_right
        FROM unnest(${columnOf(answers, 'attemptId')}::uuid[], ${columnOf(answers, 'questionId')}::uuid[], ${columnOf(answers, 'isCorrect')}::boolean[])
          AS v (attempt_id, question_id, is_right)
        WHERE a.attempt_id = v.attempt_id AND a.question_id = v.question_id`,
  );
}

/** Moves attempts to another snapshot, with these scores; null for those that are open. */
export async function writeScores(
  tx: EntityManager,
  snapshotId: string,
  attempts: readonly Pick<AttemptToRegrade, 'id' | 'score'>[],
): Promise<void> {
  await query(
    tx,
    sql`UPDATE quiz_attempts a SET snapshot_id = ${snapshotId}, score = v.score
        FROM unnest(${columnOf(attempts, 'id')}::uuid[], ${columnOf(attempts, 'score')}::int[]) AS v (id, score)
        WHERE a.id = v.id`,
  );
}

/**
 * Begins a regrade of a quiz, or joins the one that is under way. The quiz is locked. What the worker continues already
 * stays with it.
 * @returns from when on the worker continues it
 */
export async function requestRegrade(
  tx: EntityManager,
  {
    quizId,
    snapshotIds,
    questionIds,
    workerFrom,
    now,
  }: Readonly<Pick<QuizRegrade, 'quizId' | 'workerFrom'>> & {
    snapshotIds: readonly string[];
    questionIds: readonly string[];
    now: Date;
  },
): Promise<Date> {
  const [row] = await query<[{ workerFrom: Date }]>(
    tx,
    sql`INSERT INTO quiz_regrades AS r (quiz_id, snapshot_ids, question_ids, worker_from)
        VALUES (${quizId}, ${snapshotIds}::uuid[], ${questionIds}::uuid[], ${workerFrom})
        ON CONFLICT (quiz_id) DO UPDATE SET
          snapshot_ids = ARRAY(SELECT DISTINCT unnest(r.snapshot_ids || excluded.snapshot_ids)),
          question_ids = ARRAY(SELECT DISTINCT unnest(r.question_ids || excluded.question_ids)),
          worker_from = CASE WHEN r.worker_from <= ${now} THEN ${LEFT_TO_WORKER}
            ELSE least(r.worker_from, excluded.worker_from) END
        RETURNING worker_from AS "workerFrom"`,
  );
  return row.workerFrom;
}

/**
 * A quiz whose regrade the worker continues. Any of them: one that fails again and again must not keep the others
 * waiting.
 */
export async function findRegradeForWorker(
  database: EntityManager,
  now: Date,
): Promise<{ id: string; ownerId: string } | null> {
  const [row] = await query<{ id: string; ownerId: string }[]>(
    database,
    sql`SELECT q.id, q.owner_id AS "ownerId" FROM quiz_regrades r JOIN quizzes q ON q.id = r.quiz_id
        WHERE worker_from <= ${now} ORDER BY random() LIMIT 1`,
  );
  return row ?? null;
}

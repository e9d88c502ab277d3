import type { EntityManager } from 'typeorm';
import { columnOf, query, type Sql, sql } from '../../platform/database/sql';
import { currentQuestionsPerAttempt } from '../leaderboard/leaderboard.queries';
import type {
  ArchivedAttempt,
  ArchivedPlayer,
  ArchivedReport,
  ArchivedScore,
} from './results-lines.rules';

/**
 * SQL of results in an archive. Rows of tables that gained columns later are read whole, as JSON: a backup runs before
 * migrations, so the columns may be missing.
 */

/** Rows of the database as JSON: times as text, columns by their names. */
export type JsonRow = Readonly<Record<string, unknown>>;

/** A submitted attempt with its answers. */
export interface AttemptRow {
  attempt: JsonRow;
  answers: JsonRow[];
}

/** Where a page begins: after this attempt. */
export interface AfterAttempt {
  at: string;
  id: string;
}

/** Submitted attempts, the oldest first. */
export const findArchivedAttempts = (
  database: EntityManager,
  quizId: string,
  after: AfterAttempt,
  limit: number,
): Promise<AttemptRow[]> =>
  query(
    database,
    sql`SELECT to_jsonb(a) AS attempt,
          (SELECT coalesce(jsonb_agg(to_jsonb(g)), '[]') FROM quiz_answers g WHERE g.attempt_id = a.id) AS answers
        FROM quiz_attempts a
        WHERE quiz_id = ${quizId} AND submitted_at IS NOT NULL
          AND (submitted_at, id) > (${after.at}::timestamptz, ${after.id}::uuid)
        ORDER BY submitted_at, id LIMIT ${limit}`,
  );

export const findScoreRows = (database: EntityManager, quizId: string): Promise<ArchivedScore[]> =>
  query(
    database,
    sql`SELECT total, score, attempts, seconds::float8 AS seconds FROM quiz_results
        WHERE quiz_id = ${quizId} ORDER BY total, score`,
  );

export interface SumRow {
  version: string;
  chosen: string;
  rest: number;
  correct: boolean;
  attempts: number;
}

export const findSumRows = (
  database: EntityManager,
  quizId: string,
  versions: readonly string[],
): Promise<SumRow[]> =>
  query(
    database,
    sql`SELECT replace(version::text, '-', '') AS version, chosen, rest, is_right AS correct, attempts FROM question_results
        WHERE quiz_id = ${quizId} AND version = ANY (${versions}::uuid[]) ORDER BY chosen, rest`,
  );

/** Players of a leaderboard, in the order of the primary key. */
export const findPlayerRows = (
  database: EntityManager,
  quizId: string,
  after: { accountId: string; player: string },
  limit: number,
): Promise<JsonRow[]> =>
  query<{ entry: JsonRow }[]>(
    database,
    sql`SELECT to_jsonb(e) AS entry FROM leaderboard_entries e
        WHERE quiz_id = ${quizId} AND (account_id, player) > (${after.accountId}::uuid, ${after.player}::text)
        ORDER BY account_id, player LIMIT ${limit}`,
  ).then((rows) => rows.map(({ entry }) => entry));

/** Reports and flags of a quiz's questions. */
export const findReportRows = (
  database: EntityManager,
  quizId: string,
): Promise<{ reports: JsonRow[]; flags: JsonRow[] }> =>
  query<[{ reports: JsonRow[]; flags: JsonRow[] }]>(
    database,
    sql`SELECT (SELECT coalesce(jsonb_agg(to_jsonb(r) ORDER BY created_at, reporter), '[]')
            FROM question_reports r WHERE quiz_id = ${quizId}) AS reports,
          (SELECT coalesce(jsonb_agg(to_jsonb(f) ORDER BY kind), '[]')
            FROM question_flags f WHERE quiz_id = ${quizId}) AS flags`,
  ).then(([row]) => row);

/** An attempt to insert: its questions are those of a stored snapshot. */
export type AttemptToInsert = Omit<ArchivedAttempt, 'versions' | 'given'> & {
  snapshotId: string;
  score: number;
  answers: {
    questionId: string;
    answerIds: string[] | null;
    text: string | null;
    isCorrect: boolean;
  }[];
};

/**
 * Inserts attempts with their answers. One whose id is stored already is left out, unless its quiz was deleted, such as
 * by undoing an import: the attempts of a deleted quiz stay for a while, for those who play it.
 * @returns how many of those left out belong to another quiz
 */
export async function insertArchivedAttempts(
  tx: EntityManager,
  quiz: { id: string; ownerId: string },
  attempts: readonly AttemptToInsert[],
): Promise<number> {
  await query(
    tx,
    sql`DELETE FROM quiz_attempts a
        WHERE id = ANY (${attempts.map(({ id }) => id)}::uuid[]) AND owner_id = ${quiz.ownerId} AND quiz_id IS NOT NULL
          AND submitted_at IS NOT NULL AND NOT EXISTS (SELECT FROM quizzes q WHERE q.id = a.quiz_id)`,
  );
  const [row] = await query<[{ others: number }]>(
    tx,
    sql`
WITH given AS (
  SELECT DISTINCT ON (id) * FROM jsonb_to_recordset(${JSON.stringify(attempts)}::jsonb) AS a (id uuid, player text, shuffle boolean, reveal boolean,
    "questionsPerAttempt" int, "startedAt" timestamptz, "endsAt" timestamptz, "submittedAt" timestamptz, "timeSpent" int,
    counted boolean, "snapshotId" uuid, score int, answers jsonb)
), inserted AS (
  INSERT INTO quiz_attempts (id, quiz_id, snapshot_id, account_id, owner_id, player, shuffle, reveal, started_at, ends_at,
    submitted_at, score, time_spent, counted, questions_per_attempt)
  SELECT id, ${quiz.id}::uuid, "snapshotId", ${quiz.ownerId}::uuid, ${quiz.ownerId}::uuid, player, shuffle, reveal, "startedAt",
    "endsAt", "submittedAt", score, "timeSpent", counted, "questionsPerAttempt"
  FROM given ON CONFLICT (id) DO NOTHING RETURNING id
), answered AS (
  INSERT INTO quiz_answers (attempt_id, question_id, answer_ids, text, is_right)
  SELECT id, "questionId", "answerIds", text, "isCorrect" FROM inserted JOIN given USING (id),
    jsonb_to_recordset(answers) AS g ("questionId" uuid, "answerIds" uuid[], text text, "isCorrect" boolean)
)
SELECT count(*)::int AS others FROM given JOIN quiz_attempts a USING (id) WHERE a.quiz_id IS DISTINCT FROM ${quiz.id}::uuid`,
  );
  return row.others;
}

export const insertScores = (
  tx: EntityManager,
  quizId: string,
  rows: readonly ArchivedScore[],
): Promise<unknown> =>
  query(
    tx,
    sql`INSERT INTO quiz_results (quiz_id, total, score, attempts, seconds)
        SELECT ${quizId}::uuid, * FROM unnest(${columnOf(rows, 'total')}::int[], ${columnOf(rows, 'score')}::int[],
          ${columnOf(rows, 'attempts')}::int[], ${columnOf(rows, 'seconds')}::bigint[])
        ON CONFLICT DO NOTHING`,
  );

export const insertSums = (
  tx: EntityManager,
  quizId: string,
  rows: readonly SumRow[],
): Promise<unknown> =>
  query(
    tx,
    sql`INSERT INTO question_results (quiz_id, version, chosen, rest, is_right, attempts)
        SELECT ${quizId}::uuid, * FROM unnest(${columnOf(rows, 'version')}::uuid[], ${columnOf(rows, 'chosen')}::text[],
          ${columnOf(rows, 'rest')}::int[], ${columnOf(rows, 'correct')}::boolean[], ${columnOf(rows, 'attempts')}::int[])
        ON CONFLICT DO NOTHING`,
  );

/** The order of entries with the same name: what the leaderboard shows comes first, then as in compareRanked. */
const rankOf = (entry: Sql, quizId: string): Sql =>
  sql`(${entry}.hidden_at IS NOT NULL, ${entry}.questions_per_attempt <> ${currentQuestionsPerAttempt(quizId)},
      -${entry}.score, ${entry}.time_spent, ${entry}.reached_at, ${entry}.attempt_id)`;

/**
 * Stores entries of a leaderboard. Players of several accounts become players of one, so two may have the same name: the
 * better entry is kept, in whatever order they come. An import that goes on after an interruption brings entries again:
 * that of the same attempt stays as it is, and a player who has been hidden since the archive was uploaded stays hidden.
 */
export const insertPlayers = (
  tx: EntityManager,
  quiz: { id: string; ownerId: string; uploadedAt: Date },
  rows: readonly ArchivedPlayer[],
): Promise<unknown> =>
  query(
    tx,
    sql`
WITH given AS (
  SELECT player, score, "timeSpent" AS time_spent, "reachedAt" AS reached_at, attempt AS attempt_id, "hiddenAt" AS hidden_at,
    "questionsPerAttempt" AS questions_per_attempt
  FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS p (player text, score int, "timeSpent" int,
    "reachedAt" timestamptz, attempt uuid, "hiddenAt" timestamptz, "questionsPerAttempt" int)
)
INSERT INTO leaderboard_entries AS e (quiz_id, account_id, player, score, time_spent, reached_at, attempt_id, hidden_at,
  questions_per_attempt)
SELECT DISTINCT ON (player) ${quiz.id}::uuid, ${quiz.ownerId}::uuid, given.* FROM given
ORDER BY player, ${rankOf(sql`given`, quiz.id)}
ON CONFLICT (quiz_id, account_id, player) DO UPDATE
SET (score, time_spent, reached_at, attempt_id, hidden_at, questions_per_attempt) =
  (EXCLUDED.score, EXCLUDED.time_spent, EXCLUDED.reached_at, EXCLUDED.attempt_id, EXCLUDED.hidden_at,
    EXCLUDED.questions_per_attempt)
WHERE e.attempt_id <> EXCLUDED.attempt_id
  AND (e.hidden_at < ${quiz.uploadedAt}::timestamptz) IS NOT FALSE
  AND ${rankOf(sql`EXCLUDED`, quiz.id)} < ${rankOf(sql`e`, quiz.id)}`,
  );

export const insertReports = (
  tx: EntityManager,
  quizId: string,
  rows: readonly (Omit<ArchivedReport, 'question'> & { id: string; questionId: string })[],
): Promise<unknown> =>
  query(
    tx,
    sql`INSERT INTO question_reports (id, quiz_id, question_id, reporter, reason, text, created_at, closed_at)
        SELECT id, ${quizId}::uuid, "questionId", reporter, reason, text, "createdAt", "closedAt"
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r (id uuid, "questionId" uuid, reporter text, reason text,
          text text, "createdAt" timestamptz, "closedAt" timestamptz)
        ON CONFLICT DO NOTHING`,
  );

export const insertFlags = (
  tx: EntityManager,
  quizId: string,
  rows: readonly { questionId: string; kind: string }[],
): Promise<unknown> =>
  query(
    tx,
    sql`INSERT INTO question_flags (quiz_id, question_id, kind)
        SELECT ${quizId}::uuid, * FROM unnest(${columnOf(rows, 'questionId')}::uuid[], ${columnOf(rows, 'kind')}::text[])
        ON CONFLICT DO NOTHING`,
  );

import type { EntityManager } from 'typeorm';

/** Why a player reports a question. */
export const REPORT_REASONS = {
  answer: 'The marked answer is wrong',
  unclear: 'The question is unclear',
  offensive: 'It is offensive',
  other: 'Something else',
} as const;
export type ReportReason = keyof typeof REPORT_REASONS;

export interface QuestionReport {
  id: string;
  questionId: string;
  reason: ReportReason;
  /** Untrusted, '' if the player wrote nothing. */
  text: string;
  createdAt: Date;
}

/** Open reports of a quiz, by question. */
export async function countOpenReports(
  database: EntityManager,
  quizId: string,
): Promise<Map<string, number>> {
  const rows = await database.query<{ id: string; n: number }[]>(
    `SELECT question_id AS id, count(*)::int AS n FROM question_reports
     WHERE quiz_id = $1 AND closed_at IS NULL GROUP BY question_id`,
    [quizId],
  );
  return new Map(rows.map(({ id, n }) => [id, n]));
}

/** Open reports, the oldest first. */
export function findOpenReports(database: EntityManager, quizId: string) {
  return database.query<QuestionReport[]>(
    `SELECT id, question_id AS "questionId", reason, text, created_at AS "createdAt" FROM question_reports
     WHERE quiz_id = $1 AND closed_at IS NULL ORDER BY id`,
    [quizId],
  );
}

/** Stores a report, or replaces the reporter's open one of this question; a closed one stays closed. */
export async function saveReport(
  database: EntityManager,
  quizId: string,
  reporter: string,
  report: QuestionReport,
): Promise<void> {
  await database.query(
    `INSERT INTO question_reports AS r (id, quiz_id, question_id, reporter, reason, text, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (quiz_id, question_id, reporter) DO UPDATE SET reason = excluded.reason, text = excluded.text
     WHERE r.closed_at IS NULL`,
    [report.id, quizId, report.questionId, reporter, report.reason, report.text, report.createdAt],
  );
}

export async function closeReport(database: EntityManager, quizId: string, id: string, at: Date) {
  await database.query(
    `UPDATE question_reports SET closed_at = $3 WHERE quiz_id = $1 AND id = $2 AND closed_at IS NULL`,
    [quizId, id, at],
  );
}

/** A published quiz with questions that somebody should look at. */
export interface QuizToCheck {
  id: string;
  title: string;
  flags: number;
  reports: number;
}

export function findQuizzesToCheck(database: EntityManager, limit: number) {
  return database.query<QuizToCheck[]>(
    `SELECT z.id, z.title, coalesce(f.n, 0)::int AS flags, coalesce(r.n, 0)::int AS reports
     FROM (SELECT quiz_id, count(*) AS n FROM question_flags WHERE kind <> 'difficulty' GROUP BY quiz_id) f
     FULL JOIN (SELECT quiz_id, count(*) AS n FROM question_reports WHERE closed_at IS NULL GROUP BY quiz_id) r
       USING (quiz_id) JOIN quizzes z ON z.id = quiz_id
     WHERE z.published ORDER BY coalesce(r.n, 0) + coalesce(f.n, 0) DESC, z.id LIMIT $1`,
    [limit],
  );
}

/**
 * Replaces what the item analysis found in a quiz, and deletes sums of questions as they are no longer.
 * @param read when the analysis read the quiz: an edit since then has sums of its own
 */
export async function replaceFlags(
  database: EntityManager,
  quizId: string,
  flags: readonly { questionId: string; kind: string }[],
  versions: readonly string[],
  read: Date,
): Promise<void> {
  const values = [flags.map(({ questionId }) => questionId), flags.map(({ kind }) => kind)];
  await database.query(
    `WITH found AS (SELECT * FROM unnest($2::uuid[], $3::text[]) AS found (question_id, kind)),
     gone AS (DELETE FROM question_flags f WHERE quiz_id = $1
       AND NOT EXISTS (SELECT FROM found WHERE found.question_id = f.question_id AND found.kind = f.kind))
     INSERT INTO question_flags (quiz_id, question_id, kind) SELECT $1, question_id, kind FROM found
     ON CONFLICT DO NOTHING`,
    [quizId, ...values],
  );
  await database.query(
    `DELETE FROM question_results WHERE quiz_id = $1 AND version <> ALL ($2)
       AND NOT EXISTS (SELECT FROM quizzes WHERE id = $1 AND updated_at >= $3)`,
    [quizId, versions, read],
  );
}

/** Quizzes that were played since then, and those with flags, which an edit may have settled. */
export async function findQuizzesToAnalyse(database: EntityManager, since: Date) {
  const rows = await database.query<{ id: string }[]>(
    `SELECT id FROM quizzes WHERE id IN (SELECT quiz_id FROM quiz_attempts WHERE submitted_at > $1 AND counted)
       OR id IN (SELECT quiz_id FROM question_flags)`,
    [since],
  );
  return rows.map(({ id }) => id);
}

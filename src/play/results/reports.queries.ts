import type { EntityManager } from 'typeorm';
import { query, sql } from '../../platform/database/sql';
import type { FlagKind } from './item-analysis.rules';
import type { QuestionReport } from './question-report.entity';

/** Open reports of a quiz, by question. */
export async function countOpenReports(
  database: EntityManager,
  quizId: string,
): Promise<Map<string, number>> {
  const rows = await query<{ id: string; count: number }[]>(
    database,
    sql`SELECT question_id AS id, count(*)::int AS count FROM question_reports
        WHERE quiz_id = ${quizId} AND closed_at IS NULL GROUP BY question_id`,
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/**
 * Stores a report, or replaces the reporter's open one of this question.
 * @returns false, and nothing is written, if the reporter's report was closed: it stays closed
 */
export async function saveReport(
  database: EntityManager,
  report: Omit<QuestionReport, 'closedAt'>,
): Promise<boolean> {
  const saved = await query<{ id: string }[]>(
    database,
    sql`INSERT INTO question_reports AS r (id, quiz_id, question_id, reporter, reason, text, created_at)
     VALUES (${report.id}, ${report.quizId}, ${report.questionId}, ${report.reporter}, ${report.reason}, ${report.text},
       ${report.createdAt})
     ON CONFLICT (quiz_id, question_id, reporter) DO UPDATE SET reason = excluded.reason, text = excluded.text
     WHERE r.closed_at IS NULL RETURNING id`,
  );
  return saved.length > 0;
}

/** A published quiz with questions that somebody should look at. */
export interface QuizToCheck {
  id: string;
  title: string;
  flags: number;
  reports: number;
}

export function findQuizzesToCheck(database: EntityManager, limit: number): Promise<QuizToCheck[]> {
  return query<QuizToCheck[]>(
    database,
    sql`SELECT z.id, z.title, coalesce(flagged.count, 0)::int AS flags, coalesce(reported.count, 0)::int AS reports
     FROM (SELECT quiz_id, count(*) AS count FROM question_flags WHERE kind <> 'difficulty' GROUP BY quiz_id) flagged
     FULL JOIN (SELECT quiz_id, count(*) AS count FROM question_reports WHERE closed_at IS NULL GROUP BY quiz_id) reported
       USING (quiz_id) JOIN quizzes z ON z.id = quiz_id
     WHERE z.published ORDER BY coalesce(reported.count, 0) + coalesce(flagged.count, 0) DESC, z.id LIMIT ${limit}`,
  );
}

/** A question with something that its author should look at. */
export interface QuestionFlag {
  questionId: string;
  kind: FlagKind;
}

/** Replaces what the analysis found in a quiz. @returns what was not there before */
export async function replaceFlags(
  database: EntityManager,
  quizId: string,
  flags: readonly QuestionFlag[],
): Promise<QuestionFlag[]> {
  const questionIds = flags.map(({ questionId }) => questionId);
  const kinds = flags.map(({ kind }) => kind);
  return query<QuestionFlag[]>(
    database,
    sql`WITH found AS (SELECT * FROM unnest(${questionIds}::uuid[], ${kinds}::text[]) AS found (question_id, kind)),
     removed AS (DELETE FROM question_flags f WHERE quiz_id = ${quizId}
       AND NOT EXISTS (SELECT FROM found WHERE found.question_id = f.question_id AND found.kind = f.kind))
     INSERT INTO question_flags (quiz_id, question_id, kind) SELECT ${quizId}::uuid, question_id, kind FROM found
     ON CONFLICT DO NOTHING RETURNING question_id AS "questionId", kind`,
  );
}

/** Deletes the sums of question versions that the quiz no longer has. It is locked: no edit adds any meanwhile. */
export async function deleteFormerSums(
  database: EntityManager,
  quizId: string,
  versions: readonly string[],
): Promise<void> {
  await query(
    database,
    sql`DELETE FROM question_results WHERE quiz_id = ${quizId} AND version <> ALL (${versions})`,
  );
}

/** Quizzes that were played since then, and those with flags, which an edit may have settled. */
export async function findQuizzesToAnalyse(
  database: EntityManager,
  since: Date,
): Promise<string[]> {
  const rows = await query<{ id: string }[]>(
    database,
    sql`SELECT id FROM quizzes WHERE id IN (SELECT quiz_id FROM quiz_attempts WHERE submitted_at > ${since} AND counted)
       OR id IN (SELECT quiz_id FROM question_flags)`,
  );
  return rows.map(({ id }) => id);
}

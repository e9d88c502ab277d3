import type { EntityManager } from 'typeorm';
import { query, sql } from '../../platform/database/sql';

/**
 * SQL of an account's quizzes with everything in them, for an archive. It reads whole rows as JSON: a backup runs before
 * migrations, so tables may lack newer columns.
 */

/** A quiz with its questions. */
export interface StoredQuizRow {
  /** A row of `quizzes`: columns by their names, times as text. */
  quiz: Readonly<Record<string, unknown>>;
  /** Rows of `questions`, in order. */
  questions: Readonly<Record<string, unknown>>[];
}

/** Where the next quiz is looked for: after this one. */
export interface AfterQuiz {
  createdAt: string;
  slug: string;
}

/** The next quiz, the oldest first; those of one moment by their slugs, which do not differ between deployments as ids do. */
export async function findNextStoredQuiz(
  database: EntityManager,
  accountId: string,
  after: AfterQuiz,
): Promise<StoredQuizRow | null> {
  const [row] = await query<StoredQuizRow[]>(
    database,
    sql`SELECT to_jsonb(z) AS quiz, (
          SELECT coalesce(jsonb_agg(to_jsonb(q) ORDER BY position), '[]') FROM questions q WHERE q.quiz_id = z.id
        ) AS questions
        FROM quizzes z
        WHERE owner_id = ${accountId} AND (created_at, slug) > (${after.createdAt}::timestamptz, ${after.slug}::text)
        ORDER BY created_at, slug LIMIT 1`,
  );
  return row ?? null;
}

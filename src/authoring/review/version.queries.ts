import type { EntityManager } from 'typeorm';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { query, sql } from '../../platform/database/sql';
import type { QuizContent } from './quiz-changes.rules';

/** What players see of a quiz z, as one value. */
const CONTENT = sql`jsonb_build_object(
  'title', z.title, 'description', z.description, 'category', z.category, 'difficulty', z.difficulty, 'tags', z.tags,
  'language', z.language,
  'questions', coalesce((
    SELECT jsonb_agg(jsonb_build_object('id', q.id, 'text', q.text, 'type', q.type, 'difficulty', q.difficulty,
                                        'format', q.format, 'explanation', q.explanation, 'answers', q.answers) ORDER BY q.position)
    FROM questions q WHERE q.quiz_id = z.id), '[]'))`;

/**
 * The hash of each quiz's content, by id. A verdict says by it what it is about, so it must be one for which nobody can
 * write two contents.
 */
export async function contentVersions(
  tx: EntityManager,
  quizIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await query<{ id: string; version: string }[]>(
    tx,
    sql`SELECT z.id, encode(sha256(convert_to(${CONTENT}::text, 'UTF8')), 'hex') AS version
        FROM quizzes z WHERE z.id = ANY (${quizIds}::uuid[])`,
  );
  return new Map(rows.map(({ id, version }) => [id, version]));
}

/** The same of one quiz. */
export const contentVersion = async (tx: EntityManager, quizId: string): Promise<string> =>
  (await contentVersions(tx, [quizId])).get(quizId) ?? '';

/** Stores the present content as the approved one: nothing has changed since. */
export async function storeApprovedVersion(
  tx: EntityManager,
  quizId: string,
  now: Date,
): Promise<void> {
  await query(
    tx,
    sql`INSERT INTO approved_versions (quiz_id, content, media, approved_at)
        SELECT z.id, ${CONTENT},
               (SELECT array_agg(DISTINCT shown) FROM questions q, unnest(q.media) AS shown WHERE q.quiz_id = z.id), ${now}
        FROM quizzes z WHERE z.id = ${quizId}
        ON CONFLICT (quiz_id) DO UPDATE
        SET content = excluded.content, media = excluded.media, approved_at = excluded.approved_at`,
  );
  await forgetChange(tx, quizId);
}

/** Takes a quiz from the list of changed quizzes. */
export async function forgetChange(tx: EntityManager, quizId: string): Promise<void> {
  await tx.getRepository(Quiz).update({ id: quizId }, { changedSinceApprovalAt: null });
}

/** What is to be compared in a review. */
export interface Versions {
  /** What a reviewer has approved. */
  approved: QuizContent;
  approvedAt: Date;
  present: QuizContent;
}

/** null for a quiz that no reviewer has approved. */
export async function findVersions(tx: EntityManager, quizId: string): Promise<Versions | null> {
  const [row] = await query<Versions[]>(
    tx,
    sql`SELECT v.content AS approved, v.approved_at AS "approvedAt", ${CONTENT} AS present
        FROM quizzes z JOIN approved_versions v ON v.quiz_id = z.id WHERE z.id = ${quizId}`,
  );
  return row ?? null;
}

/** Whether the quiz has as many questions as the approved version: without that no content is compared. */
export async function mayBeUndone(tx: EntityManager, quizId: string): Promise<boolean> {
  const found = await query<unknown[]>(
    tx,
    sql`SELECT FROM quizzes z JOIN approved_versions v ON v.quiz_id = z.id
        WHERE z.id = ${quizId} AND z.question_count = jsonb_array_length(v.content->'questions')`,
  );
  return found.length > 0;
}

import type { EntityManager } from 'typeorm';
import type { QuizContent } from './quiz-changes.rules';

/** What players see of a quiz, as one JSON value. */
const CONTENT = `jsonb_build_object(
  'title', z.title, 'description', z.description, 'category', z.category, 'difficulty', z.difficulty, 'tags', z.tags,
  'questions', coalesce((
    SELECT jsonb_agg(jsonb_build_object('id', q.id, 'text', q.text, 'type', q.type, 'difficulty', q.difficulty,
                                        'explanation', q.explanation, 'answers', q.answers) ORDER BY q.position)
    FROM questions q WHERE q.quiz_id = z.id), '[]'))`;

/** The hash of a quiz's content, with which a decision names what it applies to. */
export async function contentVersion(tx: EntityManager, quizId: string): Promise<string> {
  const [row] = await tx.query<{ version: string }[]>(
    `SELECT md5(${CONTENT}::text) AS version FROM quizzes z WHERE z.id = $1`,
    [quizId],
  );
  return row?.version ?? '';
}

/** Stores the present content as the approved one: nothing has changed since. */
export async function storeApprovedVersion(
  tx: EntityManager,
  quizId: string,
  now: Date,
): Promise<void> {
  await tx.query(
    `INSERT INTO approved_versions (quiz_id, content, approved_at)
     SELECT z.id, ${CONTENT}, $2 FROM quizzes z WHERE z.id = $1
     ON CONFLICT (quiz_id) DO UPDATE SET content = excluded.content, approved_at = excluded.approved_at`,
    [quizId, now],
  );
  await forgetChange(tx, quizId);
}

/** Takes a quiz from the list of changed quizzes. */
export async function forgetChange(tx: EntityManager, quizId: string): Promise<void> {
  await tx.query(`UPDATE quizzes SET changed_since_approval_at = NULL WHERE id = $1`, [quizId]);
}

/** The approved content and the present one; null for a quiz that no reviewer has approved. */
export async function approvedAndPresent(
  tx: EntityManager,
  quizId: string,
): Promise<{ approved: QuizContent; present: QuizContent; approvedAt: Date } | null> {
  const [row] = await tx.query<{ approved: QuizContent; present: QuizContent; approvedAt: Date }[]>(
    `SELECT v.content AS approved, ${CONTENT} AS present, v.approved_at AS "approvedAt"
     FROM approved_versions v JOIN quizzes z ON z.id = v.quiz_id WHERE z.id = $1`,
    [quizId],
  );
  return row ?? null;
}

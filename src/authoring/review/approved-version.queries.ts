import type { EntityManager } from 'typeorm';
import type { QuizContent } from './quiz-changes.rules';

/** What players see of a quiz z, as one value. @param questions the table or view of its questions */
const contentOf = (questions: string) => `jsonb_build_object(
  'title', z.title, 'description', z.description, 'category', z.category, 'difficulty', z.difficulty, 'tags', z.tags,
  'questions', coalesce((
    SELECT jsonb_agg(jsonb_build_object('id', q.id, 'text', q.text, 'type', q.type, 'difficulty', q.difficulty,
                                        'explanation', q.explanation, 'answers', q.answers) ORDER BY q.position)
    FROM ${questions} q WHERE q.quiz_id = z.id), '[]'))`;

const EDITED = contentOf('edited_questions');
const PUBLIC = contentOf('questions');

/** The hash of a quiz's content, and of what was decided about it, by which a verdict says what it is about. */
export async function contentVersion(tx: EntityManager, quizId: string): Promise<string> {
  const [row] = await tx.query<{ version: string }[]>(
    `SELECT md5(concat(${EDITED}, proposed ? 'rejected')) AS version FROM edited_quizzes z WHERE z.id = $1`,
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
     SELECT z.id, ${PUBLIC}, $2 FROM quizzes z WHERE z.id = $1
     ON CONFLICT (quiz_id) DO UPDATE SET content = excluded.content, approved_at = excluded.approved_at`,
    [quizId, now],
  );
  await forgetChange(tx, quizId);
}

/** Takes a quiz from the list of changed quizzes. */
export async function forgetChange(tx: EntityManager, quizId: string): Promise<void> {
  await tx.query(`UPDATE quizzes SET changed_since_approval_at = NULL WHERE id = $1`, [quizId]);
}

/** What is to be compared in a review. */
export interface Versions {
  /** What a reviewer has approved, or what others see where none has. */
  approved: QuizContent;
  approvedAt: Date;
  /** What others see, where the owner proposes something else; else null. */
  live: QuizContent | null;
  /** What the owner sees. */
  present: QuizContent;
}

/** Whether what the owner sees has as many questions as what it may equal again: without that no content is compared. */
export async function mayBeUndone(tx: EntityManager, quizId: string): Promise<boolean> {
  const found = await tx.query<unknown[]>(
    `SELECT FROM edited_quizzes z JOIN quizzes l USING (id) LEFT JOIN approved_versions v ON v.quiz_id = z.id
     WHERE z.id = $1 AND z.question_count =
       CASE WHEN l.proposed IS NULL THEN jsonb_array_length(v.content->'questions') ELSE l.question_count END`,
    [quizId],
  );
  return found.length > 0;
}

/** null for a quiz that no reviewer has approved, and of which nothing is proposed. */
export async function findVersions(tx: EntityManager, quizId: string): Promise<Versions | null> {
  const [row] = await tx.query<Versions[]>(
    `SELECT coalesce(v.content, l.live) AS approved, coalesce(v.approved_at, l.first_public_at, l.created_at) AS "approvedAt",
       l.live, ${EDITED} AS present
     FROM edited_quizzes z
     JOIN (SELECT *, CASE WHEN proposed IS NOT NULL THEN ${PUBLIC} END AS live FROM quizzes z WHERE id = $1) AS l USING (id)
     LEFT JOIN approved_versions v ON v.quiz_id = z.id
     WHERE z.id = $1 AND (v.quiz_id IS NOT NULL OR l.proposed IS NOT NULL)`,
    [quizId],
  );
  return row ?? null;
}

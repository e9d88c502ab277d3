import type { EntityManager } from 'typeorm';
import { Category } from '../../catalog/discovery/taxonomy.entity';
import { saveSearchText } from '../quizzes/quiz-writing.queries';

/** A version of a quiz as it is stored beside the approved one: texts of JSON. */
interface ProposedVersion {
  quiz: string;
  questions: string;
}

/** A quiz's own columns, as they now are. */
export async function readAsProposed(tx: EntityManager, quizId: string): Promise<ProposedVersion> {
  const [version] = await tx.query<[ProposedVersion]>(
    `SELECT jsonb_build_object('title', title, 'title_sort', title_sort, 'description', description, 'category', category,
       'category_key', category_key, 'category_id', category_id, 'difficulty', difficulty, 'tags', tags, 'tag_keys', tag_keys,
       'question_count', question_count, 'counts_by_kind', counts_by_kind, 'content_bytes', content_bytes,
       'updated_at', updated_at)::text AS quiz,
       (SELECT coalesce(jsonb_agg(to_jsonb(q) - '{quiz_id,owner_id,is_public,category_key}'::text[] ORDER BY position), '[]')
        FROM questions q WHERE quiz_id = $1)::text AS questions
     FROM quizzes WHERE id = $1`,
    [quizId],
  );
  return version;
}

/** Stores what the owner proposes instead of the approved version: it waits for review. */
export async function storeProposed(
  tx: EntityManager,
  quizId: string,
  { quiz, questions }: ProposedVersion,
  now: Date,
): Promise<void> {
  await tx.query(
    `UPDATE quizzes SET proposed = $2, proposed_questions = $3,
       changed_since_approval_at = coalesce(changed_since_approval_at, $4) WHERE id = $1`,
    [quizId, quiz, questions, now],
  );
}

/** Marks what is proposed as rejected; the approved version stays. @returns whether anything waited */
export async function rejectProposed(
  tx: EntityManager,
  quizId: string,
  reason: string | null | undefined,
): Promise<boolean> {
  const [, rejected] = await tx.query<[unknown, number]>(
    `UPDATE quizzes SET proposed = proposed || '{"rejected": true}', rejection_reason = $2
     WHERE id = $1 AND approval = 'approved' AND NOT proposed ? 'rejected'`,
    [quizId, reason],
  );
  return rejected > 0;
}

/** Forgets what is proposed, as it is the same as the approved version. */
export async function dropProposed(tx: EntityManager, quizId: string): Promise<void> {
  await tx.query(
    `UPDATE quizzes SET proposed = NULL, proposed_questions = NULL, rejection_reason = NULL WHERE id = $1`,
    [quizId],
  );
}

/** Locks the category of what is proposed until the transaction ends: it is not renamed while the quiz gets its name. */
export async function lockProposedCategory(tx: EntityManager, quizId: string): Promise<void> {
  const [proposed] = await tx.query<{ id: string }[]>(
    `SELECT category_id AS id FROM edited_quizzes WHERE id = $1 AND proposed IS NOT NULL AND category_id IS NOT NULL`,
    [quizId],
  );
  const lock = { mode: 'pessimistic_read' } as const;
  if (proposed) await tx.getRepository(Category).findOne({ where: proposed, lock });
}

/**
 * Writes what is proposed into the quiz and its questions, if anything is; rows that stay the same are not touched. For
 * an approval, and once nobody else sees the quiz.
 * @returns whether anything was proposed
 */
export async function applyProposed(
  tx: EntityManager,
  quizId: string,
  now: Date,
): Promise<boolean> {
  const isProposed = `SELECT FROM quizzes WHERE id = $1 AND proposed IS NOT NULL`;
  if ((await tx.query<unknown[]>(isProposed, [quizId])).length === 0) return false;
  await tx.query(APPLY_QUESTIONS, [quizId]);
  const [[quiz]] = await tx.query<
    [[{ id: string; title: string; description: string | null; tags: string[] }]]
  >(
    `UPDATE quizzes z SET (title, title_sort, description, category, category_key, category_id, difficulty, tags, tag_keys,
       question_count, counts_by_kind, content_bytes, updated_at, proposed, proposed_questions)
       = (e.title, e.title_sort, e.description, e.category, e.category_key, e.category_id, e.difficulty, e.tags, e.tag_keys,
       e.question_count, e.counts_by_kind, e.content_bytes, greatest($2, e.updated_at), NULL, NULL)
     FROM edited_quizzes e WHERE z.id = $1 AND e.id = $1 RETURNING z.id, z.title, z.description, z.tags`,
    [quizId, now],
  );
  await saveSearchText(tx, quiz);
  return true;
}

const COLUMNS = ['position', 'text', 'type', 'difficulty', 'explanation', 'answers', 'fingerprint'];
const columnsOf = (row: string) => COLUMNS.map((name) => `${row}.${name}`).join(', ');

const APPLY_QUESTIONS = `
WITH proposed AS MATERIALIZED (
  SELECT * FROM edited_questions WHERE quiz_id = $1
), removed AS (
  DELETE FROM questions q WHERE quiz_id = $1 AND NOT EXISTS (SELECT FROM proposed p WHERE p.id = q.id)
), changed AS (
  UPDATE questions q SET (${COLUMNS.join(', ')}) = (${columnsOf('p')}) FROM proposed p
  WHERE q.quiz_id = $1 AND q.id = p.id AND (${columnsOf('q')}) IS DISTINCT FROM (${columnsOf('p')})
)
INSERT INTO questions (id, ${COLUMNS.join(', ')}, source, licence, quiz_id, owner_id, is_public, category_key)
SELECT p.id, ${columnsOf('p')}, p.source, p.licence, z.id, z.owner_id, z.is_public, z.category_key
FROM proposed p JOIN quizzes z ON z.id = p.quiz_id WHERE NOT EXISTS (SELECT FROM questions q WHERE q.id = p.id)`;

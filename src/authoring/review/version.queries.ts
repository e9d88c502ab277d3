import type { EntityManager } from 'typeorm';
import type { QuizContent } from './quiz-changes.rules';
import { Category } from '../../catalog/discovery/taxonomy.entity';
import { saveSearchText } from '../quizzes/quiz-writing.queries';

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

/** A version of a quiz as it is stored beside the approved one: texts of JSON. */
interface ProposedVersion {
  quiz: string;
  questions: string;
}

/** The columns of a quiz that an edit may change. */
const EDITED_COLUMNS = `title, title_sort, description, category, category_key, category_id, difficulty, tags, tag_keys,
  question_count, counts_by_kind, content_bytes`;

/** A quiz's own columns, as they now are. */
export async function readAsProposed(tx: EntityManager, quizId: string): Promise<ProposedVersion> {
  const [version] = await tx.query<[ProposedVersion]>(
    `SELECT (SELECT to_jsonb(own) FROM (SELECT ${EDITED_COLUMNS}, updated_at) AS own)::text AS quiz,
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
    `UPDATE quizzes SET proposed = NULL, proposed_questions = NULL, (${EDITED_COLUMNS}, updated_at)
       = (SELECT ${EDITED_COLUMNS}, greatest($2, updated_at) FROM edited_quizzes WHERE id = $1)
     WHERE id = $1 RETURNING id, title, description, tags`,
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

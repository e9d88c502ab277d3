import type { EntityManager } from 'typeorm';
import type { Quiz } from '../../catalog/quizzes/quiz.entity';
import { countsByKind, type QuestionKind } from '../../catalog/vocabulary';
import { queryPrepared } from '../../platform/database/statements';
import { LIMITS } from '../../platform/limits/limits';
import { fold } from '../../platform/text/text.rules';

/** A quiz that has just been written; what the database counts and generates is not read back. */
export type NewQuiz = Omit<Quiz, 'isPublic' | 'questionCount' | 'changedSinceApprovalAt'>;

/**
 * Inserts a quiz under the first of the slugs that is free, and makes it searchable.
 * @returns the quiz with that slug
 */
export async function insertQuiz(
  tx: EntityManager,
  quiz: Omit<NewQuiz, 'slug'>,
  slugs: readonly string[],
): Promise<NewQuiz> {
  for (const slug of slugs) {
    const inserted = await tx.query<unknown[]>(INSERT_QUIZ, [
      quiz.id,
      quiz.ownerId,
      quiz.title,
      quiz.titleSort,
      quiz.description,
      quiz.category,
      quiz.categoryKey,
      quiz.categoryId,
      quiz.difficulty,
      quiz.tags,
      quiz.tagKeys,
      slug,
      quiz.published,
      quiz.approval,
      quiz.featured,
      quiz.createdAt,
    ]);
    if (inserted.length === 0) continue;
    await tx.query(`INSERT INTO quiz_search (quiz_id, content) VALUES ($1, $2)`, [
      quiz.id,
      searchContent(quiz),
    ]);
    return { ...quiz, slug };
  }
  throw new Error(`No slug is free for quiz ${quiz.id}`);
}

// Not TypeORM's insert: it cannot tell a taken slug from a stored row without ending the transaction.
const INSERT_QUIZ = `
INSERT INTO quizzes (id, owner_id, title, title_sort, description, category, category_key, category_id,
  difficulty, tags, tag_keys, slug, published, approval, featured, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16)
ON CONFLICT (slug) DO NOTHING RETURNING id`;

/** Everything that `topic` searches, folded. The separator keeps a search from matching across fields. */
export function searchContent(quiz: Pick<Quiz, 'title' | 'description' | 'tags'>): string {
  return [quiz.title, quiz.description ?? '', ...quiz.tags].map(fold).join('\u001f');
}

/** A question as it is stored. */
export interface NewQuestion extends QuestionKind {
  id: string;
  text: string;
  explanation: string | null;
  answers: { id: string; text: string; isCorrect: boolean }[];
  fingerprint: string;
  source: string | null;
  licence: string | null;
}

/**
 * Appends questions to a quiz of the owner. The update of the count is at once the lock that keeps
 * batches apart and the place where this one begins.
 *
 * All in one statement, planned once and with one text for all rows: saving fifty questions as entities takes
 * eight times as long.
 * @param bytes of the questions (questionBytes)
 * @returns the position of the first of them; null where the owner has no such quiz, or it has no room for them
 */
export async function appendQuestions(
  tx: EntityManager,
  quiz: { id: string; ownerId: string },
  questions: readonly NewQuestion[],
  bytes: number,
  now: Date,
): Promise<number | null> {
  const [row] = await queryPrepared<{ first: number }[]>(tx, APPEND_QUESTIONS, [
    quiz.id,
    quiz.ownerId,
    questions.length,
    countsByKind(questions),
    now,
    JSON.stringify(questions),
    bytes,
    LIMITS.content.questionsPerQuiz.value,
    LIMITS.content.quizBytes.value,
  ]);
  return row ? row.first : null;
}

/** How much a quiz of the owner holds; null where they have no such quiz. */
export async function findSize(
  tx: EntityManager,
  quiz: { id: string; ownerId: string },
): Promise<{ questions: number; bytes: number } | null> {
  const [size] = await tx.query<{ questions: number; bytes: number }[]>(
    `SELECT question_count AS questions, content_bytes AS bytes FROM quizzes WHERE id = $1 AND owner_id = $2`,
    [quiz.id, quiz.ownerId],
  );
  return size ?? null;
}

const APPEND_QUESTIONS = `
WITH quiz AS (
  UPDATE quizzes SET question_count = question_count + $3, content_bytes = content_bytes + $7, updated_at = $5, 
    counts_by_kind = add_counts(counts_by_kind, $4::int[])
  WHERE id = $1 AND owner_id = $2 AND question_count + $3 <= $8 AND content_bytes + $7 <= $9 RETURNING id, owner_id, is_public, category_key, question_count - $3 + 1 AS first
), appended AS (
  INSERT INTO questions (id, text, type, difficulty, explanation, answers, fingerprint, source, licence, position,
    quiz_id, owner_id, is_public, category_key)
  SELECT q.id, q.text, q.type, q.difficulty, q.explanation, q.answers, q.fingerprint, q.source, q.licence, first + q.place - 1,
    quiz.id, owner_id, is_public, category_key
  FROM quiz CROSS JOIN ROWS FROM (jsonb_to_recordset($6) AS (id uuid, text text, type question_type, difficulty difficulty,
    explanation text, answers jsonb, fingerprint uuid, source text, licence text)) WITH ORDINALITY AS q
    (id, text, type, difficulty, explanation, answers, fingerprint, source, licence, place)
)
SELECT first FROM quiz`;

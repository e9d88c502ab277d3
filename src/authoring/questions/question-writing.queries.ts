import type { EntityManager } from 'typeorm';
import { countsByKind, type Answer, type QuestionKind } from '../../catalog/vocabulary';
import { queryPrepared } from '../../platform/database/data-source';
import { questionBytes } from './question.rules';

/** A question as it is stored. */
export interface NewQuestion extends QuestionKind {
  id: string;
  text: string;
  explanation: string | null;
  answers: Answer[];
  fingerprint: string;
  source: string | null;
  licence: string | null;
}

/**
 * Appends questions to a quiz that the caller has locked and that has room for them.
 *
 * All in one statement, planned once and with one text for all rows: saving fifty questions as entities takes
 * eight times as long.
 * @param bytes of the questions (questionBytes)
 * @returns the position of the first of them
 */
export async function appendQuestions(
  tx: EntityManager,
  quizId: string,
  questions: readonly NewQuestion[],
  bytes: number,
  now: Date,
): Promise<number> {
  const [row] = await queryPrepared<[{ first: number }]>(tx, APPEND_QUESTIONS, [
    quizId,
    questions.length,
    countsByKind(questions),
    now,
    JSON.stringify(questions),
    bytes,
  ]);
  return row.first;
}

const APPEND_QUESTIONS = `
WITH quiz AS (
  UPDATE quizzes SET question_count = question_count + $2, content_bytes = content_bytes + $6, updated_at = $4,
    counts_by_kind = add_counts(counts_by_kind, $3::int[])
  WHERE id = $1 RETURNING id, owner_id, is_public, category_key, question_count - $2 + 1 AS first
), appended AS (
  INSERT INTO questions (id, text, type, difficulty, explanation, answers, fingerprint, source, licence, position,
    quiz_id, owner_id, is_public, category_key)
  SELECT q.id, q.text, q.type, q.difficulty, q.explanation, q.answers, q.fingerprint, q.source, q.licence, first + q.place - 1,
    quiz.id, owner_id, is_public, category_key
  FROM quiz CROSS JOIN ROWS FROM (jsonb_to_recordset($5) AS (id uuid, text text, type question_type, difficulty difficulty,
    explanation text, answers jsonb, fingerprint uuid, source text, licence text)) WITH ORDINALITY AS q
    (id, text, type, difficulty, explanation, answers, fingerprint, source, licence, place)
)
SELECT first FROM quiz`;

type Counted = QuestionKind & Parameters<typeof questionBytes>[0];

/** By how many bytes a quiz grows when one question replaces another. */
export const growth = ({ gone, come }: { gone?: Counted; come?: Counted }): number =>
  (come ? questionBytes(come) : 0) - (gone ? questionBytes(gone) : 0);

/**
 * Records a change of a quiz's questions on the quiz, from which the counters follow: one kind less, one more. The
 * quiz is locked by the caller.
 */
export async function recount(
  tx: EntityManager,
  quizId: string,
  { gone, come }: { gone?: Counted; come?: Counted },
  now: Date,
): Promise<void> {
  await tx.query(
    `UPDATE quizzes SET question_count = question_count + $2, content_bytes = content_bytes + $5, updated_at = $4, counts_by_kind = add_counts(counts_by_kind, $3::int[])
     WHERE id = $1`,
    [
      quizId,
      (come ? 1 : 0) - (gone ? 1 : 0),
      countsByKind(come ? [come] : [], gone ? [gone] : []),
      now,
      growth({ gone, come }),
    ],
  );
}

/** Replaces a question; its id and its position in the quiz stay. */
export async function updateQuestion(
  tx: EntityManager,
  question: Omit<NewQuestion, 'source' | 'licence'>,
): Promise<void> {
  await tx.query(
    `UPDATE questions SET text = $2, type = $3, difficulty = $4, explanation = $5, answers = $6, fingerprint = $7
     WHERE id = $1`,
    [
      question.id,
      question.text,
      question.type,
      question.difficulty,
      question.explanation,
      JSON.stringify(question.answers),
      question.fingerprint,
    ],
  );
}

/** The quiz of a question, and the account that owns both; also of a question that the account has only proposed. */
export async function findHome(
  database: EntityManager,
  accountId: string,
  questionId: string,
): Promise<{ quizId: string; ownerId: string } | null> {
  const [home] = await database.query<{ quizId: string; ownerId: string }[]>(
    `SELECT quiz_id AS "quizId", owner_id AS "ownerId" FROM questions WHERE id = $1
     UNION ALL
     SELECT id, owner_id FROM quizzes
     WHERE owner_id = $2 AND proposed_questions @> jsonb_build_array(jsonb_build_object('id', $1::uuid))`,
    [questionId, accountId],
  );
  return home ?? null;
}

/** Deletes a question and closes the gap. */
export async function deleteQuestion(
  tx: EntityManager,
  quizId: string,
  question: { id: string; position: number },
): Promise<void> {
  await tx.query(`DELETE FROM questions WHERE id = $1`, [question.id]);
  await tx.query(
    `UPDATE questions SET position = position - 1 WHERE quiz_id = $1 AND position > $2`,
    [quizId, question.position],
  );
}

/** The ids of a quiz's questions in order. */
export async function findOrder(tx: EntityManager, quizId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }[]>(
    `SELECT id FROM questions WHERE quiz_id = $1 ORDER BY position`,
    [quizId],
  );
  return rows.map(({ id }) => id);
}

/** @param order of all questions of the quiz; only those that move are written */
export async function writeOrder(
  tx: EntityManager,
  quizId: string,
  order: readonly string[],
  now: Date,
): Promise<void> {
  await tx.query(
    `WITH moved AS (
       UPDATE questions q SET position = o.place FROM unnest($2::uuid[]) WITH ORDINALITY AS o (id, place)
       WHERE q.quiz_id = $1 AND q.id = o.id AND q.position <> o.place RETURNING q.id
     )
     UPDATE quizzes SET updated_at = $3 WHERE id = $1 AND EXISTS (SELECT FROM moved)`,
    [quizId, order, now],
  );
}

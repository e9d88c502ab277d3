import type { EntityManager } from 'typeorm';
import { countsByKind, type Answer, type QuestionKind } from '../../catalog/vocabulary';
import { queryPrepared } from '../../platform/database/sql';
import { answerIdAt } from '../../platform/text/ids';
import { keepAnswerIds, questionBytes } from './question.rules';

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
 * @returns the position of the first of them
 */
export async function appendQuestions(
  tx: EntityManager,
  quizId: string,
  questions: readonly NewQuestion[],
  now: Date,
): Promise<number> {
  const [row] = await queryPrepared<[{ first: number }]>(tx, APPEND_QUESTIONS, [
    quizId,
    questions.length,
    countsByKind(questions),
    now,
    JSON.stringify(questions),
    growth({ come: questions }),
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

/** What is removed from the questions of a quiz, and what is added: an edit is both. */
interface Change {
  gone?: readonly Counted[];
  come?: readonly Counted[];
}

/** By how many bytes a quiz grows. */
export function growth({ gone = [], come = [] }: Change): number {
  const bytes = (questions: readonly Counted[]) =>
    questions.reduce((sum, question) => sum + questionBytes(question), 0);
  return bytes(come) - bytes(gone);
}

/** Records a change of its questions on a quiz that the caller has locked; the counters follow from it. */
export async function recount(
  tx: EntityManager,
  quizId: string,
  { gone = [], come = [] }: Change,
  now: Date,
): Promise<void> {
  await tx.query(
    `UPDATE quizzes SET question_count = question_count + $2, content_bytes = content_bytes + $5, updated_at = $4, counts_by_kind = add_counts(counts_by_kind, $3::int[])
     WHERE id = $1`,
    [quizId, come.length - gone.length, countsByKind(come, gone), now, growth({ gone, come })],
  );
}

/** Replaces a question; its id and its position in the quiz stay, and so do the ids of answers whose text stays. */
export async function updateQuestion(
  tx: EntityManager,
  stored: { id: string; answers: readonly Answer[] },
  { text, type, difficulty, explanation, answers, fingerprint }: NewQuestion,
): Promise<void> {
  // The moment of the answers that it has: earlier versions did not give them that of the question.
  const moment = stored.answers[0]?.id ?? stored.id;
  const named = answers.map((answer) => ({ ...answer, id: answerIdAt(moment, answer.id) }));
  const kept = JSON.stringify(keepAnswerIds(stored.answers, named));
  await tx.query(
    `UPDATE questions SET text = $2, type = $3, difficulty = $4, explanation = $5, answers = $6, fingerprint = $7
     WHERE id = $1`,
    [stored.id, text, type, difficulty, explanation, kept, fingerprint],
  );
}

interface QuestionHome {
  quizId: string;
  ownerId: string;
  isPublic: boolean;
}

/** The quiz of a question, and the account that owns both. */
export async function findHome(
  database: EntityManager,
  questionId: string,
): Promise<QuestionHome | null> {
  const [home] = await database.query<QuestionHome[]>(
    `SELECT quiz_id AS "quizId", owner_id AS "ownerId", is_public AS "isPublic" FROM questions WHERE id = $1`,
    [questionId],
  );
  return home ?? null;
}

/** Deletes questions of a quiz; later ones move up. */
export async function deleteQuestions(
  tx: EntityManager,
  quizId: string,
  ids: readonly string[],
): Promise<void> {
  await tx.query(`DELETE FROM questions WHERE quiz_id = $1 AND id = ANY ($2)`, [quizId, ids]);
  await tx.query(
    `UPDATE questions q SET position = place
     FROM (SELECT id, row_number() OVER (ORDER BY position) AS place FROM questions WHERE quiz_id = $1) AS rest
     WHERE q.id = rest.id AND position <> place`,
    [quizId],
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

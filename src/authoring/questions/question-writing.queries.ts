import { type EntityManager, In, IsNull, Not } from 'typeorm';
import { Question } from '../../catalog/questions/question.entity';
import type { StoredQuestion } from '../../catalog/quizzes/quizzes.dto';
import { countsByKind, type QuestionKind } from '../../catalog/vocabulary';
import { query, queryPrepared, sql } from '../../platform/database/sql';
import { hasValues } from '../../platform/equality';
import { answerIdAt } from '../../platform/text/ids';
import { keepAnswerIds, questionBytes } from './question.rules';

/** A question as it is stored, without its place in a quiz. */
export type NewQuestion = Omit<
  Question,
  'quizId' | 'position' | 'isPublic' | 'ownerId' | 'categoryKey'
>;

/**
 * Has searches read the questions of `quiz` themselves until the worker has indexed them. The lock of the quiz keeps the
 * worker from removing the mark at the same time.
 */
const MARK_QUIZ = sql`INSERT INTO question_search (quiz_id, block) SELECT id, 0 FROM quiz
  ON CONFLICT (quiz_id, block) DO NOTHING`;

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
  const { length } = questions;
  const bytes = growth({ added: questions });
  const [row] = await queryPrepared<[{ first: number }]>(
    tx,
    sql`
WITH quiz AS (
  UPDATE quizzes SET question_count = question_count + ${length}, content_bytes = content_bytes + ${bytes}, updated_at = ${now},
    counts_by_kind = add_counts(counts_by_kind, ${countsByKind(questions)}::int[])
  WHERE id = ${quizId} RETURNING id, owner_id, is_public, category_key, question_count - ${length} + 1 AS first
), appended AS (
  INSERT INTO questions (id, text, type, difficulty, format, explanation, answers, fingerprint, text_key, source, licence, media, position,
    quiz_id, owner_id, is_public, category_key)
  SELECT q.id, q.text, q.type, q.difficulty, q.format, q.explanation, q.answers, q.fingerprint, q.text_key, q.source, q.licence, q.media, first + q.place - 1,
    quiz.id, owner_id, is_public, category_key
  FROM quiz CROSS JOIN ROWS FROM (jsonb_to_recordset(${JSON.stringify(questions)}) AS (id uuid, text text, type question_type, difficulty difficulty,
    format question_format, explanation text, answers jsonb, fingerprint uuid, "textKey" text, source text, licence text, media uuid[])) WITH ORDINALITY AS q
    (id, text, type, difficulty, format, explanation, answers, fingerprint, text_key, source, licence, media, place)
), marked AS (${MARK_QUIZ})
SELECT first FROM quiz`,
  );
  return row.first;
}

type Counted = QuestionKind & Parameters<typeof questionBytes>[0];

/** What is removed from the questions of a quiz, and what is added: an edit is both. */
interface Change {
  removed?: readonly Counted[];
  added?: readonly Counted[];
}

/** By how many bytes a quiz grows. */
export function growth({ removed = [], added = [] }: Change): number {
  const bytes = (questions: readonly Counted[]) =>
    questions.reduce((sum, question) => sum + questionBytes(question), 0);
  return bytes(added) - bytes(removed);
}

/** Records a change of its questions on a quiz that the caller has locked; the counters follow from it. */
export async function recount(
  tx: EntityManager,
  quizId: string,
  { removed = [], added = [] }: Change,
  now: Date,
): Promise<void> {
  await query(
    tx,
    sql`WITH quiz AS (
          UPDATE quizzes SET question_count = question_count + ${added.length - removed.length},
            content_bytes = content_bytes + ${growth({ removed, added })}, updated_at = ${now},
            counts_by_kind = add_counts(counts_by_kind, ${countsByKind(added, removed)}::int[])
          WHERE id = ${quizId} RETURNING id)
        ${MARK_QUIZ}`,
  );
}

/**
 * Replaces a question. Its id, position, source and licence stay: no edit changes where it is from. So do the ids of
 * answers whose text stays.
 * @returns whether it differs from the stored one; if not, nothing is written
 */
export async function updateQuestion(
  tx: EntityManager,
  stored: StoredQuestion,
  {
    text,
    type,
    difficulty,
    format,
    explanation,
    answers,
    fingerprint,
    textKey,
    media,
  }: NewQuestion,
): Promise<boolean> {
  // The moment of the answers that it has: earlier versions did not give them that of the question.
  const moment = stored.answers[0]?.id ?? stored.id;
  const named = answers.map((answer) => ({ ...answer, id: answerIdAt(moment, answer.id) }));
  const kept = keepAnswerIds(stored.answers, named);
  const fields = { text, type, difficulty, format, explanation, answers: kept };
  if (hasValues(stored, fields)) return false;
  await tx
    .getRepository(Question)
    .update({ id: stored.id }, { ...fields, fingerprint, textKey, media });
  return true;
}

/** Deletes questions of a quiz; later ones move up. */
export async function deleteQuestions(
  tx: EntityManager,
  quizId: string,
  ids: readonly string[],
): Promise<void> {
  await tx.getRepository(Question).delete({ quizId, id: In(ids) });
  await query(
    tx,
    sql`UPDATE questions q SET position = place
        FROM (SELECT id, row_number() OVER (ORDER BY position) AS place FROM questions WHERE quiz_id = ${quizId}) AS rest
        WHERE q.id = rest.id AND position <> place`,
  );
}

/** The questions of a quiz that show pictures, in order. */
export const findQuestionsWithPictures = (
  tx: EntityManager,
  quizId: string,
): Promise<Pick<StoredQuestion, 'text' | 'format' | 'explanation' | 'answers' | 'position'>[]> =>
  tx.getRepository(Question).find({
    select: { text: true, format: true, explanation: true, answers: true, position: true },
    where: { quizId, media: Not(IsNull()) },
    order: { position: 'ASC' },
  });

/** The ids of a quiz's questions in order. */
export async function findOrder(tx: EntityManager, quizId: string): Promise<string[]> {
  const rows = await query<{ id: string }[]>(
    tx,
    sql`SELECT id FROM questions WHERE quiz_id = ${quizId} ORDER BY position`,
  );
  return rows.map(({ id }) => id);
}

/**
 * @param order of all questions of the quiz; only those that move are written
 * @returns whether any moves
 */
export async function writeOrder(
  tx: EntityManager,
  quizId: string,
  order: readonly string[],
  now: Date,
): Promise<boolean> {
  const [, changed] = await query<[unknown[], number]>(
    tx,
    sql`WITH moved AS (
       UPDATE questions q SET position = o.place FROM unnest(${order}::uuid[]) WITH ORDINALITY AS o (id, place)
       WHERE q.quiz_id = ${quizId} AND q.id = o.id AND q.position <> o.place RETURNING q.id
     )
     UPDATE quizzes SET updated_at = ${now} WHERE id = ${quizId} AND EXISTS (SELECT FROM moved)`,
  );
  return changed > 0;
}

/**
 * Which questions with these fingerprints the account has, with the title of their quiz; of several quizzes, the one
 * that had it first.
 */
export function findByFingerprint(
  tx: EntityManager,
  accountId: string,
  fingerprints: readonly string[],
): Promise<{ fingerprint: string; title: string }[]> {
  return query(
    tx,
    sql`SELECT DISTINCT ON (q.fingerprint) replace(q.fingerprint::text, '-', '') AS fingerprint, z.title
        FROM questions q JOIN quizzes z ON z.id = q.quiz_id
        WHERE q.owner_id = ${accountId} AND q.fingerprint = ANY (${fingerprints}::uuid[]) ORDER BY q.fingerprint, q.id`,
  );
}

/** Whether the account owns a quiz of this title with these questions, each as often, and no others. */
export async function hasSameQuiz(
  tx: EntityManager,
  accountId: string,
  title: string,
  fingerprints: readonly string[],
): Promise<boolean> {
  const [row] = await query<[{ has: boolean }]>(
    tx,
    sql`SELECT EXISTS (SELECT FROM quizzes z
          WHERE owner_id = ${accountId} AND title = ${title} AND question_count = ${fingerprints.length}
            AND ARRAY(SELECT fingerprint FROM questions q WHERE q.quiz_id = z.id ORDER BY 1)
              = ARRAY(SELECT unnest(${fingerprints}::uuid[]) ORDER BY 1)) AS has`,
  );
  return row.has;
}

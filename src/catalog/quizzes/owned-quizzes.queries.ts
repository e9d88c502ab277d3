import type { DataSource, EntityManager } from 'typeorm';
import { join, query, queryPrepared, type Slice, Sql, sql } from '../../platform/database/sql';
import { LIMITS } from '../../platform/limits/limits';
import { fold } from '../../platform/text/text.rules';
import { editedFields, QUESTION_VERSION, QUIZ_VERSION, RULES_OF_PLAY } from '../fields.queries';
import { contentContains } from '../text-filter.queries';
import type { QuizState } from '../vocabulary';
import type { Quiz } from './quiz.entity';
import { QUIZ_STATE } from './quiz.queries';
import type { StoredQuestion } from './quizzes.dto';

/** What the database derives from other columns or keeps for itself. */
type DerivedFields = 'titleSort' | 'categoryKey' | 'tagKeys' | 'isPublic' | 'firstPublicAt';

/** A quiz as its owner sees it in a list. */
export interface OwnedQuiz extends Omit<Quiz, DerivedFields> {
  state: QuizState;
  /** Of its questions, as questionBytes counts them. */
  contentBytes: number;
  plays: number;
  /**
   * Identifies the editable content (title, description, category, difficulty, tags, language, rules of play): a hash of the
   * content itself, so that it changes with it, whoever changes it.
   */
  version: string;
  /** The version of the quiz as a whole, with its questions and its state: what its ETag begins with. */
  revision: string;
}

/** A question as its owner edits it, with its attribution, which no form shows. `version` as for a quiz. */
export interface OwnedQuestion extends StoredQuestion {
  source: string | null;
  licence: string | null;
  version: string;
}

const QUIZ_COLUMNS = sql`id, owner_id AS "ownerId", title, description, category, category_id AS "categoryId", difficulty, tags, language, slug,
  ${QUIZ_STATE} AS state, published, featured, approval, rejection_reason AS "rejectionReason",
  question_count AS "questionCount", content_bytes AS "contentBytes", plays::float8 AS plays,
  written_by AS "writtenBy",
  ${RULES_OF_PLAY},
  changed_since_approval_at AS "changedSinceApprovalAt", created_at AS "createdAt", updated_at AS "updatedAt",
  md5(ROW(${editedFields('quizzes')})::text) AS version,
  ${QUIZ_VERSION} AS revision`;

const QUESTION_COLUMNS = sql`id, text, type, difficulty, format, explanation, position, answers, source, licence,
  ${QUESTION_VERSION} AS version`;

const SORTS = {
  changed: sql`updated_at DESC`,
  newest: sql`id DESC`,
  title: sql`title_sort`,
  plays: sql`plays DESC`,
  questions: sql`question_count DESC`,
} as const;
export type OwnedSort = keyof typeof SORTS;

export interface OwnedFilter {
  state?: QuizState | null;
  /** Ignoring case; '' for any. */
  category?: string;
  /** In the title, the description or a tag, as others see them; '' for any. */
  search?: string;
  sort?: OwnedSort;
}

/**
 * The condition for the matching quizzes of one account, or of all (null). It contains only what is asked for: with
 * `$1 = '' OR …` a search read every quiz of the service, 1.2 s at a million.
 */
function matches(accountId: string | null, filter: OwnedFilter): Sql {
  const { state, category = '', search = '' } = filter;
  const [key, topic] = [fold(category), fold(search)];
  const conditions = [
    accountId !== null && sql`owner_id = ${accountId}`,
    state && sql`${QUIZ_STATE} = ${state}`,
    key && sql`category_key = ${key}`,
    topic && sql`id IN (SELECT quiz_id FROM quiz_search WHERE ${contentContains(topic)})`,
    // What follows from the state and the category, so that the partial indexes are used.
    accountId === null && state && state !== 'live' && sql`NOT is_public`,
    accountId === null && key && sql`(is_public OR NOT is_public)`,
  ].filter((condition) => condition instanceof Sql);
  return join([sql`true`, ...conditions], sql` AND `);
}

/** A page of the matching quizzes; with the order `newest` alone it reads no more than the page. */
export function findOwnedQuizzes(
  database: DataSource,
  accountId: string | null,
  { sort = 'changed', ...filter }: OwnedFilter,
  { limit, offset }: Slice,
): Promise<OwnedQuiz[]> {
  return query<OwnedQuiz[]>(
    database,
    sql`SELECT ${QUIZ_COLUMNS} FROM quizzes WHERE ${matches(accountId, filter)}
        ORDER BY ${SORTS[sort]}, id DESC LIMIT ${limit} OFFSET ${offset}`,
  );
}

/** How many match, up to LIMITS.requests.countedOwn: to count further would read all of a large account. */
export async function countOwnedQuizzes(
  database: DataSource,
  accountId: string | null,
  filter: OwnedFilter,
): Promise<number> {
  const [row] = await query<[{ total: number }]>(
    database,
    sql`SELECT count(*)::int AS total
        FROM (SELECT FROM quizzes WHERE ${matches(accountId, filter)} LIMIT ${LIMITS.requests.countedOwn.value}) AS found`,
  );
  return row.total;
}

/** States in which the account has no quiz are absent. */
export function countByState(
  database: DataSource,
  accountId: string,
): Promise<{ state: QuizState; quizzes: number }[]> {
  return query(
    database,
    sql`SELECT ${QUIZ_STATE} AS state, count(*)::int AS quizzes FROM quizzes
        WHERE owner_id = ${accountId} GROUP BY state`,
  );
}

/** Accounts that own no quiz are absent. */
export function countByOwner(
  database: DataSource,
  accountIds: readonly string[],
): Promise<{ owner: string; quizzes: number }[]> {
  return query(
    database,
    sql`SELECT owner_id AS owner, count(*)::int AS quizzes FROM quizzes
        WHERE owner_id = ANY (${accountIds}) GROUP BY owner_id`,
  );
}

export function countByCategory(
  database: DataSource,
  accountId: string,
): Promise<{ category: string; quizzes: number }[]> {
  return query(
    database,
    sql`SELECT category, count(*)::int AS quizzes FROM quizzes WHERE owner_id = ${accountId} AND category <> ''
        GROUP BY category ORDER BY category LIMIT 500`,
  );
}

/** The languages of an account's last hundred quizzes, that of the last one first. */
export function findUsualLanguages(
  database: DataSource,
  accountId: string,
): Promise<{ language: string }[]> {
  return query(
    database,
    sql`SELECT language
        FROM (SELECT language, created_at FROM quizzes WHERE owner_id = ${accountId} ORDER BY created_at DESC LIMIT 100) AS last
        WHERE language IS NOT NULL GROUP BY language ORDER BY max(created_at) DESC`,
  );
}

export async function findOwnedQuiz(
  tx: EntityManager,
  accountId: string,
  quizId: string,
): Promise<OwnedQuiz | undefined> {
  return findOne(tx, sql`id = ${quizId} AND owner_id = ${accountId}`);
}

/** The same, locked against other changes until the transaction ends. */
export function lockOwnedQuiz(
  tx: EntityManager,
  accountId: string,
  quizId: string,
): Promise<OwnedQuiz | undefined> {
  return findOne(tx, sql`id = ${quizId} AND owner_id = ${accountId} FOR NO KEY UPDATE`);
}

export function findPublishedQuiz(
  tx: EntityManager,
  quizId: string,
): Promise<OwnedQuiz | undefined> {
  return findOne(tx, sql`id = ${quizId} AND published`);
}

async function findOne(tx: EntityManager, condition: Sql): Promise<OwnedQuiz | undefined> {
  const [quiz] = await queryPrepared<OwnedQuiz[]>(
    tx,
    sql`SELECT ${QUIZ_COLUMNS} FROM quizzes WHERE ${condition}`,
  );
  return quiz;
}

/** In an edit it is read after each change of a quiz. */
export async function findTitle(tx: EntityManager, quizId: string): Promise<string> {
  const [quiz] = await queryPrepared<[{ title: string }]>(
    tx,
    sql`SELECT title FROM quizzes WHERE id = ${quizId}`,
  );
  return quiz.title;
}

/** A page of a quiz's questions in order. */
export function findOwnedQuestions(
  tx: EntityManager,
  quizId: string,
  { limit, offset }: Slice,
): Promise<OwnedQuestion[]> {
  return query<OwnedQuestion[]>(
    tx,
    sql`SELECT ${QUESTION_COLUMNS} FROM questions q
        WHERE quiz_id = ${quizId} AND position > ${offset} ORDER BY position LIMIT ${limit}`,
  );
}

export async function findOwnedQuestion(
  tx: EntityManager,
  quizId: string,
  questionId: string,
): Promise<OwnedQuestion | undefined> {
  const [question] = await query<OwnedQuestion[]>(
    tx,
    sql`SELECT ${QUESTION_COLUMNS} FROM questions q WHERE quiz_id = ${quizId} AND id = ${questionId}`,
  );
  return question;
}

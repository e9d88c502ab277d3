import type { EntityManager } from 'typeorm';
import { join, query, type Sql, sql } from '../../platform/database/sql';
import { LIMITS } from '../../platform/limits/limits';
import { type CatalogFilter, filterConditions } from '../filters.queries';
import type { StoredQuestion } from '../quizzes/quizzes.dto';
import type { QuestionKey } from './cursor.rules';

/** A question of an account, with its quiz. */
export interface ListedQuestion extends StoredQuestion {
  quizId: string;
  quizTitle: string;
  category: string | null;
}

/**
 * Questions of an account's quizzes, those of the newest quiz first. A page begins behind a question, so it costs the
 * same at any depth; behind one whose quiz was deleted it is the first page.
 */
export function findListedQuestions(
  database: EntityManager,
  accountId: string,
  filter: CatalogFilter,
  { limit, after }: { limit: number; after?: QuestionKey },
): Promise<ListedQuestion[]> {
  const from = after
    ? sql` AND (z.created_at, z.id) <= (
          SELECT coalesce(max(created_at), 'infinity'), ${after.quiz_id}::uuid FROM quizzes WHERE id = ${after.quiz_id})`
    : sql``;
  const behind = after
    ? sql` AND (quiz_id <> ${after.quiz_id} OR position > ${after.position})`
    : sql``;
  return query(
    database,
    sql`SELECT q.*, z.id AS "quizId", z.title AS "quizTitle", z.category
        FROM quizzes z CROSS JOIN LATERAL (
          SELECT id, text, type, difficulty, format, explanation, position, answers FROM questions
          WHERE quiz_id = z.id${matching(filter)}${behind}) AS q
        WHERE z.owner_id = ${accountId} AND z.question_count > 0${from}
        ORDER BY z.created_at DESC, z.id DESC, q.position LIMIT ${limit}`,
  );
}

/** How many there are, up to LIMITS.requests.countedOwn: to count further would read all of a large account for each page. */
export async function countListedQuestions(
  database: EntityManager,
  accountId: string,
  filter: CatalogFilter,
): Promise<number> {
  const [row] = await query<[{ total: number }]>(
    database,
    sql`SELECT count(*)::int AS total FROM (
          SELECT FROM quizzes z CROSS JOIN LATERAL (
            SELECT FROM questions WHERE quiz_id = z.id${matching(filter)}) AS q
          WHERE z.owner_id = ${accountId} AND z.question_count > 0 LIMIT ${LIMITS.requests.countedOwn.value}) AS found`,
  );
  return row.total;
}

function matching(filter: CatalogFilter): Sql {
  return join([sql``, ...filterConditions(filter)], sql` AND `);
}

import type { EntityManager } from 'typeorm';
import { join, query, type Sql, sql } from '../../platform/database/sql';
import { countOfQuestions, QUESTION_CELLS } from '../catalog-counts.queries';
import { buildWhere, type CatalogFilter, filterConditions, quizzesAmong } from '../filters.queries';
import { visibilityBranches } from '../visibility.queries';
import type { QuestionKey } from './cursor.rules';

/**
 * The public questions that match the filter, by rank: a number from 0 to below their total. Ranks follow no order that
 * a caller knows; the same rank is the same question as long as nothing changes, which a seeded shuffle needs.
 * @returns a key for each rank, in the order of the ranks; none for a rank of questions that have gone since they were counted
 */
export function findByRank(
  database: EntityManager,
  filter: CatalogFilter,
  ranks: readonly number[],
): Promise<QuestionKey[]> {
  const { tags, languages, topic } = filter;
  // The compiler refuses a filter that is neither read here, nor a column of the cells, nor left to the callers.
  type Read = 'tags' | 'tagsMatch' | 'languages' | 'topic';
  type OfCells = 'categories' | 'difficulties' | 'types';
  type LeftToCallers = 'text' | 'exclude';
  void ({} satisfies Record<Exclude<keyof CatalogFilter, Read | OfCells | LeftToCallers>, never>);
  const isCounted = tags.length + languages.length === 0 && topic === undefined;
  return isCounted ? findInCells(database, filter, ranks) : findInQuizzes(database, filter, ranks);
}

/**
 * A cell is a category, difficulty and type. Running sums find the cell of a rank, and steps along an index the question in
 * it, from the nearer end.
 */
function findInCells(
  database: EntityManager,
  filter: CatalogFilter,
  ranks: readonly number[],
): Promise<QuestionKey[]> {
  const inCell = (direction: Sql, skip: Sql, from: Sql) => sql`
    (SELECT quiz_id, position FROM questions
     WHERE is_public AND category_key = categories[cell] AND difficulty = difficulties[cell] AND type = types[cell] AND ${from}
     ORDER BY quiz_id ${direction}, position ${direction} LIMIT 1 OFFSET ${skip})`;
  const before = sql`(rank - starts[cell])`;
  // PostgreSQL refuses a negative OFFSET, also of a branch whose condition is false.
  const behind = sql`greatest(sizes[cell] - 1 - rank + starts[cell], 0)`;
  const conditions = [sql`true`, ...filterConditions({ ...filter, exclude: [] })];
  return query<QuestionKey[]>(
    database,
    sql`WITH cells AS MATERIALIZED (
       SELECT array_agg(category_key) AS categories, array_agg(difficulty) AS difficulties, array_agg(type) AS types,
         array_agg(questions) AS sizes, array_agg(start) AS starts
       FROM (SELECT *, sum(questions) OVER (ORDER BY category_key, difficulty, type)::bigint - questions AS start
             FROM ${QUESTION_CELLS} WHERE ${join(conditions, sql` AND `)}
             ORDER BY category_key, difficulty, type) AS counted)
     SELECT quiz_id, position
     FROM unnest(${ranks}::bigint[]) WITH ORDINALITY AS wanted (rank, turn)
     CROSS JOIN LATERAL (SELECT *, width_bucket(rank, starts) AS cell FROM cells OFFSET 0) AS located
     CROSS JOIN LATERAL (
       ${inCell(sql`ASC`, before, sql`${before} <= ${behind}`)}
       UNION ALL
       ${inCell(sql`DESC`, behind, sql`${before} > ${behind}`)}) AS question
     WHERE rank < starts[cell] + sizes[cell]
     ORDER BY turn`,
  );
}

/** By tags, languages or a topic: along all matching quizzes, as their total is counted. */
function findInQuizzes(
  database: EntityManager,
  filter: CatalogFilter,
  ranks: readonly number[],
): Promise<QuestionKey[]> {
  const { categories } = filter;
  const isPublic = sql`is_public`;
  const quizzes = [
    isPublic,
    ...(categories.length > 0 ? [sql`category_key = ANY (${categories})`] : []),
    ...quizzesAmong(filter, isPublic).map((selection) => sql`id IN (${selection})`),
  ];
  const questions = [isPublic, ...filterConditions({ ...filter, exclude: [] })];
  return query<QuestionKey[]>(
    database,
    sql`WITH ordered AS MATERIALIZED (
       SELECT array_agg(id) AS ids, array_agg(start) AS starts
       FROM (SELECT id, questions, sum(questions) OVER (ORDER BY id) - questions AS start
             FROM (SELECT id, ${countOfQuestions(filter)}::int AS questions
                   FROM quizzes WHERE ${join(quizzes, sql` AND `)}) AS counted) AS running
       WHERE questions > 0)
     SELECT quiz_id, position
     FROM unnest(${ranks}::bigint[]) WITH ORDINALITY AS wanted (rank, turn)
     CROSS JOIN LATERAL (SELECT ids, starts, width_bucket(rank, starts) AS quiz FROM ordered OFFSET 0) AS located
     CROSS JOIN LATERAL (
       SELECT quiz_id, position FROM questions
       WHERE quiz_id = ids[quiz] AND ${join(questions, sql` AND `)}
       ORDER BY position LIMIT 1 OFFSET rank - starts[quiz]) AS question
     ORDER BY turn`,
  );
}

/** The caller's private questions that match, by rank: few, so they are numbered. */
export function findOwnByRank(
  database: EntityManager,
  accountId: string,
  filter: CatalogFilter,
  ranks: readonly number[],
): Promise<QuestionKey[]> {
  const [, ownBranch] = visibilityBranches(accountId);
  return query<QuestionKey[]>(
    database,
    sql`SELECT quiz_id, position
        FROM (SELECT quiz_id, position, row_number() OVER (ORDER BY quiz_id, position) - 1 AS rank
              FROM questions WHERE ${buildWhere(filter, ownBranch)}) AS numbered
        JOIN unnest(${ranks}::bigint[]) WITH ORDINALITY AS wanted (rank, turn) USING (rank)
        ORDER BY turn`,
  );
}

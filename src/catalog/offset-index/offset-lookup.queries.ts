import type { EntityManager } from 'typeorm';
import { type CatalogFilter, quizzesAmong } from '../questions/filters.queries';
import { Parameters } from '../sql';
import { QUESTION_KINDS } from '../vocabulary';

/**
 * Finds the question at an offset of a large set without a scan. `offset_index` counts the questions of every 125
 * public quizzes by kind, and of every 64 such blocks: in total, for each category and for each tag. Running sums
 * find the level 2 block of an offset, in it the block, and in that the quiz: under a millisecond at any offset of
 * ten million questions, where a scan to the middle takes 4,000.
 */

/** A question, given by its quiz and by how many of the quiz's matching questions come before it. */
export interface OffsetPosition {
  quiz_id: string;
  skip: number;
}

/** SQL for the number of matching questions, from a column of counts by kind; for all kinds, from their total. */
export function sumOfKinds(
  { difficulties, types }: Pick<CatalogFilter, 'difficulties' | 'types'>,
  total: string,
): string {
  if (difficulties.length + types.length === 0) return total;
  const counts = QUESTION_KINDS.flatMap(({ difficulty, type }, index) =>
    (difficulties.length === 0 || difficulties.includes(difficulty)) &&
    (types.length === 0 || types.includes(type))
      ? [`counts_by_kind[${index + 1}]`]
      : [],
  );
  return `(${counts.join(' + ')})`;
}

/**
 * The public questions that match the filter at these offsets, in the order of browsing.
 * @param places offsets, each from 0 to below their number
 */
export function seekByOffset(
  database: EntityManager,
  filter: CatalogFilter,
  places: readonly number[],
): Promise<OffsetPosition[]> {
  // The blocks support any categories, difficulties and types, or one tag with the latter two.
  const { categories, tags, topic } = filter;
  const hasBlocks =
    topic === undefined && (tags.length === 0 || (tags.length === 1 && categories.length === 0));
  return hasBlocks
    ? findByBlocks(database, filter, places)
    : findByQuizzes(database, filter, places);
}

/** By several tags, a tag within categories, or a topic: along all matching quizzes, as their total is counted. */
function findByQuizzes(
  database: EntityManager,
  filter: CatalogFilter,
  places: readonly number[],
): Promise<OffsetPosition[]> {
  const sql = new Parameters();
  const { categories } = filter;
  const among = quizzesAmong(filter, sql)('is_public').map((it) => ` AND id IN (${it})`);
  const ofCategory =
    categories.length > 0 ? ` AND category_key = ANY (${sql.add(categories)})` : '';
  return database.query<OffsetPosition[]>(
    `WITH ordered AS MATERIALIZED (
       SELECT array_agg(id) AS ids, array_agg(earlier) AS befores
       FROM (SELECT id, questions, sum(questions) OVER (ORDER BY id) - questions AS earlier
             FROM (SELECT id, ${sumOfKinds(filter, 'question_count')}::int AS questions
                   FROM quizzes WHERE is_public${ofCategory}${among.join('')}) AS counted) AS running
       WHERE questions > 0)
     SELECT ids[quiz] AS quiz_id, (rank - befores[quiz])::int AS skip
     FROM unnest(${sql.add(places)}::bigint[]) WITH ORDINALITY AS wanted (rank, turn)
     CROSS JOIN LATERAL (SELECT ids, befores, width_bucket(rank, befores) AS quiz FROM ordered OFFSET 0) AS found
     WHERE quiz > 0 ORDER BY turn`,
    sql.values,
  );
}

function findByBlocks(
  database: EntityManager,
  filter: CatalogFilter,
  places: readonly number[],
): Promise<OffsetPosition[]> {
  const sql = new Parameters();
  const scopes = sql.add(scopesOf(filter));
  const blocks = (level: number, within = '') =>
    running(
      `SELECT first_id AS id, max(last_id::text)::uuid AS last_id, sum(${sumOfKinds(filter, 'questions')})::int AS questions
       FROM offset_index WHERE scope = ANY (${scopes}) AND level = ${level}${within} GROUP BY first_id`,
    );
  const quizzes = running(`${quizzesOf(filter, sql)} ORDER BY id OFFSET 0`);
  return database.query<OffsetPosition[]>(
    `SELECT quiz.id AS quiz_id, (rank - wide.before - block.before - quiz.before)::int AS skip
     FROM unnest(${sql.add(places)}::bigint[]) WITH ORDINALITY AS wanted (rank, turn)
     JOIN (${blocks(2)}) AS wide ON rank >= wide.before AND rank < wide.upto
     CROSS JOIN LATERAL (
       SELECT * FROM (${blocks(1, ' AND first_id BETWEEN wide.id AND wide.last_id')}) AS b
       WHERE rank - wide.before >= before AND rank - wide.before < upto) AS block
     CROSS JOIN LATERAL (
       SELECT * FROM (${quizzes}) AS q
       WHERE rank - wide.before - block.before >= before AND rank - wide.before - block.before < upto) AS quiz
     ORDER BY turn`,
    sql.values,
  );
}

/** Rows of id and questions, each with how many questions come before it, and how many including its own. */
function running(rows: string): string {
  return `SELECT *, sum(questions) OVER (ORDER BY id) - questions AS before, sum(questions) OVER (ORDER BY id) AS upto
          FROM (${rows}) AS counted`;
}

function scopesOf({ categories, tags }: CatalogFilter): string[] {
  if (tags.length > 0) return tags.map((tag) => `tag ${tag}`);
  return categories.length > 0 ? categories.map((category) => `category ${category}`) : [''];
}

/** The public quizzes of a block in the filter's scope, with the number of their questions. */
function quizzesOf(filter: CatalogFilter, sql: Parameters): string {
  const { categories, tags } = filter;
  const questions = sumOfKinds(filter, 'question_count');
  const within = (id: string) => `${id} BETWEEN block.id AND block.last_id`;
  if (tags.length > 0)
    return `SELECT id, ${questions} AS questions FROM quiz_tags t JOIN quizzes z ON z.id = t.quiz_id
            WHERE t.is_public AND t.tag_key = ${sql.add(tags[0])} AND ${within('t.quiz_id')} AND ${within('z.id')} AND z.is_public`;
  const ofCategory =
    categories.length > 0 ? ` AND category_key = ANY (${sql.add(categories)})` : '';
  return `SELECT id, ${questions} AS questions FROM quizzes WHERE is_public AND ${within('id')}${ofCategory}`;
}

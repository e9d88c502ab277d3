import type { EntityManager } from 'typeorm';
import type { QuestionFilter } from './question-filter';
import { quizzesWithTags } from './quiz-list.queries';
import { Parameters } from './sql';
import { DIFFICULTIES, mixPlace, QUESTION_TYPES } from './vocabulary';

/**
 * What stands at a place of a large set, without walking there.
 *
 * `question_blocks` counts the questions of every 250 public quizzes, kind by kind: over all, for each category
 * and for each tag. A running sum over the blocks finds a place's block, another over the quizzes of that block
 * finds its quiz: 3 to 11 ms at any place of ten million questions, where walking to the middle takes 4,000.
 */

/** A question by its quiz, and how many of the quiz's questions that pass the filter stand before it. */
export interface Ranked {
  quiz_id: string;
  skip: number;
}

/** How many of the kinds that the filter lets through, as SQL, of a mix; of all kinds, there is a sum. */
export function kindsOf(
  { difficulties, types }: Pick<QuestionFilter, 'difficulties' | 'types'>,
  mix: string,
  sum?: string,
): string {
  if (sum && difficulties.length + types.length === 0) return sum;
  const places = (difficulties.length > 0 ? difficulties : DIFFICULTIES).flatMap((difficulty) =>
    (types.length > 0 ? types : QUESTION_TYPES).map((type) => mixPlace(difficulty, type)),
  );
  return `(${places.map((place) => `${mix}[${place}]`).join(' + ')})`;
}

/**
 * The public questions that pass the filter and stand at these places in the order of browsing.
 * @param places each from 0 to below their number
 */
export function findRanked(
  database: EntityManager,
  filter: QuestionFilter,
  places: readonly number[],
): Promise<Ranked[]> {
  // The blocks know any categories, difficulties and types, or one tag with the latter two.
  const hasBlocks =
    filter.tags.length === 0 || (filter.tags.length === 1 && filter.categories.length === 0);
  return hasBlocks
    ? findByBlocks(database, filter, places)
    : findByQuizzes(database, filter, places);
}

/** By several tags, or a tag within categories: along all quizzes that pass, as their total is counted. */
function findByQuizzes(
  database: EntityManager,
  filter: QuestionFilter,
  places: readonly number[],
): Promise<Ranked[]> {
  const sql = new Parameters();
  const { categories } = filter;
  const tagged = quizzesWithTags(filter, sql)('is_public');
  const ofCategory =
    categories.length > 0 ? ` AND category_key = ANY (${sql.add(categories)})` : '';
  return database.query<Ranked[]>(
    `WITH ordered AS MATERIALIZED (
       SELECT array_agg(id) AS ids, array_agg(earlier) AS befores
       FROM (SELECT id, questions, sum(questions) OVER (ORDER BY id) - questions AS earlier
             FROM (SELECT id, ${kindsOf(filter, 'question_mix', 'question_count')}::int AS questions
                   FROM quizzes WHERE is_public${ofCategory} AND id IN (${tagged})) AS counted) AS running
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
  filter: QuestionFilter,
  places: readonly number[],
): Promise<Ranked[]> {
  const sql = new Parameters();
  const questions = kindsOf(filter, 'mix', 'questions');
  const [scope, ...others] = scopesOf(filter);
  // One scope has its blocks in order already.
  const counted =
    others.length === 0
      ? `SELECT first_id, ${questions}::int AS questions FROM question_blocks WHERE scope = ${sql.add(scope)}`
      : `SELECT first_id, sum(${questions})::int AS questions FROM question_blocks
         WHERE scope = ANY (${sql.add([scope, ...others])}) GROUP BY first_id`;
  return database.query<Ranked[]>(
    `WITH blocks AS MATERIALIZED (
       SELECT array_agg(first_id) AS firsts, array_agg(before) AS befores
       FROM (SELECT first_id, questions, sum(questions) OVER (ORDER BY first_id) - questions AS before
             FROM (${counted}) AS counted) AS running
       WHERE questions > 0)
     SELECT found.id AS quiz_id, (rank - before - earlier)::int AS skip
     FROM unnest(${sql.add(places)}::bigint[]) WITH ORDINALITY AS wanted (rank, turn)
     CROSS JOIN LATERAL (
       SELECT firsts[block] AS first_id, firsts[block + 1] AS next_id, befores[block] AS before
       FROM (SELECT firsts, befores, width_bucket(rank, befores) AS block FROM blocks OFFSET 0) AS b OFFSET 0) AS block
     CROSS JOIN LATERAL (
       SELECT id, earlier
       FROM (SELECT id, questions, sum(questions) OVER (ORDER BY id) - questions AS earlier
             FROM (${quizzesOf(filter, sql)} ORDER BY id OFFSET 0) AS counted) AS running
       WHERE rank - before >= earlier AND rank - before < earlier + questions) AS found
     ORDER BY turn`,
    sql.values,
  );
}

function scopesOf({ categories, tags }: QuestionFilter): string[] {
  if (tags.length > 0) return tags.map((tag) => `tag ${tag}`);
  return categories.length > 0 ? categories.map((category) => `category ${category}`) : [''];
}

/** The public quizzes of a block that the filter's scope has, with the number of their questions. */
function quizzesOf(filter: QuestionFilter, sql: Parameters): string {
  const { categories, tags } = filter;
  const questions = kindsOf(filter, 'question_mix', 'question_count');
  const within = (id: string) =>
    `${id} >= first_id AND ${id} < coalesce(next_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')`;
  if (tags.length > 0)
    return `SELECT id, ${questions} AS questions FROM quiz_tags t JOIN quizzes z ON z.id = t.quiz_id
            WHERE t.is_public AND t.tag_key = ${sql.add(tags[0])} AND ${within('t.quiz_id')} AND ${within('z.id')} AND z.is_public`;
  const ofCategory =
    categories.length > 0 ? ` AND category_key = ANY (${sql.add(categories)})` : '';
  return `SELECT id, ${questions} AS questions FROM quizzes WHERE is_public AND ${within('id')}${ofCategory}`;
}

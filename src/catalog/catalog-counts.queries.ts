import { isAny, join, literal, type Sql, sql } from '../platform/database/sql';
import { DIFFICULTIES, type Difficulty, QUESTION_KINDS, type QuestionKind } from './vocabulary';

/**
 * `catalog_counts` has the numbers of public quizzes and of their questions for each tag or language within each
 * category. Triggers maintain it (docs/adr/0004). The tag '' stands for whatever tags; the category ' ' for all categories,
 * and '' for quizzes without one. No folded name equals any of these.
 */
export const WITHOUT_TAG_FILTER = '';
export const ALL_CATEGORIES = sql`category_key = ' '`;
export const EACH_CATEGORY = sql`category_key <> ' '`;

/** The rows with real tags. The index catalog_counts_popular_idx has the same text. */
export const IS_TAG = sql`tag_key <> '' AND tag_key NOT LIKE ' %'`;

/**
 * The rows for a filter by any of these keys and categories.
 * @param unfiltered which rows without a filter by categories
 */
export const rowsFor = (
  keys: readonly string[],
  categories: readonly string[],
  unfiltered: Sql = ALL_CATEGORIES,
): Sql =>
  sql`catalog_counts WHERE ${isAny(sql`tag_key`, keys)} AND ${categories.length > 0 ? isAny(sql`category_key`, categories) : unfiltered}`;

/** The number of questions in each category, difficulty and type. */
export const QUESTION_CELLS = sql`(
  SELECT category_key, difficulty, type, questions
  FROM catalog_counts, unnest(counts_by_kind) WITH ORDINALITY AS k (questions, index) JOIN question_kinds USING (index)
  WHERE tag_key = '' AND ${EACH_CATEGORY} AND questions > 0) AS cells`;

/** How many quizzes of these difficulties a row counts; none: of all. */
export function countOfQuizzes({ difficulties }: { difficulties: readonly Difficulty[] }): Sql {
  if (difficulties.length === 0) return sql`quizzes`;
  return sumOf(sql`quizzes_by_difficulty`, DIFFICULTIES, (it) => difficulties.includes(it));
}

/** How many questions of these difficulties and types a row of `catalog_counts` or `quizzes` counts; none: of all. */
export function countOfQuestions({
  difficulties,
  types,
}: {
  difficulties: readonly QuestionKind['difficulty'][];
  types: readonly QuestionKind['type'][];
}): Sql {
  if (difficulties.length + types.length === 0) return sql`question_count`;
  return sumOf(
    sql`counts_by_kind`,
    QUESTION_KINDS,
    ({ difficulty, type }) =>
      (difficulties.length === 0 || difficulties.includes(difficulty)) &&
      (types.length === 0 || types.includes(type)),
  );
}

/** The sum of those elements of an array column that stand for what is asked for. */
function sumOf<T>(column: Sql, elements: readonly T[], isAsked: (element: T) => boolean): Sql {
  const asked = elements.flatMap((element, index) =>
    isAsked(element) ? [sql`${column}[${literal(index + 1)}]`] : [],
  );
  return sql`(${join(asked, sql` + `)})`;
}

/** `counts_by_kind` over several rows. */
export const SUM_OF_COUNTS = sql`ARRAY[${join(
  QUESTION_KINDS.map((_, index) => sql`sum(counts_by_kind[${literal(index + 1)}])`),
)}]::bigint[]`;

/** `counts_by_kind` of single questions, from the index of their kind. */
export const COUNTS_BY_KIND = sql`ARRAY[${join(
  QUESTION_KINDS.map((_, index) => sql`count(*) FILTER (WHERE index = ${literal(index + 1)})`),
)}]::int[]`;
